//! `check --resume` of a file that somebody else made: it takes no more than a check takes unasked.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use record::{Run, TargetFacts, TargetKind};
use workload::{Asked, Bytes, CheckAsked, HeadroomAsked, Nanos};

use crate::machine::*;

const HUGE: Bytes = Bytes::gib(70);

/// A run of the folder that asks for this and was stopped.
fn stopped(folder: &Folder, name: &str, asked: CheckAsked) -> String {
    let target =
        TargetFacts { words: folder.text("."), kind: TargetKind::Directory, ..TargetFacts::default() };
    let run = Run {
        target: Some(target),
        asked: Some(Asked::Check(Box::new(asked))),
        ..Run::started(vec!["plimsoll".to_owned(), "check".to_owned()], 1_795_000_000_000)
    };
    text(&runfile::write(runfile::at(&folder.path(name)), &run).unwrap())
}

#[test]
fn what_a_file_asks_beyond_the_usual_must_stand_on_this_command_line_too() {
    let folder = Folder::new();
    let search =
        HeadroomAsked { bounds: Vec::new(), load: Vec::new(), time: Nanos::SECOND, write_most: HUGE };
    for (name, asked, option) in [
        ("size", CheckAsked { size: Some(HUGE), ..CheckAsked::default() }, "--size"),
        ("written", CheckAsked { write_most: Some(HUGE), ..CheckAsked::default() }, "--write-most"),
        (
            "searched",
            CheckAsked { parts: vec![Asked::Headroom(search)], ..CheckAsked::default() },
            "--write-most",
        ),
    ] {
        let run = stopped(&folder, name, asked);
        let before = folder.listing();
        let refused = ended(&mut folder.plimsoll(&["check", "--resume", &run, "--dry-run"]));
        assert_eq!(refused.code, Some(2), "{name}: {}", refused.out);
        let words = "it asks for 70 GiB where a check takes ";
        let told = refused.complained();
        assert!(
            told.contains(words) && told.contains(&format!("say {option} {} ", HUGE.0)),
            "{name}: {told}"
        );
        assert_eq!(folder.listing(), before, "{name}");
        let said = ["check", "--resume", &run, "--dry-run", option, "70GiB"];
        let told = ended(&mut folder.plimsoll(&said)).complained();
        assert!(!told.contains("unasked"), "{name}: {told}");
    }
}

#[test]
fn a_time_that_no_check_takes_is_refused() {
    let folder = Folder::new();
    let asked = CheckAsked { time: Some(Nanos::from_secs(55_385 * 86_400)), ..CheckAsked::default() };
    let run = stopped(&folder, "long", asked);
    let refused = ended(&mut folder.plimsoll(&["check", "--resume", &run, "--dry-run"]));
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.complained().contains("days, and no check takes more than"), "{}", refused.err);
}
