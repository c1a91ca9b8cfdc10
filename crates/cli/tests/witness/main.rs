//! The witnesses: a few tests on real devices, in real time, beside real tools, one after the other. Each represents
//! a kind of test, the rest of which `./dev soak night` runs. A witness passes, fails, is skipped if the machine
//! lacks something, or is not judged: it did not hold, and other programs used the processors meanwhile. Only such a
//! witness is tried again, once.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may unwrap, and this one prints its own lines"
)]
#![allow(dead_code, unused_imports, reason = "of each file of tests a witness needs one")]

#[path = "../alone/diskspd_caps.rs"]
mod diskspd_caps;
#[path = "../alone/fault_matrix/mod.rs"]
mod fault_matrix;
#[path = "../alone/faults.rs"]
mod faults;
#[path = "../alone/files.rs"]
mod files;
#[path = "../beside/fio_peer.rs"]
mod fio_peer;
#[path = "../alone/guide_lab.rs"]
mod guide_lab;
#[path = "../alone/interrupt.rs"]
mod interrupt;
#[path = "../beside/ioping_peer.rs"]
mod ioping_peer;
#[path = "../alone/lab_check.rs"]
mod lab_check;
mod limits;
#[path = "../machine/mod.rs"]
mod machine;
mod outcome;
#[path = "../beside/page_frame.rs"]
mod page_frame;
#[path = "../beside/page_zoom.rs"]
mod page_zoom;
#[path = "../alone/silent.rs"]
mod silent;
#[path = "../alone/watch.rs"]
mod watch;

use std::process::ExitCode;

use outcome::{Outcome, Tally, tried};

/// At most fourteen, each of at most 15 s on an idle machine.
const WITNESSES: [(&str, fn()); 13] = [
    ("throttle of the kernel", limits::a_cap_of_the_kernel_is_what_fio_words_measure),
    ("bucket of QEMU", limits::a_bucket_of_qemu_lasts_as_long_as_it_should),
    ("fio beside fio", fio_peer::a_published_command_measures_what_fio_measures),
    ("ioping beside ioping", ioping_peer::the_mean_on_a_throttled_volume_is_that_of_ioping),
    ("cap by DiskSpd's words", diskspd_caps::a_published_line_finds_the_cap),
    ("device that falls silent", silent::a_device_that_answers_again_is_told_and_the_run_goes_on),
    ("device with a bad block", fault_matrix::a_bad_block_is_accounted_for),
    ("run file on a silent device", files::a_check_stops_beside_a_silent_run_file),
    ("Ctrl-C", interrupt::stopped_on_the_first_rung_of_the_depth_ladder),
    ("kill -9", interrupt::a_run_that_was_killed_is_called_unfinished),
    ("watch", watch::a_watch_keeps_its_samples_in_the_run_file_and_says_what_it_watches),
    ("page in a browser", page_frame::the_first_screen_answers_and_links_lead_to_what_they_speak_of),
    ("lab up and down", guide_lab::a_volume_that_stays_is_kept_until_it_is_taken_down),
];

/// Words on the command line choose the witnesses whose names contain one of them; words with a dash are options of
/// cargo's test runner.
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--list") {
        WITNESSES.iter().for_each(|(name, _)| println!("{name}: witness"));
        return ExitCode::SUCCESS;
    }
    let names: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let chosen = |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part.as_str()));
    let mut tally = Tally::default();
    for (name, run) in WITNESSES.into_iter().filter(|(name, _)| chosen(name)) {
        let mut last = tried(name, run);
        if last.outcome == Outcome::NotJudged {
            println!("witness {name}: {last}; tried once more");
            last = tried(name, run);
        }
        println!("witness {name}: {last}");
        tally.add(last.outcome);
    }
    println!("\nwitnesses: {tally}");
    if names.is_empty() { tally.verdict() } else { tally.verdict_of_some() }
}
