//! `--otlp` and `--metrics`: what is sent to a collector and answered to a scraper, and that a run waits for neither.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use crate::machine::*;

/// Starts a collector that answers everything with `status`; returns its address, and the requests that it receives,
/// head and body.
fn collector(status: &'static str) -> (String, Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (got, gets) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (mut bytes, mut chunk) = (Vec::new(), [0; 65536]);
            let request = loop {
                let count = stream.read(&mut chunk).unwrap();
                bytes.extend_from_slice(&chunk[..count]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
                if body.len() >= length.parse().unwrap() {
                    break (head.to_owned(), body.to_owned());
                }
                assert_ne!(count, 0, "the request was cut off");
            };
            stream
                .write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}").as_bytes())
                .unwrap();
            if got.send(request).is_err() {
                return;
            }
        }
    });
    (address, gets)
}

#[test]
fn a_collector_is_sent_the_whole_of_a_run() {
    let (address, gets) = collector("200 OK");
    let folder = Folder::new();
    let url = format!("http://{address}");
    let done = ended(&mut folder.plimsoll(&[
        "run",
        "five-figures",
        "sim:aws-gp3",
        "--otlp",
        &url,
        "--out",
        "@/runs",
        "--format",
        "json",
    ]));
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(!done.err.contains("--otlp"), "{}", done.err);
    let (head, body) = gets.iter().next().unwrap();
    assert!(head.starts_with("POST /v1/metrics HTTP/1.1\r\n"), "{head}");
    assert!(
        head.contains(&format!("Host: {address}\r\n")) && head.contains("Content-Type: application/json"),
        "{head}"
    );
    let sent: Value = serde_json::from_str(&body).unwrap();
    let metrics = sent["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let operations = metrics.iter().find(|metric| metric["name"] == "plimsoll_job_operations_total").unwrap();
    let points = operations["sum"]["dataPoints"].as_array().unwrap();
    let counted: f64 = points.iter().map(|point| point["asDouble"].as_f64().unwrap()).sum();
    let run: Value = serde_json::from_str(&done.out).unwrap();
    let intervals =
        run["steps"].as_array().unwrap().iter().flat_map(|step| step["intervals"].as_array().unwrap());
    let directions = intervals.flat_map(|interval| interval["directions"].as_object().unwrap().values());
    let ours: f64 = directions.map(|of| of["ops"].as_f64().unwrap()).sum();
    assert!(ours > 1000.0);
    assert_eq!(counted, ours, "every I/O of the run was counted");
}

#[test]
fn a_run_does_not_fail_for_a_collector_that_refuses_or_is_not_there() {
    let folder = Folder::new();
    let (refusing, _gets) = collector("503 Service Unavailable");
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    for (address, told) in [(refusing, "status 503"), (nobody, "does not answer")] {
        let url = format!("http://{address}/v1/metrics");
        let done = ended(&mut folder.plimsoll(&[
            "run",
            "five-figures",
            "sim:aws-gp3",
            "--otlp",
            &url,
            "--out",
            "@/runs",
        ]));
        assert_eq!(done.code, Some(0), "{}", done.err);
        let line = done.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(told) && line.contains("the last figures of the run are not there"), "{line}");
    }
}

#[test]
fn an_address_that_cannot_be_sent_to_is_refused_before_anything_is_measured() {
    let folder = Folder::new();
    for (url, told) in [
        ("https://otlp.example.org", "send it through a collector on this machine"),
        ("127.0.0.1:4318", "http://127.0.0.1:4318"),
        ("http://", "no address of a receiver"),
        ("http://a:b/", "no address of a receiver"),
    ] {
        let done = ended(&mut folder.plimsoll(&["check", "sim:aws-gp3", "--otlp", url, "--out", "@/runs"]));
        assert_eq!(done.code, Some(2), "{url}: {}", done.err);
        let line = done.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(told), "{url}: {line}");
    }
    assert!(!folder.path("runs").exists(), "something was measured");
}

#[test]
fn the_commands_of_the_guide_run_as_printed() {
    let guide = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/metrics.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let blocks = guide.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().trim());
    let commands: Vec<&str> = blocks.collect();
    let [fetched, sent] = commands.as_slice() else { panic!("{commands:?}") };
    let folder = Folder::new();
    // The ports are exchanged because they may be in use, and Ctrl-C is replaced by a length of one second.
    let (address, gets) = collector("200 OK");
    for (command, told) in [
        (fetched.replace("9187", "0"), "metrics http://127.0.0.1:"),
        (sent.replace("127.0.0.1:4318", &address), "plimsoll"),
    ] {
        let mut words: Vec<&str> = command.split_whitespace().skip(1).collect();
        words.extend(["--for", "1s", "--every", "200ms", "--out", "@/runs"]);
        let done = ended(&mut folder.plimsoll(&words));
        assert!(matches!(done.code, Some(0 | 4)), "{command}: {:?} {}", done.code, done.err);
        assert!(done.err.contains(told) || done.out.contains(told), "{command}: {}", done.err);
    }
    let (_, body) = gets.iter().next().unwrap();
    assert!(body.contains("plimsoll_machine_iowait_seconds_total"), "{body}");
}

/// Returns what `address` answers to a request for `path` with these further lines.
fn fetched(address: &str, path: &str, lines: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\n{lines}\r\n").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn a_scraper_is_answered_while_a_run_goes_on_and_nobody_else() {
    let folder = Folder::new();
    let words = ["run", "five-figures", "null:", "--time", "1s", "--metrics", "0", "--out", "@/runs"];
    let mut run = folder.plimsoll(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    let address = lines
        .find_map(|line| Some(line.strip_prefix("metrics http://")?.strip_suffix("/metrics")?.to_owned()));
    let address = address.unwrap();
    std::thread::spawn(move || lines.for_each(drop));

    let host = format!("Host: {address}\r\n");
    let job = "plimsoll_job_operations_total{job_name=\"bandwidth\",direction=\"write\"} ";
    let text = std::iter::repeat_with(|| fetched(&address, "/metrics", &host));
    let text = text.take_while(|text| text.starts_with("HTTP/1.1 200")).find(|text| text.contains(job));
    let counted =
        text.as_deref().and_then(|text| text.split(job).nth(1)?.lines().next()?.parse::<f64>().ok());
    assert!(counted.unwrap() > 0.0, "{text:?}");
    let protobuf = "Accept: application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited\r\n";
    let native = fetched(&address, "/metrics", &format!("{host}{protobuf}"));
    assert!(native.contains("Content-Type: application/vnd.google.protobuf"), "{native}");
    for (path, lines, status) in [
        ("/", host.as_str(), "404"),
        ("/../../etc/passwd", &host, "404"),
        ("/metrics", "Host: rebound.example.org\r\n", "403"),
        ("/metrics", &format!("{host}Origin: http://example.org\r\n"), "403"),
    ] {
        let told = fetched(&address, path, lines);
        assert!(told.starts_with(&format!("HTTP/1.1 {status}")), "{path} {lines}: {told}");
    }
    // The answers are known, so the rest of the run need not be waited for.
    run.kill().unwrap();
    run.wait().unwrap();
}
