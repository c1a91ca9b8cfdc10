//! An I/O that the kernel does not release: the step still ends when asked to, and names the I/O.

use crate::vocabulary::*;
use engine::run_real;
use kernel::{Clock, Direct};
use record::{Interval, Note, Observer};
use testbed::{Disk, Lack, Throttle, Through, skipped};
use workload::{BackendKind, Bytes, Direction, Ending, FilePlan, Nanos, StopRule, WorkerPlan};

/// A loop device that this process reads through a control group, which can be limited to next to nothing.
struct ThrottledDevice {
    group: Throttle,
    disk: Disk,
}

impl ThrottledDevice {
    /// `None`, and a skip, without the rights for one.
    fn or_skip() -> Option<ThrottledDevice> {
        let disk = Disk::of(testbed::build_folder(), 4, Through::Cache)?;
        disk.write_at(0, &vec![7; 4 << 20]);
        let group = Throttle::or_skip("stuck")?;
        group.holds(std::process::id());
        Some(ThrottledDevice { group, disk })
    }
}

/// Throttles the device after the first interval, and asks to stop half a second later.
struct Saboteur<'d> {
    device: &'d mut ThrottledDevice,
    clock: Clock,
    held_at: Option<Nanos>,
}

impl Observer for Saboteur<'_> {
    fn interval(&mut self, interval: &Interval) {
        if self.held_at.is_none() && ops(interval) > 0 {
            // One block takes a minute.
            self.device.group.limit(&self.device.disk, 70);
            self.held_at = Some(self.clock.now());
        }
    }

    fn interrupted(&self) -> bool {
        self.held_at.is_some_and(|at| self.clock.now() > at + Nanos::from_millis(500))
    }
}

#[test]
fn a_step_ends_although_the_kernel_holds_its_io_and_names_it() {
    for backend in [BackendKind::IoUring, BackendKind::Libaio, BackendKind::Pread] {
        let Some(mut device) = ThrottledDevice::or_skip() else { return };
        if kernel::probe().iter().any(|(kind, works)| *kind == backend && works.is_err()) {
            skipped(Lack::Kernel, format!("{} does not work here", backend.name()));
            continue;
        }
        let path = device.disk.node();
        let region = FilePlan { path: path.clone().into(), offset: Bytes(0), size: Bytes::mib(4) };
        let reader = WorkerPlan { backend, files: vec![region], ..worker() };
        let mut plan = step(vec![reader], StopRule::Time(Nanos::from_secs(1_000_000)));
        plan.interval = Nanos::from_millis(100);
        let clock = Clock::start();
        let files = [vec![kernel::open_for_read(path.as_ref(), Direct::Yes).unwrap()]];
        let mut saboteur = Saboteur { device: &mut device, clock, held_at: None };
        let record = run_real(&plan, &files, clock, &mut saboteur).unwrap();
        device.group.limit(&device.disk, 0);
        assert_eq!(record.ending, Ending::Interrupted);
        let held = |note: &Note| {
            let Note::Held(held) = note else { return false };
            (held.direction, held.bytes, &held.path) == (Direction::Read, 4096, &path)
        };
        assert!(record.notes.iter().any(held), "{backend:?}: {:?}", record.notes);
        assert!(record.workers[0].directions[0].tally.ops > 0);
        drop(files);
    }
}
