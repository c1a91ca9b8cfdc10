//! A real run accesses exactly the offsets that DiskSpd's rules give: the trace of its I/Os beside the rules.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use crate::vocabulary::*;
use engine::run_real;
use kernel::{Clock, Direct};
use record::{Interval, IoTrace, Observer};
use statistics::Jenkins;
use testbed::{Lack, skipped};
use workload::{
    Access, BackendKind, Bytes, Direction, DiskSpdMode, DiskSpdOrder, DiskSpdWalk, FilePlan, Mix, Terms,
    WorkerPlan,
};

const SIZE: u64 = 4 << 20;
const BLOCK: u64 = 4096;
const IOS: u64 = 2000;

/// Records the traced I/Os.
#[derive(Default)]
struct Trace(Vec<(Direction, u64)>);

impl Observer for Trace {
    fn interval(&mut self, _interval: &Interval) {}

    fn traced(&mut self, _worker: usize, ios: &[IoTrace]) {
        self.0.extend(ios.iter().map(|io| (io.direction, io.offset)));
    }
}

fn worker_on(mode: DiskSpdMode, backend: BackendKind) -> WorkerPlan {
    let walk =
        DiskSpdWalk { mode, step: BLOCK, start: 0, write_percent: 25, ranges: Vec::new(), draws_a_write: 0 };
    let order = DiskSpdOrder { seed: 1234, walks: vec![walk], weights: Vec::new() };
    WorkerPlan {
        files: vec![FilePlan { path: "unnamed".into(), offset: Bytes(0), size: Bytes(SIZE) }],
        access: Access { diskspd: Some(Box::new(order)), ..Access::random(Mix::reads(75)) },
        backend,
        direct: false,
        terms: Terms { trace: true, ..Terms::default() },
        ..worker()
    }
}

fn traced(plan: WorkerPlan) -> Vec<(Direction, u64)> {
    let folder = tempfile::tempdir().unwrap();
    let file = kernel::unnamed_file(folder.path(), Bytes(SIZE)).unwrap();
    file.set_len(Bytes(SIZE)).unwrap();
    let open = kernel::open_for_write(&kernel::guard::permit_unnamed(&file), Direct::No).unwrap();
    let mut trace = Trace::default();
    run_real(&for_ops(IOS, vec![plan]), &[vec![open]], Clock::start(), &mut trace).unwrap();
    trace.0
}

/// Directions and offsets by the rules: offset first, then direction, and one extra direction before all.
fn predicted(random: impl Fn(u64) -> bool) -> Vec<(Direction, u64)> {
    let mut numbers = Jenkins::new(1234);
    let write = |numbers: &mut Jenkins| match numbers.next_u32() % 100 < 25 {
        true => Direction::Write,
        false => Direction::Read,
    };
    write(&mut numbers);
    let one = |at: u64| {
        let place = if random(at) {
            let drawn = numbers.next_u64();
            (drawn - drawn % BLOCK) % SIZE
        } else {
            at * BLOCK % SIZE
        };
        (write(&mut numbers), place)
    };
    (0..IOS).map(one).collect()
}

#[test]
fn a_real_run_visits_the_places_of_the_rules_in_their_order() {
    for (backend, works) in kernel::probe() {
        if let Err(reason) = works {
            skipped(Lack::Kernel, format!("{} ({reason})", backend.name()));
            continue;
        }
        assert_eq!(
            traced(worker_on(DiskSpdMode::Random, backend)),
            predicted(|_| true),
            "{}",
            backend.name()
        );
        assert_eq!(
            traced(worker_on(DiskSpdMode::Sequential, backend)),
            predicted(|_| false),
            "{}",
            backend.name()
        );
    }
}

#[test]
fn with_a_deep_queue_the_same_places_are_visited() {
    let Some((backend, _)) = kernel::probe().into_iter().find(|(_, works)| works.is_ok()) else { return };
    let deep = WorkerPlan { depth: 32, ..worker_on(DiskSpdMode::Random, backend) };
    let (mut found, mut expected) = (traced(deep), predicted(|_| true));
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "they come back in another order, but none is left out and none is added");
}
