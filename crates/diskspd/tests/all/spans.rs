//! Timespans as steps of the engine: threads, places, rates, buffers, and what cannot run.

use std::path::Path;

use diskspd::{
    CannotRun, Ground, PathFacts, SpanPlan, Stream, creations, plan_span, precreations, read_profile,
};
use workload::{
    BackendAsk, BackendKind, Buffers, Bytes, DiskSpdMode, DiskSpdOrder, Iops, Job, Nanos, Pace, StopRule,
    SyncMode, Think,
};

use crate::vocabulary::asked;

const MIB: u64 = 1 << 20;

/// Targets of 64 MiB, except `tiny` with 64 KiB; `missing` does not exist.
fn look(path: &Path) -> Option<PathFacts> {
    let bytes = match path.to_str()? {
        "missing" => return None,
        "empty" => 0,
        "tiny" => 65_536,
        _ => 64 * MIB,
    };
    Some(PathFacts { bytes, alignment: 512 })
}

fn plan(words: &str) -> Result<SpanPlan, CannotRun> {
    let asked = asked(words);
    let read = |path: &Path, most: u64| match path.to_str() {
        Some("source") => Ok(vec![7; most.min(16) as usize]),
        _ => Err(std::io::Error::from(std::io::ErrorKind::NotFound)),
    };
    let ground = Ground { look: &look, read: &read, cpus: &[0, 1, 4], ring: asked.ring };
    plan_span(&asked.profile.time_spans[0], &ground)
}

fn jobs(words: &str) -> Vec<Job> {
    plan(words).unwrap_or_else(|error| panic!("{words}: {error}")).workload.jobs
}

fn order(job: &Job) -> DiskSpdOrder {
    job.access.diskspd.as_deref().cloned().unwrap_or_else(|| panic!("{} has no walk", job.name))
}

#[test]
fn the_two_published_lines_are_four_threads_each() {
    let plan = plan("-c200G -w100 -b8K -F4 -r -o128 -W30 -d30 -Sh testfile.dat").unwrap();
    assert_eq!((plan.threads, plan.workload.jobs.len()), (4, 4));
    assert_eq!(plan.workload.stop, [StopRule::Time(Nanos::from_secs(30))]);
    assert_eq!(plan.workload.ramp, Nanos::from_secs(30));
    for (thread, job) in plan.workload.jobs.iter().enumerate() {
        assert_eq!((job.depth, job.direct, job.sync), (128, true, SyncMode::Dsync));
        assert_eq!((job.blocks.longest(), job.access.mix.writes_only()), (Bytes(8192), true));
        let order = order(job);
        assert_eq!(
            (order.seed, order.walks[0].mode, order.walks[0].step),
            (thread as u64, DiskSpdMode::Random, 8192)
        );
        assert_eq!(job.cpus, [[0, 1, 4, 0][thread]], "round robin over the CPUs that there are");
    }
    let reads = jobs("-c200G -b4K -F4 -r -o128 -W7200 -d30 -Sh testfile.dat");
    assert!(reads.iter().all(|job| job.access.mix.reads_only() && job.blocks.longest() == Bytes(4096)));
}

#[test]
fn threads_are_counted_over_targets_and_places_within_each() {
    let plan = plan("-t2 -T4K -b4K -z100 a b").unwrap();
    let of = |thread, target| Stream { thread, target, targets: 1 };
    assert_eq!(plan.streams, [of(0, 0), of(1, 0), of(2, 1), of(3, 1)]);
    let starts: Vec<(u64, u64)> =
        plan.workload.jobs.iter().map(|job| (order(job).seed, order(job).walks[0].start)).collect();
    assert_eq!(starts, [(100, 0), (101, 4096), (102, 0), (103, 4096)]);
    // With -F every thread works on every target, and starts at an offset by its own number.
    let plan = self::plan("-F2 -T4K -b4K a b").unwrap();
    assert_eq!(plan.streams, [of(0, 0), of(0, 1), of(1, 0), of(1, 1)]);
    assert_eq!(
        plan.workload.jobs.iter().map(|job| order(job).walks[0].start).collect::<Vec<_>>(),
        [0, 0, 4096, 4096]
    );
    assert_eq!(plan.threads, 2);
    // In a pool each thread has one queue over all targets.
    let plan = self::plan("-F2 -O8 -r a b").unwrap();
    assert_eq!(plan.streams, [0, 1].map(|thread| Stream { thread, target: 0, targets: 2 }));
    assert_eq!((plan.workload.jobs[0].depth, plan.workload.jobs[0].files.len()), (8, 2));
    assert_eq!(order(&plan.workload.jobs[0]).weights, [1, 1]);
}

#[test]
fn patterns_have_their_walks() {
    let mode = |words: &str| order(&jobs(words)[0]).walks[0].mode;
    assert_eq!(mode("t"), DiskSpdMode::Sequential);
    assert_eq!(mode("-t2 -si t"), DiskSpdMode::Interlocked(0));
    assert_eq!(mode("-si t"), DiskSpdMode::Sequential, "one thread has its own sequence");
    assert_eq!(mode("-p t"), DiskSpdMode::Parallel);
    assert_eq!(mode("-rs30 t"), DiskSpdMode::Mixed(30));
    assert_eq!(mode("-rs100 t"), DiskSpdMode::Random);
    let ranges = order(&jobs("-b4K -r -rdpct90/10:0/10 t")[0]).walks[0].ranges.clone();
    assert_eq!(ranges.iter().map(|range| range.io).collect::<Vec<_>>(), [90, 10]);
    assert_eq!(ranges[1].start, (64 * MIB / 5) / 4096 * 4096);
    let within = &jobs("-B1M:2M -r t")[0];
    assert_eq!((within.offset, within.size), (Bytes(MIB), Some(Bytes(2 * MIB))));
}

#[test]
fn rates_pauses_and_means_of_io() {
    assert_eq!(jobs("-g10i -b128K t")[0].pace, Pace::Fixed(Iops(10.0)));
    assert_eq!(jobs("-g8192 -b4K t")[0].pace, Pace::Fixed(Iops(2000.0)));
    assert_eq!(jobs("-i20 -j5 -t4 t")[0].think, Some(Think::burst(5, Nanos::from_millis(5))));
    assert!(plan("-i3 -j5 -t4 t").unwrap().warnings[0].contains("less than one I/O"));
    let limited = plan("-i20 -j5 -g100 t").unwrap();
    assert_eq!(limited.workload.jobs[0].think, None);
    assert!(limited.warnings[0].contains("beside -g"));
    assert_eq!(jobs("-o1 t")[0].backend, BackendAsk::Only(BackendKind::Pread));
    assert_eq!(jobs("-o2 t")[0].backend, BackendAsk::Best);
    assert_eq!(jobs("-u -o1 t")[0].backend, BackendAsk::Only(BackendKind::IoUring));
    assert_eq!(jobs("-C3 t")[0].cool, Nanos::from_secs(3));
    assert!(jobs("-n t")[0].cpus.is_empty());
    assert_eq!(jobs("-t3 -a4,1 -r t").iter().map(|job| job.cpus[0]).collect::<Vec<_>>(), [4, 1, 4]);
}

#[test]
fn what_is_written_and_what_it_draws() {
    let of = |words: &str| {
        let job = jobs(words)[0].clone();
        let draws = order(&job).walks[0].draws_a_write;
        (job.buffers, draws)
    };
    let Buffers::Pattern(pattern) = of("-w100 t").0 else { panic!("{:?}", of("-w100 t").0) };
    assert_eq!(pattern.bytes, (0..=255).collect::<Vec<u8>>());
    assert_eq!(of("-w100 -Z t"), (Buffers::Zero, 0));
    assert_eq!(of("-w100 -Zr -b4K t"), (Buffers::Unique, 31 * 5 + 16));
    assert_eq!(of("-w100 -Zr -b128 t"), (Buffers::Unique, 16));
    assert_eq!(of("-w100 -Zr -b136 t"), (Buffers::Unique, 6));
    assert_eq!(of("-w100 -Z2M t"), (Buffers::Stamped, 1));
    let Buffers::Pattern(pattern) = of("-w100 -Z2M,source t").0 else { panic!("no pattern") };
    assert_eq!(pattern.bytes, [7; 16]);
    assert!(plan("-w100 -Z2M,nowhere t").unwrap_err().to_string().contains("nowhere"));
}

#[test]
fn intervals_divide_buckets_and_measured_time() {
    let interval = |words: &str| plan(words).unwrap().interval;
    assert_eq!(interval("t"), Nanos::SECOND);
    assert_eq!(interval("-D250 t"), Nanos::from_millis(250));
    assert_eq!(interval("-D300 -d10 t"), Nanos::from_millis(100));
    assert_eq!(interval("-D5000 -d7 t"), Nanos::from_millis(1000));
}

#[test]
fn what_cannot_run_says_what_would_do() {
    let cases = [
        ("missing", "-c<size> makes a file"),
        ("empty", "is empty"),
        ("-b1M tiny", "does not fit"),
        ("-B64K tiny", "does not fit"),
        ("-t2 -T64K tiny", "too small"),
        ("-Su -b1000 t", "multiple of 512"),
        ("-Su -r1000 t", "the alignment (-r)"),
        ("-Su -B100 t", "the base offset (-B)"),
        ("-d0 t", "-d1"),
        ("-a3 t", "CPU 3"),
        ("-ag1,0 t", "CPU 64"),
        ("-F2 -O4 -D -r a b", "leave it out"),
        ("-o2000000000 t", "at most 65536"),
        ("-F1000000 -r t", "at most 4096"),
        ("-t4097 -r t", "at most 4096"),
        ("-D1 -d4000 t", "a longer -D"),
        ("-F2 -O4 -f1M -r a b", "use all of their size"),
    ];
    for (words, part) in cases {
        let error = plan(words).unwrap_err().to_string();
        assert!(error.contains(part), "{words}: {error}");
    }
    assert!(plan("-f128M t").unwrap().warnings[0].contains("smaller than the end"));
}

#[test]
fn files_are_made_once_for_the_spans_that_ask() {
    let made = creations(&asked("-c1M a b").profile.time_spans[0], &[]);
    assert_eq!(
        made.iter().map(|one| (one.path.to_str().unwrap(), one.bytes)).collect::<Vec<_>>(),
        [("a", MIB), ("b", MIB)]
    );
    // Paths and sizes of two timespans; 0: no size.
    let profile = |rule: &str| {
        let span = |targets: &[(&str, u64)]| {
            let target = |&(path, bytes): &(&str, u64)| match bytes {
                0 => format!("<Target><Path>{path}</Path></Target>"),
                bytes => format!("<Target><Path>{path}</Path><FileSize>{bytes}</FileSize></Target>"),
            };
            format!(
                "<TimeSpan><Targets>{}</Targets></TimeSpan>",
                targets.iter().map(target).collect::<String>()
            )
        };
        let first = span(&[("f1", 100), ("f2", 0)]);
        let second = span(&[("f1", 150), ("f2", 200), ("f3", 0), ("f4", 300), ("f4", 300)]);
        let text = format!(
            "<Profile><PrecreateFiles>{rule}</PrecreateFiles><TimeSpans>{first}{second}</TimeSpans></Profile>"
        );
        let profile = read_profile(&text).unwrap();
        let before = precreations(&profile);
        let names: Vec<(String, u64)> =
            before.iter().map(|one| (one.path.display().to_string(), one.bytes)).collect();
        assert!(creations(&profile.time_spans[1], &before).iter().all(|one| !before.contains(one)));
        names
    };
    let named =
        |list: &[(&str, u64)]| list.iter().map(|&(path, bytes)| (path.to_owned(), bytes)).collect::<Vec<_>>();
    assert_eq!(profile("UseMaxSize"), named(&[("f1", 150), ("f2", 200), ("f4", 300)]));
    assert_eq!(profile("CreateOnlyFilesWithConstantSizes"), named(&[("f4", 300)]));
    assert_eq!(profile("CreateOnlyFilesWithConstantOrZeroSizes"), named(&[("f2", 200), ("f4", 300)]));
}
