//! Text that has suffered: pages, encodings, cuts, random damage; what is readable is read, and the rest is reported.

use import::{ImportError, Input, read};
use proptest::prelude::*;

use crate::vocabulary::*;

/// Fixtures of every kind, with the names under which they are read.
const WHOLE: [(&str, &str); 9] = [
    ("collapsed.txt", include_str!("fixtures/fio-2-collapsed.txt")),
    ("lost.txt", include_str!("fixtures/fio-2-lost-words.txt")),
    ("page.txt", include_str!("fixtures/page-of-two-providers.txt")),
    ("fio.txt", include_str!("fixtures/fio-3.33.txt")),
    ("fio.terse", include_str!("fixtures/fio-3.33.terse")),
    ("fio.json", include_str!("fixtures/fio-3.33.json")),
    ("a_bw.1.log", "250, 1000, 0, 0, 0\n500, 1200, 1, 0, 0\n750, 900, 0, 0, 0\n"),
    (
        "raw.txt",
        "4 516908 7738 31696163 104760 129227 165482 25330 5 200331452\n2 246934 8099 33174856 1 2 3 4 3 5\n",
    ),
    ("counters.csv", crate::perfmon::TYPEPERF),
];

fn rates(text: &str) -> Vec<f64> {
    let import = imported(text);
    let ways = import.runs.iter().flat_map(|run| &run.reported).flat_map(|part| &part.directions);
    ways.filter_map(|way| Some(way.iops.as_ref()?.value)).collect()
}

#[test]
fn pages_encodings_and_line_ends_change_no_figure() {
    let page = WHOLE[2].1;
    let wanted = rates(page);
    assert_eq!(wanted.len(), 10);
    let escaped = page.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let html = format!(
        "<!DOCTYPE html>\n<html><head><style>a {{ b: c=1 }}</style></head><body><pre>{escaped}</pre></body></html>"
    );
    let broken = format!("<div>{}</div>", escaped.replace('\n', "<br/>\n"));
    let wide: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (what, text) in [
        ("CRLF", page.replace('\n', "\r\n")),
        ("a page", html),
        ("breaks", broken),
        ("no-break blanks", page.replace("  ", "\u{a0} ")),
        ("double spacing", page.replace('\n', "\n\n")),
        ("no indentation", page.lines().map(|line| format!("{}\n", line.trim())).collect()),
    ] {
        assert_eq!(rates(&text), wanted, "{what}");
    }
    let bytes = [&[0xff, 0xfe], wide.as_slice()].concat();
    let import = read(Input { name: "x", bytes: &bytes }, &[]).unwrap();
    assert_eq!(import.runs.len(), 8);
}

#[test]
fn a_page_on_a_single_line_is_read_as_one_on_many() {
    for (_, text) in &WHOLE[..3] {
        let one = text.replace('\n', " ");
        assert_eq!(rates(&one), rates(text), "{one}");
        // Words between the results now stand beside figures: one that looks like a figure may be reported.
        assert!(imported(&one).troubles.len() <= 1, "{:?}", imported(&one).troubles);
    }
}

#[test]
fn a_decimal_comma_is_read_where_it_can_be_nothing_else() {
    let text = "j: (groupid=0, jobs=1): err= 0: pid=1: Fri Apr 20 17:14:19 2018
  read : io=1000KB, bw=7131,2KB/s, iops=1782, runt= 1000msec
    clat (usec): min=2, max=9, avg=167,48, stdev=26,28
     lat (usec): min=2, max=9, avg=1,234, stdev=1,00
";
    let import = imported(text);
    holds(
        &import.runs[0],
        &[
            ("j", "read rate", 7131.2, "KiB/s"),
            ("j", "read clat mean", 167.48, "us"),
            ("j", "read clat stddev", 26.28, "us"),
        ],
    );
    assert_eq!(figure(part(&import.runs[0], "j"), "read lat mean"), None, "1,234 may be either");
    assert_eq!(
        import.troubles[0].to_string(),
        "line 4, column 36: expected a time like 135.46 after 'avg=', found '1,234'"
    );
}

#[test]
fn a_damaged_figure_is_named_with_its_place_and_the_rest_is_read() {
    let text = WHOLE[3].1.replace("IOPS=4000", "IOPS=4x00").replace("sys=0.00%", "sys=O.00%");
    let import = imported(&text);
    let told: Vec<String> = import.troubles.iter().map(ToString::to_string).collect();
    assert_eq!(told[0], "line 9, column 14: expected a number like 33215 after 'IOPS=', found '4x00'");
    assert_eq!(told[1], "line 40, column 33: expected a share like 14.62% after 'sys=', found 'O.00%'");
    holds(&import.runs[0], &[("mixed", "read ops", 152.0, ""), ("reads", "read ops", 400.0, "")]);
}

#[test]
fn a_damaged_label_is_named_too() {
    let import = imported(&WHOLE[3].1.replace("    clat (usec): min=15", "    cl@t (usec): min=15"));
    assert!(
        import.troubles[0].to_string().contains("expected a line of fio's result"),
        "{:?}",
        import.troubles
    );
}

#[test]
fn json_of_the_wrong_kind_has_its_path_and_place() {
    let text = WHOLE[5].1.replacen("\"total_ios\" : 152", "\"total_ios\" : \"many\"", 1);
    let import = imported(&text);
    let told = import.troubles[0].to_string();
    assert!(told.contains("expected a number for jobs[0].read.total_ios, found '\"many\"'"), "{told}");
    let line = text.lines().position(|line| line.contains("many")).unwrap() + 1;
    assert_eq!(import.troubles[0].line as usize, line);
    holds(&import.runs[0], &[("mixed", "read iops", 4000.0, "")]);
}

#[test]
fn json_cut_in_the_middle_keeps_what_came_before() {
    let json = WHOLE[5].1;
    let cut = &json[..json.find("\"jobname\" : \"reads\"").unwrap()];
    let import = imported(cut);
    holds(&import.runs[0], &[("mixed", "read iops", 4000.0, ""), ("mixed", "write ops", 148.0, "")]);
    assert_eq!(import.troubles[0].line as usize, cut.lines().count(), "{:?}", import.troubles);
}

#[test]
fn a_terse_line_that_lost_fields_names_the_field() {
    let import = imported(&WHOLE[4].1.replacen(";377.176980;", ";37x;", 1));
    let told = import.troubles[0].to_string();
    assert!(told.contains("expected a number in field 16") && told.ends_with("found '37x'"), "{told}");
}

#[test]
fn an_input_of_no_known_kind_is_refused_with_the_nearest() {
    for (text, words) in [
        ("hello\n", "known are fio's text"),
        ("  write: IOPS=3 of them\n", "comes nearest to fio's text ('IOPS=' stands in it)"),
        ("[global]\nrw=read\niodepth=4\n", "a fio job file"),
        ("{\"sysstat\": {\"hosts\": []}}", "no report of iostat"),
        ("Device            r/s     rkB/s  %util\n", "iostat's text"),
        ("4+0 records in\n4+0 records out\n", "dd's"),
        ("CrystalDiskMark 8\nSEQ1M Q8T1: 1 MB\n", "CrystalDiskMark's"),
        ("{\"jobs\": [}", "fio's JSON"),
        // A script's table with reads and writes in one row is none of CrystalDiskMark's rows.
        ("Random Read/Write IOPS: 61.2k/48.9k. BW: 498MiB/s / 471MiB/s\n", "known are fio's text"),
        ("", "empty"),
    ] {
        assert!(refused(text).contains(words), "{text}: {}", refused(text));
    }
    let binary = read(Input { name: "x", bytes: b"\x1f\x8b\x08\0\0" }, &[]).unwrap_err();
    assert!(
        matches!(binary, ImportError::NoText { .. }) && binary.to_string().contains("unpack"),
        "{binary}"
    );
}

/// One kind of damage.
#[derive(Clone, Debug)]
enum Damage {
    Delete(usize, usize),
    Swap(usize, usize),
    Cut(usize),
    Byte(usize, u8),
    Huge(usize),
    Twice(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<usize>;
    prop_oneof![
        (at(), 1usize..20).prop_map(|(at, length)| Damage::Delete(at, length)),
        (at(), at()).prop_map(|(a, b)| Damage::Swap(a, b)),
        at().prop_map(Damage::Cut),
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        at().prop_map(Damage::Huge),
        at().prop_map(Damage::Twice),
    ]
}

fn damaged(bytes: &[u8], damage: &Damage) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let length = bytes.len().max(1);
    match damage {
        Damage::Delete(at, count) => drop(bytes.drain(at % length..(at % length + count).min(length))),
        Damage::Cut(at) => bytes.truncate(at % length),
        Damage::Byte(at, byte) => bytes[at % length] = *byte,
        Damage::Huge(at) => {
            let from = at % length;
            if let Some(digit) = bytes[from..].iter().position(u8::is_ascii_digit) {
                let huge = b"99999999999999999999999999".iter().copied();
                bytes.splice(from + digit..=from + digit, huge);
            }
        }
        Damage::Swap(..) | Damage::Twice(_) => {
            let mut lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            let count = lines.len();
            match damage {
                Damage::Swap(a, b) => lines.swap(a % count, b % count),
                Damage::Twice(at) => lines.insert(at % count, lines[at % count].clone()),
                _ => {}
            }
            bytes = lines.join(&b'\n');
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]
    #[test]
    fn damage_never_panics_and_every_trouble_has_its_place(
        which in 0..WHOLE.len() + 3, hurts in proptest::collection::vec(damage(), 1..4),
    ) {
        let (name, text) = match which.checked_sub(WHOLE.len()) {
            None => (WHOLE[which].0, WHOLE[which].1.to_owned()),
            Some(0) => ("diskspd.txt", crate::diskspd::old()),
            Some(1) => ("diskspd.txt", crate::diskspd::new("\t")),
            Some(_) => ("diskspd.xml", crate::diskspd::XML.to_owned()),
        };
        let mut bytes = text.as_bytes().to_vec();
        for hurt in &hurts {
            if !bytes.is_empty() {
                bytes = damaged(&bytes, hurt);
            }
        }
        // A carriage return by itself ends a line too.
        let lines = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").split(['\n', '\r']).count() as u32;
        match read(Input { name, bytes: &bytes }, &[]) {
            Ok(import) => {
                prop_assert!(!import.runs.is_empty());
                for trouble in &import.troubles {
                    prop_assert!(trouble.line >= 1 && trouble.line <= lines && trouble.column >= 1, "{trouble}");
                    prop_assert!(!trouble.expected.is_empty());
                }
                let figures = import.runs.iter().flat_map(|run| &run.reported).flat_map(crate::vocabulary::figures);
                for (path, figure) in figures {
                    prop_assert!(figure.value.is_finite() && figure.step > 0.0, "{path}: {figure:?}");
                }
            }
            Err(error) => prop_assert!(error.to_string().len() > 10),
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(Input { name: "x_bw.1.log", bytes: &bytes }, &[]);
    }

    #[test]
    fn random_words_of_these_tools_never_panic(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..60)) {
        let _ = read(Input { name: "x", bytes: words.concat().as_bytes() }, &[]);
    }
}

/// Fragments that drive every reader into its corners.
const WORDS: &[&str] = &[
    "a: (groupid=0, jobs=1): err= 0: pid=1",
    "read : ",
    "write: ",
    "IOPS=",
    "io=",
    "3.3k",
    "12KB/s",
    ", ",
    "\n",
    " ",
    "(",
    ")",
    "lat (usec)",
    ": ",
    "min=",
    "clat percentiles (msec):",
    "| 1.00th=[",
    "]",
    "bw (KiB/s)",
    "cpu :",
    "usr=1%",
    ">=64=0.0%",
    "issued rwts: total=1,2,3,4",
    "Run status group 0 (all jobs):",
    "READ: bw=1MiB/s (1MB/s), ",
    "1MiB/s-2MiB/s",
    "run=1-2msec",
    "vda: ios=1/2",
    "Disk stats (read/write):",
    "fio-3.1",
    "Starting",
    "fio --name=x",
    "--- . (x) ioping statistics ---",
    "4 KiB <<< . (x): request=1 time=1 us",
    "1 requests completed in 1 s",
    "generated 1 requests in 1 s",
    "min/avg/max/mdev = ",
    "1 us / ",
    "Total IO",
    "Results for timespan 1:",
    "total: 1 | 2 | 3 | 4",
    "%-ile | Read (ms) | Write (ms) | Total (ms)",
    "50th | 1 | N/A | 1",
    "CPU | Usage | User | Kernel | Idle",
    "{\"jobs\":[",
    "{\"jobname\":\"x\",",
    "\"read\":{",
    "}",
    "\"io\":",
    "<Results>",
    "<TimeSpan>",
    "</TimeSpan>",
    "<Thread>",
    "3;fio-3.3;",
    ";1;2;3",
    "\u{a0}",
    "é",
    "—",
    "[",
    "=",
    "99999999999999999999",
    "Jobs: 1 (f=1): [r] [",
    "Description : [",
    "latency : target=0",
    "errors : total=1, first_error=5/<x>",
    "clat prio 1/0/0 (",
    "\"(PDH-CSV 4.0) (UTC)(0)\"",
    ",\"\\\\h\\PhysicalDisk(0 C:)\\Disk Reads/sec\"",
    "\"11/24/2026 10:00:01.123\"",
    ",\"1.5\"",
    ",\"",
    "Linux 6.1.0 (h) \t11/21/26 \t_x86_64_\t(2 CPU)",
    "Device r/s w/s %util",
    "sda 1.00 2.00 3.00",
    "11/21/26 17:43:38",
];

#[test]
fn json_whose_only_report_was_taken_back_gives_an_answer() {
    // A document begins within the first device's row: its bracket, which was taken for a report's, is given
    // back, and a device is left without any report.
    let text = "{1\n{\"disk_device\":\"\":\n{\"sysstat\":";
    let answer = read(Input { name: "x", bytes: text.as_bytes() }, &[]);
    assert!(matches!(answer, Err(ImportError::SinceBoot | ImportError::Unreadable { .. })), "{answer:?}");
}
