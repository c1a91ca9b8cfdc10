//! Rules of style that a program can check: where `unsafe` may stand, how files open and are named, what no file contains.

use std::fs;
use std::path::{Path, PathBuf};

use house::{code_only, files, functions, has_word, root, test_spans};

/// Names under which unrelated things gather.
const EMPTY_NAMES: [&str; 8] = ["util", "utils", "common", "helpers", "helper", "misc", "types", "manager"];

/// Extensions of the files that people write and read here.
const WRITTEN: [&str; 9] = ["rs", "md", "toml", "sh", "py", "yml", "css", "sql", "ts"];

/// Markers of unfinished work; in pieces, so that this file does not contain them.
const UNFINISHED: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];

/// Files that may contain `unsafe` outside `crates/kernel`, each with its reason.
const UNSAFE_BESIDES: [(&str, &str); 2] = [
    ("crates/engine/tests/allocation.rs", "a counting global allocator cannot be written without unsafe"),
    ("fuzz/targets/src/bounds.rs", "a counting global allocator cannot be written without unsafe"),
];

/// Ways to read a file that check neither its kind nor its length.
const BARE_READS: [&str; 5] =
    ["fs::read(", "fs::read_to_string(", "File::open(", "io::read_to_string(", "stdin().lock()"];

/// Files of `cli` and `session` with such a read, each with its reason.
const BARE_READS_OF: [(&str, &str); 5] = [
    ("crates/cli/src/commands/drain.rs", "a key is asked for on a terminal"),
    ("crates/cli/src/commands/tutorial.rs", "a key is asked for on a terminal"),
    ("crates/cli/src/commands/iostat.rs", "a counter of /proc"),
    ("crates/cli/src/arguments/shown.rs", "the page that the command itself has just written"),
    (
        "crates/session/src/runner/named.rs",
        "the target itself, which a job asks to be read into the page cache",
    ),
];

struct SourceFile {
    path: PathBuf,
    text: String,
}

impl SourceFile {
    fn is_rust(&self) -> bool {
        self.path.extension().is_some_and(|end| end == "rs")
    }

    /// Returns `path:line` of every line of `text` that `wrong` picks out.
    fn places(&self, text: &str, wrong: impl Fn(&str) -> bool) -> Vec<String> {
        let lines = text.lines().enumerate().filter(|(_, line)| wrong(line));
        lines.map(|(index, _)| format!("{}:{}", self.path.display(), index + 1)).collect()
    }
}

fn written() -> Vec<SourceFile> {
    let here = root();
    let ends_well = |path: &Path| match path.extension() {
        Some(end) => WRITTEN.iter().any(|known| end == *known),
        None => path == Path::new("dev") || path.starts_with(".ci"),
    };
    let listed = files(&here).unwrap_or_default().into_iter().filter(|path| ends_well(path));
    listed
        .filter_map(|path| Some(SourceFile { text: fs::read_to_string(here.join(&path)).ok()?, path }))
        .collect()
}

/// Fails with every place that breaks a rule, and with what to do instead.
fn none(broken: impl IntoIterator<Item = String>, instead: &str) {
    let broken: Vec<String> = broken.into_iter().collect();
    assert!(broken.is_empty(), "{instead}:\n  {}", broken.join("\n  "));
}

#[test]
fn unsafe_stands_in_kernel_alone() {
    let excused = |path: &Path| {
        path.starts_with("crates/kernel") || UNSAFE_BESIDES.iter().any(|(name, _)| path == Path::new(name))
    };
    let rust = written().into_iter().filter(|file| file.is_rust() && !excused(&file.path));
    none(
        rust.flat_map(|file| {
            let wrong = |line: &str| has_word(line, "unsafe") || line.contains("allow(unsafe_code)");
            file.places(&code_only(&file.text), wrong)
        }),
        "unsafe code belongs into crates/kernel, behind a safe function or type that says who owns what; call that",
    );
}

#[test]
fn what_a_user_names_is_read_through_the_one_door() {
    let places = ["crates/cli/src", "crates/session/src"];
    let excused = |path: &Path| BARE_READS_OF.iter().any(|(name, _)| path.starts_with(name));
    let ours = |file: &SourceFile| file.is_rust() && places.iter().any(|place| file.path.starts_with(place));
    let (known, others): (Vec<SourceFile>, Vec<SourceFile>) =
        written().into_iter().filter(ours).partition(|file| excused(&file.path));
    let bare = |file: &SourceFile| {
        let mut code = code_only(&file.text);
        // Tests know what they read.
        for span in test_spans(&code).into_iter().rev() {
            let blank: String = code[span.clone()].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
            code.replace_range(span, &blank);
        }
        file.places(&code, |line| BARE_READS.iter().any(|read| line.contains(read)))
    };
    none(
        others.iter().flat_map(bare),
        "read it through session::named_input, which knows kind and size first, is bounded, and hears Ctrl-C",
    );
    none(
        known.iter().filter(|file| bare(file).is_empty()).map(|file| file.path.display().to_string()),
        "nothing is read there any more: take it out of BARE_READS_OF",
    );
}

#[test]
fn every_rust_file_opens_with_what_it_is_for() {
    let opens_well = |text: &str| {
        let first = text.lines().next().unwrap_or_default();
        first.starts_with("//! ") && first.split_whitespace().count() >= 4
    };
    let rust = written().into_iter().filter(SourceFile::is_rust);
    none(
        rust.filter(|file| !opens_well(&file.text)).map(|file| file.path.display().to_string()),
        "the first line must be `//! ` and, in at least three words, what the file is for",
    );
}

#[test]
fn no_name_is_a_drawer_for_anything() {
    let says_nothing = |part: &Path| {
        part.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| EMPTY_NAMES.contains(&stem))
    };
    none(
        written()
            .into_iter()
            .filter(|file| file.path.iter().map(Path::new).any(says_nothing))
            .map(|file| file.path.display().to_string()),
        "name the file after the one thing it does",
    );
}

#[test]
fn no_public_function_takes_a_bare_bool() {
    let rust = written().into_iter().filter(SourceFile::is_rust);
    none(
        rust.flat_map(|file| {
            let found = functions(&code_only(&file.text)).into_iter().filter(|function| function.public_bool);
            found.map(|f| format!("{}:{} {}", file.path.display(), f.line, f.name)).collect::<Vec<_>>()
        }),
        "a bool in a call says nothing to its reader; take an enum of two named values",
    );
}

/// The layers of `report`, lowest first; each may call only those before it.
const ROOMS: [&str; 3] = ["words", "charts", "page"];

/// The room of a file of `report`: its folder; in the folder of a procedure `charts.rs` is one of the charts, and all
/// else words.
fn room(path: &Path) -> Option<usize> {
    let folder = path.iter().next()?.to_str()?;
    let room = match folder {
        "answers" if path.ends_with("charts.rs") => "charts",
        "answers" => "words",
        folder => folder,
    };
    ROOMS.iter().position(|known| *known == room)
}

#[test]
fn the_rooms_of_report_call_downwards_alone() {
    let report = Path::new("crates/report/src");
    let calls_up = |file: SourceFile| {
        let place = room(file.path.strip_prefix(report).ok()?)?;
        let paths = |name: &&str| [format!("crate::{name}"), format!("::{name}::")];
        let above: Vec<String> = ROOMS[place + 1..].iter().flat_map(paths).collect();
        let wrong = |line: &str| above.iter().any(|path| line.contains(path.as_str()));
        Some(file.places(&code_only(&file.text), wrong))
    };
    let rooms: Vec<Vec<String>> = written().into_iter().filter_map(calls_up).collect();
    assert!(rooms.len() > 50, "the rooms of report are no longer under {}", report.display());
    none(
        rooms.into_iter().flatten(),
        "a page calls charts and words, a chart calls words, nothing calls back; move what both need into the lower room",
    );
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    let here = root();
    let here = fs::canonicalize(&here).unwrap_or(here);
    let home = std::env::var("HOME").unwrap_or_default();
    // A path of one component, such as /root, is the same on many machines.
    let telling = |path: &str| Path::new(path).components().count() > 2;
    let own: Vec<&str> =
        here.to_str().into_iter().chain([home.as_str()]).filter(|path| telling(path)).collect();
    none(
        written()
            .iter()
            .flat_map(|file| file.places(&file.text, |line| own.iter().any(|path| line.contains(path)))),
        "a path of one person's machine: make it relative to the repository",
    );
}

#[test]
fn nothing_unfinished_is_left_in_a_note() {
    none(
        written().iter().flat_map(|file| {
            file.places(&file.text, |line| UNFINISHED.iter().any(|word| has_word(line, word)))
        }),
        "finish it, or state as a fact what is missing",
    );
}
