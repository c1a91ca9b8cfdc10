//! The answer for one resource, from its stretches.

use policy::Resource;
use record::StepRecord;
use statistics::level::{Moment, Series, Strays, level};
use statistics::long_run::long_run_variance;

use workload::Mix;

use super::answer::{Asking, BothWays, BucketContent, BurstBudget, BurstPart, Ends, Fullness, MeasuredDrain};
use super::level::against_time;
use super::stretch::{Cell, Stretch, stretches};
use crate::estimate::Estimate;

/// Advance that a meter allows, and error at an interval's edges, in seconds of the rate.
const EDGE_S: f64 = 0.05;
/// Cells after the fall that are summed up too: a fall may be detected a cell too early, and the rate left adds
/// nothing.
const BEYOND: usize = 2;
/// 97.5 % point of the normal distribution.
const Z: f64 = 1.96;
/// Distance, in the natural logarithm, within which a time equals one of two predicted ones, if the other is at least
/// `FAR` away (method 8.1).
const NEAR: f64 = 0.2;
const FAR: f64 = 0.35;
/// Share of the content above which a rest may have filled the bucket, and so says nothing about the rate.
const BRIM: f64 = 0.95;
/// Fewest cells at the rate that is left before a burst counts as begun under load; `AS_LEFT`: their greatest
/// deviation.
const LOW_LEAST: usize = 3;
const AS_LEFT: f64 = 0.1;
/// Share within which a rest earned at the rate that is left.
const AS_EARNED: f64 = 0.1;
/// Number of cells before a kill whose greatest rate is assumed for the unrecorded time.
const UNSEEN_CELLS: usize = 3;
/// Ratio of the time for which the rate that is left was observed to the time to the next burst, below which no other
/// burst can have begun in between.
const UNSEEN: f64 = 0.25;
/// Units by which providers and hypervisors charge long I/Os, or may charge (method 5.2); `UNIT_FITS` is the share
/// within which a rate fits one.
const UNITS_KIB: [u64; 7] = [16, 32, 64, 128, 256, 512, 1024];
const UNIT_FITS: f64 = 0.02;

/// Returns the part of `resource`; `None` if no load of it ran.
pub(super) fn part(steps: &[StepRecord], (resource, block): (Resource, u64), mix: Mix) -> Option<BurstPart> {
    let all = stretches(steps, (resource, block), mix);
    let half = Mix::reads(50);
    let half_and_half = if mix == half { Vec::new() } else { stretches(steps, (resource, block), half) };
    let each = if resource == Resource::Iops { 1.0 } else { block as f64 };
    let base = level_of(all.iter().map(Stretch::left), each);
    let view = View { all: &all, base, each };
    let burst = view.burst();
    let drains = view.drains();
    let held = view.held();
    let ends = view.ends(&drains, burst.as_ref());
    let refill = view.refill(&drains, held.as_ref()).filter(|_| ends != Ends::Time);
    let above = burst.zip(base).map(|(burst, base)| burst.value - base.value);
    let lasted_s = drains.iter().find(|drain| drain.fell_at_s.is_some()).and_then(|drain| drain.lasted_s);
    (!all.is_empty()).then(|| BurstPart {
        resource,
        block,
        mix,
        burst,
        base,
        held: held
            .map(|amount| BucketContent { amount, full: Fullness::Unknown })
            .filter(|_| ends != Ends::Time),
        refill,
        ends,
        cool_off_s: cool_off(&drains, view.middle()).filter(|_| ends == Ends::Time),
        lasted_s,
        full_after_s: held
            .zip(refill)
            .filter(|_| ends != Ends::Time)
            .map(|(held, refill)| held.value / refill.value),
        minute_after_s: above.zip(refill).map(|(above, refill)| 60.0 * above / refill.value),
        seen_s: view.seen(),
        shared_unit: None,
        both_ways: base.and_then(|base| both_ways(&half_and_half, each, &base)),
        published: None,
        level: against_time(&all, base, held.filter(|_| ends != Ends::Time), refill),
        drains,
    })
}

/// Returns the unit by which the bucket of `operations` charges the blocks of `bytes`, if that bucket limits them.
pub(super) fn shared_unit(operations: &BurstPart, bytes: &BurstPart) -> Option<u64> {
    let (base, level) = (operations.base?, bytes.burst?.value);
    // Units are further apart than a base is ever unknown by.
    let near = UNIT_FITS.max(base.half_width() / base.value);
    let fits = |unit: &u64| (level / (base.value * *unit as f64) - 1.0).abs() <= near;
    // An operation of its own size is a bucket of bytes.
    let units = UNITS_KIB.map(|kib| kib << 10).into_iter().chain([operations.block]);
    units.filter(|unit| *unit <= bytes.block && !bytes.fell()).find(fits)
}

/// Returns the rate of reads and writes together when the bucket of the drains was empty. Half and half reach twice the
/// base of one direction if each has its own bucket, whatever the content of the other's, because neither runs ahead of
/// the other.
fn both_ways(all: &[Stretch], each: f64, base: &Estimate) -> Option<BothWays> {
    let last = all.last()?;
    let together = level_of(std::iter::once(inner(last.level())), each)?;
    let times = together.value / base.value;
    let budget = match times {
        one if (one - 1.0).abs() <= AS_LEFT => BurstBudget::Shared,
        two if (two / 2.0 - 1.0).abs() <= AS_LEFT => BurstBudget::Separate,
        _ => BurstBudget::Unknown,
    };
    Some(BothWays { together, budget })
}

/// Returns the level of these cells.
fn level_of<'c>(moments: impl Iterator<Item = &'c [Cell]>, each: f64) -> Option<Estimate> {
    let kept: Vec<(f64, f64, Vec<f64>)> = moments
        .filter_map(|cells| {
            let first = cells.first()?;
            Some((first.from, first.length, cells.iter().map(Cell::rate).collect()))
        })
        .collect();
    let moments = kept.iter().map(|(at, seconds, values)| Moment { at: *at, seconds: *seconds, values });
    let found = level(&Series { moments: moments.collect(), unit: each }, &Strays::default())?;
    // The advance of a meter and the edges change the counts, whatever their spread.
    let seconds: f64 = kept.iter().map(|(_, seconds, values)| seconds * values.len() as f64).sum();
    let half = found.half_width.max(EDGE_S * found.mean / seconds).min(found.mean);
    let estimate = Estimate::around(found.mean, half);
    (found.mean > 0.0 && half.is_finite()).then_some(estimate)
}

/// The position of a cell: the number of its stretch, and its number in the stretch.
#[derive(Clone, Copy)]
struct CellAt {
    stretch: usize,
    cell: usize,
}

/// A rest in seconds, and the error of its length if the run was killed before it.
#[derive(Clone, Copy, Default)]
struct RestEstimate {
    seconds: f64,
    half: f64,
}

impl RestEstimate {
    fn of(drain: &MeasuredDrain) -> Option<RestEstimate> {
        let half = drain.unseen_s / 2.0;
        drain.rested_s.map(|most| RestEstimate { seconds: most - half, half })
    }
}

/// All stretches, with the rate that is left.
struct View<'s> {
    all: &'s [Stretch],
    base: Option<Estimate>,
    /// Amount of one I/O: 1, or its bytes.
    each: f64,
}

impl View<'_> {
    /// Returns the midpoint between the rate that is left and the highest level before a fall.
    fn middle(&self) -> Option<f64> {
        let base = self.base?.value;
        let full = self.all.iter().filter(|stretch| stretch.asking == Asking::All);
        let top = full.filter_map(|stretch| Some(stretch.fall?.before)).fold(0.0, f64::max);
        (top > base).then(|| f64::midpoint(base, top))
    }

    /// Returns the level of the burst; without a fall, the highest level of any stretch.
    fn burst(&self) -> Option<Estimate> {
        let full = || self.all.iter().filter(|stretch| stretch.asking == Asking::All && !stretch.looks);
        let Some(middle) = self.middle() else {
            let levels = full()
                .chain(self.all)
                .filter_map(|stretch| level_of(std::iter::once(inner(stretch.level())), self.each));
            return levels.reduce(|best, other| if other.value > best.value { other } else { best });
        };
        let before = full().map(|stretch| {
            let cells = stretch.level();
            let until = stretch.fall.map_or(cells.len(), |fall| fall.at);
            let from = cells[..until].iter().take_while(|cell| cell.rate() < middle).count();
            inner(&cells[from..until])
        });
        let high = before.filter(|cells| cells.iter().all(|cell| cell.rate() > middle / 2.0));
        level_of(high.filter(|cells| cells.len() >= 2), self.each)
    }

    /// Returns the seconds for which the load asked for all it could get, before the first fall.
    fn seen(&self) -> f64 {
        let full = self.all.iter().filter(|stretch| stretch.asking == Asking::All);
        full.take_while(|stretch| stretch.fall.is_none()).map(|stretch| stretch.to - stretch.from).sum()
    }

    fn drains(&self) -> Vec<MeasuredDrain> {
        let waits = self.all.iter().enumerate().filter(|(_, stretch)| !stretch.looks);
        let laid_out: Vec<bool> = waits.clone().map(|(_, stretch)| stretch.laid_out).collect();
        let mut all: Vec<MeasuredDrain> =
            waits.map(|(number, stretch)| self.drained(number, stretch)).collect();
        let middle = self.middle().unwrap_or(f64::INFINITY);
        for drain in &mut all {
            let on_burst = drain.asking == Asking::Half || drain.before >= middle;
            drain.left_some = drain.fell_at_s.is_none() && on_burst;
        }
        for number in 1..all.len() {
            all[number].began_empty = !all[number - 1].left_some && !laid_out[number];
        }
        all
    }

    fn drained(&self, number: usize, stretch: &Stretch) -> MeasuredDrain {
        let begin = self.begin(number);
        let rose = self.rose(stretch);
        let mut drained = MeasuredDrain {
            from_s: self.all[begin].from,
            to_s: stretch.to,
            asking: stretch.asking,
            rested_s: self.all[begin].rested,
            unseen_s: self.all[begin].unseen,
            began_empty: false,
            left_some: false,
            before: stretch.fall.map_or_else(|| mean(inner(stretch.level())), |fall| fall.before),
            after: stretch.fall.map(|fall| fall.after),
            fell_at_s: None,
            rose_at_s: rose.map(|at| stretch.cells[at].from),
            took: None,
            lasted_s: None,
        };
        if let (Some(fall), Some(base)) = (stretch.fall, self.base) {
            let from =
                rose.map_or(CellAt { stretch: begin, cell: 0 }, |at| CellAt { stretch: number, cell: at });
            let took = self.took(from, CellAt { stretch: number, cell: fall.at + BEYOND }, &base);
            let lasted = took.value / (fall.before - base.value);
            let begun = self.all[from.stretch].cells[from.cell].from;
            drained.took = Some(took);
            drained.lasted_s = Some(lasted).filter(|lasted| lasted.is_finite() && *lasted > 0.0);
            drained.fell_at_s = Some((begun + lasted).clamp(begun, stretch.to));
        }
        drained
    }

    /// Returns the first stretch of the load that this one continues.
    fn begin(&self, number: usize) -> usize {
        (0..=number).rev().find(|at| !self.all[*at].goes_on()).unwrap_or(0)
    }

    /// Returns the cell at which a stretch rose from the rate that is left to the burst.
    fn rose(&self, stretch: &Stretch) -> Option<usize> {
        let middle = self.middle().filter(|_| stretch.asking == Asking::All)?;
        let base = self.base?.value;
        let until = stretch.fall.map_or(stretch.whole, |fall| fall.at);
        let low = stretch.level()[..until].iter().take_while(|cell| cell.rate() < middle).count();
        // A low rate other than the one that is left is due to another program's load.
        let is_left = (mean(inner(&stretch.cells[..low])) / base - 1.0).abs() <= AS_LEFT;
        (low >= LOW_LEAST && low < until && is_left).then_some(low)
    }

    /// Returns the amount served beyond `base` from one cell up to another, which is not included.
    fn took(&self, from: CellAt, to: CellAt, base: &Estimate) -> Estimate {
        let mut sum = 0.0;
        let mut rates: Vec<f64> = Vec::new();
        let begun = self.all[from.stretch].cells[from.cell].from;
        let mut ended = begun;
        let mut unseen = 0.0;
        for number in from.stretch..=to.stretch {
            let cells = &self.all[number].cells;
            if number > from.stretch {
                unseen += self.unseen_before(number);
            }
            let first = if number == from.stretch { from.cell } else { 0 };
            let last = if number == to.stretch { to.cell.min(cells.len()) } else { cells.len() };
            for cell in &cells[first..last] {
                sum += cell.amount;
                rates.push(cell.rate());
                ended = cell.to();
            }
        }
        let seconds = ended - begun;
        let value = sum + unseen / 2.0 - base.value * seconds;
        let top = rates.iter().copied().fold(0.0, f64::max);
        // If the rate of the whole volume varies, so do its earnings.
        let stray =
            long_run_variance(&rates).map_or(0.0, |found| (found.variance * rates.len() as f64).sqrt());
        let each = seconds / rates.len().max(1) as f64;
        let moved = Z * stray * each * (base.value / mean_of(&rates).max(base.value));
        let moved = if rates.iter().any(|rate| *rate < f64::midpoint(base.value, top)) { 0.0 } else { moved };
        let half = seconds * base.half_width() + EDGE_S * top + 2.0 * self.each + moved + unseen / 2.0;
        Estimate::around(value, half)
    }

    /// Returns the most that may have been served unrecorded before stretch `number`, because the run was killed.
    fn unseen_before(&self, number: usize) -> f64 {
        let last = self.all[number - 1].cells.iter().rev().take(UNSEEN_CELLS);
        last.map(Cell::rate).fold(0.0, f64::max) * self.all[number].unseen
    }

    /// Returns the content when the drain that first emptied the bucket began: the largest sum over all possible
    /// beginnings.
    fn held(&self) -> Option<Estimate> {
        let base = self.base?;
        let first = self.all.iter().position(|stretch| stretch.fall.is_some())?;
        if self.rose(&self.all[first]).is_some() {
            return None;
        }
        let until = CellAt { stretch: first, cell: self.all[first].fall?.at + BEYOND };
        let begins = (0..=first).filter(|at| !self.all[*at].cells.is_empty());
        let all = begins.map(|at| self.took(CellAt { stretch: at, cell: 0 }, until, &base));
        all.filter(|took| took.low > 0.0)
            .reduce(|best, other| if other.value > best.value { other } else { best })
    }

    /// Returns the drains after a rest that began with an empty bucket.
    fn rested<'d>(&self, drains: &'d [MeasuredDrain]) -> Vec<(&'d MeasuredDrain, RestEstimate, Estimate)> {
        let paid = drains.iter().filter(|drain| drain.began_empty && drain.rose_at_s.is_none());
        paid.filter_map(|drain| Some((drain, RestEstimate::of(drain)?, drain.took?))).collect()
    }

    /// Returns the earnings of a rest per second.
    fn refill(&self, drains: &[MeasuredDrain], held: Option<&Estimate>) -> Option<Estimate> {
        let most = held.map_or(f64::INFINITY, |held| BRIM * held.value);
        // If even the first drain came after a rest, the capacity is unknown: such a rest may have filled the bucket,
        // unless it earned at the rate that is left, as published buckets do.
        let alone =
            drains.iter().find(|drain| drain.took.is_some()).is_some_and(|drain| drain.rested_s.is_some());
        let rests = self.rested(drains);
        let tell = rests.iter().filter(|(_, _, took)| took.low > 0.0 && (alone || took.value < most));
        let (mut took, mut half, mut rest) = (0.0, 0.0, RestEstimate::default());
        for (_, rested, earned) in tell {
            took += earned.value;
            half += earned.half_width();
            rest.seconds += rested.seconds;
            rest.half += rested.half;
        }
        let RestEstimate { seconds, half: unsure } = rest;
        let value = took / seconds;
        let half = (half + value * unsure) / seconds;
        let may_be_full = alone && self.base.is_none_or(|base| (value / base.value - 1.0).abs() > AS_EARNED);
        (seconds > 0.0 && value > half && !may_be_full).then_some(Estimate::around(value, half))
    }

    /// Returns whether usage or time ends the burst.
    fn ends(&self, drains: &[MeasuredDrain], burst: Option<&Estimate>) -> Ends {
        let rose = drains.iter().any(|drain| drain.rose_at_s.is_some() && drain.fell_at_s.is_some());
        match (rose, self.by_two_rates(drains, burst)) {
            (true, Ends::Usage) => Ends::Unknown,
            (true, _) => Ends::Time,
            (false, told) => told,
        }
    }

    /// Returns whether usage or time ends the burst, by how long it lasted at half the excess.
    fn by_two_rates(&self, drains: &[MeasuredDrain], burst: Option<&Estimate>) -> Ends {
        let (Some(base), Some(_)) = (self.base, burst) else { return Ends::Unknown };
        let rests = self.rested(drains);
        let full = rests.iter().filter(|(drain, ..)| drain.asking == Asking::All && drain.lasted_s.is_some());
        let all = drains.iter().filter(|drain| drain.asking == Asking::All);
        let Some(by_time) = all.filter_map(|drain| drain.lasted_s).next_back() else { return Ends::Unknown };
        let earns =
            full.map(|(_, rested, took)| took.value / rested.seconds).next_back().unwrap_or(base.value);
        let mut half = rests.iter().filter(|(drain, ..)| drain.asking == Asking::Half);
        let Some((half, rested, _)) = half.rfind(|(drain, ..)| drain.lasted_s.is_some()) else {
            return Ends::Unknown;
        };
        let by_usage = earns * rested.seconds / (half.before - base.value);
        let off =
            |predicted: f64| half.lasted_s.map_or(f64::INFINITY, |lasted| (lasted / predicted).ln().abs());
        match (off(by_usage), off(by_time)) {
            (usage, time) if usage < NEAR && time > FAR => Ends::Usage,
            (usage, time) if time < NEAR && usage > FAR => Ends::Time,
            _ => Ends::Unknown,
        }
    }
}

/// Drops the cell at either end, in which a load begins or ends.
fn inner(cells: &[Cell]) -> &[Cell] {
    if cells.len() > 4 { &cells[1..cells.len() - 1] } else { cells }
}

fn mean(cells: &[Cell]) -> f64 {
    let seconds: f64 = cells.iter().map(|cell| cell.length).sum();
    if seconds > 0.0 { cells.iter().map(|cell| cell.amount).sum::<f64>() / seconds } else { 0.0 }
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Returns the seconds from the end of a burst to the next: as recorded under load, or else between the longest rest
/// without a burst after it and the shortest with one.
fn cool_off(drains: &[MeasuredDrain], middle: Option<f64>) -> Option<(f64, f64)> {
    let middle = middle?;
    let (mut least, mut most) = (0.0f64, f64::INFINITY);
    let (mut ended, mut seen): (Option<f64>, f64) = (None, 0.0);
    for drain in drains {
        if let Some(ended) = ended {
            match drain.rose_at_s {
                // At the end of a long observation of the rate that is left, another burst may have begun, to end in
                // the rest.
                Some(rose) if seen < UNSEEN * (rose - ended) => {
                    (least, most) = (rose - ended - 1.0, rose - ended + 1.0);
                }
                Some(rose) => (least, most) = (least.max(seen - 1.0), most.min(rose - ended + 1.0)),
                None if drain.before > middle || drain.asking == Asking::Half => {
                    most = most.min(drain.from_s - ended);
                }
                None => least = least.max(drain.to_s - ended),
            }
        }
        ended = drain.fell_at_s.or(ended);
        seen = drain.fell_at_s.map_or(seen, |fell| drain.to_s - fell);
    }
    most.is_finite().then_some((least.min(most), most))
}
