//! Reads inputs of commands that draw, compare or import: a run file, another tool's output, or a folder of such
//! files.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use analysis::{Analysis, Meaning, analyse};
use import::{Import, ImportError, Input};
use policy::{Catalogue, Limits, Policy};
use record::{Event, EventKind, Origin, PATIENCE, Run};
use runfile::RunfileError;
use workload::{Bytes, Expectation, PolicyName};

use crate::failure::Failure;
use crate::named_input::{
    AcceptedKinds, InputError, InputKind, NamedInput, PRINTED, about, is_folder, is_what,
};
use crate::output;
use crate::signals::StopFlag;
use crate::watchdog;

/// A run, and the file that it was read from.
#[derive(Debug)]
pub struct InputRun {
    /// The file.
    pub path: PathBuf,
    /// Index of the run in that file, from 0.
    pub which: usize,
    /// The run.
    pub run: Run,
}

/// All runs that were read, and the number of named inputs that could not be read.
#[derive(Debug)]
pub struct Inputs {
    /// Runs in the order in which the inputs were named; those of a folder by file name.
    pub runs: Vec<InputRun>,
    /// Number of inputs that were named one by one and could not be read, each of which was reported.
    pub unread: usize,
}

/// Content of a file.
#[derive(Debug)]
pub enum FileContent {
    /// A run file: the run, and errors for the parts that were lost.
    RunFile(Box<Run>, Vec<RunfileError>),
    /// Output of another tool.
    Printed(Import),
}

/// Why nothing could be read from a file.
#[derive(Debug)]
pub enum ReadFailure {
    /// The file could not be opened or read.
    Closed(InputError),
    /// The file is a run file from which nothing can be recovered.
    RunFile(RunfileError),
    /// The file holds no output of a known tool.
    Nothing(ImportError),
}

/// Reads a run file, with what of it could not be read.
type RunReader = fn(&Path) -> Result<(Run, Vec<RunfileError>), RunfileError>;

/// Reads inputs for a command.
pub struct Reader {
    words: Vec<String>,
    read: RunReader,
}

impl Reader {
    /// Reads for a command with these words, which are stored in imported runs.
    pub fn of(words: Vec<String>) -> Reader {
        Reader { words, read: runfile::read_what_can_be }
    }

    /// Reads the counters of devices packed ([`Run::columns`]), for a command that reads them as series alone.
    pub fn packed(words: Vec<String>) -> Reader {
        Reader { words, read: runfile::read_packed }
    }

    /// Returns the content of the input. Its first bytes identify a run file, which SQLite opens by name: the run
    /// file of a day has hundreds of megabytes.
    ///
    /// # Errors
    /// [`ReadFailure`].
    pub fn file(&self, input: &NamedInput) -> Result<FileContent, ReadFailure> {
        let path = input.path();
        // A pipe can be read only once, and no run file comes through one.
        if about(path).is_ok_and(|about| about.kind == InputKind::File) {
            let head = Bytes(RUN_FILE.len() as u64);
            let begin = NamedInput::plain(path, head).beginning().map_err(ReadFailure::Closed)?;
            if is_run_file(&begin) {
                return self.run_file(path).map_err(ReadFailure::RunFile);
            }
        }
        let bytes = input.bytes().map_err(ReadFailure::Closed)?;
        let import = self.printed(&path.display().to_string(), &bytes);
        import.map(FileContent::Printed).map_err(ReadFailure::Nothing)
    }

    /// Parses the bytes of the input `name` as another tool's output.
    ///
    /// # Errors
    /// [`ImportError`] if the bytes hold no result.
    pub fn printed(&self, name: &str, bytes: &[u8]) -> Result<Import, ImportError> {
        import::read(Input { name, bytes }, &self.words)
    }

    /// Reads every input as a recording to draw: a run file, another tool's output, or a folder's run files and
    /// iostat JSON. Inputs that cannot be read are reported and skipped.
    ///
    /// # Errors
    /// The error of the first input if no input could be read.
    pub fn recordings(&self, paths: &[PathBuf]) -> Result<Inputs, Failure> {
        let mut inputs = Inputs { runs: Vec::new(), unread: 0 };
        let mut failures = Vec::new();
        for path in paths {
            let read = match is_folder(path) {
                true => self.folder_of_recordings(path),
                false => self.recording(path),
            };
            match read {
                Ok(runs) => inputs.runs.extend(runs),
                Err(failure) => failures.push(failure),
            }
        }
        inputs.unread = failures.len();
        let first = (inputs.runs.is_empty() && !failures.is_empty()).then(|| failures.remove(0));
        failures.iter().for_each(|failure| passed_over(&failure.message));
        first.map_or(Ok(inputs), Err)
    }

    /// Reads every result in the inputs, for a comparison: run files, other tools' outputs, and folders of both.
    ///
    /// # Errors
    /// `Refused` for the first input that holds no result.
    pub fn results(&self, paths: &[PathBuf]) -> Result<Vec<Run>, Failure> {
        let read = |path: &PathBuf| match is_folder(path) {
            true => self.folder(path),
            false => self.result(&NamedInput::typed(path, PRINTED)),
        };
        let runs: Vec<Vec<Run>> = paths.iter().map(read).collect::<Result<_, _>>()?;
        Ok(runs.concat())
    }

    /// Reads the run files of a folder and its files of iostat's JSON; other `*.json` are reported and skipped.
    fn folder_of_recordings(&self, folder: &Path) -> Result<Vec<InputRun>, Failure> {
        let ends =
            |path: &Path, wanted: &str| path.extension().is_some_and(|end| end.eq_ignore_ascii_case(wanted));
        let files = listed(folder, |path| ends(path, "json") || ends(path, "plimsoll"))?;
        let nothing = |why: &str| Failure::refused(format!("{}: {why}", folder.display()));
        if files.is_empty() {
            return Err(nothing(
                "no run file and no *.json in this folder; name one with run files (plimsoll list DIR) or with iostat's \
                 JSON (iostat -x -t -o JSON 10 30 > FILE.json), or the files themselves",
            ));
        }
        let mut runs = Vec::new();
        for path in &files {
            match self.recording(path) {
                Ok(read) if ends(path, "plimsoll") || read.iter().all(|read| read.run.observed.is_some()) => {
                    runs.extend(read);
                }
                Ok(_) => passed_over(&format!(
                    "{}: the result of another tool than iostat; name it by itself to draw it",
                    path.display()
                )),
                Err(failure) => passed_over(&failure.message),
            }
        }
        let is_empty = runs.is_empty();
        if is_empty { Err(nothing("no file in it can be drawn; name the files that can")) } else { Ok(runs) }
    }

    /// Reads a file as recordings. From a damaged run file, returns the intact parts and reports the losses.
    fn recording(&self, path: &Path) -> Result<Vec<InputRun>, Failure> {
        let runs = match self.recorded(path)? {
            FileContent::RunFile(run, troubles) => vec![with_losses(path, *run, &troubles)],
            FileContent::Printed(import) => {
                tell(&path.display().to_string(), &import);
                import.runs
            }
        };
        let each = runs.into_iter().enumerate();
        Ok(each.map(|(which, run)| InputRun { path: path.to_owned(), which, run }).collect())
    }

    fn recorded(&self, path: &Path) -> Result<FileContent, Failure> {
        // A missing or empty file is passed to the reader of run files, which reports it.
        let empty = about(path).map_or(true, |about| about.kind == InputKind::File && about.size == Bytes(0));
        let read = match empty {
            true => self.run_file(path).map_err(ReadFailure::RunFile),
            false => self.file(&NamedInput::plain(path, PRINTED)),
        };
        read.or_else(|unread| match unread {
            ReadFailure::Nothing(error) => Err(no_result(path, &error)),
            ReadFailure::RunFile(error) => Err(Failure::refused(error)),
            ReadFailure::Closed(InputError::Closed(_)) => self.run_file(path).map_err(Failure::refused),
            ReadFailure::Closed(error) => Err(closed(path, &error)),
        })
    }

    fn run_file(&self, path: &Path) -> Result<FileContent, RunfileError> {
        let (mut run, troubles) = waited_for(path, self.read)?;
        crate::running::note(path, &mut run);
        take_up_policies(&run);
        Ok(FileContent::RunFile(Box::new(run), troubles))
    }

    /// Reads everything in a folder that can be read, in the order of names.
    fn folder(&self, folder: &Path) -> Result<Vec<Run>, Failure> {
        let files = files_in(folder)?;
        let mut runs = Vec::new();
        for file in &files {
            match self.result(&NamedInput::plain(file, PRINTED)) {
                Ok(found) => runs.extend(found),
                Err(failure) => passed_over(&failure.message),
            }
        }
        if runs.is_empty() {
            let text =
                format!("{}: no file in it is a run file or the output of a known tool", folder.display());
            return Err(Failure::refused(text));
        }
        Ok(runs)
    }

    /// Reads the results in a file; a run file must be undamaged.
    fn result(&self, input: &NamedInput) -> Result<Vec<Run>, Failure> {
        let path = input.path();
        match self.file(input) {
            Ok(FileContent::RunFile(run, troubles)) => match troubles.into_iter().next() {
                Some(trouble) => Err(Failure::refused(trouble)),
                None => {
                    crate::running::tell(path, &run);
                    Ok(vec![*run])
                }
            },
            Ok(FileContent::Printed(import)) => results_of(&path.display().to_string(), import),
            Err(ReadFailure::RunFile(error)) => Err(Failure::refused(error)),
            Err(ReadFailure::Nothing(error)) => Err(no_result(path, &error)),
            Err(ReadFailure::Closed(error)) => Err(closed(path, &error)),
        }
    }
}

impl InputRun {
    /// Analyses the run against the limits and the expectation that it names.
    ///
    /// # Errors
    /// `Failed` if the limits or the expectation can no longer be evaluated.
    pub fn analysis(&self) -> Result<Analysis, Failure> {
        let limits = self.run.policy.as_deref().map(limits).transpose()?;
        let words = self.run.expectation.as_deref();
        let expectation = words.map(Expectation::parse).transpose().map_err(Failure::failed)?;
        let mut analysis = analyse(&self.run, limits.as_ref(), expectation.as_ref());
        if self.run.still_running.is_some() {
            analysis.findings.retain(|finding| !is_of_unknown_workers(&self.run, &finding.meaning));
        }
        Ok(analysis)
    }
}

/// Whether a finding is about the CPU time of the running step, whose workers report their CPU time only at the
/// end of the step.
fn is_of_unknown_workers(run: &Run, meaning: &Meaning) -> bool {
    let running = run.steps.last().filter(|step| {
        step.workers.iter().all(|worker| worker.user_cpu_ns == 0 && worker.system_cpu_ns == 0)
    });
    let Meaning::GeneratorBound(found) = meaning else { return false };
    running.is_some_and(|step| step.plan.name == found.step)
}

/// Returns the limits of a policy that a run names; parameters of a simulation or a lab volume are ignored.
///
/// # Errors
/// `Failed` if the policy is no longer known.
pub fn limits(words: &str) -> Result<Limits, Failure> {
    let name = PolicyName::parse(words).map_err(Failure::failed)?;
    policy::evaluate_of_volume(&name).map_err(Failure::failed)
}

/// Registers the user's own policies that `run` was compared with or that its target was made of, as they were
/// then; reports those that cannot be registered. One with the name of a published policy is skipped: a file that
/// somebody sent must not change what that name means.
pub fn take_up_policies(run: &Run) {
    let published = |id: &str| {
        Catalogue::builtin().list().iter().any(|policy| policy.id.eq_ignore_ascii_case(id)) || id == "custom"
    };
    for (file, text) in &run.own_policies {
        let id = Policy::own(file, text).map(|policy| policy.id);
        if published(file) || id.as_deref().is_ok_and(published) {
            output::people(
                report::wrap(
                    "plimsoll: ",
                    &format!("{file}: it has the name of a published policy, and is passed over"),
                )
                .trim_end(),
            );
            continue;
        }
        if let Err(error) = policy::adopt(file, text) {
            output::people(report::wrap("plimsoll: ", &error.to_string()).trim_end());
        }
    }
}

/// Reports caveats about the figures of an input, and the parts of it that could not be read.
pub fn tell(name: &str, import: &Import) {
    let say =
        |words: &str| output::people(report::wrap("plimsoll: ", &format!("{name}: {words}")).trim_end());
    import.notes.iter().for_each(|note| say(note));
    import.troubles.iter().for_each(|trouble| say(&trouble.to_string()));
    if !import.troubles.is_empty() {
        say("the rest was read");
    }
}

fn passed_over(message: &str) {
    output::people(report::wrap("passed over: ", message).trim_end());
}

fn closed(path: &Path, error: &InputError) -> Failure {
    let path = path.display();
    error.failure(format!("{path}: cannot be read: {error}; name a run file or a tool's output"))
}

fn no_result(path: &Path, error: &ImportError) -> Failure {
    Failure::refused(format!("{} is no run file of plimsoll, and {error}", path.display()))
}

/// Returns the run in the undamaged run file at `path`, if the process that wrote it has ended: two processes
/// that load one region spoil each other's figures.
///
/// # Errors
/// `Refused` for any other file, and for a run that is still in progress.
pub fn stopped_run(path: &Path) -> Result<Run, Failure> {
    match about(path).map(|about| about.kind) {
        Ok(InputKind::File) | Err(InputError::Closed(_)) => {}
        Ok(kind) => return Err(closed(path, &InputError::Kind(kind, AcceptedKinds::File))),
        Err(error) => return Err(closed(path, &error)),
    }
    // Checked before reading: once the run has ended, its file is complete.
    let read = |path: &Path| if kernel::is_alive(path) { Ok(None) } else { runfile::read(path).map(Some) };
    let Some(run) = waited_for(path, read).map_err(Failure::refused)? else {
        let text = format!("{} is still running; wait until it has ended, or stop it", path.display());
        return Err(Failure::refused(text));
    };
    take_up_policies(&run);
    Ok(run)
}

/// Reads a run file, which SQLite opens by name; the user can end the wait.
fn waited_for<T: Send + 'static>(
    path: &Path,
    read: impl FnOnce(&Path) -> Result<T, RunfileError> + Send + 'static,
) -> Result<T, RunfileError> {
    let ours = path.to_owned();
    let left = |_| {
        let reason = InputError::Interrupted.to_string();
        RunfileError::Unreadable { path: path.to_owned(), reason }
    };
    watchdog::at_length(&StopFlag::while_reading(PATIENCE), move || read(&ours)).map_err(left)?
}

/// The first bytes of every SQLite database, which a run file is.
const RUN_FILE: &[u8] = b"SQLite format 3";

/// Whether a file that starts with these bytes is a run file.
pub fn is_run_file(begin: &[u8]) -> bool {
    begin.starts_with(RUN_FILE)
}

/// Returns the plain files of a folder that may hold results, by name; anything else there is reported and
/// skipped.
///
/// # Errors
/// `Refused` for a folder that cannot be listed.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    // A plimsoll report lies beside its run file and holds the same results.
    listed(folder, |path| path.extension().is_none_or(|end| end != "html"))
}

/// Returns the plain files of a folder that are `wanted`, sorted by name. A link to such a file counts as one;
/// anything that is no plain file, and so may have no end, is reported and skipped.
fn listed(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Failure> {
    let what = format!("the listing of {}", folder.display());
    let stop = StopFlag::while_reading(PATIENCE);
    let ours = folder.to_owned();
    let entries = watchdog::reading(&what, &stop, move || entries_of(&ours));
    let entries = entries.map_err(InputError::from).and_then(|entries| Ok(entries?));
    let mut entries = entries.map_err(|error| {
        error.failure(format!("{}: cannot be listed: {error}; name the files", folder.display()))
    })?;
    entries.retain(|(path, _)| wanted(path));
    let why = |kind: &io::Result<InputKind>| match kind {
        Ok(InputKind::File) => None,
        Ok(kind) => Some(is_what(*kind)),
        Err(error) => Some(error.to_string()),
    };
    let others: Vec<_> =
        entries.iter().filter_map(|(path, kind)| Some((path.display(), why(kind)?))).collect();
    others.iter().take(OTHERS_TOLD).for_each(|(path, why)| passed_over(&format!("{path}: {why}")));
    if others.len() > OTHERS_TOLD {
        let more = others.len() - OTHERS_TOLD;
        passed_over(&format!("{}: {more} more that are no plain files", folder.display()));
    }
    let plain = entries.into_iter().filter(|(_, kind)| matches!(kind, Ok(InputKind::File)));
    Ok(plain.map(|(path, _)| path).collect())
}

/// Returns the entries of a folder, sorted by name, with the kind of each.
fn entries_of(folder: &Path) -> io::Result<Vec<(PathBuf, io::Result<InputKind>)>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let kind = |path: &Path| std::fs::metadata(path).map(|about| InputKind::of_mode(about.mode()));
    Ok(paths.into_iter().map(|path| (kind(&path), path)).map(|(kind, path)| (path, kind)).collect())
}

/// Maximum number of entries of a folder that are reported by name as not being plain files.
const OTHERS_TOLD: usize = 20;

/// Reports the losses from the run's file, and adds them to the run as events, so that the page shows them too.
fn with_losses(path: &Path, mut run: Run, troubles: &[RunfileError]) -> Run {
    let sampled = run.samples.last().map(|sample| sample.at);
    let end = run.steps.iter().map(|step| step.ended).chain(sampled).max().unwrap_or_default();
    let say = |words: &str| output::people(report::wrap("plimsoll: ", words).trim_end());
    for trouble in troubles {
        let text = trouble.to_string();
        say(&text);
        run.events.push(Event { at: end, kind: EventKind::Warning, text });
    }
    if !troubles.is_empty() {
        say(&format!("{}: the rest was read", path.display()));
    }
    run
}

/// Returns the results in another tool's output. Parts that could not be read are reported and skipped.
fn results_of(name: &str, import: Import) -> Result<Vec<Run>, Failure> {
    let say = |words: &str| output::people(report::wrap("", words).trim_end());
    import.troubles.iter().for_each(|trouble| say(&format!("{name}, {trouble}; passed over")));
    if import.runs.iter().all(|run| run.observed.is_some()) {
        let text = format!(
            "{name} is iostat's record of a machine, which holds no result to compare; draw it with 'plimsoll report {name}'"
        );
        return Err(Failure::refused(text));
    }
    several(name, &import.runs).iter().for_each(|text| say(text));
    Ok(import.runs)
}

/// Returns a note if one file holds several results, which may be of several volumes: no tool's output names the
/// volume.
fn several(name: &str, runs: &[Run]) -> Option<String> {
    let tool = |run: &Run| match &run.origin {
        Origin::Imported { tool, .. } => Some(tool.clone()),
        Origin::Measured => None,
    };
    let mut tools: Vec<String> = runs.iter().filter_map(tool).collect();
    tools.sort_unstable();
    tools.dedup();
    let mut programs: Vec<&str> = tools.iter().filter_map(|tool| tool.split(' ').next()).collect();
    programs.dedup();
    let two = programs.len() < tools.len();
    let hint = if two { " Two versions of one tool speak for two machines." } else { "" };
    (runs.len() > 1).then(|| {
        format!(
            "{name} holds {} results ({}), and all of them count as of one volume.{hint} If they are of several, write each \
             volume's results into a file of its own.",
            runs.len(),
            tools.join(", ")
        )
    })
}
