//! Made-up watches: a load at five shares of its nominal rate on a throttled volume, and a stack of devices.

use analysis::{
    Analysis, Answer, ClaimRow, ClaimedFigure, ContractRow, Latency, LoadFigures, LoadFlow, Place, Quantity,
    SeriesRow, WatchFigures, WatchedDevice,
};
use record::{CpuCounters, DeviceFacts, DeviceKind, DeviceNode, DiskCounters, Phase, PhaseKind, Run, Sample};
use workload::{Direction, Nanos};

use super::{around, nothing};

pub const SCALES: [f64; 5] = [0.5, 1.0, 2.0, 5.0, 10.0];

pub fn node(name: &str, kind: DeviceKind, (alias, mounted): (&str, &str), below: &[&str]) -> DeviceNode {
    DeviceNode {
        facts: DeviceFacts { name: name.to_owned(), ..DeviceFacts::default() },
        kind,
        below: below.iter().map(|name| (*name).to_owned()).collect(),
        alias: alias.to_owned(),
        mounted: mounted.to_owned(),
        timed: true,
        ..DeviceNode::default()
    }
}

/// Returns two disks in an array with two volumes, and a loop device that nobody uses.
pub fn stack() -> Vec<DeviceNode> {
    let none = ("", "");
    vec![
        node("loop7", DeviceKind::Loop, ("/var/lib/images/old.img", ""), &[]),
        node("dm-1", DeviceKind::Lvm, ("vg0-logs", "/var/log"), &["md0"]),
        node("dm-0", DeviceKind::Lvm, ("vg0-data", "/srv/data"), &["md0"]),
        node("md0", DeviceKind::Md("raid1".to_owned()), none, &["sda2", "sdb1"]),
        node("sdb1", DeviceKind::Partition, none, &["sdb"]),
        node("sda2", DeviceKind::Partition, none, &["sda"]),
        node("sdb", DeviceKind::Disk, none, &[]),
        node("sda", DeviceKind::Disk, none, &[]),
    ]
}

/// Returns reads and writes a second, and requests waiting, at a share of 700 and 300: throttled to 840 and 360.
fn answer(scale: f64) -> (f64, f64, f64) {
    let (read, write) = (700.0 * scale, 300.0 * scale);
    let queue = if scale > 1.2 { 32.0 * scale } else { 0.6 * scale };
    (read.min(840.0), write.min(360.0), queue)
}

/// Returns alternating idle and load phases of `seconds`, one load phase for each scale.
fn phases(seconds: u64) -> Vec<Phase> {
    let mut phases = Vec::new();
    let mut at = 0;
    let mut add = |name: String, kind: PhaseKind| {
        phases.push(Phase { name, kind, from: Nanos::from_secs(at), to: Nanos::from_secs(at + seconds) });
        at += seconds;
    };
    for (place, scale) in SCALES.into_iter().enumerate() {
        let name = format!("load {} %", scale * 100.0);
        add(format!("idle {}", place + 1), PhaseKind::Idle);
        add(name.clone(), PhaseKind::Load { step: name, scale: Some(scale) });
    }
    add(format!("idle {}", SCALES.len() + 1), PhaseKind::Idle);
    phases
}

fn rates(phase: &Phase, second: u64) -> (f64, f64, f64) {
    let wave = 1.0 + 0.05 * ((second * 7 % 11) as f64 / 11.0 - 0.5);
    match &phase.kind {
        PhaseKind::Load { scale: Some(scale), .. } => {
            let (read, write, queue) = answer(*scale);
            (read * wave, write * wave, queue * wave)
        }
        _ => (0.0, 1.5 * wave, 0.01),
    }
}

fn samples(phases: &[Phase], devices: &[DeviceNode]) -> Vec<Sample> {
    let mut disk = DiskCounters::default();
    let mut cpu = CpuCounters::default();
    let mut samples = Vec::new();
    let end = phases.last().map_or(0, |phase| phase.to.0 / 1_000_000_000);
    for second in 0..=end {
        let disks = devices.iter().map(|device| {
            let idle = device.kind == DeviceKind::Loop;
            (device.facts.name.as_str().into(), if idle { DiskCounters::default() } else { disk })
        });
        samples.push(Sample {
            at: Nanos::from_secs(second),
            cpu,
            disks: disks.collect(),
            ..Sample::default()
        });
        let Some(phase) = phases.iter().find(|phase| second < phase.to.0 / 1_000_000_000) else { break };
        let (read, write, queue) = rates(phase, second);
        disk.reads += read as u64;
        disk.writes += write as u64;
        disk.writes_merged += (write * 0.1) as u64;
        disk.sectors_read += read as u64 * 8;
        disk.sectors_written += write as u64 * 16;
        disk.queue_ms += (queue * 1000.0) as u64;
        let share = read / (read + write);
        disk.read_ms += (queue * 1000.0 * share) as u64;
        disk.write_ms += (queue * 1000.0 * (1.0 - share)) as u64;
        disk.busy_ms += (queue.min(1.0) * 1000.0) as u64;
        cpu.idle += 160;
        cpu.user += 10 + second % 5;
        cpu.system += 20;
        cpu.iowait += (queue.min(10.0)) as u64;
    }
    samples
}

fn series_row(scale: f64) -> SeriesRow {
    let (read, write, queue) = answer(scale);
    let flow = |asked: f64, got: f64| LoadFlow {
        asked: Some(asked),
        got: Some(around(got, 2.0)),
        ops: (got * 60.0) as u64,
        size: Some(4096.0),
        due: Latency {
            mean_ns: Some(queue / got * 1e9),
            percentiles: vec![(99.0, (queue / got * 2.4e9) as u64)],
            max_ns: None,
            bound_ns: Some(30_000_000),
            within: Some(if scale > 1.0 { 0.02 } else { 1.0 }),
        },
        issued: Latency::default(),
    };
    SeriesRow {
        scale,
        phases: vec![format!("load {} %", scale * 100.0)],
        load: LoadFigures {
            step: format!("load {} %", scale * 100.0),
            scale: Some(scale),
            read: Some(flow(700.0 * scale, read)),
            write: Some(flow(300.0 * scale, write)),
            all: flow(1000.0 * scale, read + write),
            in_flight: queue * 1.2,
        },
        queue: Some(queue),
        await_ns: Some(queue / (read + write) * 1e9),
        queue_growth: None,
        latency_growth: None,
    }
}

/// Returns the overload series on a stack of devices, `seconds` in each phase.
pub fn overloaded(seconds: u64) -> (Run, Analysis) {
    overloaded_on(stack(), seconds)
}

/// Adds the expectation of 700 reads and 300 writes a second within 30 ms.
pub fn contracted(run: &mut Run, analysis: &mut Analysis) {
    run.expectation = Some("read 700 iops, write 300 iops, mean < 30ms".to_owned());
    let row = |quantity, direction, value: f64| ContractRow {
        phase: "load 100 %".to_owned(),
        quantity,
        direction,
        claimed: ClaimedFigure {
            value,
            words: String::new(),
            source: "expectation".to_owned(),
            reading: None,
        },
        asked: None,
        measured: None,
        latency: None,
        answer: Answer::Below,
        remark: None,
    };
    let rows = vec![
        row(Quantity::Iops, Some(Direction::Read), 700.0),
        row(Quantity::Iops, Some(Direction::Write), 300.0),
        row(Quantity::MeanLatency, None, 30e6),
    ];
    let claim = |row: &ContractRow| ClaimRow {
        what: "a claim".to_owned(),
        quantity: row.quantity,
        direction: row.direction.unwrap_or(Direction::Read),
        claimed: row.claimed.clone(),
        measured: None,
        over_time: None,
        latency_ns_p99: None,
        depth: None,
        answer: row.answer,
        doubts: Vec::new(),
    };
    analysis.verdict.rows = rows.iter().map(claim).collect();
    if let Some(watched) = &mut analysis.watched {
        watched.contract = rows;
    }
}

/// Returns the same on other devices.
pub fn overloaded_on(devices: Vec<DeviceNode>, seconds: u64) -> (Run, Analysis) {
    let (mut run, mut analysis) = nothing();
    run.started_unix_ms = 1_795_255_200_000;
    run.complete = true;
    run.devices = devices;
    run.phases = phases(seconds);
    run.samples = samples(&run.phases, &run.devices);
    let place = |device: &DeviceNode| Place {
        name: device.facts.name.clone(),
        alias: device.alias.clone(),
        on: device.below.iter().map(|name| vec![name.clone()]).collect(),
    };
    analysis.watched = Some(WatchFigures {
        load_device: run.devices.iter().find(|device| device.facts.name == "dm-0").map(place),
        devices: run
            .devices
            .iter()
            .map(|device| WatchedDevice { place: place(device), timed: true, ..WatchedDevice::default() })
            .collect(),
        series: SCALES.into_iter().map(series_row).collect(),
        ..WatchFigures::default()
    });
    (run, analysis)
}
