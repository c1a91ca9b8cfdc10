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
