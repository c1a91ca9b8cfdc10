//! Comparison with the installed fio, which shows how it reads: numbers letter by letter, job files as command lines.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fio::{Engine, KbBase, Kind, ROWS, Reader, Reading, Request, TimeUnit, Value};

use crate::real::{bare, err, fio, ours, out};

/// A temporary directory, removed with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("plimsoll-fio-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Numbers in all the ways in which people write them, and in some in which nobody does.
fn numbers() -> Vec<String> {
    let units = [
        "", "k", "K", "kb", "kB", "ki", "KiB", "kib", "m", "mb", "Mi", "mib", "g", "G", "gb", "GiB", "t",
        "TiB", "p", "pib", "b", "B", "s", "S", "sec", "secs", "ms", "msec", "msecs", "us", "usec", "min",
        "M", "h", "H", "hour", "d", "day", "x", "kk", " k", ".5g", ".5", "%", "%%", "%x", "mb/s", "mbps",
        "e3", "_000", "k8", "z",
    ];
    let mut words: Vec<String> = ["0", "1", "8", "010", "4096"]
        .iter()
        .flat_map(|number| units.iter().map(move |unit| format!("{number}{unit}")))
        .collect();
    words.extend(
        [
            " 8k",
            "  8",
            "+4k",
            "++4",
            "0x1000",
            "0x10k",
            "0X10",
            "0x",
            "0xg",
            "1x0x10",
            "abc",
            "k",
            "4k,",
            "4k,8k",
            "4k,8k,",
            ",8k",
            "4k,,8k",
            "4k:8k",
            "4k-8k",
            "4k/8k",
            "4k,8k,16k",
            "1m30s",
            "9223372036854775806",
            "99999999999999999999",
            "12345678901234567890",
            "1 2",
            "1\u{a0}k",
            "½",
            "4k–8k",
        ]
        .map(str::to_owned),
    );
    words
}

/// Options of fio's, and the kind that stands for each.
const OPTIONS: [(&str, Kind); 5] = [
    ("number_ios", Kind::Int(i64::MIN, i64::MAX)),
    ("rate", Kind::Sizes(0)),
    ("runtime", Kind::Time(TimeUnit::Seconds)),
    ("thinktime", Kind::Time(TimeUnit::Microseconds)),
    ("log_avg_msec", Kind::Time(TimeUnit::Milliseconds)),
];

/// What fio printed for every piece of every value: by option and value, a number or nothing.
fn told(debug: &str) -> HashMap<(String, String), Vec<Option<i64>>> {
    let mut told: HashMap<_, Vec<_>> = HashMap::new();
    let mut now = None;
    for line in debug.lines() {
        if let Some((_, rest)) = line.split_once(" handle_option=") {
            now = rest.split_once(", ptr=").map(|(name, value)| (name.to_owned(), value.to_owned()));
            now.iter().for_each(|key| drop(told.insert(key.clone(), Vec::new())));
        } else if let (Some(key), Some((_, rest))) = (&now, line.split_once("  ret=")) {
            let (code, value) = rest.split_once(", out=").unwrap_or_default();
            let value = value.parse::<u64>().ok().filter(|_| code == "0").map(u64::cast_signed);
            told.entry(key.clone()).or_default().push(value);
        }
    }
    told
}

/// First number of a value in the unit in which fio prints it; nothing if it cannot be read.
fn first(kind: Kind, reader: &mut Reader, word: &str) -> Option<i64> {
    match reader.read(kind, word).ok()? {
        Value::Number(number) => Some(number),
        Value::Each(values) => values[0].map(u64::cast_signed),
        Value::Time(nanos) if matches!(kind, Kind::Time(TimeUnit::Milliseconds)) => {
            Some((nanos.0 / 1_000_000).cast_signed())
        }
        Value::Time(nanos) => Some((nanos.0 / 1_000).cast_signed()),
        _ => None,
    }
}

#[test]
fn every_number_is_read_letter_by_letter_as_fio_reads_it() {
    let folder = Folder::new("numbers");
    let mut text = "[a]\n".to_owned();
    for (name, _) in OPTIONS {
        numbers().iter().for_each(|word| text.push_str(&format!("{name}={word}\n")));
    }
    folder.write("job.fio", &text);
    let Some(output) = fio(&["--debug=parse", "--parse-only", "job.fio"], &folder.0, "") else { return };
    let told = told(&out(&output));
    let mut compared = 0;
    for (name, kind) in OPTIONS {
        for word in numbers() {
            let Some(pieces) = told.get(&(name.to_owned(), word.clone())) else { continue };
            let theirs = pieces.first().copied().flatten();
            let mut exact = Reader { reading: Reading::Exact, ..Reader::default() };
            let ours = first(kind, &mut exact, &word);
            // Times beyond 292 years, which overflow in fio.
            let overruns = ours.is_none() && theirs.is_some_and(|micros| micros.checked_mul(1_000).is_none());
            // A negative time or a byte count beyond 63 bits cannot be run.
            let negative = ours.is_none() && theirs.is_some_and(|value| value < 0);
            // Milliseconds beyond that, which here are clamped.
            let stopped = matches!(kind, Kind::Time(TimeUnit::Milliseconds)) && theirs > Some(1 << 40);
            assert!(
                ours == theirs || overruns || negative || stopped,
                "{name}={word}: fio {theirs:?}, here {ours:?}"
            );
            // fio reads what the guard lets pass in the same way.
            if let Some(guarded) = first(kind, &mut Reader::default(), &word).filter(|_| !stopped) {
                assert_eq!(Some(guarded), theirs, "{name}={word}");
            }
            compared += 1;
        }
    }
    assert!(compared > 1000, "only {compared} numbers were told: {}", err(&output));
}

#[test]
fn numbers_under_kb_base_1000_are_read_as_fio_reads_them() {
    let folder = Folder::new("decimal");
    let mut text = "[a]\nkb_base=1000\n".to_owned();
    numbers().iter().for_each(|word| text.push_str(&format!("number_ios={word}\n")));
    folder.write("job.fio", &text);
    let Some(output) = fio(&["--debug=parse", "--parse-only", "job.fio"], &folder.0, "") else { return };
    let told = told(&out(&output));
    for word in numbers() {
        let Some(pieces) = told.get(&("number_ios".to_owned(), word.clone())) else { continue };
        let mut reader = Reader { base: KbBase::Decimal, reading: Reading::Exact, ..Reader::default() };
        let ours = first(Kind::Int(i64::MIN, i64::MAX), &mut reader, &word);
        assert_eq!(ours, pieces.first().copied().flatten(), "number_ios={word}");
    }
}

/// Scripts read from fio's debug log what it has made of the bound of a steady state.
#[test]
fn bounds_of_steady_states_are_printed_as_the_debug_log_of_fio_prints_them() {
    let folder = Folder::new("debug");
    for bound in ["iops:10", "iops_slope:.1%", "bw:10%", "bw:12"] {
        let bound = format!("--ss={bound}");
        let words = ["--parse-only", "--debug=parse", "--ss_dur=10s", bound.as_str()];
        let Some(theirs) = fio(&words, &folder.0, "") else { return };
        let Ok(Request::Say(here)) = ours(&words, &folder.0, "") else { panic!("{words:?}") };
        let lines = |text: &str| {
            let told = text.lines().filter(|line| line.contains("set steady state"));
            told.map(|line| line.split_whitespace().skip(2).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
        };
        assert_eq!((lines(&here).len(), lines(&here)), (1, lines(&out(&theirs))), "{bound}");
    }
}

/// Job files that both accept. `kept.inc` and `deep/inner.inc` can be included.
pub const JOB_FILES: &[&str] = &[
    // Host-cached reads and uncached writes, as published.
    "[global]\nsize=30g\ndirect=1\niodepth=256\nioengine=libaio\nbs=4k\nnumjobs=4\n\n[writer1]\nrw=randwrite\ndirectory=/mnt/nocache\n",
    "[global]\nsize=30g\ndirect=1\niodepth=256\nioengine=libaio\nbs=4k\nnumjobs=4\n\n[reader1]\nrw=randread\ndirectory=/mnt/readcache\n",
    "[global]\nsize=30g\ndirect=1\niodepth=128\nioengine=libaio\nbs=4k\nnumjobs=4\n\n[reader1]\nrw=randread\ndirectory=/mnt/readcache\n\n[writer1]\nrw=randwrite\ndirectory=/mnt/nocache\nrate_iops=3200\n",
    // A provider's comparison, as a job file.
    "[test]\nrandrepeat=1\nioengine=libaio\ndirect=1\ngtod_reduce=1\nfilename=test\nbs=4k\niodepth=64\nsize=4G\nreadwrite=randrw\nrwmixread=75\n",
    // The load of the cycles: a trailing comma, and a name inside the section.
    "[c4y]\nbs=4k\nrw=randrw\npercentage_random=50\nrwmixread=70\nrwmixwrite=30\ndirect=1\niodepth=256\ntime_based\nruntime=60\ngroup_reporting\nname=iops-test-job\nnumjobs=1\nfilename=runfio.sh.test\nsize=1GB\nioengine=libaio\nrate_iops=700,300,\n",
    // Blanks, comments, line ends.
    "  [a]  ; first\r\n\tsize=1m # small\r\nbs =8k\r\n\r\n# end\r\n",
    "[two words]\nsize=1m\ndescription=two words\n",
    "[a]\nsize=1m\n[a]\nsize=2m\n",
    "[global]\nsize=1m\n[globalx]\nbs=8k\n[a]\nthread\nnorandommap=1\n",
    "[a]\nfilename=/tmp/x\nsize=1m\nbs=4k\nkb_base=1000\nunit_base=8\n",
    "[a]\nblocksize=4k\nreadwrite=read\nsize=1m\n",
    // Inclusion, from the working directory and from beside the including file.
    "[a]\ninclude kept.inc\nbs=2k\n",
    "[a]\ninclude deep/outer.inc\n",
    "[a]\nsize=1m\ninclude=kept.inc\n",
    // Substitution and arithmetic.
    "[a]\nbs=${BS}\nsize=1m\nrw=${FIO_RW}\nfilename=/tmp/${FIO_RW}.x\n",
    "[a]\nbs=8*$pagesize\nsize=$mb_memory*1024\nnumjobs=$ncpus\n",
    "[a]\nbs=$pagesize\nsize=(2+$ncpus)*2*$pagesize/2\niodepth=$ncpus*4-1\n",
    "[a]\nsize=$mb_memory*1024-7%4\n",
    "[a]\nsize=1m\nrate=1m,,\npercentage_random=50,60,\npercentile_list=50:99:99.9\n",
    "[a]\nsize=10%\nio_size=50%%\noffset=10%\nloops=2\n",
    "[a]\nsize=1m\nbssplit=4k/60:8k/40\n[b]\nstonewall\nsize=1m\nbsrange=4k-16k\n[c]\nwait_for_previous\nsize=1m\nnew_group\n",
    "[a]\nsize=1m\nfilename_format=$jobname.$jobnum.$filenum\nnrfiles=3\n",
    "",
    "# nothing\n",
];

#[test]
fn every_job_file_is_the_same_command_line() {
    let folder = Folder::new("files");
    folder.write("kept.inc", "size=4m\n; kept\niodepth=7\n");
    folder.write("deep/outer.inc", "size=4m\ninclude inner.inc\n");
    folder.write("deep/inner.inc", "bs=16k\n");
    for text in JOB_FILES {
        let Some(theirs) = fio(&["--showcmd", "-"], &folder.0, text) else { return };
        let said = match ours(&["--showcmd", "-"], &folder.0, text) {
            Ok(Request::Say(said)) => said,
            other => panic!("{text}: {other:?}; fio says {} {}", out(&theirs), err(&theirs)),
        };
        assert!(theirs.status.success(), "{text}: {}", err(&theirs));
        let named_twice = text.contains("\nname=");
        let theirs = if named_twice { out(&theirs).replacen("--name=c4y ", "", 1) } else { out(&theirs) };
        let words = |line: &str| {
            let mut words: Vec<String> = bare(line).split_whitespace().map(str::to_owned).collect();
            if named_twice {
                words.sort();
            }
            words.retain(|word| word != "fio");
            words
        };
        // Of globals in two sections fio repeats the first.
        match text.contains("[globalx]") {
            true => assert!(bare(&theirs).ends_with("--bs=8k --name=a --thread --norandommap=1"), "{theirs}"),
            false => assert_eq!(words(&said), words(&theirs), "{text}"),
        }
    }
}

/// What `--showcmd` prints asks for the same as the file that it was made from.
#[test]
fn the_command_line_that_is_shown_asks_for_the_same() {
    let folder = Folder::new("shown");
    folder.write("kept.inc", "size=4m\niodepth=7\n");
    folder.write("deep/outer.inc", "size=4m\ninclude inner.inc\n");
    folder.write("deep/inner.inc", "bs=16k\n");
    let late = "[one]\nsize=1m\nioengine=null\n[global]\nbs=2k\nioengine=null\n[two]\nsize=1m\ndescription=two words\n";
    for text in JOB_FILES.iter().copied().chain([late]) {
        let Ok(Request::Say(shown)) = ours(&["--showcmd", "-"], &folder.0, text) else { panic!("{text}") };
        let words = taken_apart(&shown);
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let jobs = |words: &[&str], stdin: &str| match ours(words, &folder.0, stdin) {
            Ok(Request::Run(asked)) => asked.jobs.into_iter().map(|job| (job.name, job.options)).collect(),
            _ => Vec::new(),
        };
        let strip = |jobs: Vec<(String, _)>| -> Vec<(String, fio::JobOptions)> {
            // A name is a heading in a file, and an option on a command line.
            let named = |(name, options)| (name, fio::JobOptions { name: None, typed: vec![], ..options });
            jobs.into_iter().map(named).collect()
        };
        // The order of options matters on a command line only.
        if !text.contains("kb_base") {
            assert_eq!(strip(jobs(&words, "")), strip(jobs(&["-"], text)), "{text}: {shown}");
        }
    }
}

/// Splits a line into words as a shell does.
fn taken_apart(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in line.trim_end().chars() {
        match (letter, quote) {
            (' ', None) => words.push(String::new()),
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

/// Job files that both refuse: fio's lines come first, on the same stream, with the same exit code.
const REFUSED: &[&str] = &[
    "\u{feff}[a]\nsize=1m\n",
    "size=1m\n[a]\n",
    "include x\n[a]\nsize=1m\n",
    "[a]\ninclude nosuch\n",
    "[a]\nnosuchthing=1\n",
    "[a]\nrw=foo\n",
    "[a]\nrw = read\n",
    "[a]\nrw=\"read\"\n",
    "[a]\nsize\n",
    "[a]\nthread=\n",
    "[a]\nname=\n",
    "[a]\ndirect=2\n",
    "[a]\ndirect=yes\n",
    "[a]\niodepth=0\n",
    "[a]\nsize=abc\n",
    "[a]\nrwmixread=101\n",
    "[a]\npercentile_list=50:a\npercentile_list=a\n",
    "[a]\nbs=${NOSUCH}\n",
    "[a]\nbs=4096*\n[b]\nsize=$pagesize*\n",
];

#[test]
fn what_fio_refuses_is_refused_in_its_words() {
    let folder = Folder::new("refused");
    for text in REFUSED {
        let Some(theirs) = fio(&["--parse-only", "-"], &folder.0, text) else { return };
        let error = ours(&["--parse-only", "--fio-exact", "-"], &folder.0, text).expect_err(text);
        // fio takes a file that includes nothing for one without jobs, and checks no further.
        let code = if text.ends_with("include nosuch\n") { Some(0) } else { Some(1) };
        assert_eq!((theirs.status.code(), error.exit_code()), (code, 1), "{text}: {}", err(&theirs));
        // The nearest word may differ between versions of fio, and messages about arithmetic are not ours.
        let told = err(&theirs);
        let told: Vec<&str> = told
            .lines()
            .filter(|line| !line.starts_with("Did you") && !line.contains("(standard_in)"))
            .collect();
        let said = error.to_string();
        let said: Vec<&str> = said.lines().filter(|line| !line.starts_with("Did you")).collect();
        let stray = "fio: option <size=1m> outside of [] job section";
        let first = told.iter().position(|line| said.first() == Some(line));
        assert!(first.is_some() || told.first() == Some(&stray), "{text}: fio {told:?}, here {said:?}");
    }
}

#[test]
fn the_switches_that_only_tell_end_as_fios_do() {
    let folder = Folder::new("switches");
    folder.write("s.fio", "[global]\nioengine=null\nsize=4k\n[one]\n[two]\n");
    for words in [
        &["--version"][..],
        &["--help"],
        &["--cmdhelp"],
        &["--cmdhelp=bs"],
        &["--cmdhelp=nosuch"],
        &["--enghelp"],
        &["--enghelp=libaio"],
        &["--enghelp=libaio,userspace_reap"],
        &["--enghelp=libaio,nosuch"],
        &["--enghelp=nope"],
        &["--enghelp=null"],
        &["--parse-only"],
        &["--showcmd"],
        &["--parse-only", "--name=a", "--size=1m"],
        &["--parse-onl", "--name=a", "--size=1m"],
        &["-parse-only", "-name=a", "-size", "1m"],
        &["--showcmd", "--section=two", "s.fio"],
        &["--section=nosuch", "s.fio"],
        &["--section=global", "s.fio"],
        &["--parse-only", "--max-jobs=2", "s.fio"],
        &["--parse-only", "--alloc-size=1024", "s.fio"],
        &["--parse-only", "--readonly", "s.fio"],
        &["--parse-only", "--name=a", "--size=4k", "--time_based"],
        &["--parse-only", "--readonly", "--name=a", "--rw=write", "--size=4k"],
        &["--parse-only", "--terse-version=9", "--name=a"],
        &["--nosuch"],
        &["--parse-only", "--name"],
    ] {
        let Some(theirs) = fio(words, &folder.0, "") else { return };
        let (code, said) = match ours(words, &folder.0, "") {
            Ok(Request::Say(said)) => (0, said),
            Ok(Request::Run(_) | Request::Check(_)) => (0, String::new()),
            Err(error) => (i32::from(error.exit_code()), format!("{}{error}", error.stdout())),
        };
        assert_eq!(theirs.status.code(), Some(code), "{words:?}: {} {}", out(&theirs), err(&theirs));
        // A command that only prints something must print something.
        let silent = out(&theirs).trim().is_empty() && err(&theirs).trim().is_empty();
        let quiet = Path::new(words[words.len() - 1]).extension().is_some() || silent;
        assert!(quiet || !said.trim().is_empty() || words.contains(&"--time_based"), "{words:?}");
    }
}

/// Names of the options in a list of the installed fio's.
fn option_names(list: &str) -> Vec<&str> {
    list.lines().filter_map(|line| line.split_once(" : ")).map(|(name, _)| name.trim()).collect()
}

#[test]
fn every_option_of_the_installed_fio_is_known_by_name() {
    let folder = Folder::new("names");
    let Some(listed) = fio(&["--cmdhelp=all"], &folder.0, "") else { return };
    let knows = |name: &str| ROWS.iter().any(|row| row.names().any(|known| known == name));
    let (listed, engines) = (out(&listed), fio(&["--enghelp"], &folder.0, "").map(|list| out(&list)));
    let of_jobs = option_names(&listed);
    assert!(of_jobs.len() > 200, "{listed}");
    let mut unknown: Vec<String> =
        of_jobs.iter().filter(|name| !knows(name)).map(|name| (*name).to_owned()).collect();
    for engine in engines.unwrap_or_default().lines().filter_map(|line| line.strip_prefix('\t')) {
        // Options of an engine that nothing here stands in for are refused together with it.
        if (Engine { name: engine.to_owned() }).backend().is_none() {
            continue;
        }
        let Some(listed) = fio(&[&format!("--enghelp={engine}")], &folder.0, "") else { return };
        let listed = out(&listed);
        let names = option_names(&listed).into_iter().filter(|name| !knows(name));
        unknown.extend(names.map(|name| format!("{engine}: {name}")));
    }
    assert_eq!(unknown, Vec::<String>::new(), "add a row for each to the table");
}
