//! What other programs put around a result: colours, prefixes of a log's lines, JSON. The figures are those of the bare result.

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
    "2024-03-01T10:11:12.12345?Z 01O ",
    "2024-03-01 10:11:12,12? - INFO - ",
    "[2024-03-01T10:11:12.12?Z] ",
    "Mar  1 10:11:12 host fio[123]: ",
    "20:16:2? DEBUG| [stdout] ",
    "[  123.45678?] ",
    "fio-1  | ",
    "[pod/fio-x7k2/fio] ",
    "fio-1  | 2024-03-01T10:11:12.12345678?Z ",
    "build\tRun fio\t2024-03-01T10:11:12.123456?Z ",
    "> ",
    "> > ",
    ">> ",
    "# ",
    "//  ",
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
    let behind = imported(&prefixed(&damaged, "fio-1  | ")).troubles[0].clone();
    assert_eq!((behind.line, behind.column), (plain.line, plain.column + 9));
    assert_eq!(behind.found, plain.found);
}

#[test]
fn lines_of_other_programs_between_do_no_harm() {
    let mixed = format!("pulling image\ncreated\n{}fio-1 exited with code 0\n", prefixed(FIO, "fio-1  | "));
    assert_eq!(imported(&mixed).runs[0].reported.len(), imported(FIO).runs[0].reported.len());
}

#[test]
fn colours_change_no_figure() {
    let coloured = |text: &str, escape: &str| -> String {
        let word = |word: &str| format!("{escape}[34;1m{word}{escape}[0m");
        let line = |line: &str| {
            let parts: Vec<String> = line
                .split(' ')
                .map(|part| if part.is_empty() { String::new() } else { word(part) })
                .collect();
            parts.join(" ")
        };
        text.lines().map(|text| line(text) + "\n").collect()
    };
    for escape in ["\u{1b}", ""] {
        let found = imported(&coloured(IOSTAT, escape)).runs[0].observed.clone();
        assert_eq!(found, imported(IOSTAT).runs[0].observed, "{escape:?}");
        assert_eq!(
            imported(&coloured(FIO, escape)).runs[0].reported,
            imported(FIO).runs[0].reported,
            "{escape:?}"
        );
    }
}

#[test]
fn json_of_fio_stands_in_other_json() {
    let document: serde_json::Value = serde_json::from_str(JSON).unwrap();
    let wanted = imported(JSON);
    let text = serde_json::Value::String(JSON.to_owned()).to_string();
    for (what, around) in [
        ("a list", format!("[{JSON}]")),
        ("a key", format!("{{\"result\": {{\"data\": {JSON}}}, \"ok\": true}}")),
        ("one line", document.to_string()),
        (
            "a line of a log",
            format!("{{\"level\": \"info\", \"result\": {document}}}\n{{\"level\": \"end\"}}\n"),
        ),
        ("behind words", format!("INFO result: {document}\n")),
        ("as text", format!("{{\"rc\": 0, \"stdout\": {text}}}")),
    ] {
        let found = imported(&around);
        assert_eq!(tools(&found), tools(&wanted), "{what}");
        for (found, wanted) in found.runs[0].reported.iter().zip(&wanted.runs[0].reported) {
            assert_eq!((&found.job, &found.directions), (&wanted.job, &wanted.directions), "{what}");
        }
        assert_eq!(found.troubles, [], "{what}");
    }
}

#[test]
fn jobs_without_the_document_around_them_are_read() {
    let document: serde_json::Value = serde_json::from_str(JSON).unwrap();
    let jobs = document["jobs"].as_array().unwrap();
    let wanted = imported(JSON);
    let one = imported(&jobs[0].to_string());
    assert_eq!(one.runs[0].reported[0].directions, wanted.runs[0].reported[0].directions);
    let several = imported(&serde_json::Value::Array(jobs.clone()).to_string());
    assert_eq!((several.runs.len(), several.runs[0].reported.len()), (1, jobs.len()));
}

#[test]
fn text_of_fio_stands_in_the_lines_of_a_json_log() {
    let wanted = imported(FIO).runs[0].reported.clone();
    for key in ["log", "message", "MESSAGE", "textPayload"] {
        let line = |line: &str| {
            format!("{}\n", serde_json::json!({ "time": "2024-03-01T10:11:12Z", key: format!("{line}\n") }))
        };
        let found = imported(&FIO.lines().map(line).collect::<String>());
        assert_eq!(found.runs[0].reported, wanted, "{key}");
    }
}
