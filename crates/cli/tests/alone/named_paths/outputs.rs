//! An option that names an output changes no byte of a device, and nothing that belongs to somebody else, under any name.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::things::{THINGS, Thing, Things, WAYS, Way, stands};
use super::{ListedOption, Takes, listed};
use crate::machine::*;

/// What iostat printed of two disks.
const DISKS: &str = include_str!("../../../../import/tests/all/fixtures/iostat/extended.json");

/// Seconds after which a command counts as hung; `timeout` then ends it with this code.
const PATIENCE: &str = "20";
const HUNG: Option<i32> = Some(124);

/// Options of fio's, of the type path, that are read or loaded.
const FIO_INPUTS: [&str; 6] =
    ["filename", "directory", "filename_format", "opendir", "read_iolog", "replay_redirect"];
/// Options of fio's, of the type path, that are written.
const FIO_OUTPUTS: [&str; 1] = ["write_iolog"];
/// Options of fio's command line that take one value, which names nothing that is written.
const FIO_COMMANDS: [&str; 12] = [
    "check-against",
    "debug",
    "output-format",
    "terse-version",
    "eta",
    "eta-newline",
    "eta-interval",
    "status-interval",
    "section",
    "alloc-size",
    "max-jobs",
    "idle-prof",
];
/// Options of fio's command line that name what is written.
const FIO_WRITES: [&str; 2] = ["output", "aux-path"];

/// Words of fio that move no data.
const NULL: [&str; 5] = ["fio", "--name=a", "--ioengine=null", "--size=64k", "--bs=4k"];

/// Options of fio's that write files under names of their own, with what they need.
const FIO_EFFECTS: [&[&str]; 4] = [
    &["--ioengine=null", "--exec_prerun=true", "--exec_postrun=true"],
    &["--ioengine=null", "--bandwidth-log"],
    &["--filename=%/target", "--rw=write", "--verify=md5", "--verify_state_save=1", "--aux-path=%"],
    &[
        "--filename=@/zeros",
        "--rw=read",
        "--verify=pattern",
        "--verify_pattern=7",
        "--verify_dump=1",
        "--aux-path=%",
    ],
];

/// A command line and a name that it writes.
#[derive(Clone, Debug)]
struct Case {
    /// The words; `%` stands for a folder of the case's own, in which it runs, `@` for the test's.
    words: Vec<String>,
    /// The place, in that folder, of the thing that is in the way.
    at: String,
    /// Things that may be written to or replaced there, because the user typed the name.
    allowed: fn(Thing, Way) -> bool,
}

/// Allows a plain folder, also through a link of one's own.
fn own_folder(thing: Thing, way: Way) -> bool {
    thing == Thing::Folder && way != Way::ForeignLink
}

/// Allows any file, because fio overwrites every file that its words name.
fn own_file(thing: Thing, way: Way) -> bool {
    thing == Thing::File && way != Way::ForeignLink
}

fn plain_file(thing: Thing, way: Way) -> bool {
    thing == Thing::File && way == Way::Plain
}

fn nothing(_: Thing, _: Way) -> bool {
    false
}

impl Case {
    fn new(words: &[&str], last: &str, at: &str) -> Case {
        let words = words.iter().copied().chain([last]).filter(|word| !word.is_empty());
        Case { words: words.map(str::to_owned).collect(), at: at.to_owned(), allowed: nothing }
    }

    /// Returns the case of an option that the help lists; `None` if it takes no output.
    fn of(listed: &ListedOption) -> Option<Case> {
        let before = match listed.takes {
            Takes::Output(before) => before,
            Takes::Folder => "",
            Takes::Input | Takes::Other => return None,
        };
        let case = Case::new(&listed.words(), &format!("{}={before}%/x", listed.option), "x");
        let draws_several = (listed.command.as_str(), listed.option.as_str()) == ("report", "--html");
        let allowed = if listed.takes == Takes::Folder || draws_several { own_folder } else { nothing };
        Some(Case { allowed, ..case })
    }

    /// Returns a case for each file that the words make when nothing is in the way.
    fn by_effect(&self, folder: &Folder, allowed: fn(Thing, Way) -> bool) -> Vec<Case> {
        let place = fresh(folder);
        let done = self.start(folder, &place).wait();
        assert!(matches!(done.code, Some(0 | 1)), "{:?}: {:?}\n{}", self.words, done.code, done.err);
        let mut names = BTreeSet::new();
        gather(&place, &place, &mut names);
        // The guard checks what is loaded.
        names.remove("target");
        assert!(!names.is_empty(), "{:?} has written nothing: {}", self.words, done.err);
        names.into_iter().map(|at| Case { at, allowed, ..self.clone() }).collect()
    }

    fn start(&self, folder: &Folder, place: &Path) -> Running {
        let words = self.words.iter().map(|word| word.replace('%', &text(place)));
        let words: Vec<String> = [PATIENCE, "plimsoll"].map(str::to_owned).into_iter().chain(words).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Running::start(folder.through("timeout", &words).current_dir(place))
    }

    /// Runs the case with everything that may be in the way, and returns what went wrong.
    fn faults(&self, folder: &Folder, things: &Things, ways: &[Way]) -> Vec<String> {
        let all = THINGS.iter().flat_map(|&thing| ways.iter().map(move |&way| (thing, way)));
        let running: Vec<_> = all
            .filter(|&(thing, way)| !(self.allowed)(thing, way))
            .map(|(thing, way)| {
                let place = fresh(folder);
                things.plant(thing, way, &place.join(&self.at));
                (thing, way, self.start(folder, &place), place)
            })
            .collect();
        let ended = running.into_iter().map(|(thing, way, running, place)| {
            let at = place.join(&self.at);
            self.judged((thing, way), &running.wait(), &at)
        });
        let mut faults: Vec<String> = ended.flatten().collect();
        faults.extend(things.changed().into_iter().map(|fault| format!("{:?}: {fault}", self.words)));
        faults
    }

    fn judged(&self, (thing, way): (Thing, Way), ended: &ProgramOutput, at: &Path) -> Option<String> {
        let is_tool = self.words[0] == NULL[0];
        let told = ended.complained();
        let faults = [
            (ended.code == HUNG, "hangs"),
            (is_tool && ended.code != Some(1), "does not end with fio's error"),
            (!is_tool && !matches!(ended.code, Some(1 | 2)), "is not refused"),
            (!told.contains(&text(at)) && !told.contains(&self.at), "does not name the path"),
            (!stands(thing, way, at), "has replaced it"),
        ];
        let (_, fault) = faults.into_iter().find(|(is_so, _)| *is_so)?;
        Some(format!(
            "{:?} at {:?}, {way:?} {thing:?}, {fault}: {:?} {}",
            self.words, self.at, ended.code, ended.err
        ))
    }
}

fn fresh(folder: &Folder) -> PathBuf {
    let place = tempfile::Builder::new().prefix("case-").tempdir_in(folder.path("cases")).unwrap();
    place.keep()
}

fn gather(below: &Path, folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => gather(below, &path, names),
            false => drop(names.insert(text(path.strip_prefix(below).unwrap()))),
        }
    }
}

/// Makes a folder with what commands read.
fn prepared() -> Folder {
    let folder = Folder::for_everybody();
    folder.make_dir("cases");
    folder.make_dir("volume");
    fs::write(folder.path("zeros"), [0; 65536]).unwrap();
    let out = [
        "fio",
        "--name=a",
        "--ioengine=null",
        "--size=64k",
        "--output-format=json",
        "--output=@/printed.json",
    ];
    assert_eq!(ended(&mut folder.plimsoll(&out)).code, Some(0));
    let run = ended(&mut folder.plimsoll(&["run", "five-figures", "sim:aws-gp3", "--out", "@/runs"]));
    assert_eq!(run.code, Some(0), "{}", run.err);
    fs::copy(run_file(&folder.path("runs")), folder.path("run.plimsoll")).unwrap();
    fs::write(folder.path("disks.json"), DISKS).unwrap();
    folder
}

/// Returns cases for fio's options, by the types of its rows.
fn of_fio(folder: &Folder) -> Vec<Case> {
    let job = |option: &str| Case::new(&NULL, &format!("--{option}=%/x"), "x");
    let mut cases = Vec::new();
    for row in fio::COMMANDS.iter().filter(|row| !row.is_refused()) {
        let takes_one = matches!(row.takes, fio::Argument::Required);
        assert!(
            !takes_one || FIO_COMMANDS.contains(&row.name) || FIO_WRITES.contains(&row.name),
            "fio --{}: add it to FIO_WRITES if its value is a path, or else to FIO_COMMANDS",
            row.name
        );
        if row.name == "output" {
            cases.push(Case { allowed: own_file, ..job(row.name) });
        }
    }
    for row in fio::ROWS.iter().filter(|row| !row.is_refused()) {
        match row.takes {
            // An option that gives files a prefix makes several.
            fio::Kind::Prefix => {
                // Without this option there are no histograms.
                let case = Case::new(&NULL, "--log_hist_msec=1", "");
                let words = case.words.into_iter().chain([format!("--{}=%/x", row.name)]).collect();
                cases.extend(Case { words, ..case }.by_effect(folder, plain_file));
            }
            fio::Kind::Path if FIO_OUTPUTS.contains(&row.name) => cases.push(job(row.name)),
            fio::Kind::Path => assert!(
                FIO_INPUTS.contains(&row.name),
                "fio --{}: add it to FIO_OUTPUTS if it names what is written, or else to FIO_INPUTS",
                row.name
            ),
            _ => {}
        }
    }
    cases
}

/// Asserts that no option in the other dialects' tables names a file that is written; one that might must be examined.
fn other_dialects_write_nothing() {
    for row in diskspd::ROWS.iter().filter(|row| row.takes.contains("file") || row.takes.contains("path")) {
        assert!(
            ["X", "Z"].contains(&row.name),
            "diskspd -{}: if it names what is written, test it here",
            row.name
        );
    }
    for entry in ioping::entries().iter().chain(&iostat::entries()) {
        let value = entry.value.to_lowercase();
        let may = ["file", "dir", "path"].iter().any(|word| value.contains(word));
        assert!(
            !may || ["-f", "+f", "-j"].contains(&entry.typed[0].as_str()),
            "{:?}: if it names what is written, test it here",
            entry.typed
        );
    }
}

fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Runs one command for each option, with things under the plain name and through another user's link.
#[test]
fn no_option_writes_to_what_is_no_file_of_ours() {
    other_dialects_write_nothing();
    let folder = prepared();
    let Some(things) = Things::within(&folder) else { return };
    let mut seen = BTreeSet::new();
    let mut cases: Vec<Case> =
        of_fio(&folder).into_iter().filter(|case| seen.insert(case.words.clone())).collect();
    let listed = listed(&folder);
    cases
        .extend(listed.iter().filter(|listed| seen.insert(vec![listed.option.clone()])).filter_map(Case::of));
    let faults = cases.iter().flat_map(|case| case.faults(&folder, &things, &[Way::Plain, Way::ForeignLink]));
    none(faults.collect());
}

#[test]
#[ignore = "night: every option of every command, with everything that may stand in the way"]
fn no_option_of_any_command_writes_to_what_is_no_file_of_ours() {
    let folder = prepared();
    let Some(things) = Things::within(&folder) else { return };
    let mut cases = of_fio(&folder);
    for listed in listed(&folder) {
        let Some(case) = Case::of(&listed) else { continue };
        // Names of runs contain the time, and are passed over if something is in the way.
        if listed.takes == Takes::Folder && !["--out"].contains(&listed.option.as_str()) {
            cases.extend(case.by_effect(&folder, nothing));
        }
        cases.push(case);
    }
    for words in FIO_EFFECTS {
        let case = Case::new(&NULL[..2], "--size=64k", "");
        let words = words.iter().map(|word| (*word).to_owned());
        let case = Case { words: case.words.into_iter().chain(words).collect(), ..case };
        cases.extend(case.by_effect(&folder, plain_file));
    }
    none(cases.iter().flat_map(|case| case.faults(&folder, &things, &WAYS)).collect());
}

#[test]
fn where_no_file_can_be_made_that_is_said_and_nothing_is_left() {
    let folder = prepared();
    let read_only = MountGuard::at(folder.path("ro"), &["-t", "tmpfs", "-o", "ro", "none"]);
    let places = ["%/missing", "@/ro"].into_iter().filter(|place| *place != "@/ro" || read_only.is_some());
    let options = [
        (&["report", "@/run.plimsoll"][..], "--html=", 1),
        (&["compare", "@/run.plimsoll", "@/run.plimsoll"], "--html=", 1),
        (&["check", "sim:aws-gp3"], "--progress=json:", 2),
        (&NULL, "--output=", 1),
        (&NULL, "--write_iolog=", 1),
        (&NULL, "--write_bw_log=", 1),
    ];
    for place in places {
        for (words, option, code) in options {
            let own = fresh(&folder);
            let done = Case::new(words, &format!("{option}{place}/x"), "x").start(&folder, &own).wait();
            assert_eq!(done.code, Some(code), "{option}{place}: {}", done.err);
            assert!(done.complained().contains("/x"), "{option}{place}: {}", done.err);
            assert_eq!(fs::read_dir(&own).unwrap().count(), 0, "{option}{place}");
        }
    }
}

/// A link is followed by the kernel, so that it can refuse to: here by the mount, elsewhere by fs.protected_symlinks.
#[test]
fn a_link_that_the_kernel_does_not_follow_is_not_followed() {
    let folder = prepared();
    let Some(mount) = MountGuard::at(folder.path("m"), &["-t", "tmpfs", "-o", "nosymfollow", "none"]) else {
        return;
    };
    let victim = folder.path("victim");
    let link = mount.text() + "/link";
    symlink(&victim, &link).unwrap();
    for (words, option) in [(&["report", "@/run.plimsoll"][..], "--html="), (&NULL, "--output=")] {
        fs::write(&victim, "").unwrap();
        let done = Case::new(words, &format!("{option}{link}"), "").start(&folder, &fresh(&folder)).wait();
        assert_eq!(done.code, Some(1), "{}", done.err);
        assert!(done.complained().contains(&link), "{}", done.err);
        assert_eq!(fs::read(&victim).unwrap(), b"", "{option} was written through the link");
    }
}

/// A pipe with a reader, standard output and `/dev/null` are outputs like any other, and refusals come before anything runs.
#[test]
fn pipes_and_standard_output_take_what_a_file_takes() {
    let folder = prepared();
    let piped =
        "mkfifo \"$1/p\"; cat \"$1/p\" >\"$1/got\" & \"$0\" report \"$1/run.plimsoll\" --html \"$1/p\"; wait";
    let done = ended(&mut folder.through("sh", &["-c", piped, "plimsoll", &folder.text(".")]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(fs::read_to_string(folder.path("got")).unwrap().contains("</html>"));
    for place in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let done = Case::new(&NULL, &format!("--output={place}"), "").start(&folder, &fresh(&folder)).wait();
        assert_eq!(done.code, Some(0), "{place}: {}", done.err);
        assert!(done.out.contains("Run status"), "{place}: {}", done.out);
    }
    let null = ended(&mut folder.plimsoll(&["report", "@/run.plimsoll", "--html", "/dev/null"]));
    assert_eq!(null.code, Some(0), "{}", null.err);
    let load = ["fio", "--name=a", "--filename=@/made", "--rw=write", "--size=64k", "--output=/dev/zero"];
    let refused = ended(&mut folder.plimsoll(&load));
    assert_eq!(refused.code, Some(1), "{}", refused.out);
    assert!(refused.complained().contains("/dev/zero: cannot be written: it is a device"), "{}", refused.err);
    assert!(!folder.path("made").exists(), "the load has run before its output was asked for");
}
