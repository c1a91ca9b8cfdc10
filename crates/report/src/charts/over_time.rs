//! The run against time: requested and achieved rates, bandwidth, latency, with the phases of the run as bands.

use std::borrow::Cow;

use analysis::findings::{BandwidthCap, IopsCap};
use analysis::{Analysis, ClaimRow, Meaning, Quantity, in_whole_pulses};
use record::{Interval, Phase, PhaseKind, Run, StepRecord};
use workload::{Direction, StepKind};

use super::axis::Axis;
use super::chart::Chart;
use super::ink::Ink;
use super::panel::{Band, Level, Line, Panel, Segment, Shade, Side, WIDTH};
use super::panels::draw;
use super::timeline::Timeline;
use crate::words::Table;
use crate::words::claims::unit_of;
use crate::words::numbers::{self, Prefix, Unit};
use crate::words::progress::ending;
use crate::words::sentence::{capital, plural};
use crate::words::step_kind::kind_words;

/// Most points of one series; longer series are drawn as the least and greatest value of each bucket.
pub(crate) const POINTS_MAX: usize = 2_000;

/// Returns operations a second against time; `None` if nothing was recorded.
pub fn rate(run: &Run, analysis: &Analysis) -> Option<Chart> {
    let value = |interval: &Interval, direction| per_second(interval, interval.of(direction).tally.ops);
    let lines = lines(run, &value, &[Direction::Read, Direction::Write, Direction::Flush]);
    let levels = claimed(run, analysis, Quantity::Iops);
    let top = Panel::top(&lines).max(highest_level(&levels)) * 1.06;
    let y = Axis::linear(0.0, top, 6, numbers::count);
    let y = Side::new("operations a second", y);
    TimeChart { levels, ..timed(run, "Operations a second against time", y, lines) }
        .chart(run, rate_table(run))
}

/// Returns bytes a second against time; `None` if nothing was recorded.
pub fn bandwidth(run: &Run, analysis: &Analysis) -> Option<Chart> {
    let unit = chart_unit(run, analysis);
    let value = |interval: &Interval, direction| {
        per_second(interval, interval.of(direction).tally.bytes) / unit.factor
    };
    let lines = lines(run, &value, &[Direction::Read, Direction::Write]);
    let mut levels = claimed(run, analysis, Quantity::BytesPerSecond);
    levels.iter_mut().for_each(|level| level.value /= unit.factor);
    let top = Panel::top(&lines).max(highest_level(&levels)) * 1.06;
    let y = Axis::linear(0.0, top, 4, numbers::figure);
    let y = Side::new(format!("bandwidth ({})", unit.name), y);
    TimeChart { levels, ..timed(run, "Bandwidth against time", y, lines) }
        .chart(run, bandwidth_table(run, unit))
}

/// Returns mean and 99th percentile of the latency against time; `None` if nothing was recorded.
pub fn latency(run: &Run, analysis: &Analysis) -> Option<Chart> {
    let directions = [Direction::Read, Direction::Write, Direction::Flush];
    let tail = |interval: &Interval, direction| {
        interval.of(direction).latency.percentile(99.0).map_or(f64::NAN, |time| time as f64)
    };
    let mean =
        |interval: &Interval, direction| interval.of(direction).tally.latency_ns_mean().unwrap_or(f64::NAN);
    let mut all = lines(run, &tail, &directions[..2]);
    for line in &mut all {
        line.ink = if line.ink == Ink::Read { Ink::ReadTail } else { Ink::WriteTail };
        line.name.clear();
    }
    all.extend(lines(run, &mean, &directions));
    let levels = claimed_latency(run, analysis);
    let points = all.iter().flat_map(Line::points).map(|point| point.1);
    let (low, high) = range(points)?;
    let (low, high) = with_levels((low, high), &levels);
    let y = Side::new("mean latency, dashed: 99th percentile", time_axis(low, high));
    let chart = timed(run, "Latency against time: mean and 99th percentile", y, all);
    TimeChart { levels, ..chart }.chart(run, latency_table(run))
}

/// A chart over the run's time: one panel, with the phases of the run as bands.
pub(crate) struct TimeChart<'t> {
    pub title: &'t str,
    /// Title, followed by the length of the run or a pointer to the figures.
    pub description: String,
    pub y: Side,
    pub lines: Vec<Line>,
    pub levels: Vec<Level>,
    /// Height of the panel, in pixels.
    pub height: i32,
}

impl TimeChart<'_> {
    /// Returns the chart with `table` as its figures; `None` if there is no line to draw.
    pub fn chart(mut self, run: &Run, table: Table) -> Option<Chart> {
        self.lines.retain(|line| !line.is_empty());
        if self.lines.is_empty() {
            return None;
        }
        let clock = Clock::of(run);
        let panel = Panel {
            levels: self.levels,
            bands: phases(run, &clock),
            ..Panel::of(Side::new(clock.title(), clock.axis()), self.y, self.lines)
        };
        let drawing = draw(self.title, &self.description, self.height, &[panel]);
        Some(Chart::of(self.title, drawing, table))
    }
}

/// Returns a chart of the run's own load against time.
fn timed<'t>(run: &Run, title: &'t str, y: Side, lines: Vec<Line>) -> TimeChart<'t> {
    let length = Clock::of(run).length();
    let description = format!("{title}, over {length}. The table below has the figures.");
    TimeChart { title, description, y, lines, levels: Vec::new(), height: 230 }
}

/// The run's clock, in the unit that suits its length.
pub(crate) struct Clock {
    end_s: f64,
    factor: f64,
    unit: &'static str,
    /// Time axis shared with the other charts of the page, if the machine was watched.
    line: Option<Timeline>,
}

impl Clock {
    pub(crate) fn of(run: &Run) -> Clock {
        let steps = run.steps.iter().map(|step| step.ended);
        let end = steps.chain(run.samples.iter().map(|sample| sample.at)).max().unwrap_or_default();
        let line = (!run.phases.is_empty()).then(|| Timeline::of(run, workload::Nanos::ZERO, end));
        match line {
            Some(line) => Clock { end_s: end.as_secs_f64(), factor: 1.0, unit: "s", line: Some(line) },
            None => Clock::until(end.as_secs_f64()),
        }
    }

    /// Returns a clock from zero to `end_s`.
    pub(crate) fn until(end_s: f64) -> Clock {
        let (factor, unit) = match end_s {
            long if long > 10_800.0 => (3600.0, "h"),
            middle if middle > 600.0 => (60.0, "min"),
            _ => (1.0, "s"),
        };
        Clock { end_s, factor, unit, line: None }
    }

    pub(crate) fn place(&self, seconds: f64) -> f64 {
        seconds / self.factor
    }

    pub(crate) fn axis(&self) -> Axis {
        let own = || Axis::linear(0.0, self.end_s / self.factor, 10, numbers::figure);
        self.line.map_or_else(own, |line| line.axis(WIDTH))
    }

    pub(crate) fn title(&self) -> String {
        let own = || format!("time since the start ({})", self.unit);
        self.line.map_or_else(own, |line| line.title())
    }

    fn length(&self) -> String {
        numbers::span(self.end_s)
    }
}

/// Returns the full intervals of a step, merged over its jobs, ramp included. Intervals shorter than the pulses of
/// a throttle are merged as in the analysis.
pub(crate) fn merged(step: &StepRecord) -> Vec<Cow<'_, Interval>> {
    let mut merged: Vec<Cow<'_, Interval>> = Vec::new();
    for interval in step.full() {
        match merged.last_mut() {
            Some(last) if last.start == interval.start => last.to_mut().merge(interval),
            _ => merged.push(Cow::Borrowed(interval)),
        }
    }
    in_whole_pulses(merged)
}

pub(crate) fn per_second(interval: &Interval, amount: u64) -> f64 {
    let seconds = interval.seconds();
    if seconds > 0.0 { amount as f64 / seconds } else { 0.0 }
}

/// Returns a line for each direction in which anything completed, with a segment for each step.
fn lines(run: &Run, value: &dyn Fn(&Interval, Direction) -> f64, directions: &[Direction]) -> Vec<Line> {
    let clock = Clock::of(run);
    let steps: Vec<(Vec<Direction>, Vec<Cow<'_, Interval>>)> =
        run.steps.iter().map(|step| (directions_of(step), merged(step))).collect();
    let segment = |direction: Direction, intervals: &[Cow<'_, Interval>]| -> Vec<(f64, f64)> {
        let middle = |interval: &Interval| (interval.start.as_secs_f64() + interval.end.as_secs_f64()) / 2.0;
        let points =
            intervals.iter().map(|interval| (clock.place(middle(interval)), value(interval, direction)));
        points.filter(|point| point.1.is_finite()).collect()
    };
    let line = |&direction: &Direction| {
        let asked = steps.iter().filter(|(asked, _)| asked.contains(&direction));
        let segments = asked.map(|(_, intervals)| segment(direction, intervals)).collect();
        Line::of(plural(direction), ink_of(direction), thinned(segments))
    };
    directions.iter().map(line).filter(|line| !line.is_empty()).collect()
}

/// Returns the directions in which any request completed or failed in the step. A later stall is a zero in the
/// series, never a gap.
pub(crate) fn directions_of(step: &StepRecord) -> Vec<Direction> {
    let any = |direction: &Direction| {
        step.intervals
            .iter()
            .any(|interval| interval.of(*direction).tally.ops + interval.of(*direction).tally.errors > 0)
    };
    Direction::ALL.into_iter().filter(any).collect()
}

pub(crate) fn ink_of(direction: Direction) -> Ink {
    match direction {
        Direction::Read => Ink::Read,
        Direction::Write => Ink::Write,
        Direction::Trim | Direction::Flush => Ink::Flush,
    }
}

/// Reduces all segments together to at most [`POINTS_MAX`] points: the least and greatest of each bucket, in their
/// original order.
pub(crate) fn thinned(segments: Vec<Vec<(f64, f64)>>) -> Vec<Segment> {
    let all: usize = segments.iter().map(Vec::len).sum();
    let bucket = (2 * all).div_ceil(POINTS_MAX);
    if bucket <= 2 {
        return segments.into_iter().map(Segment::from).collect();
    }
    let thin = |segment: &Vec<(f64, f64)>| segment.chunks(bucket).flat_map(extremes).collect::<Vec<_>>();
    segments.iter().map(thin).map(Segment::from).collect()
}

fn extremes(bucket: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
    let (least, greatest) = (bucket.iter().min_by(by_value), bucket.iter().max_by(by_value));
    match (least, greatest) {
        (Some(least), Some(greatest)) if least == greatest => vec![*least],
        (Some(least), Some(greatest)) if least.0 <= greatest.0 => vec![*least, *greatest],
        (Some(least), Some(greatest)) => vec![*greatest, *least],
        _ => Vec::new(),
    }
}

/// Returns the claims on `quantity` in base units, or the caps that the analysis found if there are no claims; each
/// label once.
pub(crate) fn claimed(run: &Run, analysis: &Analysis, quantity: Quantity) -> Vec<Level> {
    let by = crate::words::terminal::claimed_by(run);
    let rows = analysis.verdict.rows.iter().filter(|row| row.quantity == quantity && row.claimed.value > 0.0);
    let mut levels: Vec<Level> = rows
        .map(|row| Level { value: row.claimed.value, label: claim_label(analysis, row, by), ink: Ink::Claim })
        .collect();
    if levels.is_empty() {
        levels = caps(analysis, quantity);
    }
    fewest(levels)
}

/// Returns the claims on latency in nanoseconds; each label once.
pub(crate) fn claimed_latency(run: &Run, analysis: &Analysis) -> Vec<Level> {
    let of = |quantity| claimed(run, analysis, quantity);
    fewest([of(Quantity::MeanLatency), of(Quantity::PercentileLatency)].concat())
}

/// Keeps each label once, the greatest value first, and no more labels than a reader can distinguish.
fn fewest(mut levels: Vec<Level>) -> Vec<Level> {
    levels.sort_by(|a, b| b.value.total_cmp(&a.value));
    levels.dedup_by(|a, b| a.label == b.label);
    levels.retain(|level| level.value.is_finite());
    levels.truncate(LEVELS_MAX);
    levels
}

/// Most levels in a chart: more lines across it would hide the data.
const LEVELS_MAX: usize = 4;

/// Returns a claim's label: `expected read 700`, `expected p99 30 ms`.
fn claim_label(analysis: &Analysis, row: &ClaimRow, by: &str) -> String {
    let figure = match row.quantity {
        Quantity::MeanLatency | Quantity::PercentileLatency => numbers::time(row.claimed.value),
        _ => numbers::figure(row.claimed.value / unit_of(row).factor),
    };
    let way = way_of(analysis, row).map_or("", Direction::name);
    let is_percentile = |word: &&str| {
        word.strip_prefix('p').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
    };
    let percentile = row.what.split([' ', ',']).find(is_percentile).unwrap_or_default();
    let words = [by, way, percentile, &figure];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the direction that a claim's label must name; `None` if another direction has the same claim, or if no
/// other direction has a claim.
fn way_of(analysis: &Analysis, row: &ClaimRow) -> Option<Direction> {
    let contract = analysis.watched.as_ref().map(|watched| &watched.contract);
    let ways: Vec<(Option<Direction>, f64)> = match contract {
        Some(rows) => {
            let same = rows.iter().filter(|known| known.quantity == row.quantity);
            same.map(|known| (known.direction, known.claimed.value)).collect()
        }
        None => {
            let same = analysis.verdict.rows.iter().filter(|known| known.quantity == row.quantity);
            same.map(|known| (Some(known.direction), known.claimed.value)).collect()
        }
    };
    let mut own = ways.iter().filter(|(_, value)| *value == row.claimed.value).map(|(way, _)| *way);
    let first = own.next()??;
    let alone = own.all(|way| way == Some(first));
    let others = ways.iter().any(|(way, _)| *way != Some(first));
    (alone && others).then_some(first)
}

fn caps(analysis: &Analysis, quantity: Quantity) -> Vec<Level> {
    let level = |cap: &analysis::Estimate, unit: Unit| Level {
        value: cap.value,
        label: format!("cap {}", numbers::level(cap, unit)),
        ink: Ink::Claim,
    };
    let found = analysis.findings.iter().filter_map(|finding| match (&finding.meaning, quantity) {
        (Meaning::IopsCap(IopsCap { cap, .. }), Quantity::Iops) => Some(level(cap, numbers::IOPS)),
        (Meaning::BandwidthCap(BandwidthCap { cap, .. }), Quantity::BytesPerSecond) => {
            Some(level(cap, Unit::of_bandwidth(cap.value, Prefix::Binary)))
        }
        _ => None,
    });
    found.collect()
}

/// Returns the unit for all bandwidths in the charts: the unit of the claims, that of the cap, or else one that suits the
/// measurements.
pub(crate) fn chart_unit(run: &Run, analysis: &Analysis) -> Unit {
    let claim = analysis
        .verdict
        .rows
        .iter()
        .find(|row| row.quantity == Quantity::BytesPerSecond && row.claimed.value > 0.0);
    if let Some(row) = claim {
        return unit_of(row);
    }
    // The labels of caps are in their own unit.
    if let Some(cap) = caps(analysis, Quantity::BytesPerSecond).first() {
        return Unit::of_bandwidth(cap.value, Prefix::Binary);
    }
    let rates = run.steps.iter().flat_map(|step| step.intervals.iter().map(Interval::bytes_per_second));
    let points = analysis.blocks.iter().chain(&analysis.depths).map(|point| point.bytes_per_second.value);
    let top = rates.chain(points).filter(|rate| rate.is_finite()).fold(0.0, f64::max);
    Unit::of_bandwidth(top, Prefix::Binary)
}

/// Returns the phases of a watch, with those under load filled; or for other runs, a band for consecutive steps of
/// one kind, with the steps as its parts.
pub(crate) fn phases(run: &Run, clock: &Clock) -> Vec<Band> {
    let place = |time: workload::Nanos| clock.place(time.as_secs_f64());
    if !run.phases.is_empty() {
        return run
            .phases
            .iter()
            .map(|phase| phase_band(phase, (place(phase.from), place(phase.to))))
            .collect();
    }
    let phase = |(index, steps): (usize, &[StepRecord])| {
        let (first, last) = (steps.first()?, steps.last()?);
        let parts =
            steps.iter().map(|step| (place(step.started), place(step.ended), part_label(step))).collect();
        Some(Band {
            from: place(first.started),
            to: place(last.ended),
            label: band_words(first.plan.kind).to_owned(),
            shade: if index % 2 == 0 { Shade::Filled } else { Shade::Clear },
            parts,
        })
    };
    run.steps.chunk_by(|a, b| a.plan.kind == b.plan.kind).enumerate().filter_map(phase).collect()
}

/// Returns the band of a watch's phase between two places; filled unless the phase was idle.
pub(crate) fn phase_band(phase: &Phase, (from, to): (f64, f64)) -> Band {
    let shade = if phase.kind == PhaseKind::Idle { Shade::Clear } else { Shade::Filled };
    Band { from, to, label: phase.name.clone(), shade, parts: Vec::new() }
}

fn band_words(kind: StepKind) -> &'static str {
    if kind == StepKind::BlockLadder { "block ladder (KiB)" } else { kind_words(kind) }
}

fn part_label(step: &StepRecord) -> String {
    let Some(worker) = step.plan.workers.first() else { return String::new() };
    match step.plan.kind {
        // There are hundreds of these steps; their names would run together.
        StepKind::Idle | StepKind::Layout | StepKind::Soak => String::new(),
        StepKind::Latency if worker.flush != workload::Flush::Never => "flush".to_owned(),
        StepKind::Latency if worker.access.mix.writes_only() => "write".to_owned(),
        StepKind::Latency => "read".to_owned(),
        StepKind::DepthLadder => step.plan.workers.iter().map(|worker| worker.depth).sum::<u32>().to_string(),
        StepKind::BlockLadder if worker.access.mix.writes_only() => {
            kib(worker.blocks.longest_of(Direction::Write))
        }
        StepKind::BlockLadder => kib(worker.blocks.longest_of(Direction::Read)),
        StepKind::Cell | StepKind::Again => {
            step.plan.workers.iter().map(|worker| worker.depth).sum::<u32>().to_string()
        }
        StepKind::Reference
        | StepKind::Probe
        | StepKind::OpenLoad
        | StepKind::Drain
        | StepKind::Place
        | StepKind::Together
        | StepKind::Job => step.plan.name.clone(),
    }
}

/// Formats a size without the unit, which the band names: five steps fit where one word would.
fn kib(bytes: workload::Bytes) -> String {
    numbers::figure(bytes.0 as f64 / 1024.0)
}

fn highest_level(levels: &[Level]) -> f64 {
    levels.iter().map(|level| level.value).fold(0.0, f64::max)
}

/// Returns the least and greatest of the positive finite values; `None` if there are no such values.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let above = values.filter(|value| value.is_finite() && *value > 0.0);
    above.fold(None, |found, value| match found {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

/// Widens a range so that it includes every level.
pub(crate) fn with_levels((low, high): (f64, f64), levels: &[Level]) -> (f64, f64) {
    levels.iter().fold((low, high), |(low, high), level| (low.min(level.value), high.max(level.value)))
}

/// Returns a logarithmic axis of times in nanoseconds, with ticks at powers of ten, and at 2 and 5 times those if
/// there is room.
pub(crate) fn time_axis(low: f64, high: f64) -> Axis {
    let decades = (high / low).log10();
    let steps: &[f64] = match decades {
        // A range below a factor of two seldom contains two of 1, 2 and 5 times a power of ten.
        few if few < 0.3 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        some if some < 2.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let unit = axis_unit(low, high);
    let tick = |power: i32, step: f64| {
        let value = step * 10f64.powi(power);
        (value, format!("{} {}", numbers::trimmed(value / unit.factor), unit.name))
    };
    let ticks = (-1..19).flat_map(|power| steps.iter().map(move |&step| tick(power, step))).collect();
    Axis::logarithmic(low / 1.3, high * 1.3, ticks)
}

/// Returns the single unit of a time axis: that of its least value, or of its greatest if the greatest value would
/// be too long in the former.
fn axis_unit(low: f64, high: f64) -> Unit {
    let (least, greatest) = (Unit::of_time(low), Unit::of_time(high));
    if high / least.factor < LONG_FROM { least } else { greatest }
}

/// Value from which a tick's number is too long to be readable.
const LONG_FROM: f64 = 20_000.0;

const STEP_HEAD: [&str; 3] = ["step", "from", "counted"];

fn step_cells(step: &StepRecord) -> Vec<String> {
    let from = format!("{} s", numbers::fixed(step.started.as_secs_f64(), 1));
    vec![step.plan.name.clone(), from, numbers::span(step.seconds())]
}

/// Returns a table with a row for each step and direction.
fn step_table(run: &Run, head: &[&str], cells: &dyn Fn(&StepRecord, Direction) -> Vec<String>) -> Table {
    let mut table = Table::headed(&[STEP_HEAD.as_slice(), &["direction"], head].concat());
    for step in &run.steps {
        let filled = Direction::ALL.into_iter().filter(|&direction| step.tally(direction).ops > 0);
        for direction in filled {
            let first = [step_cells(step), vec![capital(plural(direction))]].concat();
            table.rows.push([first, cells(step, direction)].concat());
        }
    }
    table
}

fn share_of_time(amount: u64, step: &StepRecord) -> f64 {
    if step.seconds() > 0.0 { amount as f64 / step.seconds() } else { f64::NAN }
}

fn rate_table(run: &Run) -> Table {
    step_table(run, &["I/Os", "IOPS", "failed", "ended"], &|step, direction| {
        let tally = step.tally(direction);
        vec![
            numbers::count(tally.ops as f64),
            numbers::figure(share_of_time(tally.ops, step)),
            numbers::count(tally.errors as f64),
            ending(step.ending).to_owned(),
        ]
    })
}

fn bandwidth_table(run: &Run, unit: Unit) -> Table {
    step_table(run, &["moved", unit.name], &|step, direction| {
        let bytes = step.tally(direction).bytes;
        vec![numbers::size(bytes), numbers::figure(share_of_time(bytes, step) / unit.factor)]
    })
}

fn latency_table(run: &Run) -> Table {
    step_table(run, &["mean", "p50", "p99", "greatest"], &|step, direction| {
        let latency = step.latency(direction);
        let time = |time: Option<f64>| time.map_or_else(|| numbers::UNKNOWN.to_owned(), numbers::time);
        vec![
            time(step.tally(direction).latency_ns_mean()),
            time(latency.percentile(50.0).map(|time| time as f64)),
            time(latency.percentile(99.0).map(|time| time as f64)),
            time(latency.ns_max().map(|time| time as f64)),
        ]
    })
}
