//! fio's JSON, read as strictly as programs in Go read it: a number without decimals must stay one.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]
#![allow(dead_code, reason = "what is decoded is proven by being decoded")]

use std::collections::BTreeMap;

use crate::machine::*;
use serde::Deserialize;

type Texts = BTreeMap<String, String>;
type Shares = BTreeMap<String, f64>;
type Counts = BTreeMap<String, i64>;

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "fio version")]
    version: String,
    timestamp: i64,
    timestamp_ms: i64,
    time: String,
    #[serde(rename = "global options", default)]
    globals: Texts,
    jobs: Vec<Job>,
    #[serde(default)]
    disk_util: Vec<Disk>,
}

/// A job; the narrow types are those of a consumer in Go.
#[derive(Deserialize)]
struct Job {
    jobname: String,
    groupid: i32,
    #[serde(default)]
    job_start: i64,
    error: i32,
    eta: i32,
    elapsed: i32,
    #[serde(rename = "job options")]
    options: Texts,
    read: Way,
    write: Way,
    trim: Way,
    sync: Sync,
    job_runtime: i32,
    usr_cpu: f64,
    sys_cpu: f64,
    ctx: i32,
    majf: i32,
    minf: i32,
    iodepth_level: Shares,
    iodepth_submit: Shares,
    iodepth_complete: Shares,
    latency_ns: Shares,
    latency_us: Shares,
    latency_ms: Shares,
    total_err: Option<i32>,
    first_error: Option<i32>,
    latency_depth: i32,
    latency_target: i32,
    latency_percentile: f32,
    latency_window: i32,
    desc: Option<String>,
}

#[derive(Deserialize)]
struct Way {
    io_bytes: i64,
    io_kbytes: i64,
    bw_bytes: i64,
    bw: i64,
    iops: f32,
    runtime: i64,
    total_ios: i64,
    short_ios: i64,
    drop_ios: i64,
    slat_ns: Latency,
    clat_ns: Latency,
    lat_ns: Latency,
    bw_min: i64,
    bw_max: i64,
    bw_agg: f32,
    bw_mean: f32,
    bw_dev: f32,
    bw_samples: i32,
    iops_min: i32,
    iops_max: i32,
    iops_mean: f32,
    iops_stddev: f32,
    iops_samples: i32,
}

#[derive(Deserialize)]
struct Latency {
    min: i64,
    max: i64,
    mean: f32,
    stddev: f32,
    #[serde(rename = "N")]
    count: i64,
    #[serde(default)]
    percentile: Counts,
    #[serde(default)]
    bins: Counts,
}

#[derive(Deserialize)]
struct Sync {
    total_ios: i64,
    lat_ns: Latency,
}

#[derive(Deserialize)]
struct Disk {
    name: String,
    read_ios: i64,
    write_ios: i64,
    read_merges: i64,
    write_merges: i64,
    read_ticks: i64,
    write_ticks: i64,
    in_queue: i64,
    util: f32,
}

/// Runs `words` through `who`, and decodes the JSON.
fn decoded(peers: &Peers, who: Who, words: &str) -> Document {
    let ended = peers.run(who, &format!("--output-format=json+ {words}"));
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{words}");
    match serde_json::from_str(&ended.out) {
        Ok(document) => document,
        Err(error) => panic!("{who:?} {words}: {error}\n{}", ended.out),
    }
}

/// Jobs, and which of their latencies have percentiles: slat, clat, lat.
const RUNS: [(&str, [bool; 3]); 15] = [
    ("--rw=randread --continue_on_error=io", [false, true, false]),
    ("--rw=randread --ioengine=libaio --direct=1 --iodepth=8", [false, true, false]),
    ("--rw=randwrite --ioengine=io_uring --direct=1 --iodepth=8", [false, true, false]),
    ("--rw=randrw --ioengine=psync --rwmixread=70", [false, true, false]),
    ("--rw=read --numjobs=3 --group_reporting", [false, true, false]),
    ("--rw=write --numjobs=2", [false, true, false]),
    ("--rw=write --fsync=4 --bs=16k", [false, true, false]),
    ("--rw=randread --lat_percentiles=1", [false, true, true]),
    (
        "--rw=randread --ioengine=libaio --direct=1 --slat_percentiles=1 --percentile_list=50:99.99",
        [true, true, false],
    ),
    ("--rw=randread --clat_percentiles=0", [false, false, false]),
    ("--rw=randread --gtod_reduce=1", [false, false, false]),
    ("--rw=randread --disable_clat=1 --disable_slat=1", [false, false, false]),
    ("--rw=read --rate_iops=300 --runtime=2 --time_based --description=words", [false, true, false]),
    (
        "--rw=randread --kb_base=1000 --unit_base=1 --significant_figures=6 --disk_util=0",
        [false, true, false],
    ),
    ("--rw=read --name=b --stonewall --rw=randwrite --name=c --stats=0", [false, true, false]),
];

#[test]
fn every_document_decodes_strictly_and_keeps_what_was_asked() {
    let peers = Peers::alone();
    for (words, ranked) in RUNS {
        let words = format!("--size=1m --name=a --directory=. {words}");
        let document = decoded(&peers, Who::Link, &words);
        assert!(!document.jobs.is_empty() && document.version.starts_with("fio-3."));
        for job in &document.jobs {
            assert_eq!(job.total_err.is_some(), words.contains("continue_on_error"), "{words}");
            assert_eq!((job.error, job.eta), (0, i32::MAX), "{words}");
            assert_eq!(document.globals["size"], "1m", "{words}");
            for way in [&job.read, &job.write].into_iter().filter(|way| way.total_ios > 0) {
                has_its_percentiles(way, ranked, &words);
            }
        }
    }
}

fn has_its_percentiles(way: &Way, ranked: [bool; 3], words: &str) {
    for (latency, ranked) in [&way.slat_ns, &way.clat_ns, &way.lat_ns].into_iter().zip(ranked) {
        assert_eq!(!latency.percentile.is_empty(), ranked, "{words}");
        assert_eq!(latency.bins.values().sum::<i64>(), if ranked { latency.count } else { 0 }, "{words}");
        let rising: Vec<i64> = latency.bins.keys().map(|bin| bin.parse().unwrap()).collect();
        assert!(rising.iter().all(|bin| (0..=17_112_760_320).contains(bin)), "{words}");
        let in_order: Vec<&i64> = latency.percentile.values().collect();
        assert!(in_order.iter().all(|value| **value <= latency.max), "{words}: above the greatest");
    }
}

/// The decoder must accept the real fio's output, because otherwise it would prove nothing.
#[test]
fn the_decoder_reads_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    for (words, _) in [RUNS[0], RUNS[1], RUNS[3], RUNS[4], RUNS[6]] {
        decoded(&peers, Who::Real, &format!("--size=1m --name=a --directory=. {words}"));
    }
}
