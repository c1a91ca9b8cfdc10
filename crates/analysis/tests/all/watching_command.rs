//! Watched commands: whether the disk is their limit, by what was counted on the command itself.
#![allow(clippy::unwrap_used)]

use crate::made_machines::*;
use analysis::size::{Carries, SizeAsk, Sizing, size};
use analysis::{CommandTime, StorageAnswer, analyse};
use policy::{Catalogue, PriceList};
use record::{CommandCounters, Run};

const SECOND: u64 = 1_000_000_000;

/// A machine whose disk others use a little, and a command that spends ten seconds in these ways.
fn command(spent: &CommandCounters) -> Run {
    let mut run = machine(&serve(&FAST, &[asker(How::Random(20.0), 0.0, 10.0)], 1), 1.0, 10.0);
    run.words = ["plimsoll", "watch", "--", "/usr/bin/python3", "app.py"].map(str::to_owned).to_vec();
    for sample in &mut run.samples {
        // Tasks of others wait all the time.
        sample.blocked = 3;
    }
    let last = run.samples.len() - 1;
    run.samples[last - 1].command = Some(CommandCounters::default());
    run.samples[last].command = Some(CommandCounters { looks: 400, ..spent.clone() });
    run
}

fn time(run: &Run) -> CommandTime {
    analyse(run, None, None).watched.unwrap().command.unwrap()
}

fn waits(storage_s: f64, places: &[(&str, f64)]) -> CommandCounters {
    let ns = |seconds: f64| (seconds * SECOND as f64) as u64;
    CommandCounters {
        storage_ns: ns(storage_s),
        running_ns: ns(10.0 - storage_s),
        places: places.iter().map(|(name, seconds)| ((*name).to_owned(), ns(*seconds))).collect(),
        ..CommandCounters::default()
    }
}

#[test]
fn the_answer_follows_the_share_of_the_commands_own_time() {
    for (seconds, expected) in [
        (9.1, StorageAnswer::Yes),
        (5.1, StorageAnswer::Yes),
        (4.5, StorageAnswer::Partly),
        (1.1, StorageAnswer::Partly),
        (0.9, StorageAnswer::No),
        (0.0, StorageAnswer::No),
    ] {
        let found = time(&command(&waits(seconds, &[("sda", seconds)])));
        assert_eq!((found.answer, found.program.as_str()), (expected, "python3"), "{seconds} s");
        assert!((found.storage - seconds / 10.0).abs() < 1e-6 && found.unexplained == 0.0);
    }
}

#[test]
fn what_waits_for_a_server_or_for_nothing_that_is_watched_is_never_told_that_the_disk_is_not_the_limit() {
    let of_server = time(&command(&waits(8.0, &[("nfs4 server:/home", 8.0)])));
    assert_eq!((of_server.answer, of_server.waited_for[0].device), (StorageAnswer::Elsewhere, false));
    // No file is known, and no device of the command was busy.
    let unknown = time(&command(&waits(8.0, &[])));
    assert_eq!((unknown.answer, unknown.waited_for.len()), (StorageAnswer::Elsewhere, 0));
    assert!((unknown.unexplained - 0.8).abs() < 1e-6);
}

#[test]
fn waits_without_a_file_are_those_for_the_devices_of_the_commands_files() {
    let found = time(&command(&waits(8.0, &[("sda", 1.0), ("sdb", 3.0)])));
    let shares: Vec<(&str, f64)> =
        found.waited_for.iter().map(|wait| (wait.place.name.as_str(), wait.share)).collect();
    assert_eq!(shares, [("sdb", 0.6), ("sda", 0.2)]);
    let moved = CommandCounters { read_bytes: 1 << 20, ..waits(8.0, &[("sda", 0.0)]) };
    assert_eq!(time(&command(&moved)).answer, StorageAnswer::Yes);
}

#[test]
fn a_command_that_ran_is_told_from_one_that_waited_for_a_cpu_and_a_short_one_is_not_judged() {
    let busy = CommandCounters { run_ns: 3 * SECOND, run_delay_ns: SECOND, ..waits(0.0, &[]) };
    let found = time(&command(&busy));
    assert!((found.running - 0.75).abs() < 1e-6 && (found.cpu_wait - 0.25).abs() < 1e-6);
    let mut run = command(&waits(9.0, &[("sda", 9.0)]));
    run.samples.last_mut().unwrap().command.as_mut().unwrap().looks = 20;
    assert_eq!(time(&run).answer, StorageAnswer::TooShort);
}

#[test]
fn others_that_wait_change_nothing_and_a_command_is_not_told_of_a_resting_machine() {
    let found = analyse(&command(&waits(0.1, &[("sda", 0.1)])), None, None);
    assert!(found.findings.is_empty(), "{:#?}", found.findings);
}

/// 20 reads a second, for which the program waited eight, two or a half of ten seconds.
#[test]
fn what_a_program_waited_for_may_want_more_than_was_recorded() {
    let gp3 = Catalogue::builtin().find("aws-gp3").unwrap();
    let sized = |seconds: f64| {
        let asked = SizeAsk {
            device: None,
            capacity: None,
            instance: None,
            allowed: None,
            policies: vec![gp3],
            present: None,
            prices: PriceList::builtin(),
            region: None,
        };
        size(&command(&waits(seconds, &[("sda", seconds)])), &asked).volumes.remove(0)
    };
    let headroom = |sizing: &Sizing| sizing.settings[sizing.cheapest.unwrap()].headroom.unwrap();
    let hardly = sized(0.5);
    assert_eq!(hardly.load.waited, None);
    // A fifth of its time: without waits it would have asked for a quarter more.
    let partly = sized(2.0);
    assert!((partly.load.waited.as_ref().unwrap().share - 0.2).abs() < 1e-6);
    assert!((headroom(&hardly) / headroom(&partly) - 1.25).abs() < 0.01);
    let mostly = sized(8.0);
    assert_eq!((mostly.cheapest, mostly.settings[0].meets), (None, Carries::AtLeastRecorded));
}
