//! What the engine costs on a real file or device: `read_cost PATH BACKEND DEPTH SECONDS` reads 4 KiB blocks at random and
//! prints user and system CPU per I/O. It only reads.

use engine::{Clones, FileFacts, PlanTarget, PlanTargetKind, plan, run_real};
use kernel::{Clock, Direct};
use record::{Interval, Observer};
use workload::{BackendAsk, BackendKind, Direction, Job, Nanos, StepKind, StopRule, Workload};

struct Quiet;

impl Observer for Quiet {
    fn interval(&mut self, _: &Interval) {}
}

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [path, backend, depth, seconds] = words.as_slice() else {
        return Err("usage: read_cost PATH io_uring|libaio|pread DEPTH SECONDS".into());
    };
    let backend = [BackendKind::IoUring, BackendKind::Libaio, BackendKind::Pread]
        .into_iter()
        .find(|kind| kind.name() == backend.as_str())
        .ok_or("no such backend")?;
    let file = kernel::open_for_read(path.as_ref(), Direct::Yes)?;
    let job = Job {
        files: vec![path.into()],
        depth: depth.parse()?,
        backend: BackendAsk::Only(backend),
        ..Job::named("read")
    };
    let stop = vec![StopRule::Time(Nanos::from_secs(seconds.parse()?))];
    let workload = Workload { jobs: vec![job], stop, ramp: Nanos::ZERO };
    let target = PlanTarget {
        files: vec![FileFacts {
            path: path.into(),
            size: file.size(),
            direct_alignment: workload::Bytes(512),
            writable: false,
        }],
        kind: PlanTargetKind::Machine(kernel::probe()),
        cpus: kernel::available_cpus(),
        interval: Nanos::SECOND,
        clones: Clones::Apart,
    };
    let plan = plan(&workload, "read", StepKind::Job, &target)?;
    let record = run_real(&plan, &[vec![file]], Clock::start(), &mut Quiet)?;
    let tally = record.tally(Direction::Read);
    let (ops, worker) = (tally.ops as f64, &record.workers[0]);
    println!(
        "{:.0} IOPS, mean {:.1} µs, user {:.1} ns and system {:.1} ns of CPU per I/O; {:?}",
        ops / record.seconds(),
        tally.latency_ns_mean().unwrap_or(0.0) / 1e3,
        worker.user_cpu_ns as f64 / ops,
        worker.system_cpu_ns as f64 / ops,
        record.notes
    );
    Ok(())
}
