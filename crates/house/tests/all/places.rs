//! What exists once: the place that asks the guard for leave to write, and the one that starts the engine on files.

use std::fs;

use house::{code_only, files, root};

/// A call, and the files and folders (they end with `/`) that may make it.
const PLACES: [(&str, &[&str]); 5] = [
    ("permit_file_of_ours(", &[GUARD, LAB]),
    ("permit_named_file(", &[GUARD, LEAVE]),
    ("permit_unnamed(", &[GUARD, LEAVE, TESTBED]),
    ("permit_block_device(", &[GUARD, LEAVE, LAB]),
    ("run_real(", &["crates/engine/", "crates/session/src/runner/drive.rs"]),
];

const GUARD: &str = "crates/kernel/src/linux/";
const LEAVE: &str = "crates/session/src/target/leave.rs";
const TESTBED: &str = "crates/testbed/src/";
/// Devices that a lab volume is made of are its own.
const LAB: &str = "crates/volumes/src/lab/";

#[test]
fn leave_to_write_is_asked_and_the_engine_started_in_one_place() {
    let here = root();
    let product = files(&here).unwrap_or_default().into_iter().filter(|path| {
        path.iter().any(|part| part == "src") && path.extension().is_some_and(|end| end == "rs")
    });
    for path in product {
        let code = code_only(&fs::read_to_string(here.join(&path)).unwrap_or_default());
        for (call, places) in PLACES.iter().filter(|(call, _)| code.contains(call)) {
            assert!(
                places.iter().any(|place| path.to_string_lossy().starts_with(place)),
                "{} calls {call}); go through session::leave_to_write or a runner",
                path.display()
            );
        }
    }
}
