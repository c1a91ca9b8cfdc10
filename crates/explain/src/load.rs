//! A job of fio, with files, region, amount, rates and pauses as plimsoll would plan them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::beside::{awaited, changers, flow, reported_with, shares_its_trace};
use super::depth_fio::depths_beside;
use super::explanation::ExplainedLoad;
use super::figures::{bytes, count};
use super::files_fio::{is_device, on_files_only};
use super::reach::share_changed;
use fio::{Amount, FioJob, FioRequest, JobOptions, LaysOut, OnDisk, OnDiskKind, Pattern};
use workload::{
    Act, Direction, Job, Lengths, LengthsBy, Order, Pace, StopRule, Think, ThinkCount, ThinkPace, ThinkQueue,
};

/// Length given to everything that exists, because its real one is not known here: a percentage of it is known to be none too.
const ANY_LENGTH: u64 = 1 << 62;
/// Lengths and amounts from this value on are unknown: they come from [`ANY_LENGTH`], not from the words.
const UNKNOWN: u64 = 1 << 52;
/// Length of a region, in blocks, below which the mean of drawn lengths says nothing.
const SHORT: u64 = 64;
/// Most files of a clone for which a load is planned.
const FILES_MOST: usize = 2000;

/// Place of a job in the order: its step, and within it how many jobs wait for each other before it.
pub type Turn = (usize, usize);

/// A job as fio understands it, with its planned load.
pub struct PlannedJob {
    /// The job; its typed options include those of all jobs. A mix of 0 or 100 % reads has one direction only.
    pub job: FioJob,
    /// The first and the last clone; empty if the job is not planned here, such as one that replays a trace.
    clones: Vec<Job>,
    stop: Vec<StopRule>,
    /// Whether the command forbids any change (`--readonly`).
    pub changes_nothing: bool,
    /// Names of other jobs that write to the same part of a file at the same time.
    pub also_written_by: Vec<String>,
    /// The same for those that trim it.
    pub also_trimmed_by: Vec<String>,
    /// Share of the I/Os of its flow, and the names of the other jobs in it, if there are any.
    pub flow: Option<(f64, Vec<String>)>,
    /// Whether another job writes its trace into the same file.
    pub shares_its_trace: bool,
    /// Whether a job before it in the command uses the same files, and so makes those that are missing.
    pub made_by_others: bool,
    /// Number of the job, from 0.
    number: usize,
    /// Numbers of the jobs of its step that have ended before it begins.
    awaited: Vec<usize>,
    /// Whether other jobs run at the same time.
    pub runs_beside_others: bool,
    /// Most I/Os that those of them have in flight that load the same device or folder.
    pub in_flight_beside: u64,
    /// Whether fio takes the job for one that reads, whatever the share of reads in its mix, and so lays out its files.
    pub counts_as_reading: bool,
    /// Whether it is a mix of reads and writes, whatever the share of reads.
    pub is_mix: bool,
    /// For the first job of a report: the other jobs that it adds up.
    pub reported_with: Vec<String>,
    /// Whether it is the only job.
    pub is_alone: bool,
    /// Whether words are missing, which may be any options of the job.
    pub lacks_words: bool,
}

/// A rate limit of a copy.
pub struct HeldRate {
    /// The limited I/Os: reads, writes, trims, or all I/Os.
    pub what: &'static str,
    /// I/Os a second.
    pub iops: f64,
    /// Bytes a second, if the limit was typed in bytes.
    pub bytes: Option<u64>,
}

/// Returns every requested job, without its clones.
pub fn planned(asked: &FioRequest) -> Vec<PlannedJob> {
    let mut alone = asked.clone();
    alone.jobs.clear();
    let mut jobs: Vec<PlannedJob> =
        asked.jobs.iter().filter(|job| job.clone == 0).map(|job| PlannedJob::of(job, &alone)).collect();
    let awaited: Vec<Vec<usize>> = (0..jobs.len()).map(|number| awaited(&jobs, number)).collect();
    for (number, (job, awaited)) in jobs.iter_mut().zip(awaited).enumerate() {
        (job.number, job.awaited) = (number, awaited);
    }
    let (depths, is_alone) = (depths_beside(&jobs), jobs.len() == 1);
    for (number, depth) in depths.into_iter().enumerate() {
        let job = &jobs[number];
        let also = changers(&jobs, job, |pattern| pattern.writes);
        let trimmed = changers(&jobs, job, |pattern| pattern.trims && !pattern.writes);
        let (shares, flow) = (shares_its_trace(&jobs, job), flow(&jobs, number));
        let made = jobs[..number].iter().any(|other| other.uses_a_file_of(job));
        let (report, beside) =
            (reported_with(&jobs, number), jobs.iter().any(|other| job.runs_beside(other)));
        let job = &mut jobs[number];
        (job.also_written_by, job.made_by_others, job.in_flight_beside) = (also, made, depth);
        (job.also_trimmed_by, job.flow, job.shares_its_trace) = (trimmed, flow, shares);
        (job.reported_with, job.runs_beside_others, job.is_alone) = (report, beside, is_alone);
    }
    jobs
}

fn known(figure: u64) -> Option<u64> {
    Some(figure).filter(|figure| *figure < UNKNOWN)
}

impl PlannedJob {
    /// Plans `job`; `asked` is its request, with an empty list of jobs.
    fn of(job: &FioJob, asked: &FioRequest) -> PlannedJob {
        let mut job = job.clone();
        job.echo.extend(asked.globals.iter().cloned());
        let options = &mut job.options;
        let changes_nothing = asked.lays_out == LaysOut::Nothing;
        options.allow_file_create &= !changes_nothing;
        let reads_back = options.verify.only && options.verify.is_on() && options.pattern.writes;
        if reads_back && options.engine.name != "null" {
            // What an earlier run wrote is read; nothing is written.
            options.pattern = Pattern { reads: true, writes: false, trims: false, ..options.pattern };
        }
        let (counts_as_reading, is_mix) = (options.pattern.reads, options.pattern.mixed());
        if options.pattern.mixed() {
            options.pattern.reads = options.rwmix_read > 0;
            options.pattern.writes = options.rwmix_read < 100;
        }
        let last = options.numjobs.saturating_sub(1);
        let numbers = if last > 0 { &[0, last][..] } else { &[0] };
        let clone = |clone: &u32| {
            let mut own = FioJob { clone: *clone, step: 0, label: clone.to_string(), ..job.clone() };
            own.options.time.wait_for = None;
            own
        };
        let clones = FioRequest {
            jobs: numbers.iter().map(clone).collect(),
            lays_out: LaysOut::Anything,
            ..asked.clone()
        };
        let folders = job.options.directory.as_deref().map(fio::split_list).unwrap_or_default();
        // A job that leaves holes goes round in a file of its own size, and not in a longer one.
        let sized = matches!(job.options.size, Some(Amount::Bytes(_))) || job.options.filesize > 0;
        let is_made = sized
            && job.options.allow_file_create
            && job.options.rw_number > 0
            && !job.options.pattern.random;
        let look = |path: &Path| match on_disk(path, &folders) {
            file if is_made && file.kind == OnDiskKind::File => Some(OnDisk { bytes: 0, ..file }),
            other => Some(other),
        };
        let files = job.options.filename.as_deref().map_or(0, |names| names.matches(':').count());
        let is_small = files.max(job.options.nrfiles as usize) <= FILES_MOST;
        let plan = is_small.then(|| fio::steps(&clones, &look).ok()).flatten();
        let load = plan.and_then(|plan| plan.steps.into_iter().next()).map(|step| step.workload);
        let (clones, stop) = load.map_or_else(Default::default, |load| (load.jobs, load.stop));
        PlannedJob {
            job,
            clones,
            stop,
            changes_nothing,
            also_written_by: Vec::new(),
            also_trimmed_by: Vec::new(),
            flow: None,
            shares_its_trace: false,
            made_by_others: false,
            number: 0,
            awaited: Vec::new(),
            runs_beside_others: false,
            in_flight_beside: 0,
            counts_as_reading,
            is_mix,
            reported_with: Vec::new(),
            is_alone: false,
            lacks_words: false,
        }
    }

    /// Place of the job in the order.
    pub fn turn(&self) -> Turn {
        (self.job.step, self.awaited.len())
    }

    /// Whether another job can run at the same time.
    pub fn runs_beside(&self, other: &PlannedJob) -> bool {
        let waits = self.awaited.contains(&other.number) || other.awaited.contains(&self.number);
        self.number != other.number && self.job.step == other.job.step && !waits
    }

    /// Whether the job uses a file that `other` uses too.
    fn uses_a_file_of(&self, other: &PlannedJob) -> bool {
        let others: HashSet<&PathBuf> = other.files().0.iter().collect();
        self.files().0.iter().any(|path| others.contains(path))
    }

    /// Whether the job can come to what `other` uses while that runs.
    pub fn reaches_into(&self, other: &PlannedJob) -> bool {
        let span = |job: &PlannedJob| (job.extent().0.unwrap_or(0), job.end().unwrap_or(u64::MAX));
        let ((from, until), (start, end)) = (span(self), span(other));
        self.runs_beside(other) && self.uses_a_file_of(other) && from < end && start < until
    }

    /// The load of all copies in figures.
    pub fn figures(&self) -> ExplainedLoad {
        let options = self.options();
        let (pattern, does_io) = (options.pattern, !self.does_nothing());
        let reads_back = options.verify.only && options.verify.is_on();
        let ios = self.ios().filter(|_| does_io && self.is_determined());
        let rests_s = |ios: u64| self.held_s(ios).unwrap_or_else(|| self.rests_s(ios as f64, 0.0));
        ExplainedLoad {
            job: self.job.name.clone(),
            copies: options.numjobs,
            reads: pattern.reads && does_io,
            writes: pattern.writes && does_io,
            trims: pattern.trims && does_io,
            ios: ios.filter(|_| !reads_back),
            ios_are_exact: !self.is_mixed(),
            bytes: self.sized().filter(|_| does_io && self.falls_short().is_none()),
            from: self.extent().0,
            until: self.end(),
            reads_until: self.comes_to(Direction::Read),
            writes_until: self.comes_to(Direction::Write),
            share_changed: share_changed(self).filter(|_| pattern.destroys() && does_io),
            least_s: ios.map_or(0.0, rests_s),
            most_s: Some(options.runtime.as_secs_f64()).filter(|runtime| *runtime > 0.0),
        }
    }

    /// Whether it does no I/O: it only makes its files, or none of them has room for a block.
    pub fn does_nothing(&self) -> bool {
        self.options().create_only || self.has_no_room()
    }

    /// Whether each of its files is shorter than the shortest block.
    pub fn has_no_room(&self) -> bool {
        let options = self.options();
        let moves = options.engine.act() == Act::Move && options.trace.read.is_none();
        let is_short = |length: u64| length < options.shortest_block();
        moves && self.room().is_some_and(is_short) && !options.file_append
    }

    /// Length in bytes of the part of each file, also of files too many to be planned.
    pub fn room(&self) -> Option<u64> {
        let (options, files) = (self.options(), u64::from(self.options().nrfiles.max(1)));
        let typed = match (options.size, options.filesize) {
            _ if self.first().is_some() || !on_files_only(options) || options.opendir.is_some() => None,
            (_, length @ 1..) if options.filesize_least >= length => Some(length),
            (Some(Amount::Bytes(size)), 0) => Some(size / files),
            _ => None,
        };
        self.extent().1.or(typed)
    }

    /// The options of the job.
    pub fn options(&self) -> &JobOptions {
        &self.job.options
    }

    /// The value of the option `name`, if it was typed.
    pub fn typed(&self, name: &str) -> Option<&str> {
        self.job.echo.iter().find(|(typed, _)| typed == name).map(|(_, value)| value.as_str())
    }

    /// Whether the option `name` was typed, and does not say no.
    pub fn is_on(&self, name: &str) -> bool {
        self.typed(name).is_some_and(|value| value != "0")
    }

    /// The first clone as planned.
    pub fn first(&self) -> Option<&Job> {
        self.clones.first()
    }

    /// Files of the first clone, and those of the last if they differ.
    pub fn files(&self) -> (&[PathBuf], Option<&[PathBuf]>) {
        let first = self.first().map_or(&[][..], |job| job.files.as_slice());
        let last = self.clones.last().map(|job| job.files.as_slice());
        (first, last.filter(|last| *last != first))
    }

    /// Offset and length in bytes of the part of each file that the first clone uses, if they are known here.
    pub fn extent(&self) -> (Option<u64>, Option<u64>) {
        let Some(job) = self.first() else { return (None, None) };
        let length = job.size.filter(|_| job.sizes.is_empty()).and_then(|length| known(length.0));
        // A rest of one of several files that is shorter than a block is never reached.
        let block =
            self.length(Direction::Read).filter(|block| self.length(Direction::Write) == Some(*block));
        let is_mapped = !self.options().pattern.random || !self.options().has_no_map();
        let block = block.filter(|_| job.files.len() > 1 && is_mapped);
        let whole = |length: u64| block.map(|block| length - length % block).filter(|whole| *whole > 0);
        (known(job.offset.0), length.map(|length| whole(length).unwrap_or(length)))
    }

    /// End of the part that the last clone uses, if it is known here.
    pub fn end(&self) -> Option<u64> {
        let last = self.clones.last().filter(|_| self.clones.len() == self.planned_copies())?;
        known(last.offset.0.saturating_add(last.size?.0))
    }

    /// Lengths of the I/Os in a direction, with the share of each.
    pub fn lengths(&self, direction: Direction) -> Vec<(f64, Lengths)> {
        let Some(job) = self.first() else {
            return vec![(1.0, self.options().lengths(direction.index().min(2)))];
        };
        let blocks = &job.blocks;
        let random = match job.access.order {
            Order::Random(_) => 1.0,
            Order::Sequential => f64::from(*job.access.random_percent.of(direction)) / 100.0,
        };
        let all = match blocks.by {
            LengthsBy::Direction => vec![(1.0, blocks.of(direction).clone())],
            LengthsBy::Sequence => {
                vec![(1.0 - random, blocks.lengths.read.clone()), (random, blocks.lengths.write.clone())]
            }
        };
        all.into_iter().filter(|(share, _)| *share > 0.0).collect()
    }

    /// The length of all I/Os in a direction; `None` if there are several.
    pub fn length(&self, direction: Direction) -> Option<u64> {
        only(&self.lengths(direction))
    }

    /// Mean length in bytes of the I/Os in a direction.
    pub fn mean_of(&self, direction: Direction) -> f64 {
        self.lengths(direction).iter().map(|(share, lengths)| share * lengths.mean()).sum()
    }

    /// Whether the rates of both directions of a mix, and not its own share, decide how many of its I/Os are reads.
    pub fn rates_decide(&self) -> bool {
        let share = f64::from(self.options().rwmix_read) / 100.0;
        self.first().is_some_and(|job| job.write_pace.is_some())
            && (self.share(Direction::Read) - share).abs() > 0.005
    }

    /// Share of the I/Os in a direction: by the rates if both directions of a mix have one that no rest keeps it from,
    /// otherwise by the mix.
    pub fn share(&self, direction: Direction) -> f64 {
        let pattern = self.options().pattern;
        let Some(job) = self.first() else {
            let mixed = if pattern.mixed() { f64::from(self.options().rwmix_read) / 100.0 } else { 1.0 };
            let reads = if pattern.reads { mixed } else { 0.0 };
            let issued = [pattern.reads, pattern.writes, pattern.trims][direction.index().min(2)];
            let share = if direction == Direction::Read { reads } else { 1.0 - reads };
            return if issued { share } else { 0.0 };
        };
        let mix = job.access.mix;
        let mixed = mix.issues(Direction::Read) && mix.issues(Direction::Write);
        let rates = job.write_pace.filter(|_| mixed && !self.rests_below_its_rate());
        let rates = rates.and_then(|writes| Some((job.pace.rate()?.0, writes.rate()?.0)));
        let reads = match rates {
            Some((reads, writes)) => reads / (reads + writes),
            None => f64::from(mix.read_percent()) / 100.0,
        };
        let others = mix.directions().filter(|one| *one != Direction::Read).count().max(1);
        match direction {
            Direction::Read => reads,
            other if mix.issues(other) => (1.0 - reads) / others as f64,
            _ => 0.0,
        }
    }

    /// Percentage of reads of a mix; `None` if only one of its directions has a rate, so that the volume decides, or the reads
    /// of a check in between count into their rate.
    pub fn read_percent(&self) -> Option<u64> {
        let verify = &self.options().verify;
        let is_checked = verify.is_on() && verify.backlog > 0;
        let by_volume = self.first().is_some_and(|job| {
            let read = job.pace.rate().is_some();
            job.write_pace.is_some_and(|writes| writes.rate().is_some() != read || read && is_checked)
        });
        (!by_volume || !self.options().pattern.mixed())
            .then(|| (100.0 * self.share(Direction::Read)).round() as u64)
    }

    /// Lengths of all I/Os, with the share of each.
    fn all_lengths(&self) -> Vec<(f64, Lengths)> {
        let of = |direction| {
            let all = self.share(direction);
            self.lengths(direction).into_iter().map(move |(share, lengths)| (all * share, lengths))
        };
        Direction::ALL.into_iter().flat_map(of).filter(|(share, _)| *share > 0.0).collect()
    }

    /// Mean length of an I/O in bytes.
    pub fn mean_block(&self) -> f64 {
        self.all_lengths().iter().map(|(share, lengths)| share * lengths.mean()).sum::<f64>().max(1.0)
    }

    fn rules(&self) -> impl Iterator<Item = &StopRule> {
        self.stop.iter().chain(self.first().into_iter().flat_map(|job| &job.stop))
    }

    /// Whether the job writes until no space is left.
    pub fn fills_the_volume(&self) -> bool {
        let options = self.options();
        let on_a_device = options.filename.as_deref().is_some_and(is_device);
        let has_no_size = options.size.is_none() && options.filesize == 0;
        options.fill_device && options.pattern.writes && has_no_size && !on_a_device
    }

    /// Whether all copies have a part of the same length.
    pub fn copies_are_alike(&self) -> bool {
        self.clones.iter().all(|clone| clone.size == self.clones[0].size && clone.stop == self.clones[0].stop)
    }

    /// Bytes after which a copy ends, apart from a limit in I/Os; `None` if unknown here, if copies differ, or if only time
    /// ends it.
    pub fn sized(&self) -> Option<u64> {
        let (options, is_drawn) = (self.options(), self.options().filesize_least < self.options().filesize);
        if !self.copies_are_alike() || is_drawn && options.io_size.is_none() {
            return None;
        }
        self.rules().find_map(|rule| match rule {
            StopRule::BytesEach(bytes) | StopRule::BytesInAll(bytes) => known(bytes.0),
            _ => None,
        })
    }

    /// I/Os that a copy does before it ends, if its words determine them. Of drawn lengths, those that no longer fit at the
    /// end of a short region are drawn again, so that their mean says nothing.
    pub fn ios(&self) -> Option<u64> {
        let options = self.options();
        // fio shortens what would overlap blocks that its map has already.
        let by_map = options.pattern.random && !options.has_no_map();
        let cut = by_map && options.bs_is_seq_rand && options.bs[0] != options.bs[1];
        if cut || self.is_mixed() && (by_map || self.read_percent().is_none()) {
            return None;
        }
        if self.is_too_short() || self.falls_short().is_some() {
            return None;
        }
        let counted = self.rules().find_map(|rule| match rule {
            StopRule::OpsEach(ios) => Some(*ios),
            _ => None,
        });
        let by_bytes = self.sized().map(|bytes| (bytes as f64 / self.mean_block()) as u64);
        counted.into_iter().chain(by_bytes).min()
    }

    /// Whether the lengths are drawn and the region holds too few of them for a mean to say anything.
    pub fn is_too_short(&self) -> bool {
        let longest = self.all_lengths().iter().map(|(_, lengths)| lengths.longest().0).max().unwrap_or(0);
        self.is_mixed() && self.extent().1.is_some_and(|region| region < longest.saturating_mul(SHORT))
    }

    /// Number of copies that are planned if each can begin: the first and the last.
    fn planned_copies(&self) -> usize {
        if self.job.options.numjobs > 1 { 2 } else { 1 }
    }

    /// Whether the words alone determine how many I/Os each copy does: all copies do as many, and none fails to begin.
    fn is_determined(&self) -> bool {
        let unknown = |rule: &StopRule| match rule {
            StopRule::BytesEach(bytes) | StopRule::BytesInAll(bytes) => known(bytes.0).is_none(),
            _ => false,
        };
        let alike = self.clones.len() == self.planned_copies() && self.copies_are_alike();
        // Of several lengths, those above the length of a zone never fit.
        let fit = self.first().is_none_or(|job| job.access.pieces.is_none() || !self.is_mixed());
        let options = self.options();
        let ends_unknown = options.numjobs > 1 && matches!(options.offset_increment, Amount::Percent(1..));
        alike && fit && !ends_unknown && !self.rules().any(unknown)
    }

    /// Whether the I/Os have several lengths.
    pub fn is_mixed(&self) -> bool {
        only(&self.all_lengths()).is_none()
    }

    /// The number of I/Os, in words.
    pub fn counted(&self, ios: u64) -> String {
        let plural = if ios == 1 { "" } else { "s" };
        let about = if self.is_mixed() || self.is_uneven() { "about " } else { "" };
        format!("{about}{} I/O{plural}", count(ios))
    }

    /// The number and the length of the I/Os, in words.
    pub fn described(&self, ios: u64) -> String {
        let mean = if self.is_mixed() { " on average" } else { "" };
        format!("{} of {}{mean}", self.counted(ios), bytes(self.mean_block() as u64))
    }

    /// The rate limits of a copy.
    pub fn rates(&self) -> Vec<HeldRate> {
        let Some(job) = self.first() else { return Vec::new() };
        let mix = job.access.mix;
        let all = match (mix.reads_only(), mix.issues(Direction::Write), mix.issues(Direction::Trim)) {
            (true, ..) => "reads",
            (false, true, false) => "writes",
            (false, false, true) => "trims",
            _ => "I/Os",
        };
        let paces = match job.write_pace {
            Some(writes) if mix.issues(Direction::Read) && mix.issues(Direction::Write) => {
                vec![("reads", job.pace), ("writes", writes)]
            }
            Some(writes) if !mix.reads_only() => vec![(all, writes)],
            Some(_) => vec![(all, job.pace)],
            None => vec![(all, job.pace)],
        };
        let options = self.options();
        let held = |(what, pace): (&'static str, Pace)| {
            let way = usize::from(what != "reads");
            let bytes = Some(options.rate[way]).filter(|rate| *rate > 0 && options.rate_iops[way] == 0);
            Some(HeldRate { what, iops: pace.rate()?.0, bytes })
        };
        paces.into_iter().filter_map(held).collect()
    }

    /// Whether the rests allow less than the lowest rate limit.
    pub fn rests_below_its_rate(&self) -> bool {
        let (Some(think), Some((each, _))) = (self.think(), self.between_rests()) else { return false };
        let most = each / think.pause.as_secs_f64();
        self.rates().iter().all(|held| most < held.iops)
    }

    /// When a copy rests, if it does.
    pub fn think(&self) -> Option<Think> {
        self.first()?.think
    }

    /// Most I/Os that a copy has in flight because its queue runs empty before each rest; `None` if no rest empties it.
    pub fn most_before_a_rest(&self) -> Option<u64> {
        let think =
            self.think().filter(|think| think.queue == ThinkQueue::Drained && think.every < u32::MAX)?;
        Some(u64::from(think.every.max(1)))
    }

    /// Most I/Os in flight in a copy: the depth, what it does between two rests that empty the queue, or all that it does.
    pub fn in_flight(&self, depth: u64) -> u64 {
        let depth = self.most_before_a_rest().map_or(depth, |most| depth.min(most));
        self.ios().map_or(depth, |ios| depth.min(ios.max(1)))
    }

    /// I/Os that a copy does between two rests, if a number of I/Os decides: on average, and at most. A queue runs empty for
    /// a rest, and what it completes then counts towards the next one.
    pub fn between_rests(&self) -> Option<(f64, u32)> {
        let job = self.first()?;
        let think = job.think.filter(|think| think.every < u32::MAX)?;
        let drains = think.queue == ThinkQueue::Drained && think.counted == ThinkCount::Done;
        let (every, depth) = (think.every, if drains { job.depth } else { 1 });
        Some(match every {
            1 => (1.0, 1),
            every if every >= depth => (f64::from(every), every),
            every => (f64::from(depth + every - 1) / 2.0, depth + every - 2),
        })
    }

    /// Seconds of pauses while a copy does `ios` I/Os in `busy_s` seconds of work. The first rest comes once the queue is full.
    fn rests_s(&self, ios: f64, busy_s: f64) -> f64 {
        let (Some(job), Some(think)) = (self.first(), self.think()) else { return 0.0 };
        let filled = if think.counted == ThinkCount::Done { f64::from(job.depth) - 1.0 } else { 0.0 };
        let by_count = self.between_rests().map_or(0.0, |(each, _)| ((ios - filled).max(0.0) / each).floor());
        let by_clock = think.after.map_or(0.0, |after| busy_s / after.as_secs_f64().max(1e-9));
        by_count.max(by_clock) * think.pause.as_secs_f64()
    }

    /// Seconds that `ios` I/Os of each copy take on a volume that does `iops` for all of them.
    pub fn takes_s(&self, ios: u64, iops: f64) -> f64 {
        let busy = ios as f64 * f64::from(self.options().numjobs) / iops;
        busy + self.rests_s(ios as f64, busy)
    }

    /// Seconds that `ios` I/Os take at the rate limits; `None` if some I/Os have no limit, or others count too.
    pub fn held_s(&self, ios: u64) -> Option<f64> {
        let job = self.read_percent().and(self.first())?;
        let mix = job.access.mix;
        let writes = job.write_pace.filter(|_| mix.issues(Direction::Write));
        let others = Some(job.pace).filter(|_| writes.is_none() || mix.issues(Direction::Read));
        let rate = |pace: Option<Pace>| pace.map_or(Some(0.0), |pace| Some(pace.rate()?.0));
        // The first I/O is due at once.
        let (ios, paced) = (ios as f64, ios.saturating_sub(1) as f64 / (rate(others)? + rate(writes)?));
        // A pace that is kept makes up for the pauses.
        Some(match job.think.map(|think| think.pace) {
            Some(ThinkPace::Moved) => paced + self.rests_s(ios, paced),
            Some(ThinkPace::Kept) => paced.max(self.rests_s(ios, 0.0)),
            None => paced,
        })
    }
}

/// The file, device or directory that is assumed to exist at `path`.
fn on_disk(path: &Path, folders: &[String]) -> OnDisk {
    let kind = match path.to_str() {
        _ if folders.iter().any(|folder| Path::new(folder) == path) => OnDiskKind::Directory,
        Some(name) if is_device(name) => OnDiskKind::Device { held_by: None },
        _ => OnDiskKind::File,
    };
    OnDisk { bytes: ANY_LENGTH, kind, laid_out: true }
}

/// The length of all I/Os, if they have only one.
fn only(lengths: &[(f64, Lengths)]) -> Option<u64> {
    let first = lengths.first()?.1.shortest();
    let is_it = |(_, one): &(f64, Lengths)| one.shortest() == first && one.longest() == first;
    lengths.iter().all(is_it).then_some(first.0)
}
