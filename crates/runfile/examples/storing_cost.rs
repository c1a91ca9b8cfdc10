//! Measures what storing costs: an interval with a wide histogram, a day of samples of twenty devices
//! committed one by one as in a watch, and reading it back.
//!
//! `cargo run --release -p runfile --example storing_cost -- DIRECTORY [HOURS]`
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::path::PathBuf;
use std::time::Instant;

use record::{DiskCounters, Distribution, Histogram, Interval, Run, Sample, Tally};
use runfile::{SameDevice, Writer, read};
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, FilePlan, Flush, Mix, Nanos, Pace, StepKind, StepPlan,
    StopRule, WorkerPlan,
};

fn plan() -> StepPlan {
    let worker = WorkerPlan {
        job: "load".to_owned(),
        files: vec![FilePlan { path: "/mnt/data".into(), offset: Bytes(0), size: Bytes::GIB }],
        access: Access::random(Mix::READ),
        blocks: BlockSizes::all(Bytes::kib(4)),
        depth: 32,
        pace: Pace::Closed,
        backend: BackendKind::IoUring,
        direct: true,
        buffers: Buffers::Unique,
        flush: Flush::Never,
        verify: workload::Verify::Off,
        seed: 1,
        cpu: None,
        terms: workload::Terms::default(),
    };
    StepPlan {
        name: "a day".to_owned(),
        kind: StepKind::Job,
        workers: vec![worker],
        stop: vec![StopRule::Time(Nanos::from_secs(86_400))],
        ramp: Nanos::ZERO,
        interval: Nanos::SECOND,
        choices: Vec::new(),
    }
}

/// Returns an interval of 10,000 latencies spread over three decades: about 3,000 filled buckets, more than a real second has.
fn second(n: u64) -> Interval {
    let (mut tally, mut histogram) = (Tally::default(), Histogram::new());
    for i in 0..10_000u64 {
        let latency = 100_000 + (i * i * 7919 + n * 31) % 100_000_000;
        tally.count(4096, latency);
        histogram.record(latency);
    }
    let mut interval = Interval::empty(0, Nanos::from_secs(n), Nanos::from_secs(n + 1));
    interval.directions[0].tally = tally;
    interval.directions[0].latency = Distribution::of(&histogram, tally.latency_ns_min, tally.latency_ns_max);
    interval
}

fn sample(n: u64) -> Sample {
    let counters = DiskCounters {
        reads: 3000 * n,
        sectors_read: 24_000 * n,
        read_ms: 3100 * n,
        writes: 1000 * n,
        sectors_written: 8000 * n,
        write_ms: 900 * n,
        busy_ms: 998 * n,
        queue_ms: 4000 * n,
        ..DiskCounters::default()
    };
    let disks = (0..20).map(|disk| (format!("nvme{disk}n1").into(), counters)).collect();
    Sample { at: Nanos::from_secs(n), disks, ..Sample::default() }
}

/// Returns the user and system time of this process in seconds, from the hundredths in `/proc/self/stat`
/// (proc(5), fields 14 and 15).
fn cpu_seconds() -> Result<f64, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let behind = stat.rsplit(')').next().unwrap_or_default();
    let ticks = behind.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
}

/// Returns the peak resident memory of this process in MiB.
fn resident_mib() -> Result<f64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    Ok(line.split_whitespace().next().unwrap_or("0").parse::<f64>()? / 1024.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let hours: u64 = arguments.next().map_or(Ok(24), |word| word.parse())?;
    let path = dir.join(format!("cost-{}.plimsoll", std::process::id()));
    let mut writer = Writer::create(runfile::at(&path), &Run::started(Vec::new(), 0), SameDevice::No)?;
    writer.step_started(&plan(), Nanos::ZERO)?;

    let intervals: Vec<Interval> = (0..100).map(second).collect();
    let began = Instant::now();
    intervals.iter().try_for_each(|interval| writer.interval(interval))?;
    writer.commit()?;
    println!("an interval            {:>9.1} us", began.elapsed().as_secs_f64() * 1e6 / 100.0);

    let seconds = hours * 3600;
    let (began, before, mut log_most) = (Instant::now(), cpu_seconds()?, 0);
    for n in 0..seconds {
        writer.sample(&sample(n))?;
        writer.commit()?;
        // As often as a watch does by the clock.
        if n % 10 == 9 {
            let mut log = path.clone().into_os_string();
            log.push("-wal");
            log_most = log_most.max(std::fs::metadata(log).map_or(0, |about| about.len()));
            writer.checkpoint()?;
        }
    }
    let each = 1e6 / seconds as f64;
    println!("a sample of 20 devices {:>9.1} us, committed", began.elapsed().as_secs_f64() * each);
    let spent = (cpu_seconds()? - before) * each;
    println!("CPU of it              {spent:>9.1} us, {:.4} % of a core at one a second", spent / 1e4);
    println!("resident at most       {:>9.1} MiB", resident_mib()?);
    println!("its log at most        {:>9.1} MB", log_most as f64 / 1e6);

    let path = writer.finish()?;
    println!("the file               {:>9.1} MB", std::fs::metadata(&path)?.len() as f64 / 1e6);
    let began = Instant::now();
    let run = read(&path)?;
    println!(
        "reading {hours} h back       {:>9.2} s, {} samples",
        began.elapsed().as_secs_f64(),
        run.samples.len()
    );
    std::fs::remove_file(&path)?;
    Ok(())
}
