//! No sentence decides: what the product says is made from values at the end, and never read back.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use house::{files, root, text_decisions};

/// Files, and whole folders (ending with `/`), that read words which are not plimsoll's own, each with their author.
/// Code that makes our sentences must not be among them.
const READERS: [(&str, &str); 23] = [
    ("crates/explain/src/variables.rs", "a pasted script"),
    ("crates/fleet/src/library.rs", "an MPI library's description of itself"),
    ("crates/kernel/src/", "the kernel's words for devices and file systems"),
    ("crates/sampler/src/", "the kernel's words in /proc and /sys"),
    ("crates/analysis/src/shortage.rs", "the kernel's names of devices and file systems"),
    ("crates/fio/src/disks.rs", "the kernel's names of devices"),
    ("crates/report/src/charts/view.rs", "the name of a file that a lab volume lies in"),
    ("crates/session/src/files/mod.rs", "the first bytes of a file, which may be a page of ours"),
    ("crates/analysis/src/compare/asked.rs", "other tools' names and options, as imported"),
    ("crates/analysis/src/compare/parameters.rs", "other tools' names, as imported"),
    ("crates/import/src/", "what other tools printed"),
    ("crates/explain/src/fio_words.rs", "a pasted job file"),
    ("crates/explain/src/words.rs", "lines of a job file"),
    ("crates/explain/src/files_fio.rs", "paths of devices, as typed"),
    ("crates/explain/src/dd.rs", "options of dd, as typed"),
    ("crates/diskspd/src/commandline.rs", "options of DiskSpd, as typed"),
    ("crates/fio/src/commands.rs", "options of fio, as typed"),
    ("crates/fio/src/exact.rs", "numbers of fio, as typed"),
    ("crates/fio/src/jobfile.rs", "sections of a job file"),
    ("crates/fio/src/number.rs", "numbers of fio, as typed"),
    ("crates/fio/src/options.rs", "options of fio, as typed"),
    ("crates/fio/src/shapes.rs", "options of fio, as typed"),
    ("crates/policy/src/custom.rs", "a parameter, as typed"),
];

/// Files of tests under another name than `tests`.
const TESTS: [&str; 1] = ["crates/engine/src/driver/faulty.rs"];

fn reader_of(path: &Path) -> Option<&'static str> {
    let path = path.to_str()?;
    let fits = |place: &str| if place.ends_with('/') { path.starts_with(place) } else { path == place };
    READERS.iter().map(|(place, _)| *place).find(|place| fits(place))
}

/// Whether this is a source file of the product and not of its tests.
fn is_product(path: &Path) -> bool {
    let is_test = |path: &Path| {
        path.iter().any(|part| part == "tests" || part == "tests.rs")
            || TESTS.iter().any(|name| path == Path::new(name))
    };
    let product = path.starts_with("crates")
        && !["house", "testbed"].iter().any(|name| path.starts_with(format!("crates/{name}")));
    let source = path.iter().any(|part| part == "src") && path.extension().is_some_and(|end| end == "rs");
    product && source && !is_test(path)
}

/// Returns each decision by words as its path, and as text: `path:line` and the words.
fn decisions() -> Vec<(PathBuf, String)> {
    let here = root();
    let product = files(&here).unwrap_or_default().into_iter().filter(|path| is_product(path));
    product
        .flat_map(|path| {
            let text = fs::read_to_string(here.join(&path)).unwrap_or_default();
            let places = text_decisions(&text).into_iter();
            places
                .map(|found| (path.clone(), format!("{}:{} \"{}\"", path.display(), found.line, found.words)))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn nothing_is_decided_by_words_of_our_own() {
    let found: Vec<String> = decisions()
        .into_iter()
        .filter(|(path, _)| reader_of(path).is_none())
        .map(|(_, place)| place)
        .collect();
    assert!(
        found.is_empty(),
        "a text is asked what it says; let whoever makes it hand on a value (an enum, an Option), and make the words from it \
         at the end. Where the words are another's (the kernel's, another tool's, a user's), name the reader in READERS of \
         this test:\n  {}",
        found.join("\n  ")
    );
}

#[test]
fn every_reader_reads_and_says_whose_words() {
    let reading: BTreeSet<&str> = decisions().iter().filter_map(|(path, _)| reader_of(path)).collect();
    for (place, whose) in READERS {
        assert!(!whose.is_empty() && reading.contains(place), "{place} asks no text: take it off READERS");
    }
}
