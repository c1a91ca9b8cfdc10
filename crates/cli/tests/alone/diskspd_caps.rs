//! The two published DiskSpd command lines on a volume that the kernel throttles: the figures equal the cap, and each
//! line of text and XML is right. Needs root and the block controller.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use crate::machine::*;
use volumes::lab::{self, LabVolume};
use workload::Bytes;

/// A quarter of the published machine's write limit of 12,800 IOPS, which a small machine easily sustains.
const CAP: f64 = 3200.0;
const SIZE: Bytes = Bytes::mib(256);
/// Largest accepted difference from the cap, as a share.
const SHARE: f64 = 0.01;
/// Most tries: if the machine lacks CPU, the throttle loses a slice.
const TRIES: usize = 4;

/// The lines as published; sizes and times are shortened below.
const C1: &str = "diskspd -c200G -w100 -b8K -F4 -r -o128 -W30 -d30 -Sh testfile.dat";
const C2: &str = "diskspd -c200G -b4K -F4 -r -o128 -W7200 -d30 -Sh testfile.dat";

fn shortened(line: &str) -> String {
    let words = line.split(' ').skip(1).map(|word| match word {
        "-c200G" => "-c64M",
        "-W30" | "-W7200" => "-W1",
        // A slice of the throttle, 100 ms, belongs to either side of the end of the warm-up: less than `SHARE` of so long.
        "-d30" => "-d12",
        word => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A mounted file system on a throttled volume.
struct Place {
    folder: Folder,
    mount: MountGuard,
    _volume: LabVolume,
    _inside: lab::Inside,
}

impl Place {
    fn new() -> Option<Place> {
        let volume = lab_volume("custom,iops=3200", SIZE)?;
        let inside = lab::enter().unwrap();
        let folder = Folder::in_memory();
        let mount = ext4_at(folder.path("on-volume"), volume.device(), &[])?;
        Some(Place { folder, mount, _volume: volume, _inside: inside })
    }

    fn diskspd(&self, words: &str) -> String {
        let mut command = self.folder.plimsoll(&["diskspd"]);
        let ended = ended(command.args(words.split(' ')).current_dir(self.mount.point()));
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.err);
        ended.out
    }
}

/// Returns the IOPS of a section of the text.
fn iops(out: &str, section: &str) -> f64 {
    let lines = out.lines().skip_while(|line| *line != section);
    let total = lines.skip(1).find(|line| line.starts_with("total:")).unwrap();
    total.split('|').nth(3).unwrap().trim().parse().unwrap()
}

/// Runs a published line until its rate equals the cap, a few times at most.
fn find_the_cap(place: &Place, (name, line, section): (&str, &str, &str), tries: usize) {
    let words = shortened(line);
    let mut found = Vec::new();
    let neighbours = Neighbours::watch();
    for _ in 0..tries {
        let out = place.diskspd(&words);
        every_line_is_right(&out, &words);
        let rate = iops(&out, section);
        assert_eq!(iops(&out, "Total IO"), rate);
        found.push(rate);
        if (rate / CAP - 1.0).abs() <= SHARE {
            return;
        }
    }
    neighbours.excuse_or_fail(format!("{name}: {found:?}, the cap is {CAP}"));
}

#[test]
#[ignore = "night: real seconds of a throttle"]
fn the_published_lines_find_the_cap() {
    let Some(place) = Place::new() else { return };
    find_the_cap(&place, ("C1", C1, "Write IO"), TRIES);
    find_the_cap(&place, ("C2", C2, "Read IO"), TRIES);
    xml_is_right(&place.diskspd(&format!("-L -D -Rxml {}", shortened(C1))));
}

#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn a_published_line_finds_the_cap() {
    let Some(place) = Place::new() else { return };
    find_the_cap(&place, ("C1", C1, "Write IO"), 1);
}

/// Asserts that every line of the text is right and in its order: fixed words as they are, `#` for a number.
fn every_line_is_right(out: &str, words: &str) {
    let writes = words.contains("-w100");
    let (test, block) = if writes { ("write", "8KiB") } else { ("read", "4KiB") };
    let head = format!(
        "\nCommand Line: diskspd {words}\n\nInput parameters:\n\n\ttimespan:   1\n\t-------------\n\tduration: 12s\n\
         \twarm up time: 1s\n\tcool down time: 0s\n\trandom seed: 0\n\tthread pool with 4 threads\n\
         \tnumber of outstanding I/O operations per thread: 0\n\tpath: 'testfile.dat'\n\t\tthink time: 0ms\n\
         \t\tburst size: 0\n\t\tsoftware cache disabled\n\t\thardware write cache disabled, writethrough on\n\
         \t\tperforming {test} test\n\t\tblock size: {block}\n\t\tusing random I/O (alignment: {block})\n\
         \t\tnumber of outstanding I/O operations per thread: 128\n\t\tIO priority: normal\n\nSystem information:\n\n"
    );
    assert!(out.starts_with(&head), "{out}\nshould begin with\n{head}");
    let rest: Vec<&str> = out[head.len()..].lines().collect();
    let at = rest.iter().position(|line| *line == "Results for timespan 1:").unwrap();
    let labels: Vec<&str> = rest[..at].iter().map(|line| line.split(':').next().unwrap().trim()).collect();
    assert_eq!(
        labels,
        [
            "computer name",
            "start time",
            "",
            "cpu count",
            "core count",
            "group count",
            "node count",
            "socket count",
            "heterogeneous cores",
            "",
            "active power scheme",
            ""
        ]
    );
    let rest = &rest[at + 1..];
    assert_eq!(rest[0], "*".repeat(79));
    assert_eq!(rest[1..4], ["", "actual test time:\t12.00s", "thread count:\t\t4"]);
    let tables = rest.iter().position(|line| *line == "Total IO").unwrap();
    let cpu = |line: &&&str| line.matches('%').count() == 4 && line.matches('|').count() >= 4;
    assert!(rest[5..tables].iter().filter(cpu).count() >= 2, "{out}");
    tables_are_right(&rest[tables - 1..]);
}

fn tables_are_right(lines: &[&str]) {
    let border = "-".repeat(78);
    assert_eq!(lines.len(), 3 * 10, "{lines:#?}");
    for (table, title) in lines.chunks(10).zip(["Total IO", "Read IO", "Write IO"]) {
        let header = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file";
        assert_eq!(table[..4], ["", title, header, border.as_str()]);
        let mut sums = [0u64; 2];
        for (thread, row) in table[4..8].iter().enumerate() {
            let cells: Vec<&str> = row.split(" | ").collect();
            assert_eq!(
                (cells.len(), cells[0], cells[5]),
                (6, format!("{thread:6}").as_str(), "testfile.dat (64MiB)")
            );
            assert_eq!([1, 2, 3, 4].map(|at| cells[at].len()), [15, 12, 10, 10], "{row}");
            sums[0] += cells[1].trim().parse::<u64>().unwrap();
            sums[1] += cells[2].trim().parse::<u64>().unwrap();
        }
        assert_eq!(table[8], border);
        assert!(
            table[9].starts_with(&format!("total:   {:15} | {:12} | ", sums[0], sums[1])),
            "{}",
            table[9]
        );
    }
}

fn xml_is_right(out: &str) {
    assert!(out.starts_with("<Results>\n") && out.ends_with("</Results>"), "{out}");
    let number = |name: &str| -> f64 {
        let value = out.split(&format!("<{name}>")).nth(1).and_then(|rest| rest.split('<').next());
        value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no <{name}>"))
    };
    assert_eq!((number("TestTimeSeconds"), number("ThreadCount")), (12.0, 4.0));
    // The series adds up to what the threads did.
    let span = out.split("  </Profile>").nth(1).unwrap();
    let sum = |indent: &str, name: &str| -> f64 {
        let lines =
            span.lines().filter(|line| line.starts_with(indent) && !line.starts_with(&format!("{indent} ")));
        lines
            .filter_map(|line| {
                line.trim().strip_prefix(&format!("<{name}>"))?.split('<').next()?.parse::<f64>().ok()
            })
            .sum()
    };
    let series: f64 = span
        .lines()
        .filter(|line| line.starts_with("      <Bucket SampleMillisecond"))
        .filter_map(|line| line.split(" Total=\"").nth(1)?.split('"').next()?.parse::<f64>().ok())
        .sum();
    let writes = sum("        ", "WriteCount");
    assert!((series - writes).abs() <= 4.0, "{series} {writes}");
    assert_eq!(sum("        ", "WriteBytes"), writes * 8192.0);
    assert_eq!(span.matches("<Percentile>").count(), 108);
    // The queue by Little's law: 512 in flight at the measured rate.
    let mean = number("AverageTotalMilliseconds");
    assert!((mean * writes / 12.0 / 1000.0 / 512.0 - 1.0).abs() < 0.1, "{mean} ms");
}
