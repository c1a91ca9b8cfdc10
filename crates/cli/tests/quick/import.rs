//! `plimsoll import` and `plimsoll report` on what other tools, and plimsoll under their names, printed.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::process::Stdio;

use crate::machine::*;
use serde_json::Value;

/// Output of fio 1.59, as pasted into a page.
const OLD: &str = "test: (g=0): rw=randrw, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=64
fio 1.59
Starting 1 process
test: (groupid=0, jobs=1): err= 0: pid=22329
read : io=3070.5MB, bw=132862KB/s, iops=33215 , runt= 23665msec
write: io=1025.6MB, bw=44375KB/s, iops=11093 , runt= 23665msec
cpu : usr=14.62%, sys=45.22%, ctx=30449, majf=0, minf=17

Run status group 0 (all jobs):
READ: io=3070.5MB, aggrb=132861KB/s, minb=136050KB/s, maxb=136050KB/s, mint=23665msec, maxt=23665msec
WRITE: io=1025.6MB, aggrb=44375KB/s, minb=45440KB/s, maxb=45440KB/s, mint=23665msec, maxt=23665msec
";

/// Output of ioping 0.8, with its requests.
const PING: &str = "4.0 KiB from . (ext4 /dev/sda1): request=1 time=710 us
4.0 KiB from . (ext4 /dev/sda1): request=2 time=347 us

--- . (ext4 /dev/sda1) ioping statistics ---
2 requests completed in 1.0 s, 1.9 k iops, 7.4 MiB/s
min/avg/max/mdev = 347 us / 528 us / 710 us / 181 us
";

fn imported(folder: &Folder, files: &[&str]) -> ProgramOutput {
    ended(&mut folder.plimsoll(&[&["import", "--out", "@/runs"], files].concat()))
}

fn fits_80_columns(text: &str) {
    let long: Vec<&str> = text
        .lines()
        .filter(|line| line.chars().count() > 80 && !line.contains("runs/") && !line.contains(".txt"))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn a_pasted_result_becomes_a_run_file_that_says_what_it_lacks_and_can_be_drawn() {
    let folder = Folder::new();
    fs::write(folder.path("old.txt"), OLD).unwrap();
    let done = imported(&folder, &["@/old.txt"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    fits_80_columns(&done.out);
    for words in [
        "fio 1.59 text: 1 job, 1 group",
        "33,215",
        "129.7 MiB/s",
        "11,093",
        "lacks latencies, latency percentiles",
    ] {
        assert!(done.told().contains(words), "{words}: {}", done.out);
    }
    let name = fs::read_dir(folder.path("runs")).unwrap().next().unwrap().unwrap().file_name();
    let run = format!("@/runs/{}", name.to_str().unwrap());

    let drawn = ended(&mut folder.plimsoll(&["report", &run, "--html", "@/page.html"]));
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    assert!(
        drawn.told().contains(", as fio 1.59 text printed it. Note: plimsoll measured nothing of it"),
        "{}",
        drawn.out
    );
    assert!(!drawn.told().contains("MEASURED"), "{}", drawn.out);
    fits_80_columns(&drawn.out);
    let page = fs::read_to_string(folder.path("page.html")).unwrap();
    for words in [
        "What fio 1.59 text printed",
        "33,215",
        "It does not hold",
        "136050KB/s",
        "at a time that is not said",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("<svg"), "nothing of it can be drawn against anything");
    assert!(!page.contains("1970"), "a date that nobody printed");

    let document =
        ended(&mut folder.plimsoll(&["report", &run, "--html", "@/page.html", "--format", "json"])).json();
    assert_eq!(document["reported"][0]["directions"][0]["iops"]["value"], 33_215.0);
    assert_eq!(document["run"]["origin"]["imported"]["tool"], "fio 1.59 text");
}

/// Output of fio 2.2.10: it has `lat` and `clat`, percentiles of `clat` only, and the time of printing.
const DATED: &str = "test: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=32
fio-2.2.10
test: (groupid=0, jobs=1): err= 0: pid=13241: Mon Jun 13 09:47:55 2016
  read : io=4096.0KB, bw=1024.0KB/s, iops=256, runt=  4000msec
    slat (usec): min=8, max=434, avg=16.77, stdev= 5.92
    clat (usec): min=200, max=9000, avg=539.15, stdev=88.85
     lat (usec): min=210, max=9010, avg=556.61, stdev=88.91
    clat percentiles (usec):
     |  1.00th=[  210],  5.00th=[  220], 50.00th=[  500], 99.00th=[ 2100]
";

/// JSON of fio 3.6, as short as it can be.
const DATED_JSON: &str = r#"{"fio version": "fio-3.6", "timestamp_ms": 1524244459000, "time": "Fri Apr 20 17:14:19 2018",
"jobs": [{"jobname": "j", "groupid": 0, "error": 0, "read": {"io_bytes": 4096, "iops": 1.0, "runtime": 1000}}]}"#;

#[test]
fn mean_and_p99_are_of_the_same_times_and_say_which() {
    let folder = Folder::new();
    fs::write(folder.path("dated.txt"), DATED).unwrap();
    let done = imported(&folder, &["@/dated.txt"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    fits_80_columns(&done.out);
    let row: Vec<&str> =
        done.out.lines().find(|line| line.contains("256")).unwrap().split_whitespace().collect();
    let at = row.iter().position(|cell| *cell == "clat").unwrap();
    assert_eq!(row[at + 1..at + 5], ["0.5392", "ms", "2.100", "ms"], "{}", done.out);
}

#[test]
fn a_run_file_bears_the_date_that_the_result_prints() {
    let folder = Folder::new();
    fs::write(folder.path("dated.txt"), DATED).unwrap();
    fs::write(folder.path("again.json"), DATED_JSON).unwrap();
    let rows =
        "KDiskMark (2.2.1): x\n[Read]\nRandom 4 KiB (Q= 1, T= 1): 7.774 MB/s\n  Date: 2021-10-18 22:26:35\n";
    fs::write(folder.path("rows.txt"), rows).unwrap();
    assert_eq!(imported(&folder, &["@/dated.txt", "@/again.json", "@/rows.txt"]).code, Some(0));
    for name in [
        "runs/dated-test-fio-2.2.10-2016-06-13.plimsoll",
        "runs/again-j-fio-3.6-2018-04-20.plimsoll",
        "runs/rows-Random-4-KiB-Q1-T1-KDiskMark-2.2.1-2021-10-18.plimsoll",
    ] {
        let there: Vec<_> =
            fs::read_dir(folder.path("runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(folder.path(name).is_file(), "{name}: {there:?}");
    }
}

#[test]
fn charts_are_drawn_where_there_are_data() {
    let folder = Folder::new();
    fs::write(folder.path("ping.txt"), PING).unwrap();
    fs::write(folder.path("x_bw.1.log"), "250, 1000, 0, 0, 0\n500, 1200, 0, 0, 0\n750, 800, 1, 0, 0\n")
        .unwrap();
    let document = ended(&mut folder.plimsoll(&[
        "import",
        "--out",
        "@/runs",
        "--format",
        "json",
        "@/ping.txt",
        "@/x_bw.1.log",
    ]))
    .json();
    for (file, chart) in [(0, "reported-requests"), (1, "reported-bandwidth")] {
        let run = document["files"][file]["runs"][0]["run_file"].as_str().unwrap();
        let drawn = ended(&mut folder.plimsoll(&["report", run, "--html", "@/page.html"]));
        assert_eq!(drawn.code, Some(0), "{}", drawn.err);
        let page = fs::read_to_string(folder.path("page.html")).unwrap();
        assert!(
            page.contains(&format!("<figure id=\"{chart}\">")) && page.matches("<figure").count() == 1,
            "{chart}"
        );
    }
}

#[test]
fn stdin_several_files_and_one_json_document() {
    let folder = Folder::new();
    fs::write(folder.path("both.txt"), format!("{OLD}\nSome words.\n\n{PING}")).unwrap();
    fs::write(folder.path("none.txt"), "nothing here\n").unwrap();
    let mut command =
        folder.plimsoll(&["import", "--out", "@/runs", "--format", "json", "@/both.txt", "-", "@/none.txt"]);
    let stdin =
        fs::write(folder.path("stdin"), PING).and_then(|()| fs::File::open(folder.path("stdin"))).unwrap();
    let done = ended(command.stdin(Stdio::from(stdin)));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let document = done.json();
    let files = document["files"].as_array().unwrap();
    let counts: Vec<usize> = files.iter().map(|file| file["runs"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [2, 1, 0]);
    assert_eq!(files[1]["file"], "stdin");
    assert!(files[2]["error"].as_str().unwrap().contains("no result of a known tool"), "{}", files[2]);
    assert_eq!(fs::read_dir(folder.path("runs")).unwrap().count(), 3);
}

#[test]
fn exit_codes_and_places_are_as_documented() {
    let folder = Folder::new();
    fs::write(folder.path("none.txt"), "nothing here\n").unwrap();
    fs::write(folder.path("hurt.txt"), OLD.replace("iops=33215", "iops=3x215")).unwrap();
    assert_eq!(imported(&folder, &["@/none.txt"]).code, Some(1));
    assert_eq!(imported(&folder, &["@/missing.txt"]).code, Some(2));
    assert_eq!(imported(&folder, &[]).code, Some(2));
    assert!(!folder.path("runs").exists(), "nothing was left");
    let done = imported(&folder, &["@/hurt.txt"]);
    assert_eq!(done.code, Some(0));
    for words in ["line 5, column 41: expected a number like 33215", "found '3x215'", "the rest was read"] {
        assert!(done.complained().contains(words), "{words}: {}", done.err);
    }
}

/// Outputs of programs that are not read: what vdbench and bench.sh print.
const NOT_READ: [&str; 2] = [
    "Vdbench distribution: vdbench50407 Tue June 05  9:49:29 MDT 2018
10:15:02.001 Starting RD=small; I/O rate: 500; elapsed=3; For loops: None

May 12, 2021  interval        i/o   MB/sec   bytes   read     resp  queue  cpu%  cpu%
                             rate  1024**2     i/o    pct     time  depth sys+u   sys
10:15:03.010         1     501.00     1.96    4096 100.00    0.412    0.2   3.1   1.0
10:15:04.008         2     499.00     1.95    4096 100.00    0.418    0.2   2.9   0.9
10:15:05.011   avg_2-3     499.50     1.95    4096 100.00    0.417    0.2   2.9   0.9
",
    "-------------------- A Bench.sh Script By Teddysun -------------------
 CPU Model          : Some Processor
 Total Disk         : 39.2 GB (4.1 GB Used)
----------------------------------------------------------------------
 I/O Speed(1st run) : 412 MB/s
 I/O Speed(2nd run) : 1.2 GB/s
 I/O Speed(average) : 820.4 MB/s
----------------------------------------------------------------------
",
];

#[test]
fn what_is_not_read_is_refused_with_the_list_of_what_is() {
    let folder = Folder::new();
    for text in NOT_READ {
        fs::write(folder.path("a.txt"), text).unwrap();
        let done = imported(&folder, &["@/a.txt"]);
        assert_eq!(done.code, Some(1), "{text}");
        for words in ["nothing read: it holds no result of a known tool; known are fio's text", "kubestr"] {
            assert!(done.complained().contains(words), "{words}: {}", done.err);
        }
        assert!(!folder.path("runs").exists(), "nothing was left");
    }
}

/// Returns rates and mean latencies from the JSON of an import, by job and direction.
fn rates(document: &Value) -> Vec<(String, f64, f64)> {
    let parts = document["files"][0]["runs"][0]["reported"].as_array().unwrap().clone();
    let jobs = parts.into_iter().filter(|part| part["scope"] == "job");
    jobs.flat_map(|part| {
        let ways = part["directions"].as_array().unwrap().clone();
        ways.into_iter().flat_map(move |way| {
            let name = format!("{} {}", part["job"], way["direction"]);
            let mean = way["latencies"]
                .as_array()
                .unwrap()
                .iter()
                .find(|latency| latency["kind"] == "total")
                .cloned();
            let mean = mean.map(|latency| latency["mean"].clone()).unwrap_or_default();
            [
                ("bytes", way["bytes"].clone()),
                ("iops", way["iops"].clone()),
                ("rate", way["bytes_per_second"].clone()),
                ("mean", mean),
            ]
            .into_iter()
            .filter_map(|(what, figure)| {
                Some((format!("{name} {what}"), figure["value"].as_f64()?, figure["step"].as_f64()?))
            })
            .collect::<Vec<_>>()
        })
    })
    .collect()
}

#[test]
fn what_our_own_fio_prints_is_read_alike_in_every_form() {
    let folder = Folder::new();
    let words =
        ["fio", "--name=own", "--filename=@/data", "--size=2m", "--rw=randrw", "--bs=4k", "--ioengine=psync"];
    let forms = ["normal", "json", "json+", "terse"];
    let form = |form: &str| {
        let output = format!("--output=@/{form}.out");
        let format = format!("--output-format={form}");
        let done = ended(&mut folder.plimsoll(&[&words[..], &[&output, &format, "--randseed=1"]].concat()));
        assert_eq!(done.code, Some(0), "{}", done.err);
        let file = format!("@/{form}.out");
        let import = ended(&mut folder.plimsoll(&["import", "--out", "@/runs", "--format", "json", &file]));
        assert_eq!((import.code, import.err.as_str()), (Some(0), ""), "{form}");
        import.json()
    };
    for (name, document) in forms.map(|name| (name, form(name))) {
        let found = rates(&document);
        assert!(found.len() >= 8, "{name}: {found:?}");
        let bytes: f64 =
            found.iter().filter(|(path, ..)| path.ends_with("bytes")).map(|(_, value, _)| value).sum();
        let step: f64 =
            found.iter().filter(|(path, ..)| path.ends_with("bytes")).map(|(_, _, step)| step).sum();
        assert!((bytes - 2_097_152.0).abs() <= step, "{name}: {bytes}");
    }
}

#[test]
fn what_our_own_ioping_prints_is_read_as_that_of_the_real_one() {
    let folder = Folder::new();
    for (words, tool) in
        [(&["-c", "4"][..], "1.2 or later text"), (&["-B", "-c", "4"], "raw"), (&["-J", "-c", "4"], "JSON")]
    {
        let done = ended(&mut folder.plimsoll(&[&["ioping", "-i", "0"], words, &["@"]].concat()));
        assert_eq!(done.code, Some(0), "{}", done.err);
        fs::write(folder.path("ping.txt"), &done.out).unwrap();
        let import =
            ended(&mut folder.plimsoll(&["import", "--out", "@/runs", "--format", "json", "@/ping.txt"]));
        assert_eq!((import.code, import.err.as_str()), (Some(0), ""), "{}", done.out);
        let run = &import.json()["files"][0]["runs"][0];
        assert!(run["tool"].as_str().unwrap().contains(tool), "{run}");
        assert_eq!(run["reported"][0]["directions"][0]["ops"]["value"], 3.0, "{}", done.out);
    }
}
