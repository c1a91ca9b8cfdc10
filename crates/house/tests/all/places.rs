//! What exists only once: the place that asks the guard for permission to write, the place that starts the engine on
//! files, and the modules (doors) through which files are made.

use std::fs;
use std::path::PathBuf;

use house::{code_only, files, root, test_spans};

/// A call, and the files and folders (ending with `/`) that may make it.
const PLACES: [(&str, &[&str]); 5] = [
    ("permit_file_of_ours(", &[GUARD, LAB]),
    ("permit_named_file(", &[GUARD, LEAVE]),
    ("permit_unnamed(", &[GUARD, LEAVE, TESTBED]),
    ("permit_block_device(", &[GUARD, LEAVE, LAB]),
    ("run_real(", &["crates/engine/", "crates/session/src/runner/drive.rs"]),
];

const GUARD: &str = "crates/kernel/src/linux/";
const LEAVE: &str = "crates/session/src/opening/leave.rs";
const TESTBED: &str = "crates/testbed/src/";
/// The lab makes the devices of its volumes itself.
const LAB: &str = "crates/volumes/src/lab/";

#[test]
fn leave_to_write_is_asked_and_the_engine_started_in_one_place() {
    for (path, code) in product() {
        for (call, places) in PLACES.iter().filter(|(call, _)| code.contains(call)) {
            assert!(
                places.iter().any(|place| path.to_string_lossy().starts_with(place)),
                "{} calls {call}); go through session::leave_to_write or a runner",
                path.display()
            );
        }
    }
}

/// Returns the product's own files, each with its code, without its tests.
fn product() -> Vec<(PathBuf, String)> {
    let here = root();
    let is_product = |path: &PathBuf| {
        path.iter().any(|part| part == "src") && path.extension().is_some_and(|end| end == "rs")
    };
    let paths = files(&here).unwrap_or_default().into_iter().filter(is_product);
    let read = |path: PathBuf| {
        let mut code = code_only(&fs::read_to_string(here.join(&path)).unwrap_or_default());
        for span in test_spans(&code).into_iter().rev() {
            code.replace_range(span, "");
        }
        (path, code)
    };
    paths.map(read).collect()
}

/// Calls that open a file for writing, or make, move or remove one.
const CHANGES: [&str; 15] = [
    "File::create",
    "File::options",
    "OpenOptions",
    "DirBuilder",
    "fs::write(",
    "fs::copy(",
    "fs::rename(",
    "fs::hard_link(",
    "fs::symlink(",
    "fs::create_dir",
    "fs::remove_",
    "fs::set_permissions(",
    ".set_len(",
    "open_outlet(",
    "set_length(",
];

/// Crates and files that may make these calls, each with its reason; all others go through `session::files`.
const DOORS: [(&str, &str); 14] = [
    ("crates/kernel/", "system calls: outlets, folders, the guard and what it permits"),
    ("crates/testbed/", "tests alone"),
    ("crates/house/", "tests alone"),
    ("crates/volumes/src/lab/", "the files that a lab volume lies in, and the settings of its devices"),
    ("crates/runfile/src/birth.rs", "the birth of a run file"),
    ("crates/runfile/src/writer.rs", "what SQLite leaves beside a run file of ours"),
    ("crates/session/src/files/", "the door"),
    ("crates/session/src/opening/laying.rs", "files of jobs, by leave of the guard"),
    ("crates/session/src/opening/open.rs", "the unnamed file that is measured"),
    ("crates/session/src/watch/mod.rs", "the run file of a command that could not be started"),
    ("crates/engine/src/driver/dump.rs", "opened as an outlet: what a verification has found wrong"),
    ("crates/engine/src/driver/journal.rs", "opened as an outlet: the state of a verification"),
    ("crates/cli/src/commands/fio/exec.rs", "opened as an outlet: what a command of a job prints"),
    ("crates/cli/src/commands/fio/jobs.rs", "files of jobs, which the option unlink removes"),
];

/// A path that was typed may be a device, a pipe, or another user's link; only `session::files` knows how to treat these.
#[test]
fn files_are_made_and_changed_through_the_doors_alone() {
    let mut used = [false; DOORS.len()];
    for (path, code) in product().into_iter().filter(|(path, _)| path.starts_with("crates")) {
        let Some(call) = CHANGES.iter().find(|call| code.contains(*call)) else { continue };
        let door = DOORS.iter().position(|(door, _)| path.to_string_lossy().starts_with(door));
        let door = door.unwrap_or_else(|| {
            panic!(
                "{} calls {call}; make files through session::files (Output, Growing, Shelf)",
                path.display()
            )
        });
        used[door] = true;
    }
    for (used, (door, _)) in used.iter().zip(DOORS) {
        // Folders are not checked, because crates for tests have their code where this rule does not look.
        assert!(*used || door.ends_with('/'), "{door} changes no file any longer; strike it from DOORS");
    }
}
