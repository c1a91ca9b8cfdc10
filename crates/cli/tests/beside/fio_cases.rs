//! Published job files and command lines beside the real fio, in turns on the same volumes, which this kernel
//! throttles to the caps that were published with them: a virtual machine with cached reads and uncached writes, a
//! volume on its burst, and a paced mix within its contract and beyond it.
//!
//! Sizes and times are shortened. Needs fio, and root for the volumes.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;
use std::time::Duration;

use crate::machine::*;
use serde_json::Value;
use workload::Bytes;

/// Size of a volume.
const SIZE: Bytes = Bytes::mib(512);
/// Pause of two slices of the throttle, after which a volume starts afresh.
const REST: Duration = Duration::from_millis(400);
/// Most pairs of runs. If the machine lacks CPU, the throttle loses a slice, so a pair that differs is run again, and
/// medians count.
const PAIRS: usize = 4;
/// Largest accepted difference between the medians of both, and between ours and a cap.
const SHARE: f64 = 0.02;
/// The same between both in an overload, where fio draws each direction by itself, so that within a few seconds one
/// of them falls short.
const SHARE_DRAWN: f64 = 0.05;

/// I/Os a second of the jobs with this name in these directions, and the rate they must reach if it is known.
struct Figure {
    job: &'static str,
    ways: &'static [&'static str],
    cap: Option<f64>,
    /// Largest accepted difference between the medians of both.
    share: f64,
}

const fn figure(job: &'static str, ways: &'static [&'static str], cap: f64) -> Figure {
    Figure { job, ways, cap: Some(cap), share: SHARE }
}

/// Returns a figure of the job that asks for more than its volume sustains: adjacent I/Os must not count as one.
const fn overload(ways: &'static [&'static str], cap: f64) -> Figure {
    Figure { share: SHARE_DRAWN, ..figure("iops-test-job", ways, cap) }
}

/// Returns a figure of a short run, to which the throttle lends a slice at the start.
const fn alike(job: &'static str, ways: &'static [&'static str]) -> Figure {
    Figure { job, ways, cap: None, share: SHARE }
}

/// A published case.
struct Case {
    name: &'static str,
    /// Names of volumes, and their caps.
    volumes: &'static [(&'static str, &'static str)],
    /// Text of `job.fio`; empty if there is none. A volume's name in capitals stands for its directory.
    file: &'static str,
    words: &'static str,
    figures: &'static [Figure],
}

const READ: &[&str] = &["read"];
const WRITE: &[&str] = &["write"];
const BOTH: &[&str] = &["read", "write"];

const CASES: [Case; 10] = [
    Case {
        name: "B1: uncached writes",
        volumes: &[("NOCACHE", "custom,iops=12800")],
        file: "[global]\nsize=32m\ndirect=1\niodepth=256\nioengine=libaio\nbs=4k\nnumjobs=4\n\n[writer1]\nrw=randwrite\ndirectory=NOCACHE\n",
        words: "--runtime 3 --time_based job.fio",
        figures: &[figure("writer1", WRITE, 12_800.0)],
    },
    Case {
        name: "B2: cached reads",
        volumes: &[("READCACHE", "custom,iops=77000")],
        file: "[global]\nsize=32m\ndirect=1\niodepth=256\nioengine=libaio\nbs=4k\nnumjobs=4\n\n[reader1]\nrw=randread\ndirectory=READCACHE\n",
        words: "--runtime 3 --time_based job.fio",
        figures: &[figure("reader1", READ, 77_000.0)],
    },
    Case {
        name: "B3: cached reads beside paced writes",
        volumes: &[("READCACHE", "custom,iops=30000"), ("NOCACHE", "custom,iops=40000")],
        file: "[global]\nsize=32m\ndirect=1\niodepth=128\nioengine=libaio\nbs=4k\nnumjobs=4\n\n[reader1]\nrw=randread\ndirectory=READCACHE\n\n[writer1]\nrw=randwrite\ndirectory=NOCACHE\nrate_iops=3200\n",
        words: "--runtime 3 --time_based job.fio",
        figures: &[figure("writer1", WRITE, 12_800.0), figure("reader1", READ, 30_000.0)],
    },
    Case {
        name: "B4: throughput",
        volumes: &[("READCACHE", "custom,bandwidth=485MB/s"), ("NOCACHE", "custom,bandwidth=192MB/s")],
        file: "[global]\nsize=16m\ndirect=1\niodepth=128\nioengine=libaio\nbs=64k\nnumjobs=6\ngroup_reporting\n\n[reader1]\nrw=randread\ndirectory=READCACHE\n\n[writer1]\nnew_group\nrw=randwrite\ndirectory=NOCACHE\n",
        words: "--runtime 3 --time_based job.fio",
        figures: &[figure("writer1", WRITE, 192e6 / 65_536.0), figure("reader1", READ, 485e6 / 65_536.0)],
    },
    Case {
        name: "D1: a mix on a burst",
        volumes: &[("GP2", "custom,iops=3000")],
        file: "",
        words: "--randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=test --filename=GP2/test --bs=4k --iodepth=64 --size=32M --readwrite=randrw --rwmixread=75",
        figures: &[alike("test", BOTH), alike("test", READ)],
    },
    Case {
        name: "D2: reads on a burst",
        volumes: &[("GP2", "custom,iops=3000")],
        file: "",
        words: "--randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=test --filename=GP2/test --bs=4k --iodepth=64 --size=32M --readwrite=randread",
        figures: &[alike("test", READ)],
    },
    Case {
        name: "D3: writes on a burst",
        volumes: &[("GP2", "custom,iops=3000")],
        file: "",
        words: "--randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=test --filename=GP2/test --bs=4k --iodepth=64 --size=32M --readwrite=randwrite",
        figures: &[alike("test", WRITE)],
    },
    Case {
        name: "E2: a paced mix within its contract",
        volumes: &[("VCD", "custom,read_iops=840,write_iops=360")],
        file: "[c4y]\nbs=4k\nrw=randrw\npercentage_random=50\nrwmixread=70\nrwmixwrite=30\ndirect=1\niodepth=256\ntime_based\ngroup_reporting\nname=iops-test-job\nnumjobs=1\nfilename=VCD/runfio.sh.test\nsize=64MB\nioengine=libaio\nrate_iops=700,300,\n",
        words: "--runtime=4 job.fio",
        figures: &[figure("iops-test-job", READ, 700.0), figure("iops-test-job", WRITE, 300.0)],
    },
    Case {
        name: "E4: the same mix at 200 %",
        volumes: &[("VCD", "custom,read_iops=840,write_iops=360")],
        file: "[c4y]\nbs=4k\nrw=randrw\npercentage_random=50\nrwmixread=70\nrwmixwrite=30\ndirect=1\niodepth=256\ntime_based\ngroup_reporting\nname=iops-test-job\nnumjobs=1\nfilename=VCD/runfio.sh.test\nsize=64MB\nioengine=libaio\nrate_iops=1400,600,\n",
        words: "--runtime=4 job.fio",
        figures: &[overload(READ, 840.0), overload(WRITE, 360.0)],
    },
    Case {
        name: "E4: the same mix at 1000 %",
        volumes: &[("VCD", "custom,read_iops=840,write_iops=360")],
        file: "[c4y]\nbs=4k\nrw=randrw\npercentage_random=50\nrwmixread=70\nrwmixwrite=30\ndirect=1\niodepth=256\ntime_based\ngroup_reporting\nname=iops-test-job\nnumjobs=1\nfilename=VCD/runfio.sh.test\nsize=64MB\nioengine=libaio\nrate_iops=7000,3000,\n",
        words: "--runtime=4 job.fio",
        figures: &[overload(READ, 840.0), overload(WRITE, 360.0)],
    },
];

/// The volumes of a case with ext4 on each; removed when dropped.
struct Volumes(Vec<(&'static str, LabMount)>);

impl Volumes {
    /// Makes the volumes; returns `None`, and records a skip, if this machine cannot.
    fn of(case: &Case, peers: &Peers) -> Option<Volumes> {
        let on = |name: &str| peers.folder.path(&name.to_lowercase());
        let all =
            case.volumes.iter().map(|(name, policy)| Some((*name, LabMount::at(on(name), policy, SIZE)?)));
        all.collect::<Option<_>>().map(Volumes)
    }

    /// Replaces the volumes' names in `words` by their directories.
    fn name_in(&self, words: &str) -> String {
        self.0.iter().fold(words.to_owned(), |text, (name, there)| text.replace(name, &there.mount.text()))
    }
}

impl Figure {
    fn of(&self, document: &Value) -> f64 {
        let jobs = document["jobs"].as_array().unwrap();
        let ours = jobs.iter().filter(|job| job["jobname"] == self.job);
        ours.map(|job| self.ways.iter().map(|way| job[*way]["iops"].as_f64().unwrap()).sum::<f64>()).sum()
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) }
}

#[test]
#[ignore = "night: figures beside fio's"]
fn a_published_job_measures_what_fio_measures_and_finds_the_published_cap() {
    assert_all(&CASES[..1]);
}

#[test]
#[ignore = "night: every other published job"]
fn published_jobs_measure_what_fio_measures_and_find_the_published_caps() {
    assert_all(&CASES[1..]);
}

fn assert_all(cases: &[Case]) {
    let Some(peers) = Peers::find() else { return };
    let wanted = std::env::var("PLIMSOLL_CASES").unwrap_or_default();
    for case in cases.iter().filter(|case| case.name.starts_with(&wanted)) {
        let Some(volumes) = Volumes::of(case, &peers) else { return };
        let place = peers.folder.make_dir("work");
        std::fs::write(place.join("job.fio"), volumes.name_in(case.file)).unwrap();
        assert_alike(case, &peers, (&place, &volumes.name_in(case.words)));
    }
}

fn assert_alike(case: &Case, peers: &Peers, (place, words): (&Path, &str)) {
    let words = format!("--output-format=json {words}");
    let neighbours = Neighbours::watch();
    // Lays out the files that both will use.
    document(&peers.run_in(place, Who::Link, &format!("{words} --number_ios=1")), &words);
    let mut columns: Vec<[Vec<f64>; 2]> = case.figures.iter().map(|_| Default::default()).collect();
    let mut said = String::new();
    for pair in 1..=PAIRS {
        for (at, who) in [Who::Real, Who::Link].into_iter().enumerate() {
            std::thread::sleep(REST);
            let document = document(&peers.run_in(place, who, &words), &words);
            for (column, figure) in columns.iter_mut().zip(case.figures) {
                column[at].push(figure.of(&document));
            }
        }
        let medians: Vec<[f64; 2]> = columns.iter().map(|[a, b]| [median(a), median(b)]).collect();
        said = format!("{} after {pair}: fio and ours {medians:.1?}", case.name);
        eprintln!("{said}");
        let close = |a: f64, b: f64, share: f64| (a / b - 1.0).abs() <= share;
        let alike = medians.iter().zip(case.figures).all(|([theirs, ours], figure)| {
            close(*ours, *theirs, figure.share) && figure.cap.is_none_or(|cap| close(*ours, cap, SHARE))
        });
        if alike {
            return;
        }
    }
    neighbours.excuse_or_fail(said);
}
