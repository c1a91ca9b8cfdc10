//! Nights of checks in run files: how often a volume that has become 3 % slower is found within three nights, and how often
//! a trend alarms although the volume stays as it is.

use std::path::Path;

use analysis::trend::{TrendAsk, TrendOutcome, TrendRun, trend};
use statistics::Stream;
use workload::ProcedureRequest;

use crate::checked::{CheckedVolume, each, numbers};

const NIGHTS: usize = 30;
/// Deviation of the volume's level from night to night. Within a night, its rate varies by 2 % from second to second.
const BETWEEN: f64 = 0.005;
const ASK: TrendAsk = TrendAsk { by: 0.03, last: usize::MAX };

/// Milliseconds of a day, and a first of January.
const DAY_MS: u64 = 86_400_000;
const BEGAN_MS: u64 = 1_767_225_600_000;

/// Checks the volume of a series on a night, stores the run, reads it back, and takes what a trend needs of it.
fn night(folder: &Path, (series, at): (usize, usize), slower: f64) -> TrendRun {
    let level = (BETWEEN * Stream::new(series as u64, at as u64).normal()).exp() * (1.0 - slower);
    let (iops, bandwidth) = (3000.0 * level, (125.0 * 1024.0 * level).round());
    let seed = 1000 * series + at;
    let words = format!("custom,iops={iops:.1},bandwidth={bandwidth}KiB/s,noise=2%,seed={seed}");
    let mut run = CheckedVolume::of(&words, "").run;
    run.asked = Some(ProcedureRequest::Check(Box::default()));
    run.started_unix_ms = BEGAN_MS + at as u64 * DAY_MS;
    let path = folder.join(format!("{series}-{at}-{slower}.plimsoll"));
    runfile::write(runfile::at(&path), &run).unwrap();
    let read = runfile::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    TrendRun::of(path.display().to_string(), read)
}

fn is_alarm(runs: &[TrendRun]) -> bool {
    trend(runs.to_vec(), ASK).is_some_and(|found| found.outcome == TrendOutcome::Worse)
}

/// Returns whether any of thirty nights gave an alarm, and whether the first alarm came in the three nights of a fall.
fn judged(folder: &Path, series: usize) -> (bool, bool) {
    let calm: Vec<TrendRun> = (0..NIGHTS).map(|at| night(folder, (series, at), 0.0)).collect();
    let alarms: Vec<usize> = (1..=NIGHTS).filter(|nights| is_alarm(&calm[..*nights])).collect();
    let falls = 14 + series % 14;
    let mut runs = calm[..falls].to_vec();
    let is_early = alarms.first().is_some_and(|nights| *nights <= falls);
    let found = (falls..falls + 3).any(|at| {
        runs.push(night(folder, (series, at), 0.03));
        is_alarm(&runs)
    });
    (!alarms.is_empty(), found && !is_early)
}

/// Series of a full gate; of each four, one runs on every change.
const SERIES: usize = 8;

#[test]
fn a_volume_that_has_become_3_per_cent_slower_is_found_within_three_nights() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<usize> = numbers(SERIES).collect();
    let judged = each(&all, |series| judged(folder.path(), *series));
    let (alarms, found) = (judged.iter().filter(|of| of.0).count(), judged.iter().filter(|of| of.1).count());
    println!(
        "{} series: {alarms} with an alarm without a fall, {found} of the falls by 3 % found",
        all.len()
    );
    assert!(alarms * 100 <= all.len() && found * 100 >= 95 * all.len(), "{judged:?}");
}
