//! `--metrics` scraped by a real Prometheus: what it has of a watch is what iostat counts, and its quantiles are ours.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test may stop at what it did not expect, and shows what it measured

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::machine::{Folder, Lack, ended, run_file, skipped, turn};

const PATIENCE: Duration = Duration::from_secs(60);

/// A program that a failing test leaves not running.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `plimsoll` with these words, and the host and port that `--metrics` says.
fn exposing(folder: &Folder, words: &[&str]) -> (Running, String) {
    let mut command = folder.plimsoll(words);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let address = lines
        .find_map(|line| Some(line.strip_prefix("metrics http://")?.strip_suffix("/metrics")?.to_owned()));
    std::thread::spawn(move || lines.for_each(drop));
    (Running(child), address.unwrap())
}

/// A Prometheus of the test's own that scrapes `targets` every second.
struct Prometheus {
    address: String,
    _running: Running,
}

impl Prometheus {
    fn scraping(folder: &Folder, (name, features): (&str, &[&str]), targets: &[&str]) -> Prometheus {
        let config = folder.path(&format!("{name}.yml"));
        let targets = targets.iter().map(|target| format!("'{target}'")).collect::<Vec<_>>().join(", ");
        let text = format!(
            "global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: plimsoll\n    static_configs:\n      - targets: [{targets}]\n"
        );
        fs::write(&config, text).unwrap();
        // Free a moment ago; whoever takes it meanwhile makes the test fail, not pass.
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

    /// What a query gives, as Prometheus says it.
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

    /// What a query gives: labels and value of each.
    fn asked(&self, query: &str, time: Option<f64>) -> Vec<(Value, f64)> {
        let value = |result: &Value| result["value"][1].as_str().unwrap().parse().unwrap();
        let results = self.results(query, time);
        results.iter().map(|result| (result["metric"].clone(), value(result))).collect()
    }

    /// When it last had a value of this name: seconds since 1970. What is scraped no more has no value now.
    fn last_of(&self, name: &str) -> f64 {
        let results = self.results(&format!("{name}[5m]"), None);
        let times = results.iter().flat_map(|series| {
            ["values", "histograms"]
                .into_iter()
                .filter_map(|kind| series[kind].as_array()?.last()?[0].as_f64())
        });
        times.fold(f64::NAN, f64::max)
    }

    fn until_asked(&self, query: &str) -> Vec<(Value, f64)> {
        let begun = Instant::now();
        loop {
            let found = self.asked(query, None);
            if !found.is_empty() {
                return found;
            }
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

/// KiB that iostat has counted as written to `device` since the machine began.
fn written_by_iostat(device: &str) -> f64 {
    let told = ended(Command::new("iostat").args(["-d", "-k", "-o", "JSON", device]));
    let json: Value = serde_json::from_str(&told.out).unwrap();
    json["sysstat"]["hosts"][0]["statistics"][0]["disk"][0]["kB_wrtn"].as_f64().unwrap()
}

/// By job and direction the least and the greatest p99 of an interval, in seconds: that of all of them lies between.
fn p99s(folder: &Folder) -> BTreeMap<(String, String), (f64, f64)> {
    let run = run_file(&folder.path("runs"));
    let told = ended(&mut folder.plimsoll(&["report", &run, "--format", "json"]));
    let json: Value = serde_json::from_str(&told.out).unwrap();
    let mut found = BTreeMap::new();
    for step in json["steps"].as_array().unwrap() {
        for interval in step["intervals"].as_array().unwrap() {
            let job = step["jobs"][interval["job"].as_u64().unwrap() as usize].as_str().unwrap();
            for (direction, of) in interval["directions"].as_object().unwrap() {
                let Some(p99) = of["latency_ns_p99"].as_f64() else { continue };
                let seen = found.entry((job.to_owned(), direction.clone())).or_insert((f64::MAX, 0.0_f64));
                *seen = (seen.0.min(p99 / 1e9), seen.1.max(p99 / 1e9));
            }
        }
    }
    found
}

#[test]
fn prometheus_has_of_a_watch_what_iostat_counts_and_of_a_load_our_quantiles() {
    if is_missing("prometheus") || is_missing("iostat") {
        return;
    }
    let _turn = turn();
    let folder = Folder::new();
    let (_watch, devices) =
        exposing(&folder, &["watch", "--for", "60s", "--metrics", "0", "--out", "@/watched"]);
    let words = ["run", "five-figures", "null:", "--time", "1s", "--metrics", "0", "--out", "@/runs"];
    let (mut run, load) = exposing(&folder, &words);
    let native = ("native", &["--enable-feature=native-histograms"] as &[&str]);
    let native = Prometheus::scraping(&folder, native, &[&devices, &load]);
    let classic = Prometheus::scraping(&folder, ("classic", &[]), &[&devices, &load]);

    // Something to count.
    folder.make_file("written", 64);
    assert_eq!(run.0.wait().unwrap().code(), Some(0));
    // What was written is counted by the next sample, and that is scraped.
    let ops = "last_over_time(plimsoll_job_operations_total[5m])";
    assert!(!native.until_asked(ops).is_empty() && !classic.until_asked(ops).is_empty());
    let begun = Instant::now();
    let written = "plimsoll_device_written_bytes_total{device!~\"loop.*|zram.*\"} > 1e6";
    loop {
        let found = classic.until_asked(written);
        let differs = found.iter().find(|(metric, bytes)| {
            let counted = written_by_iostat(metric["device"].as_str().unwrap()) * 1024.0;
            (bytes - counted).abs() > 0.01 * counted
        });
        match differs {
            None => break,
            Some(differs) => assert!(begun.elapsed() < PATIENCE, "{differs:?} is not what iostat counts"),
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    quantiles_are_ours(&folder, &native, &classic);
}

fn quantiles_are_ours(folder: &Folder, native: &Prometheus, classic: &Prometheus) {
    let ours = p99s(folder);
    assert!(ours.len() >= 2, "{ours:?}");
    for (prometheus, series, bucket) in [
        (native, "plimsoll_job_latency_seconds", 1.05),
        (classic, "plimsoll_job_latency_seconds_bucket", 1.5),
    ] {
        let last = prometheus.last_of(series);
        let found = prometheus.asked(&format!("histogram_quantile(0.99, {series})"), Some(last));
        for (metric, p99) in &found {
            let of = |label: &str| metric[label].as_str().unwrap().to_owned();
            let (least, greatest) = ours[&(of("job_name"), of("direction"))];
            println!("{series} {metric}: {p99}, ours {least} to {greatest}");
            // Below the first classic edge nothing is told apart.
            let slack = if bucket > 1.4 { 2.1e-6 } else { 1e-9 };
            assert!(*p99 >= least / bucket - slack && *p99 <= greatest * bucket + slack, "{metric}: {p99}");
        }
        assert_eq!(found.len(), ours.len());
    }
}
