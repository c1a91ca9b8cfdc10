//! Where run file and report go, and under which name.

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

/// Endings of the files of a run, with those that SQLite puts beside it: a name is free where none of them is taken.
const ENDINGS: [&str; 6] = ["plimsoll", "plimsoll-wal", "plimsoll-shm", "plimsoll-journal", "html", "json"];

/// How often a name that was free is found to be taken a moment later before something else must be wrong.
const RACES_MOST: usize = 1000;

/// The folder and the name that the files of one run have in common.
pub struct Place {
    shelf: Shelf,
    /// What was measured, and by which command.
    stem: String,
    /// When, as it stands in the name.
    time: String,
    /// Free when it was looked for; kept once the run file has it.
    name: RefCell<String>,
    /// The report, once it was written: what is not there is not named.
    page: RefCell<Option<PathBuf>>,
    /// By which others see that the run goes on: marked for as long as it is open.
    alive: Cell<Option<File>>,
    /// How many steps will run, where that is known.
    steps: Cell<Option<usize>>,
    /// Who tells programs of the run, once it has begun.
    teller: RefCell<Option<Rc<Teller>>>,
    /// Those who look at the run while it goes on.
    onlookers: RefCell<Option<Onlookers>>,
    /// Whether they lie on the device that is measured: then commits do not wait for it. Nor do they in virtual time.
    pub same_device: SameDevice,
}

impl Place {
    /// Fresh names in `dir` (the user's state directory where `None`) for a run of `command` on `target` on `devices`, which
    /// begins now: `vol-check-2026-11-21-2345`. Without a target the command alone is named.
    pub fn new(
        dir: Option<&Path>,
        (target, command): (&str, &str),
        devices: &[DeviceFacts],
    ) -> Result<Place, Failure> {
        let now = jiff::Zoned::now().strftime("%Y-%m-%d-%H%M").to_string();
        Place::called(dir, (runfile::stem_of_run(target, command), now), devices)
    }

    /// Fresh names for a result of that day which another tool printed.
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

    /// The same for a run in virtual time, which a power failure may cost: it is there again in a second, and nobody waits for
    /// its file to be on the disk.
    #[must_use]
    pub fn of_virtual_run(self) -> Place {
        Place { same_device: SameDevice::Yes, ..self }
    }

    /// The same for a run that others look at while it goes on.
    #[must_use]
    pub fn shown_to(self, onlookers: Onlookers) -> Place {
        Place { onlookers: RefCell::new(Some(onlookers)), ..self }
    }

    /// Shows the run, whose file is there now, to those who look; what they are told by, where there are any.
    pub(crate) fn begin_showing(&self) -> Option<Audience> {
        let onlookers = self.onlookers.borrow();
        let onlookers = onlookers.as_ref()?;
        onlookers.follow(self.run());
        Some(onlookers.audience())
    }

    /// The first name of the moment that no file of any kind has.
    fn free_name(&self) -> String {
        let is_free = |name: &String| !ENDINGS.iter().any(|end| self.shelf.has(&format!("{name}.{end}")));
        // Numbers do not end before the names that are taken do.
        runfile::names(&self.stem, &self.time).find(is_free).unwrap_or_default()
    }

    /// What the names of its files begin with: the target's own.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    fn path(&self, ending: &str) -> PathBuf {
        self.shelf.path_of(&format!("{}.{ending}", self.name.borrow()))
    }

    /// The run file.
    pub fn run(&self) -> PathBuf {
        self.path("plimsoll")
    }

    /// The HTML report: where it was written, else where it is to be.
    pub fn report(&self) -> PathBuf {
        self.drawn().unwrap_or_else(|| self.path("html"))
    }

    /// So many steps will run, where none depends on those before it.
    pub fn foresee_steps(&self, steps: usize) {
        self.steps.set(Some(steps));
    }

    /// How many steps will run, where that is known.
    pub(crate) fn steps_foreseen(&self) -> Option<usize> {
        self.steps.get()
    }

    /// The run begins: who tells programs of it, where any listens.
    pub(crate) fn begin_telling(&self, run: &Run) -> Option<Rc<Teller>> {
        let teller = Rc::new(Teller::of_next_run(self.steps_foreseen())?);
        teller.tell("run_started", None, report::run_started(run, &self.run().display().to_string()));
        self.teller.replace(Some(Rc::clone(&teller)));
        Some(teller)
    }

    /// Tells programs what came out.
    pub(crate) fn tell_result(&self, run: &Run, analysis: &Analysis) {
        let teller = self.teller.borrow();
        let Some(teller) = teller.as_ref() else { return };
        let page = self.drawn().map(|page| page.display().to_string());
        let fields = report::run_ended(run, analysis, (&self.run().display().to_string(), page.as_deref()));
        teller.tell("run_ended", Some(0.0), fields);
    }

    /// Makes the run file of `bytes`, whole, under the first name that is free; gives back its path.
    ///
    /// # Errors
    /// `Create`.
    pub fn bear(&self, bytes: &[u8]) -> Result<PathBuf, WriteError> {
        let failed = |error| WriteError::not_made(&self.run(), error);
        let mut draft = self.shelf.draft(bytes).map_err(failed)?;
        // What is stored first changes most of it once more; a run that could keep nothing is not begun.
        let free = kernel::free_space_in(&self.shelf.path_of("")).map_err(failed)?;
        if free.0 < bytes.len() as u64 {
            return Err(failed(io::ErrorKind::StorageFull.into()));
        }
        if self.same_device == SameDevice::No {
            draft.file().sync_data().map_err(failed)?;
        }
        // Before anybody sees it. Without locks the run goes on, and nobody is told that it does.
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

    /// Writes the HTML report; those who look see the same. With it the run is over.
    pub fn put_report(&self, text: &str) -> Result<(), Failure> {
        let written = self.put("html", text).map(|page| drop(self.page.replace(Some(page))));
        drop(self.alive.take());
        if let Some(onlookers) = self.onlookers.take() {
            onlookers.end(text, &self.drawn().unwrap_or_else(|| self.run()));
        }
        written
    }

    /// Writes a file with this ending beside the run file, under its name; where somebody has taken that meanwhile, which
    /// people are told, under the next that is free. Gives back its path.
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

    /// The next free name, where `taken` is somebody else's.
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

    /// The HTML report, where it was written.
    pub fn drawn(&self) -> Option<PathBuf> {
        self.page.borrow().clone()
    }

    /// The line that says where they are.
    pub fn files_line(&self) -> String {
        match self.drawn() {
            Some(page) => report::files_line(&short(&page), &short(&self.run())).trim_end().to_owned(),
            None => format!("run     {}", short(&self.run())),
        }
    }
}

/// The folder for run files of whoever runs this.
///
/// # Errors
/// `Refused` where there is no home.
pub fn own_folder() -> Result<PathBuf, Failure> {
    let whose = if kernel::effective_user() == 0 { Whose::Root } else { Whose::User };
    runfile::state_directory(whose).ok_or_else(|| {
        Failure::refused(
            "there is no folder of yours to keep the run in, since HOME is not set; name one with --out, or set HOME",
        )
    })
}

/// A path as its owner types it: relative to the current directory or to the home directory where that is shorter.
pub fn short(path: &Path) -> String {
    // A name must not steer a terminal.
    report::clean(&shorter(path))
}

/// The same as a word that can be pasted into a shell.
pub fn pasted(path: &Path) -> String {
    let (home, rest) = within(path);
    let bytes = rest.as_os_str().as_encoded_bytes();
    let word = report::shell_word(bytes);
    match home {
        Some(home) => format!("{home}{word}"),
        // It would be taken for an option, and so might be what a star finds.
        None if bytes.starts_with(b"-") || word.starts_with('*') => format!("./{word}"),
        None => word,
    }
}

/// What a [`pasted`] path that is not told whole needs beside it; nothing where it is.
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

/// A path below the current directory without it, and one below the home directory behind `~/`.
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
            // Processes that other tests fork hold what was open then, for as long as they last.
            assert!(testbed::comes_true(|| !kernel::is_alive(&run)));
        }
    }

    /// What each shell that is here makes of a path to paste, called in `folder`.
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
