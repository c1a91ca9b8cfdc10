//! The runs of several machines as one: sums and histograms are those of all I/Os together, exactly.

use workload::{
    Ending, LeftOutReason, LeftOutStep, MergedMachine, MergedPart, MergedRequest, Nanos, ProcedureRequest,
    StepKind,
};

use crate::{Event, Interval, IoFailure, Note, Run, StepRecord, WorkerTotals};

/// Most failures that a step keeps.
const FAILURES_MOST: usize = 16;
/// Nanoseconds of a millisecond.
const MS: i128 = 1_000_000;

/// The run of one machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineRun {
    /// Name of the machine, which no other machine has.
    pub label: String,
    /// The run file.
    pub file: String,
    /// Correction of the machine's clock in nanoseconds; added to its times.
    pub clock_ns: i64,
    /// How far the corrected clock may still be off; `None` if unknown.
    pub clock_within: Option<Nanos>,
    /// The run.
    pub run: Run,
}

/// Why runs cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are fewer than two runs.
    #[error("one run has nothing to be merged with; name the run files of all machines")]
    One,
    /// Two machines have the same name.
    #[error("two runs are called '{label}'; give each a name of its own: NAME=FILE")]
    SameLabel {
        /// The name.
        label: String,
    },
    /// The run was merged from others.
    #[error("{file} was merged from other runs; name those instead: {sources}")]
    Merged {
        /// The run file.
        file: String,
        /// The files that it was merged from.
        sources: String,
    },
    /// The run has no step under load.
    #[error(
        "{file} holds no I/Os of plimsoll's own: a watch, and what other tools printed, cannot be merged"
    )]
    NoLoad {
        /// The run file.
        file: String,
    },
    /// The run does not say when it began.
    #[error("{file} does not say when it began, so it cannot be said what it overlaps")]
    NoTime {
        /// The run file.
        file: String,
    },
    /// The jobs of a step are too many to be numbered.
    #[error("step '{step}' has {jobs} jobs on all machines together; at most 65,535 can be merged")]
    TooMany {
        /// The step.
        step: String,
        /// Number of its jobs.
        jobs: usize,
    },
    /// No step ran on two machines at the same time.
    #[error("{}", nothing_shared(.0))]
    NothingShared(Vec<LeftOutStep>),
}

fn nothing_shared(left_out: &[LeftOutStep]) -> String {
    let is = |reason| left_out.iter().any(|one| one.reason == reason);
    let why = if is(LeftOutReason::Apart) {
        "the same steps ran at different times; start the machines together (--start-at TIME), or correct a wrong clock \
         (--clock NAME=+1.5s)"
    } else if is(LeftOutReason::CutShort) {
        "all but one of the machines that ran the same step were interrupted or failed"
    } else {
        "no two machines ran a step of the same name; run the same profile, plan or job file on all"
    };
    format!("nothing to merge: {why}")
}

/// A step of one machine, on the clock of the merged run.
struct Placed {
    machine: usize,
    step: StepRecord,
    moved_ns: i64,
}

/// Merges the runs of several machines. Steps of the same name whose counted spans have a whole interval in common
/// become one step; if every machine has a single step, names do not matter. Within a step, an interval is counted only
/// if all machines were counting, so that rates are those of the time that all have in common; the totals of the workers
/// stay whole. `words` is the command line.
///
/// # Errors
/// [`MergeError`].
pub fn merge(mut machines: Vec<MachineRun>, words: Vec<String>) -> Result<Run, MergeError> {
    machines.sort_by(|a, b| a.label.cmp(&b.label));
    mergeable(&machines)?;
    let began = |of: &MachineRun| {
        let ms = i128::from(of.run.started_unix_ms) * MS;
        of.run.started_unix_ns.map_or(ms, i128::from) + i128::from(of.clock_ns)
    };
    let zero_ms = machines.iter().map(began).min().unwrap_or(0).div_euclid(MS);
    let mut request = MergedRequest::default();
    let mut run = Run::started(words, u64::try_from(zero_ms).unwrap_or(0));
    let mut placed = Vec::new();
    for (machine, of) in machines.into_iter().enumerate() {
        let offset = i64::try_from(began(&of) - zero_ms * MS).unwrap_or(i64::MAX);
        let MachineRun { label, file, clock_ns, clock_within, run: own } = of;
        let told = own.events.into_iter().map(|event| Event {
            at: moved(event.at, offset),
            text: format!("{label}: {}", event.text),
            ..event
        });
        run.events.extend(told);
        let target = own.target.map_or_else(String::new, |target| target.words);
        request.machines.push(MergedMachine {
            label,
            target,
            file,
            version: own.version,
            clock_ns,
            clock_within,
        });
        for mut step in own.steps.into_iter().filter(is_load) {
            shift(&mut step, offset);
            placed.push(Placed { machine, step, moved_ns: 0 });
        }
    }
    run.events.sort_by_key(|event| event.at);
    for group in groups(placed) {
        let (together, left_out) = together(group);
        let names = &request.machines;
        request.left_out.extend(left_out);
        if let Some((step, parts)) = joined(together, names)? {
            run.steps.push(step);
            request.steps.push(parts);
        }
    }
    request.left_out.sort_by_key(|one| one.machine);
    if run.steps.is_empty() {
        return Err(MergeError::NothingShared(request.left_out));
    }
    run.asked = Some(ProcedureRequest::Merged(request));
    run.complete = true;
    Ok(run)
}

/// Refuses runs that cannot be merged.
fn mergeable(machines: &[MachineRun]) -> Result<(), MergeError> {
    if machines.len() < 2 {
        return Err(MergeError::One);
    }
    if let Some(pair) = machines.windows(2).find(|pair| pair[0].label == pair[1].label) {
        return Err(MergeError::SameLabel { label: pair[0].label.clone() });
    }
    for MachineRun { file, run, .. } in machines {
        let file = file.clone();
        if let Some(ProcedureRequest::Merged(of)) = &run.asked {
            let sources: Vec<&str> = of.machines.iter().map(|machine| machine.file.as_str()).collect();
            return Err(MergeError::Merged { file, sources: sources.join(", ") });
        }
        if !run.steps.iter().any(is_load) {
            return Err(MergeError::NoLoad { file });
        }
        if run.started_unix_ms == 0 {
            return Err(MergeError::NoTime { file });
        }
    }
    Ok(())
}

/// Whether a step measures a load: not a wait, and not the writing of data before one.
fn is_load(step: &StepRecord) -> bool {
    !matches!(step.plan.kind, StepKind::Idle | StepKind::Layout) && !step.workers.is_empty()
}

fn moved(at: Nanos, by: i64) -> Nanos {
    Nanos(at.0.saturating_add_signed(by))
}

/// Moves a step on the clock.
fn shift(step: &mut StepRecord, by: i64) {
    let times = [&mut step.started, &mut step.counted_from, &mut step.ended].into_iter();
    let of_intervals = step.intervals.iter_mut().flat_map(|one| [&mut one.start, &mut one.end]);
    let of_workers = step.workers.iter_mut().flat_map(|one| [&mut one.started, &mut one.ended]);
    let of_failures = step.failures.iter_mut().map(|one| &mut one.at);
    times.chain(of_intervals).chain(of_workers).chain(of_failures).for_each(|at| *at = moved(*at, by));
}

/// Returns the steps that belong together, in the order in which they began.
fn groups(placed: Vec<Placed>) -> Vec<Vec<Placed>> {
    let mut machines: Vec<usize> = placed.iter().map(|one| one.machine).collect();
    machines.dedup();
    let is_single = machines.len() == placed.len();
    let mut groups: Vec<Vec<Placed>> = Vec::new();
    for one in placed {
        let fits = |group: &&mut Vec<Placed>| {
            let alike = is_single || group[0].step.plan.name == one.step.plan.name;
            alike && group.iter().all(|other| other.machine != one.machine)
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.sort_by_key(|group| group.iter().map(|one| one.step.started).min());
    groups
}

/// Divides a group into the steps that ran at the same time, on the edges of common intervals, and those left out.
fn together(group: Vec<Placed>) -> (Vec<Placed>, Vec<LeftOutStep>) {
    let mut left_out = Vec::new();
    let mut leave = |gone: Vec<Placed>, reason: LeftOutReason| {
        let named =
            |one: Placed| LeftOutStep { machine: one.machine as u16, step: one.step.plan.name, reason };
        left_out.extend(gone.into_iter().map(named));
    };
    if group.len() < 2 {
        leave(group, LeftOutReason::Alone);
        return (Vec::new(), left_out);
    }
    let is_cut = |one: &Placed| matches!(one.step.ending, Ending::Interrupted | Ending::Failed);
    // If all were cut short, as by one Ctrl-C for the whole fleet, what they have in common still counts.
    let all_cut = group.iter().all(is_cut);
    let (cut, whole): (Vec<Placed>, Vec<Placed>) = group.into_iter().partition(|one| !all_cut && is_cut(one));
    leave(cut, LeftOutReason::CutShort);
    let runs_at = |one: &Placed, at: Nanos| one.step.counted_from <= at && at < one.step.ended;
    let at_once = |at: &Nanos| whole.iter().filter(|one| runs_at(one, *at)).count();
    let mut begins: Vec<Nanos> = whole.iter().map(|one| one.step.counted_from).collect();
    // The last of equals is taken by `max_by_key`: the earliest moment.
    begins.sort_by(|a, b| b.cmp(a));
    let busiest = begins.into_iter().max_by_key(at_once).unwrap_or_default();
    let (mut together, apart): (Vec<Placed>, Vec<Placed>) =
        whole.into_iter().partition(|one| runs_at(one, busiest));
    leave(apart, LeftOutReason::Apart);
    align(&mut together);
    if together.len() < 2 || !count_common(&mut together) {
        leave(std::mem::take(&mut together), LeftOutReason::Apart);
    }
    (together, left_out)
}

/// Moves the intervals of each machine onto the edges of the first machine's, by half an interval at most.
fn align(together: &mut [Placed]) {
    let first = together.iter().min_by_key(|one| one.step.started);
    let Some((edge, interval)) = first.map(|one| (one.step.started, one.step.plan.interval.0.max(1))) else {
        return;
    };
    for one in together {
        let off = one.step.started.since(edge).0 % interval;
        let by = if off * 2 < interval { -(off as i64) } else { (interval - off) as i64 };
        shift(&mut one.step, by);
        one.moved_ns = by;
    }
}

/// Leaves only those intervals counted in which all machines counted; returns whether there are any.
fn count_common(together: &mut [Placed]) -> bool {
    let counted = |one: &Placed| -> Vec<(Nanos, Nanos)> {
        let counted = one.step.intervals.iter().filter(|interval| interval.counted);
        counted.map(|interval| (interval.start, interval.end)).collect()
    };
    let of: Vec<Vec<(Nanos, Nanos)>> = together.iter().map(counted).collect();
    let (mut from, mut to) = (Nanos::ZERO, Nanos(u64::MAX));
    // An edge that one machine sets may lie within an interval of another, which then ends or begins the span.
    loop {
        let first = |of: &Vec<(Nanos, Nanos)>| of.iter().map(|one| one.0).filter(|at| *at >= from).min();
        let last = |of: &Vec<(Nanos, Nanos)>| of.iter().map(|one| one.1).filter(|at| *at <= to).max();
        let latest = of.iter().map(first).map(|at| at.unwrap_or(Nanos(u64::MAX))).max().unwrap_or(from);
        let earliest = of.iter().map(last).map(|at| at.unwrap_or(Nanos::ZERO)).min().unwrap_or(to);
        if (latest, earliest) == (from, to) || latest >= earliest {
            (from, to) = (latest, earliest);
            break;
        }
        (from, to) = (latest, earliest);
    }
    for interval in together.iter_mut().flat_map(|one| &mut one.step.intervals) {
        interval.counted &= interval.start >= from && interval.end <= to;
    }
    from < to
}

/// Returns the step of these machines, with their parts; `None` of no machines.
fn joined(
    together: Vec<Placed>,
    machines: &[MergedMachine],
) -> Result<Option<(StepRecord, Vec<MergedPart>)>, MergeError> {
    let jobs: usize = together.iter().map(|one| one.step.jobs.len()).sum();
    if let (Some(first), Err(_)) = (together.first(), u16::try_from(jobs)) {
        return Err(MergeError::TooMany { step: first.step.plan.name.clone(), jobs });
    }
    let mut parts = Vec::new();
    let own = |Placed { machine, step, moved_ns }: Placed| {
        parts.push(MergedPart {
            machine: machine as u16,
            jobs: step.jobs.len() as u16,
            counted_from: moved(step.counted_from, -moved_ns),
            ended: moved(step.ended, -moved_ns),
            moved_ns,
        });
        of_machine(step, &machines[machine].label)
    };
    let Some(mut step) = together.into_iter().map(own).reduce(add) else { return Ok(None) };
    step.intervals.sort_by_key(|interval| (interval.start, interval.job));
    step.failures.sort_by_key(|failure| failure.at);
    step.failures.truncate(FAILURES_MOST);
    Ok(Some((step, parts)))
}

/// Returns a machine's step with the machine's name before the names of its jobs and paths.
fn of_machine(mut step: StepRecord, label: &str) -> StepRecord {
    let named = |name: &str| format!("{label}: {name}");
    step.plan.kind = StepKind::Job;
    step.plan.choices.clear();
    step.plan.workers.iter_mut().for_each(|worker| worker.job = named(&worker.job));
    step.jobs.iter_mut().for_each(|job| *job = named(job));
    step.failures.iter_mut().for_each(|failure: &mut IoFailure| failure.path = named(&failure.path));
    step.notes.retain(|note| !matches!(note, Note::Features { .. }));
    step.workers.iter_mut().for_each(|worker| worker.ios.clear());
    step
}

/// Adds the step of another machine, whose jobs follow.
fn add(mut whole: StepRecord, other: StepRecord) -> StepRecord {
    let behind = whole.jobs.len() as u16;
    let job = |job: u16| job.saturating_add(behind);
    whole.plan.workers.extend(other.plan.workers);
    whole.jobs.extend(other.jobs);
    whole.started = whole.started.min(other.started);
    whole.counted_from = whole.counted_from.min(other.counted_from);
    whole.ended = whole.ended.max(other.ended);
    let intervals = other.intervals.into_iter();
    whole.intervals.extend(intervals.map(|one| Interval { job: job(one.job), ..one }));
    let workers = other.workers.into_iter();
    whole.workers.extend(workers.map(|one| WorkerTotals { job: job(one.job), ..one }));
    whole.failures.extend(other.failures);
    whole.notes.extend(other.notes);
    whole
}
