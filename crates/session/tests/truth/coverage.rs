//! How often the printed intervals contain the truth, and how far caps are off on average, on a cap that wanders.

use analysis::Estimate;
use workload::Direction;

use crate::checked::{Against, CheckedVolume, count, each};
use crate::judge::Judgement;
use crate::table::Table;
use crate::told;

/// Seeds of a setting in the daily test.
const USUAL: usize = 3;
/// Nominal cap on operations, around which it wanders.
const IOPS: f64 = 1000.0;
/// Nominal cap on bytes, around which it wanders.
const BYTES: f64 = 60.0 * 1048576.0;
/// Depth from which the cap rather than the latency limits a step: twice what fills it.
const FULL: u32 = 4;

/// Names and words of the kinds of noise.
const NOISES: &[(&str, &str)] = &[
    ("none", "jitter=0.1"),
    ("1 %, rho 0", "noise=1%"),
    ("5 %, rho 0", "noise=5%"),
    ("5 %, rho 0.3", "noise=5%,rho=0.3"),
    ("5 %, rho 0.6", "noise=5%,rho=0.6"),
    ("5 %, rho 0.8", "noise=5%,rho=0.8"),
    ("10 %, rho 0.6", "noise=10%,rho=0.6"),
    ("1 %, slow 2 % over 60 s", "noise=1%,slow=2%,slow_over=60s"),
    ("1 %, slow 5 % over 60 s", "noise=1%,slow=5%,slow_over=60s"),
    ("1 %, slow 2 % over 300 s", "noise=1%,slow=2%,slow_over=300s"),
    ("1 %, slow 5 % over 300 s", "noise=1%,slow=5%,slow_over=300s"),
    ("flicker 3 %", "flicker=3%"),
];

/// What the intervals of one run say about their truth.
#[derive(Default)]
struct IntervalTally {
    /// Caps that were reported: value and interval as shares of the truth.
    caps: Vec<Estimate>,
    /// Steps at the cap, likewise.
    steps: Vec<Estimate>,
    /// Number of caps that were left open.
    open: usize,
    table: Table,
}

fn share(of: Estimate, truth: f64) -> Estimate {
    Estimate { value: of.value / truth, low: of.low / truth, high: of.high / truth }
}

fn covers(of: &Estimate) -> bool {
    // Printed figures have few digits, so an error of one in ten thousand does not count.
    of.low <= 1.0 + 1e-4 && of.high >= 1.0 - 1e-4
}

fn look((name, words): &(&'static str, String)) -> (&'static str, IntervalTally) {
    let mut seen = IntervalTally::default();
    let checked = CheckedVolume::of(words, "");
    let found = checked.analysis(&Against::Nothing);
    let command = checked.command(&Against::Nothing);
    for direction in [Direction::Read, Direction::Write] {
        for (told, truth) in
            [(told::operations(&found, direction), IOPS), (told::bytes(&found, direction), BYTES)]
        {
            let Some(told) = told.filter(|told| !told.at_least) else {
                seen.open += 1;
                continue;
            };
            let cap = share(Estimate { value: told.value, low: told.low, high: told.high }, truth);
            let judged = if covers(&cap) { Judgement::Right } else { Judgement::Wrong };
            let what = || format!("{direction:?}, noise {name}: {cap:?} of the truth");
            seen.table.add("interval of a cap", judged, (&command, &what));
            seen.caps.push(cap);
        }
        let at_cap = found.depths.iter().filter(|point| point.direction == direction && point.depth >= FULL);
        for point in at_cap {
            let step = share(point.iops, IOPS);
            let judged = if covers(&step) { Judgement::Right } else { Judgement::Wrong };
            let what = || format!("{}, noise {name}: {step:?} of the truth", point.step);
            seen.table.add("interval of a step", judged, (&command, &what));
            seen.steps.push(step);
        }
    }
    (name, seen)
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "none".to_owned() } else { format!("{:.0} %", 100.0 * part as f64 / whole as f64) }
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count().max(1);
    values.sum::<f64>() / count as f64
}

#[test]
fn coverage() {
    let seeds = count(USUAL);
    let cases: Vec<(&'static str, String)> = NOISES
        .iter()
        .flat_map(|(name, noise)| {
            (0..seeds).map(move |seed| {
                let words =
                    format!("custom,iops=1000,bandwidth=60MiB/s,latency=2ms,{noise},seed={}", seed + 1);
                (*name, words)
            })
        })
        .collect();
    let all = each(&cases, look);
    let mut table = Table::default();
    for (name, _) in NOISES {
        let of = || all.iter().filter(|(other, _)| other == name).map(|(_, seen)| seen);
        let (caps, steps): (Vec<_>, Vec<_>) =
            (of().flat_map(|seen| &seen.caps).collect(), of().flat_map(|seen| &seen.steps).collect());
        let held = |of: &[&Estimate]| of.iter().filter(|one| covers(one)).count();
        let figures = format!(
            "caps: {} of {} hold the truth, bias {:+.2} %, mean ± {:.2} %, {} open; steps: {} of {}",
            percent(held(&caps), caps.len()),
            caps.len(),
            100.0 * (mean(caps.iter().map(|cap| cap.value)) - 1.0),
            100.0 * mean(caps.iter().map(|cap| cap.half_width())),
            of().map(|seen| seen.open).sum::<usize>(),
            percent(held(&steps), steps.len()),
            steps.len(),
        );
        table.figures.insert(format!("noise {name}"), figures);
    }
    all.into_iter().for_each(|(_, seen)| table.merge(seen.table));
    table.conclude("coverage", cases.len());
}
