//! Pastes whose units, columns, dates or options are easily mistaken.

use crate::vocabulary::*;

/// Returns a table of yabs below the given head, with a row for two block sizes.
fn yabs(head: &str, row: &str) -> String {
    format!(
        "{head}fio Disk Speed Tests (Mixed R/W 50/50) (Partition /dev/vda1):\nBlock Size | 512k (IOPS) | 1m (IOPS)\n{row}\n"
    )
}

#[test]
fn a_megabyte_of_yabs_is_what_its_ios_or_its_version_say() {
    let rate = |text: &str| {
        let import = imported(text);
        let value = figure(part(&import.runs[0], "512k"), "read rate").unwrap().value;
        (value.round() as u64, import.runs[0].events.iter().any(|event| event.text.contains("MB")))
    };
    let new = "Read | 377.66 MB/s (720) | 397.45 MB/s (379)";
    let old = "Read | 436.60 MB/s (852) | 461.00 MB/s (450)";
    let coarse = "Read | 1.05 GB/s (2.0k) | 1.05 GB/s (1.0k)";
    let head = |version: &str| format!("#  Yet-Another-Bench-Script  #\n#      {version}      #\n");
    for version in ["", "v2026-07-24"] {
        assert_eq!(rate(&yabs(&head(version), new)), (377_660_000, false), "{version}");
    }
    assert_eq!(rate(&yabs("", old)), (447_078_400, false));
    assert_eq!(rate(&yabs(&head("v2026-07-03"), coarse)), (1_050_000_000, false));
    assert_eq!(rate(&yabs(&head("v2026-05-19"), coarse)), (1_075_200_000, false));
    assert_eq!(rate(&yabs("", coarse)), (1_075_200_000, true), "nothing shows it, which a note says");
}

#[test]
fn bytes_of_shortened_json_are_bytes_by_the_version_or_by_what_stands_beside() {
    let bytes = |head: &str, beside: &str| {
        let job = format!("{{\"jobname\": \"a\", \"read\": {{\"io_bytes\": 4096, \"iops\": 2.5{beside}}}}}");
        let text = if head.is_empty() { job } else { format!("{{{head} \"jobs\": [{job}]}}") };
        figure(part(&imported(&text).runs[0], "a"), "read bytes").unwrap().value
    };
    for version in ["fio-3.36", "fio-2.21", "fio-3.36-17-gafdde5"] {
        assert_eq!(bytes(&format!("\"fio version\": \"{version}\","), ""), 4096.0, "{version}");
    }
    for version in ["fio-2.20", "fio-2.2.10", "fio-2.1"] {
        assert_eq!(bytes(&format!("\"fio version\": \"{version}\","), ""), 4096.0 * 1024.0, "{version}");
    }
    for beside in [", \"bw_bytes\": 10240", ", \"clat_ns\": {\"mean\": 5}"] {
        assert_eq!(bytes("", beside), 4096.0, "{beside}");
    }
    assert_eq!(bytes("", ""), 4096.0 * 1024.0);
}

#[test]
fn json_without_the_words_of_its_time_is_dated_by_its_timestamp() {
    for key in ["\"timestamp\": 1705123456", "\"timestamp_ms\": 1705123456789"] {
        let text = format!(
            "{{\"fio version\": \"fio-3.36\", {key}, \"jobs\": [{{\"jobname\": \"a\", \"read\": {{\"iops\": 2.5}}}}]}}"
        );
        let run = imported(&text).runs.remove(0);
        let printed = ("printed at".to_owned(), "Sat Jan 13 05:24:16Z 2024".to_owned());
        assert!(part(&run, "a").said.contains(&printed), "{key}: {:?}", part(&run, "a").said);
    }
}
