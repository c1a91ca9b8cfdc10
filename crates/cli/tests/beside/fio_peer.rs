//! Side by side with the real fio, as a user has both: the same command lines give the same figures, lines, keys,
//! texts and exit codes. Needs fio, and root for the throttled volume.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::path::PathBuf;
use std::time::Duration;

use crate::machine::*;
use serde_json::Value;
use workload::Bytes;

/// The published commands: name, measured direction, and words, in which `FILE` is the existing file.
const PUBLISHED: [(&str, &str, &str); 5] = [
    (
        "A1",
        "write",
        "--filename=FILE --direct=1 --rw=randwrite --ioengine=libaio --bs=1024K --iodepth=32 --name=bw-test --runtime=120s",
    ),
    (
        "A2",
        "read",
        "--filename=FILE --direct=1 --rw=randread --ioengine=libaio --bs=4K --iodepth=128 --name=rand-r --runtime=120s",
    ),
    (
        "A3",
        "write",
        "--filename=FILE --direct=1 --rw=randwrite --ioengine=libaio --bs=4K --iodepth=128 --name=rand-w --runtime=120s",
    ),
    (
        "A4",
        "read",
        "--filename=FILE --direct=1 --rw=randread --ioengine=libaio --bs=4K --iodepth=1 --name=lat-read --runtime=120s",
    ),
    (
        "A5",
        "write",
        "--filename=FILE --direct=1 --rw=randwrite --ioengine=libaio --bs=4K --iodepth=1 --name=lat-write --runtime=120s",
    ),
];

/// The volume of the published table: 5,000 IOPS and 200 MiB/s.
const POLICY: &str = "do-volumes-pre-burst";
/// Size of the volume; the file takes half of it.
const SIZE: Bytes = Bytes::mib(512);
const FILE_SIZE: &str = "256M";
/// A whole number of the throttle's slices of 100 ms, so that both tools get the same.
const RUNTIME: &str = "3s";
/// Pause of two slices, after which a volume starts afresh.
const REST: Duration = Duration::from_millis(400);
/// Most pairs of runs. If the machine lacks CPU, the throttle loses a slice, so a pair that differs is run again, and
/// medians count.
const PAIRS: usize = 4;
/// Largest accepted difference between the medians of both.
const SHARE: f64 = 0.02;

/// The figures that are compared: key, and the key below it.
const FIGURES: [(&str, Option<&str>); 4] =
    [("iops", None), ("bw_bytes", None), ("lat_ns", Some("mean")), ("clat_ns", Some("mean"))];

/// A file of real data on ext4 on a volume that this kernel throttles; removed when dropped.
struct DataFile(LabMount);

impl DataFile {
    fn new(peers: &Peers) -> Option<DataFile> {
        let there = DataFile(LabMount::at(peers.folder.path("volume"), POLICY, SIZE)?);
        let words =
            format!("--name=layout --filename={} --size={FILE_SIZE} --bs=1M --number_ios=1", there.path());
        let laid_out = peers.run(Who::Link, &words);
        assert_eq!(laid_out.code, Some(0), "{}", laid_out.err);
        Some(there)
    }

    fn path(&self) -> String {
        text(&self.0.mount.path("file"))
    }
}

/// All values that one of the tools gave for each figure.
#[derive(Default)]
struct Column([Vec<f64>; FIGURES.len()]);

impl Column {
    fn add(&mut self, document: &Value, direction: &str) {
        let measured = &document["jobs"][0][direction];
        for ((key, below), values) in FIGURES.iter().zip(&mut self.0) {
            let value = below.map_or(&measured[*key], |below| &measured[*key][below]);
            values.push(value.as_f64().unwrap());
        }
    }

    fn medians(&self) -> [f64; FIGURES.len()] {
        self.0.clone().map(|mut values| {
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            if values.len() % 2 == 1 { values[half] } else { f64::midpoint(values[half - 1], values[half]) }
        })
    }
}

/// Whether `ours` agree with `theirs`. Submission depends on the processor, not on the volume, and its share of a
/// latency may be attributed differently: up to half of fio's.
fn alike(ours: &Column, theirs: &Column) -> bool {
    let ([.., lat, clat], ours) = (theirs.medians(), ours.medians());
    let near = |(ours, theirs): (f64, f64)| (ours / theirs - 1.0).abs() <= SHARE;
    let [first @ .., last] = [0, 1, 2, 3].map(|figure| (ours[figure], theirs.medians()[figure]));
    first.into_iter().all(near) && (near(last) || (last.0 - last.1).abs() <= (lat - clat) / 2.0)
}

/// Returns our figures divided by theirs.
fn ratios(ours: &Column, theirs: &Column) -> [f64; FIGURES.len()] {
    let theirs = theirs.medians();
    let mut ratios = ours.medians();
    ratios.iter_mut().zip(theirs).for_each(|(ours, theirs)| *ours /= theirs);
    ratios
}

/// Compares command A2 with one pair of runs.
#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn a_published_command_measures_what_fio_measures() {
    assert_published(&PUBLISHED[1..2], 1);
}

#[test]
#[ignore = "night: figures beside fio's"]
fn the_published_commands_measure_what_fio_measures() {
    assert_published(&PUBLISHED[..], PAIRS);
}

/// Compares IOPS, bandwidth and mean latencies of the published commands; each run must print one pure JSON document
/// with every key of fio's.
fn assert_published(commands: &[(&str, &str, &str)], pairs: usize) {
    let Some(peers) = Peers::find() else { return };
    let Some(volume) = DataFile::new(&peers) else { return };
    for (number, (name, direction, words)) in commands.iter().enumerate() {
        let words = words.replace("FILE", &volume.path()).replace("120s", RUNTIME);
        let words = format!("{words} --time_based --output-format=json");
        let ours = if number % 2 == 0 { Who::Link } else { Who::Command };
        assert_alike(&peers, (name, direction), &words, (ours, pairs));
    }
}

fn assert_alike(peers: &Peers, (name, direction): (&str, &str), words: &str, (us, pairs): (Who, usize)) {
    let (mut theirs, mut ours) = (Column::default(), Column::default());
    let mut ratio = [f64::NAN; FIGURES.len()];
    let neighbours = Neighbours::watch();
    for pair in 1..=pairs {
        let [real, link] = [Who::Real, us].map(|who| {
            std::thread::sleep(REST);
            document(&peers.run(who, words), words)
        });
        same_shape("", &real, &link);
        assert_eq!(options(&real), options(&link), "{words}");
        theirs.add(&real, direction);
        ours.add(&link, direction);
        ratio = ratios(&ours, &theirs);
        eprintln!(
            "{name} after {pair}: fio {:.1?}, {us:?} {:.1?}, ratios {ratio:.4?}",
            theirs.medians(),
            ours.medians()
        );
        if alike(&ours, &theirs) {
            return;
        }
    }
    neighbours
        .excuse_or_fail(format!("{name}: of IOPS, bytes/s, mean lat, mean clat fio's {ratio:.3?} times"));
}

/// Name and group of a job, and its options.
type PrintedJob = (Value, Value, Vec<(String, Value)>);

/// Returns names, groups and options of all jobs, and the global options. Bare flags are left out, because older fios
/// do not print them.
fn options(document: &Value) -> Vec<PrintedJob> {
    let jobs = document["jobs"].as_array().cloned().unwrap_or_default();
    let jobs = jobs.iter().map(|job| (&job["jobname"], &job["groupid"], &job["job options"]));
    jobs.chain([(&Value::Null, &Value::Null, &document["global options"])])
        .map(|(name, group, options)| {
            let members = options.as_object().cloned().unwrap_or_default();
            let typed = members.into_iter().filter(|(_, value)| value != "").collect();
            (name.clone(), group.clone(), typed)
        })
        .collect()
}

/// Ways of writing a command line: `getopt_long_only`, prefixes, defaults in front, several jobs, a job file.
const SPELLINGS: [&str; 9] = [
    "-name=a -rw=read -size=64k -ioengine=null",
    "--name a --rw randread --size 64k --ioengine null",
    "--name=a --ioeng=null --size=64k --readw=randwrite --numj=2",
    "--ioengine=null --size=64k --bs=8k --name=a --rw=read --name=b --rw=write --bs=16k",
    "--ioengine=null --size=64k --group_reporting --name=a --name=b --stonewall --name=c --numjobs=2",
    "--name=global --ioengine=null --size=64k --name=a --iodepth=4 --thread",
    "--name=a --blocksize=4k --ioengine=null --io_size=32k --size=64k --loops=2 --description=words",
    "--name=a --ioengine=null --size=64k --rw=randrw --rwmixread=70 --percentage_random=50 --lat_percentiles=1",
    "--bs=2k jobs.fio --size=64k",
];

const JOB_FILE: &str = "; two jobs\n[global]\nioengine=null\nrw=randread ; in no order\n\n[one]\niodepth=4\n[two]\nstonewall\nbs=8k\n";

#[test]
fn a_line_means_what_it_means_to_fio_however_it_is_spelt() {
    let Some(peers) = Peers::find() else { return };
    let place = peers.folder.make_dir("spelt");
    std::fs::write(place.join("jobs.fio"), JOB_FILE).unwrap();
    for words in SPELLINGS {
        let words = format!("--output-format=json {words}");
        let [theirs, ours] =
            [Who::Real, Who::Command].map(|who| document(&peers.run_in(&place, who, &words), &words));
        same_shape("", &theirs, &ours);
        assert_eq!(options(&theirs), options(&ours), "{words}");
        for (theirs, ours) in jobs(&theirs).iter().zip(jobs(&ours)) {
            let amount = |job: &Value| ["read", "write"].map(|way| job[way]["total_ios"].clone());
            let both = |job: &Value| amount(job).iter().filter_map(Value::as_u64).sum::<u64>();
            assert_eq!(both(theirs), both(&ours), "{words}: {}", ours["jobname"]);
        }
    }
}

fn jobs(document: &Value) -> Vec<Value> {
    document["jobs"].as_array().cloned().unwrap_or_default()
}

/// Command lines as in guides, except for size and time.
const GUIDES: [&str; 8] = [
    "--filename=F --size=16m --direct=1 --rw=randwrite --ioengine=libaio --bs=1024K --iodepth=32 --name=bw-test",
    "--randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=test --filename=test --bs=4k --iodepth=64 --size=4M --readwrite=randrw --rwmixread=75",
    "--name=seqread --rw=read --direct=0 --ioengine=sync --bs=128k --size=16m",
    "--name=etcd --rw=write --ioengine=sync --fdatasync=1 --size=92k --bs=2300",
    "--name=many --directory=. --numjobs=4 --size=4M --time_based --runtime=2s --ramp_time=1s --ioengine=libaio --direct=1 --verify=0 --bs=64k --iodepth=8 --rw=write --group_reporting=1",
    "-name=t -rw=read -bs=64k -size=8m -ioengine=psync -direct=1 -filename=T",
    "--name=job1 --rw=read --size=4m --filename=T --name=job2 --rw=randwrite --size=4m --filename=U --bs=16k --stonewall",
    "--name=paced --size=8m --rw=randread --bs=4k --direct=1 --filename=T --ioengine=libaio --iodepth=4 --rate_iops=500 --runtime=2 --time_based --lat_percentiles=1 --percentile_list=50:99",
];

#[test]
fn the_text_has_the_lines_of_fio() {
    let Some(peers) = Peers::find() else { return };
    for words in GUIDES {
        let Some((theirs, ours)) = peers.texts(words) else { return };
        let ours = ours.split("\nNotes by plimsoll:").next().unwrap_or_default();
        let (theirs, ours) = (skeletons(&theirs), skeletons(ours));
        assert_eq!(theirs, ours, "{words}");
    }
}

#[test]
fn no_line_of_the_text_is_wider_than_fios() {
    let Some(peers) = Peers::find() else { return };
    let Some((theirs, ours)) = peers.texts(GUIDES[1]) else { return };
    let widest = |text: &str| text.lines().map(str::len).max().unwrap_or(0);
    // The newer fio prints sectors too.
    let sectors = ", sectors=1234567/1234567".len();
    assert!(widest(&ours) <= widest(&theirs) + sectors, "{ours}");
}

/// Refused words, and which streams must agree word for word, except for line numbers of fio's source.
const REFUSED: [(&str, SharedStreams); 17] = [
    ("--name=a --rw=read", SharedStreams::Both),
    ("--name=a --rw=randread --filename=no/such/file --numjobs=3", SharedStreams::Both),
    ("--bogus=3 --name=a", SharedStreams::Both),
    ("--name=a --iodepht=4 --size=1m", SharedStreams::Both),
    ("--name=a --size", SharedStreams::Both),
    ("--iodep=4 --name=a", SharedStreams::Stderr),
    ("--name=a --rw=foo --size=1m", SharedStreams::Stderr),
    ("--name=a --direct=2 --size=1m", SharedStreams::Both),
    ("--name=a --iodepth=0 --size=1m", SharedStreams::Both),
    ("nosuch.fio", SharedStreams::Both),
    ("--name=a --ioengine=nope --size=1m", SharedStreams::Both),
    ("--name=a --size=1m --bs=2m", SharedStreams::Both),
    ("--name=a --size=1m --rate=1m --rate_iops=5", SharedStreams::Both),
    ("--name=a --output-format=xml --size=1m", SharedStreams::Both),
    ("--name=a --size=1m --output=no/such/place", SharedStreams::Both),
    ("--rw=read --size=1m", SharedStreams::Stderr),
    ("--name=a --size=1m --filename=/sys/fio-test", SharedStreams::Both),
];

/// The streams on which both say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SharedStreams {
    Both,
    /// Stderr alone: what goes to stdout explains, each tool in its own words.
    Stderr,
}

/// After fio's own words, plimsoll may add what to do.
#[test]
fn refusals_have_fios_words_and_exit_codes() {
    let Some(peers) = Peers::find() else { return };
    for (words, said) in REFUSED {
        let (theirs, ours) = (peers.run(Who::Real, words), peers.run(Who::Link, words));
        assert_eq!(theirs.code, ours.code, "{words}: {} {}", theirs.err, ours.err);
        let [their_words, our_words] = [&theirs.err, &ours.err].map(|text| skeletons(text));
        let told: Vec<&String> = their_words.iter().filter(|line| !line.is_empty()).collect();
        assert!(our_words.iter().take(told.len()).eq(told), "{words}: {} {}", theirs.err, ours.err);
        if said == SharedStreams::Both {
            let ours = ours.out.split("\nNotes by plimsoll:").next().unwrap_or_default();
            assert_eq!(skeletons(&theirs.out), skeletons(ours), "{words}");
        }
    }
}

#[test]
fn a_job_file_is_refused_in_fios_words() {
    let Some(peers) = Peers::find() else { return };
    let place = peers.folder.make_dir("files");
    for text in ["[a]\nsize=1m\nnosuchthing=1\n", "size=1m\n[a]\n", "[a]\nrw=foo\n", "[global]\nsize=1m\n"] {
        std::fs::write(place.join("job.fio"), text).unwrap();
        let [theirs, ours] = [Who::Real, Who::Link].map(|who| peers.run_in(&place, who, "job.fio"));
        assert_eq!(theirs.code, ours.code, "{text}");
        // Newer options may change which name is nearest.
        let lines =
            |text: &str| text.lines().filter(|l| !l.starts_with("Did you")).map(str::to_owned).collect();
        let [theirs, ours]: [Vec<String>; 2] = [lines(theirs.err.trim_end()), lines(&ours.err)];
        assert!(ours.starts_with(&theirs), "{text}: {theirs:?} {ours:?}");
    }
}

#[test]
fn odd_lengths_of_direct_io_fail_as_in_fio() {
    let Some(peers) = Peers::find() else { return };
    let words = "--name=a --size=1m --filename=F --bs=1000 --direct=1";
    for words in [words.to_owned(), format!("{words} --ioengine=libaio")] {
        let (theirs, ours) = (peers.run(Who::Real, &words), peers.run(Who::Link, &words));
        if theirs.code == Some(0) {
            return skipped(Lack::Kernel, "direct I/O of 1000 bytes goes here");
        }
        assert_eq!((theirs.code, ours.code), (Some(1), Some(1)));
        assert!(ours.err.starts_with(&theirs.err), "{} {}", theirs.err, ours.err);
        let said: Vec<String> =
            skeletons(&theirs.out).into_iter().filter(|l| l.starts_with("fio: ")).collect();
        assert!(skeletons(&ours.out).windows(said.len()).any(|lines| lines == said), "{}", ours.out);
        let json = peers.run(Who::Link, &format!("{words} --output-format=json"));
        assert_eq!(json.json()["jobs"][0]["error"], 22, "{}", json.out);
    }
}

#[test]
fn a_file_system_without_direct_io_is_named_as_fio_names_it() {
    let Some(peers) = Peers::find() else { return };
    let words = format!("--name=a --size=1m --direct=1 --filename={}", peers.folder.text("memory/F"));
    let Some(_mount) = MountGuard::at(peers.folder.path("memory"), &["-t", "tmpfs", "tmpfs"]) else { return };
    let (theirs, ours) = (peers.run(Who::Real, &words), peers.run(Who::Link, &words));
    assert_eq!(theirs.code, ours.code, "{} {}", theirs.err, ours.err);
    if theirs.code == Some(0) {
        return skipped(Lack::Kernel, "tmpfs takes direct I/O here");
    }
    let text = "fio: looks like your file system does not support direct=1/buffered=0";
    assert!(theirs.err.contains(text) && ours.err.contains(text), "{} {}", theirs.err, ours.err);
}

/// fio ends with 0 here, which a script takes for a measurement.
#[test]
fn a_mounted_device_is_refused_with_exit_code_1() {
    let folder = Folder::new();
    let Some(volume) = is_root().then(|| Volume::read_only(&folder, 64)).flatten() else {
        return skipped(Lack::Kernel, "no file system on a loop device to be had");
    };
    let device = volume.disk.node();
    let before = volume.disk.fingerprint();
    for more in ["", "--allow_mounted_write=1"] {
        let words = format!("--name=a --rw=write --size=1m --direct=1 --filename={device} {more}");
        let words: Vec<&str> = ["fio"].into_iter().chain(words.split_whitespace()).collect();
        let ended = ended(&mut folder.plimsoll(&words));
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""));
        assert!(ended.err.starts_with("fio: ") && ended.err.contains("mounted"), "{}", ended.err);
    }
    assert_eq!(volume.disk.fingerprint(), before);
}

#[test]
#[ignore = "night: a signal after real seconds"]
fn ctrl_c_ends_with_128_and_the_results() {
    let Some(peers) = Peers::find() else { return };
    let words = "--name=a --ioengine=null --size=1m --rate_iops=100 --time_based --runtime=60";
    let [theirs, ours] = [Who::Real, Who::Link].map(|who| interrupted(&peers, who, words));
    assert_eq!((theirs.code, ours.code), (Some(128), Some(128)), "{} {}", theirs.err, ours.err);
    assert!(ours.out.contains("\n\nfio: terminating on signal 2\n\na: (groupid=0"), "{}", ours.out);
    assert_eq!(skeletons(&theirs.out), skeletons(&ours.out));
    let json = interrupted(&peers, Who::Command, &format!("{words} --output-format=json"));
    assert_eq!(json.code, Some(128));
    assert!(json.json()["jobs"][0]["read"]["total_ios"].as_u64().unwrap() > 0);
}

fn interrupted(peers: &Peers, who: Who, words: &str) -> ProgramOutput {
    let place: PathBuf = peers.folder.make_dir("stopped");
    let running = Running::start(&mut peers.command(&place, who, words));
    // fio prints rates from the second half-second interval onwards.
    std::thread::sleep(Duration::from_millis(1700));
    running.signal("INT");
    running.wait()
}
