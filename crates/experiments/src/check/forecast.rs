//! What a check will take, said before it starts and while it runs: steps, seconds, bytes.

use record::StepRecord;
use workload::{Direction, Nanos, StepKind};

use super::asks::CheckAsk;
use super::draft::Draft;
use super::known::{DEPTH_MAX, Known};
use super::{again, chain, references, rest};
use crate::step::Layout;

/// Rungs of the read ladder of depths that are usual: a cap is seen two doublings after the depth that fills it.
const RUNGS_USUAL: usize = 5;
/// The same of writes, which start where reads filled their cap.
const WRITE_RUNGS_USUAL: usize = 2;
/// Time that a step takes beside its ramp and its counted time: it is planned, opened, and what is in flight is waited for.
const BETWEEN_STEPS: Nanos = Nanos::from_millis(100);

/// A group of steps before they run.
#[derive(Clone, Debug, PartialEq)]
pub struct Foreseen {
    /// What they are.
    pub what: Group,
    /// What they take together, usually.
    pub seconds: f64,
    /// The part of what may be written that is theirs; what earlier ones leave of it goes to later ones.
    pub bytes: u64,
}

/// What steps have in common that are foreseen together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Data is laid out.
    Layout,
    /// One I/O at a time.
    Latency,
    /// More and more small I/Os at once.
    Depths(Direction),
    /// Larger and larger blocks.
    Blocks(Direction),
    /// Loads that tell causes apart.
    Probes,
    /// Arrivals that do not wait.
    OpenLoad,
    /// The same short loads between all others.
    References,
    /// A small and a large block once more.
    Again,
}

impl Group {
    fn of(draft: &Draft) -> Group {
        let way = if draft.job.access.mix.writes_only() { Direction::Write } else { Direction::Read };
        match draft.kind {
            StepKind::Layout | StepKind::Idle => Group::Layout,
            StepKind::Latency => Group::Latency,
            StepKind::DepthLadder => Group::Depths(way),
            StepKind::BlockLadder => Group::Blocks(way),
            StepKind::Probe => Group::Probes,
            StepKind::OpenLoad | StepKind::Job => Group::OpenLoad,
            StepKind::Reference => Group::References,
            StepKind::Again => Group::Again,
        }
    }

    fn outlined(self) -> (&'static str, &'static str) {
        match self {
            Group::Layout => ("layout", "real, incompressible data, in order"),
            Group::Latency => ("latency", "one I/O at a time: reads, writes, writes with a flush each"),
            Group::Depths(Direction::Write) => {
                ("write depths", "small writes, from what fills the read cap on")
            }
            Group::Depths(_) => ("read depths", "small reads at depth 1, 2, 4 … until that gains nothing"),
            Group::Blocks(Direction::Write) => ("write blocks", "writes of 256 KiB and 1 MiB"),
            Group::Blocks(_) => ("read blocks", "reads of 16 KiB to 1 MiB"),
            Group::Probes => ("probes", "what tells causes apart: fewer in flight, mixes, in sequence …"),
            Group::OpenLoad => ("open load", "arrivals that do not wait, for the latency that users see"),
            Group::References => ("references", "4 KiB and 1 MiB between the others, 2 s each"),
            Group::Again => ("again", "4 KiB and 1 MiB at the end, and after a change"),
        }
    }
}

/// How often a step like `draft` comes, where only the first of them is known.
fn usual_times(draft: &Draft) -> usize {
    match Group::of(draft) {
        Group::Depths(Direction::Write) => WRITE_RUNGS_USUAL,
        Group::Depths(_) => RUNGS_USUAL,
        _ => 1,
    }
}

/// How often it comes at most: every doubling up to the deepest.
fn times_most(draft: &Draft) -> usize {
    match Group::of(draft) {
        Group::Depths(_) => (DEPTH_MAX / draft.job.depth.max(1)).ilog2() as usize + 1,
        _ => 1,
    }
}

fn seconds(time: Nanos) -> f64 {
    (time + BETWEEN_STEPS).as_secs_f64()
}

/// All that is known to come before anything ran: the chain, the references, the round at the end.
fn all(known: &Known<'_>) -> Vec<Draft> {
    [chain(known), references::ahead(known), again::round(known, 1)].concat()
}

/// What a check with `ask` will run, group by group in the order in which they begin.
pub fn foreseen(ask: &CheckAsk, layout_bytes_per_second: f64) -> Vec<Foreseen> {
    let known = Known::of(ask, &[]);
    let mut groups = Vec::new();
    if let Layout::Write(size) = ask.layout {
        let bytes = size.0.min(ask.write_most.0);
        groups.push(Foreseen {
            what: Group::Layout,
            seconds: layout_seconds(ask, layout_bytes_per_second),
            bytes,
        });
    }
    let laid_out: u64 = groups.iter().map(|group| group.bytes).sum();
    let drafts = all(&known);
    let times = |draft: &Draft| usual_times(draft) as f64;
    let shares: f64 = drafts.iter().map(|draft| draft.share * times(draft)).sum();
    let a_share = (ask.write_most.0 - laid_out) as f64 / shares.max(f64::MIN_POSITIVE);
    for draft in &drafts {
        let what = Group::of(draft);
        let bytes = (draft.share * times(draft) * a_share) as u64;
        let seconds = seconds(draft.least(&known)) * times(draft);
        match groups.iter_mut().find(|group| group.what == what) {
            Some(group) => {
                group.bytes += bytes;
                group.seconds += seconds;
            }
            None => groups.push(Foreseen { what, seconds, bytes }),
        }
    }
    groups
}

fn layout_seconds(ask: &CheckAsk, bytes_per_second: f64) -> f64 {
    let Layout::Write(size) = ask.layout else { return 0.0 };
    (size.0 as f64 / bytes_per_second).min(ask.effort.layout_most.as_secs_f64())
}

/// The seconds that a check with `ask` takes at most, layout at `bytes_per_second` included.
pub fn seconds_most(ask: &CheckAsk, layout_bytes_per_second: f64) -> f64 {
    let known = Known::of(ask, &[]);
    let drafts = all(&known);
    let most: f64 = drafts.iter().map(|draft| seconds(draft.most(&known)) * times_most(draft) as f64).sum();
    (layout_seconds(ask, layout_bytes_per_second) + most).min(seconds(ask.effort.total))
}

/// The seconds that a check with `ask` usually takes, layout at `bytes_per_second` included.
pub fn seconds_usual(ask: &CheckAsk, layout_bytes_per_second: f64) -> f64 {
    foreseen(ask, layout_bytes_per_second).iter().map(|group| group.seconds).sum()
}

/// The seconds that are usually left after these steps.
pub fn seconds_left(ask: &CheckAsk, done: &[StepRecord]) -> f64 {
    let known = Known::of(ask, done);
    let (chain, references) = (chain(&known), references::ahead(&known));
    let again = again::round(&known, again::rounds(&known) + 1);
    // Of a ladder that goes on only the next rung is known: the others are those that are usual.
    let ran = |group| {
        known
            .done
            .iter()
            .filter(|record| record.plan.kind == StepKind::DepthLadder && group == depths_of(record))
            .count()
    };
    let times = |draft: &Draft| match Group::of(draft) {
        group @ Group::Depths(_) => usual_times(draft).saturating_sub(ran(group)).max(1),
        _ => 1,
    };
    let coming = rest(&known, &chain).iter().chain(&references).chain(&again);
    coming.map(|draft| seconds(draft.least(&known)) * times(draft) as f64).sum()
}

fn depths_of(record: &StepRecord) -> Group {
    let writes = record.tally(Direction::Write).ops > 0;
    Group::Depths(if writes { Direction::Write } else { Direction::Read })
}

/// The steps of a check in words, for people who want to know before it runs, with what they may write.
pub fn outline(ask: &CheckAsk, layout_bytes_per_second: f64) -> String {
    let line = |group: &Foreseen| {
        let (what, does) = group.what.outlined();
        let bytes =
            if group.bytes > 0 { format!(", at most {}", rounded(group.bytes)) } else { String::new() };
        format!("  {what:<13} {does}: {:.0} s{bytes}\n", group.seconds.ceil())
    };
    let mut text: String = foreseen(ask, layout_bytes_per_second).iter().map(line).collect();
    if ask.write_most.0 > 0 {
        text.push_str(&format!(
            "  All of it writes at most {}; what one step leaves of its part goes to those behind it.\n",
            ask.write_most
        ));
    }
    text.push_str("  A rung stops as soon as its rate is known within 0.5 % and steady.\n");
    text
}

/// Whole MiB, or tenths of a GiB: a share is no exact figure.
fn rounded(bytes: u64) -> String {
    let mib = bytes as f64 / 1_048_576.0;
    if mib < 1024.0 { format!("{} MiB", mib.ceil()) } else { format!("{:.1} GiB", mib / 1024.0) }
}
