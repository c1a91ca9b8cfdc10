//! Start and end of each report's interval, derived from the reports.

use workload::Nanos;

use super::clock::Times;
use super::keys::Column;
use super::sheet::Sheet;

/// The intervals of a host's reports.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Spans {
    /// The first report that is kept: 1 if there is a report since boot, which is dropped.
    pub first: usize,
    /// Start and end on the run's clock, one pair for each kept report, ascending.
    pub intervals: Vec<(Nanos, Nanos)>,
    /// Milliseconds since 1970 at which the run's clock showed zero; zero if unknown.
    pub started_unix_ms: u64,
    /// Notes on assumptions.
    pub notes: Vec<String>,
}

/// Seconds assumed for an interval if nothing shows its length.
const UNKNOWN: f64 = 1.0;

/// Returns the intervals of the reports in `sheet`, with their printed times `times`.
pub(super) fn spans(sheet: &Sheet, times: Times) -> Spans {
    let lengths = lengths(sheet);
    let seconds: Vec<Option<f64>> = times.unix_ms.iter().map(|ms| ms.map(|ms| ms as f64 / 1e3)).collect();
    let steps = seconds.windows(2).filter_map(|pair| Some(pair[1]? - pair[0]?)).filter(|step| *step > 0.0);
    let amounts = || lengths.iter().skip(1).copied().flatten();
    let named = sheet.command.map(|command| command.interval_s);
    let usual = median(steps.collect()).or(named).or_else(|| median(amounts().collect()));
    let mut spans = Spans { notes: times.notes, ..Spans::default() };
    spans.first = usize::from(is_since_boot(sheet, &lengths, usual));
    let assumed = usual.or(lengths.first().copied().flatten().filter(|_| spans.first == 0));
    if assumed.is_none() && sheet.reports.len() > spans.first {
        spans.notes.push("the reports have no times, and nothing tells how far apart they are: each is drawn as one second".to_owned());
    }
    let usual = assumed.unwrap_or(UNKNOWN);
    let lengths = if named.is_some() { vec![None; lengths.len()] } else { lengths };
    let mut clock = Clock::new(&seconds, spans.first, usual);
    for report in spans.first..sheet.reports.len() {
        spans.intervals.push(clock.next(seconds[report], lengths[report]));
    }
    spans.notes.extend(clock.notes());
    if let Some(start) = clock.zero.filter(|_| !times.is_undated) {
        spans.started_unix_ms = (start * 1e3).max(0.0) as u64;
    }
    spans
}

/// Whether the first report covers the time since boot and is not an interval. It covers that time unless `-y` was
/// given, which leaves an empty line or a comma before the report, or its amounts and rates show that it is as long
/// as the others.
fn is_since_boot(sheet: &Sheet, lengths: &[Option<f64>], usual: Option<f64>) -> bool {
    let times_usual = lengths.first().copied().flatten().zip(usual).map(|(first, usual)| first / usual);
    let as_others = times_usual.is_some_and(|times| times < 1.5 && times > 0.5);
    // Amounts over much more than an interval show what a missing line of the host would show.
    let is_long = times_usual.is_some_and(|times| times > 10.0);
    if let Some(command) = sheet.command.filter(|_| sheet.said.is_empty()) {
        // The host's line is missing; if there are as many reports as the command requested, the first one is among
        // them.
        return !command.skips_boot && command.count.is_some_and(|count| count == sheet.reports.len());
    }
    let left_out = (sheet.skips_boot && !is_long) || sheet.command.is_some_and(|command| command.skips_boot);
    !left_out && !as_others
}

/// Returns the lengths of the reports' intervals if amounts are printed beside rates: the greatest amount divided
/// by its rate, in whole seconds, because iostat's intervals are whole seconds.
fn lengths(sheet: &Sheet) -> Vec<Option<f64>> {
    let mut best: Vec<(f64, Option<f64>)> = vec![(0.0, None); sheet.reports.len()];
    for device in &sheet.devices {
        for (key, amounts) in sheet.keys.iter().zip(&device.columns) {
            let Some(Column::Amount(of, worth)) = key.column else { continue };
            let rate = sheet.keys.iter().position(|key| matches!(key.column, Some(Column::Throughput(metric, unit)) if metric == of && unit == worth));
            let Some(rates) = rate.and_then(|rate| device.columns.get(rate)) else { continue };
            for ((best, &amount), &rate) in best.iter_mut().zip(amounts).zip(rates) {
                *best = better(*best, amount, rate);
            }
        }
    }
    best.into_iter().map(|(_, length)| length).collect()
}

/// Returns `amount` and the length derived from it if the amount is greater than that of `best`, else `best`.
fn better(best: (f64, Option<f64>), amount: f64, rate: f64) -> (f64, Option<f64>) {
    // An amount is a whole number of units: below ten, the length could be off by more than a twentieth.
    let is_better = amount > best.0.max(10.0) && rate > 0.0 && amount < 1e18;
    if is_better { (amount, Some((amount / rate).round().max(1.0))) } else { best }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// A clock that only advances from report to report, even if the printed clock was set back.
struct Clock {
    /// The printed time that is zero on the run's clock.
    zero: Option<f64>,
    /// End of the last interval on the run's clock.
    at: f64,
    usual: f64,
    /// Seconds added to printed times since the clock was set back.
    shift: f64,
    set_back: u32,
    without_time: u32,
    any_time: bool,
}

impl Clock {
    fn new(seconds: &[Option<f64>], first: usize, usual: f64) -> Clock {
        let time_of = |report: usize| seconds.get(report).copied().flatten();
        // The time of the report since boot is the start of the first interval.
        let boot_report = first.checked_sub(1).and_then(time_of);
        let any_time = seconds.iter().any(Option::is_some);
        Clock {
            zero: boot_report.or_else(|| time_of(first).map(|end| end - usual)),
            at: 0.0,
            usual,
            shift: 0.0,
            set_back: 0,
            without_time: 0,
            any_time,
        }
    }

    fn next(&mut self, time: Option<f64>, length: Option<f64>) -> (Nanos, Nanos) {
        let from = self.at;
        let guess = from + length.filter(|_| !self.any_time).unwrap_or(self.usual);
        let printed = time.zip(self.zero).map(|(time, zero)| time - zero + self.shift);
        self.at = match printed {
            Some(to) if to > from => to,
            // Times are whole seconds, so two reports may show the same one.
            Some(to) if from - to <= 2.0 * self.usual.max(1.0) => guess,
            Some(to) => {
                self.shift += guess - to;
                self.set_back += 1;
                guess
            }
            None => {
                self.without_time += u32::from(self.any_time);
                guess
            }
        };
        (nanos(from), nanos(self.at))
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.set_back {
            0 => {}
            1 => notes.push("the clock was set back while iostat ran; the time goes on as if it had not been".to_owned()),
            times => notes.push(format!("the clock was set back {times} times while iostat ran; the time goes on as if it had not been")),
        }
        match self.without_time {
            0 => {}
            1 => notes
                .push("one report has no time that could be read; the usual interval is taken".to_owned()),
            many => notes
                .push(format!("{many} reports have no time that could be read; the usual interval is taken")),
        }
        notes
    }
}

fn nanos(seconds: f64) -> Nanos {
    // Seconds since 1970 have no more digits than these.
    Nanos(((seconds.max(0.0) * 1e6).round() as u64).saturating_mul(1000))
}
