//! Refusals: fio's own words where fio has any, and what plimsoll adds.

use fio::{FioError, steps};

use crate::vocabulary::{asked, disk, line, planned, refused, refused_file, request};

/// Command line, and what goes to stderr. The real fio printed these texts.
const COMMAND_LINES: &[(&str, &str)] = &[
    ("fio --bogus=3 --name=a", "fio: unrecognized option '--bogus=3'\nfio: unrecognized option '--bogus=3'"),
    (
        "fio --name=a --iodepht=3",
        "fio: unrecognized option '--iodepht=3'\nfio: unrecognized option '--iodepht=3'\nDid you mean iodepth?",
    ),
    (
        "fio --name=a --size",
        "fio: option '--size' requires an argument\nfio: unrecognized option '--size'\nDid you mean size?",
    ),
    ("fio --name=a --rw=foo", "fio: failed parsing rw=foo"),
    ("fio --name=a --readwrite=foo", "fio: failed parsing readwrite=foo"),
    ("fio --name=a --ioengine=nope --size=1m", "fio: engine nope not loadable\nfio: failed to load engine"),
    ("fio --output-format=xml --name=a", "fio: invalid output format xml\nfio: failed parsing output-format"),
    (
        "fio --name=a --ioengine=null --size=1m --bs=2m",
        "fio: size too small, must not be less than minimum block size: 1048576 < 2097152",
    ),
    (
        "fio --name=a --ioengine=null --size=1m --rate=1m --rate_iops=3",
        "fio: rate and rate_iops are mutually exclusive",
    ),
    ("fio --rw=read", "No job(s) defined\n"),
    ("fio x.fio", "fio: unable to open 'x.fio' job file"),
    ("fio --name=a --direct=2", "max value out of range: 2 (1 max)\nfio: failed parsing direct=2"),
    ("fio --name=a --direct=yes", "fio: failed parsing direct=yes"),
    ("fio --name=a --iodepth=0", "iodepth: min value out of range: 0 (1 min)\nfio: failed parsing iodepth=0"),
    (
        "fio --name=a --rwmixread=101",
        "rwmixread: max value out of range: 101 (100 max)\nfio: failed parsing rwmixread=101",
    ),
    ("fio --name=a --filename=", "fio: option filename requires an argument"),
    (
        "fio --readonly --name=a --ioengine=null --size=4k --rw=write",
        "fio: trim and write operations are not allowed with the --readonly parameter.",
    ),
    (
        "fio --name=a --ioengine=null --size=1m --fixedbufs=1",
        "fio: unrecognized option '--fixedbufs=1'\nfio: unrecognized option '--fixedbufs=1'",
    ),
    (
        "fio --name=a --ioengine=null --size=1m --cpus_allowed=99",
        "fio: CPU 99 too large (max=63)\nfio: failed parsing cpus_allowed=99",
    ),
];

#[test]
fn the_command_line_is_refused_in_fios_words() {
    for (words, text) in COMMAND_LINES {
        let error = refused(words);
        assert_eq!(error.to_string(), *text, "{words}");
        assert_eq!(error.exit_code(), 1, "{words}");
    }
}

/// Job file, what goes to stderr, and the place that plimsoll adds.
const JOB_FILES: &[(&str, &str, &str)] = &[
    ("[a]\nnosuch=1\n", "Bad option <nosuch=1>\nfio: job a dropped", "job.fio, line 2, column 1"),
    (
        "[a]\n  iodeth=1\n",
        "Bad option <iodeth=1>\nDid you mean iodepth?\nfio: job a dropped",
        "job.fio, line 2, column 3",
    ),
    ("[a]\nSIZE=4k\n", "Bad option <SIZE=4k>\nfio: job a dropped", "line 2"),
    ("[a]\n--size=4k\n", "Bad option <--size=4k>\nDid you mean size?\nfio: job a dropped", "line 2"),
    ("size=1m\n[a]\n", "fio: option <size=1m> outside of [] job section", "line 1"),
    ("[a]\nrw=foo\n", "fio: failed parsing rw=foo\nfio: job a dropped", ""),
    (
        "[a]\nsize\n",
        "Option size requires an argument\nfio: failed parsing size\nfio: job a dropped",
        "line 2",
    ),
    ("[global]\nsize=1m\n", "No job(s) defined\n", ""),
];

#[test]
fn a_job_file_is_refused_in_fios_words_with_its_place() {
    for (text, stderr, place) in JOB_FILES {
        let error = refused_file(text);
        assert_eq!(error.to_string(), *stderr, "{text}");
        let hint = error.hint().unwrap_or_default();
        assert!(hint.contains(place), "{text}: hint '{hint}'");
    }
}

/// fio prints two lines for each clone, and its exit code counts the clones.
#[test]
fn every_clone_without_a_size_is_named_and_counted() {
    let words = "fio --filename=/f --numjobs=2 --name=a --name=b --size=1m";
    let error = planned(words, &[]).unwrap_err();
    assert_eq!(error.to_string().matches("a: you need to specify size=\n").count(), 2, "{error}");
    let unrunnable = steps(&asked(words), &disk(&[])).unwrap().unrunnable;
    assert_eq!((error.exit_code(), error.errno()), (2, 22));
    assert_eq!(unrunnable.iter().map(|one| one.jobs.as_slice()).collect::<Vec<_>>(), [[0, 1]]);
    let hint = error.hint().unwrap_or_default();
    assert!(hint.ends_with("fio --size=1g --filename=/f --numjobs=2 --name=a --name=b --size=1m"), "{hint}");
}

/// With a size, a regular file with the name of a device would be created.
#[test]
fn a_device_that_is_not_there_is_no_matter_of_size() {
    let error = planned("fio --filename=/dev/nosuch --name=a", &[]).unwrap_err();
    assert!(error.to_string().starts_with("a: you need to specify size="), "{error}");
    let hint = error.hint().unwrap_or_default();
    assert!(hint.starts_with("There is no device /dev/nosuch") && !hint.contains("--size"), "{hint}");
}

#[test]
fn valid_words_go_to_stdout_as_fio_lists_them() {
    let stdout = refused("fio --name=a --rw=foo").stdout();
    assert!(stdout.starts_with("        valid values: read       "), "{stdout}");
    assert!(stdout.contains("\n                    : randrw     "), "{stdout}");
    assert!(
        refused("fio --name=a --ioengine=nope").stdout().contains("error=nope: cannot open shared object")
    );
    assert!(refused("fio").stdout().starts_with("fio-3.42\nfio [options]"));
}

#[test]
fn a_line_pasted_from_a_web_page_says_what_is_wrong_with_it() {
    for (words, remedy) in [
        ("fio –randrepeat=1 --name=test", "write --randrepeat=1"),
        ("1. fio --filename=/f", "number of a list"),
        ("fio --name=a \\ --direct=1", "backslash"),
    ] {
        let text = refused(words).to_string();
        assert!(text.contains(remedy), "{words}: {text}");
    }
}

#[test]
fn a_prefix_of_several_options_is_ambiguous_and_one_of_a_single_option_is_not() {
    let text = refused("fio --iodep=4 --name=a").to_string();
    assert!(text.starts_with("fio: option '--iodep=4' is ambiguous; possibilities: '--iodepth'"), "{text}");
    assert!(text.ends_with("Did you mean iodepth?"), "{text}");
    assert_eq!(asked("fio --iodepth_batch_s=2 --ioengine=null --size=1m --name=a").jobs.len(), 1);
}

#[test]
fn what_is_not_honoured_is_refused_by_name() {
    for (words, named) in [
        ("--zonemode=zbd", "zonemode=zbd"),
        ("--ioengine=splice", "ioengine=splice"),
        ("--ioengine=io_uring --md_per_io_size=8", "md_per_io_size"),
        ("--rw=write --verify_only", "verify_only without verify"),
        ("--rw=write --verify_offset=39", "verify_offset below 40"),
        ("--trigger-timeout=3", "--trigger-timeout"),
        ("--fsync=1 --fdatasync=1", "fsync together with fdatasync"),
    ] {
        let text = refused(&format!("fio --ioengine=null --size=1m --name=a {words}")).to_string();
        assert!(text.contains(named) && text.contains("not supported"), "{words}: {text}");
    }
}

/// fio's message stays, and plimsoll adds the command line that would do.
#[test]
fn a_missing_size_is_named_with_the_command_that_would_do() {
    let error = planned("fio --filename=/no/such --rw=randread --name=a", &[]).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("a: you need to specify size=\nfio: pid=0, err=22/file:filesetup.c:"), "{text}");
    assert!(text.ends_with(", func=total_file_size, error=Invalid argument"), "{text}");
    assert!(error.is_of_a_job());
    let hint = error.hint().unwrap();
    assert!(hint.contains("fio --size=1g --filename=/no/such --rw=randread --name=a"), "{hint}");
    assert!(matches!(planned("fio --ioengine=null --name=a", &[]), Err(FioError::NeedSize { .. })));
}

#[test]
fn jobs_of_a_group_must_agree_on_what_is_reported() {
    let text =
        refused("fio --ioengine=null --size=1m --group_reporting --name=x --name=y --lat_percentiles=1")
            .to_string();
    assert_eq!(text, "fio: lat_percentiles in job: y differs from group");
}

#[test]
fn a_job_waits_only_for_one_that_stands_before_it() {
    let why = |words: &str| {
        let words = format!("fio --ioengine=null --size=1m {words}");
        planned(&words, &[]).unwrap_err().to_string()
    };
    for words in
        ["--name=a --wait_for=b --name=b", "--name=a --wait_for=a", "--name=a --wait_for=a --numjobs=2"]
    {
        let text = why(words);
        assert!(text.contains("wait_for=") && text.contains("stands before"), "{words}: {text}");
    }
}

#[test]
fn times_and_errors_that_make_no_sense_are_named() {
    for (words, meant) in [
        ("--startdelay=5:2", "ends before it begins"),
        ("--startdelay=5x", "5x"),
        ("--ignore_error=ENOSPACE", "ENOSPACE"),
        ("--ignore_error=EIO,EIO,EIO,EIO", "3"),
        ("--exit_what=everything", "everything"),
        ("--thinktime_blocks_type=done", "done"),
    ] {
        let error = refused(&format!("fio --ioengine=null --size=1m --name=x {words}"));
        let text = format!("{error} {}", error.hint().unwrap_or_default());
        assert!(text.contains(meant), "{words}: {text}");
    }
}

#[test]
fn what_is_said_never_depends_on_the_position_of_the_wrong_word() {
    for words in ["fio --name=a --rw=foo --size=1m", "fio --rw=foo --name=a --size=1m"] {
        assert_eq!(request(&line(words), "").unwrap_err().to_string(), "fio: failed parsing rw=foo");
    }
}

#[test]
fn more_jobs_than_fio_takes_are_refused_before_they_are_made() {
    // A few kilobytes of text would ask for gigabytes: each section alone keeps to the limit of numjobs.
    let sections: String = (0..1_000).map(|number| format!("[job {number}]\n")).collect();
    let error = refused_file(&format!("[global]\nioengine=null\nsize=1m\nnumjobs=4096\n{sections}"));
    assert!(error.to_string().contains("more than 4096 jobs in all"), "{error}");
    let all = refused_file(&format!("[global]\nioengine=null\nsize=1m\n{}", "[a]\n".repeat(4_097)));
    assert!(all.to_string().contains("more than 4096 jobs in all"), "{all}");
}
