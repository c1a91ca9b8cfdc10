//! Counters that wrap, fall, disappear and come back, from `/proc/diskstats` to the figures that are drawn.
#![allow(clippy::unwrap_used, reason = "helpers of tests; a test may unwrap")]

use crate::captured::Machine;
use record::{Metric, Recording, Run};
use sampler::{Devices, Sampler};
use workload::Nanos;

/// Returns the run that the sampler makes of `texts`, a second apart.
fn recorded(texts: &[&str]) -> Run {
    let machine = Machine::unpack("virtio-and-loops");
    machine.replace("proc/diskstats", texts[0]);
    let mut sampler = Sampler::new(&machine.root(), Devices::all()).unwrap();
    let samples = texts.iter().zip(0..).map(|(text, n)| {
        machine.replace("proc/diskstats", text);
        sampler.read(Nanos::from_secs(n))
    });
    Run { samples: samples.collect(), ..Run::started(Vec::new(), 0) }
}

/// Returns a device's series, with `None` for missing values.
fn series(run: &Run, device: &str, metric: Metric) -> Vec<Option<f64>> {
    let values = Recording::of(run).device(device, metric).unwrap();
    values.into_iter().map(|value| (!value.is_nan()).then_some(value)).collect()
}

#[test]
fn milliseconds_go_on_past_32_bits() {
    let run = recorded(&[
        "8 0 sda 100 0 800 4294967000 0 0 0 0 0 4294966900 4294960000\n",
        "8 0 sda 200 0 1600 204 0 0 0 0 0 404 13104\n",
        "8 0 sda 300 0 2400 704 0 0 0 0 0 904 23104\n",
    ]);
    assert_eq!(series(&run, "sda", Metric::ReadAwait), [Some(0.005), Some(0.005)]);
    assert_eq!(series(&run, "sda", Metric::Busy), [Some(0.8), Some(0.5)]);
    assert_eq!(series(&run, "sda", Metric::QueueDepth), [Some(20.4), Some(10.0)]);
}

#[test]
fn a_device_made_anew_says_nothing_for_one_interval() {
    let run = recorded(&[
        "253 0 dm-0 900 0 7200 90 10 0 80 5 0 95 95\n",
        // Reads fell, writes did not: iostat printed 1.8e19 reads a second here.
        "253 0 dm-0 800 0 6400 80 20 0 160 9 0 99 99\n",
        "253 0 dm-0 850 0 6800 85 20 0 160 9 2 104 104\n",
    ]);
    for metric in Metric::all().filter(|metric| *metric != Metric::InFlight) {
        assert_eq!(series(&run, "dm-0", metric)[0], None, "{metric:?}");
    }
    assert_eq!(series(&run, "dm-0", Metric::ReadOps), [None, Some(50.0)]);
    assert_eq!(series(&run, "dm-0", Metric::WriteAwait), [None, None], "a mean of no writes");
    assert_eq!(series(&run, "dm-0", Metric::InFlight), [Some(0.0), Some(2.0)]);
}

#[test]
fn a_device_that_goes_leaves_a_gap_and_its_name_to_the_next() {
    let sda = "8 0 sda 100 0 800 10 0 0 0 0 0 10 10\n";
    let stick = |reads: u64| format!("8 16 sdb {reads} 0 0 0 0 0 0 0 0 0 0\n");
    let with = |reads| format!("{sda}{}", stick(reads));
    let run = recorded(&[sda, &with(70), &with(90), sda, &with(3), &with(8)]);
    assert_eq!(series(&run, "sdb", Metric::ReadOps), [None, Some(20.0), None, None, Some(5.0)]);
    assert_eq!(series(&run, "sda", Metric::ReadOps), [Some(0.0); 5]);
    assert_eq!(Recording::of(&run).devices(), ["sda", "sdb"]);
}

#[test]
fn another_device_under_the_name_between_two_samples_is_a_reset() {
    let run = recorded(&["8 16 sdb 70 0 560 9 0 0 0 0 0 9 9\n", "8 16 sdb 3 0 24 1 0 0 0 0 0 1 1\n"]);
    assert_eq!(series(&run, "sdb", Metric::ReadOps), [None]);
}

#[test]
fn lines_that_are_none_are_passed_over() {
    let run = recorded(&[
        "8 0 sda 1 0 8 1 0 0 0 0 0 1 1\n",
        "8 0 sda\n\n8 1 sda1 1 2 3 4\nnonsense\n8 16 sdb 1 2 x 4 5 6 7 8 9 10 11\n",
        "",
    ]);
    assert_eq!(run.samples.iter().map(|sample| sample.disks.len()).collect::<Vec<_>>(), [1, 0, 0]);
}
