//! What other commands see of a run under way, and that nothing they do changes how it ends.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;

use crate::machine::*;

/// Five steps of at least a second each, on the null target.
const RUN: [&str; 5] = ["run", "five-figures", "null:", "--time", "1s"];

/// Starts a run; returns it, and its file, once something of it can be drawn.
fn started(folder: &Folder, out: &str) -> (Running, String) {
    let at = format!("@/{out}");
    let running = Running::start(&mut folder.plimsoll(&[&RUN[..], &["--out", &at]].concat()));
    let place = folder.make_dir(out);
    let runs = || std::fs::read_dir(&place).unwrap().flatten().map(|entry| entry.path());
    let has_run = || runs().any(|path| path.extension().is_some_and(|end| end == "plimsoll"));
    assert!(comes_true(has_run), "no run file");
    let run = run_file(&place);
    let look = ["report", &run, "--format", "json", "--html", "@/look.html"];
    let has_figures = || {
        let drawn = ended(&mut folder.plimsoll(&look));
        drawn.code == Some(0) && drawn.json()["run"]["still_running_ns"].as_u64() > Some(0)
    };
    assert!(comes_true(has_figures), "no figure");
    (running, run)
}

/// Whether the run printed its last line; its figures depend on the machine.
fn is_told_whole(ended: &ProgramOutput) -> bool {
    ended.out.lines().any(|line| line.starts_with("report  "))
}

#[test]
#[ignore = "night: runs of real seconds"]
fn a_report_beside_a_run_says_that_it_goes_on_and_leaves_its_page_verdict_and_exit_code_alone() {
    let folder = Folder::new();
    let (running, run) = started(&folder, "out");
    let own = Path::new(&run).with_extension("html");
    let ask = |words: &[&str]| ended(&mut folder.plimsoll(words));

    let report = ask(&["report", &run]);
    assert_eq!(report.code, Some(0), "{}", report.err);
    assert!(
        report.told().starts_with("Still running, ") && report.told().contains(" %: what is said"),
        "{}",
        report.out
    );
    assert!(!report.out.contains("stopped"), "{}", report.out);
    let so_far = run.replace(".plimsoll", "-so-far.html");
    assert!(std::fs::read_to_string(so_far).unwrap().contains("Still running, "));
    std::os::unix::fs::symlink(&own, folder.path("link.html")).unwrap();
    for page in [&text(&own), &folder.text("link.html")] {
        let refused = ask(&["report", &run, "--html", page]);
        assert_eq!(refused.code, Some(2), "{page}: {}", refused.err);
        assert!(refused.complained().contains("is still running; name another place"), "{}", refused.err);
    }
    assert!(!own.exists());
    for words in [
        &["list", "@/out"][..],
        &["ticket", &run],
        &["compare", &run, &run],
        &["export", &run, "--parquet", "@/tables"],
    ] {
        let said = ask(words);
        let told = (said.told() + &said.complained()).to_lowercase();
        assert!(told.contains("still running"), "{words:?}: {told}");
    }
    let ended = running.wait();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(own.is_file() && is_told_whole(&ended) && ended.out.contains(".html"), "{}", ended.out);
    let report = ask(&["report", &run]);
    assert!(!report.out.contains("Still running"), "{}", report.out);
}

#[test]
#[ignore = "night: runs of real seconds"]
fn a_page_whose_name_was_taken_meanwhile_gets_another_and_the_run_ends_with_its_verdict() {
    let folder = Folder::new();
    let (running, run) = started(&folder, "out");
    let own = Path::new(&run).with_extension("html");
    std::fs::write(&own, "somebody else's").unwrap();
    let ended = running.wait();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(is_told_whole(&ended), "{}", ended.out);
    assert!(ended.complained().contains("was made by somebody else meanwhile"), "{}", ended.err);
    assert_eq!(std::fs::read_to_string(&own).unwrap(), "somebody else's");
    let second = run.replace(".plimsoll", "-2.html");
    assert!(ended.out.contains("-2.html") && std::fs::read_to_string(second).unwrap().contains("</html>"));
}

#[test]
#[ignore = "night: runs of real seconds"]
fn neither_a_run_that_was_killed_nor_a_copy_of_one_that_goes_on_is_taken_for_running() {
    let folder = Folder::new();
    let (running, run) = started(&folder, "out");
    let copy = folder.text("copy.plimsoll");
    for side in ["", "-wal"] {
        std::fs::copy(format!("{run}{side}"), format!("{copy}{side}")).unwrap();
    }
    running.signal("KILL");
    running.wait();
    for file in [&run, &copy] {
        let report = ended(&mut folder.plimsoll(&["report", file, "--html", "@/page.html"]));
        assert_eq!(report.code, Some(0), "{}", report.err);
        let list = ended(&mut folder.plimsoll(&["list", "@/out"]));
        assert!(list.told().contains("(stopped before its end)"), "{}", list.out);
        assert!(!report.out.contains("till running"), "{}", report.out);
    }
}
