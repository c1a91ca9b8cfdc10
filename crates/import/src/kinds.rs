//! Inputs without a result: binary data, another tool's output, or an unknown kind.

use super::text::Text;
use super::trouble::{ImportError, Trouble};

/// First bytes of data that is not text, its kind, and the remedy.
const BINARY: [(&[u8], &str, &str); 7] = [
    (
        b"SQLite format 3\0",
        "an SQLite database, perhaps a run file",
        "draw a run file with 'plimsoll report'",
    ),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first"),
    (b"BZh", "a bzip2 archive", "unpack it first"),
    (b"\xfd7zXZ", "an xz archive", "unpack it first"),
    (b"PK\x03\x04", "a zip archive", "unpack it first"),
    (b"%PDF", "a PDF", "copy the text of the result into a file"),
];

/// Refuses data that is not text.
pub(crate) fn is_text(bytes: &[u8]) -> Result<(), ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::Empty);
    }
    let known = BINARY.iter().find(|(start, _, _)| bytes.starts_with(start));
    if let Some((_, what, remedy)) = known {
        return Err(ImportError::NoText { what, remedy });
    }
    // UTF-16 has a zero in every second byte of plain text, and never two in a row.
    let head = &bytes[..bytes.len().min(4096)];
    let zeros = head.windows(2).filter(|pair| pair == b"\0\0").count();
    match zeros > 0 {
        true => Err(ImportError::NoText {
            what: "binary data",
            remedy: "give the text, JSON, XML or logs that fio, ioping, DiskSpd or iostat printed",
        }),
        false => Ok(()),
    }
}

/// A kind of input, recognised by its words.
struct Kind {
    name: &'static str,
    marks: &'static [&'static str],
    /// Contents that every result of this kind has, or the remedy if the kind is not supported.
    wants: &'static str,
}

const fn kind(name: &'static str, marks: &'static [&'static str], wants: &'static str) -> Kind {
    Kind { name, marks, wants }
}

/// Supported kinds, then unsupported ones. Of several with as many words in a text, the last is named.
#[rustfmt::skip]
const KINDS: [Kind; 23] = [
    kind("fio's text", &["clat (", "slat (", "clat percentiles (", "iops=", "IOPS=", "(groupid=", "Run status group", "IO depths", "(g=", "): rw=", ", bs=", ", ioengine=", ", iodepth=", "Disk stats (read/write)"],
        "but no line 'NAME: (groupid=0, jobs=1): err= 0: pid=1', with which a job begins"),
    kind("fio's JSON", &["\"jobname\"", "\"fio version\"", "\"clat_ns\"", "\"jobs\"", "\"iops\""],
        "but no document of its own with a list 'jobs' that could be read: take it out of what stands around it"),
    kind("fio's JSON as Python prints it", &["'jobname'", "'fio version'", "'clat_ns'", "'iodepth_level'", "'disk_util'"],
        "which is no JSON: write it with Python's json.dumps"),
    kind("ioping's text", &["ioping", "request=", "min/avg/max/mdev", "requests completed in"],
        "but no line '--- PATH ioping statistics ---' and no request"),
    kind("DiskSpd's text", &["Command Line:", "Input parameters:", "Total IO", "%-ile", "actual test time", "diskspd", "I/O per s", "LatStdDev"],
        "but no line 'Total IO', 'Read IO' or 'Write IO' of its own above a table of it"),
    kind("DiskSpd's XML", &["<Results", "<TimeSpan", "<Profile", "<ThreadCount", "<Target>"],
        "but no '<Results>' with a '<TimeSpan>'"),
    kind("iostat's text", &["avg-cpu:", "%util", "Device", "rkB/s", "tps"],
        "but no report of it covers an interval: give iostat an interval and a count, as in 'iostat -x -t 10 30'"),
    kind("sar's text", &["Average:", "DEV", "rd_sec/s", "rkB/s", "areq-sz"],
        "but no row with a time in front: means alone say nothing of when, so copy the rows above them too"),
    kind("the text of another system's sar", &["avque", "r+w/s", "blks/s", "avwait", "avserv"],
        "which is not read: sar of Linux (sysstat) is"),
    kind("the text of another system's iostat", &["KB/t", "tps", "xfrs", "us sy id", "us sy in id", "kr/s", "kw/s"],
        "which is not read: iostat of Linux (sysstat) is"),
    kind("a CSV of performance counters", &["(PDH-CSV", "(PDH-TSV", "PhysicalDisk(", "Physical Disk "],
        "but no two rows of it below a header '\"(PDH-CSV 4.0)\",\"\\\\HOST\\PhysicalDisk(0 C:)\\Disk Reads/sec\"'"),
    kind("a fio job file", &["[global]", "rw=", "iodepth=", "bs=", "ioengine="],
        "which is no result: run it with 'plimsoll fio FILE'"),
    kind("a plimsoll report", &["\"plimsoll-report\"", "plimsoll: "],
        "which is no other tool's: give its run file to 'plimsoll report'"),
    kind("CrystalDiskMark's text", &["CrystalDiskMark", "SEQ1M", "RND4K"],
        "but no row like 'SEQ 1MiB (Q= 8, T= 1): 3558.093 MB/s [ 3393.3 IOPS]': copy its text, not its table"),
    kind("bonnie++'s", &["Sequential Output", "Sequential Input", "bonnie"], NOT_READ),
    kind("iozone's", &["iozone", "Iozone", "rewrite", "reread"], NOT_READ),
    kind("AS SSD's", &["AS SSD", "4K-64Thrd", "Acc.time"], NOT_READ),
    kind("sysbench's", &["sysbench", "fileio", "fsyncs/s"], "but no rates of a 'fileio' test"),
    kind("hdparm's", &["Timing cached reads", "Timing buffered disk reads"],
        "but no line like 'Timing buffered disk reads: 1178 MB in  3.00 seconds = 392.62 MB/sec'"),
    kind("dd's text", &["records in", "records out", "copied, "],
        "but no line like '4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.0041 s, 1.0 GB/s'"),
    kind("yabs' table", &["yabs", "fio Disk Speed Tests"], "but no table 'Block Size | 4k (IOPS)' with a line for each of its rows"),
    kind("kbench's", &["FIO Benchmark Summary", "IOPS (Read/Write)", "Bandwidth in KiB/sec", "Latency in ns"],
        "which is not read: it sums up results of fio, so save those, ideally as JSON, and import them"),
    kind("pgbench's", &["tps = ", "pgbench", "connections establishing", "initial connection time", "scaling factor", "latency average"],
        "which is not read: it measures a database, and holds no figures of a disk; watch the disk beside it with 'plimsoll watch'"),
];

const NOT_READ: &str = "which is not read: fio, ioping, DiskSpd, CrystalDiskMark, dd, hdparm, sysbench, yabs, kubestr, iostat, sar, esxtop and typeperf are";

/// What avocado writes before the lines of a program.
const AVOCADO: &str = "| [stdout]";

/// Returns the reason why iostat's reports contain no interval; `had` is the number of hosts with reports.
pub(crate) fn no_interval(had: usize, troubles: Vec<Trouble>) -> ImportError {
    match troubles.into_iter().next() {
        _ if had > 0 => ImportError::SinceBoot,
        Some(first) => ImportError::Unreadable { kind: "iostat's JSON".to_owned(), first },
        None => ImportError::OtherSysstat,
    }
}

/// Returns the reason why what a monitoring system recorded contains no series.
pub(crate) fn no_series(troubles: Vec<Trouble>) -> ImportError {
    let kind = "a recording of Prometheus or CloudWatch".to_owned();
    troubles.into_iter().next().map_or(ImportError::Empty, |first| ImportError::Unreadable { kind, first })
}

/// Returns the reason why `text` contains no result: names the nearest kind, by the number of its words in the
/// text.
pub(crate) fn nothing(text: &Text, troubles: Vec<Trouble>) -> ImportError {
    let holds = |mark: &str| text.plain.contains(mark);
    if holds(AVOCADO) {
        let nearest = format!(
            "it is a log of avocado ('{AVOCADO}' stands in it): take that off with \"cut -d']' -f2-\""
        );
        return ImportError::Unknown { nearest };
    }
    let ranked = KINDS.iter().map(|kind| (kind, kind.marks.iter().filter(|mark| holds(mark)).count()));
    let best = ranked.filter(|(_, count)| *count > 0).max_by_key(|(_, count)| *count);
    match (best, troubles.into_iter().next()) {
        (Some((kind, _)), Some(first)) => ImportError::Unreadable { kind: kind.name.to_owned(), first },
        (None, Some(first)) => {
            ImportError::Unreadable { kind: "a log, raw statistics or rows of a table".to_owned(), first }
        }
        (Some((kind, _)), None) => {
            let mark = kind.marks.iter().find(|mark| holds(mark)).copied().unwrap_or_default();
            let mark = mark.trim_matches([' ', '\'']);
            let nearest =
                format!("it comes nearest to {} ('{mark}' stands in it), {}", kind.name, kind.wants);
            ImportError::Unknown { nearest }
        }
        (None, None) => ImportError::Unknown { nearest: known() },
    }
}

fn known() -> String {
    "known are fio's text, terse lines, JSON and logs, ioping's text, raw statistics and JSON, DiskSpd's text and XML, the text \
     of iostat, sar and sadf and their JSON and XML, the CSV of esxtop and typeperf, snapshots of /proc/diskstats, the JSON and \
     scrapes of Prometheus, the JSON of CloudWatch, and the text of CrystalDiskMark, dd, hdparm, \
     sysbench, yabs and kubestr"
        .to_owned()
}
