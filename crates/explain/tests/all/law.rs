//! One rule for explaining and running: an option of fio's is explained by its row, and what decides the load changes what the
//! command asks for.

use fio::{Kind, Part, ROWS, Row, Shape, Support, TimeUnit};

use crate::one;

/// A value other than the default.
fn another(row: &Row) -> String {
    let word = match row.takes {
        Kind::Text if row.name == "ioengine" => "io_uring",
        Kind::Text if row.name == "wait_for" => "y",
        Kind::Text if row.name == "replay_skip" => "write",
        Kind::Int(..) if row.name == "numjobs" => "3",
        Kind::Text | Kind::Path | Kind::Prefix => "something",
        Kind::Flag | Kind::Bool if row.default == "1" => "0",
        Kind::Flag | Kind::Bool => "1",
        Kind::Int(least, most) => {
            let default = row.default.parse::<i64>().unwrap_or(least);
            return if default < most { default + 1 } else { default - 1 }.to_string();
        }
        Kind::Ints(_) if row.name == "percentage_random" => "40",
        Kind::Ints(..42) => "2",
        Kind::Ints(_) => "42",
        Kind::Size(_) | Kind::Sizes(_) => "16k",
        Kind::Amount => "512k",
        Kind::Time(TimeUnit::Milliseconds) => "7000",
        Kind::Time(_) => "7s",
        Kind::Choice(words) => {
            let other =
                |word: &&str| **word != *row.default && !row.harmless.contains(word) && **word != *"zbd";
            words.iter().map(|(word, _)| *word).find(other).unwrap_or_default()
        }
        Kind::Floats => "42:43",
        Kind::Cpus => "0",
        Kind::Shape(Shape::Split) => "4k/50:8k/50",
        Kind::Shape(Shape::Range) => "4k-8k",
        Kind::Shape(Shape::Spread) => "zipf:1.2",
        Kind::Shape(Shape::Turn) => "random:3",
        Kind::Shape(Shape::Steady) => "iops:2%",
        Kind::Shape(Shape::Pattern | Shape::Data) => "0xbeef",
        Kind::Shape(Shape::Direction(_)) => "randread:8",
        Kind::Shape(Shape::Times) => "1s:7s",
        Kind::Shape(Shape::FileSize) => "16k-64k",
        Kind::Shape(Shape::Priorities) => "4k/30:64k/70/3/2",
        Kind::Shape(Shape::Pages) => "write:8",
        Kind::Shape(Shape::EachTime) => "7,8",
        Kind::Shape(Shape::Commands(_)) => "write/60:zeroes/40",
        Kind::Shape(Shape::Errors) => "EIO:28,ENOSPC",
    };
    word.to_owned()
}

/// Options without which an option cannot be given.
fn beside(name: &str) -> &'static str {
    match name {
        "zonesize" | "zonerange" | "zoneskip" => "--zonemode=strided --zonesize=64k",
        "verify_state_load" => "--verify=crc32c --verify_only",
        "verify_only" => "--verify=crc32c",
        "log_issue_time" => "--write_lat_log=x --log_offset=1",
        "time_based" => "--runtime=9",
        _ => "",
    }
}

/// Options that must follow an option.
fn with(name: &str) -> &'static str {
    match name {
        "zonemode" => " --zonesize=64k",
        "latency_target" => " --latency_window=5s",
        "verify_only" => " --verify=crc32c",
        "verify_state_load" => " --verify=crc32c --verify_only",
        _ => "",
    }
}

fn told(line: &str) -> Vec<String> {
    one(line).asks
}

/// An engine that has the option.
fn engine(row: &Row) -> &'static str {
    match row.own {
        Part::Engine(engines) => engines[0],
        Part::Job(_) => "libaio",
    }
}

/// The meaning of `word` in `line`.
fn meaning(line: &str, word: &str) -> String {
    let words = one(line).words;
    words.into_iter().find(|meant| meant.word == word).map(|meant| meant.meaning).unwrap_or_default()
}

#[test]
fn every_option_is_told_in_the_words_of_its_row() {
    let mut faults = Vec::new();
    for row in ROWS {
        let word = format!("--{}={}", row.name, another(row));
        let line = format!(
            "fio --name=y --size=1m --name=z --ioengine={} --size=1m --rw=randrw {} {word}{}",
            engine(row),
            beside(row.name),
            with(row.name)
        );
        let told = meaning(&line, &word);
        // The engine and the direction have a row of their own for each value, which is told instead.
        let own_words = ["ioengine", "rw"].contains(&row.name);
        let help = row.help.split(". ").next().unwrap().trim_end_matches('.')[1..].to_owned();
        if !(told.contains(&help) || own_words && told.len() > 10) {
            faults.push(format!("{word}: {told}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Options of which the amount, the region, the time, the rate or the order of the I/O depends.
const DECIDING: [&str; 36] = [
    "name",
    "loops",
    "numjobs",
    "runtime",
    "time_based",
    "ramp_time",
    "filename",
    "directory",
    "filename_format",
    "nrfiles",
    "opendir",
    "size",
    "io_size",
    "filesize",
    "rw",
    "direct",
    "buffered",
    "rwmixread",
    "rwmixwrite",
    "percentage_random",
    "offset",
    "offset_increment",
    "number_ios",
    "bs",
    "bsrange",
    "bssplit",
    "bs_is_seq_rand",
    "ioengine",
    "iodepth",
    "rate",
    "rate_iops",
    "thinktime",
    "stonewall",
    "read_iolog",
    "replay_no_stall",
    "replay_redirect",
];

#[test]
fn an_option_that_decides_the_load_changes_what_it_asks_for() {
    for name in DECIDING {
        let row = ROWS.iter().find(|row| row.name == name).unwrap();
        let engine = if name == "ioengine" { "libaio" } else { engine(row) };
        let lead = match name {
            "iodepth" => "--direct=1",
            _ if name.starts_with("replay_") => "--read_iolog=t",
            _ => beside(name),
        };
        let base = format!(
            "fio --name=y --size=1m --ioengine={engine} --name=z --ioengine={engine} --size=1m --rw=randrw --iodepth=4 \
             --numjobs=2 {lead}",
        );
        let word = if name == "bs_is_seq_rand" {
            "--bs=4k,8k --bs_is_seq_rand=1".to_owned()
        } else {
            format!("--{name}={}", another(row))
        };
        assert_ne!(told(&format!("{base} {word}")), told(&base), "{word}");
    }
}

#[test]
fn every_option_that_plimsoll_refuses_is_refused_apart() {
    let mut faults = Vec::new();
    for row in ROWS.iter().filter(|row| matches!(row.support, Support::Refused(_))) {
        let typed = format!("{}={}", row.name, another(row));
        let line =
            format!("fio --name=z --ioengine={} --size=1m --rw=randrw --iodepth=4 --{typed}", engine(row));
        let apart = one(&line).apart;
        if !apart.iter().any(|apart| apart.contains(row.name)) {
            faults.push(format!("{typed}: {apart:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Lines whose explanation was once wrong or incomplete, with what must and must not appear in it.
#[test]
fn what_is_told_of_these_lines_is_true_and_enough() {
    let rows: [(&str, &[&str], &[&str]); 35] = [
        (
            "fio --name=t --read_iolog=app.log --rw=randwrite --size=1g",
            &[
                "replays the trace app.log",
                "at the times",
                "names",
                "has no effect",
                "trace writes or trims is lost",
            ],
            &["writes blocks", "1 GiB", "there is no size"],
        ),
        (
            "fio --name=t --read_iolog=a:b --numjobs=2 --replay_no_stall=1 --replay_redirect=/dev/sdz --runtime=60",
            &[
                "the traces a, b in turn",
                "as soon as it can be",
                "on /dev/sdz:",
                "at most for",
                "lost on /dev/sdz",
            ],
            &["starting over"],
        ),
        (
            "fio --name=t --rw=randwrite --bs=4k --size=1g --sync=1",
            &["sync=1", "stable when it is done"],
            &["end in the page cache"],
        ),
        (
            "fio --name=t --rw=randread --bssplit=4k/60:64k/40 --size=1g",
            &["blocks of 4 KiB (60 %) and 64 KiB (40 %) at random places", "4k/60:64k/40"],
            &["several lengths"],
        ),
        (
            "fio --name=t --rw=read --offset=10g --size=1g --filename=x",
            &["1 GiB from 10 GiB on"],
            &["its first"],
        ),
        ("fio --name=t --rw=read --filesize=10G --filename=x", &["the first 10 GiB"], &["no size is given"]),
        (
            "fio --name=t --rw=read --filename=/dev/a:/dev/b --size=1g",
            &["/dev/a and /dev/b"],
            &["whole device"],
        ),
        (
            "fio --name=t --rw=randread --random_distribution=zipf:1.2 --size=1g",
            &["zipf:1.2: Distribution of random places"],
            &[],
        ),
        (
            "fio --name=t --rw=randread --thinktime=5ms --size=1g",
            &["It rests for 5 ms after each I/O: at most 200 I/Os a second.", "are 23 min at"],
            &[],
        ),
        (
            "fio --name=t --rw=trim --filename=/mnt/f1 --size=1g",
            &["gives its blocks back", "trims devices alone"],
            &["overwritten"],
        ),
        ("fio --name=t --rw=trim --filename=/dev/sdz --size=1g", &["trims the device"], &["writes over"]),
        ("fio --name=t --rw=read --bs=1m --size=1g", &["1,024 I/Os of 1 MiB", "at 100 MiB/s"], &[" 0 s at"]),
        (
            "fio --name=t --rw=randwrite --ioengine=posixaio --iodepth=16 --size=1g",
            &["Up to 16 I/Os at a time, through posixaio"],
            &["no effect"],
        ),
        // fio 3.33 opens all files that are named.
        (
            "fio --name=t --rw=read --filename=/dev/a --filename=/dev/b",
            &["On /dev/a and /dev/b"],
            &["the whole device"],
        ),
        (
            "fio --name=t --rw=write --filename=/dev/a:/dev/b",
            &["Everything on /dev/a and /dev/b is lost"],
            &["/dev/a: ", "On /dev/a:"],
        ),
        (
            "fio --name=t --rw=write --size=8m --numjobs=4 --offset_increment=4m --filename=x",
            &["8 MiB, each further copy 4 MiB after the one before, up to 20 MiB."],
            &["the first 8 MiB", "same blocks in the same order"],
        ),
        (
            "fio --name=t --rw=read --filename=/dev/sdz --offset_increment=100g",
            &["offset_increment (100 GiB) has no effect"],
            &["after the one before"],
        ),
        (
            "fio --name=t --rw=read --filename=/dev/sdz --numjobs=8",
            &["The 8 copies go through the same blocks", "a cache may have what one of them read or wrote"],
            &[],
        ),
        (
            "fio --name=t --rw=write --filename=/dev/sdz --numjobs=8",
            &["a cache may have what one of them read or wrote"],
            &["the same for all copies: the first"],
        ),
        (
            "fio --name=t --rw=randread --filename=/dev/sdz --numjobs=8",
            &["the same for all copies"],
            &["same order:"],
        ),
        (
            "fio --name=t --rw=randwrite --size=128m --numjobs=2 --nrfiles=4 --direct=1",
            &["On 4 files for each copy (t.0.0 to t.1.3): the first 32 MiB of each, 256 MiB in all."],
            &["128 MiB of"],
        ),
        (
            "fio --name=t --rw=read --size=1m --filename_format=f.$jobnum",
            &["On f.0: the first 1 MiB."],
            &["t.0.0"],
        ),
        (
            "fio --name=t --rw=read --size=1g --time_based --runtime=5m --ramp_time=2s",
            &["For 300 s", "Before that it runs for 2 s that do not count."],
            &["The first 2 s"],
        ),
        (
            "fio --name=t --rw=read --size=1g --ramp_time=4",
            &["The first 4 s do not count, but what they move is part of the amount."],
            &["Before that"],
        ),
        (
            "fio --name=t --rw=write --size=1m --ioengine=io_uring --iodepth=8 --fsync=4",
            &["with io_uring and posixaio the flush goes into the queue instead"],
            &[],
        ),
        (
            "fio --name=t --rw=write --size=1m --loops=4 --end_fsync=1",
            &["The job waits for a flush at its end, with loops after each."],
            &[],
        ),
        (
            "fio --name=t --rw=read --size=1g --randrepeat=0 --invalidate=0",
            &[
                "randrepeat=0: Off. With 1: the same places and the same data in every run.",
                "invalidate=0: Off. With 1: drops the files",
            ],
            &[],
        ),
        (
            "fio --name=t --rw=randread --size=1g --direct=1 --numjobs=16",
            &["own latency shows with numjobs=1."],
            &["with iodepth=1"],
        ),
        (
            "fio --name=t --rw=randread --size=1g --direct=1 --ioengine=libaio --iodepth=16 --numjobs=2",
            &["own latency shows with iodepth=1 and numjobs=1."],
            &[],
        ),
        (
            "fio --name=t --rw=write --filename=/dev/sdz --filesize=10g --size=10g",
            &["On /dev/sdz: the first 10 GiB."],
            &["up to 10 GiB"],
        ),
        (
            "fio --name=t --rw=randrw --size=1m --direct=1 --fsync=4",
            &["repeats a flush that is due after each read of a mix"],
            &[],
        ),
        // Buffered writes end in memory, however many there are; their latency is not the volume's.
        (
            "fio --name=t --rw=randwrite --size=256m --numjobs=16 --end_fsync=1",
            &["waits for a flush at its end"],
            &["waiting in line", "measures latency"],
        ),
        ("fio --name=t --rw=randread --size=256m --numjobs=16", &["waiting in line"], &[]),
        ("fio --name=t --rw=randread --filename=/x/a:/x/b --filesize=1g", &["the first 1 GiB of each"], &[]),
        ("fio --name=t --rw=read --size=1g --runtime=1000", &["at most for 1,000 s"], &["17 min"]),
    ];
    for (line, says, never) in rows {
        let explanation = one(line);
        let risks = explanation.risks.iter().map(|risk| risk.text.clone());
        let words = explanation.words.iter().map(|word| format!("{}: {}", word.word, word.meaning));
        let all = explanation.asks.iter().cloned().chain(risks).chain(words).collect::<Vec<_>>().join(" ");
        for word in says {
            assert!(all.contains(word), "{line}: lacks '{word}': {all}");
        }
        for word in never {
            assert!(!all.contains(word), "{line}: says '{word}': {all}");
        }
    }
}

/// The list of words must describe the value that was typed.
#[test]
fn each_word_is_told_with_the_value_that_it_has() {
    for (word, told) in [
        ("--ioengine=libaio", "How I/O is done: the kernel's asynchronous calls."),
        ("--rw=randread", "Reads at random."),
        ("--end_fsync=0", "Off. With 1: the job waits for a flush at its end, with loops after each."),
        (
            "--invalidate=0",
            "Off. With 1: drops the files from the page cache before the job, and before each further pass over them.",
        ),
        ("--direct=0", "Off. With 1: past the page cache."),
        ("--verify=0", "Off."),
        ("--iodepth_batch=4", "I/Os handed over in one call, at most."),
        ("--bs=4k", "Length of an I/O."),
        (
            "--bs=4k,8k",
            "Length of an I/O. One for reads, one for writes and one for trims, separated by commas.",
        ),
        ("--thread=1", "Clones are threads of one process instead of processes."),
        (
            "--rw=randread:8",
            "Reads at random. After a colon: bytes added after each I/O in order, or I/Os a random place.",
        ),
        ("--thinktime=5", "Pause between I/Os, once the queue has run empty (in microseconds)."),
        ("--numjobs=2", "How many clones of the job run side by side."),
    ] {
        let words = one(&format!("fio --name=t --size=1g {word}")).words;
        let meaning = words.iter().find(|meant| meant.word == word).map(|meant| meant.meaning.as_str());
        assert_eq!(meaning, Some(told), "{word}");
    }
}
