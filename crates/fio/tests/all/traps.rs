//! What fio silently misreads: an error that says what was meant, and fio's own reading under `--fio-exact`.

use fio::{Amount, JobOptions};

use crate::vocabulary::{line, request};

/// A line of a job file, the column of the wrong word, the line that was probably meant, and what fio makes of it.
struct Trap {
    typed: &'static str,
    column: usize,
    meant: Option<&'static str>,
    /// Prints the option that fio sets.
    seen: fn(&JobOptions) -> String,
    exactly: &'static str,
}

const fn trap(
    typed: &'static str,
    column: usize,
    meant: Option<&'static str>,
    seen: fn(&JobOptions) -> String,
    exactly: &'static str,
) -> Trap {
    Trap { typed, column, meant, seen, exactly }
}

fn bs(o: &JobOptions) -> String {
    format!("{:?}", o.bs)
}

fn size(o: &JobOptions) -> String {
    match o.size {
        Some(Amount::Bytes(bytes)) => bytes.to_string(),
        other => format!("{other:?}"),
    }
}

fn micros(o: &JobOptions) -> String {
    format!("{} us", o.runtime.0 / 1000)
}

/// Exact readings, taken from fio 3.33, which prints them with `--debug=parse`.
#[rustfmt::skip]
const TRAPS: &[Trap] = &[
    trap("bs = 8k", 6, Some("bs=8k"), bs, "[8, 8, 8]"),
    trap("size=1.5g", 7, Some("size=1536m"), size, "1"),
    trap("size=0.5k", 7, Some("size=512"), size, "0"),
    trap("io_size=1.5g", 10, Some("io_size=1536m"), |o| format!("{:?}", o.io_size), "Some(Bytes(1))"),
    trap("rate=1.5m", 7, Some("rate=1536k"), |o| format!("{:?}", o.rate), "[1, 1, 1]"),
    trap("rate=10MB/s", 7, Some("rate=10mb"), |o| format!("{:?}", o.rate), "[10485760, 10485760, 10485760]"),
    trap("runtime=10sec", 10, Some("runtime=10s"), micros, "10 us"),
    trap("runtime=1min", 10, Some("runtime=1m"), micros, "1 us"),
    trap("runtime=2hours", 10, Some("runtime=2h"), micros, "2 us"),
    trap("runtime=1.5s", 10, Some("runtime=1500ms"), micros, "1000000 us"),
    trap("runtime = 10m", 11, Some("runtime=10m"), micros, "10000000 us"),
    trap("runtime=1m30s", 10, Some("runtime=90s"), micros, "1 us"),
    trap("bs=4x", 5, None, bs, "[4, 4, 4]"),
    trap("bs=4kk", 5, None, bs, "[4096, 4096, 4096]"),
    trap("bs=4 k", 5, Some("bs=4k"), bs, "[4, 4, 4]"),
    trap("bs=4k-8k", 5, Some("bs=4k,8k"), bs, "[4096, 8192, 8192]"),
    trap("bs=4k:8k", 5, Some("bs=4k,8k"), bs, "[4096, 8192, 8192]"),
    trap("bs=4k/8k", 5, Some("bs=4k,8k"), bs, "[4096, 4096, 4096]"),
    trap("bs=4k,8k,16k,32k", 5, None, bs, "[4096, 8192, 16384]"),
    trap("bs=0x10k", 5, Some("bs=16384"), bs, "[16, 16, 16]"),
    trap("size=1,5g", 7, None, size, "5368709120"),
    trap("size=-5", 7, None, size, "5"),
    trap("rwmixread=70%", 12, None, |o| o.rwmix_read.to_string(), "0"),
    trap("percentile_list=50,99", 18, Some("percentile_list=50:99"), |o| format!("{:?}", o.percentile_list.values), "[50.0]"),
    trap("bwavgtime=250ms", 12, Some("bwavgtime=250"), |o| (o.bwavgtime.0 / 1_000_000).to_string(), "262144000"),
    trap("direct=1x", 9, None, |o| o.direct.to_string(), "true"),
    trap("filename = /f", 12, Some("filename=/f"), |o| format!("{:?}", o.filename), "Some(\" /f\")"),
    trap("filename=\"/f\"", 11, Some("filename=/f"), |o| format!("{:?}", o.filename), "Some(\"\\\"/f\\\"\")"),
    trap("filename=/f;y", 2, None, |o| format!("{:?}", o.filename), "Some(\"/f\")"),
    trap("filename=/f \\", 2, Some("filename=/f"), |o| format!("{:?}", o.filename), "Some(\"/f \\\\\")"),
    trap("size=4k \\", 2, Some("size=4k"), size, "4096"),
];

fn file(typed: &str) -> String {
    // A leading blank: columns count from the start of the line.
    format!("[job]\nioengine=null\nsize=1g\n {typed}\n")
}

#[test]
fn every_silent_trap_is_an_error_with_its_place_and_the_corrected_line() {
    for trap in TRAPS {
        let error = request(&line("job.fio"), &file(trap.typed)).unwrap_err();
        let said = format!("{error}\n{}", error.hint().unwrap_or_default());
        let place = format!("job.fio, line 4, column {}: ", trap.column);
        assert!(said.contains(&place), "{}: {said}", trap.typed);
        if let Some(meant) = trap.meant {
            assert!(said.trim_end().ends_with(meant), "{}: {said}", trap.typed);
        }
    }
}

#[test]
fn fio_exact_restores_fios_reading_of_every_trap() {
    for trap in TRAPS {
        for words in ["--fio-exact job.fio", "job.fio -fio-exact"] {
            let asked = match request(&line(words), &file(trap.typed)) {
                Ok(fio::Request::Run(asked)) => asked,
                // What fio reads is too small or too large to be run.
                Err(error) if error.to_string().contains("size too small") => continue,
                other => panic!("{}: {other:?}", trap.typed),
            };
            assert_eq!((trap.seen)(&asked.jobs[0].options), trap.exactly, "{}", trap.typed);
        }
    }
}

/// On the command line there is no place, only the option.
#[test]
fn on_the_command_line_a_trap_says_the_option_that_was_meant() {
    for (typed, meant) in [
        ("--size=1.5g", "write --size=1536m"),
        ("-runtime=10sec", "write --runtime=10s"),
        ("--percentile_list=50,99", "write --percentile_list=50:99"),
        ("--bs=4k-8k", "write --bs=4k,8k"),
        ("--blocksize=4k/8k", "write --blocksize=4k,8k"),
        ("--direct=yes", "write --direct=1"),
        ("--rw=randred", "write --rw=randread"),
        ("--rw=READ", "write --rw=read"),
    ] {
        let error = request(&line(&format!("--ioengine=null --size=1m --name=a {typed}")), "").unwrap_err();
        let hint = error.hint().unwrap_or_default();
        assert!(hint.ends_with(meant), "{typed}: {error}: {hint}");
    }
}

/// What fio reads as it is meant is accepted, with the same value in both readings.
#[test]
fn what_fio_reads_rightly_is_accepted_alike() {
    for typed in [
        "bs=8k",
        "bs =8k",
        "bs=4Ki",
        "bs=4K",
        "bs=4kb",
        "bs=0x1000",
        "bs=4096",
        "bs= 4096",
        "bs=4k,8k,",
        "bs=,8k",
        "size=10%",
        "size=10%%",
        "size=1m",
        "size=1G",
        "size=4GiB",
        "runtime= 10s",
        "runtime=5msecs",
        "runtime=1H",
        "numjobs = 4",
        "ioengine = null",
        "thread",
        "thread=0",
        "direct= 1",
        "rate=1m,,",
        "rate_iops=700,300,",
        "percentile_list=50:99%",
        "description = \"two words\"",
        "filename=/a b",
        "filename=/f ; a comment",
        "bs=4k;a comment",
        "bwavgtime=250",
    ] {
        let jobs = |words: &str| match request(&line(words), &file(typed)) {
            Ok(fio::Request::Run(asked)) => asked.jobs,
            other => panic!("{typed}: {other:?}"),
        };
        assert_eq!(jobs("job.fio"), jobs("job.fio --fio-exact"), "{typed}");
    }
}

/// `kib`, `mib` and `gib` are powers of 1000 to fio. Scripts rely on that, and a region of another length measures the same:
/// the reading stays, and a remark says so.
#[test]
fn a_power_of_1000_is_noted_and_kept() {
    let asked = crate::vocabulary::asked_by_file(&file("size=4GiB"));
    assert_eq!(asked.jobs[0].options.size, Some(Amount::Bytes(4_000_000_000)));
    assert!(
        asked.notes[0].contains("4GiB is 4000000000") && asked.notes[0].ends_with("1024"),
        "{:?}",
        asked.notes
    );
}

#[test]
fn a_file_of_an_editor_with_a_byte_order_mark_is_named() {
    let text = "\u{feff}[a]\nioengine=null\nsize=1m\n";
    let said = request(&line("job.fio"), text).unwrap_err().to_string();
    assert!(
        said.starts_with("fio: job.fio, line 1, column 1: ") && said.contains("byte order mark"),
        "{said}"
    );
    let exactly = request(&line("job.fio --fio-exact"), text).unwrap_err().to_string();
    assert_eq!(exactly, "fio: option <\u{feff}[a]> outside of [] job section");
}

/// `thread=` and a typographic dash, which fio refuses too, without saying why.
#[test]
fn what_fio_refuses_without_saying_why_is_explained() {
    for (text, meant) in [
        ("[a]\nthread=\n", "write thread alone, or thread=1"),
        ("[a]\n--size=4k\n", "options of a job file have no dashes; write size=4k"),
        ("[a]\n–size=4k\n", "options of a job file have no dashes; write size=4k"),
        ("[a]\nSIZE=4k\n", "names of options are written in small letters; write size=4k"),
        ("[a]\n\"size\"=4k\n", "nothing may stand around an option; write size=4k"),
        ("[a]\nrw=\"read\"\n", "write rw=read"),
        ("[a]\nrw = read\n", "write rw=read"),
        ("[a]\ndirect=true\n", "write direct=1"),
        ("[a]\niodeth=4\n", "no option is named 'iodeth'; write iodepth=4 if that is meant"),
        (
            "[a]\nfixedbufs=1\nioengine=libaio\nsize=1m\n",
            "an option of the engine io_uring, which this job does not use",
        ),
        ("[a]\nbs=${NOSUCH}\n", "the variable NOSUCH is not set"),
        ("[a\nsize=4k\n", "write [a]"),
        ("[a] x\nsize=4k\n", "write [a]"),
        ("[a]\nioengine=uring\nsize=4k\n", "Did you mean ioengine=io_uring?"),
    ] {
        let error = request(&line("job.fio"), text).unwrap_err();
        let said = format!("{error}\n{}", error.hint().unwrap_or_default());
        assert!(said.contains(meant), "{text}: {said}");
    }
}
