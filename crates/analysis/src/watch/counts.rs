//! Counts of a watched device, as the test for a meter takes them.

use statistics::metered::{COUNTS_MANY, Count, Window};
use statistics::quantile::median;

use super::ticks::Tick;

/// Least length of a count in seconds: the slices of a meter are shorter (method 5.1).
const CELL_S: f64 = 0.5;
/// Share of a clean reading for which the device is busy.
const BUSY: f64 = 0.985;
/// Least queue of a clean reading, as a share of the usual one: with less, too little I/O was requested.
const QUEUE: f64 = 0.9;
/// Share of readings that must be clean, and fewest of them; otherwise all count that have `SHORT` of the usual queue
/// and of busy time.
const ENOUGH: f64 = 0.25;
const FEWEST: usize = 8;
const SHORT: f64 = 0.5;

/// Returns the counts that `of` takes of adjoining readings, each for one length of work; a count is clean if as much
/// I/O was requested as usual.
pub(crate) fn counts(ticks: &[Tick], of: impl Fn(&Tick) -> f64) -> Window {
    let usual = median(&ticks.iter().map(|tick| tick.seconds).collect::<Vec<f64>>()).unwrap_or(CELL_S);
    let many = readings(usual);
    let seconds = many * usual;
    let each: Vec<(&Tick, bool)> = ticks.iter().zip(asked(ticks)).collect();
    let count = |cell: &[(&Tick, bool)]| {
        let sum = |of: &dyn Fn(&Tick) -> f64| cell.iter().map(|(tick, _)| of(tick)).sum::<f64>();
        let number = sum(&of) / sum(&working) * seconds;
        Count { number, clean: number.is_finite() && cell.iter().all(|(_, asked)| *asked) }
    };
    Window { seconds, counts: each.chunks(many as usize).map(count).collect(), ..of_seconds(&[]) }
}

/// Returns the number of readings in a count if they are `each` seconds apart.
fn readings(each: f64) -> f64 {
    (CELL_S / each).ceil().max(1.0)
}

/// Returns the seconds for which a meter must limit the rate to be detected if readings are `each` seconds apart.
pub(crate) fn least_s(each: f64) -> f64 {
    COUNTS_MANY as f64 * each * readings(each)
}

/// Returns the counts per second of plimsoll's own load.
pub(crate) fn of_seconds(each: &[f64]) -> Window {
    let counts = each.iter().map(|&number| Count { number, clean: true }).collect();
    Window { seconds: 1.0, depth: 1.0, unit: 1.0, counts }
}

/// Returns the seconds of an interval in which the device had work: time without a CPU for its programs shows no meter. A meter lets I/O
/// pass by the clock, also in the moments in which a full device has nothing in flight.
fn working(tick: &Tick) -> f64 {
    if tick.busy.is_nan() || tick.busy >= BUSY { tick.seconds } else { tick.seconds * tick.busy }
}

/// Returns whether each reading had the usual requests: programs that lack a CPU leave a device without work.
fn asked(ticks: &[Tick]) -> Vec<bool> {
    let queues: Vec<f64> = ticks.iter().map(|tick| tick.queue).filter(|queue| queue.is_finite()).collect();
    let Some(usual) = median(&queues) else { return vec![true; ticks.len()] };
    let those = |busy: f64, queue: f64| -> Vec<bool> {
        ticks.iter().map(|tick| tick.queue >= queue * usual && tick.busy >= busy).collect()
    };
    let clean = those(BUSY, QUEUE);
    let count = clean.iter().filter(|clean| **clean).count();
    let enough = count >= FEWEST && count as f64 >= ENOUGH * ticks.len() as f64;
    if enough { clean } else { those(SHORT, SHORT) }
}

/// Returns the ticks with as much I/O requested as usual.
pub(crate) fn asked_ticks(ticks: &[Tick]) -> impl Iterator<Item = &Tick> {
    ticks.iter().zip(asked(ticks)).filter(|(_, asked)| *asked).map(|(tick, _)| tick)
}
