//! What a path holds is detected by content, and each way of reading takes from it what it can use.

use std::path::{Path, PathBuf};

use analysis::Meaning;
use record::Run;
use session::inputs::{FileContent, InputRun, ReadFailure, Reader};
use session::named_input::{NamedInput, PRINTED};
use workload::Nanos;

/// Creates a folder with one file of each kind, under names that say nothing.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../import/tests/all/fixtures");
    let at = |name: &str| folder.path().join(name);
    let run = Run { complete: true, ..Run::started(vec!["plimsoll".to_owned()], 7) };
    runfile::write(runfile::at(&at("a")), &run).unwrap();
    std::fs::copy(fixtures.join("fio-3.33.json"), at("b")).unwrap();
    std::fs::copy(fixtures.join("iostat/extended.json"), at("c.json")).unwrap();
    std::fs::write(at("d"), "nothing that anybody prints").unwrap();
    std::fs::write(at("e"), "").unwrap();
    std::fs::write(at("f"), "SQLite format 3\0 and nothing more").unwrap();
    folder
}

const WORDS: [&str; 2] = ["plimsoll", "report"];

fn reader() -> Reader {
    Reader::of(WORDS.map(str::to_owned).to_vec())
}

#[test]
fn content_tells_what_a_file_is() {
    let folder = folder();
    let held = |name: &str| reader().file(&NamedInput::plain(folder.path().join(name), PRINTED));
    assert!(
        matches!(held("a"), Ok(FileContent::RunFile(run, lost)) if run.started_unix_ms == 7 && lost.is_empty())
    );
    assert!(
        matches!(held("b"), Ok(FileContent::Printed(import)) if import.runs.iter().all(|run| run.words == WORDS))
    );
    assert!(
        matches!(held("c.json"), Ok(FileContent::Printed(import)) if import.runs.iter().all(|run| run.observed.is_some()))
    );
    assert!(matches!(held("d"), Err(ReadFailure::Nothing(_))));
    assert!(matches!(held("e"), Err(ReadFailure::Nothing(_))));
    assert!(matches!(held("f"), Err(ReadFailure::RunFile(_))));
    assert!(matches!(held("g"), Err(ReadFailure::Closed(_))));
}

#[test]
fn what_cannot_be_compared_is_refused_and_what_can_be_drawn_is() {
    let folder = folder();
    let paths =
        |names: &[&str]| -> Vec<PathBuf> { names.iter().map(|name| folder.path().join(name)).collect() };
    let drawn = reader().recordings(&paths(&["a", "b", "c.json", "d", "e", "f", "g"])).unwrap();
    assert_eq!((drawn.runs.len(), drawn.unread), (3, 4));
    assert_eq!(reader().results(&paths(&["a", "b"])).unwrap().len(), 2);
    for name in ["c.json", "d", "e", "f", "g"] {
        assert!(reader().results(&paths(&[name])).is_err(), "{name}");
    }
    let whole = [folder.path().to_owned()];
    assert_eq!(reader().results(&whole).unwrap().len(), 2, "what is of no use is passed over");
    assert_eq!(reader().recordings(&whole).unwrap().runs.len(), 1, "of a folder iostat's JSON");
}

#[test]
fn the_processors_of_the_step_that_runs_are_not_judged_before_its_end_tells_of_them() {
    let (run, _) = crate::simulated_checks::check("sim:aws-gp3", "");
    let is_judged = |still_running: Option<Nanos>, user_cpu_ns: u64| {
        let mut run = Run { still_running, ..run.clone() };
        let step = run.steps.last_mut().unwrap();
        step.workers[0].run_delay_ns = step.ended.since(step.started).0;
        step.workers[0].user_cpu_ns = user_cpu_ns;
        let analysis = InputRun { path: PathBuf::new(), which: 0, run }.analysis().unwrap();
        analysis.findings.iter().any(|found| matches!(found.meaning, Meaning::GeneratorBound(_)))
    };
    assert!(is_judged(None, 0), "nobody ran in virtual time, and the run is over");
    assert!(!is_judged(Some(Nanos::SECOND), 0));
    assert!(is_judged(Some(Nanos::SECOND), 1), "a step that has ended");
}
