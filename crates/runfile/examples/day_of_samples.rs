//! Writes a run file of an invented day: what a watch of a server with twenty devices would have sampled.
//!
//! `cargo run --release -p runfile --example day_of_samples -- OUT.plimsoll [HOURS] [DEVICES] [EVERY_SECONDS]`
//!
//! Nights are idle, office hours busy; the load on `vdc` exceeds its 840 reads and 360 writes a second from
//! 14:00 to 15:00, so its rates stand still and its queue grows; `sdc` goes and comes back new; discards come
//! at 03:00; millisecond fields wrap at 32 bits.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use std::path::Path;
use std::sync::Arc;

use record::{
    CpuCounters, DeviceFacts, DeviceKind, DeviceNode, DiskCounters, LocalLimit, MemoryCounters, OwnCpu,
    Pressure, Run, Sample,
};
use runfile::{SameDevice, Writer};
use workload::{Bytes, Nanos};

/// Start of the day: midnight, 21 November 2026, UTC, in milliseconds since 1970.
const MIDNIGHT_UNIX_MS: u64 = 1_795_219_200_000;
/// Value at which millisecond fields wrap: they are printed with 32 bits.
const WRAP: f64 = 4_294_967_296.0;
const HOUR: f64 = 3600.0;

/// Load on a device from its direct users.
#[derive(Clone, Copy)]
enum Demand {
    /// Only devices stacked on it use it.
    Nothing,
    /// Operations a second at the busiest time of office hours, and their size in KiB.
    Office(f64, f64),
    /// Operations a second at every hour, and their size in KiB.
    Steady(f64, f64),
    /// Large sequential reads from one hour to another.
    Backup(f64, f64),
    /// As in office hours, and above its limit from 14:00 to 15:00.
    Limited,
}

/// One device of the machine: name, kind, alias, mount point, what it is stacked on, demand.
type Row = (&'static str, DeviceKind, &'static str, &'static str, &'static [&'static str], Demand);

fn rows() -> Vec<Row> {
    use Demand::{Backup, Limited, Nothing, Office, Steady};
    use DeviceKind::{Crypt, Disk, Lvm, Md, Partition, Zram};
    vec![
        ("sda", Disk, "", "", &[], Nothing),
        ("sda1", Partition, "", "/boot", &["sda"], Steady(0.02, 4.0)),
        ("sda2", Partition, "", "", &["sda"], Nothing),
        ("sdb", Disk, "", "", &[], Nothing),
        ("sdb1", Partition, "", "", &["sdb"], Nothing),
        ("md0", Md("raid1".to_owned()), "", "", &["sda2", "sdb1"], Nothing),
        ("dm-0", Lvm, "vg0-data", "/srv/data", &["md0"], Office(180.0, 16.0)),
        ("dm-1", Lvm, "vg0-secret", "", &["md0"], Nothing),
        ("dm-2", Crypt, "secret", "/srv/secret", &["dm-1"], Office(40.0, 8.0)),
        ("nvme0n1", Disk, "", "", &[], Nothing),
        ("nvme0n1p1", Partition, "", "/var/lib/db", &["nvme0n1"], Office(9000.0, 8.0)),
        ("nvme1n1", Disk, "", "/scratch", &[], Backup(1.0, 3.0)),
        ("vdb", Disk, "", "/srv/logs", &[], Steady(25.0, 32.0)),
        ("vdc", Disk, "", "/srv/shop", &[], Limited),
        ("vdd", Disk, "", "", &[], Nothing),
        ("vdd1", Partition, "", "/home", &["vdd"], Office(120.0, 24.0)),
        ("vde", Disk, "", "/backup", &[], Backup(1.0, 3.0)),
        ("sdc", Disk, "", "", &[], Backup(9.0, 11.5)),
        ("vdf", Disk, "", "/spare", &[], Nothing),
        ("zram0", Zram, "", "", &[], Steady(300.0, 4.0)),
    ]
}

/// Returns a number from 0 to 1 that is the same for one device and second on every machine (splitmix64).
fn noise(device: usize, second: u64, salt: u64) -> f64 {
    let mut x = (device as u64) << 48 ^ second << 8 ^ salt;
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ x >> 31) as f64 / u64::MAX as f64
}

/// Returns the share (0 to 1) of the busiest time: zero before 06:00 and after 22:00, a hill with its top at 14:00.
fn of_the_day(hour: f64) -> f64 {
    if (6.0..22.0).contains(&hour) { ((hour - 6.0) / 16.0 * std::f64::consts::PI).sin() } else { 0.0 }
}

/// Operations a second in one second, their size in sectors, and the milliseconds that one takes.
#[derive(Clone, Copy, Default)]
struct Load {
    reads: f64,
    writes: f64,
    sectors: f64,
    wait_ms: f64,
    discards: f64,
}

impl Load {
    fn of(demand: Demand, device: usize, at: f64) -> Load {
        let (hour, second) = (at / HOUR % 24.0, at as u64);
        let shaken = |rate: f64| rate * (0.7 + 0.6 * noise(device, second, 1));
        let (ops, kib) = match demand {
            Demand::Nothing => (0.0, 4.0),
            Demand::Office(most, kib) => (shaken(most) * of_the_day(hour), kib),
            Demand::Steady(rate, kib) => (shaken(rate), kib),
            Demand::Backup(from, to) if (from..to).contains(&hour) => (shaken(400.0), 512.0),
            Demand::Backup(..) => (0.0, 512.0),
            Demand::Limited if (14.0..15.0).contains(&hour) => (1200.0, 4.0),
            Demand::Limited => (shaken(700.0) * of_the_day(hour).min(0.9), 4.0),
        };
        let held = matches!(demand, Demand::Limited) && ops == 1200.0;
        Load {
            reads: ops * 0.7,
            writes: ops * 0.3,
            sectors: kib * 2.0,
            // A queue of 64 before a limit of 1,200 a second: each waits 64 / 1,200 s.
            wait_ms: if held { 64.0 / 1.2 } else { 0.4 + 0.8 * noise(device, second, 2) + kib / 128.0 },
            discards: if (3.0..3.05).contains(&hour) && ops == 0.0 { 20.0 } else { 0.0 },
        }
    }

    /// Adds what `above` hands down: `read_share` of its reads and `write_share` of its writes.
    fn plus(&mut self, above: &Load, read_share: f64, write_share: f64) {
        let ops = |load: &Load| load.reads + load.writes;
        let more = ops(above).max(1e-9);
        let all = ops(self) + more;
        self.sectors = (self.sectors * ops(self) + above.sectors * more) / all;
        self.wait_ms = (self.wait_ms * ops(self) + above.wait_ms * 0.97 * more) / all;
        self.reads += above.reads * read_share;
        self.writes += above.writes * write_share;
        self.discards += above.discards * write_share;
    }
}

/// Counters as they grow, with their fractions.
#[derive(Clone, Copy, Default)]
struct Growing {
    reads: f64,
    writes: f64,
    discards: f64,
    flushes: f64,
    sectors_read: f64,
    sectors_written: f64,
    read_ms: f64,
    write_ms: f64,
    busy_ms: f64,
    queue_ms: f64,
    in_flight: f64,
}

impl Growing {
    fn grow(&mut self, load: &Load, seconds: f64, timed: bool) {
        let queue = (load.reads + load.writes) * load.wait_ms / 1e3;
        self.reads += load.reads * seconds;
        self.writes += load.writes * seconds;
        self.discards += load.discards * seconds;
        self.flushes += load.writes * seconds / 50.0;
        self.sectors_read += load.reads.floor() * load.sectors * seconds;
        self.sectors_written += load.writes.floor() * load.sectors * seconds;
        self.in_flight = queue.floor();
        if timed {
            self.read_ms += load.reads * load.wait_ms * seconds;
            self.write_ms += load.writes * load.wait_ms * 1.2 * seconds;
            self.queue_ms += queue * 1e3 * seconds;
            self.busy_ms += (1.0 - (-queue).exp()) * 1e3 * seconds;
        }
    }

    fn counters(&self) -> DiskCounters {
        let ms = |value: f64| (value % WRAP) as u64;
        DiskCounters {
            reads: self.reads as u64,
            reads_merged: (self.reads / 40.0) as u64,
            sectors_read: self.sectors_read as u64,
            read_ms: ms(self.read_ms),
            writes: self.writes as u64,
            writes_merged: (self.writes / 3.0) as u64,
            sectors_written: self.sectors_written as u64,
            write_ms: ms(self.write_ms),
            in_flight: self.in_flight as u64,
            busy_ms: ms(self.busy_ms),
            queue_ms: ms(self.queue_ms),
            discards: self.discards as u64,
            discards_merged: 0,
            sectors_discarded: (self.discards as u64) * 2048,
            discard_ms: ms(self.discards * 0.3),
            flushes: self.flushes as u64,
            flush_ms: ms(self.flushes * 1.5),
        }
    }
}

/// The machine and its counters.
struct Machine {
    rows: Vec<Row>,
    names: Vec<Arc<str>>,
    /// For each device, the indices of those below it.
    below: Vec<Vec<usize>>,
    growing: Vec<Growing>,
    cpu: [f64; 5],
    waited_us: f64,
}

impl Machine {
    fn of(devices: usize) -> Machine {
        let mut rows = rows();
        let more = ["vdg", "vdh", "vdi", "vdj", "vdk", "vdl", "vdm", "vdn", "vdo", "vdp", "vdq", "vdr"];
        rows.extend(more.map(|name| (name, DeviceKind::Disk, "", "", &[][..], Demand::Office(90.0, 16.0))));
        rows.truncate(devices);
        let place = |name: &&str| rows.iter().position(|row| row.0 == *name);
        let below = rows.iter().map(|row| row.4.iter().filter_map(place).collect()).collect();
        // As if the machine had been up for some weeks: a few fields are about to wrap.
        let long_up = |at: usize| Growing {
            reads: 1e8 + 1e6 * at as f64,
            writes: 3e7,
            sectors_read: 4e9,
            sectors_written: 1e9,
            read_ms: WRAP - 1e5 * (1 + at % 5) as f64,
            write_ms: 8e7,
            queue_ms: WRAP - 2e5 * (1 + at % 3) as f64,
            busy_ms: 5e7,
            ..Growing::default()
        };
        Machine {
            names: rows.iter().map(|row| row.0.into()).collect(),
            growing: (0..rows.len()).map(long_up).collect(),
            below,
            rows,
            cpu: [1e6, 4e5, 9e7, 3e5, 1e3],
            waited_us: 1e9,
        }
    }

    /// Whether a device is there: `sdc` is from 02:00 to 06:00 and, made anew, from 09:00 to noon.
    fn there(&self, device: usize, hour: f64) -> bool {
        self.rows[device].0 != "sdc" || (2.0..6.0).contains(&hour) || (9.0..12.0).contains(&hour)
    }

    /// Advances the counters by `seconds`, which end at `at`.
    fn pass(&mut self, at: f64, seconds: f64) {
        let demand = |(place, row): (usize, &Row)| Load::of(row.5, place, at);
        let mut loads: Vec<Load> = self.rows.iter().enumerate().map(demand).collect();
        // Devices stand after those below them, so what they hand down is complete when their turn comes.
        for above in (0..loads.len()).rev() {
            let (load, below) = (loads[above], &self.below[above]);
            let mirrored = matches!(self.rows[above].1, DeviceKind::Md(_));
            for &under in below {
                let share = 1.0 / below.len() as f64;
                loads[under].plus(&load, share, if mirrored { 1.0 } else { share });
            }
        }
        for (place, load) in loads.iter().enumerate() {
            match self.there(place, at / HOUR % 24.0) {
                true => self.growing[place].grow(load, seconds, self.rows[place].1 != DeviceKind::Zram),
                false => self.growing[place] = Growing::default(),
            }
        }
        let (busy, waiting) =
            (0.05 + 0.5 * of_the_day(at / HOUR % 24.0), 0.02 + 0.2 * of_the_day(at / HOUR % 24.0));
        let shares = [busy * 0.7, busy * 0.3, 1.0 - busy - waiting, waiting, 0.002];
        self.cpu.iter_mut().zip(shares).for_each(|(ticks, share)| *ticks += 400.0 * share * seconds);
        self.waited_us += waiting * 1e6 * seconds;
    }

    fn sample(&self, at: f64) -> Sample {
        let hour = at / HOUR % 24.0;
        let there = (0..self.rows.len()).filter(|&place| self.there(place, hour));
        let [user, system, idle, iowait, steal] = self.cpu.map(|ticks| ticks as u64);
        Sample {
            at: Nanos((at * 1e9).round() as u64),
            wall_unix_ms: MIDNIGHT_UNIX_MS + (at * 1e3).round() as u64,
            disks: there
                .map(|place| (Arc::clone(&self.names[place]), self.growing[place].counters()))
                .collect(),
            cpu: CpuCounters { user, system, idle, iowait, steal, ..CpuCounters::default() },
            memory: MemoryCounters {
                total: 64 << 30,
                available: (40 << 30) - (((at as u64) % 600) << 20),
                cached: (16 << 30) + (((at as u64) % 600) << 20),
                dirty: ((at as u64) % 30) << 20,
                writeback: 0,
            },
            pressure: Some(Pressure {
                some_us: self.waited_us as u64,
                full_us: (self.waited_us * 0.4) as u64,
            }),
            blocked: (of_the_day(hour) * 3.0) as u32,
            own: OwnCpu { user_ns: (at * 4e5) as u64, system_ns: (at * 6e5) as u64 },
            ..Sample::default()
        }
    }

    fn nodes(&self) -> Vec<DeviceNode> {
        let node = |(place, row): (usize, &Row)| DeviceNode {
            facts: DeviceFacts {
                name: row.0.to_owned(),
                number: (253, place as u32),
                size: Bytes::gib(200),
                logical_block: Bytes(512),
                physical_block: Bytes(4096),
                scheduler: "none".to_owned(),
                queue_requests: 256,
                request_max: Bytes::kib(1280),
                ..DeviceFacts::default()
            },
            kind: row.1.clone(),
            below: self.below[place].iter().map(|&under| self.rows[under].0.to_owned()).collect(),
            alias: row.2.to_owned(),
            mounted: row.3.to_owned(),
            description: String::new(),
            timed: row.1 != DeviceKind::Zram,
        };
        self.rows.iter().enumerate().map(node).collect()
    }
}

fn header(machine: &Machine) -> Run {
    let words = ["plimsoll", "watch", "--for", "24h"].map(str::to_owned).to_vec();
    let limit = |what: &str, value| LocalLimit {
        group: "/system.slice/shop.service".to_owned(),
        device: "vdc".to_owned(),
        what: what.to_owned(),
        value,
    };
    Run {
        devices: machine.nodes(),
        limits: vec![limit("riops", 840), limit("wiops", 360)],
        ..Run::started(words, MIDNIGHT_UNIX_MS)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments
        .next()
        .ok_or("say where to: day_of_samples OUT.plimsoll [HOURS] [DEVICES] [EVERY_SECONDS]")?;
    let mut number = |otherwise: f64| arguments.next().map_or(Ok(otherwise), |word| word.parse::<f64>());
    let (hours, devices, every) = (number(24.0)?, number(20.0)?, number(1.0)?);
    let mut machine = Machine::of(devices as usize);
    let mut writer = Writer::create(runfile::at(Path::new(&out)), &header(&machine), SameDevice::Yes)?;
    for tick in 0..=(hours * HOUR / every) as u64 {
        let at = tick as f64 * every;
        machine.pass(at, every);
        writer.sample(&machine.sample(at))?;
    }
    let path = writer.finish()?;
    println!("{}: {:.1} MB", path.display(), std::fs::metadata(&path)?.len() as f64 / 1e6);
    Ok(())
}
