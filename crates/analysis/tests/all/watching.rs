//! Watched machines: each case says what happened on it, and what must and must not be said.
#![allow(clippy::unwrap_used)]

use crate::made_machines::*;
use analysis::findings::{HeldOperations, ThrottledAboveNominal};
use analysis::{Analysis, Answer, Confidence, Finding, LevelOrigin, Meaning, Remark, analyse};
use record::{LocalLimit, Run};
use workload::Expectation;

const CONTRACT: &str = "read 700 iops, write 300 iops, latency < 30ms";
/// A volume a fifth above its contract, by direction.
const CLOUD: Volume = Volume { cap_read: 840.0, cap_write: 360.0, ..FAST };

fn look(run: &Run) -> Analysis {
    analyse(run, None, None)
}

fn contract(run: &Run) -> Analysis {
    analyse(run, None, Some(&Expectation::parse(CONTRACT).unwrap()))
}

fn kinds(found: &[Finding]) -> Vec<String> {
    let kind =
        |finding: &Finding| serde_json::to_value(finding).unwrap()["kind"].as_str().unwrap().to_owned();
    found.iter().map(kind).collect()
}

/// A quiet minute that shows what an I/O takes, then somebody who asks for more.
fn after_quiet(volume: Volume, asker: Asker) -> Run {
    let quiet = Asker { from: 0.0, to: 60.0, how: How::Random(100.0), ..asker };
    machine(&serve(&volume, &[quiet, asker], 5), 1.0, asker.to)
}

fn idle() -> Run {
    machine(&serve(&FAST, &[asker(How::Random(20.0), 0.0, 300.0)], 1), 1.0, 300.0)
}

fn busy() -> Run {
    machine(&serve(&FAST, &[asker(How::Random(2500.0), 0.0, 300.0)], 2), 1.0, 300.0)
}

fn serial() -> Run {
    machine(&serve(&FAST, &[asker(How::Closed(1), 0.0, 300.0)], 3), 1.0, 300.0)
}

fn operations() -> Run {
    after_quiet(Volume { cap_all: 3000.0, ..FAST }, asker(How::Closed(32), 90.0, 300.0))
}

fn bandwidth() -> Run {
    let large = Asker { bytes: 256 << 10, ..asker(How::Closed(16), 90.0, 300.0) };
    after_quiet(Volume { cap_bytes: 125.0 * 1048576.0, ..FAST }, large)
}

fn one_deep() -> Run {
    let volume = Volume { cap_all: 120.0, base_s: 2e-3, ..FAST };
    let quiet = asker(How::Random(15.0), 0.0, 120.0);
    machine(&serve(&volume, &[quiet, asker(How::Closed(1), 150.0, 400.0)], 5), 1.0, 400.0)
}

fn above() -> Run {
    let volume = Volume { cap_all: 500.0, above: true, ..FAST };
    let mut run = after_quiet(volume, asker(How::Closed(16), 90.0, 300.0));
    for sample in &mut run.samples {
        sample.blocked = if sample.at.as_secs_f64() > 90.0 { 15 } else { 0 };
    }
    run.limits = vec![LocalLimit {
        group: "/system.slice/db.service".into(),
        device: "sda".into(),
        what: "riops".into(),
        value: 500,
    }];
    run
}

fn slow_backend() -> Run {
    let volume = Volume { slow: (180.0, 300.0, 3.0), ..FAST };
    machine(&serve(&volume, &[asker(How::Closed(8), 0.0, 600.0)], 8), 1.0, 600.0)
}

fn starved() -> Run {
    let mut run = slow_backend();
    let mut stolen = 0;
    for sample in &mut run.samples {
        stolen += if (180.0..300.0).contains(&sample.at.as_secs_f64()) { 40 } else { 0 };
        sample.cpu.steal = stolen;
    }
    run
}

fn flushing() -> Run {
    let writes = Asker { write_share: 1.0, ..asker(How::Random(100.0), 0.0, 300.0) };
    let mut run = machine(&serve(&FAST, &[writes], 4), 1.0, 300.0);
    for sample in &mut run.samples {
        let seconds = sample.at.as_secs_f64();
        (sample.disks[0].1.flushes, sample.disks[0].1.flush_ms) =
            ((seconds * 90.0) as u64, (seconds * 850.0) as u64);
    }
    run
}

fn full_queue() -> Run {
    let mut run = operations();
    run.devices[0].facts.queue_requests = 32;
    run
}

fn untimed() -> Run {
    let mut run = busy();
    run.devices[0].timed = false;
    run
}

fn step_down() -> Run {
    let volume = Volume { cap_all: 3000.0, later: (240.0, 300.0), ..FAST };
    after_quiet(volume, asker(How::Closed(32), 90.0, 450.0))
}

fn overload() -> Run {
    Cycles::on(CLOUD, &[0.5, 1.0, 2.0, 5.0, 10.0]).run()
}

fn nominal() -> Run {
    Cycles::on(CLOUD, &[0.5, 1.0]).run()
}

fn foreign() -> Run {
    let others = vec![asker(How::Random(400.0), 20.0, 50.0), asker(How::Random(400.0), 80.0, 110.0)];
    Cycles { others, ..Cycles::on(FAST, &[1.0]) }.run()
}

/// Every rule's case with what must be said of it and nothing else; the healthy ones with nothing.
#[test]
fn every_rule_fires_on_its_case_and_on_no_other() {
    type Case = (&'static str, fn() -> Run, &'static [&'static str]);
    let cases: [Case; 17] = [
        ("idle", idle, &[]),
        ("busy and healthy", busy, &[]),
        ("serial", serial, &["serial_application"]),
        ("operations", operations, &["held_operations"]),
        ("bandwidth", bandwidth, &["held_bytes"]),
        ("capped at depth one", one_deep, &["held_operations"]),
        ("above the device", above, &["throttled_above_device"]),
        ("slow backend", slow_backend, &["backend_slow"]),
        ("short of CPU", starved, &["cpu_starved"]),
        ("flushes", flushing, &["flush_bound"]),
        ("full queue", full_queue, &["held_operations", "queue_full"]),
        ("untimed", untimed, &["untimed"]),
        ("a burst that ends", step_down, &["held_operations", "held_operations", "held_level_fell"]),
        ("overload", overload, &["throttled_above_nominal"]),
        ("half and all of the contract", nominal, &[]),
        ("foreign", foreign, &["foreign_load"]),
        ("nothing was sampled", || Run::started(Vec::new(), 0), &[]),
    ];
    let mut wrong = Vec::new();
    for (name, make, expected) in cases {
        let found = look(&make());
        if kinds(&found.findings) != expected {
            wrong.push(format!("{name}: {:#?}", found.findings));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The throttle that a finding names: scale, reads, writes, all, and the waiting.
fn throttle(found: &[Finding]) -> (f64, f64, f64, f64, analysis::Waiting) {
    let one = found.iter().find_map(|finding| match &finding.meaning {
        Meaning::ThrottledAboveNominal(ThrottledAboveNominal { scale, level, waiting, .. }) => {
            Some((*scale, level.read.unwrap().value, level.write.unwrap().value, level.all.value, *waiting))
        }
        _ => None,
    });
    one.unwrap_or_else(|| panic!("no throttle: {found:#?}"))
}

#[test]
fn an_overload_series_measures_the_level_and_not_the_contracts_figure() {
    let found = contract(&overload());
    let (scale, read, write, all, waiting) = throttle(&found.findings);
    assert_eq!(scale, 2.0);
    assert!((read / 840.0 - 1.0).abs() < 0.02 && (write / 360.0 - 1.0).abs() < 0.02, "{read} {write}");
    assert!((all / 1200.0 - 1.0).abs() < 0.02);
    assert!(waiting.queue > 20.0 * waiting.usual_queue.unwrap());
    assert!(waiting.latency_ns > 20.0 * waiting.usual_latency_ns.unwrap());
    let watched = found.watched.unwrap();
    let scales: Vec<f64> = watched.series.iter().map(|row| row.scale).collect();
    assert_eq!(scales, [0.5, 1.0, 2.0, 5.0, 10.0]);
    assert!(watched.series[4].queue_growth.unwrap() > 20.0 && watched.series[1].queue_growth == Some(1.0));
    assert_eq!(watched.load_device.unwrap().name, "sda");
}

#[test]
fn short_phases_and_rare_readings_show_the_same_throttle() {
    for (seconds, every) in [(8.0, 1.0), (10.0, 1.0), (60.0, 10.0)] {
        let run = Cycles { seconds, every, ..Cycles::on(CLOUD, &[0.5, 1.0, 2.0, 5.0]) }.run();
        let found = contract(&run);
        let (_, read, write, _, _) = throttle(&found.findings);
        assert!((read / 840.0 - 1.0).abs() < 0.02, "{seconds} s: {read}");
        assert!((write / 360.0 - 1.0).abs() < 0.02, "{seconds} s: {write}");
        assert_eq!(found.verdict.answer, Answer::Meets, "{:#?}", found.verdict);
        assert_eq!(found.findings.len(), 1, "{seconds} s: {:#?}", found.findings);
    }
}

#[test]
fn a_limit_of_this_machine_is_named_where_the_level_is_its_value() {
    let mut run = Cycles::on(CLOUD, &[1.0, 2.0]).run();
    run.devices.push(node("loop1", &[]));
    run.devices[0].below = vec!["loop1".into()];
    for (what, value) in [("riops", 840), ("wiops", 360)] {
        run.limits.push(LocalLimit {
            group: "/plimsoll".into(),
            device: "loop1".into(),
            what: what.into(),
            value,
        });
    }
    let found = look(&run).findings.remove(0);
    assert_eq!(found.confidence, Confidence::Certain);
    let Meaning::ThrottledAboveNominal(ThrottledAboveNominal { level, .. }) = found.meaning else {
        panic!("{:?}", found.meaning)
    };
    assert!(matches!(level.named, Some(LevelOrigin::Local(_))), "{level:?}");
}

#[test]
fn the_contract_is_judged_where_it_applies_and_overload_is_no_breach() {
    let found = contract(&overload());
    assert_eq!((found.verdict.answer, found.verdict.answer.exit_code()), (Answer::Meets, 0));
    let watched = found.watched.unwrap();
    let at = |phase: &str| -> Vec<(Answer, Option<Remark>)> {
        let rows = watched.contract.iter().filter(|row| row.phase == phase);
        rows.map(|row| (row.answer, row.remark)).collect()
    };
    let half = at("load 50%");
    assert!(matches!(half[0], (Answer::Measured, Some(Remark::AskedLess { asked })) if asked == 350.0));
    assert_eq!(half[2], (Answer::Meets, None));
    assert_eq!(at("load 100%"), [(Answer::Meets, None); 3]);
    assert!(
        at("load 500%").iter().all(|row| matches!(row, (Answer::Measured, Some(Remark::AskedMore { .. }))))
    );
    let latency =
        watched.contract.iter().find(|row| row.phase == "load 100%" && row.latency.is_some()).unwrap();
    let latency = latency.latency.as_ref().unwrap();
    assert!(latency.mean_ns.unwrap() < 30e6 && latency.at(99.0).is_some());
    assert_eq!(latency.within, Some(1.0));
}

#[test]
fn a_volume_below_its_contract_or_too_slow_for_it_misses_it() {
    let small = contract(&Cycles::on(Volume { cap_read: 600.0, ..CLOUD }, &[1.0]).run());
    assert_eq!(
        (small.verdict.answer, small.verdict.answer.exit_code()),
        (Answer::Below, 3),
        "{:#?}",
        small.verdict
    );
    assert_eq!(kinds(&small.findings), ["held_operations"]);
    let slow = contract(&Cycles::on(Volume { base_s: 40e-3, ..FAST }, &[0.5, 1.0]).run());
    assert_eq!(slow.verdict.answer, Answer::Below);
    let below = slow.verdict.rows.iter().find(|row| row.answer == Answer::Below).unwrap();
    assert!(below.what.starts_with("mean latency"), "{}", below.what);
    let half = contract(&Cycles::on(CLOUD, &[0.5]).run());
    assert_eq!((half.verdict.answer, half.verdict.answer.exit_code()), (Answer::CannotTell, 4));
}

#[test]
fn cycles_without_a_scale_are_judged_as_they_are() {
    let run = Cycles { scales: vec![None, None], ..Cycles::on(CLOUD, &[]) }.run();
    let found = contract(&run);
    assert_eq!(found.verdict.answer, Answer::Meets, "{:#?}", found.verdict);
    assert!(found.findings.is_empty(), "{:#?}", found.findings);
    let watched = found.watched.unwrap();
    assert_eq!(watched.phases.len(), 5);
    let load = watched.phases[1].load.as_ref().unwrap();
    assert_eq!(load.all.asked, Some(1000.0));
    let device = &watched.phases[1].devices[0];
    assert!((device.read.ops - 700.0).abs() < 30.0 && (device.write.ops - 300.0).abs() < 20.0, "{device:?}");
    assert!(watched.phases[0].devices[0].read.ops < 1.0);
}

#[test]
fn somebody_elses_work_proves_a_rate_it_reaches_and_a_cap_below_it_misses_the_contract() {
    let words = |text: &str| Expectation::parse(text).unwrap();
    let judged = |run: &Run, text: &str| analyse(run, None, Some(&words(text))).verdict.answer;
    assert_eq!(judged(&busy(), "2000 iops, latency < 30ms"), Answer::Meets);
    assert_eq!(judged(&busy(), "9000 iops"), Answer::CannotTell);
    assert_eq!(judged(&operations(), "5000 iops"), Answer::Below);
    assert_eq!(judged(&busy(), "p99 < 30ms"), Answer::CannotTell);
}

#[test]
fn levels_are_those_of_the_volume_and_named_after_the_policy_that_was_declared() {
    let limits = policy::evaluate(&workload::PolicyName::parse("aws-gp3").unwrap()).unwrap();
    let found = analyse(&operations(), Some(&limits), None).findings.remove(0);
    assert_eq!(found.confidence, Confidence::Strong, "{found:#?}");
    let Meaning::HeldOperations(HeldOperations { level, waiting, depth_one, .. }) = found.meaning else {
        panic!("{:?}", found.meaning)
    };
    assert!((level.all.value / 3000.0 - 1.0).abs() < 0.002 && !depth_one);
    assert!(
        matches!(level.named, Some(LevelOrigin::Policy { ref policy, .. }) if policy.starts_with("aws-gp3"))
    );
    assert!((waiting.queue - 32.0).abs() < 1.0 && waiting.usual_latency_ns.unwrap() < 2e6);
}

#[test]
fn one_layer_tells_what_all_layers_of_a_stack_show() {
    let run = operations();
    let ios = serve(
        &Volume { cap_all: 3000.0, ..FAST },
        &[asker(How::Random(100.0), 0.0, 60.0), asker(How::Closed(32), 90.0, 300.0)],
        5,
    );
    let mut stacked = machine_of(&[("dm-0", &ios), ("sda", &ios)], 1.0, 300.0);
    stacked.devices[0].below = vec!["sda".into()];
    assert_eq!(kinds(&look(&run).findings), kinds(&look(&stacked).findings));
}

#[test]
fn a_layer_that_is_noticed_late_does_not_stand_for_the_one_above_it() {
    let ios = serve(&FAST, &[asker(How::Random(100.0), 0.0, 60.0)], 5);
    let prices = policy::PriceList::builtin();
    let asked = analysis::size::SizeAsk {
        device: None,
        capacity: None,
        instance: None,
        allowed: None,
        policies: Vec::new(),
        present: None,
        prices,
        region: None,
    };
    let sized = |noticed: usize| -> Vec<String> {
        let mut run = machine_of(&[("dm-0", &ios), ("sda", &ios)], 1.0, 60.0);
        run.devices[0].below = vec!["sda".into()];
        let missed = run.samples.iter_mut().take(noticed);
        missed.for_each(|sample| sample.disks.retain(|(name, _)| &**name != "sda"));
        analysis::size::size(&run, &asked).volumes.into_iter().map(|volume| volume.load.device).collect()
    };
    assert_eq!(sized(0), ["sda"]);
    // In the middle, and only by the last reading.
    for noticed in [30, 60] {
        assert!(sized(noticed).contains(&"dm-0".to_owned()), "{noticed}: {:?}", sized(noticed));
    }
}

mod healthy {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

        /// Volumes without a meter, whatever they take for an I/O, and programs that ask at random, in turns.
        #[test]
        fn no_healthy_machine_is_called_throttled_slow_or_serial(
            seed in 0u64..1 << 32, base_ms in 0.1f64..8.0, variation in 0.1f64..1.2,
            rates in proptest::collection::vec(20f64..2500.0, 1..4), write_share in 0.0f64..1.0, large in proptest::bool::ANY,
        ) {
            let volume = Volume { base_s: base_ms / 1e3, variation, ..FAST };
            let bytes = if large { 65_536 } else { 4096 };
            let askers: Vec<Asker> = rates.iter().enumerate().map(|(at, &rate)| {
                let from = at as f64 * 70.0;
                Asker { write_share, bytes, ..asker(How::Random(rate), from, from + 120.0) }
            }).collect();
            let to = 70.0 * rates.len() as f64 + 60.0;
            let found = look(&machine(&serve(&volume, &askers, seed), 1.0, to));
            let trouble = kinds(&found.findings);
            prop_assert!(trouble.is_empty(), "{:#?}", found.findings);
        }

        /// A volume under loads of ours that it can bear.
        #[test]
        fn no_healthy_volume_under_our_own_load_is_called_throttled(seed in 0u64..1 << 32, base_ms in 0.1f64..8.0, variation in 0.1f64..1.2) {
            let volume = Volume { base_s: base_ms / 1e3, variation, ..CLOUD };
            let run = Cycles { seconds: 10.0 + (seed % 3) as f64, ..Cycles::on(volume, &[0.5, 1.0]) }.run();
            let found = contract(&run);
            prop_assert!(found.findings.is_empty(), "{:#?}", found.findings);
            prop_assert_eq!(found.verdict.answer, Answer::Meets);
        }
    }
}
