//! Planning: what was left open is filled in with its reason, and what cannot run is refused with a remedy.

use std::path::{Path, PathBuf};

use engine::{Clones, FileFacts, PlanError, PlanTarget, PlanTargetKind, layout_workload, plan};
use workload::{
    Access, BackendAsk, BackendKind, Batching, BlockSizes, Bytes, Flush, Follow, Job, Mix, Nanos, Runs,
    StepKind, StepPlan, StopRule, Workload,
};

const FILE: &str = "/vol/file";

fn target() -> PlanTarget {
    let file = FileFacts {
        path: PathBuf::from(FILE),
        size: Bytes::gib(1),
        direct_alignment: Bytes(4096),
        writable: true,
    };
    let works = |kind| (kind, Ok(()));
    PlanTarget {
        files: vec![file],
        kind: PlanTargetKind::Machine(
            [BackendKind::IoUring, BackendKind::Libaio, BackendKind::Pread].map(works).to_vec(),
        ),
        cpus: vec![0, 1],
        interval: Nanos::SECOND,
        clones: Clones::Apart,
    }
}

fn without_io_uring() -> PlanTarget {
    let refused = Err("kernel.io_uring_disabled is 2".to_owned());
    let probed =
        vec![(BackendKind::IoUring, refused), (BackendKind::Libaio, Ok(())), (BackendKind::Pread, Ok(()))];
    PlanTarget { kind: PlanTargetKind::Machine(probed), ..target() }
}

fn job() -> Job {
    Job { files: vec![PathBuf::from(FILE)], ..Job::named("job") }
}

fn workload(job: Job) -> Workload {
    Workload { jobs: vec![job], stop: vec![StopRule::Time(Nanos::SECOND)], ramp: Nanos::ZERO }
}

fn planned(job: Job, target: &PlanTarget) -> Result<StepPlan, PlanError> {
    plan(&workload(job), "step", StepKind::Job, target)
}

fn reason(plan: &StepPlan, what: &str) -> String {
    let choice = plan.choices.iter().find(|choice| choice.what == what);
    choice.map(|choice| format!("{}: {}", choice.value, choice.reason)).unwrap_or_default()
}

#[test]
fn what_was_left_open_is_filled_in_with_its_reason() {
    let plan = planned(job(), &target()).unwrap();
    let worker = &plan.workers[0];
    assert_eq!(
        (worker.backend, worker.files[0].size, worker.direct),
        (BackendKind::IoUring, Bytes::gib(1), true)
    );
    assert!(reason(&plan, "backend").starts_with("io_uring: "));
    assert!(reason(&plan, "region size").starts_with("1 GiB: "));
    assert_eq!(plan.interval, Nanos::SECOND);
}

#[test]
fn a_backend_that_does_not_work_is_replaced_and_the_plan_says_why() {
    let plan = planned(job(), &without_io_uring()).unwrap();
    assert_eq!(plan.workers[0].backend, BackendKind::Libaio);
    assert!(reason(&plan, "backend").contains("io_uring_disabled is 2"), "{:?}", plan.choices);
    let only = Job { backend: BackendAsk::Only(BackendKind::IoUring), ..job() };
    let text = planned(only, &without_io_uring()).unwrap_err().to_string();
    assert!(text.contains("io_uring") && text.contains("io_uring_disabled is 2"), "{text}");
}

#[test]
fn pread_cannot_keep_a_queue_and_the_plan_says_so() {
    let job = Job { backend: BackendAsk::Only(BackendKind::Pread), depth: 32, ..job() };
    let plan = planned(job, &target()).unwrap();
    assert_eq!(plan.workers[0].depth, 1);
    assert!(reason(&plan, "queue depth").contains("a depth of 32"));
}

#[test]
fn misaligned_direct_io_is_refused_with_the_nearest_that_would_do() {
    let blocks = |bytes| Job { blocks: BlockSizes::all(Bytes(bytes)), ..job() };
    for (job, words) in [
        (blocks(5_000), ["a read block of 5000 bytes", "take 4096 or 8192"]),
        (blocks(512), ["a read block of 512 bytes", "take 4096,"]),
        (Job { offset: Bytes(100), ..job() }, ["an offset of 100 bytes", "take 0 or 4096"]),
    ] {
        let text = planned(job, &target()).unwrap_err().to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        assert!(text.contains("4096 bytes, which direct I/O on /vol/file needs"), "{text}");
    }
    assert!(planned(Job { direct: false, ..blocks(5_000) }, &target()).is_ok());
}

#[test]
fn only_block_sizes_that_are_issued_must_fit() {
    let blocks = BlockSizes::each(Bytes::kib(4), Bytes(777), Bytes(0));
    assert!(planned(Job { blocks: blocks.clone(), ..job() }, &target()).is_ok());
    let mixed = Job { blocks, access: Access::random(Mix::reads(50)), ..job() };
    assert!(planned(mixed, &target()).unwrap_err().to_string().contains("a write block of 777"));
}

#[test]
fn where_direct_io_is_impossible_the_plan_goes_through_the_cache_and_says_so() {
    let mut target = target();
    target.files[0].direct_alignment = Bytes(0);
    let plan = planned(job(), &target).unwrap();
    assert!(!plan.workers[0].direct);
    assert!(reason(&plan, "direct").contains("memory as well as the volume"));
}

#[test]
fn regions_that_are_not_there_are_refused() {
    let beyond = Job { offset: Bytes::mib(1000), size: Some(Bytes::mib(100)), ..job() };
    let text = planned(beyond, &target()).unwrap_err().to_string();
    assert!(text.contains("take a region of at most 24 MiB"), "{text}");
    let nothing = Job { offset: Bytes::gib(2), ..job() };
    assert!(matches!(planned(nothing, &target()), Err(PlanError::BlockAboveRegion { .. })));
    let unknown = Job { files: vec![PathBuf::from("/elsewhere")], ..job() };
    assert!(planned(unknown, &target()).unwrap_err().to_string().contains("/elsewhere"));
    assert!(matches!(planned(Job { files: vec![], ..job() }, &target()), Err(PlanError::NoFile { .. })));
}

#[test]
fn writing_needs_leave() {
    let mut target = target();
    target.files[0].writable = false;
    assert!(planned(job(), &target).is_ok(), "reading does not");
    let writer = Job { access: Access::random(Mix::reads(99)), ..job() };
    assert!(matches!(planned(writer, &target), Err(PlanError::ReadOnly { .. })));
}

#[test]
fn clones_of_a_sequential_job_have_parts_of_their_own() {
    let cloned = |order| Job { clones: 3, access: order, size: Some(Bytes::mib(10)), ..job() };
    let plan = planned(cloned(Access::sequential(Mix::READ)), &target()).unwrap();
    let part = Bytes(Bytes::mib(10).0 / 3).round_down(Bytes(4096));
    for (number, worker) in plan.workers.iter().enumerate() {
        assert_eq!((worker.files[0].offset, worker.files[0].size), (part * number as u64, part));
    }
    let random = planned(cloned(Access::random(Mix::READ)), &target()).unwrap();
    assert!(random.workers.iter().all(|worker| worker.files[0].size == Bytes::mib(10)));
    let together = PlanTarget { clones: Clones::Together, ..target() };
    let plan = planned(cloned(Access::sequential(Mix::READ)), &together).unwrap();
    assert!(plan.workers.iter().all(|worker| worker.files[0].offset == Bytes(0)));
}

#[test]
fn every_worker_has_a_seed_of_its_own_also_across_jobs_of_one_seed() {
    let mut two = workload(Job { clones: 4, ..job() });
    two.jobs.push(Job { clones: 4, ..job() });
    let plan = plan(&two, "step", StepKind::Job, &target()).unwrap();
    let mut seeds: Vec<u64> = plan.workers.iter().map(|worker| worker.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 8);
}

#[test]
fn workers_go_round_the_cpus_they_may_use() {
    let plan = planned(Job { clones: 3, cpus: vec![1, 0], ..job() }, &target()).unwrap();
    assert_eq!(plan.workers.iter().map(|worker| worker.cpu).collect::<Vec<_>>(), [Some(1), Some(0), Some(1)]);
    let text = planned(Job { cpus: vec![7], ..job() }, &target()).unwrap_err().to_string();
    assert!(text.contains("CPU 7") && text.contains("[0, 1]"), "{text}");
}

#[test]
fn an_amount_below_a_block_and_a_block_beyond_an_io_are_refused() {
    let mut small = workload(job());
    small.stop = vec![StopRule::BytesEach(Bytes(100))];
    assert!(matches!(
        plan(&small, "step", StepKind::Job, &target()),
        Err(PlanError::AmountBelowBlock { .. })
    ));
    let mut target = target();
    target.files[0].size = Bytes::gib(100);
    let long = Job { blocks: BlockSizes::all(Bytes::gib(2)), ..job() };
    assert!(matches!(planned(long, &target), Err(PlanError::BlockTooLong { .. })));
}

#[test]
fn null_and_simulated_targets_need_no_file() {
    let none = Job { files: vec![], ..job() };
    for (kind, backend) in [
        (PlanTargetKind::Null(Bytes::gib(8)), BackendKind::Null),
        (PlanTargetKind::Simulated(Bytes::gib(8)), BackendKind::Simulated),
    ] {
        let plan = planned(none.clone(), &PlanTarget { kind, files: vec![], ..target() }).unwrap();
        assert_eq!((plan.workers[0].backend, plan.workers[0].files[0].size), (backend, Bytes::gib(8)));
    }
}

#[test]
fn reads_alone_are_never_flushed() {
    let plan = planned(Job { flush: Flush::Every(1), ..job() }, &target()).unwrap();
    assert_eq!(plan.workers[0].flush, Flush::Never);
}

#[test]
fn a_layout_writes_its_region_once() {
    let layout = layout_workload(Path::new(FILE), Bytes(0), Bytes::mib(64));
    let plan = plan(&layout, "layout", StepKind::Layout, &target()).unwrap();
    let worker = &plan.workers[0];
    assert_eq!((worker.depth, worker.blocks.longest(), plan.workers.len()), (8, Bytes::MIB, 1));
    assert_eq!(plan.stop, [StopRule::BytesEach(Bytes::mib(64))]);
}

#[test]
fn contradictions_of_the_workload_are_passed_on() {
    assert!(matches!(planned(Job { depth: 0, ..job() }, &target()), Err(PlanError::Disagreement(_))));
}

/// Adjacent I/Os in one call are merged before a throttle counts them.
#[test]
fn io_that_may_lie_side_by_side_is_handed_over_one_by_one() {
    let deep = |access| Job { depth: 32, access, ..job() };
    let most = |job| planned(job, &target()).map(|plan| plan.workers[0].terms.batching.submit_most).unwrap();
    let mixed = Mix::reads(70);
    assert_eq!(most(deep(Access::random(mixed))), None);
    let runs = |follow| Access { runs: Some(Runs { length: 8, follow }), ..Access::random(mixed) };
    assert_eq!(most(deep(runs(Follow::Same))), None);
    for access in [Access::sequential(mixed), Access::partly_random(50, mixed), runs(Follow::Next)] {
        assert_eq!(most(deep(access.clone())), Some(1));
        assert_eq!(most(Job { direct: false, ..deep(access.clone()) }), None, "the page cache collects them");
        assert_eq!(most(Job { depth: 1, ..deep(access.clone()) }), None);
        let asked = Batching { submit_most: Some(8), ..Batching::BEST };
        assert_eq!(most(Job { batching: asked, ..deep(access) }), Some(8), "who asks for batches gets them");
    }
    let plan = planned(deep(Access::sequential(mixed)), &target()).unwrap();
    assert!(reason(&plan, "submission").starts_with("one I/O a call: "), "{:?}", plan.choices);
}
