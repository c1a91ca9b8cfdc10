//! libFuzzer over the target that `PLIMSOLL_FUZZ_TARGET` names; one program, so that the libraries are linked once.
#![no_main]

use std::sync::OnceLock;

use targets::Target;

static TARGET: OnceLock<&'static Target> = OnceLock::new();

fn named() -> &'static Target {
    let name = std::env::var("PLIMSOLL_FUZZ_TARGET").unwrap_or_default();
    match targets::find(&name) {
        Some(target) => target,
        None => {
            let known: Vec<&str> = targets::TARGETS.iter().map(|target| target.name).collect();
            eprintln!("PLIMSOLL_FUZZ_TARGET='{name}' is no target; there are {}", known.join(", "));
            std::process::exit(2)
        }
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::bounded(TARGET.get_or_init(named), bytes));
