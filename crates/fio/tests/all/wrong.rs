//! Wrong input of every kind: what is said, the place, and the exit code.

use crate::vocabulary::{line, request};

/// A wrong job file, the place of the wrong word (line and column), and a word of the remedy.
pub const FILES: &[(&str, (usize, usize), &str)] = &[
    ("size=4k\n", (1, 1), "write a section such as [job1] above it"),
    ("[a\n", (1, 1), "write [a]"),
    ("[a]b\n", (1, 1), "write [a]"),
    ("\u{feff}[a]\n", (1, 1), "byte order mark"),
    ("[a]\n  nosuch=1\n", (2, 3), "no option is named 'nosuch'"),
    ("[a]\n\tblok_size=4k\n", (2, 2), "write blocksize=4k"),
    ("[a]\nSize=4k\n", (2, 1), "write size=4k"),
    ("[a]\n--bs=4k\n", (2, 1), "write bs=4k"),
    ("[a]\n–bs=4k\n", (2, 1), "write bs=4k"),
    ("[a]\nsize\n", (2, 1), "write size="),
    ("[a]\nsize=\n", (2, 1), "write size="),
    ("[a]\nthread=\n", (2, 1), "write thread alone"),
    ("[a]\nsize=big\n", (2, 6), "does not start with a number"),
    ("[a]\nsize=4 gb\n", (2, 6), "write size=4gb"),
    ("[a]\nsize=1.5g\n", (2, 6), "write size=1536m"),
    ("[a]\nsize=110%\n", (2, 6), "100 max"),
    ("[a]\nsize=99999999999g\n", (2, 6), "out of range"),
    ("[a]\nsize=-1\n", (2, 6), "negative"),
    ("[a]\nbs=0\n", (2, 4), "1 min"),
    ("[a]\nbs=4k,1.5k\n", (2, 7), "write bs=4k,1536"),
    ("[a]\nbs=4k-8k\n", (2, 4), "write bs=4k,8k"),
    ("[a]\nbs=1k,2k,3k,4k\n", (2, 4), "more than 3 values"),
    ("[a]\nbssplit=4k/60:8k/60\n", (2, 9), "add up to 120"),
    ("[a]\nbsrange=64k-4k\n", (2, 9), "shorter length first"),
    ("[a]\nrw=randred\n", (2, 4), "write rw=randread"),
    ("[a]\nrw=Read\n", (2, 4), "write rw=read"),
    ("[a]\nrw='read'\n", (2, 4), "write rw=read"),
    ("[a]\ndirect=yes\n", (2, 8), "write direct=1"),
    ("[a]\ndirect=off\n", (2, 8), "write direct=0"),
    ("[a]\ndirect=7\n", (2, 8), "1 max"),
    ("[a]\niodepth=0\n", (2, 9), "1 min"),
    ("[a]\nnumjobs=100000\n", (2, 9), "4096 max"),
    ("[a]\nrwmixread=130\n", (2, 11), "100 max"),
    ("[a]\nrwmixread=70%\n", (2, 11), "percentage means nothing here"),
    ("[a]\nruntime=10 sec\n", (2, 9), "write runtime=10s"),
    ("[a]\nruntime=1.5h\n", (2, 9), "write runtime=90m"),
    ("[a]\nruntime=soon\n", (2, 9), "does not start with a number"),
    ("[a]\npercentile_list=50;99\npercentile_list=50,99\n", (3, 17), "write percentile_list=50:99"),
    ("[a]\npercentile_list=p99\n", (2, 17), "not a floating point value: p99"),
    ("[a]\nbwavgtime=1s\n", (2, 11), "write bwavgtime=1000"),
    ("[a]\nfilename = /f\n", (2, 11), "write filename=/f"),
    ("[a]\nfilename=/f#1\n", (2, 1), "begins a comment wherever it stands"),
    ("[a]\nsize=4k \\\n", (2, 1), "one option a line: size=4k"),
    ("[a]\nbs=${NOSUCH}\n", (2, 1), "NOSUCH is not set"),
    ("[a]\nbs=8*$pagesize+k\n", (2, 1), "'k' is neither a number nor an operator"),
    ("[a]\nsize=$mb_memory/0\n", (2, 1), "divides by zero"),
    ("[a]\ninclude nosuch.inc\n", (2, 1), "include"),
    ("[a]\ninclude job.fio\n", (2, 1), "included from within itself"),
    ("[a]\nincluded=4k\n", (2, 1), "write include, a blank, and the file"),
    ("[a]\nioengine=libaio\nfixedbufs=1\nsize=1m\n", (3, 1), "an option of the engine io_uring"),
    ("[a]\nsize=1m\nioengine=null\nthreads=4\ndir=/mnt\n", (5, 1), "directory is probably meant"),
    ("[a]\nuid=1000\n", (2, 1), "with sudo -u"),
    ("[a]\ncpus_allowed=0-x\n", (2, 16), "does not start with a number"),
];

#[test]
fn every_wrong_line_of_a_job_file_is_placed_and_explained() {
    assert!(FILES.len() >= 40);
    for (text, (at, column), remedy) in FILES {
        let error = request(&line("job.fio"), text).expect_err(text);
        let said = format!("{error}\n{}", error.hint().unwrap_or_default());
        assert!(said.contains(remedy), "{text}: {said}");
        assert!(said.contains(&format!("job.fio, line {at}, column {column}")), "{text}: {said}");
        assert_eq!(error.exit_code(), 1, "{text}");
    }
}

#[test]
fn an_included_file_that_is_there_and_cannot_be_read_says_why() {
    for job in ["job.fio", "deep/job.fio"] {
        let hint = |text: &str| request(&line(job), text).expect_err(text).hint().unwrap_or_default();
        let place = format!("{job}, line 2, column 1: ");
        assert_eq!(hint("[a]\ninclude folder\n"), format!("{place}it is a folder"));
        assert_eq!(hint("[a]\ninclude nosuch\n"), format!("{place}entity not found"));
    }
}

/// A wrong command line, and a word of the remedy.
const LINES: &[(&str, &str)] = &[
    ("", "No job(s) defined"),
    ("--rw=read --size=1m", "No job(s) defined"),
    ("--nam=a --sise=4k", "Did you mean size?"),
    ("--iodep=4 --name=a", "is ambiguous; possibilities: '--iodepth'"),
    ("--name", "requires an argument"),
    ("--size --name=a", "option '--size' requires an argument"),
    ("--name=a --size=", "requires an argument"),
    ("--name=a --thread=", "requires an argument"),
    ("--name=a --readonly=1", "doesn't allow an argument"),
    ("nosuch.fio", "unable to open 'nosuch.fio' job file"),
    ("name=a size=1m", "if name=a is an option, write --name=a"),
    ("–name=a –size=1m", "write --name=a"),
    ("-–name=a", "write --name=a"),
    ("$ fio --name=a", "the prompt was pasted"),
    ("1. fio --name=a", "number of a list"),
    ("2) --name=a", "number of a list"),
    ("--name=a \\ --size=1m", "a backslash stands alone"),
    ("“--name=a”", "typographic"),
    ("--name=a --size=1m --ioengine=iouring", "Did you mean ioengine=io_uring?"),
    ("--name=a --size=1m --ioengine=splice", "take psync"),
    ("--ioengine=net --hostname=x --name=a", "networks are not loaded"),
    ("--name=a --size=1m --rate=1m --rate_iops=5", "mutually exclusive"),
    ("--name=a --ioengine=null --size=4k --bs=1m", "size too small"),
    ("--output-format=xml --name=a", "invalid output format xml"),
    ("--terse-version=9 --name=a", "bad terse version format"),
    ("--eta=sometimes --name=a", "write always, never or auto"),
    ("--status-interval=soon --name=a", "does not start with a number"),
    ("--section=global job.fio", "can't use global as only section"),
    ("--section=b job.fio", "No section is named b; there are: a"),
    ("--name=a --size=1m --ioengine=null --readonly --rw=write", "not allowed with the --readonly parameter"),
    ("--warnings-fatal --name=a --ioengine=null --size=4GiB", "power of 1000"),
    ("--client=host --name=a", "load on other machines is not supported"),
    ("--name=a --size=1m --ioengine=null --cpus_allowed=1-0", "the range ends before it begins"),
    ("--name=a --size=1m --ioengine=null --percentile_list=50:101", "a percentile is at most 100"),
    ("--section=b --name=a --size=1m --ioengine=null", "No section is named b; there are: a"),
    ("--name=a --size=1m --ioengine=io_uring --write_mode=zeros", "zeroes"),
    ("--name=a --size=1m --ioengine=io_uring --write_mode=write/60:zeroes/30", "must add up to 100"),
    ("--name=a --size=1m --ioengine=io_uring --verify_mode=bogus", "failed parsing verify_mode=bogus"),
    ("--name=a --size=1m --ioengine=io_uring --cmd_type=bogus", "failed parsing cmd_type=bogus"),
    ("--enghelp=nope", "engine nope not loadable"),
];

#[test]
fn every_wrong_command_line_is_explained() {
    assert!(LINES.len() + FILES.len() >= 80);
    for (words, remedy) in LINES {
        let error = request(&line(words), "[a]\nsize=1m\nioengine=null\n").expect_err(words);
        let said = format!("{error}\n{}", error.hint().unwrap_or_default());
        assert!(said.contains(remedy), "{words}: {said}");
        assert_eq!(error.exit_code(), 1, "{words}");
    }
}
