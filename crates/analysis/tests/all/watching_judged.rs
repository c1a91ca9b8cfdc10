//! Watched machines whose limits are above the device, or limit even one I/O at a time: the limit must be named.
#![allow(clippy::unwrap_used)]

use crate::made_machines::*;
use analysis::findings::{HeldOperations, SerialApplication, ThrottledAboveDevice};
use analysis::size::{Carries, SizeAsk, size};
use analysis::{
    Analysis, Answer, BusyAnswer, Confidence, Finding, FindingOf, Level, LevelOrigin, Meaning, Remark,
    analyse,
};
use policy::{Catalogue, PriceList};
use record::{CommandCounters, LocalLimit, Run};
use workload::{Expectation, Pace};

fn look(run: &Run) -> Analysis {
    analyse(run, None, None)
}

fn kinds(found: &[Finding]) -> Vec<String> {
    let kind =
        |finding: &Finding| serde_json::to_value(finding).unwrap()["kind"].as_str().unwrap().to_owned();
    found.iter().map(kind).collect()
}

fn limit(device: &str, value: u64) -> LocalLimit {
    LocalLimit { group: "/a".into(), device: device.into(), what: "riops".into(), value }
}

/// A control group's meter above the disk; the CPUs have other work, so that hardly ever every task waits.
fn throttled(depth: u32, blocked: u32) -> Run {
    let volume = Volume { cap_all: 150.0, base_s: 60e-6, above: true, ..FAST };
    let mut run = machine(&serve(&volume, &[asker(How::Closed(depth), 2.0, 16.0)], 6), 1.0, 18.0);
    for sample in &mut run.samples {
        sample.blocked = blocked;
    }
    run.limits = vec![limit("sda", 150)];
    run
}

#[test]
fn a_limit_above_a_calm_device_is_named_however_busy_the_cpus_are() {
    // A program that lets the kernel hold its I/Os, and one that waits for each.
    for (depth, blocked) in [(64, 0), (1, 1)] {
        let found = look(&throttled(depth, blocked)).findings;
        assert_eq!(kinds(&found), ["throttled_above_device"], "depth {depth}: {found:#?}");
        let Meaning::ThrottledAboveDevice(ThrottledAboveDevice { limit: Some(limit), queue, .. }) =
            &found[0].meaning
        else {
            panic!("{found:#?}");
        };
        assert!(limit.value == 150 && *queue < 0.3);
    }
}

/// Of 60 reads a second, the kernel merges 32 into their neighbours. That a program waits for them makes it certain.
#[test]
fn a_limit_counts_what_is_merged_and_a_command_that_waits_for_the_device_is_at_it() {
    let volume = Volume { cap_all: 28.0, base_s: 60e-6, above: true, ..FAST };
    let mut run = machine(&serve(&volume, &[asker(How::Closed(1), 0.0, 18.0)], 6), 1.0, 18.0);
    run.words = ["plimsoll", "watch", "--", "/usr/bin/python3", "app.py"].map(str::to_owned).to_vec();
    // The first is another group's, far below the rate.
    run.limits = vec![limit("sda", 10), limit("sda", 60)];
    let last = run.samples.len() - 1;
    let waited = |seconds: u64| CommandCounters {
        looks: 400,
        storage_ns: seconds * 1_000_000_000,
        running_ns: (18 - seconds) * 1_000_000_000,
        places: vec![("sda".to_owned(), seconds * 1_000_000_000)],
        ..CommandCounters::default()
    };
    for (at, sample) in run.samples.iter_mut().enumerate() {
        for (_, disk) in &mut sample.disks {
            disk.reads_merged = 32 * at as u64;
        }
    }
    let found = |run: &Run| look(run).findings;
    for (seconds, sure) in [(17, Confidence::Certain), (1, Confidence::Strong)] {
        run.samples[last].command = Some(waited(seconds));
        let findings = found(&run);
        let [FindingOf { meaning: Meaning::ThrottledAboveDevice(above), confidence, .. }] =
            findings.as_slice()
        else {
            panic!("{seconds} s: {findings:#?}")
        };
        assert_eq!((above.limit.as_ref(), *confidence), (Some(&limit("sda", 60)), sure), "{seconds} s");
    }
    // Without a command, the waits of any task count, where most of them are longer than the device is busy.
    run.words.truncate(2);
    run.samples[last].command = None;
    for (share, many) in [(0.9, 1), (0.1, 0)] {
        for sample in &mut run.samples {
            let some_us = (sample.at.as_secs_f64() * share * 1e6) as u64;
            sample.pressure = Some(record::Pressure { some_us, full_us: 0 });
        }
        let limits = run.limits.clone();
        // Off by more than what shows a limit without any waits.
        run.limits[1].value = 64;
        assert_eq!(found(&run).len(), many, "{share}");
        run.limits = limits;
    }
    run.samples[last].command = Some(waited(17));
    run.words.extend(["--", "/usr/bin/python3"].map(str::to_owned));
    run.limits[1].value = 120;
    assert!(found(&run).is_empty());
}

/// What such a load wanted is not known, whether a command was watched or the device alone.
#[test]
fn a_load_that_a_limit_held_in_front_of_its_device_needs_at_least_what_was_recorded() {
    let of_run = |run: &Run| {
        let asked = SizeAsk {
            device: None,
            capacity: None,
            instance: None,
            allowed: None,
            policies: vec![Catalogue::builtin().find("aws-gp3").unwrap()],
            present: None,
            prices: PriceList::builtin(),
            region: None,
        };
        size(run, &asked).volumes
    };
    let sized = |run: &Run| of_run(run).remove(0);
    let held = sized(&throttled(1, 1));
    assert_eq!(held.load.limit, Some(limit("sda", 150)));
    assert_eq!((held.cheapest, held.settings[0].meets), (None, Carries::AtLeastRecorded));
    // A loop device keeps its load from the disk below it, which is the one without a limit.
    let volume = Volume { cap_all: 150.0, base_s: 60e-6, above: true, ..FAST };
    let ios = serve(&volume, &[asker(How::Closed(1), 2.0, 16.0)], 6);
    let mut stacked = machine_of(&[("loop0", &ios), ("sda", &ios)], 1.0, 18.0);
    stacked.devices[0] = node("loop0", &["sda"]);
    stacked.limits = vec![limit("loop0", 150)];
    let volumes: Vec<String> = of_run(&stacked).into_iter().map(|one| one.load.device).collect();
    assert_eq!(volumes, ["loop0"]);
    // Another group's limit, far from the rate.
    let mut free = throttled(1, 1);
    free.limits[0].value = 400;
    assert_eq!((sized(&free).load.limit, sized(&free).cheapest), (None, Some(0)));
}

#[test]
fn a_limit_far_from_the_rate_holds_nothing_back() {
    let quiet = |run: &Run| {
        let found = look(run);
        assert!(found.findings.is_empty(), "{:#?}", found.findings);
        found.watched.unwrap().busiest.unwrap().answer == BusyAnswer::Quiet
    };
    let mut run = throttled(64, 0);
    run.limits[0].value = 400;
    assert!(quiet(&run));
    run.limits = vec![limit("sdb", 150)];
    assert!(quiet(&run));
}

/// The machine's tasks wait for I/O for most of the time, for half as long as a device is busy, or hardly.
#[test]
fn a_machine_whose_tasks_wait_for_io_is_not_quiet_although_its_devices_are() {
    let mut run = throttled(64, 0);
    run.limits = Vec::new();
    for (waiting, answer) in [(0.05, BusyAnswer::Quiet), (0.9, BusyAnswer::WaitedElsewhere)] {
        for sample in &mut run.samples {
            let some_us = (sample.at.as_secs_f64() * waiting * 1e6) as u64;
            sample.pressure = Some(record::Pressure { some_us, full_us: 0 });
        }
        let found = look(&run).watched.unwrap().busiest.unwrap();
        assert_eq!(found.answer, answer, "{waiting}");
        assert!((found.waiting.unwrap() - waiting).abs() < 0.01);
    }
}

#[test]
fn the_busiest_device_is_named_with_the_process_that_used_it_most() {
    let mut run = machine(&serve(&FAST, &[asker(How::Closed(4), 0.0, 30.0)], 1), 1.0, 30.0);
    let process = |pid, bytes, device: &str| record::ProcessLoad {
        pid,
        write_bytes: bytes,
        devices: vec![device.to_owned()],
        ..record::ProcessLoad::default()
    };
    run.processes.most = vec![process(3, 900, "sdb"), process(1, 300, "sda"), process(2, 100, "sda")];
    let found = look(&run).watched.unwrap().busiest.unwrap();
    assert_eq!((found.answer, found.place.name.as_str()), (BusyAnswer::Busy, "sda"));
    let users: Vec<(u32, f64)> = found.used_by.iter().map(|user| (user.pid, user.share)).collect();
    assert_eq!(users, [(1, 0.75), (2, 0.25)]);
}

/// A volume whose meter limits one I/O at a time from the first to the last: nothing shows what an I/O would take.
fn one_at_a_time() -> Run {
    let volume = Volume { cap_all: 530.0, base_s: 60e-6, ..FAST };
    machine(&serve(&volume, &[asker(How::Closed(1), 1.0, 14.0)], 9), 1.0, 15.0)
}

fn held(found: &[Finding]) -> &Level {
    match &found[0].meaning {
        Meaning::HeldOperations(HeldOperations { level, depth_one: true, .. }) => level,
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_io_at_a_time_at_a_limit_of_this_machine_is_capped_and_not_serial() {
    let mut run = one_at_a_time();
    let found = look(&run).findings;
    assert!(
        matches!(held(&found).named, Some(LevelOrigin::Round { .. })),
        "so regular no device is: {found:#?}"
    );
    run.limits = vec![limit("sda", 530)];
    let found = look(&run).findings;
    assert_eq!(kinds(&found), ["held_operations"], "{found:#?}");
    assert_eq!(held(&found).named, Some(LevelOrigin::Local(limit("sda", 530))));
    assert!((held(&found).all.value / 530.0 - 1.0).abs() < 0.01);
}

#[test]
fn a_limit_below_a_device_that_waits_is_told_once() {
    for depth in [1, 32] {
        let volume = Volume { cap_all: 530.0, base_s: 60e-6, ..FAST };
        let ios = serve(&volume, &[asker(How::Closed(depth), 1.0, 60.0)], 9);
        let below: Vec<Io> = ios.iter().map(|io| Io { seen: io.done - 60e-6, ..*io }).collect();
        let mut run = machine_of(&[("dm-0", &ios), ("sda", &below)], 1.0, 41.0);
        run.devices[0].below = vec!["sda".into()];
        run.limits = vec![limit("sda", 530)];
        let found = look(&run).findings;
        assert_eq!(kinds(&found), ["held_operations"], "depth {depth}: {found:#?}");
    }
}

#[test]
fn one_io_at_a_time_at_a_declared_figure_is_capped_and_a_promise_is_no_measurement() {
    let limits = |words: &str| policy::evaluate(&workload::PolicyName::parse(words).unwrap()).unwrap();
    let run = one_at_a_time();
    let found = analyse(&run, Some(&limits("custom,iops=530")), None).findings;
    assert!(matches!(held(&found).named, Some(LevelOrigin::Policy { declared: true, .. })), "{found:#?}");
    let serial = machine(&serve(&FAST, &[asker(How::Closed(1), 1.0, 41.0)], 9), 1.0, 42.0);
    let found = analyse(&serial, Some(&limits("custom,iops=3000")), None).findings;
    let Meaning::SerialApplication(SerialApplication { cap, .. }) = &found[0].meaning else {
        panic!("{found:#?}")
    };
    assert_eq!(*cap, None);
}

fn judged(run: &Run, words: &str) -> Analysis {
    analyse(run, None, Some(&Expectation::parse(words).unwrap()))
}

fn others(of: &[(f64, f64, f64)], write_share: f64) -> Vec<Asker> {
    of.iter().map(|&(rate, from, to)| Asker { write_share, ..asker(How::Random(rate), from, to) }).collect()
}

#[test]
fn a_rate_is_not_missed_where_somebody_else_used_the_device_before_and_after() {
    let slow = Volume { cap_read: 600.0, cap_write: 360.0, ..FAST };
    let below = Cycles::on(slow, &[1.0]);
    assert_eq!(judged(&below.run(), "read 700 iops").verdict.answer, Answer::Below);
    let around = |spans: &[(f64, f64, f64)]| {
        let run = Cycles { others: others(spans, 0.0), ..below.clone() }.run();
        judged(&run, "read 700 iops").verdict.answer
    };
    assert_eq!(around(&[(400.0, 0.0, 58.0), (400.0, 122.0, 180.0)]), Answer::CannotTell);
    assert_eq!(around(&[(400.0, 0.0, 58.0)]), Answer::Below, "one that was gone is no excuse");
}

#[test]
fn foreign_writes_count_by_the_share_of_the_writes() {
    let meanwhile = others(&[(75.0, 62.0, 118.0)], 1.0);
    let run = Cycles { others: meanwhile, ..Cycles::on(FAST, &[1.0]) }.run();
    assert_eq!(kinds(&look(&run).findings), ["foreign_load"], "75 of 300 writes, of 1,000 in all");
}

#[test]
fn a_load_with_one_io_in_flight_never_asked_for_the_rate() {
    let slow = Volume { base_s: 2e-3, ..FAST };
    let mut run = Cycles { depth: 1, scales: vec![None], ..Cycles::on(slow, &[]) }.run();
    let worker = &mut run.steps[0].plan.workers[0];
    (worker.pace, worker.terms.write_pace) = (Pace::Closed, None);
    let found = judged(&run, "read 700 iops");
    assert_eq!(kinds(&found.findings), ["serial_application"], "{:#?}", found.findings);
    assert_eq!(found.verdict.answer, Answer::CannotTell);
    let row = &found.watched.unwrap().contract[0];
    assert!(matches!(row.remark, Some(Remark::NotAsked { .. })), "{row:?}");
}

#[test]
fn a_partition_that_alone_was_watched_gets_its_verdict() {
    let ios = serve(&FAST, &[asker(How::Paced(250.0, 8), 0.0, 60.0)], 4);
    let mut run = machine_of(&[("sda1", &ios)], 1.0, 60.0);
    run.devices[0].below = vec!["sda".into()];
    run.devices.push(node("sda", &[]));
    assert_eq!(judged(&run, "read 250 iops, latency < 30ms").verdict.answer, Answer::Meets);
}
