//! Turns a request and the state of the disk into steps that can be run one after another.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use workload::{
    Act, BackendKind, BlockSizes, Buffers, Bytes, Content, Direction, EarlierWrites, Flush, Job, Layout,
    LayoutFile, Nanos, Overlap, Replaces, Reserve, Start, StopRule, Verify, WhenFull, Workload,
};

use super::amounts::{is_exceeded_by_fio, pass, passes, stop_rules, writes_all};
use super::asked::{FioJob, FioRequest, LaysOut};
use super::batching;
use super::bounds;
use super::data::{blocks, buffers};
use super::error::{FioError, Lacking};
use super::files::{Look, OnDisk, OnDiskKind, Region, paths, region, region_of_nothing};
use super::flushing;
use super::lengths;
use super::options::JobOptions;
use super::pace;
use super::recording;
use super::replaying;
use super::ring;
use super::terms::TimeOptions;
use super::timing::{share_times, timed};
use super::verify::verify;

/// Jobs that run side by side, and what to do before and after them.
#[derive(Clone, Debug, PartialEq)]
pub struct FioStep {
    /// The load to run. Each clone is a separate job with one worker, named by its [`FioJob::label`].
    pub workload: Workload,
    /// Length of a record interval.
    pub interval: Nanos,
    /// Whether no step follows if a job of this step has ended.
    pub last: bool,
    /// Whether no step follows if a job of this step has failed.
    pub last_if_failed: bool,
    /// Jobs whose region is what their files hold when the step begins.
    pub(crate) by_length: Vec<FioJob>,
    /// Files to lay out. fio lays out the files of all steps before the first step starts.
    pub layouts: Vec<Layout>,
    /// Files to drop from the page cache before the step.
    pub drop_cache: Vec<PathBuf>,
    /// Files of which the page cache is told that they are read at random.
    pub random_hint: Vec<PathBuf>,
    /// Files of which it is told that they are read from front to back.
    pub sequential_hint: Vec<PathBuf>,
    /// Files to read into the page cache before the step.
    pub read_ahead: Vec<PathBuf>,
    /// Files to flush at the end of the step.
    pub flush_at_end: Vec<PathBuf>,
    /// Files to remove at the very end.
    pub remove_at_end: Vec<PathBuf>,
}

/// The requested jobs that can run, in steps, and those that cannot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlannedSteps {
    /// The steps; a step in which no job can run is included, without jobs.
    pub steps: Vec<FioStep>,
    /// Jobs that fail before they begin; the others run without them.
    pub unrunnable: Vec<Unrunnable>,
    /// Remarks on what fio does otherwise with the files as they are.
    pub notes: Vec<String>,
}

/// Jobs that cannot run.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrunnable {
    /// The jobs, as indices into the requested ones.
    pub jobs: Vec<usize>,
    /// The reason.
    pub error: FioError,
}

impl PlannedSteps {
    /// The steps, for a caller that runs all of them or none.
    ///
    /// # Errors
    /// The first reason why a job cannot run.
    pub fn whole(self) -> Result<Vec<FioStep>, FioError> {
        self.unrunnable.into_iter().next().map_or(Ok(self.steps), |unrunnable| Err(unrunnable.error))
    }
}

impl FioStep {
    /// The load to run if the run began `elapsed` ago: start delays count from the run's start, whatever has run since, and
    /// regions that depend on what earlier steps have written end where their files now end.
    pub fn workload_after(&self, elapsed: Nanos) -> Workload {
        let mut workload = self.workload.clone();
        for job in &mut workload.jobs {
            if let Some(asked) = self.by_length.iter().find(|asked| asked.label == job.name) {
                *job = lengths::now(asked, job);
            }
            job.delay = job.delay.since(elapsed);
        }
        workload
    }

    /// Sets how far an earlier run of the job `label` came.
    pub fn know(&mut self, label: &str, known: EarlierWrites) {
        for job in self.workload.jobs.iter_mut().filter(|job| job.name == label) {
            if let Verify::On(verification) = &mut job.verify {
                verification.known = Some(known);
            }
        }
    }

    /// Removes the job `label`, which failed before it began; other jobs no longer wait for it.
    pub fn leave_out(&mut self, label: &str) {
        self.workload.jobs.retain(|job| job.name != label);
        for job in &mut self.workload.jobs {
            let Start::After(awaited) = &mut job.start else { continue };
            awaited.retain(|known| known != label);
            if awaited.is_empty() {
                job.start = Start::WithStep;
            }
        }
    }

    /// Names of the jobs that use any of `paths`.
    pub fn users_of(&self, paths: &[PathBuf]) -> Vec<String> {
        let on_it = |job: &&Job| job.files.iter().any(|path| paths.contains(path));
        self.workload.jobs.iter().filter(on_it).map(|job| job.name.clone()).collect()
    }

    /// Longest duration of the step, ramps and delays included; `None` if a job has no time limit.
    pub fn most(&self) -> Option<Nanos> {
        let time = |rule: &StopRule| if let StopRule::Time(time) = rule { Some(*time) } else { None };
        let workload = &self.workload;
        if let Some(time) = workload.stop.iter().find_map(time) {
            return Some(time + workload.ramp);
        }
        let of_job =
            |job: &Job| Some(job.delay + job.ramp.unwrap_or(workload.ramp) + job.stop.iter().find_map(time)?);
        let each: Option<Vec<Nanos>> = workload.jobs.iter().map(of_job).collect();
        each?.into_iter().max()
    }
}

/// Returns the line that fio prints when it lays out files.
pub fn announcement(layout: &Layout) -> String {
    let (plural, all) = if layout.files.len() > 1 { ("s", "total ") } else { ("", "") };
    let (count, mib) = (layout.files.len(), layout.bytes().0 >> 20);
    format!("{}: Laying out IO file{plural} ({count} file{plural} / {all}{mib}MiB)\n", layout.job)
}

/// Works out the steps of `asked`. A job that cannot run is left out and listed separately, as in fio, which notices it once
/// all others are set up.
///
/// # Errors
/// [`FioError`] if nothing may run: a device is in use, a directory is missing, or a job waits for a job that does not
/// precede it.
pub fn steps(asked: &FioRequest, look: Look) -> Result<PlannedSteps, FioError> {
    let mut planner = Planner { asked, look, planned: HashMap::new(), steps: Vec::new(), notes: Vec::new() };
    let mut unrunnable: Vec<Unrunnable> = Vec::new();
    for (number, job) in asked.jobs.iter().enumerate() {
        planner.open_step(job);
        match planner.add(job) {
            Err(error) if error.is_of_a_job() => note_unrunnable(&mut unrunnable, number, error),
            added => added?,
        }
    }
    let mut steps = planner.steps;
    let failed = unrunnable.iter_mut().flat_map(|unrunnable| {
        if let FioError::NeedSize { corrected, .. } = &mut unrunnable.error {
            *corrected = with_a_size(&asked.words);
        }
        &unrunnable.jobs
    });
    for job in failed.filter_map(|&number| asked.jobs.get(number)) {
        steps.iter_mut().for_each(|step| step.leave_out(&job.label));
    }
    for step in &mut steps {
        // The amount of a job is not known before its region.
        if step.by_length.is_empty() {
            share_times(&mut step.workload);
        }
        step.last = TimeOptions::ends_the_run(asked);
        step.last_if_failed = step.last || TimeOptions::error_ends_the_run(asked);
    }
    Ok(PlannedSteps { steps, unrunnable, notes: planner.notes })
}

/// Records a job that cannot run. Jobs without a size are listed together, because one remedy is enough for all.
fn note_unrunnable(unrunnable: &mut Vec<Unrunnable>, number: usize, error: FioError) {
    let known = unrunnable.iter_mut().find(|known| matches!(known.error, FioError::NeedSize { .. }));
    match (known, error) {
        (
            Some(Unrunnable { jobs, error: FioError::NeedSize { jobs: lacking, .. } }),
            FioError::NeedSize { jobs: more, .. },
        ) => {
            jobs.push(number);
            lacking.extend(more);
        }
        (_, error) => unrunnable.push(Unrunnable { jobs: vec![number], error }),
    }
}

/// A file as it will be once it is laid out, before its first reader runs.
struct PlannedFile {
    /// Length with all that jobs may write.
    bytes: u64,
    /// Length before they write: data is laid out or space reserved up to here.
    laid_out: u64,
    /// Length up to which a job writes over all that is there.
    written: u64,
    step: usize,
    layout: usize,
}

struct Planner<'l> {
    asked: &'l FioRequest,
    look: Look<'l>,
    planned: HashMap<PathBuf, PlannedFile>,
    steps: Vec<FioStep>,
    notes: Vec<String>,
}

impl Planner<'_> {
    fn add(&mut self, job: &FioJob) -> Result<(), FioError> {
        let options = &job.options;
        if options.trace.read.is_some() {
            return self.add_replay(job);
        }
        let by_length = self.is_by_length(job);
        let region = self.region(job, by_length)?;
        recording::names_fit(options, &region.paths)?;
        let act = options.engine.act();
        match self.steps.get_mut(job.step).filter(|_| by_length && !act.is_of_names()) {
            Some(step) => step.by_length.push(job.clone()),
            None => self.lay_out(job, &region)?,
        }
        if options.create_only {
            return Ok(());
        }
        self.note_differences(job, &region);
        let region = if act.is_of_names() { region.of_names(options.shortest_block()) } else { region };
        let work = timed(work(job, &region)?, job, self.asked)?;
        self.push(job, work, &region);
        Ok(())
    }

    fn note_differences(&mut self, job: &FioJob, region: &Region) {
        let options = &job.options;
        let is_file = |path| self.there(path).is_none_or(|found| found.kind == OnDiskKind::File);
        let trims = options.pattern.trims && options.engine.act() == Act::Move;
        let notes = [
            (trims && region.paths.iter().any(is_file), "trims punch holes into a file, at which fio fails"),
            (
                is_exceeded_by_fio(options, region),
                "zonemode=strided stays within size; fio goes on behind it, up to the end of the file or device",
            ),
        ];
        let told = notes.into_iter().filter(|(differs, _)| *differs);
        self.notes.extend(told.map(|(_, note)| format!("{}: {note}", job.name)));
    }

    /// Adds a job that replays a trace. It works on the files that the trace names, as they are; a missing file is created
    /// empty if the trace writes to it, and is an error otherwise.
    fn add_replay(&mut self, job: &FioJob) -> Result<(), FioError> {
        let trace = match job.trace.as_deref() {
            Some(Ok(trace)) => trace,
            Some(Err(error)) => return Err(error.clone()),
            None => {
                return Err(FioError::refused("read_iolog", "only `plimsoll fio` itself replays a trace"));
            }
        };
        let region = Region { paths: trace.files.clone(), ..Region::default() };
        let on_nothing = job.options.engine.backend() == Some(BackendKind::Null);
        for (path, &changes) in trace.files.iter().zip(&trace.replay.changed).filter(|_| !on_nothing) {
            let there = self.there(path);
            refuse_unusable(&job.options, path, there.as_ref(), changes)?;
            if there.is_none() && changes {
                self.make_empty(job, path)?;
            }
        }
        if job.options.create_only {
            return Ok(());
        }
        let work = replaying::job(work(job, &region)?, &job.options, trace);
        let work = timed(work, job, self.asked)?;
        self.push(job, work, &region);
        Ok(())
    }

    /// Plans to create an empty file at `path`.
    fn make_empty(&mut self, job: &FioJob, path: &Path) -> Result<(), FioError> {
        if !job.options.allow_file_create {
            return Err(FioError::CreationDisallowed { path: path.display().to_string() });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !matches!((self.look)(folder), Some(OnDisk { kind: OnDiskKind::Directory, .. })) {
            let why = format!("{}: its directory is missing, and a trace makes none", path.display());
            return Err(FioError::Setup { call: "open", errno: ENOENT, why });
        }
        let Some(step) = self.steps.get_mut(job.step) else {
            return Ok(());
        };
        let file = LayoutFile { path: path.to_owned(), bytes: 0, there: 0, replaces: Replaces::Anything };
        let content = Content::Space(Reserve::None);
        step.layouts.push(Layout { job: job.name.clone(), files: vec![file], content });
        Ok(())
    }

    /// Adds `work` to the step of `job`, with the actions on its files before and after the load.
    fn push(&mut self, job: &FioJob, work: Job, region: &Region) {
        let options = &job.options;
        let Some(step) = self.steps.get_mut(job.step) else {
            return;
        };
        let (writes, act) = (work.access.mix.issues(Direction::Write), options.engine.act());
        step.workload.jobs.push(work);
        let random = match options.fadvise_hint {
            "" | "1" => Some(options.pattern.random),
            word => (word == "random").then_some(true).or((word == "sequential").then_some(false)),
        };
        let random = random.filter(|_| act == Act::Move && !options.direct);
        let lists = [
            (random == Some(true), &mut step.random_hint),
            (random == Some(false), &mut step.sequential_hint),
            (options.invalidate && !options.pre_read && act == Act::Move, &mut step.drop_cache),
            ((options.end_fsync || options.fsync_on_close) && writes, &mut step.flush_at_end),
            (options.unlink && !options.engine.is_of_folders(), &mut step.remove_at_end),
            (options.pre_read && !options.direct && !act.is_of_names(), &mut step.read_ahead),
        ];
        for (wanted, list) in lists {
            for path in region.paths.iter().filter(|_| wanted) {
                if !list.contains(path) {
                    list.push(path.clone());
                }
            }
        }
    }

    /// Starts the step of `job`, if the job is its first.
    fn open_step(&mut self, job: &FioJob) {
        if job.step < self.steps.len() {
            return;
        }
        self.steps.push(FioStep {
            workload: Workload { jobs: Vec::new(), stop: Vec::new(), ramp: Nanos::ZERO },
            interval: job.options.bwavgtime.max(Nanos::from_millis(1)),
            last: false,
            last_if_failed: false,
            by_length: Vec::new(),
            layouts: Vec::new(),
            drop_cache: Vec::new(),
            random_hint: Vec::new(),
            sequential_hint: Vec::new(),
            read_ahead: Vec::new(),
            flush_at_end: Vec::new(),
            remove_at_end: Vec::new(),
        });
    }

    /// Whether the region of `job` depends on how much jobs of earlier steps will have written.
    fn is_by_length(&self, job: &FioJob) -> bool {
        let grows = |path| {
            let planned = self.planned.get(path).filter(|planned| planned.step < job.step);
            planned.is_some_and(|planned| planned.bytes > planned.laid_out)
        };
        lengths::decide_for(job) && paths(job).iter().any(grows)
    }

    fn region(&self, job: &FioJob, by_length: bool) -> Result<Region, FioError> {
        if job.options.engine.backend() == Some(BackendKind::Null) {
            return region_of_nothing(job);
        }
        let typed = job.options.directory.as_deref().unwrap_or_default();
        for path in super::files::split_list(typed) {
            match (self.look)(path.as_ref()) {
                Some(OnDisk { kind: OnDiskKind::Directory, .. }) => {}
                _ => return Err(FioError::NotADirectory { path, typed: typed.to_owned() }),
            }
        }
        let paths = paths(job);
        let most = |planned: &PlannedFile| if by_length { planned.bytes } else { 0 };
        let found = |path| {
            let most = self.planned.get(path).map_or(0, most);
            self.there(path).map(|found| OnDisk { bytes: found.bytes.max(most), ..found })
        };
        let there: Vec<Option<OnDisk>> = paths.iter().map(found).collect();
        for (path, found) in paths.iter().zip(&there) {
            refuse_unusable(&job.options, path, found.as_ref(), job.options.destroys())?;
        }
        region(job, paths, &there)
    }

    /// The file or device at `path`, as it is now or will be once the files of earlier jobs are laid out, before any job
    /// writes.
    fn there(&self, path: &PathBuf) -> Option<OnDisk> {
        let found = (self.look)(path);
        let planned = self.planned.get(path).map(|planned| planned.laid_out);
        match found {
            Some(on_disk) => Some(OnDisk { bytes: on_disk.bytes.max(planned.unwrap_or(0)), ..on_disk }),
            None => planned.map(|bytes| OnDisk { bytes, kind: OnDiskKind::File, laid_out: true }),
        }
    }

    fn lay_out(&mut self, job: &FioJob, region: &Region) -> Result<(), FioError> {
        let options = &job.options;
        let act = options.engine.act();
        if matches!(act, Act::MakeFile | Act::MakeFolder) {
            return Ok(());
        }
        let is_read = options.pattern.reads || options.pattern.trims || options.overwrite;
        let must_hold_data = is_read && !matches!(act, Act::Reserve | Act::Cut);
        let mut files = Vec::new();
        for (path, end) in region.files() {
            let there = self.there(path);
            if act.is_of_names() && there.is_some() {
                // The file's length does not matter to the job, so the file stays as it is.
                continue;
            }
            let is_file = there.as_ref().is_none_or(|found| found.kind == OnDiskKind::File);
            let bytes = there.map_or(0, |found| found.bytes);
            if is_file && bytes < end {
                files.push(self.layout_file(job, path, end)?);
            } else if must_hold_data {
                self.fill(path, job.step, buffers(options));
            }
        }
        let missing = |file: &&LayoutFile| (self.look)(&file.path).is_none();
        if !options.allow_file_create
            && let Some(file) = files.iter().find(missing)
        {
            return Err(FioError::CreationDisallowed { path: file.path.display().to_string() });
        }
        if files.is_empty() {
            return Ok(());
        }
        let Some(step) = self.steps.get_mut(job.step) else {
            return Ok(());
        };
        let content = if options.engine.is_of_folders() {
            Content::Folder
        } else if must_hold_data {
            Content::Data(buffers(options))
        } else {
            // For a file to be filled until no space is left, nothing is reserved beforehand, because that would fail.
            Content::Space(if options.fill_device { Reserve::None } else { reserve(options.fallocate) })
        };
        let grows = matches!(content, Content::Space(Reserve::None | Reserve::Keep));
        for file in &files {
            let known = self.planned.get(&file.path);
            let laid_out = if grows { known.map_or(file.there, |known| known.laid_out) } else { file.bytes };
            let bytes = known.map_or(0, |known| known.bytes).max(file.bytes);
            let written = if writes_all(options) { file.bytes } else { 0 };
            let written = known.map_or(0, |known| known.written).max(written);
            let planned =
                PlannedFile { bytes, laid_out, written, step: job.step, layout: step.layouts.len() };
            self.planned.insert(file.path.clone(), planned);
        }
        step.layouts.push(Layout { job: job.name.clone(), files, content });
        Ok(())
    }

    /// The layout of the file at `path` that `job` needs, if the file may be laid out.
    fn layout_file(&self, job: &FioJob, path: &Path, bytes: u64) -> Result<LayoutFile, FioError> {
        let found = (self.look)(path);
        let there = found.as_ref().map(|found| found.bytes);
        let reads_alone = job.options.verify.only || job.options.pattern.reads && !job.options.destroys();
        // A file that an earlier job writes over up to this length, whatever the volume does, is no longer somebody else's.
        let is_written = self.planned.get(path).is_some_and(|planned| planned.written >= bytes);
        let is_foreign = found.is_some_and(|found| !found.laid_out) && !is_written;
        let lacking = || Lacking { job: job.name.clone(), path: path.to_owned(), there, wanted: bytes };
        match self.asked.lays_out {
            LaysOut::Nothing => return Err(FioError::ReadonlyExtend(lacking())),
            LaysOut::Ours if reads_alone && is_foreign => return Err(FioError::NotOurs(lacking())),
            _ => {}
        }
        let replaces = match self.asked.lays_out {
            LaysOut::Ours if reads_alone => Replaces::Ours,
            _ => Replaces::Anything,
        };
        Ok(LayoutFile { path: path.to_owned(), bytes, there: there.unwrap_or(0), replaces })
    }

    /// Fills a file with data that a job of the same step reads, but for which a writer would only reserve space: fio
    /// reads its unwritten extents instead, at a speed that no device has.
    fn fill(&mut self, path: &PathBuf, step: usize, buffers: Buffers) {
        let Some(planned) = self.planned.get(path).filter(|planned| planned.step == step) else {
            return;
        };
        let layouts = self.steps.get_mut(planned.step).map(|step| &mut step.layouts);
        if let Some(layout) = layouts.and_then(|layouts| layouts.get_mut(planned.layout)) {
            layout.content = Content::Data(buffers);
        }
    }
}

// Error numbers of Linux, as fio reports them.
const ENOENT: i32 = 2;
const ENOTBLK: i32 = 15;
const EISDIR: i32 = 21;

/// Refuses what a job cannot use at `path`: a device in use that it would change, a device that it would create or
/// remove, a directory in place of a file.
fn refuse_unusable(
    options: &JobOptions,
    path: &Path,
    found: Option<&OnDisk>,
    changes: bool,
) -> Result<(), FioError> {
    match found.map(|on_disk| &on_disk.kind) {
        Some(OnDiskKind::Device { held_by: Some(by) }) if changes => {
            Err(FioError::Mounted { path: path.display().to_string(), by: by.clone() })
        }
        Some(OnDiskKind::Device { .. }) if options.engine.act().is_of_names() && options.destroys() => {
            let why = format!("{} is a device: only regular files are made and removed", path.display());
            Err(FioError::Setup { call: "open", errno: ENOTBLK, why })
        }
        Some(OnDiskKind::Directory) if options.engine.is_of_folders() => Ok(()),
        Some(OnDiskKind::Directory) => {
            let why = format!("{} is a directory: name a file in it, or give directory=", path.display());
            Err(FioError::Setup { call: "open", errno: EISDIR, why })
        }
        _ => Ok(()),
    }
}

pub(super) fn work(job: &FioJob, region: &Region) -> Result<Job, FioError> {
    let options = &job.options;
    let paced = pace::of(options).drawn_for(job);
    let depth = if options.engine.is_synchronous() { 1 } else { options.iodepth };
    let names = options.engine.act().is_of_names();
    let used = options.keeps_to().unwrap_or(usize::MAX);
    Ok(Job {
        name: job.label.clone(),
        files: region.paths.iter().take(used).cloned().collect(),
        offset: Bytes(region.offset),
        size: Some(Bytes(region.bytes)),
        sizes: region.each.iter().take(used).copied().map(Bytes).collect(),
        access: paced.access,
        blocks: if names { BlockSizes::all(Bytes(region.bytes)) } else { blocks(options) },
        depth,
        batching: batching::of(options.batch, depth),
        ring: ring::of(options.ring),
        calls: flushing::calls(options),
        when_full: if options.fill_device { WhenFull::Ends } else { WhenFull::Fails },
        overlap: if options.serialize_overlap { Overlap::HeldBack } else { Overlap::Allowed },
        forget_each: pass(options, region).map(Bytes),
        clones: 1,
        pace: paced.pace,
        write_pace: paced.write_pace,
        bounds: bounds::bounds(options),
        steering: bounds::steering(options),
        flow: bounds::flow(options),
        backend: options.engine.ask(),
        direct: options.direct,
        buffers: buffers(options),
        flush: if names { Flush::Never } else { flushing::flush(options) },
        verify: verify(job, passes(options, region)),
        seed: job.seed,
        cpus: cpus(job),
        trace: options.logs.any(),
        tells_issues: options.trace.write.is_some(),
        stop: stop_rules(options, region),
        ramp: Some(options.ramp_time),
        ..Job::named(&job.label)
    })
}

fn cpus(job: &FioJob) -> Vec<u32> {
    let cpus = &job.options.cpus;
    match cpus.len() {
        0 => Vec::new(),
        many if job.options.cpus_split => vec![cpus[job.clone as usize % many]],
        _ => cpus.clone(),
    }
}

fn reserve(word: &str) -> Reserve {
    match word {
        "none" | "0" => Reserve::None,
        "posix" | "1" => Reserve::Posix,
        "keep" => Reserve::Keep,
        "truncate" => Reserve::Truncate,
        _ => Reserve::Native,
    }
}

/// Returns the command line with a size added.
fn with_a_size(words: &[String]) -> String {
    // With a size the file is made, which these words forbid.
    let forbids = |word: &&String| {
        let bare = word.trim_start_matches('-');
        // A share of a missing file is no size.
        let is_share =
            bare.split_once('=').is_some_and(|(name, value)| name == "size" && value.ends_with('%'));
        matches!(bare, "allow_file_create=0" | "readonly") || is_share
    };
    let kept = words.iter().filter(|word| !forbids(word));
    let words: Vec<String> = kept.map(|word| super::showcmd::quoted(word)).collect();
    format!("fio --size=1g {}", words.join(" "))
}
