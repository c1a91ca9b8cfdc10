//! Every policy of the catalogue with all its choices, at three settings of latency and jitter.

use policy::{Bucket, Catalogue, Level, Limits, Policy};
use workload::PolicyName;

use crate::checked::{Against, CheckedVolume, each, is_full};
use crate::judge::{Judgement, answer};
use crate::table::Table;
use crate::volume::Volume;

/// Latency of one I/O, and its coefficient of variation.
const SETTINGS: [(&str, &str); 3] = [("0.8ms", "0.1"), ("0.3ms", "0.3"), ("4ms", "0.5")];
/// Sizes in GiB for policies that depend on it, as far as they allow them.
const SIZES: [u64; 4] = [100, 334, 1000, 4000];
/// Operations a second above which a volume is left to the full gate, because its simulation takes long.
const QUICK_MOST: f64 = 8_000.0;
/// Seconds by which a burst outlasts a check, so that the burst is all that the check can see.
const BEYOND: f64 = 400.0;

/// Returns the words for every choice, with an example of each required figure.
pub fn choices(policy: &Policy) -> Vec<String> {
    let required = policy.required_parameters();
    let mut all = vec![policy.id.clone()];
    for parameter in policy.parameters.iter().filter(|one| required.contains(&one.name.as_str())) {
        let words: Vec<String> = match (parameter.name.as_str(), parameter.choices.is_empty()) {
            (_, false) => parameter.choices.clone(),
            ("size", true) => SIZES.iter().map(|size| format!("{size}GiB")).collect(),
            (_, true) => vec![parameter.example()],
        };
        let with = |before: &String, word: &String| format!("{before},{}={word}", parameter.name);
        all =
            all.iter().flat_map(|one| words.iter().map(|word| with(one, word)).collect::<Vec<_>>()).collect();
    }
    all.retain(|words| policy::evaluate(&PolicyName::parse(words).unwrap()).is_ok());
    all
}

/// Returns how long the shortest burst lasts at full load, in seconds; infinite without one.
fn burst(limits: &Limits) -> f64 {
    let of = |limit: &policy::Limit| match limit.burst {
        None => f64::INFINITY,
        Some(burst) => match burst.bucket {
            Bucket::Tokens { initial, .. } => initial / (burst.rate - limit.baseline),
            Bucket::Timed { lasts, .. } => lasts.map_or(60.0, |lasts| lasts.as_secs_f64()),
            Bucket::UnlimitedPaid => f64::INFINITY,
            Bucket::Unknown => 60.0,
        },
    };
    limits.limits.iter().map(of).fold(f64::INFINITY, f64::min)
}

fn judge(words: &str) -> Table {
    let mut table = Table::default();
    let checked = CheckedVolume::of(words, "");
    let volume = Volume::of(words, Level::Burst);
    let limits = checked.limits().unwrap();
    if burst(&limits) > BEYOND {
        volume.judge(&checked, &mut table);
        return table;
    }
    // It may change during the run: what is left is the baseline, and nothing may be reported as less or more than
    // that.
    let found = checked.analysis(&Against::Itself);
    for row in &found.verdict.rows {
        let judged = answer(row.answer, 1.0);
        let what = || format!("{}: {:?} by {:?}", row.what, row.answer, row.measured);
        let judged = if judged == Judgement::HeldBack { Judgement::Open } else { judged };
        table.add("held against itself", judged, (&checked.command(&Against::Itself), &what));
    }
    table
}

#[test]
fn catalogue() {
    let all: Vec<Vec<String>> = Catalogue::builtin().list().iter().map(choices).collect();
    let settings = |words: &String, which: &[(&str, &str)]| -> Vec<String> {
        which.iter().map(|(latency, jitter)| format!("{words},latency={latency},jitter={jitter}")).collect()
    };
    let mut cases: Vec<String> = Vec::new();
    for (number, words) in all.iter().enumerate() {
        if is_full() {
            cases.extend(words.iter().flat_map(|words| settings(words, &SETTINGS)));
            continue;
        }
        let slow = |words: &&String| {
            let limits = policy::evaluate(&PolicyName::parse(words).unwrap()).unwrap();
            let cap = limits.cap_iops(workload::Direction::Read, workload::Bytes::kib(4), Level::Burst);
            cap.is_some_and(|cap| cap.0 <= QUICK_MOST)
        };
        let one = words.iter().find(slow);
        cases.extend(one.into_iter().flat_map(|words| settings(words, &[SETTINGS[number % 3]])));
    }
    assert!(cases.len() > 25, "{}", cases.len());
    Table::of(each(&cases, |words| judge(words))).conclude("catalogue", cases.len());
}
