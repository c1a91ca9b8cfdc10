//! One law for explaining and running: what is said of a random command line is what the planned load does, in virtual
//! time on a volume that answers at once. `PLIMSOLL_LINES=2000` tries that many lines, `PLIMSOLL_SEED=17` a single one.

use std::collections::BTreeSet;
use std::path::Path;

use engine::{Clones, FileFacts, PlanTarget, PlanTargetKind, Volume, VolumeAnswer, plan, run_simulated};
use explain::{ExplainedLoad, Explanation, Level};
use fio::{FioStep, OnDisk, OnDiskKind, Request, Surroundings, parse, steps};
use record::{Interval, Observer};
use statistics::Stream;
use workload::{BackendKind, Bytes, Direction, Io, Nanos, StepKind};

use crate::one;

/// Default number of lines.
const LINES: u64 = 300;
/// Length in bytes of every file and device.
const LENGTH: u64 = 4 << 20;
/// Length in bytes of what is counted as overwritten.
const SECTOR: u64 = 512;
/// Greatest share by which a mean may differ from what was drawn, and number of I/Os that it may always differ.
const DRAWN: (f64, f64) = (0.2, 12.0);
/// Standard deviations by which it may differ: lengths vary by no more than their mean.
const DEVIATIONS: f64 = 4.5;

struct Draw(Stream);

impl Draw {
    fn one_in(&mut self, n: u64) -> bool {
        self.0.below(n) == 0
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.0.below(words.len() as u64) as usize]
    }
}

/// Options, each with the reciprocal of its share of the lines and its values.
#[rustfmt::skip]
const OPTIONS: &[(&str, u64, &[&str])] = &[
    ("bs", 2, &["4k", "8k", "16k", "512", "3k", "64k", "4k,8k", "8k,4k,16k"]),
    ("bsrange", 14, &["4k-10k", "4k-64k", "8k-20k"]),
    ("bssplit", 14, &["4k/50:64k/50", "4k/10:8k/90,16k/100"]),
    ("bs_unaligned", 30, &["1"]),
    ("filesize", 10, &["64k", "512k", "2m", "100k"]),
    ("offset", 4, &["0", "16k", "64k", "100k", "25%", "1m", "50%"]),
    ("io_size", 8, &["32k", "512k", "2m", "50%"]),
    ("number_ios", 10, &["1", "10", "100"]),
    ("loops", 10, &["2", "3"]),
    ("numjobs", 5, &["2", "4"]),
    ("offset_increment", 8, &["64k", "512k", "25%", "10%"]),
    ("ioengine", 2, &["psync", "libaio", "io_uring", "sync", "null", "mmap"]),
    ("iodepth", 3, &["1", "4", "16"]),
    ("direct", 3, &["0", "1"]),
    ("rwmixread", 5, &["0", "30", "70", "96", "100"]),
    ("rate_iops", 8, &["100", "500", "200,50", "300,", "1000"]),
    ("rate", 12, &["1m", "4m,1m", "512k", "700k,100k"]),
    ("thinktime", 8, &["1000", "20ms", "1s", "12s", "3"]),
    ("thinktime_blocks", 12, &["4", "8", "100"]),
    ("percentage_random", 14, &["30", "0", "100"]),
    ("zonemode", 20, &["strided --zonesize=64k --zonerange=128k", "strided --zonesize=32k"]),
    ("verify", 10, &["crc32c", "md5", "pattern --verify_pattern=0xbeef"]),
    ("do_verify", 16, &["0"]),
    ("verify_only", 40, &["1"]),
    ("create_only", 30, &["1"]),
    ("file_append", 24, &["1"]),
    ("runtime", 6, &["1", "2", "300ms"]),
    ("time_based", 10, &["1"]),
    ("ramp_time", 20, &["1"]),
    ("norandommap", 10, &["1"]),
    ("fsync", 12, &["8", "1"]),
    ("end_fsync", 14, &["1"]),
    ("sync", 14, &["1"]),
    ("allow_file_create", 14, &["0"]),
    ("random_distribution", 16, &["zipf:1.1", "pareto:0.2", "zoned:50/10:50/90"]),
    ("overwrite", 20, &["1"]),
    ("group_reporting", 8, &["1"]),
    ("stonewall", 16, &["1"]),
];

fn job(draw: &mut Draw, name: &str) -> String {
    let rw = draw.of(&[
        "read",
        "randread",
        "write",
        "randwrite",
        "rw",
        "randrw",
        "randrw",
        "trim",
        "randtrim",
        "trimwrite",
        "randtrimwrite",
        "read:8k",
        "write:4k",
        "randread:4",
    ]);
    let place = draw.of(&[
        "--filename=f",
        "--filename=f",
        "--filename=f:g",
        "--filename=/dev/sdx",
        "--filename=/dev/sdx:/dev/sdy",
        "",
        "--nrfiles=3",
        "--directory=d --nrfiles=2",
    ]);
    let mut words = format!(" --name={name} {place} --rw={rw}");
    if !draw.one_in(5) {
        let sizes = ["64k", "100k", "256k", "1m", "1025k", "50%", "25%", "4k", "2m", "100%"];
        words.push_str(&format!(" --size={}", draw.of(&sizes)));
    }
    for (option, one_in, values) in OPTIONS {
        if draw.one_in(*one_in) {
            words.push_str(&format!(" --{option}={}", draw.of(values)));
        }
    }
    words
}

fn line(seed: u64) -> String {
    let mut draw = Draw(Stream::new(seed, 0));
    let mut words = "fio".to_owned();
    if draw.one_in(8) {
        words.push_str(" --readonly");
    }
    words.push_str(&job(&mut draw, "one"));
    if draw.one_in(5) {
        words.push_str(&job(&mut draw, "two"));
    }
    words
}

/// Whether a job leaves holes: where it goes on depends on the length of the file, which it makes itself.
fn has_holes(words: &str) -> bool {
    words.contains("rw=read:8k") || words.contains("rw=write:4k")
}

/// Every path exists, with the same length, except files that a job with holes makes.
fn look(path: &Path, words: &str) -> Option<OnDisk> {
    let name = path.to_str()?;
    let (kind, bytes) = match name {
        "d" | "." => (OnDiskKind::Directory, 0),
        _ if name.starts_with("/dev/") => (OnDiskKind::Device { held_by: None }, LENGTH),
        _ if has_holes(words) => (OnDiskKind::File, 0),
        _ => (OnDiskKind::File, LENGTH),
    };
    Some(OnDisk { bytes, kind, laid_out: true })
}

/// A volume that answers after 10 µs and keeps what it was asked.
#[derive(Default)]
struct Seen(Vec<Io>);

impl Volume for Seen {
    fn serve(&mut self, now: Nanos, io: &Io) -> VolumeAnswer {
        self.0.push(*io);
        VolumeAnswer { done_at: now + Nanos::from_micros(10), result: io.bytes as i32 }
    }
}

/// Stops what does not end by itself.
struct Patience(u32);

impl Observer for Patience {
    fn interval(&mut self, _interval: &Interval) {
        self.0 += 1;
    }

    fn interrupted(&self) -> bool {
        self.0 > 200_000
    }
}

/// What one job did, all clones together.
struct Done {
    ios: Vec<Io>,
    seconds: f64,
}

/// Runs the clones of job `name` alone; `None` if they cannot run.
fn run(step: &FioStep, labels: &[String]) -> Option<Done> {
    let mut workload = step.workload.clone();
    workload.jobs.retain(|job| labels.contains(&job.name));
    if workload.jobs.is_empty() {
        return None;
    }
    let paths: BTreeSet<_> = workload.jobs.iter().flat_map(|job| job.files.clone()).collect();
    let length = |path: &Path| {
        let laid = step.layouts.iter().flat_map(|layout| &layout.files).filter(|file| file.path == path);
        laid.map(|file| file.bytes).fold(LENGTH, u64::max)
    };
    let facts = |path: &std::path::PathBuf| FileFacts {
        path: path.clone(),
        size: Bytes(length(path)),
        direct_alignment: Bytes(1),
        writable: true,
    };
    let works = [BackendKind::IoUring, BackendKind::Libaio, BackendKind::Pread, BackendKind::Null];
    let target = PlanTarget {
        files: paths.iter().map(facts).collect(),
        kind: PlanTargetKind::Machine(works.map(|kind| (kind, Ok(()))).into()),
        cpus: vec![0, 1],
        interval: step.interval,
        clones: Clones::Together,
    };
    let plan = plan(&workload, "run", StepKind::Job, &target).ok()?;
    let mut seen = Seen::default();
    let record = run_simulated(&plan, &mut seen, Nanos::ZERO, &mut Patience(0)).ok()?;
    Some(Done { ios: seen.0, seconds: record.ended.as_secs_f64() })
}

/// What is said of a job that it did not do, or the reverse.
fn contradictions(explanation: &Explanation, load: &ExplainedLoad, done: &Done, words: &str) -> Vec<String> {
    let mut found = Vec::new();
    let count = |kind| done.ios.iter().filter(|io| io.kind == kind).count() as f64;
    let (reads, writes, trims) = (count(Direction::Read), count(Direction::Write), count(Direction::Trim));
    let verified = words.contains("--verify=");
    for (what, said, did) in [
        ("reads", load.reads || verified, reads),
        ("writes", load.writes, writes),
        ("trims", load.trims, trims),
    ] {
        if !said && did > 0.0 {
            found.push(format!("{did} {what}, of which nothing is said"));
        }
    }
    // Verification reads what was written, and only that.
    let others = if verified && load.writes { writes + trims } else { reads + writes + trims };
    let each = others / f64::from(load.copies);
    let counts = !(words.contains("--ramp_time") || verified && load.writes && load.reads);
    if let (Some(ios), None, true) = (load.ios, load.most_s, counts) {
        let off = (each - ios as f64).abs();
        let allowed = if load.ios_are_exact {
            0.0
        } else {
            (DRAWN.0 * ios as f64).max(DRAWN.1).max(DEVIATIONS * (ios as f64).sqrt())
        };
        if off > allowed {
            found.push(format!("{each} I/Os, {ios} are said"));
        }
        let late = done.seconds - load.least_s;
        let slack = 0.05 + if load.ios_are_exact { 0.05 } else { 0.4 } * load.least_s + each * 1e-5;
        let few = !load.ios_are_exact && ios < 40;
        // How full a queue is when a rest begins depends on paces and flushes.
        let queued = words.contains("thinktime") && words.contains("--iodepth");
        if load.least_s > 0.0 && !few && (late < -slack || late > slack && !queued) {
            found.push(format!("{} s, {} are said", done.seconds, load.least_s));
        }
    }
    if load.most_s.is_some_and(|most| done.seconds > most + 1.2 && !words.contains("thinktime")) {
        found.push(format!("{} s, at most {:?} are said", done.seconds, load.most_s));
    }
    let data = || done.ios.iter().filter(|io| io.kind != Direction::Flush);
    if let Some(io) = data().find(|io| load.from.is_some_and(|from| io.offset < from)) {
        found.push(format!("an I/O at {}, the part begins at {:?}", io.offset, load.from));
    }
    if let Some(io) =
        data().find(|io| load.until.is_some_and(|until| io.offset + u64::from(io.bytes) > until))
    {
        found.push(format!("an I/O of {} at {}, the part ends at {:?}", io.bytes, io.offset, load.until));
    }
    // In fio both directions of a mix begin again where one has come to the end.
    let turns = load.reads && load.writes && (words.contains("--loops") || words.contains("--io_size"));
    if load.copies == 1 && !verified && !turns && !words.contains("--ramp_time") {
        found.extend(reached(load, done));
    }
    // Files of the copies have the same numbers.
    let is_shared = load.copies == 1 || words.contains("--filename");
    if is_shared && !verified && !turns && load.most_s.is_none() && !words.contains("--ramp_time") {
        found.extend(spread(load, done, increment(words)));
    }
    found.extend(losses(explanation, load, done));
    found
}

/// Bytes by which each copy begins after the one before; `None` if it is a share of the file.
fn increment(words: &str) -> Option<u64> {
    match words.split("--offset_increment=").nth(1).and_then(|rest| rest.split(' ').next()) {
        Some(typed) => typed.strip_suffix('k')?.parse::<u64>().ok().map(|kib| kib * 1024),
        None => Some(0),
    }
}

/// The share of the part of each copy that is said to be changed, if another one is; copies begin `increment` apart.
fn spread(load: &ExplainedLoad, done: &Done, increment: Option<u64>) -> Option<String> {
    let (said, from, until) = (load.share_changed?, load.from?, load.until?);
    let (increment, further) = (increment?, u64::from(load.copies - 1));
    let part = (until - from).checked_sub(increment * further)?;
    let each = (said * part as f64).round() as u64;
    // What the copies change together, without what several of them do.
    let said_bytes = each + further * if increment > 0 { each.min(increment) } else { 0 };
    let changes = || done.ios.iter().filter(|io| matches!(io.kind, Direction::Write | Direction::Trim));
    let sectors: BTreeSet<(u32, u64)> = changes()
        .flat_map(|io| {
            (io.offset..io.offset + u64::from(io.bytes)).step_by(SECTOR as usize).map(|at| (io.file, at))
        })
        .collect();
    let files = changes().map(|io| io.file).collect::<BTreeSet<_>>().len() as f64;
    let all = (part + further * part.min(increment)) as f64 * files;
    let longest = changes().map(|io| f64::from(io.bytes)).fold(0.0, f64::max);
    let changed = sectors.len() as f64 * SECTOR as f64;
    let off = (changed - said_bytes as f64 * files).abs();
    // Of a mix, and of drawn lengths, chance decides how many are writes.
    let drawn = if load.reads || !load.ios_are_exact {
        DEVIATIONS * (all / longest.max(1.0)).sqrt() + 4.0
    } else {
        2.0
    };
    (files > 0.0 && off > drawn * longest * files)
        .then(|| format!("{:.1} % are changed, {:.1} % are said", 100.0 * changed / all, 100.0 * said))
}

/// What is said of how far the directions come, and is not so.
fn reached(load: &ExplainedLoad, done: &Done) -> Vec<String> {
    let ways = [(Direction::Read, load.reads_until), (Direction::Write, load.writes_until)];
    let of = |(way, until): (Direction, Option<u64>)| {
        let (until, from) = (until? as f64, load.from? as f64);
        let own: Vec<&Io> = done.ios.iter().filter(|io| io.kind == way).collect();
        let files = own.iter().map(|io| io.file).collect::<BTreeSet<_>>().len();
        let end = own.iter().map(|io| (io.offset + u64::from(io.bytes)) as f64).fold(from, f64::max);
        let longest = own.iter().map(|io| f64::from(io.bytes)).fold(0.0, f64::max);
        let each = own.len() as f64 / files.max(1) as f64;
        let drawn = if load.reads && load.writes || !load.ios_are_exact {
            DEVIATIONS * each.sqrt() + 4.0
        } else {
            1.0
        };
        let off = (end - until).abs();
        (off > drawn * longest.max(4096.0)).then(|| format!("{way:?} come to {end}, {until} is said"))
    };
    ways.into_iter().filter_map(of).collect()
}

/// What is said of data that is lost, and is not.
fn losses(explanation: &Explanation, load: &ExplainedLoad, done: &Done) -> Option<String> {
    let of_job = |text: &str| explanation.loads.len() == 1 || text.starts_with(&format!("{}:", load.job));
    let danger = explanation.risks.iter().find(|told| told.level == Level::Danger && of_job(&told.text));
    let changed = done.ios.iter().filter(|io| matches!(io.kind, Direction::Write | Direction::Trim));
    let sectors: BTreeSet<(u32, u64)> = changed
        .flat_map(|io| {
            (io.offset / SECTOR..(io.offset + u64::from(io.bytes)) / SECTOR).map(|at| (io.file, at))
        })
        .collect();
    let text = &danger?.text;
    // A mix of a few I/Os can be reads by chance, and lengths can be drawn that do not fit.
    let least = if load.reads { 40 } else { 0 };
    let certain = load.ios.is_some_and(|ios| ios > least) && load.most_s.is_none();
    if sectors.is_empty() && certain {
        return Some(format!("nothing is written, and it is said: {text}"));
    }
    let devices = if text.contains(" and ") { 2 } else { 1 };
    let all = sectors.len() as u64 >= devices * (LENGTH - 64 * 1024) / SECTOR;
    (text.contains("Everything on") && !all)
        .then(|| format!("{} sectors are written, and it is said: {text}", sectors.len()))
}

/// The contradictions of one line; `None` if it asks for nothing that can run.
fn tried(words: &str) -> Option<Vec<String>> {
    let is_of_others = ["%", "--allow_file_create=0", "--readonly", "--name=two"];
    if has_holes(words) && is_of_others.iter().any(|word| words.contains(word)) {
        return None;
    }
    let typed: Vec<String> = words.split_whitespace().skip(1).map(str::to_owned).collect();
    let around = Surroundings {
        read: &|_| Err(std::io::ErrorKind::NotFound.into()),
        bytes: &|_| Ok(vec![7]),
        below: &|_| Ok(Vec::new()),
        variable: &|_| None,
        entropy: 7,
        cpus: 2,
        memory: Bytes::gib(1),
        page: Bytes(4096),
    };
    let Ok(Request::Run(asked)) = parse(&typed, &around) else { return None };
    let explanation = one(words);
    let planned = steps(&asked, &|path| look(path, words)).ok()?;
    let mut found = None;
    for load in &explanation.loads {
        let clones = asked.jobs.iter().filter(|job| job.name == load.job);
        let labels: Vec<String> = clones.map(|job| job.label.clone()).collect();
        let done = planned.steps.iter().find_map(|step| run(step, &labels));
        if let Some(done) = done {
            found.get_or_insert_with(Vec::new).extend(contradictions(&explanation, load, &done, words));
        }
    }
    found
}

#[test]
fn what_is_said_of_a_line_is_what_it_does() {
    let number = |variable: &str| std::env::var(variable).ok()?.parse::<u64>().ok();
    let seeds = match number("PLIMSOLL_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("PLIMSOLL_LINES").unwrap_or(LINES),
    };
    let tries = seeds.end - seeds.start;
    let (mut ran, mut faults) = (0, Vec::new());
    for seed in seeds {
        let words = line(seed);
        let Some(found) = tried(&words) else { continue };
        ran += 1;
        if !found.is_empty() {
            faults.push(format!("{seed}: {words}\n    {}", found.join("\n    ")));
        }
    }
    assert!(ran * 3 >= tries, "only {ran} of {tries} lines can run");
    assert!(faults.is_empty(), "{} of {ran} lines:\n{}", faults.len(), faults.join("\n"));
}
