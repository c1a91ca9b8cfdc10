//! Turns the word after `--load` into a load: a fio job file, a profile, or a policy.

use std::path::{Path, PathBuf};

use experiments::{Profile, WatchLoad, profile_names};
use fio::{
    About, FioError, FioStep, Look, OnDisk, OnDiskKind, Place, PlannedSteps, Remark, Request, Surroundings,
};
use policy::Limits;
use workload::{BackendAsk, Bytes, Direction, Job, Nanos, PolicyName};

use super::asked::AskedLoad;
use crate::commands::fio as fio_command;
use session::failure::Failure;
use session::named_input::{InputError, JOB_FILE, NamedInput, WRITTEN};

/// Assumed length of a job's own files, large enough for any job: if the load runs elsewhere, they do not matter.
const ENDLESS: u64 = 1 << 50;

/// A load and its origin.
#[derive(Debug)]
pub struct SourcedLoad {
    /// The load.
    pub load: WatchLoad,
    /// The step of a fio job that runs on its own files, with what must be laid out, and how.
    pub step: Option<Box<FioStep>>,
    /// Highest offset that the jobs reach, if they state one.
    pub reach: Option<Bytes>,
    /// Limits of the policy from which the load was made.
    pub limits: Option<Limits>,
}

impl SourcedLoad {
    /// Returns the bytes that the job's own files lack.
    pub fn lacking(&self) -> Bytes {
        let layouts = self.step.iter().flat_map(|step| &step.layouts);
        Bytes(layouts.map(|layout| layout.bytes().0).sum())
    }
}

/// Finds the load that `asked` names.
///
/// # Errors
/// There is no such load, or it cannot run in phases.
pub fn find(asked: &AskedLoad) -> Result<SourcedLoad, Failure> {
    let loaded = match kind_of(&asked.word) {
        Kind::Toml => profile(&asked.word)?,
        Kind::JobFile => job_file(asked)?,
        Kind::Name => named(&asked.word)?,
    };
    if asked.scaled {
        loaded.load.can_be_scaled().map_err(Failure::refused)?;
    }
    Ok(loaded)
}

enum Kind {
    Toml,
    JobFile,
    Name,
}

/// File name extensions of fio's job files.
const JOB_FILES: [&str; 5] = ["fio", "ini", "cfg", "job", "conf"];

fn kind_of(word: &str) -> Kind {
    let path = Path::new(word);
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("toml") => Kind::Toml,
        Some(ending) if JOB_FILES.contains(&ending) => Kind::JobFile,
        _ if word.contains('/') || path.is_file() => Kind::JobFile,
        _ => Kind::Name,
    }
}

fn profile(path: &str) -> Result<SourcedLoad, Failure> {
    let text = NamedInput::typed(path, WRITTEN).text().map_err(|error| {
        let failure = unreadable(path, &error);
        Failure { message: format!("--load {}", failure.message), ..failure }
    })?;
    of_profile(&Profile::read(path, &text).map_err(Failure::refused)?)
}

fn unreadable(path: &str, error: &InputError) -> Failure {
    let why = match error {
        InputError::Closed(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "there is no such file".to_owned()
        }
        _ => format!("cannot be read: {error}"),
    };
    error.failure(format!("{path}: {why}; name a fio job file, a profile or a policy"))
}

fn of_profile(profile: &Profile) -> Result<SourcedLoad, Failure> {
    let load = WatchLoad::of_profile(profile).map_err(Failure::refused)?;
    Ok(SourcedLoad { load, step: None, reach: profile.size, limits: None })
}

/// Finds a profile or a policy by its name.
fn named(word: &str) -> Result<SourcedLoad, Failure> {
    if let Ok(profile) = Profile::builtin(word) {
        return of_profile(&profile);
    }
    let name = PolicyName::parse(word).map_err(Failure::refused)?;
    let limits = match policy::evaluate(&name) {
        Ok(limits) => limits,
        // If the policy is known and only a parameter is wrong, the policy's own error is reported.
        Err(error) if name.id != word => return Err(Failure::refused(format!("--load {word}: {error}"))),
        Err(error) => return Err(unknown(word, &error)),
    };
    let load = WatchLoad::of_policy(&limits).map_err(Failure::refused)?;
    Ok(SourcedLoad { load, step: None, reach: None, limits: Some(limits) })
}

fn unknown(word: &str, as_policy: &policy::PolicyError) -> Failure {
    if !matches!(as_policy, policy::PolicyError::UnknownPolicy { .. }) {
        return Failure::refused(format!("--load {word}: {as_policy}"));
    }
    let catalogue = policy::Catalogue::builtin();
    let ids = catalogue.list().iter().map(|policy| policy.id.as_str());
    let near = policy::nearest(word, profile_names().chain(ids));
    let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    let words = "no file, no profile and no policy is called so";
    Failure::refused(format!(
        "--load {word}: {words}{near} (plimsoll profile list and plimsoll policy list show what there is)"
    ))
}

/// A parsed fio job file.
pub struct JobFile {
    /// The jobs and options that it asks for.
    pub fio: Box<fio::FioRequest>,
    /// The steps that it runs, one after the other.
    pub steps: Vec<FioStep>,
}

/// Whether `word` names a job file of fio, by its extension or its path.
pub fn is_job_file(word: &str) -> bool {
    matches!(kind_of(word), Kind::JobFile)
}

/// A job file by its path, with an optional text to use in place of the file's content.
#[derive(Clone, Copy)]
pub struct NamedJobFile<'a> {
    /// The path of the job file.
    pub path: &'a str,
    /// The text to use; `None` for what the file holds.
    pub text: Option<&'a str>,
}

/// Reads a job file, with `options` of fio's before it; `on` says whether its jobs run on their own files.
///
/// # Errors
/// The file cannot be read, or fio would refuse it; the error has the place in the file.
pub fn read_job_file(named: NamedJobFile<'_>, options: &[String], on: Whose) -> Result<JobFile, Failure> {
    let path = named.path;
    // A missing file is reported in plimsoll's words, because fio's would not mention the load. The text is kept,
    // because a pipe can be read only once.
    let text = match named.text {
        Some(text) => text.to_owned(),
        None => NamedInput::typed(path, JOB_FILE).text().map_err(|error| unreadable(path, &error))?,
    };
    let words: Vec<String> = options.iter().cloned().chain([path.to_owned()]).collect();
    let refused = |error: FioError| Failure::refused(in_words(path, &error));
    let around = fio_command::surroundings();
    let read = |name: &str| if name == path { Ok(text.clone()) } else { (around.read)(name) };
    let around = Surroundings { read: &read, ..fio_command::surroundings() };
    let fio = match fio::parse(&words, &around).map_err(refused)? {
        Request::Run(fio) => fio,
        Request::Say(_) | Request::Check(_) => {
            return Err(Failure::refused(format!("{path}: it asks fio for words, not for a load")));
        }
    };
    let elsewhere = |_: &Path| Some(OnDisk { bytes: ENDLESS, kind: OnDiskKind::File, laid_out: false });
    let look: Look<'_> = if on == Whose::Target { &elsewhere } else { &fio_command::look };
    let steps = fio::steps(&fio, look).and_then(PlannedSteps::whole).map_err(refused)?;
    Ok(JobFile { fio, steps })
}

/// Owner of the files that a job runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The files that the job names.
    Jobs,
    /// The target that the command line names.
    Target,
}

fn job_file(asked: &AskedLoad) -> Result<SourcedLoad, Failure> {
    let path = &asked.word;
    // The phase sets the runtime; without one, a time-based job would be refused.
    let runtime = format!("--runtime={}", in_milliseconds(asked.cycle));
    let whose = if asked.on.is_some() { Whose::Target } else { Whose::Jobs };
    let named = NamedJobFile { path, text: asked.text.as_deref() };
    let read = read_job_file(named, &[runtime], whose);
    let JobFile { fio, mut steps } =
        read.map_err(|failure| Failure { message: format!("--load {}", failure.message), ..failure })?;
    if steps.len() != 1 || steps[0].workload.jobs.is_empty() {
        return Err(one_after_the_other(path, &steps));
    }
    let step = steps.remove(0);
    // The phase sets the runtime, so a remark that the job has none would be wrong.
    let of_time = |remark: &&Remark| remark.about == About::Time;
    let mut notes: Vec<String> =
        fio.notes.iter().filter(|remark| !of_time(remark)).map(|remark| remark.words.clone()).collect();
    notes.extend(own_times(path, &fio, asked.cycle));
    notes.extend(times_left_out(path, &fio));
    trims_alone(path, &step)?;
    Ok(of_step(path, step, notes, asked.on.is_some()))
}

fn one_after_the_other(path: &str, steps: &[FioStep]) -> Failure {
    match steps.len() {
        0 | 1 => Failure::refused(format!("--load {path}: it runs no I/O, so it is no load")),
        count => Failure::refused(format!(
            "--load {path}: its jobs run in {count} steps one after the other (stonewall), and a load phase holds one; leave \
             stonewall out, or put each step into a file of its own"
        )),
    }
}

/// Formats a time as fio reads it.
pub fn in_milliseconds(span: Nanos) -> String {
    format!("{}ms", span.0 / 1_000_000)
}

/// Returns a note if the job sets its own runtime.
fn own_times(path: &str, fio: &fio::FioRequest, cycle: Nanos) -> Option<String> {
    let typed = fio.jobs.iter().flat_map(|job| &job.echo).chain(&fio.globals);
    let ours = in_milliseconds(cycle);
    let value =
        typed.clone().find(|(name, value)| name == "runtime" && *value != ours).map(|(_, value)| value)?;
    let seconds = cycle.as_secs_f64();
    Some(format!("runtime={value} of {path} gives way to the phase: {seconds} s"))
}

/// Returns notes on times of a job that mean nothing in a phase, which begins and counts at once.
fn times_left_out(path: &str, fio: &fio::FioRequest) -> Vec<String> {
    const MEANINGS: [(&str, &str); 2] = [
        ("startdelay", "the load begins with its phase"),
        ("ramp_time", "every I/O of a phase counts, and the first moments of a phase show as such"),
    ];
    let typed = fio.jobs.iter().flat_map(|job| &job.echo).chain(&fio.globals);
    let mut notes: Vec<String> = Vec::new();
    for (name, value) in typed {
        let meaning = MEANINGS.iter().find(|(option, _)| option == name);
        let note = meaning.map(|(_, why)| format!("{name}={value} of {path} is left out: {why}"));
        notes.extend(note.filter(|note| !notes.contains(note)));
    }
    notes
}

/// Refuses a load that only trims: a watch counts reads and writes, so it would have no figures.
fn trims_alone(path: &str, step: &FioStep) -> Result<(), Failure> {
    let trims = |job: &Job| job.access.mix.directions().all(|way| way == Direction::Trim);
    match step.workload.jobs.iter().all(trims) {
        true => Err(Failure::refused(format!(
            "--load {path}: its jobs only trim (rw=trim), and a watch counts reads and writes; add a job that does one of \
             them, or run the trims alone with plimsoll fio {path}"
        ))),
        false => Ok(()),
    }
}

fn of_step(path: &str, step: FioStep, notes: Vec<String>, elsewhere: bool) -> SourcedLoad {
    let moved = |job: &Job| if elsewhere { as_elsewhere(job) } else { job.clone() };
    let jobs: Vec<Job> = step.workload.jobs.iter().map(moved).collect();
    let mut notes = notes;
    notes.extend(written_over(&jobs));
    let reach = jobs.iter().filter_map(|job| Some(Bytes(job.offset.0 + job.size?.0))).max();
    let load = WatchLoad::of_jobs(path, jobs, notes);
    SourcedLoad { load, step: (!elsewhere).then(|| Box::new(step)), reach, limits: None }
}

/// Lists files of the jobs that already hold data and will be overwritten.
fn written_over(jobs: &[Job]) -> Vec<String> {
    let writing = jobs.iter().filter(|job| !job.access.mix.reads_only());
    let mut files: Vec<&PathBuf> = writing.flat_map(|job| &job.files).filter(|path| path.is_file()).collect();
    files.dedup();
    files.iter().map(|path| format!("{} is there already; the load writes over it", path.display())).collect()
}

/// Returns the job for a run on another target: without its own files, and without their assumed length as its size.
pub fn as_elsewhere(job: &Job) -> Job {
    let says = |size: &Bytes| job.offset.0.saturating_add(size.0) < ENDLESS;
    let (files, sizes) = (Vec::new(), Vec::new());
    Job { files, sizes, size: job.size.filter(says), backend: BackendAsk::Best, ..job.clone() }
}

/// Describes what is wrong with a job file in one paragraph, without the name of the tool; a message with the place
/// in the file is used alone.
fn in_words(path: &str, error: &FioError) -> String {
    let text = error.to_string();
    let lines = text.lines().map(|line| line.trim_start_matches("fio: ").trim());
    let mut parts: Vec<String> = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
    parts.extend(error.hint().map(|hint| hint.split_whitespace().collect::<Vec<_>>().join(" ")));
    parts.dedup();
    let placed = error.place().and_then(|place| parts.iter().find(|part| tells_of(place, part)));
    match placed {
        Some(placed) => placed.clone(),
        None => format!("{path}: {}", parts.join("; ")),
    }
}

/// Whether `words` are about this line of the file, at any column.
fn tells_of(place: &Place, words: &str) -> bool {
    let line = format!("{}, line {}, ", place.file, place.line);
    words.strip_prefix(&line).is_some_and(|behind| behind.contains(": "))
}
