//! Log files of a fio run: names, columns and sums beside those of the real fio, and what is left when a run is cut off.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::Path;
use std::time::Duration;

use crate::machine::*;

/// A paced mix, so that rows are alike whatever else the machine does.
const JOB: &str = "--name=j --filename=F --size=4m --rw=randrw --bs=4k --direct=1 --ioengine=libaio --iodepth=4 \
                   --rate_iops=300,300 --runtime=2 --time_based";

/// Options for logs, in which every row must have as many columns as the real fio's.
const LOGS: [&str; 8] = [
    "--write_bw_log=L --write_iops_log=L --write_lat_log=L",
    "--write_bw_log=L --write_iops_log=L --write_lat_log=L --log_avg_msec=500",
    "--write_lat_log=L --log_offset=1",
    "--write_lat_log=L --log_offset=1 --log_prio=1 --write_bw_log=M",
    "--write_lat_log=L --log_avg_msec=500 --log_max_value=1",
    "--write_hist_log=L --log_hist_msec=500 --log_hist_coarseness=4",
    "--write_lat_log=L --log_unix_epoch=1",
    "--write_lat_log=L --write_iops_log=L --per_job_logs=0 --numjobs=2 --log_avg_msec=500",
];

/// Returns the logs in `place` with their rows, sorted by name.
fn logs(place: &Path) -> Vec<(String, Vec<Vec<String>>)> {
    let entries = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    let mut logs: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "log"))
        .map(|path| {
            let rows = std::fs::read_to_string(&path).unwrap();
            let cells = |line: &str| line.split(", ").map(str::to_owned).collect();
            (text(Path::new(path.file_name().unwrap())), rows.lines().map(cells).collect())
        })
        .collect();
    logs.sort();
    logs
}

#[test]
#[ignore = "night: half a minute of runs"]
fn logs_have_fios_names_and_columns_and_about_its_rows() {
    let Some(peers) = Peers::find() else { return };
    for words in LOGS {
        let words = format!("{words} {JOB}");
        let [theirs, ours] = [Who::Real, Who::Link].map(|who| {
            let ended = peers.run(who, &words);
            assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{words}");
            logs(&peers.folder.path(&format!("{who:?}")))
        });
        assert_eq!(names(&theirs), names(&ours), "{words}");
        for ((name, theirs), (_, ours)) in theirs.iter().zip(&ours) {
            assert_alike(theirs, ours, &format!("{words}: {name}"));
        }
    }
}

fn names(logs: &[(String, Vec<Vec<String>>)]) -> Vec<&String> {
    logs.iter().map(|(name, _)| name).collect()
}

fn assert_alike(theirs: &[Vec<String>], ours: &[Vec<String>], what: &str) {
    let widths = |rows: &[Vec<String>]| {
        let mut widths: Vec<usize> = rows.iter().map(Vec::len).collect();
        widths.sort_unstable();
        widths.dedup();
        widths
    };
    assert_eq!(widths(theirs), widths(ours), "{what}");
    // The older fio leaves out the last window of rates, and each tool may round the run up to another row.
    let (fewest, most) = (theirs.len() * 3 / 4, theirs.len() * 3 / 2 + 2);
    assert!((fewest..=most).contains(&ours.len()), "{what}: {} rows, fio {}", ours.len(), theirs.len());
    for row in ours {
        let hex = |cell: &str| cell.starts_with("0x");
        assert!(row.iter().all(|cell| hex(cell) || cell.parse::<u64>().is_ok()), "{what}: {row:?}");
    }
    let prefix = |rows: &[Vec<String>]| rows.first().map(|row| row[0].len() > 10);
    assert_eq!(prefix(theirs), prefix(ours), "{what}: since 1970 or not");
}

fn sum(rows: &[Vec<String>], column: usize) -> u64 {
    rows.iter().map(|row| row[column].parse::<u64>().unwrap()).sum()
}

/// Nothing is lost between the I/O and the file.
#[test]
fn every_io_has_its_row_and_its_place_in_the_histograms() {
    let peers = Peers::alone();
    let words = format!(
        "{JOB} --output-format=json --write_iops_log --write_lat_log=L --write_hist_log=L --log_hist_msec=300"
    );
    let document = peers.run(Who::Link, &words).json();
    let job = &document["jobs"][0];
    let way = |way: &str| job[way]["total_ios"].as_u64().unwrap();
    let total = way("read") + way("write");
    let place = peers.folder.path("Link");
    let logs = logs(&place);
    let rows = |name: &str| &logs.iter().find(|(known, _)| known == name).unwrap().1;
    assert_eq!(rows("j_iops.1.log").len() as u64, total, "a bare option takes the name of the job");
    assert_eq!(rows("L_lat.1.log").len() as u64, total);
    let histograms = rows("L_clat_hist.1.log");
    assert!(histograms.iter().all(|row| row.len() == 3 + 1856));
    let counts = histograms.iter().flat_map(|row| &row[3..]);
    let counted: u64 = counts.map(|count| count.parse::<u64>().unwrap()).sum();
    assert_eq!(counted, total);
    let [slat, clat, lat] = ["slat", "clat", "lat"].map(|kind| sum(rows(&format!("L_{kind}.1.log")), 1));
    assert_eq!(slat + clat, lat);
    let means: f64 = ["read", "write"]
        .iter()
        .map(|way| job[way]["lat_ns"]["mean"].as_f64().unwrap() * job[way]["total_ios"].as_f64().unwrap())
        .sum();
    assert!((means - lat as f64).abs() <= means * 1e-6 + 1.0, "{means} {lat}");
}

/// The null engine is faster than rows can be written: the job waits for them, as in fio.
#[test]
fn each_io_has_its_row_however_fast_the_engine_is() {
    let Some(peers) = Peers::find() else { return };
    let words = "--name=a --ioengine=null --size=4m --rw=randread --norandommap --number_ios=300000 \
                 --io_size=100g --write_lat_log=l --output-format=json";
    for who in [Who::Real, Who::Link] {
        let ended = peers.run(who, words);
        assert_eq!(ended.json()["jobs"][0]["read"]["total_ios"], 300_000, "{who:?}");
        let rows = std::fs::read_to_string(peers.folder.path(&format!("{who:?}/l_clat.1.log"))).unwrap();
        assert_eq!(rows.lines().count(), 300_000, "{who:?}");
    }
}

/// What a verified job reads back once everything is written has its rows, as what it reads back meanwhile.
#[test]
fn what_is_read_back_has_its_rows_as_in_the_real_fio() {
    let Some(peers) = Peers::find() else { return };
    let job = "--name=w --filename=g --size=1m --bs=64k --rw=write --verify=md5 --write_lat_log=v \
               --write_bw_log=v --write_iops_log=v";
    for words in ["", "--verify_backlog=4"] {
        let [real, ours] = [Who::Real, Who::Link].map(|who| {
            let ended = peers.run(who, &format!("{job} {words}"));
            assert_eq!(ended.code, Some(0), "{who:?}: {}", ended.err);
            let rows = |rows: &[Vec<String>], way| rows.iter().filter(|row| row[2] == way).count();
            let of = |(name, log): (String, Vec<Vec<String>>)| (name, rows(&log, "0"), rows(&log, "1"));
            logs(&peers.folder.path(&format!("{who:?}"))).into_iter().map(of).collect::<Vec<_>>()
        });
        assert_eq!(real, ours, "{words}");
        assert_eq!(real[0], ("v_bw.1.log".to_owned(), 16, 16), "{words}");
    }
}

/// The time in which a job reads back what it has written is no stall of its writes.
#[test]
fn a_job_that_reads_back_has_no_rows_of_writes_that_stall() {
    let peers = Peers::alone();
    let words = "--name=w --filename=g --size=4m --bs=64k --rw=write --verify=md5 --write_iops_log=v \
                 --log_avg_msec=1";
    let ended = peers.run(Who::Link, words);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let log = &logs(&peers.folder.path("Link"))[0].1;
    let ways: Vec<&str> = log.iter().map(|row| row[2].as_str()).collect();
    let first_read = ways.iter().position(|way| *way == "0").unwrap();
    assert_ne!(log[first_read][1], "0", "{log:?}");
    assert!(ways[first_read..].iter().filter(|way| **way == "1").count() <= 1, "{log:?}");
}

/// fio leaves out windows in which nothing was done, so that the mean over its rows is the rate of a volume that
/// never stalled.
#[test]
#[ignore = "night: seconds of both"]
fn a_stall_is_rows_of_zero_that_fio_leaves_out() {
    let peers = Peers::alone();
    // Two I/Os a second, and windows of 100 ms.
    let words = "--name=s --ioengine=null --size=1m --rate_iops=2 --time_based --runtime=2 --write_iops_log=L \
                 --write_lat_log=L --log_avg_msec=100";
    peers.run(Who::Link, words);
    let logs = logs(&peers.folder.path("Link"));
    let rows = |name: &str| &logs.iter().find(|(known, _)| known == name).unwrap().1;
    let iops = rows("L_iops.1.log");
    let zeros = iops.iter().filter(|row| row[1] == "0").count();
    assert!(zeros > 10, "{iops:?}");
    assert!(rows("L_lat.1.log").len() <= iops.len() - zeros, "no latency where nothing was done");
    let times: Vec<u64> = iops.iter().map(|row| row[0].parse().unwrap()).collect();
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    peers.run(Who::Link, &format!("--fio-exact {words}"));
    let exact = self::logs(&peers.folder.path("Link"));
    let rows = &exact.iter().find(|(known, _)| known == "L_iops.1.log").unwrap().1;
    assert!(!rows.is_empty() && rows.iter().all(|row| row[1] != "0"), "{rows:?}");
}

#[test]
#[ignore = "night: a signal after real seconds"]
fn what_was_logged_stays_when_the_run_is_cut_off() {
    let peers = Peers::alone();
    let words =
        "--name=c --ioengine=null --size=1m --rate_iops=1000 --time_based --runtime=60 --write_iops_log=L";
    for (name, signal) in [("interrupted", "INT"), ("killed", "KILL")] {
        let place = peers.folder.make_dir(name);
        let running = Running::start(&mut peers.command(&place, Who::Link, words));
        std::thread::sleep(Duration::from_millis(1800));
        running.signal(signal);
        running.wait();
        let logs = logs(&place);
        assert!(logs[0].1.len() > 500, "{name}: {} rows", logs[0].1.len());
    }
}

#[test]
#[ignore = "night: seconds of both"]
fn logs_of_all_jobs_together_count_every_byte() {
    let peers = Peers::alone();
    let words =
        "--bandwidth-log --name=a --ioengine=null --size=1g --rate=10m --time_based --runtime=2 --numjobs=2";
    peers.run(Who::Link, words);
    let logs = logs(&peers.folder.path("Link"));
    assert_eq!(names(&logs), ["agg-read_bw.log", "agg-trim_bw.log", "agg-write_bw.log"]);
    let rows = &logs[0].1;
    // Two clones of 10 MiB/s, in KiB/s.
    assert!(rows.len() >= 3 && rows.iter().all(|row| row.len() == 5), "{rows:?}");
    let mean = sum(rows, 1) / rows.len() as u64;
    assert!(mean.abs_diff(20_480) < 300, "{rows:?}");
}

#[test]
fn a_log_that_cannot_be_made_is_named_before_anything_runs() {
    let peers = Peers::alone();
    let words = "--name=a --ioengine=null --size=1m --write_bw_log=no/such/place";
    let ended = peers.run(Who::Link, words);
    assert_eq!(ended.code, Some(1), "{}", ended.out);
    assert!(ended.err.contains("no/such/place_bw.1.log"), "{}", ended.err);
}
