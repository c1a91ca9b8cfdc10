//! `--metrics` of a watch scraped by a real Prometheus: its counters are iostat's, its quantiles ours.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test may stop at what it did not expect, and prints what it measured

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::machine::{Folder, Lack, Through, Volume, ended, run_file, skipped};

const PATIENCE: Duration = Duration::from_secs(60);

/// A program that does not outlive a failing test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts `plimsoll` with these words; returns the host and port that `--metrics` prints.
fn exposing(folder: &Folder, words: &[&str]) -> (Running, String) {
    let mut command = folder.plimsoll(words);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut told = Vec::new();
    let address = lines.find_map(|line| {
        let found = line.strip_prefix("metrics http://").and_then(|rest| rest.strip_suffix("/metrics"));
        let found = found.map(str::to_owned);
        told.push(line);
        found
    });
    std::thread::spawn(move || lines.for_each(drop));
    (Running(child), address.unwrap_or_else(|| panic!("no address is said: {told:?}")))
}

/// A Prometheus of the test's own that scrapes one address every second.
struct Prometheus {
    address: String,
    _running: Running,
}

impl Prometheus {
    fn scraping(folder: &Folder, (name, features): (&str, &[&str]), target: &str) -> Prometheus {
        let config = folder.path(&format!("{name}.yml"));
        let text = format!(
            "global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: plimsoll\n    static_configs:\n      - targets: ['{target}']\n"
        );
        fs::write(&config, text).unwrap();
        // Free a moment ago; if another program takes it meanwhile, the test fails rather than passes.
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path(name).display()))
            .arg(format!("--web.listen-address={address}"))
            .args(features)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Prometheus { address, _running: Running(child) }
    }

    /// Returns the result of a query, as Prometheus gives it.
    fn results(&self, query: &str, time: Option<f64>) -> Vec<Value> {
        let time = time.map(|time| format!("&time={time}")).unwrap_or_default();
        let Some(answer) = get(&self.address, &format!("/api/v1/query?query={}{time}", escaped(query)))
        else {
            return Vec::new();
        };
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let json: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {answer}"));
        json["data"]["result"].as_array().cloned().unwrap_or_default()
    }

    /// Returns labels and value of each series in the result of a query.
    fn asked(&self, query: &str, time: Option<f64>) -> Vec<(Value, f64)> {
        let value = |result: &Value| result["value"][1].as_str().unwrap().parse().unwrap();
        let results = self.results(query, time);
        results.iter().map(|result| (result["metric"].clone(), value(result))).collect()
    }

    /// Returns when there was last a value of this name, in seconds since 1970; once scraping has ended there is no
    /// current value.
    fn last_of(&self, name: &str) -> f64 {
        let results = self.results(&format!("{name}[5m]"), None);
        let times = results.iter().flat_map(|series| {
            ["values", "histograms"]
                .into_iter()
                .filter_map(|kind| series[kind].as_array()?.last()?[0].as_f64())
        });
        times.fold(f64::NAN, f64::max)
    }

    fn until_asked(&self, query: &str) {
        let begun = Instant::now();
        while self.asked(query, None).is_empty() {
            assert!(begun.elapsed() < PATIENCE, "{query} has no answer");
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

fn get(host: &str, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(host).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").as_bytes()).ok()?;
    let mut told = String::new();
    stream.read_to_string(&mut told).ok()?;
    Some(told)
}

fn escaped(query: &str) -> String {
    query.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn is_missing(program: &str) -> bool {
    let there = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_missing = there.is_err();
    if is_missing {
        skipped(Lack::Tool, format!("{program} is not installed"));
    }
    is_missing
}

/// The load between two idle phases: slow enough for any device.
const JOB: &str = "[load]\nbs=4k\nrw=randrw\nrwmixread=70\ndirect=1\niodepth=4\ntime_based\nsize=16m\nioengine=libaio\nfilename=f\nrate_iops=350,150,\n";

/// Returns the bytes read and written on `device` since the kernel has had it, as iostat counts them.
fn counted_by_iostat(device: &str) -> [f64; 2] {
    let told = ended(Command::new("iostat").args(["-d", "-k", "-o", "JSON", device]));
    let json: Value = serde_json::from_str(&told.out).unwrap();
    let of = &json["sysstat"]["hosts"][0]["statistics"][0]["disk"][0];
    ["kB_read", "kB_wrtn"].map(|key| of[key].as_f64().unwrap() * 1024.0)
}

#[test]
#[ignore = "night: real seconds"]
fn prometheus_has_of_a_watch_what_iostat_counts_and_of_its_load_our_quantiles() {
    if is_missing("prometheus") || is_missing("iostat") {
        return;
    }
    let folder = Folder::new();
    let Some(volume) = Volume::ext4(&folder, 256, Through::Direct) else { return };
    let (device, place) = (volume.disk.name(), volume.mount.text());
    fs::write(folder.path("load.fio"), JOB).unwrap();
    let before = counted_by_iostat(&device);
    let words = ["watch", "--load", "@/load.fio", "--on", &place, "--device", &device, "--metrics", "0"];
    let cycles = ["--cycle", "3s", "--repeat", "1", "--out", "@/runs"];
    let (mut watch, address) = exposing(&folder, &[&words[..], &cycles].concat());
    let native = ("native", &["--enable-feature=native-histograms"] as &[&str]);
    let native = Prometheus::scraping(&folder, native, &address);
    let classic = Prometheus::scraping(&folder, ("classic", &[]), &address);
    // The load is over, and its counters are scraped, before the watch ends.
    native.until_asked("plimsoll_step_info{step=\"load 1\"}");
    assert_eq!(watch.0.wait().unwrap().code(), Some(0));

    let after = counted_by_iostat(&device);
    let names = ["plimsoll_device_read_bytes_total", "plimsoll_device_written_bytes_total"];
    for ((name, before), after) in names.into_iter().zip(before).zip(after) {
        let last = classic.asked(&format!("last_over_time({name}{{device=\"{device}\"}}[5m])"), None)[0].1;
        println!("{name}: {}, iostat {}", last - before, after - before);
        assert!(after - before > 1e6, "there was too little to count");
        assert!((last - after).abs() <= 0.01 * (after - before), "{name} is {last}, iostat's {after}");
    }
    let totals = totals(&folder);
    figures_are_ours(&native, ("plimsoll_job_latency_seconds", 2_f64.powf(1.0 / 16.0)), &totals);
    figures_are_ours(&classic, ("plimsoll_job_latency_seconds_bucket", 1.5), &totals);
}

/// Returns count and latencies of the load by direction, as the report has them.
fn totals(folder: &Folder) -> Value {
    let told = ended(&mut folder.plimsoll(&["report", &run_file(&folder.path("runs")), "--format", "json"]));
    let report: Value = serde_json::from_str(&told.out).unwrap();
    let step = report["steps"].as_array().unwrap().iter().find(|step| step["name"] == "load 1");
    step.unwrap()["totals"].clone()
}

/// Asserts that the quantiles by Prometheus from `series` agree with `totals` within a bucket, whose end is `wide`
/// times its beginning.
fn figures_are_ours(prometheus: &Prometheus, (series, wide): (&str, f64), totals: &Value) {
    let last = prometheus.last_of(series);
    let operations = prometheus.asked("plimsoll_job_operations_total{job_name=\"load\"}", Some(last));
    assert_eq!(operations.len(), 2, "reads and writes");
    for (metric, count) in operations {
        assert_eq!(Some(count), totals[metric["direction"].as_str().unwrap()]["ops"].as_f64(), "{metric}");
    }
    for (share, key) in [(0.5, "latency_ns_p50"), (0.99, "latency_ns_p99")] {
        let found = prometheus
            .asked(&format!("histogram_quantile({share}, {series}{{job_name=\"load\"}})"), Some(last));
        assert_eq!(found.len(), 2, "reads and writes");
        for (metric, theirs) in found {
            let ours = totals[metric["direction"].as_str().unwrap()][key].as_f64().unwrap() / 1e9;
            println!("{series} {}: {key} {theirs}, ours {ours}", metric["direction"]);
            assert!((ours / wide..=ours * wide).contains(&theirs), "{metric}: {theirs}, ours {ours}");
        }
    }
}
