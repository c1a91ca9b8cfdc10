//! A step as planned, and as fitted to the remaining time and bytes.

use workload::{Bytes, Direction, Job, Nanos, StepKind, StopRule, Think, Workload};

use super::asks::Span;
use super::known::CheckState;
use crate::step::Step;

/// Fewest intervals of a step that give a figure.
const INTERVALS_LEAST: u64 = 5;
/// Number of intervals for which bytes must suffice: the fewest that give a figure, one of ramp, one cut off at the
/// end, and two for the faster start of a volume after a rest.
const INTERVALS_ROOM: u64 = INTERVALS_LEAST + 4;
/// Interval lengths of steps that are short for lack of bytes, longest first. The shortest are for volumes that write
/// their whole allowance in some tens of milliseconds: a worker ends such intervals by its own clock, so lateness makes
/// their rates vary but does not shift the mean.
const CUT: [Nanos; 8] = [
    Nanos::from_millis(300),
    Nanos::from_millis(200),
    Nanos::from_millis(100),
    Nanos::from_millis(50),
    Nanos::from_millis(20),
    Nanos::from_millis(10),
    Nanos::from_millis(5),
    Nanos::from_millis(2),
];
/// Fewest I/Os per interval of a step that is short for lack of bytes: with fewer, one I/O more or less changes the
/// rate by more than an eighth.
const IOS_LEAST: u64 = 8;
/// Time that a step takes besides ramp, counted time and drain, for planning and opening.
const BETWEEN_STEPS: Nanos = Nanos::from_millis(100);
/// Longest drain that the planning allows for, in seconds.
const DRAIN_MOST_S: f64 = 60.0;
/// Divisor of the spare time: one step may take at most this part, because others may need some too.
const SPARE_PART: u64 = 4;
/// Margin for a rate higher than forecast when bytes are short.
const OVER: f64 = 1.05;
/// Greatest share of the remaining bytes that an indispensable step takes while others also need some.
const MUST_SHARE_MOST: f64 = 0.6;

/// Length of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length {
    /// Until its rate is known, within the span.
    Known(Span),
    /// This long, in the usual intervals.
    Time(Nanos),
    /// This long, in the intervals of a short look.
    Look(Nanos),
    /// This many I/Os, or this long if they take longer.
    Ios(u64, Nanos),
}

/// Whether a step may be left out when time or bytes are short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// The answer needs the step.
    Must,
    /// The step only improves the answer.
    May,
    /// The step may decide a claim that is still open, for which there is more time.
    Decides,
}

/// A step as planned, before time and bytes are considered.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub name: String,
    pub kind: StepKind,
    pub job: Job,
    pub length: Length,
    pub rank: Rank,
    /// Weight in the division of the bytes that may be written; 0 if the step only reads.
    pub share: f64,
}

/// Needs of the steps that come after a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ahead {
    /// Least time that further looks take, which is reserved for them.
    pub look: Nanos,
    /// Least time of other steps that the answer needs.
    pub must: Nanos,
    /// Least time of steps that improve the answer.
    pub may: Nanos,
    /// Sum of the weights of all these steps.
    pub share: f64,
}

/// Why a step is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OmissionReason {
    /// Too few bytes may still be written for five intervals of the step.
    Bytes,
    /// Too little time is left.
    Time,
}

/// Ramp, interval and depth of a step.
struct StepShape {
    ramp: Nanos,
    interval: Nanos,
    depth: u32,
    /// Bytes that the step may write.
    bytes: Option<Bytes>,
}

impl Draft {
    /// Shortest and longest counted time.
    fn span(&self) -> Span {
        match self.length {
            Length::Known(span) => span,
            Length::Time(time) | Length::Look(time) | Length::Ios(_, time) => {
                Span { least: time, most: time, half_width: 0.0 }
            }
        }
    }

    fn interval(&self, known: &CheckState<'_>) -> Nanos {
        let effort = &known.ask.effort;
        match self.length {
            Length::Known(_) | Length::Time(_) => effort.interval,
            Length::Look(_) => effort.glance,
            Length::Ios(..) => effort.glance.min(Nanos::from_millis(100)),
        }
    }

    fn ramp(&self, known: &CheckState<'_>) -> Nanos {
        let effort = &known.ask.effort;
        let usual = match (self.length, self.kind) {
            (Length::Ios(..), _) => return Nanos::ZERO,
            (Length::Look(_), _) | (_, StepKind::Latency) => effort.glance.min(effort.ramp),
            (Length::Known(_) | Length::Time(_), _) => effort.ramp,
        };
        usual.max(known.owed())
    }

    /// Shortest total time.
    pub fn least(&self, known: &CheckState<'_>) -> Nanos {
        self.span().least + self.beside(known)
    }

    /// Longest total time.
    pub fn most(&self, known: &CheckState<'_>) -> Nanos {
        self.span().most + self.beside(known)
    }

    /// Time besides the counted time.
    fn beside(&self, known: &CheckState<'_>) -> Nanos {
        self.ramp(known) + self.drain(known) + BETWEEN_STEPS
    }

    /// Time until everything in flight at the end of the step has completed.
    fn drain(&self, known: &CheckState<'_>) -> Nanos {
        if self.offered().is_some() {
            return Nanos::ZERO;
        }
        let seconds = |direction: Direction, share: f64| {
            let rate = known.foreseen_rate(direction, self.job.blocks.longest_of(direction));
            if share > 0.0 { f64::from(self.job.depth) * share / rate } else { 0.0 }
        };
        let reads = f64::from(self.job.access.mix.read_percent()) / 100.0;
        let both = seconds(Direction::Read, reads) + seconds(Direction::Write, 1.0 - reads);
        Nanos::from_secs_f64(both.min(DRAIN_MOST_S))
    }

    /// Returns the step as fitted to the remaining time and bytes, with `ahead` still to come.
    pub fn fit(&self, known: &CheckState<'_>, ahead: &Ahead) -> Result<Step, OmissionReason> {
        let span = self.in_time(known, ahead)?;
        let cut = self.in_bytes(known, ahead)?;
        let mut stop = vec![match self.length {
            Length::Known(_) if span.least < span.most => {
                StopRule::Certain { half_width: span.half_width, least: span.least, most: span.most }
            }
            _ => StopRule::Time(span.most),
        }];
        if let Length::Ios(ios, _) = self.length {
            stop.push(StopRule::OpsEach(ios));
        }
        stop.extend(cut.bytes.map(StopRule::WrittenEach));
        let job = Job { depth: cut.depth, ..self.job.clone() };
        let workload = Workload { jobs: vec![job], stop, ramp: cut.ramp };
        Ok(Step { name: self.name.clone(), kind: self.kind, workload, interval: Some(cut.interval) })
    }

    /// Returns the reason for an omission if too few bytes are left for the step, with `ahead` still to come.
    pub fn lacks_bytes(&self, known: &CheckState<'_>, ahead: &Ahead) -> Option<OmissionReason> {
        self.in_bytes(known, ahead).err()
    }

    /// Returns the span of the step: the minimum, plus a part of the time that no other step needs.
    fn in_time(&self, known: &CheckState<'_>, ahead: &Ahead) -> Result<Span, OmissionReason> {
        let span = self.span();
        let more = if self.rank == Rank::Decides { known.ask.effort.decide } else { Nanos::ZERO };
        let left = (known.ask.effort.total + more).since(known.elapsed());
        let kept = if self.rank == Rank::May { ahead.look + ahead.must } else { ahead.look };
        // A look at the end is the last step to be left out, and only if it would exceed the limit.
        let kept = if self.kind == StepKind::Again { Nanos::ZERO } else { kept };
        if self.least(known) + kept > left {
            return Err(OmissionReason::Time);
        }
        let spare = left.since(ahead.look + ahead.must + ahead.may + self.least(known));
        Ok(Span { most: span.most.min(span.least + Nanos(spare.0 / SPARE_PART)), ..span })
    }

    /// Maximum I/Os per second that the job asks for; `None` if only completions limit it.
    fn offered(&self) -> Option<f64> {
        let rests = |think: Think| f64::from(think.every) / think.pause.as_secs_f64();
        self.job.pace.rate().map(|rate| rate.0).or_else(|| self.job.think.map(rests))
    }

    /// Bytes per second that the step will write.
    fn writes_a_second(&self, known: &CheckState<'_>) -> f64 {
        let job = &self.job;
        let share = 1.0 - f64::from(job.access.mix.read_percent()) / 100.0;
        let block = job.blocks.longest_of(Direction::Write);
        let closed = || known.foreseen_bytes_per_second(Direction::Write, block, job);
        share * self.offered().map_or_else(closed, |rate| rate * block.0 as f64)
    }

    fn whole(&self, known: &CheckState<'_>, bytes: Option<Bytes>) -> StepShape {
        StepShape { ramp: self.ramp(known), interval: self.interval(known), depth: self.job.depth, bytes }
    }

    /// Returns the ramp, interval and depth with which the bytes that the step may write suffice for a figure.
    fn in_bytes(&self, known: &CheckState<'_>, ahead: &Ahead) -> Result<StepShape, OmissionReason> {
        if self.share <= 0.0 {
            return Ok(self.whole(known, None));
        }
        let block = self.job.blocks.longest_of(Direction::Write);
        let rate = self.writes_a_second(known);
        let grant = self.grant(known, ahead, rate);
        let bytes = Some(Bytes(grant).round_down(block));
        let seconds = |time: Nanos| time.as_secs_f64();
        let fits = |time: Nanos| seconds(time) * rate * OVER <= grant as f64;
        if fits(self.least(known)) && grant >= INTERVALS_ROOM * IOS_LEAST * block.0 {
            return Ok(self.whole(known, bytes));
        }
        let mut shorter = CUT.into_iter().filter(|&interval| interval < self.interval(known));
        let interval = shorter
            .find(|&interval| fits(interval * INTERVALS_ROOM) && holds_some(interval, rate, block.0))
            .ok_or(OmissionReason::Bytes)?;
        // I/Os in flight count as written too: a queue deeper than an interval's worth would not stay full for an
        // interval.
        let depth = (grant / INTERVALS_ROOM / block.0).clamp(1, u64::from(self.job.depth)) as u32;
        Ok(StepShape { ramp: interval, interval, depth, bytes })
    }

    /// Returns the bytes that the step may write: its share of the rest, and, if it must not be left out, at least
    /// enough for five short intervals.
    fn grant(&self, known: &CheckState<'_>, ahead: &Ahead, rate: f64) -> u64 {
        let left = known.left_to_write() as f64;
        let share = left * self.share / (self.share + ahead.share);
        let block = self.job.blocks.longest_of(Direction::Write).0;
        let shortest = CUT.into_iter().rev().find(|&interval| holds_some(interval, rate, block));
        let need = shortest.map_or(0.0, |interval| (interval * INTERVALS_ROOM).as_secs_f64() * rate * OVER);
        let part = if ahead.share > 0.0 { MUST_SHARE_MOST } else { 1.0 };
        let most = if self.rank == Rank::Must { need.min(part * left) } else { 0.0 };
        share.max(most).ceil() as u64
    }
}

/// Whether enough I/Os of `block` complete in an interval at `rate` bytes per second that one more or less matters little.
fn holds_some(interval: Nanos, rate: f64, block: u64) -> bool {
    interval.as_secs_f64() * rate >= (IOS_LEAST * block) as f64
}
