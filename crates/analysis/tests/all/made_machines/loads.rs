//! Loads of our own on a made machine: the phases of a watch and the record of each step.

use record::{
    DeviceFacts, DirectionTotals, Distribution, Histogram, Interval, Phase, PhaseKind, Run, StepRecord,
    Tally, TargetFacts, TargetKind, WorkerTotals,
};
use workload::{
    Access, BackendKind, BlockSizes, Buffers, Bytes, Direction, Ending, FilePlan, Flush, Iops, Mix, Nanos,
    Pace, StepKind, StepPlan, StopRule, Terms, WorkerPlan,
};

use super::{Asker, How, Io, Volume, machine, serve, together};

/// A watch with a load phase for each share of 1,000 I/Os a second, 70 % of them reads, between idle phases.
#[derive(Clone, Debug)]
pub struct Cycles {
    pub volume: Volume,
    pub scales: Vec<Option<f64>>,
    pub seconds: f64,
    pub every: f64,
    pub depth: u32,
    /// Bytes of an I/O.
    pub bytes: u64,
    /// Whether `depth` I/Os at a time are issued as fast as they come back, and only reads.
    pub closed: bool,
    pub others: Vec<Asker>,
}

impl Cycles {
    pub fn on(volume: Volume, scales: &[f64]) -> Cycles {
        Cycles {
            volume,
            scales: scales.iter().map(|&scale| Some(scale)).collect(),
            seconds: 60.0,
            every: 1.0,
            depth: 256,
            bytes: 4096,
            closed: false,
            others: Vec::new(),
        }
    }

    /// The run as it is read back.
    pub fn run(&self) -> Run {
        let seconds = self.seconds;
        let mut ours: Vec<Io> = Vec::new();
        let mut phases = Vec::new();
        let mut steps = Vec::new();
        let mut at = 0.0;
        for (index, scale) in self.scales.iter().enumerate() {
            phases.push(phase(&format!("idle {}", index + 1), PhaseKind::Idle, (at, at + seconds)));
            at += seconds;
            let asked = 1000.0 * scale.unwrap_or(1.0);
            let asker = Asker {
                from: at,
                to: at + seconds,
                how: if self.closed { How::Closed(self.depth) } else { How::Paced(asked, self.depth) },
                write_share: if self.closed { 0.0 } else { 0.3 },
                bytes: self.bytes,
            };
            let name =
                scale.map_or(format!("load {}", index + 1), |scale| format!("load {}%", scale * 100.0));
            let ios: Vec<Io> = serve(&self.volume, &[asker], index as u64 + 3).into_iter().collect();
            let mut step = step(&name, asked, self.depth, &ios, (at, at + seconds));
            if self.closed {
                let worker = &mut step.plan.workers[0];
                (worker.pace, worker.terms.write_pace) = (Pace::Closed, None);
                worker.access = Access::random(Mix::reads(100));
            }
            phases.push(phase(
                &name,
                PhaseKind::Load { step: name.clone(), scale: *scale },
                (at, at + seconds),
            ));
            steps.push(step);
            ours.extend(ios);
            at += seconds;
        }
        phases.push(phase("idle last", PhaseKind::Idle, (at, at + seconds)));
        let others = serve(&Volume { cap_all: f64::INFINITY, ..self.volume }, &self.others, 99);
        let mut run = machine(&together(&ours, &others), self.every, at + seconds);
        run.phases = phases;
        run.steps = steps;
        let mut target = TargetFacts::made_up("/dev/sda", TargetKind::BlockDevice, Bytes::gib(1));
        target.devices = vec![DeviceFacts { name: "sda".into(), ..DeviceFacts::default() }];
        run.target = Some(target);
        run
    }
}

fn phase(name: &str, kind: PhaseKind, (from, to): (f64, f64)) -> Phase {
    Phase { name: name.into(), kind, from: Nanos::from_secs_f64(from), to: Nanos::from_secs_f64(to) }
}

fn step(name: &str, rate: f64, depth: u32, ios: &[Io], (from, to): (f64, f64)) -> StepRecord {
    let count = (to - from).round() as u64;
    let start = Nanos::from_secs_f64(from);
    let mut intervals: Vec<Interval> = (0..count)
        .map(|at| Interval::empty(0, start + Nanos::from_secs(at), start + Nanos::from_secs(at + 1)))
        .collect();
    for io in ios {
        let at = ((io.done - from) as u64).min(count - 1) as usize;
        if io.done < to {
            let way = usize::from(io.write);
            intervals[at].directions[way].tally.count(io.bytes, ns(io.done - io.due));
        }
    }
    let mut worker =
        WorkerTotals { started: start, ended: Nanos::from_secs_f64(to), ..WorkerTotals::default() };
    for write in [false, true] {
        let of: Vec<&Io> = ios.iter().filter(|io| io.write == write && io.done < to).collect();
        worker.directions[usize::from(write)] = totals(&of);
    }
    StepRecord {
        plan: plan(name, rate, depth, to - from),
        started: start,
        counted_from: start,
        ended: Nanos::from_secs_f64(to),
        ending: Ending::Time,
        jobs: vec!["c4y".into()],
        intervals,
        workers: vec![worker],
        failures: vec![],
        notes: vec![],
    }
}

fn ns(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

fn totals(ios: &[&Io]) -> DirectionTotals {
    let mut tally = Tally::default();
    let (mut due, mut issued) = (Histogram::new(), Histogram::new());
    let mut issued_edges = (u64::MAX, 0);
    for io in ios {
        tally.count(io.bytes, ns(io.done - io.due));
        due.record(ns(io.done - io.due));
        let took = ns(io.done - io.issued);
        issued.record(took);
        issued_edges = (issued_edges.0.min(took), issued_edges.1.max(took));
    }
    DirectionTotals {
        tally,
        latency: Distribution::of(&due, tally.latency_ns_min, tally.latency_ns_max),
        service: Distribution::of(&issued, issued_edges.0, issued_edges.1),
        ..DirectionTotals::default()
    }
}

fn plan(name: &str, rate: f64, depth: u32, seconds: f64) -> StepPlan {
    let worker = WorkerPlan {
        job: "c4y".into(),
        files: vec![FilePlan { path: "/dev/sda".into(), offset: Bytes(0), size: Bytes::GIB }],
        access: Access::random(Mix::reads(70)),
        blocks: BlockSizes::all(Bytes::kib(4)),
        depth,
        pace: Pace::Fixed(Iops(rate * 0.7)),
        backend: BackendKind::Libaio,
        direct: true,
        buffers: Buffers::Unique,
        flush: Flush::Never,
        verify: workload::Verify::Off,
        seed: 1,
        cpu: None,
        terms: Terms { write_pace: Some(Pace::Fixed(Iops(rate * 0.3))), ..Terms::default() },
    };
    StepPlan {
        name: name.into(),
        kind: StepKind::Job,
        workers: vec![worker],
        stop: vec![StopRule::Time(Nanos::from_secs_f64(seconds))],
        ramp: Nanos::ZERO,
        interval: Nanos::SECOND,
        choices: vec![],
    }
}

/// Both directions.
pub fn ways() -> [Direction; 2] {
    [Direction::Read, Direction::Write]
}
