//! Tests that this machine could not run: listed at the end, and in continuous integration compared with what is expected.

use std::fs;

use house::{expected, root, skips, unexpected};

/// Prints which tests were skipped since `./dev test` began.
#[test]
#[ignore = "./dev test runs it after all others"]
fn every_skip_is_told_and_in_ci_expected() {
    let Some(file) = std::env::var_os("PLIMSOLL_SKIPS") else { return };
    let all = skips(&fs::read_to_string(file).unwrap_or_default());
    println!("\n{} skipped on this machine:", all.len());
    for skip in &all {
        println!("  {:7} {}: {}", skip.kind, skip.test, skip.why);
    }
    let parts = std::env::var_os("PLIMSOLL_PARTS").and_then(|file| fs::read_to_string(file).ok());
    println!("\n{}", parts.unwrap_or_default().trim_end());
    let rows = expected(&fs::read_to_string(root().join(".ci/expected-skips")).unwrap_or_default());
    let left = unexpected(&all, &rows);
    assert!(
        left.is_empty() || std::env::var_os("CI").is_none(),
        "continuous integration skipped what .ci/expected-skips does not list: {left:#?}. Install what is missing by \
         .ci/run, or list the kind, the binary and the test there with the reason"
    );
}
