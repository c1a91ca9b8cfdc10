//! Caps that rise and fall in turns: no claim above their mean is met, and the change is named if both levels were
//! seen.

use workload::Direction;

use crate::checked::{Against, CheckedVolume, each, numbers};
use crate::judge::Judgement;
use crate::table::Table;
use crate::told;
use crate::volume::judge_claim;

/// High and low time of a wave, in seconds: from two seconds to a minute and a half.
const WAVES: &[(u32, u32)] = &[
    (2, 2),
    (3, 3),
    (4, 6),
    (5, 5),
    (6, 12),
    (7, 11),
    (10, 10),
    (10, 20),
    (20, 10),
    (20, 20),
    (30, 30),
    (45, 15),
    (60, 60),
    (90, 90),
];
/// Seconds at a stretch for which both levels must have been seen.
const SEEN: f64 = 5.0;
/// Seconds between two steps up to which they count as one stretch.
const PAUSE: f64 = 0.1;
/// Factor of the mean above which a claim is false.
const ABOVE: f64 = 1.05;

/// A wave of one volume.
struct Wave {
    high: f64,
    low: f64,
    share: f64,
    phase: f64,
    words: String,
}

impl Wave {
    fn new(number: usize) -> Wave {
        let (high, low) = WAVES[number % WAVES.len()];
        let round = number / WAVES.len();
        let share = [0.5, 0.7, 0.25, 0.85][round % 4];
        // The cycles start at any phase.
        let phase = (number * 7 % (high + low) as usize) as f64;
        let (iops, latency) = [(1000, "0.8ms"), (600, "2ms"), (2000, "0.5ms")][number % 3];
        let words = format!(
            "custom,iops={iops},bandwidth={}MiB/s,latency={latency},cap_low={}%,wave={high}s/{low}s,wave_phase={phase}s,seed={}",
            iops / 20,
            share * 100.0,
            number + 1
        );
        Wave { high: f64::from(high), low: f64::from(low), share, phase, words }
    }

    fn mean(&self) -> f64 {
        (self.high + self.low * self.share) / (self.high + self.low)
    }

    fn is_high(&self, time: f64) -> bool {
        (time + self.phase) % (self.high + self.low) < self.high
    }

    /// Returns the longest stretches of successive saturating steps that were high, and that were low, in seconds.
    fn seen(&self, checked: &CheckedVolume) -> (f64, f64) {
        let (mut longest, mut now, mut last) = ([0.0f64; 2], [0.0f64; 2], 0.0);
        for step in checked.saturating() {
            let (from, to) = (step.started.as_secs_f64(), step.ended.as_secs_f64());
            if from > last + PAUSE {
                now = [0.0; 2];
            }
            for tenth in 0..((to - from) * 10.0) as usize {
                let high = usize::from(self.is_high(from + tenth as f64 / 10.0));
                now[high] += 0.1;
                now[1 - high] = 0.0;
                longest[high] = longest[high].max(now[high]);
            }
            last = to;
        }
        (longest[1], longest[0])
    }
}

fn judge(wave: &Wave) -> Table {
    let mut table = Table::default();
    let iops: f64 = crate::volume::typed(&wave.words, "iops").unwrap().parse().unwrap();
    let checked = CheckedVolume::of(&wave.words, "");
    for claim in [1.0, 1.0f64.min(wave.mean() * 1.1)] {
        let share = wave.mean() / claim;
        if share < 1.0 / ABOVE {
            judge_claim(&checked, &format!("read {:.0} iops", iops * claim), share, &mut table);
        }
    }
    let found = checked.analysis(&Against::Nothing);
    let command = checked.command(&Against::Nothing);
    let changes = told::changes(&found);
    let (high, low) = wave.seen(&checked);
    if high >= SEEN && low >= SEEN {
        let judged = if changes.is_empty() { Judgement::Missed } else { Judgement::Right };
        let what = || format!("saw {high:.0} s high at a stretch and {low:.0} s low");
        table.add("change named", judged, (&command, &what));
    } else if wave.high.min(wave.low) < SEEN {
        let judged = if changes.is_empty() { Judgement::HeldBack } else { Judgement::Right };
        table.add("change below five seconds named", judged, (&command, &String::new));
    }
    for direction in [Direction::Read, Direction::Write] {
        let told = told::operations(&found, direction).filter(|told| !told.at_least);
        // Either level, or their mean: anything else is no rate of this volume.
        let levels = [1.0, wave.share, wave.mean()].map(|share| share * iops);
        let judged = match told {
            None => Judgement::Open,
            Some(told) if levels.iter().any(|level| told.agrees(*level)) => Judgement::Right,
            Some(told) if told.is_sure() => Judgement::SureWrong,
            Some(_) => Judgement::Wrong,
        };
        let what = || format!("{direction:?} {told:?}, levels {levels:?}");
        table.add("cap is one of the levels", judged, (&command, &what));
    }
    table
}

#[test]
fn waves() {
    let cases: Vec<Wave> = numbers(3 * WAVES.len()).map(Wave::new).collect();
    Table::of(each(&cases, judge)).conclude("waves", cases.len());
}
