//! Comparison with the real fio, if it is installed: the same keys of the same types, the same lines.

use std::path::Path;
use std::process::Command;

use fio::{DiskUse, FioJob, human, json, opening};
use serde_json::Value;
use testbed::{Lack, same_shape, skipped};
use workload::Direction;

use crate::vocabulary::{Did, asked, presented, records};

/// stdout of the real fio; `None`, with the reason printed, if it is not installed or cannot run.
fn real(words: &str) -> Option<String> {
    let output = Command::new("/usr/bin/fio")
        .args(words.split_whitespace())
        .current_dir(std::env::temp_dir())
        .output();
    match output {
        Ok(output) if output.status.success() => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            skipped(Lack::Tool, format!("fio {words} ended with {}: {said}", output.status));
            None
        }
        Err(error) => {
            skipped(Lack::Tool, format!("no fio to compare with ({error})"));
            None
        }
    }
}

/// A record in which every direction of the jobs of `words` did something.
fn something(words: &str, job: &FioJob) -> Did {
    let latencies = vec![3_000, 5_000, 90_000, 2_000_000];
    let mut ios = Vec::new();
    if !words.contains("write") {
        ios.push((Direction::Read, 4096, latencies.clone()));
    }
    if words.contains("rw=randrw") || words.contains("write") {
        ios.push((Direction::Write, 4096, latencies.clone()));
    }
    if words.contains("fsync") {
        ios.push((Direction::Flush, 0, latencies));
    }
    let queued = job.options.iodepth > 1 || job.options.engine.name == "libaio";
    let submission_ns = if queued { 1_000 } else { 0 };
    Did { ios, rates: vec![100, 200], runtime_ms: 1000, submission_ns, failure: None }
}

fn our_json(words: &str, disk: Option<&str>) -> Value {
    let asked = asked(words);
    let did: Vec<Did> = asked.jobs.iter().map(|job| something(words, job)).collect();
    let steps = records(&asked, &did);
    let mut presented = presented(&asked, &steps);
    presented.disks.extend(disk.map(|name| DiskUse { name: name.to_owned(), ..DiskUse::default() }));
    serde_json::from_str(&json(&presented)).unwrap_or_else(|error| panic!("ours is no JSON: {error}"))
}

const JOBS: [&str; 6] = [
    "--output-format=json --ioengine=null --size=64m --name=a --rw=randread",
    "--output-format=json+ --ioengine=null --name=a --size=64m --rw=randrw --iodepth=4 --description=x",
    "--output-format=json --ioengine=null --size=64m --rw=randrw --name=a --numjobs=2 --name=b --bs=8k --stonewall",
    "--output-format=json --ioengine=null --size=64m --rw=randrw --group_reporting --name=a --numjobs=2 --name=b",
    "--output-format=json --ioengine=null --size=64m --rw=randwrite --name=a --lat_percentiles=1 --percentile_list=50:99.9",
    "--output-format=json --ioengine=null --size=64m --rw=randrw --name=a --gtod_reduce=1",
];

#[test]
fn json_has_every_key_of_fio_with_its_type() {
    for words in JOBS {
        let Some(text) = real(words) else { return };
        let theirs: Value = serde_json::from_str(&text).expect("fio prints JSON");
        let ours = our_json(words, None);
        same_shape("", &theirs, &ours);
        assert_eq!(options(&theirs), options(&ours), "{words}");
    }
}

/// Options of every object, without bare flags: fio prints those as empty texts only in newer versions.
fn options(document: &Value) -> Vec<Vec<(String, Value)>> {
    let jobs = document["jobs"].as_array().cloned().unwrap_or_default();
    let all = jobs.iter().map(|job| &job["job options"]).chain([&document["global options"]]);
    all.map(|options| {
        let members = options.as_object().cloned().unwrap_or_default();
        members.into_iter().filter(|(_, value)| value != "").collect()
    })
    .collect()
}

/// With a file there are flushes and a disk.
#[test]
fn json_of_a_file_has_every_key_of_fio_with_its_type() {
    let file = std::env::temp_dir().join(format!("plimsoll-fio-peer-{}", std::process::id()));
    let words = format!(
        "--output-format=json+ --filename={} --size=256k --name=a --rw=write --fsync=4 --ioengine=libaio --unlink=1",
        file.display()
    );
    let text = real(&words);
    let _ = std::fs::remove_file(Path::new(&file));
    let Some(text) = text else { return };
    let theirs: Value = serde_json::from_str(&text).expect("fio prints JSON");
    if theirs["disk_util"].as_array().is_none_or(|disks| disks.len() != 1) {
        skipped(Lack::Kernel, format!("fio found no single disk under {}", file.display()));
        return;
    }
    same_shape("", &theirs, &our_json(&words, Some("vda")));
}

/// A line without numbers, units and counts.
fn skeleton(line: &str) -> String {
    let mut bare = String::new();
    for letter in line.chars() {
        match letter {
            '0'..='9' if bare.ends_with('#') => {}
            '0'..='9' => bare.push('#'),
            '.' | 'k' | 'K' | 'M' | 'G' | 'i' if bare.ends_with('#') => {}
            other => bare.push(other),
        }
    }
    bare.split_whitespace().collect::<Vec<_>>().join(" ").replace("= #", "=#").replace("[ #", "[#")
}

/// Lines whose number and form do not depend on the measurement, with two of them in their newer form.
fn steady_lines(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.trim_start().starts_with('|') && !line.starts_with("  lat ("))
        .filter(|line| !line.contains("bw (") && !line.contains("iops  "))
        .map(|line| {
            let line = line.replace("target=0.00ns, window=0.00ns", "target=0, window=0");
            let line = line.replace("(usec)", "(nsec)").replace("(msec)", "(nsec)");
            match line.contains("(groupid=") {
                true => line.split(": pid=").next().unwrap_or_default().to_owned(),
                false => skeleton(&line),
            }
        })
        .collect()
}

#[test]
fn the_text_has_the_lines_of_fio() {
    for words in [
        "--ioengine=null --size=64m --name=a --rw=randread",
        "--ioengine=null --size=64m --rw=randrw --name=a --numjobs=2 --iodepth=4 --name=b --bs=1m --stonewall --thread",
        "--ioengine=null --size=64m --rw=randrw --group_reporting --name=a --numjobs=2 --description=text",
        "--ioengine=null --size=64m --rw=randrw --name=a --gtod_reduce=1 --percentile_list=50:99",
    ] {
        let Some(theirs) = real(words) else { return };
        let asked = asked(words);
        let did: Vec<Did> = asked.jobs.iter().map(|job| something(words, job)).collect();
        let steps = records(&asked, &did);
        let ours = format!("{}{}", opening(&asked), human(&presented(&asked, &steps)));
        assert_eq!(steady_lines(&theirs), steady_lines(&ours), "{words}");
    }
}
