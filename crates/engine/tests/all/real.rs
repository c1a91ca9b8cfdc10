//! Steps in real time, on the null backend and on unnamed files.
#![allow(clippy::unwrap_used)] // A failed setup may fail its test.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::vocabulary::*;
use engine::{EngineError, fill, run_real};
use kernel::{Clock, Direct, OpenFile, OwnedTestFile};
use record::{Interval, IoTrace, Note, Observer, StepRecord};
use testbed::{Lack, skipped};
use workload::{
    Access, BackendKind, Buffers, Bytes, Direction, Ending, FilePlan, Flush, Iops, Mix, Nanos, Pace,
    StepPlan, StopRule, Terms, TracedIo, WorkerPlan,
};

fn null(depth: u32) -> WorkerPlan {
    WorkerPlan { backend: BackendKind::Null, ..at_depth(depth) }
}

fn run_null(plan: &StepPlan) -> StepRecord {
    run_real(plan, &[], Clock::start(), &mut Log::default()).unwrap()
}

/// The backends that this machine has.
fn backends() -> Vec<BackendKind> {
    let mut working = Vec::new();
    for (kind, works) in kernel::probe() {
        match works {
            Ok(()) => working.push(kind),
            Err(reason) => skipped(Lack::Kernel, format!("{} ({reason})", kind.name())),
        }
    }
    working
}

struct UnnamedFile {
    _folder: tempfile::TempDir,
    file: OwnedTestFile,
}

impl UnnamedFile {
    fn of(size: Bytes) -> UnnamedFile {
        let folder = tempfile::tempdir().unwrap();
        let file = kernel::unnamed_file(folder.path(), size).unwrap();
        file.set_len(size).unwrap();
        UnnamedFile { _folder: folder, file }
    }

    fn writable(&self) -> OpenFile {
        kernel::open_for_write(&kernel::guard::permit_unnamed(&self.file), Direct::No).unwrap()
    }
}

#[test]
fn amounts_are_exact_on_every_thread() {
    let mut plan = for_ops(200_000, vec![null(64), WorkerPlan { seed: 2, ..null(1) }, null(3)]);
    plan.interval = Nanos::from_millis(5);
    let record = run_null(&plan);
    assert_eq!((record.tally(Direction::Read).ops, record.ending), (600_000, Ending::Amount));
    assert_tiled(&record);
    for worker in &record.workers {
        assert_eq!(worker.depth_counts.iter().sum::<u64>(), 200_000);
        assert_eq!(worker.started, record.counted_from);
    }
}

#[test]
fn time_ends_a_step_and_its_intervals_have_no_gap() {
    let mut plan = step(vec![null(16), null(2)], StopRule::Time(Nanos::from_millis(120)));
    plan.ramp = Nanos::from_millis(30);
    plan.interval = Nanos::from_millis(20);
    let record = run_null(&plan);
    assert_eq!(record.ending, Ending::Time);
    assert_tiled(&record);
    assert!(record.ended >= record.counted_from + Nanos::from_millis(120));
    assert!(record.workers.iter().all(|worker| worker.user_cpu_ns + worker.system_cpu_ns > 0));
}

#[test]
fn a_paced_job_issues_what_was_due() {
    for pace in [Pace::Fixed(Iops(20_000.0)), Pace::Poisson(Iops(20_000.0))] {
        let plan = step(vec![WorkerPlan { pace, ..null(64) }], StopRule::Time(Nanos::from_millis(300)));
        let record = run_null(&plan);
        let ops = record.tally(Direction::Read).ops as f64;
        // Never more than was due; less if the machine kept the thread from its last turns.
        assert!(ops < 6_000.0 + 4.0 * 6_000f64.sqrt() && ops > 0.0, "{pace:?}: {ops}");
    }
}

/// Counts the I/Os that it is shown, ended and issued, and takes a moment for each piece.
#[derive(Default)]
struct SlowReader([usize; 2]);

impl Observer for SlowReader {
    fn interval(&mut self, _: &Interval) {}

    fn traced(&mut self, _: usize, ios: &[IoTrace]) {
        self.0[0] += ios.len();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }

    fn issued(&mut self, _: usize, ios: &[TracedIo]) {
        self.0[1] += ios.len();
    }
}

#[test]
fn a_worker_waits_for_the_reader_of_its_trace_rather_than_leave_out_an_io() {
    for depth in [1, 64] {
        let terms = Terms { trace: true, tells_issues: true, ..Terms::default() };
        let plan = for_ops(100_000, vec![WorkerPlan { terms, ..null(depth) }]);
        let mut reader = SlowReader::default();
        let record = run_real(&plan, &[], Clock::start(), &mut reader).unwrap();
        assert_eq!((reader.0, record.tally(Direction::Read).ops), ([100_000; 2], 100_000), "depth {depth}");
    }
}

/// Asks to stop after the first interval.
#[derive(Default)]
struct Impatient {
    told: AtomicBool,
}

impl Observer for Impatient {
    fn interval(&mut self, _: &Interval) {
        self.told.store(true, Ordering::Relaxed);
    }

    fn interrupted(&self) -> bool {
        self.told.load(Ordering::Relaxed)
    }
}

#[test]
fn an_interrupt_ends_an_endless_step_with_its_record() {
    let mut plan = step(vec![null(8), null(8)], StopRule::Time(Nanos::from_secs(1_000_000)));
    plan.interval = Nanos::from_millis(10);
    let record = run_real(&plan, &[], Clock::start(), &mut Impatient::default()).unwrap();
    assert_eq!(record.ending, Ending::Interrupted);
    assert_tiled(&record);
    let idle = engine::idle_plan("idle", Nanos::from_millis(10), Nanos::SECOND);
    assert_eq!(run_null(&idle).ending, Ending::Time);
}

#[test]
fn a_slow_pace_hears_an_interrupt_between_two_ios() {
    let sleepy = WorkerPlan { pace: Pace::Fixed(Iops(0.001)), ..null(1) };
    let mut plan = step(vec![sleepy], StopRule::Time(Nanos::from_secs(1_000_000)));
    plan.interval = Nanos::from_millis(10);
    let record = run_real(&plan, &[], Clock::start(), &mut Impatient::default()).unwrap();
    assert_eq!((record.ending, record.tally(Direction::Read).ops), (Ending::Interrupted, 1));
}

#[test]
fn what_every_backend_writes_can_be_read_back() {
    for backend in backends() {
        let size = Bytes::mib(4);
        let unnamed = UnnamedFile::of(size);
        let region = FilePlan { path: unnamed.file.path().to_owned(), offset: Bytes(0), size };
        let writer = WorkerPlan {
            backend,
            direct: false,
            files: vec![region],
            access: Access::random(Mix::WRITE),
            buffers: Buffers::Unique,
            flush: Flush::Every(100),
            depth: if backend == BackendKind::Pread { 1 } else { 8 },
            ..worker()
        };
        let plan = step(vec![writer.clone()], StopRule::BytesEach(size));
        let files = [vec![unnamed.writable()]];
        let record = run_real(&plan, &files, Clock::start(), &mut Log::default()).unwrap();
        assert_eq!(record.failures, []);
        assert_eq!(record.tally(Direction::Write).bytes, size.0, "{backend:?}");
        assert_eq!(record.tally(Direction::Flush).ops, 10);
        let used = |note: &Note| matches!(note, Note::Features { backend: used, .. } if *used == backend);
        assert!(record.notes.iter().any(used), "{:?}", record.notes);
        let mut blocks = std::collections::HashSet::new();
        let data = std::fs::read(format!(
            "/proc/self/fd/{}",
            std::os::fd::AsRawFd::as_raw_fd(&std::os::fd::AsFd::as_fd(&files[0][0]))
        ))
        .unwrap();
        for block in data.chunks(4096) {
            assert!(block.iter().any(|&byte| byte != 0) && blocks.insert(block.to_vec()), "each block once");
        }
        let reader = WorkerPlan { access: Access::random(Mix::READ), flush: Flush::Never, ..writer };
        let record =
            run_real(&for_ops(1_024, vec![reader]), &files, Clock::start(), &mut Log::default()).unwrap();
        assert_eq!(record.tally(Direction::Read).bytes, size.0);
        assert_eq!(record.tally(Direction::Read).short, 0);
    }
}

/// Reads every block of an unnamed file by `backend` at `depth`.
fn read_through(backend: BackendKind, depth: u32) -> StepRecord {
    let size = Bytes::mib(8);
    let unnamed = UnnamedFile::of(size);
    let region = FilePlan { path: unnamed.file.path().to_owned(), offset: Bytes(0), size };
    let reader = WorkerPlan { backend, direct: false, files: vec![region], ..at_depth(depth) };
    let files = [vec![unnamed.file.open_for_read(Direct::No).unwrap()]];
    run_real(&for_ops(2_048, vec![reader]), &files, Clock::start(), &mut Log::default()).unwrap()
}

#[test]
fn a_deep_queue_is_never_taken_back_whole_or_the_device_would_wait_for_us() {
    for backend in backends().into_iter().filter(|&backend| backend != BackendKind::Pread) {
        let record = read_through(backend, 64);
        let [none, upto4, upto8, more @ ..] = record.workers[0].complete_counts;
        assert_eq!(more, [0; 4], "{backend:?}: an eighth of 64 at most");
        assert!(upto4 + upto8 >= 2_048 / 8 && none <= upto4 + upto8, "{backend:?}");
        assert_eq!(record.tally(Direction::Read).ops, 2_048);
    }
}

/// While a batch refills the queue, it counts at the depth that it reaches: a deep job that keeps its queue full shows that.
#[test]
fn a_queue_that_is_refilled_counts_as_full() {
    for backend in backends().into_iter().filter(|&backend| backend != BackendKind::Pread) {
        let worker = &read_through(backend, 64).workers[0];
        let [.., full] = worker.depth_counts;
        assert!(full >= 2_048 * 95 / 100, "{backend:?}: {:?}", worker.depth_counts);
    }
}

#[test]
fn a_wait_for_the_clock_takes_nothing_back() {
    let paced = WorkerPlan { pace: Pace::Fixed(Iops(2_000.0)), ..null(1) };
    let record = run_null(&for_ops(200, vec![paced]));
    let [none, some, ..] = record.workers[0].complete_counts;
    assert_eq!((none, some), (0, 200));
}

#[test]
fn submission_is_known_where_it_is_a_step_of_its_own_and_adds_up_with_service() {
    for backend in backends() {
        let record = read_through(backend, if backend == BackendKind::Pread { 1 } else { 16 });
        let totals = &record.workers[0].directions[Direction::Read.index()];
        if backend != BackendKind::Libaio {
            assert!(totals.submission.is_empty(), "{backend:?} submits and reaps in one call");
            assert_eq!(totals.service, totals.latency);
            continue;
        }
        let sum = |distribution: &record::Distribution| distribution.mean().unwrap() * 2_048.0;
        let (submission, service) = (sum(&totals.submission), sum(&totals.service));
        let latency = sum(&totals.latency);
        assert_eq!(totals.submission.count(), 2_048);
        assert!(submission > 0.0 && service > 0.0);
        // Exact but for the width of the buckets.
        assert!(
            ((submission + service) / latency - 1.0).abs() < 0.002,
            "{submission} + {service} = {latency}"
        );
    }
}

#[test]
fn a_worker_that_sleeps_between_its_ios_is_seen_to_give_the_cpu_away() {
    let sleepy = WorkerPlan { pace: Pace::Fixed(Iops(500.0)), ..null(1) };
    let mut plan = step(vec![sleepy], StopRule::Time(Nanos::from_millis(100)));
    plan.ramp = Nanos::from_millis(100);
    let record = run_null(&plan);
    let ops = record.tally(Direction::Read).ops;
    let switches = record.workers[0].context_switches;
    // It sleeps before each I/O and at interval edges; the ramp had as many again.
    assert!(switches >= ops / 2, "{switches} switches for {ops} I/Os");
}

#[test]
fn a_write_without_leave_never_reaches_the_kernel() {
    let unnamed = UnnamedFile::of(Bytes::mib(1));
    let region = FilePlan { path: unnamed.file.path().to_owned(), offset: Bytes(0), size: Bytes::mib(1) };
    let writer = WorkerPlan {
        backend: BackendKind::Pread,
        files: vec![region],
        access: Access::random(Mix::WRITE),
        ..worker()
    };
    let files = [vec![unnamed.file.open_for_read(Direct::No).unwrap()]];
    let error = run_real(&for_ops(1, vec![writer]), &files, Clock::start(), &mut Log::default()).unwrap_err();
    assert!(matches!(error, EngineError::Refused { .. }), "{error}");
}

#[test]
fn what_cannot_start_says_so_and_leaves_no_thread_waiting() {
    let files = |plan: &StepPlan| run_real(plan, &[], Clock::start(), &mut Log::default()).unwrap_err();
    let unopened = for_ops(1, vec![WorkerPlan { backend: BackendKind::Pread, ..worker() }]);
    assert!(matches!(files(&unopened), EngineError::Files { workers: 1, given: 0 }));
    assert!(matches!(files(&for_ops(1, vec![worker()])), EngineError::Simulated { .. }));
    let pinned = for_ops(1, vec![null(1), WorkerPlan { cpu: Some(1_023), ..null(1) }]);
    assert!(matches!(files(&pinned), EngineError::Pin { cpu: 1_023, .. }));
    let empty = for_ops(1, vec![WorkerPlan { files: vec![file(Bytes(0), Bytes(100))], ..null(1) }]);
    assert!(matches!(files(&empty), EngineError::Worker(_)));
}

#[test]
fn unique_data_differs_between_workers_of_different_seeds() {
    let block = |seed| {
        let mut buffer = vec![0; 4096];
        fill::unique(&mut buffer, seed, 0, 1);
        buffer
    };
    assert_ne!(block(1), block(2));
}
