//! `check --resume` of a file that somebody else made: it takes no more than a check does by default.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use record::{Run, TargetFacts, TargetKind};
use workload::{Bytes, CheckRequest, HeadroomRequest, Nanos, ProcedureRequest};

use crate::machine::*;

const HUGE: Bytes = Bytes::gib(70);

/// Writes a run that was stopped, measured this folder and asked for `asked`; returns its file.
fn stopped(folder: &Folder, name: &str, asked: CheckRequest) -> String {
    let target =
        TargetFacts { words: folder.text("."), kind: TargetKind::Directory, ..TargetFacts::default() };
    let run = Run {
        target: Some(target),
        asked: Some(ProcedureRequest::Check(Box::new(asked))),
        ..Run::started(vec!["plimsoll".to_owned(), "check".to_owned()], 1_795_000_000_000)
    };
    text(&runfile::write(runfile::at(&folder.path(name)), &run).unwrap())
}

#[test]
fn what_a_file_asks_beyond_the_usual_must_stand_on_this_command_line_too() {
    let folder = Folder::new();
    let search = HeadroomRequest {
        bounds: Vec::new(),
        load: Vec::new(),
        rates: Vec::new(),
        time: Nanos::SECOND,
        write_most: HUGE,
    };
    for (name, asked, option) in [
        ("size", CheckRequest { size: Some(HUGE), ..CheckRequest::default() }, "--size"),
        ("written", CheckRequest { write_most: Some(HUGE), ..CheckRequest::default() }, "--write-most"),
        (
            "searched",
            CheckRequest { parts: vec![ProcedureRequest::Headroom(search)], ..CheckRequest::default() },
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
fn a_run_that_goes_on_is_not_resumed_and_a_ticket_says_first_that_it_does() {
    let folder = Folder::new();
    let run = stopped(&folder, "run", CheckRequest::default());
    let ask = |words: &[&str]| ended(&mut folder.plimsoll(words));
    let file = std::fs::OpenOptions::new().write(true).open(&run).unwrap();
    kernel::mark_alive(&file).unwrap();
    for command in ["check", "burst"] {
        let refused = ask(&[command, "--resume", &run, "--dry-run"]);
        assert_eq!(refused.code, Some(2), "{command}: {}", refused.out);
        let words = "is still running; wait until it has ended, or stop it";
        assert!(refused.complained().contains(words), "{command}: {}", refused.err);
    }
    let ticket = ask(&["ticket", &run]);
    assert!(ticket.out.starts_with("Still running, "), "{}{}", ticket.out, ticket.err);
    drop(file);
    let told = ask(&["check", "--resume", &run, "--dry-run"]).complained();
    assert!(!told.contains("still running"), "{told}");
    assert!(!ask(&["ticket", &run]).out.contains("Still running"));
}

#[test]
fn what_cannot_be_resumed_is_told_in_one_sentence() {
    let folder = Folder::new();
    let check = stopped(&folder, "check", CheckRequest::default());
    let words = vec!["plimsoll".to_owned(), "run".to_owned()];
    let other = folder.text("other");
    runfile::write(runfile::at(other.as_ref()), &Run::started(words, 1_795_000_000_000)).unwrap();
    for (command, run, told) in [
        ("burst", &check, "check is not a run of plimsoll burst, so it cannot be resumed"),
        (
            "check",
            &other,
            "other is not a run of plimsoll check, or does not say what was asked of it, so it cannot be resumed",
        ),
    ] {
        let refused = ended(&mut folder.plimsoll(&[command, "--resume", run, "--dry-run"]));
        assert_eq!(refused.code, Some(2), "{}", refused.out);
        assert!(refused.complained().contains(told), "{}", refused.err);
    }
}

#[test]
fn a_time_that_no_check_takes_is_refused() {
    let folder = Folder::new();
    let asked = CheckRequest { time: Some(Nanos::from_secs(55_385 * 86_400)), ..CheckRequest::default() };
    let run = stopped(&folder, "long", asked);
    let refused = ended(&mut folder.plimsoll(&["check", "--resume", &run, "--dry-run"]));
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(refused.complained().contains("days, and no check takes more than"), "{}", refused.err);
}
