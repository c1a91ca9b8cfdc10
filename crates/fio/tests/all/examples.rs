//! Every job file of the distribution's examples package is read as the installed fio reads it, or refused by name.

use std::collections::BTreeMap;
use std::path::Path;

use fio::{FioError, Request};

use crate::real::{bare, err, fio, ours, out};

const EXAMPLES: &str = "/usr/share/doc/fio/examples";
/// Least number of examples; fewer would mean that the package has moved.
const LEAST: usize = 60;

/// Names of the job files, sorted; none if the package is not installed.
fn examples() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(EXAMPLES) else {
        testbed::skipped(
            testbed::Lack::Tool,
            format!("{EXAMPLES} is not there; the package fio-examples has it"),
        );
        return Vec::new();
    };
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name.ends_with(".fio"));
    names.sort();
    names
}

/// Outcome for one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Alike,
    RefusedByName,
    RefusedByBoth,
}

/// The option or engine that a refusal names, and the reason.
fn named(error: &FioError) -> Option<(&str, &str)> {
    match error {
        FioError::Refused { option, reason, .. } => Some((option, reason)),
        // fio notices it only when it loads the engine, in these words.
        FioError::UnknownEngine(name) => Some((name, "fio has no engine of that name")),
        _ => None,
    }
}

/// Options of a command line without names: fio also shows those of global sections, and with them jobs that do not exist.
fn options(command_line: &str) -> Vec<String> {
    let words = bare(command_line);
    words.split_whitespace().filter(|word| !word.starts_with("--name=")).map(str::to_owned).collect()
}

fn compare(name: &str, text: &str) -> Option<Verdict> {
    let folder = Path::new(EXAMPLES);
    let theirs = fio(&["--showcmd", name], folder, "")?;
    let ours = ours(&["--showcmd", name], folder, "");
    let verdict = match (theirs.status.success(), &ours) {
        (true, Ok(Request::Say(said))) => {
            // Before a late global section fio repeats all globals so far, so that they fall to the job before.
            if text.matches("\n[global").count() < 2 {
                assert_eq!(options(said), options(&out(&theirs)), "{name}");
            }
            Verdict::Alike
        }
        (true, Err(error)) => {
            let (option, reason) =
                named(error).unwrap_or_else(|| panic!("{name}: {error}\n{:?}", error.hint()));
            let word = option.split(['=', ' ']).next().unwrap_or_default();
            assert!(text.contains(word) && reason.len() > 8, "{name}: {error}");
            assert_eq!(error.exit_code(), 1, "{name}");
            eprintln!("{name}: {option}: {reason}");
            Verdict::RefusedByName
        }
        (false, Err(error)) => {
            eprintln!("{name}: {error}: fio says {}", err(&theirs));
            Verdict::RefusedByBoth
        }
        (_, said) => {
            panic!("{name}: fio ended with {}: {}; here it is {said:?}", theirs.status, err(&theirs))
        }
    };
    Some(verdict)
}

#[test]
fn every_example_is_read_as_fio_reads_it_or_refused_by_name() {
    let names = examples();
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for name in &names {
        let text = std::fs::read(Path::new(EXAMPLES).join(name)).unwrap();
        let Some(verdict) = compare(name, &String::from_utf8_lossy(&text)) else { return };
        *verdicts.entry(verdict).or_default() += 1;
    }
    eprintln!("{verdicts:?}");
    assert!(names.is_empty() || names.len() >= LEAST, "{} job files in {EXAMPLES}", names.len());
}
