//! `plimsoll report` on recordings of other tools and on several files, and the tables and series that it prints.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::path::Path;

use crate::machine::*;
use record::{Metric, Recording, Run};

/// What iostat 12.6.1 printed about two devices over three intervals of a second.
const EXTENDED: &str = include_str!("../../../import/tests/all/fixtures/iostat/extended.json");
const KILLED: &str = include_str!("../../../import/tests/all/fixtures/iostat/killed.json");
const CPU: &str = include_str!("../../../import/tests/all/fixtures/iostat/cpu.json");

/// Makes a folder with `logs/`: two recordings of iostat, and files that are none.
fn logs() -> Folder {
    let folder = Folder::new();
    folder.make_dir("logs");
    for (name, text) in [
        ("a.json", EXTENDED),
        ("b.json", CPU),
        (
            "c.json",
            "{\"jobs\": [{\"jobname\": \"x\", \"read\": {\"iops\": 5.0, \"io_bytes\": 10, \"total_ios\": 1}}]}\n",
        ),
        ("d.json", "{\"temperature\": 21}\n"),
        ("e.txt", "notes\n"),
    ] {
        fs::write(folder.path("logs").join(name), text).unwrap();
    }
    folder
}

/// Parses a CSV by RFC 4180; the first row is the head.
fn rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let (mut quoted, mut letters) = (false, text.chars().peekable());
    while let Some(letter) = letters.next() {
        let row = rows.last_mut().unwrap();
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                row.last_mut().unwrap().push(letters.next().unwrap())
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\r' if !quoted && letters.peek() == Some(&'\n') => {
                letters.next();
                rows.push(vec![String::new()]);
            }
            other => row.last_mut().unwrap().push(other),
        }
    }
    assert_eq!(rows.pop(), Some(vec![String::new()]), "the last line ends too");
    let wide = rows[0].len();
    assert!(rows.iter().all(|row| row.len() == wide), "every row is as wide as the head");
    rows
}

fn number(field: &str) -> f64 {
    if field.is_empty() { f64::NAN } else { field.parse().unwrap() }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn done(ended: &ProgramOutput) {
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
}

#[test]
fn a_folder_of_recordings_gives_a_page_each_and_names_what_it_passes_over() {
    let folder = logs();
    let drawn = ended(&mut folder.plimsoll(&["report", "@/logs", "--html", "@/pages/"]));
    done(&drawn);
    let mut pages: Vec<String> =
        fs::read_dir(folder.path("pages")).unwrap().map(|page| text(&page.unwrap().path())).collect();
    pages.sort();
    assert!(pages.len() == 2 && pages[0].ends_with("a.html") && pages[1].ends_with("b.html"), "{pages:?}");
    for words in ["c.json: the result of another tool than iostat", "d.json is no run file of plimsoll, and"]
    {
        assert!(drawn.complained().contains(words), "{words}: {}", drawn.err);
    }
    assert!(!drawn.err.contains("e.txt"), "{}", drawn.err);
    let one = fs::read_to_string(&pages[0]).unwrap();
    assert!(one.contains("vda") && one.contains("iostat 12.3.1 or later JSON"));
}

#[test]
fn files_named_one_by_one_are_drawn_beside_themselves_and_an_unreadable_one_costs_the_exit_code() {
    let folder = logs();
    let both = ["report", "@/logs/a.json", "@/logs/c.json", "--format", "json"];
    let drawn = ended(&mut folder.plimsoll(&both));
    done(&drawn);
    assert_eq!(drawn.json()["reports"].as_array().unwrap().len(), 2);
    assert!(folder.path("logs/a.html").exists() && folder.path("logs/c.html").exists());
    let drawn =
        ended(&mut folder.plimsoll(&["report", "@/logs/b.json", "@/logs/d.json", "@/logs/none.json"]));
    assert_eq!(drawn.code, Some(1), "{}", drawn.err);
    assert!(folder.path("logs/b.html").exists());
    assert!(drawn.complained().contains("none.json does not exist"), "{}", drawn.err);
}

#[test]
fn what_a_killed_iostat_left_is_drawn() {
    let folder = Folder::new();
    let cut = &KILLED[..KILLED.rfind("\"w_await\"").unwrap()];
    fs::write(folder.path("cut.json"), cut).unwrap();
    let drawn = ended(&mut folder.plimsoll(&["report", "@/cut.json"]));
    done(&drawn);
    let told = drawn.complained();
    let line = format!("cut.json: line {}, column", cut.lines().count());
    assert!(told.contains(&line) && told.contains("expected the whole of this object"), "{told}");
    assert!(told.contains("as when iostat is stopped"), "{told}");
    assert!(fs::read_to_string(folder.path("cut.html")).unwrap().contains("vda"));
}

/// Compares every field of `devices.csv` and `cpu.csv` with the run file's own series; returns how many were compared.
fn equals_the_run_file(tables: &Path, run: &Run) -> usize {
    let recording = Recording::of(run);
    let devices = rows(&fs::read_to_string(tables.join("devices.csv")).unwrap());
    let metrics: Vec<Metric> = Metric::all().collect();
    let mut compared = 0;
    for row in &devices[1..] {
        let at = recording
            .intervals()
            .iter()
            .position(|(from, to)| {
                same(from.as_secs_f64(), number(&row[0])) && same(to.as_secs_f64(), number(&row[1]))
            })
            .unwrap();
        for (field, head) in row.iter().zip(&devices[0]).skip(4) {
            let metric = metrics.iter().find(|metric| column_of(**metric) == *head).unwrap();
            let value = recording.device(&row[3], *metric).map_or(f64::NAN, |series| series[at]);
            assert!(same(value, number(field)), "{head} of {} is {field}, not {value}", row[3]);
            compared += usize::from(!field.is_empty());
        }
    }
    for (row, at) in rows(&fs::read_to_string(tables.join("cpu.csv")).unwrap())[1..].iter().zip(0..) {
        for (field, metric) in row[3..].iter().zip(record::CpuMetric::ALL) {
            let value = recording.cpu(metric).unwrap()[at];
            assert!(same(value, number(field)), "{metric:?}: {field}, not {value}");
        }
    }
    compared
}

/// Returns the documented column of a metric: its name, then its unit.
fn column_of(metric: Metric) -> String {
    let name = serde_json::to_value(metric).unwrap().as_str().unwrap().to_owned();
    match metric.unit() {
        record::Unit::PerSecond | record::Unit::BytesPerSecond => format!("{name}_per_s"),
        record::Unit::Seconds => format!("{name}_s"),
        record::Unit::Bytes => format!("{name}_bytes"),
        record::Unit::Share if metric == Metric::Busy => "busy_share".to_owned(),
        record::Unit::Share | record::Unit::Count => name,
    }
}

#[test]
fn tables_of_an_import_hold_what_the_run_file_holds() {
    let folder = logs();
    done(&ended(&mut folder.plimsoll(&["import", "@/logs/a.json", "--out", "@/runs"])));
    let file = run_file(&folder.path("runs"));
    let given = ended(&mut folder.plimsoll(&["report", &file, "--csv", "@/tables"]));
    done(&given);
    assert!(
        given.out.contains("devices.csv  6 rows") && given.out.contains("cpu.csv  3 rows"),
        "{}",
        given.out
    );
    assert!(!folder.path("runs/a-2026-11-21.html").exists(), "--csv draws nothing");
    let run = runfile::read(Path::new(&file)).unwrap();
    assert!(equals_the_run_file(&folder.path("tables"), &run) > 60);
    // The same tables come directly from iostat's file.
    done(&ended(&mut folder.plimsoll(&["report", "@/logs/a.json", "--csv", "@/direct"])));
    for table in ["devices.csv", "cpu.csv"] {
        let of = |place: &str| fs::read(folder.path(place).join(table)).unwrap();
        assert_eq!(of("tables"), of("direct"));
    }
}

#[test]
fn tables_of_a_measured_run_hold_what_the_run_file_holds() {
    let folder = Folder::new();
    let mut run = Run::started(vec!["plimsoll".into(), "watch".into()], 1_795_222_457_000);
    for second in 0..6_u64 {
        let disk = |busy: u64| record::DiskCounters {
            reads: second * 7 * busy,
            sectors_read: second * 56 * busy,
            read_ms: second * 3 * busy,
            busy_ms: second * 21,
            ..Default::default()
        };
        let mut disks = vec![("sda".into(), disk(3)), ("dm-0".into(), disk(1))];
        if second == 3 {
            disks.pop();
        }
        let cpu = record::CpuCounters { user: second * 30, idle: second * 70, ..Default::default() };
        run.samples.push(record::Sample {
            at: workload::Nanos::from_secs(second),
            disks,
            cpu,
            ..Default::default()
        });
    }
    run.phases.push(record::Phase {
        name: "load, \"50%\"".into(),
        kind: record::PhaseKind::Command { code: Some(3) },
        from: workload::Nanos::ZERO,
        to: workload::Nanos::from_secs(5),
    });
    run.complete = true;
    let file = folder.path("w.plimsoll");
    runfile::write(runfile::at(&file), &run).unwrap();
    done(&ended(&mut folder.plimsoll(&["report", "@/w.plimsoll", "--csv", "@/tables"])));
    let read = runfile::read(&file).unwrap();
    assert!(equals_the_run_file(&folder.path("tables"), &read) > 60);
    let devices = rows(&fs::read_to_string(folder.path("tables/devices.csv")).unwrap());
    assert_eq!(devices.len(), 1 + 5 + 3, "a device that is gone has no row");
    assert_eq!(devices[1][2], "2026-11-21T00:54:18.000Z");
    let phases = rows(&fs::read_to_string(folder.path("tables/phases.csv")).unwrap());
    assert_eq!(phases[1][3..], ["load, \"50%\"", "command", "", "", "3"]);
}

#[test]
fn tables_of_our_own_load_add_up_to_what_was_counted() {
    let folder = Folder::new();
    let made = ended(&mut folder.plimsoll(&["check", "sim:aws-gp3", "--effort", "brief", "--out", "@/made"]));
    done(&made);
    let file = run_file(&folder.path("made"));
    let given = ended(&mut folder.plimsoll(&["report", &file, "--csv", "@/tables"]));
    done(&given);
    let run = runfile::read(Path::new(&file)).unwrap();
    let table = |name: &str| rows(&fs::read_to_string(folder.path("tables").join(name)).unwrap());
    let counted = |rows: &[Vec<String>], head: &str| -> f64 {
        let place = rows[0].iter().position(|name| name == head).unwrap();
        let places: Vec<usize> =
            ["counted"].iter().filter_map(|name| rows[0].iter().position(|h| h == name)).collect();
        let kept = rows[1..].iter().filter(|row| places.iter().all(|&place| row[place] == "1"));
        kept.map(|row| number(&row[place])).sum()
    };
    let ops: u64 = run
        .steps
        .iter()
        .flat_map(|step| step.intervals.iter().filter(|i| i.counted))
        .map(|interval| workload::Direction::ALL.iter().map(|way| interval.of(*way).tally.ops).sum::<u64>())
        .sum();
    assert!(ops > 0);
    assert!(same(counted(&table("intervals.csv"), "ops"), ops as f64));
    let latency = table("latency.csv");
    let place = latency[0].iter().position(|head| head == "p99_s").unwrap();
    let step = &run.steps[0];
    let way = workload::Direction::ALL.into_iter().find(|way| step.tally(*way).ops > 0).unwrap();
    let p99 = step.latency(way).percentile(99.0).unwrap() as f64 / 1e9;
    assert!(same(number(&latency[1][place]), p99), "{:?}", latency[1]);
    let findings = table("findings.csv");
    assert!(findings.len() > 1 && findings[0].contains(&"sentence".to_owned()));
}

#[test]
fn series_are_named_by_device_and_key_with_stars() {
    let folder = logs();
    let of = |words: &str, format: &str| {
        let given =
            ended(&mut folder.plimsoll(&["report", "@/logs/a.json", "--series", words, "--format", format]));
        done(&given);
        assert!(!folder.path("logs/a.html").exists(), "--series draws nothing");
        given
    };
    let csv = rows(&of("vda:r/s, vda:*_await,cpu:user", "csv").out);
    let heads = [
        "from [s]",
        "to [s]",
        "to [UTC]",
        "vda:r/s [1/s]",
        "vda:r_await [s]",
        "vda:w_await [s]",
        "vda:d_await [s]",
        "vda:f_await [s]",
        "cpu:user [share]",
    ];
    assert_eq!(csv[0], heads);
    assert_eq!(csv.len(), 4);
    let json = of("vda:read_ops_per_s,loop0:r_await", "json").json();
    let series = json["series"].as_array().unwrap();
    assert_eq!(series[0]["name"], "vda:r/s");
    for (value, row) in series[0]["values"].as_array().unwrap().iter().zip(&csv[1..]) {
        assert!(same(value.as_f64().unwrap(), number(&row[3])));
    }
    assert!(
        series[1]["values"].as_array().unwrap().iter().all(serde_json::Value::is_null),
        "a wait of no I/O"
    );
    assert_eq!(json["to_utc"].as_array().unwrap().len(), 3);
    let list = of("list", "text").out;
    assert!(list.lines().any(|line| line.split_whitespace().eq(["vda:rkB/s", "B/s"])), "{list}");
    assert_eq!(rows(&of("*:util", "text").out)[0][3..], ["loop0:util [share]", "vda:util [share]"]);
}

/// The words, the exit code, and the beginning of what stderr says, with `@` for the folder.
type Wrong = (&'static [&'static str], i32, &'static str);

const WRONG: &[Wrong] = &[
    (&["report", "@/none.json"], 2, "@/none.json does not exist; check the name"),
    (&["report", "@/void"], 2, "@/void: no run file and no *.json in this folder"),
    (&["report", "@/foreign"], 2, "@/foreign: no file in it can be drawn; name the files that can"),
    (&["report", "@/empty.json"], 2, "@/empty.json is no run file: it looks like an empty file"),
    (
        &["report", "@/prose.json"],
        2,
        "@/prose.json is no run file of plimsoll, and it holds no result of a known tool",
    ),
    (
        &["report", "@/mpstat.json"],
        2,
        "@/mpstat.json is no run file of plimsoll, and it is JSON as sysstat writes it, but",
    ),
    (
        &["report", "@/boot.json"],
        2,
        "@/boot.json is no run file of plimsoll, and it holds a report of iostat, but of the time",
    ),
    (
        &["report", "@/types.json"],
        2,
        "@/types.json is no run file of plimsoll, and it looks like iostat's JSON, but nothing of it could be read: line 1, column 39: expected a list or an object after \"statistics\":, found '7}]}}'",
    ),
    (
        &["report", "@/zip.json"],
        2,
        "@/zip.json is no run file of plimsoll, and it is a gzip archive; unpack it first",
    ),
    (
        &["report", "@/binary.json"],
        2,
        "@/binary.json is no run file of plimsoll, and it is binary data; give the text, JSON",
    ),
    (&["report", "@/newer.plimsoll"], 2, "@/newer.plimsoll was written by a later version of plimsoll"),
    (
        &["report", "@/a.json", "--series", "vda:r_awiat"],
        2,
        "--series column 1: there is no series 'vda:r_awiat'; did you mean 'vda:r_await'?; --series list",
    ),
    (
        &["report", "@/a.json", "--series", "vda:r/s,vdb:w/s"],
        2,
        "--series column 9: there is no series 'vdb:w/s'; did you mean 'vda:w/s'?",
    ),
    (
        &["report", "@/a.json", "--series", "util"],
        2,
        "--series column 1: 'util' is no series; write DEVICE:METRIC or cpu:METRIC",
    ),
    (&["report", "@/a.json", "--series", "vda:"], 2, "--series column 1: there is no series 'vda:'"),
    (
        &["report", "@/fio.json", "--series", "vda:r/s"],
        2,
        "--series this recording holds no series of a machine",
    ),
    (
        &["report", "@/a.json", "@/b.json", "--series", "cpu:user"],
        2,
        "--series gives one recording's series, and there are 2",
    ),
    (&["report", "@/a.json", "--format", "xml"], 2, "invalid value 'xml' for '--format <FORMAT>'"),
    (&["report", "@/a.json", "--format", "csv"], 2, "--format csv is the form of series"),
    (&["report", "@/a.json", "--csv", "@/empty.json/x"], 1, "--csv @/empty.json/x: cannot be made"),
    (&["report", "@/a.json", "--csv", "/proc/nowhere"], 1, "--csv /proc/nowhere: cannot be made"),
    (
        &["report", "@/a.json", "@/b.json", "--html", "@/one.html"],
        2,
        "--html @/one.html names one file, and there are 2 recordings; name a folder: --html @/one/",
    ),
    (&["report", "@/a.json", "--html", "@/nowhere/x.html"], 1, "@/nowhere/x.html: cannot be written"),
    (&["report", "@/pipe"], 2, "@/pipe: cannot be read: it is a pipe (FIFO)"),
    (&["import", "@/mpstat.json"], 1, "@/mpstat.json: nothing read: it is JSON as sysstat writes it, but"),
    (&["import", "@/none.json"], 2, "@/none.json: cannot be read"),
    (
        &["compare", "@/a.json", "@/b.json"],
        2,
        "@/a.json is iostat's record of a machine, which holds no result to compare",
    ),
];

fn wrong_inputs(folder: &Folder) {
    folder.make_dir("void");
    folder.make_dir("foreign");
    let head = "{\"sysstat\": {\"hosts\": [{\"statistics\": ";
    let boot = format!("{head}[{{\"disk\": [{{\"disk_device\": \"vda\", \"r/s\": 1.00}}]}}]}}]}}}}");
    let mpstat = format!(
        "{head}[{{\"timestamp\": \"00:00:01\", \"cpu-load\": [{{\"cpu\": \"all\", \"usr\": 1.00}}]}}]}}]}}}}"
    );
    let types = format!("{head}7}}]}}}}");
    let fio =
        "{\"jobs\": [{\"jobname\": \"x\", \"read\": {\"iops\": 5.0, \"io_bytes\": 10, \"total_ios\": 1}}]}\n";
    for (name, bytes) in [
        ("foreign/x.json", b"{\"a\": 1}".as_slice()),
        ("empty.json", b""),
        ("prose.json", b"hello\n"),
        ("mpstat.json", mpstat.as_bytes()),
        ("boot.json", boot.as_bytes()),
        ("types.json", types.as_bytes()),
        ("zip.json", b"\x1f\x8b\x08\0\0\0\0\0"),
        ("binary.json", b"\x01\0\0\0\x02\0\0\0"),
        ("fio.json", fio.as_bytes()),
        ("a.json", EXTENDED.as_bytes()),
        ("b.json", CPU.as_bytes()),
    ] {
        fs::write(folder.path(name), bytes).unwrap();
    }
    assert!(run(&["mkfifo", &folder.text("pipe")]));
    let file = folder.path("newer.plimsoll");
    runfile::write(runfile::at(&file), &Run::started(Vec::new(), 0)).unwrap();
    // The user version in the header (sqlite.org/fileformat2.html, 1.3).
    let mut bytes = fs::read(&file).unwrap();
    bytes[60] = 0x70;
    fs::write(&file, bytes).unwrap();
}

#[test]
fn every_wrong_input_is_told_in_its_first_line_and_ends_with_its_code() {
    let folder = Folder::new();
    wrong_inputs(&folder);
    let mut faults = Vec::new();
    for (words, code, says) in WRONG {
        let ended = ended(&mut folder.plimsoll(words));
        let told = ended.complained();
        let here = folder.text(".");
        let wanted = format!("plimsoll: {}", says.replace('@', &here));
        let squeezed: String = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
        // Files of a folder that are passed over are reported before the message.
        let begins =
            told.starts_with(&squeezed) || (told.starts_with("passed over: ") && told.contains(&squeezed));
        if ended.code != Some(*code) || !begins {
            faults.push(format!("{words:?}: {:?}, wanted {code} and {says:?}\n{}", ended.code, ended.err));
        }
        assert!(!ended.err.contains("panicked"), "{words:?} {}", ended.err);
    }
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), WRONG.len(), faults.join("\n"));
}

/// Refused words after `report`, and the messages.
const REFUSED: &[(&[&str], &str)] = &[
    (&["--html", "@/logs/b.json"], "b.json is what is read, and a page would replace it"),
    (&["--html", "@/logs/e.txt"], "e.txt is there already and no page of plimsoll's"),
    (&["--csv", "@/tables", "--html", "@/logs/e.txt"], "e.txt is there already and no page of plimsoll's"),
    (&["--html", "@/page.html", "--device", "vdq"], "--device vdq: no such block device; did you mean vda?"),
    (&["--html", "@/page.html", "--exclude", "*"], "--exclude * leaves no block device to draw"),
    (&["--html", "@/page.html", "--exclude", "zzz"], "--exclude zzz: no such block device"),
    (&["--html", "@/page.html", "--describe", "vdz=x"], "--describe vdz: no such block device"),
];

#[test]
fn a_page_replaces_no_file_but_a_page_and_no_device_is_drawn_that_is_not_there() {
    let folder = logs();
    fs::write(folder.path("logs/b.json"), EXTENDED).unwrap();
    let before = folder.listing();
    let kept = |name: &str| fs::read(folder.path(name)).unwrap();
    let (json, notes) = (kept("logs/b.json"), kept("logs/e.txt"));
    let mut off = Vec::new();
    for (words, message) in REFUSED {
        let ended = ended(&mut folder.plimsoll(&[&["report", "@/logs/b.json"], *words].concat()));
        if ended.code != Some(2) || !ended.complained().contains(message) {
            off.push(format!("{words:?}: {:?}, {}", ended.code, ended.err));
        }
    }
    assert!(off.is_empty(), "{}", off.join("\n"));
    assert_eq!(folder.listing(), before);
    assert_eq!((kept("logs/b.json"), kept("logs/e.txt")), (json, notes));
    let page = ["report", "@/logs/b.json", "--html", "@/page.html", "--device", "vda"];
    done(&ended(&mut folder.plimsoll(&page)));
    done(&ended(&mut folder.plimsoll(&page)));
}

#[test]
fn pictures_are_drawn_beside_series_and_leave_stdout_to_them() {
    let folder = logs();
    let series = ["report", "@/logs/a.json", "--series", "vda:r/s"];
    let alone = ended(&mut folder.plimsoll(&series));
    let drawn = ended(&mut folder.plimsoll(&[&series[..], &["--svg", "@/pictures"]].concat()));
    done(&drawn);
    assert_eq!(drawn.out, alone.out);
    assert!(fs::read_dir(folder.path("pictures")).unwrap().count() > 0, "{}", drawn.err);
    assert!(!folder.path("logs/a.html").exists());
}
