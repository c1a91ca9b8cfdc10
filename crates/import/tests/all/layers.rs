//! What stands before the lines of a result, and colours within them. The figures are those of the bare result.

use crate::vocabulary::*;

const FIO: &str = include_str!("fixtures/fio-3.33.txt");
const JSON: &str = include_str!("fixtures/fio-3.33.json");
const IOSTAT: &str = "Linux 6.1.0 (host) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n\
11/21/26 10:00:00\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           1.00    0.00    2.00    3.00    0.00   94.00\n\n\
Device            r/s     rkB/s  r_await  %util\nvda              1.00      4.00     0.50   1.00\n\n\
11/21/26 10:00:01\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           2.00    0.00    2.00    3.00    0.00   93.00\n\n\
Device            r/s     rkB/s  r_await  %util\nvda              9.00     36.00     0.25   2.00\n\n";

/// What stands before each line; a digit replaces the `?`.
const PREFIXES: &[&str] = &[
    "2024-03-01T10:11:12.1234567?Z ",
    "2024-03-01T10:11:12.123456789+00:00 stdout F ",
    "[2024-03-01T10:11:12.12?Z] ",
    "[  123.45678?] ",
    "> ",
    "> > ",
    ">> ",
    "> 2024-03-01T10:11:12.1234567?Z ",
];

fn prefixed(text: &str, prefix: &str) -> String {
    let line = |(number, line): (usize, &str)| {
        // Services leave out the trailing blanks of an empty line.
        let whole = format!("{}{line}", prefix.replace('?', &(number % 10).to_string()));
        format!("{}\n", whole.trim_end())
    };
    text.lines().enumerate().map(line).collect()
}

#[test]
fn a_prefix_of_every_line_changes_no_figure_of_fio() {
    let wanted = imported(FIO);
    for prefix in PREFIXES {
        println!("{prefix}");
        let found = imported(&prefixed(FIO, prefix));
        assert_eq!(found.troubles, []);
        assert_eq!(found.runs[0].reported, wanted.runs[0].reported);
        assert_eq!(tools(&found), tools(&wanted), "{prefix}");
    }
}

#[test]
fn what_a_log_has_before_each_line_is_no_part_of_a_job_or_a_key() {
    for prefix in [
        "20:16:21,12? process          L0416 DEBUG| [stdout] ",
        "[stdlog] 2024-03-01 10:11:12,12? avocado.utils.process L0416 DEBUG| [stdout] ",
        "10:11:12 - MainThread - tests.utils - INFO - ",
        "Mar  1 10:11:12 host fio[12?]: ",
        "I0301 10:11:12.34567?   1? main.go:12] ",
        "node1 | ",
        "pod-1 fio ",
    ] {
        for text in [FIO, JSON] {
            let found = imported(&prefixed(text, prefix));
            assert_eq!(
                found.runs[0].reported,
                imported(text).runs[0].reported,
                "{prefix}: {:?}",
                found.notes
            );
            assert_eq!(found.troubles, [], "{prefix}");
        }
    }
}

#[test]
fn a_result_below_its_job_or_in_a_comment_is_read_without_what_stands_before_it() {
    let below = FIO.split_once("38msec)\n").unwrap().0.len()
        - "  read: IOPS=4000, BW=15.6MiB/s (16.4MB/s)(608KiB/".len();
    for before in ["20:16:21 DEBUG| [stdout] ", "    # "] {
        let text = prefixed(&FIO[below..], before);
        assert_eq!(
            imported(&text).runs[0].reported.len(),
            imported(&FIO[below..]).runs[0].reported.len(),
            "{before}"
        );
        assert_eq!(imported(&text).troubles, [], "{before}");
    }
}

#[test]
fn a_prefix_of_every_line_changes_no_json() {
    let wanted = imported(JSON);
    for prefix in PREFIXES {
        println!("{prefix}");
        let found = imported(&prefixed(JSON, prefix));
        assert_eq!(
            (&found.troubles, &found.runs[0].reported),
            (&vec![], &wanted.runs[0].reported),
            "{:?}",
            found.notes
        );
    }
}

#[test]
fn a_prefix_of_every_line_changes_no_series_of_iostat() {
    let wanted = imported(IOSTAT).runs[0].observed.clone().unwrap();
    assert_eq!(wanted.intervals.len(), 1, "the first report is since boot");
    for prefix in PREFIXES {
        println!("{prefix}");
        let found = imported(&prefixed(IOSTAT, prefix)).runs[0].observed.clone().unwrap();
        assert_eq!(found, wanted, "{prefix}");
    }
}

#[test]
fn a_trouble_behind_a_prefix_has_the_column_of_the_input() {
    let damaged = FIO.replace("sys=0.00%", "sys=O.00%");
    let plain = imported(&damaged).troubles[0].clone();
    let prefix = "2024-03-01T10:11:12.123456Z ";
    let behind = imported(&prefixed(&damaged, prefix)).troubles[0].clone();
    assert_eq!((behind.line, behind.column), (plain.line, plain.column + prefix.len() as u32));
    assert_eq!(behind.found, plain.found);
}

#[test]
fn lines_of_other_programs_between_do_no_harm() {
    let log = prefixed(FIO, "2024-03-01T10:11:12.1234567?Z ");
    let mixed = format!("pulling image\ncreated\n{log}fio-1 exited with code 0\n");
    assert_eq!(imported(&mixed).runs[0].reported.len(), imported(FIO).runs[0].reported.len());
}

#[test]
fn colours_change_no_figure() {
    let word = |word: &str| format!("\u{1b}[34;1m{word}\u{1b}[0m");
    let part = |part: &str| if part.is_empty() { String::new() } else { word(part) };
    let line = |line: &str| line.split(' ').map(part).collect::<Vec<String>>().join(" ") + "\n";
    let coloured = |text: &str| text.lines().map(line).collect::<String>();
    assert_eq!(imported(&coloured(IOSTAT)).runs[0].observed, imported(IOSTAT).runs[0].observed);
    assert_eq!(imported(&coloured(FIO)).runs[0].reported, imported(FIO).runs[0].reported);
}

#[test]
fn json_of_fio_is_read_on_one_line_and_behind_words() {
    let document: serde_json::Value = serde_json::from_str(JSON).unwrap();
    let wanted = imported(JSON);
    for around in [document.to_string(), format!("INFO result: {document}\n")] {
        let found = imported(&around);
        assert_eq!(tools(&found), tools(&wanted), "{around}");
        for (found, wanted) in found.runs[0].reported.iter().zip(&wanted.runs[0].reported) {
            assert_eq!((&found.job, &found.directions), (&wanted.job, &wanted.directions), "{around}");
        }
        assert_eq!(found.troubles, [], "{around}");
    }
}

#[test]
fn a_job_without_the_document_around_it_is_read() {
    let document: serde_json::Value = serde_json::from_str(JSON).unwrap();
    let one = imported(&document["jobs"][0].to_string());
    assert_eq!(one.runs[0].reported[0].directions, imported(JSON).runs[0].reported[0].directions);
    let notes: Vec<&str> = one.runs[0].events.iter().map(|event| event.text.as_str()).collect();
    assert!(notes.iter().any(|note| note.starts_with("line 1: the document around this job")), "{notes:?}");
}

#[test]
fn a_result_within_other_json_is_refused_by_its_kind() {
    for around in [format!("[{JSON}]"), format!("{{\"result\": {JSON}, \"ok\": true}}")] {
        let words = refused(&around);
        assert!(words.contains("comes nearest to fio's JSON"), "{words}");
    }
}
