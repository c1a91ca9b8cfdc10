//! Profiles and the quick look on the command line: what they print, what they leave, and how they answer bad input.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;

use crate::machine::*;

/// The words, the exit code, and parts of the message: the cause first, the remedy last.
type Row = (&'static [&'static str], i32, &'static [&'static str]);

const WRONG: &[Row] = &[
    (&["run"], 2, &["required arguments were not provided: <PROFILE>", "run --help"]),
    (&["run", "databse", "@"], 2, &["no profile is called 'databse'", "did you mean 'database'?"]),
    (&["run", "@/none.toml", "@"], 2, &["none.toml", "cannot be read", "written in TOML"]),
    (&["run", "@/wrong.toml", "@"], 2, &["wrong.toml, line 5, column 9", "did you mean 'random'?"]),
    (&["run", "@", "@"], 2, &["cannot be read", "TOML"]),
    (&["run", "database", "@/nowhere"], 2, &["does not exist", "name a directory"]),
    (&["run", "database", "@", "--time", "soon"], 2, &["'soon'"]),
    (&["run", "database", "@", "--time", "0"], 2, &["--time 0 measures nothing"]),
    (&["run", "database", "@", "--size", "12q"], 2, &["'12q' is not a size"]),
    (&["run", "database", "@", "--size", "1M"], 2, &["--size 1 MiB", "at least 64 MiB"]),
    (&["run", "database", "@/large"], 2, &["every step of database writes", "only read", "--allow-destroy"]),
    (&["run", "database", "sim:aws-gp5"], 2, &["no policy is called 'aws-gp5'"]),
    (&["run", "database", "@", "--allow-destroy", "/dev/nowhere"], 2, &["--allow-destroy"]),
    (&["run", "database", "@", "--seed", "many"], 2, &["invalid value 'many'", "--help"]),
    (&["profile"], 2, &["profile", "--help"]),
    (&["profile", "show"], 2, &["required arguments", "<PROFILE>"]),
    (&["profile", "show", "mailserver"], 2, &["no profile is called 'mailserver'", "'mail-server'"]),
    (&["profile", "lst"], 2, &["unrecognized subcommand 'lst'", "'list'"]),
    (&["stream", "@/nowhere"], 2, &["does not exist", "name a directory"]),
    (&["stream", "@/large"], 2, &["is no folder", "plimsoll check"]),
    (&["stream", "sim:aws-gp3"], 2, &["no page cache", "takes a folder", "plimsoll check sim:aws-gp3"]),
    (&["stream", "/dev/null"], 2, &["is no folder", "name a folder"]),
    (&["stream", "@", "--time", "1ms"], 2, &["too short", "half a second"]),
    (&["stream", "@", "--time", "x"], 2, &["'x'"]),
    (&["stream", "@", "--size", "999T"], 2, &["999 TiB are needed but only", "smaller"]),
    (&["stream", "@", "--sise", "1G"], 2, &["unexpected argument '--sise'", "'--size'"]),
];

#[test]
fn wrong_words_are_told_with_cause_and_remedy_and_leave_nothing() {
    let folder = Folder::new();
    folder.make_file("large", 80);
    fs::write(
        folder.path("wrong.toml"),
        "title = \"x\"\n[[step]]\nname = \"a\"\n[[step.job]]\norder = \"rnadom\"\nread = 1\nblock = \"4k\"\n",
    )
    .unwrap();
    let before = folder.listing();
    for (words, code, wanted) in WRONG {
        let ended = ended(&mut folder.plimsoll(words));
        let told = ended.complained();
        assert_eq!(ended.code, Some(*code), "{words:?}: {told}");
        assert_eq!(ended.out, "", "{words:?}");
        for word in *wanted {
            assert!(told.contains(word), "{words:?}: {told}, without '{word}'");
        }
        assert!(
            ended.err.lines().all(|line| line.chars().count() <= 80 || line.contains('/')),
            "{}",
            ended.err
        );
    }
    assert_eq!(folder.listing(), before);
}

#[test]
fn the_profiles_are_listed_shown_and_copied() {
    let folder = Folder::new();
    let list = ended(&mut folder.plimsoll(&["profile", "list"]));
    for name in ["crystaldiskmark", "file-server", "mail-server", "web-server", "database"] {
        assert!(list.out.contains(name), "{}", list.out);
        let shown = ended(&mut folder.plimsoll(&["profile", "show", name]));
        assert!(shown.out.contains("leaves out"), "{}", shown.out);
        assert!(shown.out.lines().all(|line| line.chars().count() <= 80), "{}", shown.out);
        let copy = ended(&mut folder.plimsoll(&["profile", "show", name, "--toml"]));
        fs::write(folder.path("mine.toml"), copy.out).unwrap();
        let run = ended(&mut folder.plimsoll(&["run", "@/mine.toml", "sim:aws-gp3"]));
        assert_eq!(run.code, Some(0), "{name}: {}", run.err);
        assert!(run.out.lines().all(|line| line.chars().count() <= 80 || line.contains('/')), "{}", run.out);
    }
}

#[test]
#[ignore = "night: half a minute of runs"]
fn a_profile_runs_on_every_kind_of_target() {
    let folder = Folder::new();
    folder.make_file("large", 80);
    for (target, code) in [("null:", 0), ("sim:aws-gp3", 0), ("@/large", 0), ("@", 0)] {
        let words = ["run", "crystaldiskmark", target, "--time", "300ms", "--busy", "--out", "@/out"];
        let mut words: Vec<&str> = words.to_vec();
        if target == "@" {
            words.extend(["--size", "64M"]);
        }
        let ended = ended(&mut folder.plimsoll(&words));
        assert_eq!(ended.code, Some(code), "{target}: {}", ended.err);
        assert!(ended.out.contains("SEQ    1MiB (Q=  8, T= 1):"), "{target}: {}", ended.out);
        assert_eq!(ended.out.contains("[Write]"), target != "@/large", "{target}: {}", ended.out);
        assert_eq!(ended.complained().contains("Left out"), target == "@/large", "{}", ended.err);
    }
}

#[test]
fn a_profile_with_json_prints_one_document() {
    let folder = Folder::new();
    let ended = ended(&mut folder.plimsoll(&["run", "web-server", "sim:aws-gp3", "--format", "json"]));
    let jobs = ended.json();
    assert!(jobs["jobs"].as_array().is_some_and(|jobs| !jobs.is_empty()), "{}", ended.out);
}

#[test]
#[ignore = "night: real rates"]
fn a_quick_look_names_the_caches_figures_and_leaves_nothing() {
    let folder = Folder::new();
    let here = folder.make_dir("volume");
    let words = ["quick", "@/volume", "--time", "600ms", "--size", "64M", "--busy", "--out", "@/out"];
    let neighbours = Neighbours::watch();
    let ended = ended(&mut folder.plimsoll(&words));
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(fs::read_dir(here).unwrap().count(), 0);
    assert!(ended.out.lines().all(|line| line.chars().count() <= 80 || line.contains('/')), "{}", ended.out);
    let line = |name: &str| ended.out.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(line("read, through the cache").contains("CACHE"), "{}", ended.out);
    if !line("write, through the cache  ").contains("CACHE") {
        return neighbours.excuse_or_fail(ended.out);
    }
    if ended.out.contains("read, past the cache") {
        assert!(!line("read, past the cache").contains("CACHE"), "{}", ended.out);
        assert!(ended.told().contains("The volume itself writes"), "{}", ended.out);
    }
}

#[test]
fn a_quick_look_into_memory_ascribes_nothing_to_a_volume() {
    let folder = Folder::in_memory();
    let place = folder.make_dir("place");
    let out = folder.make_dir("out");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    let output = command
        .args(["quick", "--size", "64M", "--time", "500ms", "--busy"])
        .arg("--out")
        .arg(&out)
        .arg(&place);
    let text = String::from_utf8_lossy(&output.output().unwrap().stdout).into_owned();
    if !text.contains("MEMORY") {
        assert!(!place.starts_with("/dev/shm"), "{text}");
        return skipped(Lack::Kernel, "no folder in memory here");
    }
    assert!(text.contains("the folder lies in memory") && !text.contains("the volume's"), "{text}");
}

#[test]
#[ignore = "night: a signal after real seconds"]
fn a_quick_look_that_is_stopped_leaves_nothing() {
    let folder = Folder::new();
    let here = folder.make_dir("volume");
    let words = ["quick", "@/volume", "--time", "20s", "--size", "64M", "--busy", "--out", "@/out"];
    let mut running = Running::start(&mut folder.plimsoll(&words));
    assert!(running.has_said("layout"), "the layout never ended");
    running.signal("INT");
    let ended = running.wait();
    assert_eq!(ended.code, Some(130), "{}", ended.err);
    assert_eq!(fs::read_dir(here).unwrap().count(), 0);
    assert!(fs::metadata(run_file(&folder.path("out"))).unwrap().len() > 0);
}
