//! An I/O that the kernel does not let go of: the step still ends when somebody asks it to, and names the I/O.

mod stage;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine::run_real;
use kernel::{Clock, Direct};
use record::{Interval, Note, Observer};
use stage::*;
use workload::{BackendKind, Bytes, Direction, Ending, FilePlan, Nanos, StopRule, WorkerPlan};

const GROUPS: &str = "/sys/fs/cgroup/blkio";

/// A loop device that this process reads through a control group, which can be held to next to nothing. Undone on drop.
struct Throttled {
    group: PathBuf,
    device: String,
    number: String,
    _folder: tempfile::TempDir,
}

fn losetup(words: &[&str]) -> Option<String> {
    let output =
        Command::new("losetup").args(words).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

impl Throttled {
    /// `None` where there are no rights for one.
    fn make() -> Option<Throttled> {
        let folder = tempfile::tempdir().ok()?;
        let image = folder.path().join("image");
        fs::write(&image, vec![7; 4 << 20]).ok()?;
        let group = Path::new(GROUPS).join(format!("plimsoll-stuck-{}", std::process::id()));
        fs::create_dir(&group).ok()?;
        let device = losetup(&["--find", "--show", "--read-only", image.to_str()?]).unwrap_or_default();
        let known = fs::read_to_string(format!("/sys/block/{}/dev", device.trim_start_matches("/dev/")));
        let number = known.unwrap_or_default().trim().to_owned();
        let throttled = Throttled { group, device, number, _folder: folder };
        fs::write(throttled.group.join("cgroup.procs"), std::process::id().to_string()).ok()?;
        (!throttled.number.is_empty()).then_some(throttled)
    }

    /// Bytes a second; 0 takes the limit away.
    fn limit(&self, bytes: u64) {
        let line = format!("{} {bytes}", self.number);
        // Where this fails nothing gets stuck, and the test says so.
        let _ = fs::write(self.group.join("blkio.throttle.read_bps_device"), line);
    }
}

impl Drop for Throttled {
    fn drop(&mut self) {
        self.limit(0);
        let _ = fs::write(Path::new(GROUPS).join("cgroup.procs"), std::process::id().to_string());
        let _ = fs::remove_dir(&self.group);
        losetup(&["--detach", &self.device]);
    }
}

/// Holds the device after the first interval, and asks to stop half a second later.
struct Saboteur<'d> {
    device: &'d Throttled,
    clock: Clock,
    held_at: Option<Nanos>,
}

impl Observer for Saboteur<'_> {
    fn interval(&mut self, interval: &Interval) {
        if self.held_at.is_none() && ops(interval) > 0 {
            // One block takes a minute.
            self.device.limit(70);
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
        let Some(device) = Throttled::make() else {
            eprintln!("skipped: needs root, a loop device and the blkio control group of cgroup v1");
            return;
        };
        if kernel::probe().iter().any(|(kind, works)| *kind == backend && works.is_err()) {
            eprintln!("skipped: {} does not work here", backend.name());
            continue;
        }
        let path = device.device.clone();
        let region = FilePlan { path: path.clone().into(), offset: Bytes(0), size: Bytes::mib(4) };
        let reader = WorkerPlan { backend, files: vec![region], ..worker() };
        let mut plan = step(vec![reader], StopRule::Time(Nanos::from_secs(1_000_000)));
        plan.interval = Nanos::from_millis(100);
        let clock = Clock::start();
        let files = [vec![kernel::open_for_read(path.as_ref(), Direct::Yes).unwrap()]];
        let mut saboteur = Saboteur { device: &device, clock, held_at: None };
        let record = run_real(&plan, &files, clock, &mut saboteur).unwrap();
        device.limit(0);
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
