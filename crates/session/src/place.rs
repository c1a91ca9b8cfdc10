//! Folder and names of the run file and the report.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use analysis::Analysis;
use record::{DeviceFacts, Run};
use runfile::{SameDevice, Whose, WriteError};

use crate::failure::Failure;
use crate::files::Shelf;
use crate::onlookers::{Audience, Onlookers};
use crate::output;
use crate::progress::Teller;

/// Extensions of the files of a run, with those that SQLite adds: a name is free if it exists with none of them.
const ENDINGS: [&str; 6] = ["plimsoll", "plimsoll-wal", "plimsoll-shm", "plimsoll-journal", "html", "json"];

/// Maximum number of free names that may turn out to be taken a moment later; after more, something else is wrong.
const RACES_MOST: usize = 1000;

/// The folder and the name that the files of one run have in common.
pub struct Place {
    shelf: Shelf,
    /// Start of the name: target and command.
    stem: String,
    /// Time as written in the name.
    time: String,
    /// The name: free when it was looked up, and fixed once the run file has it.
    name: RefCell<String>,
    /// Path of the report, once written: messages name no file that does not exist.
    page: RefCell<Option<PathBuf>>,
    /// Mark by which other processes see that the run is in progress; held while this file is open.
    alive: Cell<Option<File>>,
    /// Number of steps that will run, if known.
    steps: Cell<Option<usize>>,
    /// Reports the run to programs, once it has begun.
    teller: RefCell<Option<Rc<Teller>>>,
    /// Onlookers of the run while it goes on.
    onlookers: RefCell<Option<Onlookers>>,
    /// Whether the files lie on the device under test: then commits do not wait for it. Also set for runs in
    /// virtual time.
    pub same_device: SameDevice,
}

impl Place {
    /// Returns fresh names in `dir` (or in the user's state directory if `None`) for a run of `command` on
    /// `target` on `devices`, which begins now: `vol-check-2026-11-21-2345`. Without a target only the command is
    /// named.
    pub fn new(
        dir: Option<&Path>,
        (target, command): (&str, &str),
        devices: &[DeviceFacts],
    ) -> Result<Place, Failure> {
        let now = jiff::Zoned::now().strftime("%Y-%m-%d-%H%M").to_string();
        Place::called(dir, (runfile::stem_of_run(target, command), now), devices)
    }

    /// Returns fresh names for a result of this date from another tool's output.
    pub fn of_result(dir: Option<&Path>, stem: &str, date: jiff::civil::Date) -> Result<Place, Failure> {
        Place::called(dir, (runfile::stem_of(stem), date.to_string()), &[])
    }

    fn called(
        dir: Option<&Path>,
        (stem, time): (String, String),
        devices: &[DeviceFacts],
    ) -> Result<Place, Failure> {
        let shelf = match dir {
            Some(dir) => Shelf::named(dir).map_err(|error| {
                Failure::refused(format!(
                    "{}: cannot be made: {error}; name another folder with --out",
                    dir.display()
                ))
            })?,
            None => Shelf::private(&own_folder()?)?,
        };
        let there =
            sampler::target_facts(&sampler::Root::real(), &shelf.path_of(""), "").map(|it| it.devices);
        let same_device = SameDevice::of(&there.unwrap_or_default(), devices);
        let place = Place {
            shelf,
            stem,
            time,
            name: RefCell::default(),
            page: RefCell::default(),
            alive: Cell::default(),
            steps: Cell::new(None),
            teller: RefCell::default(),
            onlookers: RefCell::default(),
            same_device,
        };
        place.name.replace(place.free_name());
        Ok(place)
    }

    /// Adapts to a run in virtual time, which may be lost in a power failure because it can be repeated in a second:
    /// nothing waits for its file to reach the disk.
    #[must_use]
    pub fn of_virtual_run(self) -> Place {
        Place { same_device: SameDevice::Yes, ..self }
    }

    /// Adds onlookers of the run while it goes on.
    #[must_use]
    pub fn shown_to(self, onlookers: Onlookers) -> Place {
        Place { onlookers: RefCell::new(Some(onlookers)), ..self }
    }

    /// Shows the run, whose file exists now, to the onlookers; returns the handle that informs them, if there are
    /// any.
    pub(crate) fn begin_showing(&self) -> Option<Audience> {
        let onlookers = self.onlookers.borrow();
        let onlookers = onlookers.as_ref()?;
        onlookers.follow(self.run());
        Some(onlookers.audience())
    }

    /// Returns the first name for this time that no file of any kind has.
    fn free_name(&self) -> String {
        let is_free = |name: &String| !ENDINGS.iter().any(|end| self.shelf.has(&format!("{name}.{end}")));
        // The sequence of numbered names never ends, so one is free.
        runfile::names(&self.stem, &self.time).find(is_free).unwrap_or_default()
    }

    /// Start of the names of the run's files: target and command.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.shelf.path_of(&format!("{}.{ending}", self.name.borrow()))
    }

    /// Path of the run file.
    pub fn run(&self) -> PathBuf {
        self.path("plimsoll")
    }

    /// Path of the HTML report, whether or not it has been written yet.
    pub fn report(&self) -> PathBuf {
        self.drawn().unwrap_or_else(|| self.path("html"))
    }

    /// Sets the number of steps that will run, if none depends on earlier ones.
    pub fn foresee_steps(&self, steps: usize) {
        self.steps.set(Some(steps));
    }

    /// Number of steps that will run, if known.
    pub(crate) fn steps_foreseen(&self) -> Option<usize> {
        self.steps.get()
    }

    /// Reports to programs that the run begins; returns the reporter for its events, if any program listens.
    pub(crate) fn begin_telling(&self, run: &Run) -> Option<Rc<Teller>> {
        let teller = Rc::new(Teller::of_next_run(self.steps_foreseen())?);
        teller.tell("run_started", None, report::run_started(run, self.run().display().to_string()));
        self.teller.replace(Some(Rc::clone(&teller)));
        Some(teller)
    }

    /// Reports the result to programs.
    pub(crate) fn tell_result(&self, run: &Run, analysis: &Analysis) {
        let teller = self.teller.borrow();
        let Some(teller) = teller.as_ref() else { return };
        let page = self.drawn().map(|page| page.display().to_string());
        let fields = report::run_ended(run, analysis, (self.run().display().to_string(), page));
        teller.tell("run_ended", Some(0.0), fields);
    }

    /// Creates the run file from `bytes`, whole, under the first name that is free, and returns its path.
    ///
    /// # Errors
    /// `Create`.
    pub fn bear(&self, bytes: &[u8]) -> Result<PathBuf, WriteError> {
        let failed = |error| WriteError::not_made(&self.run(), error);
        let mut draft = self.shelf.draft(bytes).map_err(failed)?;
        // The first commit rewrites most of the file; a run that could store nothing is not begun.
        let free = kernel::free_space_in(&self.shelf.path_of("")).map_err(failed)?;
        if free.0 < bytes.len() as u64 {
            return Err(failed(io::ErrorKind::StorageFull.into()));
        }
        if self.same_device == SameDevice::No {
            draft.file().sync_data().map_err(failed)?;
        }
        // Before anyone sees the file. Without locks the run goes on, but other processes cannot see that it does.
        self.alive.set(draft.file().try_clone().ok().filter(|file| kernel::mark_alive(file).is_ok()));
        for _ in 0..RACES_MOST {
            match draft.publish(format!("{}.plimsoll", self.name.borrow()).as_ref()) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    self.name.replace(self.free_name());
                }
                done => return done.map(|()| self.run()).map_err(failed),
            }
        }
        Err(WriteError::Exists { path: self.run() })
    }

    /// Writes the HTML report and shows it to onlookers, which ends the run for them.
    pub fn put_report(&self, text: &str) -> Result<(), Failure> {
        let written = self.put("html", text).map(|page| drop(self.page.replace(Some(page))));
        drop(self.alive.take());
        if let Some(onlookers) = self.onlookers.take() {
            onlookers.end(text, &self.drawn().unwrap_or_else(|| self.run()));
        }
        written
    }

    /// Writes a file with this extension beside the run file, under the same name, and returns its path. If that
    /// name has been taken since, the user is warned, and the next free one is used.
    pub fn put(&self, ending: &str, text: &str) -> Result<PathBuf, Failure> {
        let mut name = self.name.borrow().clone();
        for _ in 0..RACES_MOST {
            let file = format!("{name}.{ending}");
            match self.shelf.put_new(&file, text.as_bytes()) {
                Ok(()) => return Ok(self.shelf.path_of(&file)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => name = self.next_name(&file),
                Err(error) => return Err(self.not_put(&file, &error)),
            }
        }
        Err(self.not_put(&format!("{name}.{ending}"), &io::ErrorKind::AlreadyExists.into()))
    }

    /// Returns the next free name, and reports on stderr that somebody else made `taken`.
    fn next_name(&self, taken: &str) -> String {
        let name = self.free_name();
        let (taken, run) = (short(&self.shelf.path_of(taken)), short(&self.run()));
        let words = format!(
            "{taken} was made by somebody else meanwhile and is left as it is; what belongs to {run} is called {name}"
        );
        output::people(report::wrap("plimsoll: ", &words).trim_end());
        name
    }

    fn not_put(&self, file: &str, error: &io::Error) -> Failure {
        let (path, run) = (self.shelf.path_of(file), short(&self.run()));
        Failure::failed(format!(
            "{}: cannot be written: {error}; the run is kept, draw it with: plimsoll report {run} --html ANOTHER_PLACE",
            path.display()
        ))
    }

    /// Path of the HTML report, if it was written.
    pub fn drawn(&self) -> Option<PathBuf> {
        self.page.borrow().clone()
    }

    /// Returns the line that names the files.
    pub fn files_line(&self) -> String {
        match self.drawn() {
            Some(page) => report::files_line(&short(&page), &short(&self.run())).trim_end().to_owned(),
            None => format!("run     {}", short(&self.run())),
        }
    }
}

/// Returns the folder for run files of the current user.
///
/// # Errors
/// `Refused` if there is no home directory.
pub fn own_folder() -> Result<PathBuf, Failure> {
    let whose = if kernel::effective_user() == 0 { Whose::Root } else { Whose::User };
    runfile::state_directory(whose).ok_or_else(|| {
        Failure::refused(
            "there is no folder of yours to keep the run in, since HOME is not set; name one with --out, or set HOME",
        )
    })
}

/// Formats a path as its owner would type it: relative to the current directory or to the home directory if that
/// is shorter.
pub fn short(path: &Path) -> String {
    // A name must not control a terminal.
    report::clean(&shorter(path))
}

/// Formats a path like [`short`], as a word that can be pasted into a shell.
pub fn pasted(path: &Path) -> String {
    let (home, rest) = within(path);
    let bytes = rest.as_os_str().as_encoded_bytes();
    let word = report::shell_word(bytes);
    match home {
        Some(home) => format!("{home}{word}"),
        // A word with a leading dash would be taken for an option, and so might a name that a star matches.
        None if bytes.starts_with(b"-") || word.starts_with('*') => format!("./{word}"),
        None => word,
    }
}

/// Returns the note that a [`pasted`] path needs if it does not preserve every byte; otherwise empty.
pub fn pasted_note(path: &Path) -> &'static str {
    match report::is_told_whole(within(path).1.as_os_str().as_encoded_bytes()) {
        true => "",
        false => " (* stands for letters that cannot be shown)",
    }
}

fn shorter(path: &Path) -> String {
    let (home, rest) = within(path);
    format!("{}{}", home.unwrap_or_default(), rest.display())
}

/// Strips the current directory from a path below it, or replaces the home directory by `~/`.
fn within(path: &Path) -> (Option<&'static str>, &Path) {
    let here = std::env::current_dir().ok().and_then(|here| path.strip_prefix(here).ok());
    if let Some(relative) = here {
        return (None, relative);
    }
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => (Some("~/"), below),
        None => (None, path),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may unwrap")]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;

    use super::*;

    fn place(dir: &Path) -> Place {
        Place::of_result(Some(dir), "data", jiff::civil::date(2026, 11, 21)).unwrap()
    }

    #[test]
    fn two_runs_that_begin_together_have_a_name_each() {
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (place(dir.path()), place(dir.path()));
        assert_eq!(first.run(), second.run(), "both have found the same name free");
        let one = first.bear(b"one").unwrap();
        let two = second.bear(b"two").unwrap();
        assert!(one.ends_with("data-2026-11-21.plimsoll") && two.ends_with("data-2026-11-21-2.plimsoll"));
        assert_eq!(std::fs::read(one).unwrap(), b"one");
        second.put_report("page of two").unwrap();
        assert_eq!(std::fs::read_to_string(two.with_extension("html")).unwrap(), "page of two");
    }

    #[test]
    fn a_name_says_volume_command_and_minute() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::new(Some(dir.path()), ("/mnt/vol", "check"), &[]).unwrap();
        let name = place.report().file_name().unwrap().to_string_lossy().into_owned();
        let time =
            name.strip_prefix("vol-check-").and_then(|rest| rest.strip_suffix(".html")).unwrap().to_owned();
        assert!(jiff::civil::DateTime::strptime("%Y-%m-%d-%H%M", &time).is_ok(), "{name}");
    }

    #[test]
    fn a_run_is_seen_to_go_on_until_its_page_is_there_or_its_process_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        for over in [|place: Place| place.put_report("page").unwrap(), |place: Place| drop(place)] {
            let place = place(dir.path());
            let run = place.bear(b"run").unwrap();
            assert!(kernel::is_alive(&run));
            over(place);
            // Processes forked by other tests hold the file open for as long as they last.
            assert!(testbed::comes_true(|| !kernel::is_alive(&run)));
        }
    }

    /// Returns how each shell on this machine reads a pasted path, run in `folder`.
    fn pasted_into_shells(name: &std::ffi::OsStr, folder: &Path) -> Vec<Vec<u8>> {
        let line = format!("printf %s {}", pasted(Path::new(name)));
        let call = |shell: &str| Command::new(shell).arg("-c").arg(&line).current_dir(folder).output().ok();
        ["sh", "dash", "bash"].iter().filter_map(|shell| call(shell)).map(|output| output.stdout).collect()
    }

    #[test]
    fn a_path_to_paste_finds_its_file_in_every_shell_and_runs_nothing() {
        let names: [&[u8]; 7] = [
            b"a'\n;touch PWNED;#",
            b"a'\x1b\n;touch PWNED;#",
            "$(touch PWNED)\u{202e}`touch PWNED`".as_bytes(),
            b"a\xff\xfe\x9b b\\",
            b"\x7f",
            b"-a\x07b",
            b"a\tb*c?[d]",
        ];
        for name in names.map(std::ffi::OsStr::from_bytes) {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir(dir.path().join(name)).unwrap();
            let read = pasted_into_shells(name, dir.path());
            assert!(!read.is_empty());
            for read in read {
                let bare = read.strip_prefix(b"./").unwrap_or(&read);
                assert_eq!(std::ffi::OsStr::from_bytes(bare), name);
            }
            assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "{name:?} has run something");
        }
        assert_eq!(pasted_note(Path::new("a\nb")), "");
        assert!(pasted_note(Path::new("a\u{1b}b")).contains("cannot be shown"));
    }

    #[test]
    fn a_name_is_taken_by_any_file_of_a_run_and_by_a_link() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("data-2026-11-21.html"), "").unwrap();
        std::fs::write(dir.path().join("data-2026-11-21-2.json"), "").unwrap();
        std::os::unix::fs::symlink("/nowhere", dir.path().join("data-2026-11-21-3.plimsoll")).unwrap();
        assert!(place(dir.path()).run().ends_with("data-2026-11-21-4.plimsoll"));
    }

    #[test]
    fn a_link_planted_while_the_run_goes_on_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let victim = dir.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        let place = place(dir.path());
        place.bear(b"run").unwrap();
        std::os::unix::fs::symlink(&victim, place.report()).unwrap();
        place.put_report("page").unwrap();
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
        assert!(place.report().ends_with("data-2026-11-21-2.html"), "{}", place.files_line());
        assert_eq!(std::fs::read_to_string(place.report()).unwrap(), "page");
    }
}
