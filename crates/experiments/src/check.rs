//! `check` as a procedure: from what is known so far, the next step, or done.
//!
//! Order and lengths follow the quick profile of the methodology: latency at depth 1, a ladder of depths, writes at the
//! depth that fills the cap, a ladder of block sizes, and the claimed load itself where a latency is claimed.

use record::StepRecord;
use workload::{
    Access, BlockSizes, Bytes, Claim, Direction, Expectation, Flush, Iops, Job, Metric, Mix, Nanos, Pace,
    StepKind, StopRule, Workload,
};

use crate::layout::layout_step;
use crate::step::{Layout, Step, Writes};

/// What a check may do and how long it may take.
#[derive(Clone, Debug)]
pub struct CheckAsk {
    /// Whether writes are permitted.
    pub writes: Writes,
    /// Whether real data must be written before reads are measured.
    pub layout: Layout,
    /// What is claimed in words.
    pub expectation: Expectation,
    /// Seed of every random choice.
    pub seed: u64,
    /// How precise and how long a step is.
    pub effort: Effort,
    /// Smallest block that the target takes (its direct-I/O alignment).
    pub block_min: Bytes,
}

/// How precise and how long a step is.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Half-width of the rate's interval, as a share, at which a step may stop.
    pub half_width: f64,
    /// Least counted time of a step.
    pub least: Nanos,
    /// Most counted time of a step.
    pub most: Nanos,
    /// Uncounted time at the start of a step.
    pub ramp: Nanos,
    /// Most time for the layout.
    pub layout_most: Nanos,
    /// Length of a latency step.
    pub latency: Nanos,
}

impl Effort {
    /// The default: two minutes or so on a capped volume, under three on any.
    pub const QUICK: Effort = Effort {
        half_width: 0.005,
        least: Nanos::from_secs(4),
        most: Nanos::from_secs(7),
        ramp: Nanos::from_secs(1),
        layout_most: Nanos::from_secs(25),
        latency: Nanos::from_secs(3),
    };

    /// Seconds instead of minutes: enough to walk through every step, too short for figures to rely on.
    pub const BRIEF: Effort = Effort {
        half_width: 0.005,
        least: Nanos::from_secs(1),
        most: Nanos::from_secs(2),
        ramp: Nanos::from_millis(200),
        layout_most: Nanos::from_secs(3),
        latency: Nanos::from_millis(500),
    };

    fn stop(&self) -> Vec<StopRule> {
        vec![StopRule::Certain { half_width: self.half_width, least: self.least, most: self.most }]
    }
}

/// Small blocks: the size at which operations, not bytes, bind.
const SMALL: Bytes = Bytes::kib(4);
/// Largest block of the ladders.
const LARGE: Bytes = Bytes::MIB;
/// Block sizes of the read ladder beside the small one: the published tables' sizes.
const READ_BLOCKS: [Bytes; 5] = [Bytes::kib(16), Bytes::kib(32), Bytes::kib(64), Bytes::kib(256), LARGE];
/// Block sizes of the write ladder: two, so that a bandwidth cap shows as one level at both.
const WRITE_BLOCKS: [Bytes; 2] = [Bytes::kib(256), LARGE];
/// The deepest rung.
const DEPTH_MAX: u32 = 256;
/// A doubling of depth that gains less than this share is no gain (methodology 2.3: under 2 % over two doublings ends the ladder).
const GAIN: f64 = 0.02;
/// Most bytes in flight: enough to fill 16 GB/s at 4 ms, and bounded memory.
const IN_FLIGHT_MAX: Bytes = Bytes::mib(64);
/// Most bytes that one step of the write ladders writes: a fast disk has shown its rate long before.
const WRITE_MOST: Bytes = Bytes::gib(8);
/// A queue this many times as deep as the one that fills the cap keeps it full whatever the latency does.
const DEPTH_MARGIN: u32 = 4;

/// The next step of a check, `None` when it is done.
///
/// Pure: the same records give the same step. A step that failed or was interrupted ends the check.
pub fn next_step(ask: &CheckAsk, done: &[StepRecord]) -> Option<Step> {
    use workload::Ending::{Failed, Interrupted};
    if done.last().is_some_and(|last| matches!(last.ending, Failed | Interrupted)) {
        return None;
    }
    let ran = |name: &str| done.iter().any(|record| record.plan.name == name);
    layout_step(ask.layout, ask.seed, ask.effort.layout_most)
        .into_iter()
        .chain(latency_steps(ask))
        .find(|step| !ran(&step.name))
        .or_else(|| depth_step(ask, done, Direction::Read))
        .or_else(|| spaced_latency(ask, done).filter(|step| !ran(&step.name)))
        .or_else(|| write_depth_step(ask, done))
        .or_else(|| block_steps(ask, done).into_iter().find(|step| !ran(&step.name)))
        .or_else(|| Some(again(ask, done)).filter(|step| !ran(&step.name)))
        .or_else(|| as_claimed(ask).filter(|step| !ran(&step.name)))
}

/// The seconds that a check with `ask` takes at most, layout at `bytes_per_second` included.
pub fn seconds_most(ask: &CheckAsk, layout_bytes_per_second: f64) -> f64 {
    let rung = (ask.effort.most + ask.effort.ramp).as_secs_f64();
    let writes = if ask.writes == Writes::Measured { 1.0 } else { 0.0 };
    let layout = match ask.layout {
        Layout::None => 0.0,
        Layout::Write(size) => {
            (size.0 as f64 / layout_bytes_per_second).min(ask.effort.layout_most.as_secs_f64())
        }
    };
    // Five rungs are usual (a cap is seen two doublings after the depth that fills it), and one comes again at the end.
    let rungs = 6.0 + READ_BLOCKS.len() as f64 + writes * (2.0 + WRITE_BLOCKS.len() as f64);
    layout + ask.effort.latency.as_secs_f64() * (1.0 + 2.0 * writes) + rungs * rung
}

/// Bytes that a check with `ask` writes at most: the layout of `size`, and the write ladder at `bytes_per_second` or up to
/// its bound a step, whichever is less.
pub fn bytes_written_most(ask: &CheckAsk, size: Bytes, bytes_per_second: f64) -> u64 {
    if ask.writes == Writes::LeftOut {
        return size.0;
    }
    let rung = (ask.effort.most + ask.effort.ramp).as_secs_f64();
    let step = ((rung * bytes_per_second) as u64).min(WRITE_MOST.0);
    // Two rungs of the depth ladder move small blocks; in bytes they are the lesser half of one large-block step each.
    let steps = WRITE_BLOCKS.len() as u64 + 1;
    size.0 + step * steps
}

/// The steps of a check in words, for people who want to know before it runs.
pub fn outline(ask: &CheckAsk) -> String {
    let mut lines = Vec::new();
    if let Layout::Write(size) = ask.layout {
        lines.push(format!(
            "layout          {size} of real, incompressible data, in order, at most {} s",
            ask.effort.layout_most.0 / 1_000_000_000
        ));
    }
    let both =
        if ask.writes == Writes::Measured { ": reads, writes, writes with a flush each" } else { ": reads" };
    lines.push(format!("latency         depth 1, {SMALL}{both}"));
    lines.push(format!("depth ladder    {SMALL} reads at depth 1, 2, 4 … until that gains nothing"));
    if ask.writes == Writes::Measured {
        lines.push(format!(
            "writes          {SMALL} at {DEPTH_MARGIN} times the depth that fills the read cap"
        ));
    }
    lines.push("block ladder    reads of 16 KiB to 1 MiB at a depth that keeps the cap filled".to_owned());
    if ask.writes == Writes::Measured {
        lines.push("                writes of 256 KiB and 1 MiB".to_owned());
    }
    lines.extend(
        as_claimed(ask).map(|_| "as claimed      the claimed load, paced, for its latency".to_owned()),
    );
    lines.push("Each rung stops as soon as its rate is known within 0.5 % and steady.".to_owned());
    lines.into_iter().map(|line| format!("  {line}\n")).collect()
}

fn job(ask: &CheckAsk, name: &str, direction: Direction) -> Job {
    let mix = if direction == Direction::Write { Mix::WRITE } else { Mix::READ };
    Job {
        access: Access::random(mix),
        blocks: BlockSizes::all(SMALL.max(ask.block_min)),
        seed: ask.seed,
        ..Job::named(name)
    }
}

/// A job at depth 1, run for its latency.
fn latency_step(ask: &CheckAsk, name: &str, job: Job) -> Step {
    let stop = vec![StopRule::Time(ask.effort.latency)];
    let workload = Workload { jobs: vec![job], stop, ramp: Nanos::from_millis(200) };
    Step { name: name.to_owned(), kind: StepKind::Latency, workload, interval: None }
}

fn latency_steps(ask: &CheckAsk) -> Vec<Step> {
    let read = latency_step(ask, "latency read", job(ask, "read", Direction::Read));
    if ask.writes == Writes::LeftOut {
        return vec![read];
    }
    let write = latency_step(ask, "latency write", job(ask, "write", Direction::Write));
    let flushed = Job { flush: Flush::Every(1), ..job(ask, "flush", Direction::Write) };
    vec![read, write, latency_step(ask, "latency flush", flushed)]
}

/// Rate of small I/Os of one rung.
fn rate(record: &StepRecord, direction: Direction) -> f64 {
    let seconds = record.seconds();
    if seconds > 0.0 { record.tally(direction).ops as f64 / seconds } else { 0.0 }
}

/// Depth and rate of the rungs of `direction` that ran, rising.
fn rungs(done: &[StepRecord], direction: Direction) -> Vec<(u32, f64)> {
    let mut rungs: Vec<(u32, f64)> = done
        .iter()
        .filter(|record| record.plan.kind == StepKind::DepthLadder && record.tally(direction).ops > 0)
        .map(|record| (record.plan.workers.iter().map(|worker| worker.depth).sum(), rate(record, direction)))
        .collect();
    rungs.sort_by_key(|rung| rung.0);
    rungs
}

/// The next depth of a ladder that starts at `first`: twice the last, until two doublings gained under 2 %.
fn next_depth(rungs: &[(u32, f64)], first: u32) -> Option<u32> {
    let Some(&(deepest, last)) = rungs.last() else { return Some(first) };
    let flat = rungs.len() >= 3 && last <= rungs[rungs.len() - 3].1 * (1.0 + GAIN);
    (!flat && deepest < DEPTH_MAX).then_some(deepest * 2)
}

fn depth_step(ask: &CheckAsk, done: &[StepRecord], direction: Direction) -> Option<Step> {
    let depth = next_depth(&rungs(done, direction), 1)?;
    Some(depth_rung(ask, direction, depth))
}

/// Least depth of the read ladder that reached 97 % of its best rate.
fn filling_depth(done: &[StepRecord]) -> u32 {
    let rungs = rungs(done, Direction::Read);
    let best = rungs.iter().map(|rung| rung.1).fold(0.0, f64::max);
    rungs.iter().find(|rung| rung.1 >= 0.97 * best).map_or(32, |rung| rung.0)
}

/// Writes start at four times the depth that fills the read cap, and go on while a doubling still gains.
fn write_depth_step(ask: &CheckAsk, done: &[StepRecord]) -> Option<Step> {
    if ask.writes == Writes::LeftOut {
        return None;
    }
    let rungs = rungs(done, Direction::Write);
    let flat = rungs.len() >= 2 && rungs[rungs.len() - 1].1 <= rungs[rungs.len() - 2].1 * (1.0 + GAIN);
    let depth = match rungs.last() {
        None => (filling_depth(done) * DEPTH_MARGIN).clamp(4, DEPTH_MAX / 2),
        Some(&(deepest, _)) if !flat && deepest < DEPTH_MAX => deepest * 2,
        Some(_) => return None,
    };
    Some(depth_rung(ask, Direction::Write, depth))
}

fn depth_rung(ask: &CheckAsk, direction: Direction, depth: u32) -> Step {
    let name = format!("{} depth {depth}", direction.name());
    let workload = rung(ask, direction, depth, SMALL.max(ask.block_min));
    Step { name, kind: StepKind::DepthLadder, workload, interval: None }
}

/// What a rung of either ladder runs.
fn rung(ask: &CheckAsk, direction: Direction, depth: u32, block: Bytes) -> Workload {
    let job = Job { depth, blocks: BlockSizes::all(block), ..job(ask, direction.name(), direction) };
    let mut stop = ask.effort.stop();
    if direction == Direction::Write {
        stop.push(StopRule::BytesEach(WRITE_MOST));
    }
    Workload { jobs: vec![job], stop, ramp: ask.effort.ramp }
}

/// Where the cap binds at depth 1 already, the base latency shows only between I/Os spaced wider than the cap asks.
fn spaced_latency(ask: &CheckAsk, done: &[StepRecord]) -> Option<Step> {
    let rungs = rungs(done, Direction::Read);
    let best = rungs.iter().map(|rung| rung.1).fold(0.0, f64::max);
    let first = rungs.first().filter(|rung| rung.0 == 1 && rung.1 >= 0.9 * best && best > 0.0)?;
    let job = Job { pace: Pace::Fixed(Iops(first.1 / 4.0)), ..job(ask, "read", Direction::Read) };
    Some(latency_step(ask, "latency read spaced", job))
}

fn block_steps(ask: &CheckAsk, done: &[StepRecord]) -> Vec<Step> {
    // The write ladder ended where a doubling brought no more, so its last rung fills the cap of slower writes too.
    let written = rungs(done, Direction::Write).last().map_or(1, |rung| rung.0);
    let deep = (filling_depth(done) * DEPTH_MARGIN).max(written);
    let depth_for = |block: Bytes| deep.clamp(8, ((IN_FLIGHT_MAX.0 / block.0) as u32).min(DEPTH_MAX));
    let ladder = |direction: Direction, blocks: &[Bytes]| -> Vec<Step> {
        let step = |block: Bytes| Step {
            name: format!("{} {block}", direction.name()),
            kind: StepKind::BlockLadder,
            workload: rung(ask, direction, depth_for(block), block),
            interval: None,
        };
        blocks.iter().filter(|&&block| block >= ask.block_min).map(|&block| step(block)).collect()
    };
    let mut steps = ladder(Direction::Read, &READ_BLOCKS);
    if ask.writes == Writes::Measured {
        steps.extend(ladder(Direction::Write, &WRITE_BLOCKS));
    }
    steps
}

/// Small reads once more at a depth that fills the cap: a volume that ran on credits at the beginning may have fallen.
fn again(ask: &CheckAsk, done: &[StepRecord]) -> Step {
    let depth = (filling_depth(done) * DEPTH_MARGIN).clamp(4, DEPTH_MAX);
    Step { name: "read again".to_owned(), kind: StepKind::Again, ..depth_rung(ask, Direction::Read, depth) }
}

/// Name of the step that runs the claimed load.
pub const AS_CLAIMED: &str = "as claimed";

/// The load that is claimed, paced, so that a claimed latency is judged at the claimed rate and not at saturation. It runs
/// where a latency is claimed, or rates in both directions at once.
fn as_claimed(ask: &CheckAsk) -> Option<Step> {
    let claims = &ask.expectation.claims;
    let rate = |direction| claims.iter().find_map(|claim| claimed_iops(claim, direction)).unwrap_or(0.0);
    let (read, write) = (rate(Direction::Read), rate(Direction::Write));
    let write = if ask.writes == Writes::Measured { write } else { 0.0 };
    let latency =
        claims.iter().any(|claim| matches!(claim.metric, Metric::MeanLatency(_) | Metric::Percentile(..)));
    let both = read > 0.0 && write > 0.0;
    if read + write <= 0.0 || !(latency || both) {
        return None;
    }
    let share = (100.0 * read / (read + write)).round() as u8;
    let job = Job {
        access: Access::random(Mix::reads(share)),
        pace: Pace::Fixed(Iops(read + write)),
        depth: DEPTH_MAX,
        ..job(ask, AS_CLAIMED, Direction::Read)
    };
    let stop = vec![StopRule::Time(Nanos::from_secs(10))];
    let workload = Workload { jobs: vec![job], stop, ramp: ask.effort.ramp };
    Some(Step { name: AS_CLAIMED.to_owned(), kind: StepKind::Job, workload, interval: None })
}

fn claimed_iops(claim: &Claim, direction: Direction) -> Option<f64> {
    match claim.metric {
        // A claim without a direction is asked of reads; the ladders judge writes by it too.
        Metric::Iops(rate) if claim.direction.unwrap_or(Direction::Read) == direction => Some(rate.0),
        _ => None,
    }
}
