//! Claims that are narrowly missed or met, on a volume with a noisy rate.

use analysis::Answer;

use crate::checked::{CheckedVolume, count, each};
use crate::table::Table;
use crate::volume::judge_claim;

/// Seeds of a setting in the daily test.
const USUAL: usize = 3;
/// Noise of the rate: name, words.
const NOISES: &[(&str, &str)] = &[
    ("1 %, rho 0", "noise=1%"),
    ("5 %, rho 0", "noise=5%"),
    ("5 %, rho 0.6", "noise=5%,rho=0.6"),
    ("10 %, rho 0.6", "noise=10%,rho=0.6"),
    ("1 %, slow 2 %", "noise=1%,slow=2%"),
];
/// Shares of the claim that the volume delivers.
const SHARES: [f64; 6] = [0.94, 0.95, 0.97, 0.98, 1.0, 1.02];
const IOPS: f64 = 1000.0;
const MIB: f64 = 60.0;

/// Shares of claims that are off the tolerance, and noise with which they are to be decided: name, words.
const DECIDED: [f64; 3] = [0.94, 1.0, 1.03];
const DECIDED_NOISES: &[(&str, &str)] = &[
    ("1 %, rho 0", "noise=1%"),
    ("3 %, rho 0", "noise=3%"),
    ("3 %, rho 0.5", "noise=3%,rho=0.5"),
    ("5 %, rho 0", "noise=5%"),
    ("5 %, rho 0.5", "noise=5%,rho=0.5"),
];

type Answers = Vec<(f64, Answer)>;

fn look((name, words): &(&'static str, String)) -> (&'static str, Answers, Table) {
    let (mut table, mut answers) = (Table::default(), Vec::new());
    let checked = CheckedVolume::of(words, "");
    for share in SHARES {
        for claim in [format!("read {:.1} iops", IOPS / share), format!("read {:.2} MiB/s", MIB / share)] {
            let rows = judge_claim(&checked, &claim, share, &mut table);
            answers.extend(rows.into_iter().map(|answer| (share, answer)));
        }
    }
    (name, answers, table)
}

#[test]
fn margins() {
    let seeds = count(USUAL);
    let cases: Vec<(&'static str, String)> = NOISES
        .iter()
        .flat_map(|(name, noise)| {
            (0..seeds).map(move |seed| {
                let words =
                    format!("custom,iops=1000,bandwidth=60MiB/s,latency=2ms,{noise},seed={}", seed + 101);
                (*name, words)
            })
        })
        .collect();
    let all = each(&cases, look);
    let mut table = Table::default();
    for (name, _) in NOISES {
        let answers: Vec<&(f64, Answer)> =
            all.iter().filter(|(other, ..)| other == name).flat_map(|(_, answers, _)| answers).collect();
        for share in SHARES {
            let of = |answer: Answer| {
                let given = answers.iter().filter(|(at, _)| *at == share);
                let as_asked = given.clone().filter(|(_, given)| *given == answer).count();
                format!("{:.1} %", 100.0 * as_asked as f64 / given.count().max(1) as f64)
            };
            let figures = format!(
                "meets {}, below {}, exceeds {}, cannot tell {}",
                of(Answer::Meets),
                of(Answer::Below),
                of(Answer::Exceeds),
                of(Answer::CannotTell)
            );
            table.figures.insert(format!("noise {name}, delivers {:.0} %", share * 100.0), figures);
        }
    }
    all.into_iter().for_each(|(_, _, more)| table.merge(more));
    table.conclude("margins", cases.len());
}

/// A check that knows its claim: noise, share, whether it was decided, and seconds.
fn decide(
    (name, words, share, claim): &(&'static str, String, f64, String),
) -> (&'static str, f64, bool, f64, Table) {
    let mut table = Table::default();
    let checked = CheckedVolume::of(words, claim);
    let answers = judge_claim(&checked, claim, *share, &mut table);
    let seconds = checked.run.steps.last().map_or(0.0, |last| last.ended.as_secs_f64());
    (name, *share, answers.iter().all(|answer| *answer != Answer::CannotTell), seconds, table)
}

#[test]
fn decided() {
    let seeds = count(USUAL);
    let mut cases = Vec::new();
    for (name, noise) in DECIDED_NOISES {
        for (at, share) in DECIDED.into_iter().enumerate() {
            for seed in 0..seeds {
                let seed = 1000 + 100 * at + seed;
                let words = format!("custom,iops=1000,bandwidth=60MiB/s,latency=2ms,{noise},seed={seed}");
                cases.push((*name, words.clone(), share, format!("read {:.1} iops", IOPS / share)));
                cases.push((*name, words, share, format!("read {:.2} MiB/s", MIB / share)));
            }
        }
    }
    let all = each(&cases, decide);
    let mut table = Table::default();
    for (name, _) in DECIDED_NOISES {
        for share in DECIDED {
            let of: Vec<_> = all.iter().filter(|one| one.0 == *name && one.1 == share).collect();
            let decided = of.iter().filter(|one| one.2).count();
            let mut seconds: Vec<f64> = of.iter().map(|one| one.3).collect();
            seconds.sort_by(f64::total_cmp);
            let figures =
                format!("decided {decided} of {}, median {:.0} s", of.len(), seconds[seconds.len() / 2]);
            table.figures.insert(format!("noise {name}, delivers {:.0} %", share * 100.0), figures);
        }
    }
    all.into_iter().for_each(|one| table.merge(one.4));
    table.conclude("decided", cases.len());
}
