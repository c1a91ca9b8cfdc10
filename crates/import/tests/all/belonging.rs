//! What belongs together: logs and their run, prints of one run while it went on.

use import::together;
use record::{Along, Measure, Run};
use workload::Direction;

use crate::vocabulary::*;

const JOB: &str = r#"{ "fio version" : "fio-3.33", "jobs" : [ { "jobname" : "a", "job options" : { "write_bw_log" : "logs/pre" },
  "read" : { "io_bytes" : 4096, "io_kbytes" : 4, "iops" : 1.0, "total_ios" : 1 } } ] }"#;

const BANDWIDTH: &str = "250, 1000, 0, 0, 0\n250, 500, 1, 0, 0\n500, 1200, 0, 0, 0\n";

fn joined(files: &[(&str, &str)]) -> Vec<(String, Vec<Run>)> {
    together(files.iter().map(|(name, text)| ((*name).to_owned(), named(name, text).runs)).collect())
}

#[test]
fn a_log_becomes_a_series_for_each_direction_in_base_units() {
    let import = named("pre_bw.1.log", BANDWIDTH);
    assert_eq!((tools(&import), import.troubles.len()), (vec!["fio logs"], 0));
    let series = &import.runs[0].reported[0].series;
    assert_eq!((series[0].measure, series[0].along), (Measure::BytesPerSecond, Along::Time));
    assert_eq!(series[0].points, [(250_000_000, 1_024_000.0), (500_000_000, 1_228_800.0)]);
    assert_eq!((series[1].direction, series[1].points.len()), (Some(Direction::Write), 1));
    assert!(!lacks(&import.runs[0]).contains(&"a series over time"));
    assert!(lacks(&import.runs[0]).contains(&"totals"));
}

#[test]
fn the_name_alone_tells_what_a_log_holds() {
    for (name, measure) in [
        ("x_iops.1.log", Measure::Iops),
        ("x_lat.1.log", Measure::TotalLatency),
        ("dir/x_clat.2.log", Measure::CompletionLatency),
        ("x_slat.1.log.host", Measure::SubmissionLatency),
    ] {
        assert_eq!(named(name, BANDWIDTH).runs[0].reported[0].series[0].measure, measure, "{name}");
    }
    let message = refused(BANDWIDTH);
    assert!(message.contains("NAME_bw.1.log"), "{message}");
}

#[test]
fn epoch_times_are_dates_and_a_row_an_io_is_no_rate() {
    let dated = named("x_lat.1.log", "1795267275052, 38704, 0, 4096, 0\n");
    assert_eq!(dated.runs[0].reported[0].series[0].along, Along::UnixTime);
    let message = match import::read(
        import::Input { name: "x_iops.1.log", bytes: b"1, 1, 0, 4096, 0\n2, 1, 0, 4096, 0\n" },
        &[],
    ) {
        Ok(import) => panic!("{import:?}"),
        Err(error) => error.to_string(),
    };
    assert!(message.contains("no result"), "{message}");
}

#[test]
fn a_histogram_log_has_the_middles_of_fios_buckets() {
    let mut counts = vec!["0"; 1856];
    (counts[20], counts[200], counts[1855]) = ("3", "5", "1");
    let text = format!("500, 1, 4096, {}\n", counts.join(", "));
    let import = named("a_clat_hist.1.log", &text);
    let series = &import.runs[0].reported[0].series[0];
    assert_eq!(series.histograms.len(), 1);
    // 200 is 64 + 8 of the octave that counts in fours: 288 to 291.
    assert_eq!(series.histograms[0].1, [(20, 3), (290, 5), (17_112_760_320, 1)]);
    let coarse = named("a_clat_hist.1.log", &format!("500, 1, 4096, {}\n", vec!["1"; 464].join(", ")));
    assert_eq!(coarse.runs[0].reported[0].series[0].histograms[0].1.len(), 464);
}

#[test]
fn a_log_goes_to_the_run_whose_job_wrote_it() {
    let files =
        joined(&[("pre_bw.1.log", BANDWIDTH), ("job.json", JOB), ("pre_iops.1.log", "250, 9, 0, 0, 0\n")]);
    assert!(files[0].1.is_empty() && files[2].1.is_empty());
    let run = &files[1].1[0];
    assert_eq!(run.reported[0].series.len(), 3);
    assert!(!lacks(run).contains(&"a series over time"));
}

#[test]
fn logs_without_a_run_are_one_run_by_prefix_and_folder() {
    let files =
        joined(&[("d/x_bw.1.log", BANDWIDTH), ("d/x_iops.1.log", BANDWIDTH), ("e/x_iops.1.log", BANDWIDTH)]);
    assert_eq!(files.iter().map(|(_, runs)| runs.len()).collect::<Vec<_>>(), [1, 0, 1]);
    assert_eq!(files[0].1[0].reported[0].series.len(), 4);
}

/// Returns a print of a run that has run for `ran_ms`, printed `after_ms` after the first.
fn print(ran_ms: u64, after_ms: u64) -> String {
    format!(
        "{{\n \"fio version\" : \"fio-3.33\", \"timestamp_ms\" : {}, \"jobs\" : [ {{ \"jobname\" : \"a\", \"read\" : {{ \
         \"io_bytes\" : {}, \"io_kbytes\" : 1, \"iops\" : 10.0, \"total_ios\" : 1, \"runtime\" : {ran_ms} }} }} ]\n}}\n",
        1_795_267_251_349 + after_ms,
        ran_ms * 1000,
    )
}

#[test]
fn of_the_prints_of_a_run_that_went_on_the_last_counts() {
    let import = imported(&format!("{}{}{}", print(1000, 0), print(2000, 1001), print(3000, 2002)));
    assert_eq!(import.runs.len(), 1);
    assert_eq!(import.runs[0].reported[0].runtime.unwrap().0, 3_000_000_000);
    assert!(import.notes[0].contains("2 earlier prints"), "{:?}", import.notes);
}

#[test]
fn two_runs_of_one_job_in_one_file_stay_two() {
    let import = imported(&format!("{}{}", print(3000, 0), print(3000, 3500)));
    assert_eq!(import.runs.len(), 2);
}
