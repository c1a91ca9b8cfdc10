//! Everything that fuzzing has kept holds: corpora, findings, and each of them repeated until it is long.
//!
//! `PLIMSOLL_FUZZ_GROWN=10000000` makes files of 10 MB of them, which takes hours.

use std::path::{Path, PathBuf};

use targets::{Length, TARGETS, Target, bounded, grown};

/// How long a file is made here: where time grows with the square, this is enough to see it.
const GROWN: usize = 128 << 10;

fn kept(folder: &str, target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    // What is made of an input has the corpus of that input.
    let name = match target.name {
        "import_page" | "series" => "import",
        name => name,
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join(name);
    let Ok(entries) = std::fs::read_dir(&folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap_or_default())).collect()
}

fn all() -> impl Iterator<Item = (&'static Target, PathBuf, Vec<u8>)> {
    let of = |target: &'static Target| {
        let both = kept("corpus", target).into_iter().chain(kept("findings", target));
        both.map(move |(path, bytes)| (target, path, bytes))
    };
    TARGETS.iter().flat_map(of)
}

/// Says which input it was where `work` panics.
fn named(path: &Path, work: impl FnOnce()) {
    struct Name<'p>(&'p Path);
    impl Drop for Name<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("with {}", self.0.display());
            }
        }
    }
    let _name = Name(path);
    work();
}

// One test, not two: the memory of the process is counted, and whoever runs beside would be counted too.
#[test]
fn all_that_was_kept_holds_also_when_it_is_long() {
    let mut count = 0;
    for (target, path, bytes) in all() {
        count += 1;
        named(&path, || bounded(target, &bytes));
    }
    assert!(count > 200, "only {count} inputs are kept");
    let length =
        std::env::var("PLIMSOLL_FUZZ_GROWN").ok().and_then(|length| length.parse().ok()).unwrap_or(GROWN);
    for (target, path, bytes) in all().filter(|(target, ..)| target.length == Length::File) {
        named(&path, || bounded(target, &grown(&bytes, length)));
    }
}
