//! Scripts that read fio's output: the same line finds the same kind of number in ours.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;
use std::process::{Command, Stdio};

use crate::machine::*;

/// What a reader must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finds {
    /// An integer.
    Whole,
    /// A number with or without decimals or a `k`.
    Number,
    /// A number with a unit of bytes a second.
    Rate,
    /// The same text in both.
    Same,
}

/// A paced mix, so that rates are alike whatever else the machine does.
const JOB: &str = "--name=rand_rw_4k --filename=F --size=4m --rw=randrw --rwmixread=50 --bs=4k --direct=1 \
                   --ioengine=libaio --iodepth=4 --rate_iops=300,300 --runtime=2 --time_based";

/// Formats and logs that are asked for, a shell command that reads stdout, and what it finds.
const READERS: [(&str, &str, Finds); 30] = [
    ("--minimal", "cut -d';' -f7", Finds::Whole),
    ("--minimal", "grep rand_rw_4k | awk -F';' '{print $8}'", Finds::Whole),
    ("--minimal", "grep rand_rw_4k | awk -F';' '{print $48}'", Finds::Whole),
    ("--minimal", "grep rand_rw_4k | awk -F';' '{print $49}'", Finds::Whole),
    ("--minimal", "awk -F';' '{print $30}' | cut -d= -f2", Finds::Whole),
    ("--minimal", "awk -F';' '{print $30}' | cut -d= -f1", Finds::Same),
    ("--minimal", "awk -F';' '{print $81}'", Finds::Number),
    ("", "grep -E 'read ?:' | grep -Eoi 'IOPS=[0-9k.]+' | cut -d'=' -f2", Finds::Number),
    ("", "grep -E 'read ?:' | grep -Eoi 'BW=[0-9GMKiBs/.]+' | cut -d'=' -f2", Finds::Rate),
    ("", "grep -E 'write:' | grep -Eoi 'IOPS=[0-9k.]+' | cut -d'=' -f2", Finds::Number),
    ("", "grep -E 'write:' | grep -Eoi 'BW=[0-9GMKiBs/.]+' | cut -d'=' -f2", Finds::Rate),
    ("", "grep ' lat.*avg' | grep -Eoi 'avg=[0-9.]+' | cut -d'=' -f2 | head -1", Finds::Number),
    ("", "grep -m1 'READ: bw=' | sed -E 's/.*bw=([^ ]+) .*/\\1/'", Finds::Rate),
    ("", "grep -m1 'WRITE: bw=' | sed -E 's/.*run=([0-9]+)-.*/\\1/'", Finds::Whole),
    ("", "grep -m1 '99.00th' | sed -E 's/.*99.00th=\\[ *([0-9]+)\\].*/\\1/'", Finds::Whole),
    ("", "grep -m1 ' iops  ' | sed -E 's/.*avg=([0-9.]+),.*/\\1/'", Finds::Number),
    ("", "grep -m1 ' bw (' | sed -E 's/.*per=([0-9.]+)%.*/\\1/'", Finds::Number),
    ("", "awk '/cpu  /{print $3}' | tr -dc '0-9.'", Finds::Number),
    ("", "awk -F'[=,]' '/issued rwts/{print $6}'", Finds::Same),
    ("", "grep -oE 'err= [0-9]+' | awk '{print $2}'", Finds::Same),
    ("--output-format=json", "grep -m1 '\"iops\" :' | tr -dc '0-9.'", Finds::Number),
    ("--output-format=json", "sed -n '/{/,$p' | jq .timestamp", Finds::Whole),
    ("--output-format=json", "jq '.jobs[0].read.bw_bytes'", Finds::Whole),
    ("--output-format=json", "jq '.jobs[0].write.clat_ns.percentile[\"99.990000\"]'", Finds::Whole),
    ("--output-format=json", "jq -r '.jobs[0][\"job options\"].rw + .jobs[0].jobname'", Finds::Same),
    (
        "--output-format=json",
        "jq '.jobs[0].read | .bw_min + .bw_max + .bw_dev + .bw_agg + .bw_mean'",
        Finds::Number,
    ),
    ("--output-format=json", "jq '[.jobs[].read.iops, .jobs[].write.iops] | add | round'", Finds::Whole),
    (
        "--output-format=json+",
        "jq -r '.jobs[0].read.clat_ns.bins | to_entries | map(.value) | add'",
        Finds::Whole,
    ),
    (
        "--output-format=json --write_iops_log=L --log_avg_msec=500",
        "cat >/dev/null; awk -F', ' '$3==0{s+=$2;n++} END {print int(s/n)}' L_iops.1.log",
        Finds::Whole,
    ),
    (
        "--output-format=json --write_lat_log=L",
        "cat >/dev/null; awk -F', ' 'NF!=5{exit 1} {s+=$2} END {print s/NR}' L_clat.1.log",
        Finds::Number,
    ),
];

/// Pipes `text` through `reader`, in the folder where the run has left its files.
fn read_by(reader: &str, text: &str, place: &Path) -> String {
    let input = place.join("stdout.txt");
    std::fs::write(&input, text).unwrap();
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("cat stdout.txt | {{ {reader}; }}")).current_dir(place).stdin(Stdio::null());
    let ended = ended(&mut shell);
    assert_eq!(ended.code, Some(0), "{reader}: {}", ended.err);
    ended.out.trim().to_owned()
}

fn fits(found: &str, wanted: Finds) -> bool {
    let bare = found.trim_end_matches('k');
    match wanted {
        Finds::Whole => !found.is_empty() && found.bytes().all(|byte| byte.is_ascii_digit()),
        Finds::Number => bare.parse::<f64>().is_ok(),
        Finds::Rate => {
            let digits = found.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '/');
            digits.parse::<f64>().is_ok() && found.ends_with("B/s")
        }
        Finds::Same => !found.is_empty(),
    }
}

#[test]
#[ignore = "night: a run of both for each reader"]
fn readers_in_scripts_find_in_ours_what_they_find_in_fios() {
    let Some(peers) = Peers::find() else { return };
    let has_jq = Command::new("jq").arg("--version").stdout(Stdio::null()).status().is_ok();
    let mut last: Option<(&str, [String; 2])> = None;
    for (words, reader, wanted) in READERS {
        if reader.contains("jq ") && !has_jq {
            skipped(Lack::Tool, format!("jq is not installed, so nobody reads {reader}"));
            continue;
        }
        let known = last.take().filter(|(known, _)| *known == words);
        let texts = known.map_or_else(|| both(&peers, words), |(_, texts)| texts);
        let [theirs, ours] = [(Who::Real, 0), (Who::Link, 1)]
            .map(|(who, at)| read_by(reader, &texts[at], &peers.folder.path(&format!("{who:?}"))));
        assert!(fits(&theirs, wanted), "{reader}: fio gives '{theirs}'");
        assert!(fits(&ours, wanted), "{reader}: '{ours}', fio '{theirs}'");
        assert!(wanted != Finds::Same || theirs == ours, "{reader}: '{ours}', fio '{theirs}'");
        last = Some((words, texts));
    }
}

/// Returns what both print to stdout.
fn both(peers: &Peers, words: &str) -> [String; 2] {
    [Who::Real, Who::Link].map(|who| {
        let ended = peers.run(who, &format!("{words} {JOB}"));
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{words}");
        ended.out
    })
}
