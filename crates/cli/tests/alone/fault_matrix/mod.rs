//! The matrix: every fault of a device, on every engine, on a file and on a device, for reads and writes.

#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;
use testbed::{ArrivedRequest, Device, Errno, LoopOver, Ops, Outcome, Through};

use crate::faults::whole;
use crate::machine::*;

/// A length that nothing else uses: what is examined before a run is read in other lengths.
const BLOCK: u32 = 20 << 10;
const BLOCKS: u64 = 64;
const SIZE: u64 = BLOCK as u64 * BLOCKS;
/// Far beyond what any of these cells needs, and below the run time of a job that nothing ends.
const LONGEST: Duration = Duration::from_secs(40);

const EIO: u64 = 5;
const ENOSPC: u64 = 28;
const EROFS: u64 = 30;
const ECONNABORTED: u64 = 103;
const ENOTCONN: u64 = 107;

/// What goes wrong. Other tests cover a device that stops answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    OneBlock,
    Range,
    All,
    Full,
    ReadOnly,
    Short,
    Shrunk,
    Vanished,
}

const FAULTS: [Fault; 8] = [
    Fault::OneBlock,
    Fault::Range,
    Fault::All,
    Fault::Full,
    Fault::ReadOnly,
    Fault::Short,
    Fault::Shrunk,
    Fault::Vanished,
];

/// Where the job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ground {
    File,
    Device,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Read,
    Write,
}

/// How much of the I/O reaches the failing device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrives {
    All,
    /// The kernel itself fails I/O to a device that has gone, or past its end.
    Some,
    /// The kernel splits an I/O and repeats each part.
    InParts,
}

/// How a cell must end.
struct ExpectedOutcome {
    /// The accepted errnos; empty if nothing fails.
    errnos: &'static [u64],
    /// What reaches the failing device.
    arrives: Arrives,
    /// Whether some I/Os are short.
    short: bool,
}

impl Fault {
    fn ops(way: Way) -> Ops {
        match way {
            Way::Read => Ops::READ,
            Way::Write => Ops::WRITE,
        }
    }

    /// Whether this fault applies to the direction.
    fn concerns(self, way: Way) -> bool {
        way == Way::Write || !matches!(self, Fault::Full | Fault::ReadOnly)
    }

    fn happens(self, device: &Device, node: Option<&LoopOver>, way: Way) {
        let ops = Fault::ops(way);
        let half = SIZE / 2;
        match self {
            Fault::OneBlock => device.fail(u64::from(BLOCK)..2 * u64::from(BLOCK), ops, Errno::EIO),
            Fault::Range => device.fail(half..half + 16 * u64::from(BLOCK), ops, Errno::EIO),
            Fault::All => device.fail(.., ops, Errno::EIO),
            Fault::Full => device.fill_up(),
            Fault::ReadOnly => device.make_read_only(),
            Fault::Short => device.shorten(ops, 4096),
            Fault::Shrunk => {
                device.truncate(half).unwrap();
                device.fail(half.., Ops::WRITE, Errno::ENOSPC);
                if let Some(node) = node {
                    run(&["losetup", "-c", &text(node.path())]);
                }
            }
            Fault::Vanished => device.vanish().unwrap(),
        }
    }

    /// Returns how a cell must end. The kernel's loop driver requests the rest of a short read, fails a short write,
    /// and passes on only some errnos. FUSE fails a short asynchronous write; psync requests the rest itself.
    fn wanted(self, ground: Ground, way: Way, engine: &str) -> ExpectedOutcome {
        let errnos: &[u64] = match (self, ground, way) {
            (Fault::OneBlock | Fault::Range | Fault::All, ..) => &[EIO],
            (Fault::Full, Ground::File, _) => &[ENOSPC],
            (Fault::ReadOnly, Ground::File, _) => &[EROFS],
            (Fault::Full | Fault::Shrunk, Ground::Device, Way::Write) => &[ENOSPC, EIO],
            (Fault::ReadOnly | Fault::Vanished, Ground::Device, _) => &[EIO],
            (Fault::Short, Ground::Device, Way::Write) => &[EIO],
            (Fault::Short, Ground::File, Way::Write) if engine != "psync" => &[EIO],
            (Fault::Short, ..) => &[],
            (Fault::Shrunk, Ground::File, Way::Write) => &[ENOSPC],
            (Fault::Shrunk, ..) => &[EIO],
            (Fault::Vanished, ..) => &[ENOTCONN, ECONNABORTED],
            (Fault::Full, ..) => &[],
        };
        ExpectedOutcome {
            errnos,
            arrives: match (self, ground) {
                (Fault::Vanished, _) | (Fault::Shrunk, Ground::Device) => Arrives::Some,
                (Fault::Short, Ground::Device) => Arrives::InParts,
                _ => Arrives::All,
            },
            short: (self, ground, way) == (Fault::Short, Ground::File, Way::Read) && engine != "psync",
        }
    }
}

/// Runs one cell; returns what is wrong with it, empty if nothing is. `None` if it did not get under way, because
/// other programs on this machine take and change loop devices too.
fn cell(peers: &Peers, (engine, ground): (&str, Ground), way: Way, fault: Fault) -> Option<String> {
    let device = Device::or_skip(SIZE)?;
    let node = match ground {
        Ground::File => None,
        Ground::Device => Some(LoopOver::or_skip(&device.path(), Through::Direct)?),
    };
    let path: PathBuf = node.as_ref().map_or_else(|| device.path(), |node| node.path().to_owned());
    let wanted = fault.wanted(ground, way, engine);
    let order = if way == Way::Read { "randread" } else { "randwrite" };
    let end = if wanted.errnos.is_empty() { "--number_ios=300" } else { "--time_based --runtime=60" };
    let words = format!(
        "--name=m --filename={} --size={SIZE} --bs={BLOCK} --rw={order} --direct=1 --ioengine={engine} --iodepth=4 \
         --rate_iops=1000 --loops=10 {end} --output-format=json",
        text(&path)
    );
    let running = Running::start(&mut peers.command(&peers.folder.make_dir("place"), Who::Command, &words));
    // The kernel may merge adjacent requests into one.
    let ours = |seen: &&ArrivedRequest| seen.op == Fault::ops(way) && seen.length.is_multiple_of(BLOCK);
    if !comes_true(|| device.log().iter().filter(ours).count() >= 20) {
        return None;
    }
    let began = Instant::now();
    fault.happens(&device, node.as_ref(), way);
    let ended = running.wait();
    let mut wrong = String::new();
    if began.elapsed() > LONGEST {
        let _ = write!(wrong, " it ended after {:?};", began.elapsed());
    }
    let log: Vec<ArrivedRequest> = device.log().iter().filter(ours).copied().collect();
    check(&ended, &whole(&ended), (&log, &wanted), &mut wrong);
    if !wrong.is_empty() {
        wrong = format!("{engine} {ground:?} {way:?} {fault:?}:{wrong} {}", ended.err);
    }
    Some(wrong)
}

/// Compares the report with what reached the device.
fn check(
    ended: &ProgramOutput,
    document: &Value,
    (log, wanted): (&[ArrivedRequest], &ExpectedOutcome),
    wrong: &mut String,
) {
    let job = &document["jobs"][0];
    let sum = |key: &str| ["read", "write"].iter().filter_map(|way| job[way][key].as_u64()).sum::<u64>();
    let (done, bytes, short) = (sum("total_ios"), sum("io_bytes"), sum("short_ios"));
    let failures = document["plimsoll"]["failures"].as_array().map_or(0, Vec::len) as u64;
    let arrived: u64 = log.iter().map(|seen| u64::from(seen.length / BLOCK)).sum();
    let held = log.iter().filter(|seen| seen.outcome == Outcome::Held).count();
    let error = job["error"].as_u64().unwrap_or(0);
    let fails = !wanted.errnos.is_empty();
    let mut must = |holds: bool, what: String| {
        if !holds {
            let _ = write!(wrong, " {what};");
        }
    };
    must(ended.code == Some(i32::from(fails)), format!("exit code {:?}", ended.code));
    must(if fails { wanted.errnos.contains(&error) } else { error == 0 }, format!("error {error}"));
    must(held == 0, format!("{held} are held"));
    must((failures > 0) == fails, format!("{failures} failures"));
    let account = format!("{done} done and {failures} failed, but {arrived} arrived");
    let told = match wanted.arrives {
        Arrives::All => done + failures == arrived,
        Arrives::Some => done + failures >= arrived,
        Arrives::InParts => done + failures <= arrived,
    };
    must(told, account);
    must((short > 0) == wanted.short, format!("{short} short"));
    must(wanted.short || bytes == done * u64::from(BLOCK), format!("{bytes} bytes in {done}"));
    must(
        !wanted.short || bytes == (done - short) * u64::from(BLOCK) + short * 4096,
        format!("{bytes} bytes, {short} short"),
    );
}

fn matrix(engine: &str) {
    if Device::or_skip(SIZE).is_none() {
        return;
    }
    let peers = Peers::alone();
    let mut wrong = Vec::new();
    for ground in [Ground::File, Ground::Device] {
        for way in [Way::Read, Way::Write] {
            for fault in FAULTS.into_iter().filter(|fault| fault.concerns(way)) {
                let told = (0..3).find_map(|_| cell(&peers, (engine, ground), way, fault));
                wrong.push(
                    told.unwrap_or_else(|| format!("{ground:?} {way:?} {fault:?} got never under way")),
                );
            }
        }
    }
    wrong.retain(|words| !words.is_empty());
    assert!(wrong.is_empty(), "{} cells are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[ignore = "night: as under io_uring"]
fn every_io_is_accounted_for_whatever_the_device_does_under_psync() {
    matrix("psync");
}

#[test]
#[ignore = "night: as under io_uring"]
fn every_io_is_accounted_for_whatever_the_device_does_under_libaio() {
    matrix("libaio");
}

#[test]
#[ignore = "night: every fault of a device"]
fn every_io_is_accounted_for_whatever_the_device_does_under_io_uring() {
    matrix("io_uring");
}

/// Runs one cell: reads of a file under io_uring, one block of which fails.
#[cfg_attr(test, allow(dead_code, reason = "a witness"))]
pub fn a_bad_block_is_accounted_for() {
    if Device::or_skip(SIZE).is_none() {
        return;
    }
    let told = cell(&Peers::alone(), ("io_uring", Ground::File), Way::Read, Fault::OneBlock);
    assert_eq!(told.as_deref(), Some(""));
}
