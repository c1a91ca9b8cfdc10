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
