//! One worker's record of one interval: a boxed sheet that travels to the collector and back.

use kernel::ThreadCounters;
use record::{Distribution, Histogram, Tally};
use workload::{BackendKind, Direction, Nanos, Pace, WorkerPlan};

/// A histogram with its exact extremes.
#[derive(Clone, Debug)]
pub(crate) struct SpanHistogram {
    histogram: Histogram,
    ns_min: u64,
    ns_max: u64,
}

impl SpanHistogram {
    fn new() -> SpanHistogram {
        SpanHistogram { histogram: Histogram::new(), ns_min: u64::MAX, ns_max: 0 }
    }

    #[inline]
    fn record(&mut self, ns: u64, count: u32) {
        self.histogram.record_alike(ns, count);
        self.ns_min = self.ns_min.min(ns);
        self.ns_max = self.ns_max.max(ns);
    }

    /// The distribution recorded, with one value for each of `ops` I/Os.
    pub(crate) fn distribution(&self, ops: u64) -> Distribution {
        let distribution = self.handed_over();
        assert!(
            are_all(&distribution, ops),
            "a span was recorded for {} of {ops} I/Os",
            distribution.count()
        );
        distribution
    }

    /// The distribution recorded so far, when some I/Os may still be in flight.
    pub(crate) fn handed_over(&self) -> Distribution {
        Distribution::of(&self.histogram, self.ns_min, self.ns_max)
    }

    fn clear(&mut self) {
        self.histogram.clear();
        self.ns_min = u64::MAX;
        self.ns_max = 0;
    }
}

/// Whether `distribution` has a value for each of `ops` I/Os. A bucket of a sheet does not count beyond 32 bits.
pub(super) fn are_all(distribution: &Distribution, ops: u64) -> bool {
    distribution.count() == ops || ops > u64::from(u32::MAX)
}

/// An I/O that has completed successfully.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompletedIo {
    pub(crate) direction: Direction,
    /// Index into the worker's files, or its priorities if totals are kept by priority.
    pub(crate) file: u32,
    /// Bytes moved.
    pub(crate) bytes: u64,
    /// Time from due to completed.
    pub(crate) latency: Nanos,
    /// Time from issued to completed.
    pub(crate) service: Nanos,
}

/// One direction of a sheet.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    /// Sums of the time from due to completed.
    pub(crate) tally: Tally,
    latency: Histogram,
    /// Time from issued to completed, if it differs from due to completed.
    pub(crate) service: Option<SpanHistogram>,
    /// Time from picked to issued, if submission is a separate step.
    pub(crate) submission: Option<SpanHistogram>,
}

impl Track {
    fn new(plan: &WorkerPlan, direction: Direction) -> Track {
        // A flush is waited for as a whole: only the times of its request and its completion are known.
        let apart = plan.backend == BackendKind::Libaio && direction != Direction::Flush;
        Track {
            tally: Tally::default(),
            latency: Histogram::new(),
            service: (is_paced(plan) || apart).then(SpanHistogram::new),
            submission: apart.then(SpanHistogram::new),
        }
    }

    #[inline(always)]
    pub(super) fn done(&mut self, io: &CompletedIo, count: u32) {
        self.tally.count_alike(io.bytes, io.latency.0, count);
        self.latency.record_alike(io.latency.0, count);
        if let Some(spread) = &mut self.service {
            spread.record(io.service.0, count);
        }
    }

    #[inline]
    pub(super) fn submitted(&mut self, span: Nanos) {
        if let Some(spread) = &mut self.submission {
            spread.record(span.0, 1);
        }
    }

    /// Distribution of the time from due to completed.
    pub(crate) fn latency(&self) -> Distribution {
        let tally = &self.tally;
        let latency = Distribution::of(&self.latency, tally.latency_ns_min, tally.latency_ns_max);
        assert!(are_all(&latency, tally.ops), "{} latencies of {} I/Os", latency.count(), tally.ops);
        latency
    }

    fn clear(&mut self) {
        self.tally = Tally::default();
        self.latency.clear();
        self.service.iter_mut().chain(&mut self.submission).for_each(SpanHistogram::clear);
    }
}

/// Whether an I/O of `plan` can be due before it is issued.
fn is_paced(plan: &WorkerPlan) -> bool {
    [Some(plan.pace), plan.terms.write_pace].into_iter().flatten().any(|pace| pace != Pace::Closed)
}

/// Counts in addition to the latencies. Those of depth, batches, late issues and waits add up over intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Counts of depth as in [`record::WorkerTotals`].
    pub(crate) depth: [u64; 7],
    /// Counts of submissions as in [`record::WorkerTotals`].
    pub(crate) submit: [u64; 7],
    /// Counts of completions as in [`record::WorkerTotals`].
    pub(crate) complete: [u64; 7],
    /// Number of I/Os issued more than 1 ms after their due time.
    pub(crate) late: u64,
    /// Longest time from due to issued.
    pub(crate) late_ns_max: u64,
    /// Resources that the worker's thread used; all zeros in simulation.
    pub(crate) used: ThreadCounters,
    /// Time in this interval that the worker was ready to run but had no CPU.
    pub(crate) waited: Nanos,
    /// Time without a CPU in earlier intervals that the worker slept through completely, so that they have no sheet.
    pub(crate) waited_before: Nanos,
}

/// Parts of a worker's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// Before counting begins.
    #[default]
    Ramp,
    /// The part that counts.
    Counted,
    /// After counting has ended.
    Cool,
}

impl Part {
    /// Every part in order of time.
    pub(crate) const ALL: [Part; 3] = [Part::Ramp, Part::Counted, Part::Cool];
}

/// Tracks by [`Direction::index`]; only of directions that the worker can issue.
pub(crate) type Tracks = [Option<Track>; 4];

/// One worker's record of one interval, or of the part of the interval that lies in one part of the worker's time.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// Number of the interval.
    pub(crate) index: u64,
    pub(crate) part: Part,
    pub(crate) tracks: Tracks,
    /// Tracks by file or by priority, if the plan asks for them; otherwise empty.
    pub(crate) files: Vec<Tracks>,
    pub(crate) counts: Counts,
    /// Whether the sheet includes a part of an earlier interval.
    pub(crate) smeared: bool,
    /// The time from which completions count, if this sheet discards everything before it.
    pub(crate) restarted: Option<Nanos>,
}

impl Sheet {
    /// Makes an empty sheet for a worker of `plan`.
    pub(super) fn new(plan: &WorkerPlan) -> Sheet {
        let mix = plan.access.mix;
        let track = |direction: Direction| {
            let used = match direction {
                // Reading back needs reads, whatever the mix issues.
                Direction::Read => mix.issues(direction) || plan.verify.on().is_some(),
                Direction::Flush => {
                    let traced = plan.access.replay.as_ref().is_some_and(|replay| replay.flushes());
                    traced || plan.flush != workload::Flush::Never && mix.issues(Direction::Write)
                }
                Direction::Trim => {
                    mix.issues(direction) || plan.verify.on().is_some_and(|on| on.gives_back.is_some())
                }
                Direction::Write => mix.issues(direction),
            };
            used.then(|| Track::new(plan, direction))
        };
        let files = match plan.terms.totals {
            workload::Totals::Worker | workload::Totals::WorkerAndEachIo => 0,
            workload::Totals::WorkerAndFile => plan.files.len(),
            workload::Totals::WorkerAndPriority => 1 + plan.terms.priorities().len(),
        };
        Sheet {
            index: 0,
            part: Part::default(),
            tracks: Direction::ALL.map(track),
            files: (0..files).map(|_| Direction::ALL.map(track)).collect(),
            counts: Counts::default(),
            smeared: false,
            restarted: None,
        }
    }

    /// Empties the sheet, for this part of interval `index`.
    pub(crate) fn clear(&mut self, (index, part): (u64, Part)) {
        self.all_tracks().for_each(Track::clear);
        self.counts = Counts::default();
        self.smeared = false;
        self.restarted = None;
        self.index = index;
        self.part = part;
        debug_assert!(!self.is_used(), "a cleared sheet holds I/Os");
    }

    /// Whether any I/O was recorded on the sheet.
    pub(crate) fn is_used(&self) -> bool {
        self.tracks.iter().flatten().any(|track| track.tally.ops + track.tally.errors > 0)
    }

    fn all_tracks(&mut self) -> impl Iterator<Item = &mut Track> {
        self.files.iter_mut().chain([&mut self.tracks]).flatten().flatten()
    }
}
