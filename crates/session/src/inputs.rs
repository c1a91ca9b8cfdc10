//! Reads what a path holds, for whoever draws it, compares it or imports it: a run file, what another tool printed, or a
//! folder of such.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use analysis::{Analysis, analyse};
use import::{Import, ImportError, Input};
use policy::{Catalogue, Limits, Policy};
use record::{Event, EventKind, Origin, Run};
use runfile::RunfileError;
use workload::{Expectation, PolicyName};

use crate::failure::Failure;
use crate::output;

/// A run and where it was read from.
#[derive(Debug)]
pub struct Recorded {
    /// The file.
    pub path: PathBuf,
    /// Which of the runs in that file, from 0.
    pub which: usize,
    /// The run.
    pub run: Run,
}

/// Everything that was read, and how many of the named inputs were not.
#[derive(Debug)]
pub struct Inputs {
    /// In the order in which they were named, those of a folder by their names.
    pub runs: Vec<Recorded>,
    /// Inputs that were named one by one and could not be read, which people were told.
    pub unread: usize,
}

/// What a file holds.
#[derive(Debug)]
pub enum Held {
    /// A run file: the run, and what of it is lost.
    RunFile(Box<Run>, Vec<RunfileError>),
    /// What another tool printed.
    Printed(Import),
}

/// Why nothing could be read of a file.
#[derive(Debug)]
pub enum Unread {
    /// It could not be opened or read.
    Closed(std::io::Error),
    /// It is a run file of which nothing is left.
    RunFile(RunfileError),
    /// It holds nothing that a known tool prints.
    Nothing(ImportError),
}

/// Reads inputs for a command.
pub struct Reader {
    /// Its command line, which the runs that are imported carry.
    pub words: Vec<String>,
}

impl Reader {
    /// What the file at `path` holds: what it is is told by its first bytes, since the run file of a day is some hundred
    /// megabytes, which SQLite reads by itself.
    ///
    /// # Errors
    /// [`Unread`].
    pub fn file(&self, path: &Path) -> Result<Held, Unread> {
        let mut file = File::open(path).map_err(Unread::Closed)?;
        let mut bytes = Vec::new();
        let read = (&mut file).take(RUN_FILE.len() as u64).read_to_end(&mut bytes);
        read.map_err(Unread::Closed)?;
        if is_run_file(&bytes) {
            return run_file(path).map_err(Unread::RunFile);
        }
        file.read_to_end(&mut bytes).map_err(Unread::Closed)?;
        let import = self.printed(&path.display().to_string(), &bytes);
        import.map(Held::Printed).map_err(Unread::Nothing)
    }

    /// What another tool printed, in the input of this name.
    ///
    /// # Errors
    /// [`ImportError`] where it holds no result.
    pub fn printed(&self, name: &str, bytes: &[u8]) -> Result<Import, ImportError> {
        import::read(Input { name, bytes }, &self.words)
    }

    /// Every input as a recording to draw: a run file, what another tool printed, or a folder's `*.json` of iostat. What
    /// cannot be read is told and passed over.
    ///
    /// # Errors
    /// The first input's own words where nothing at all could be read.
    pub fn recordings(&self, paths: &[PathBuf]) -> Result<Inputs, Failure> {
        let mut inputs = Inputs { runs: Vec::new(), unread: 0 };
        let mut failures = Vec::new();
        for path in paths {
            let read = if path.is_dir() { self.folder_of_iostat(path) } else { self.recording(path) };
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

    /// Every result in the inputs, to compare them: run files, what other tools printed, and folders of both.
    ///
    /// # Errors
    /// `Refused` for the first input that holds none.
    pub fn results(&self, paths: &[PathBuf]) -> Result<Vec<Run>, Failure> {
        let read = |path: &PathBuf| if path.is_dir() { self.folder(path) } else { self.result(path) };
        let runs: Vec<Vec<Run>> = paths.iter().map(read).collect::<Result<_, _>>()?;
        Ok(runs.concat())
    }

    /// The files of a folder that are iostat's JSON; other `*.json` are named and passed over.
    fn folder_of_iostat(&self, folder: &Path) -> Result<Vec<Recorded>, Failure> {
        let files =
            listed(folder, |path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json")))?;
        let nothing = |why: &str| Failure::refused(format!("{}: {why}", folder.display()));
        if files.is_empty() {
            return Err(nothing(
                "no *.json in this folder; name a folder with iostat's JSON (iostat -x -t -o JSON 10 30 > FILE.json), or \
                 the files themselves",
            ));
        }
        let mut runs = Vec::new();
        for path in &files {
            match self.recording(path) {
                Ok(read) if read.iter().all(|read| read.run.observed.is_some()) => runs.extend(read),
                Ok(_) => passed_over(&format!(
                    "{}: the result of another tool than iostat; name it by itself to draw it",
                    path.display()
                )),
                Err(failure) => passed_over(&failure.message),
            }
        }
        let is_empty = runs.is_empty();
        if is_empty { Err(nothing("no *.json in it is iostat's; name the files that are")) } else { Ok(runs) }
    }

    /// A file as recordings; of a damaged run file what is left, and what was lost is told.
    fn recording(&self, path: &Path) -> Result<Vec<Recorded>, Failure> {
        let runs = match self.recorded(path)? {
            Held::RunFile(run, troubles) => vec![with_losses(path, *run, &troubles)],
            Held::Printed(import) => {
                tell(&path.display().to_string(), &import);
                import.runs
            }
        };
        let each = runs.into_iter().enumerate();
        Ok(each.map(|(which, run)| Recorded { path: path.to_owned(), which, run }).collect())
    }

    fn recorded(&self, path: &Path) -> Result<Held, Failure> {
        // What is no plain file (nothing there, a pipe) has its words in the reader of run files.
        let plain = std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() > 0);
        let read = if plain { self.file(path) } else { run_file(path).map_err(Unread::RunFile) };
        read.or_else(|unread| match unread {
            Unread::Nothing(error) => Err(no_result(path, &error)),
            Unread::RunFile(error) => Err(Failure::refused(error)),
            Unread::Closed(_) => run_file(path).map_err(Failure::refused),
        })
    }

    /// Everything in a folder that can be read, in the order of names.
    fn folder(&self, folder: &Path) -> Result<Vec<Run>, Failure> {
        let files = files_in(folder)?;
        let mut runs = Vec::new();
        for file in &files {
            match self.result(file) {
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

    /// The results in a file; a run file must be whole.
    fn result(&self, path: &Path) -> Result<Vec<Run>, Failure> {
        match self.file(path) {
            Ok(Held::RunFile(run, troubles)) => match troubles.into_iter().next() {
                Some(trouble) => Err(Failure::refused(trouble)),
                None => Ok(vec![*run]),
            },
            Ok(Held::Printed(import)) => results_of(&path.display().to_string(), import),
            Err(Unread::RunFile(error)) => Err(Failure::refused(error)),
            Err(Unread::Nothing(error)) => Err(no_result(path, &error)),
            Err(Unread::Closed(error)) => Err(Failure::refused(format!(
                "{}: cannot be read: {error}; name a run file or a tool's output",
                path.display()
            ))),
        }
    }
}

impl Recorded {
    /// What the run means, against the limits and the expectation that it was held against.
    ///
    /// # Errors
    /// `Failed` where these cannot be evaluated any more.
    pub fn analysis(&self) -> Result<Analysis, Failure> {
        let limits = self.run.policy.as_deref().map(limits).transpose()?;
        let words = self.run.expectation.as_deref();
        let expectation = words.map(Expectation::parse).transpose().map_err(Failure::failed)?;
        Ok(analyse(&self.run, limits.as_ref(), expectation.as_ref()))
    }
}

/// The limits of a policy that a run names; parameters of a simulation or a lab volume are passed over.
///
/// # Errors
/// `Failed` where the policy is not known any more.
pub fn limits(words: &str) -> Result<Limits, Failure> {
    let name = PolicyName::parse(words).map_err(Failure::failed)?;
    policy::evaluate_of_volume(&name).map_err(Failure::failed)
}

/// Takes up the policies of the user's own that `run` was held against or that its target was made of, as they were then; says
/// where one cannot be. One that has the name of a published policy is passed over: a file that somebody sent must not change what
/// that means.
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

/// Says what should be known beside the figures of an input, and which places of it could not be read.
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

fn no_result(path: &Path, error: &ImportError) -> Failure {
    Failure::refused(format!("{} is no run file of plimsoll, and {error}", path.display()))
}

fn run_file(path: &Path) -> Result<Held, RunfileError> {
    let (run, troubles) = runfile::read_what_can_be(path)?;
    take_up_policies(&run);
    Ok(Held::RunFile(Box::new(run), troubles))
}

/// The first bytes of every SQLite database, which a run file is.
const RUN_FILE: &[u8] = b"SQLite format 3";

/// Whether a file that begins so is a run file.
pub fn is_run_file(begin: &[u8]) -> bool {
    begin.starts_with(RUN_FILE)
}

/// The files of a folder that may hold results, by name.
///
/// # Errors
/// `Refused` for a folder that cannot be listed.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    // A report of ours lies beside its run file and holds nothing more.
    let mut files = listed(folder, |path| path.extension().is_none_or(|end| end != "html"))?;
    files.retain(|path| path.is_file());
    Ok(files)
}

/// What is wanted of a folder, by name.
fn listed(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Failure::refused(format!("{}: cannot be listed: {error}; name the files", folder.display()))
    })?;
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| wanted(path)).collect();
    files.sort();
    Ok(files)
}

/// A run with what was lost of its file, which is told, and noted as an event, so that its page tells it too.
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

/// What another tool printed, as results: places that could not be read are told, and what stands around them counts.
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

/// Says that one file holds several results, which may be of several volumes: whose they are stands in no output.
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
