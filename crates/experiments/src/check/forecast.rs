//! Forecast of a check, before it starts and while it runs: steps, seconds, bytes.

use record::StepRecord;
use workload::{Bytes, Direction, StepKind};

use super::asks::CheckAsk;
use super::draft::Draft;
use super::known::{CheckState, DEPTH_MAX};
use super::{Chain, again, chain, references, rest};
use crate::layout::LAYOUT_GUESS;
use crate::step::Layout;

/// Usual rungs of the read ladder of depths: the cap shows two doublings after the depth that fills it.
const RUNGS_USUAL: usize = 5;
/// Usual rungs of the write ladder, which starts at the depth at which reads filled their cap.
const WRITE_RUNGS_USUAL: usize = 2;

/// Forecast for a group of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupForecast {
    /// The group.
    pub what: Group,
    /// Usual seconds of all steps of the group together.
    pub seconds: f64,
    /// Share of the bytes that may be written; bytes that earlier groups leave go to later ones.
    pub bytes: u64,
}

/// A group of steps that are forecast together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Layout of data.
    Layout,
    /// One I/O at a time.
    Latency,
    /// Small I/Os at increasing depth.
    Depths(Direction),
    /// Increasing block sizes.
    Blocks(Direction),
    /// Loads that distinguish causes.
    Probes,
    /// Arrivals that do not wait for completions.
    OpenLoad,
    /// The reference loads, always the same, between all others.
    References,
    /// Another look at a small and a large block.
    Again,
    /// Other blocks at other depths.
    Cells,
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
            StepKind::OpenLoad
            | StepKind::Drain
            | StepKind::Place
            | StepKind::Soak
            | StepKind::Together
            | StepKind::Job => Group::OpenLoad,
            StepKind::Reference => Group::References,
            StepKind::Again => Group::Again,
            StepKind::Cell => Group::Cells,
        }
    }

    fn outlined(self) -> (&'static str, &'static str) {
        match self {
            Group::Layout => ("layout", "real, incompressible data"),
            Group::Latency => ("latency", "one I/O at a time; writes with a flush too"),
            Group::Depths(Direction::Write) => ("write depths", "4 KiB, from what fills the read cap on"),
            Group::Depths(_) => ("read depths", "4 KiB at depth 1, 2, 4 … while that gains"),
            Group::Blocks(Direction::Write) => ("write blocks", "writes of 256 KiB and 1 MiB"),
            Group::Blocks(_) => ("read blocks", "reads of 16 KiB to 1 MiB"),
            Group::Probes => ("probes", "fewer in flight, mixes, sequences: causes"),
            Group::OpenLoad => ("open load", "arrivals that do not wait for each other"),
            Group::References => ("references", "4 KiB and 1 MiB, between the others"),
            Group::Again => ("again", "4 KiB and 1 MiB, at the end or after a change"),
            Group::Cells => ("cells", "blocks at depths, towards the corners"),
        }
    }
}

/// Usual number of steps like `draft`, if only the first one is known.
fn usual_times(draft: &Draft) -> usize {
    match Group::of(draft) {
        Group::Depths(Direction::Write) => WRITE_RUNGS_USUAL,
        Group::Depths(_) => RUNGS_USUAL,
        _ => 1,
    }
}

/// Maximum number of steps like `draft`: on a ladder of depths, every doubling up to the deepest.
fn times_most(draft: &Draft) -> usize {
    match Group::of(draft) {
        Group::Depths(_) => (DEPTH_MAX / draft.job.depth.max(1)).ilog2() as usize + 1,
        _ => 1,
    }
}

/// Forecast of a procedure with this chain.
#[derive(Clone, Copy)]
pub(crate) struct Forecast<'a> {
    pub ask: &'a CheckAsk,
    pub chain: Chain<'a>,
    /// Speed of the layout, in bytes per second.
    pub layout_bytes_per_second: f64,
}

/// Forecasts a check with `ask`, group by group in the order in which they begin; their bytes add up to the limit on
/// writes.
pub fn foreseen(ask: &CheckAsk, layout_bytes_per_second: f64) -> Vec<GroupForecast> {
    let mut groups = Forecast { ask, chain: &chain, layout_bytes_per_second }.groups();
    if groups.iter().all(|group| group.what != Group::OpenLoad) {
        // The rate of the open load is known only once the cap is.
        let seconds = (ask.effort.open + ask.effort.ramp).as_secs_f64();
        groups.push(GroupForecast { what: Group::OpenLoad, seconds, bytes: 0 });
    }
    groups
}

impl Forecast<'_> {
    /// Everything known to come before anything ran: the chain, the references, the round at the end.
    fn all(&self, known: &CheckState<'_>) -> Vec<Draft> {
        [(self.chain)(known), references::ahead(known), again::round(known, 1)].concat()
    }

    /// Forecast by group, in the order in which they begin; their bytes add up to the limit on writes.
    pub fn groups(&self) -> Vec<GroupForecast> {
        let (ask, known) = (self.ask, CheckState::of(self.ask, &[]));
        let mut groups = Vec::new();
        if let Layout::Write(size) = ask.layout {
            let bytes = size.0.min(ask.write_most.0);
            let seconds = layout_seconds(ask, self.layout_bytes_per_second);
            groups.push(GroupForecast { what: Group::Layout, seconds, bytes });
        }
        let laid_out: u64 = groups.iter().map(|group| group.bytes).sum();
        let mut shares = vec![0.0; groups.len()];
        for draft in &self.all(&known) {
            let (what, times) = (Group::of(draft), usual_times(draft) as f64);
            let at = groups.iter().position(|group| group.what == what).unwrap_or_else(|| {
                groups.push(GroupForecast { what, seconds: 0.0, bytes: 0 });
                shares.push(0.0);
                groups.len() - 1
            });
            groups[at].seconds += draft.least(&known).as_secs_f64() * times;
            shares[at] += draft.share * times;
        }
        for (group, bytes) in groups.iter_mut().zip(shared_out(ask.write_most.0 - laid_out, &shares)) {
            group.bytes += bytes;
        }
        groups
    }

    /// Longest seconds.
    pub fn seconds_most(&self) -> f64 {
        let known = CheckState::of(self.ask, &[]);
        let most = |draft: &Draft| draft.most(&known).as_secs_f64() * times_most(draft) as f64;
        let all: f64 = self.all(&known).iter().map(most).sum();
        let laid_out = layout_seconds(self.ask, self.layout_bytes_per_second);
        (laid_out + all).min(self.ask.effort.total.as_secs_f64())
    }

    /// Usual seconds that remain after the steps in `done`.
    pub fn seconds_left(&self, done: &[StepRecord]) -> f64 {
        let known = CheckState::of(self.ask, done);
        let (chain, references) = ((self.chain)(&known), references::ahead(&known));
        let again = again::round(&known, again::rounds(&known) + 1);
        // Only the next rung of an unfinished ladder is known; the usual number is assumed for the others.
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
        coming.map(|draft| draft.least(&known).as_secs_f64() * times(draft) as f64).sum()
    }
}

/// Divides `bytes` by `shares`, in whole MiB except for the remainder, so that the parts add up to the whole.
fn shared_out(bytes: u64, shares: &[f64]) -> Vec<u64> {
    let all: f64 = shares.iter().sum();
    let (mut share_behind, mut given) = (all, 0);
    let mut part = |share: f64| {
        share_behind -= share;
        // The cumulative amount is rounded, not each part, so that rounding errors do not add up.
        let until = bytes as f64 * (1.0 - share_behind.max(0.0) / all.max(f64::MIN_POSITIVE));
        let last = share_behind <= all * 1e-9;
        let until = if last { bytes } else { Bytes(until as u64).round_down(Bytes::MIB).0.min(bytes) };
        let own = if share > 0.0 { until - given } else { 0 };
        given += own;
        own
    };
    shares.iter().map(|&share| part(share)).collect()
}

fn layout_seconds(ask: &CheckAsk, bytes_per_second: f64) -> f64 {
    let Layout::Write(size) = ask.layout else { return 0.0 };
    (size.0 as f64 / bytes_per_second).min(ask.effort.layout_most.as_secs_f64())
}

/// Longest seconds of a check with `ask`, including the layout.
pub fn seconds_most(ask: &CheckAsk, layout_bytes_per_second: f64) -> f64 {
    Forecast { ask, chain: &chain, layout_bytes_per_second }.seconds_most()
}

/// Usual seconds of a check with `ask`, including the layout.
pub fn seconds_usual(ask: &CheckAsk, layout_bytes_per_second: f64) -> f64 {
    foreseen(ask, layout_bytes_per_second).iter().map(|group| group.seconds).sum()
}

/// Usual seconds that remain after the steps in `done`.
pub fn seconds_left(ask: &CheckAsk, done: &[StepRecord]) -> f64 {
    Forecast { ask, chain: &chain, layout_bytes_per_second: LAYOUT_GUESS }.seconds_left(done)
}

fn depths_of(record: &StepRecord) -> Group {
    let writes = record.tally(Direction::Write).ops > 0;
    Group::Depths(if writes { Direction::Write } else { Direction::Read })
}

/// The steps of a check in words, with the bytes they may write, for a user who wants to see them before the run.
pub fn outline(ask: &CheckAsk, layout_bytes_per_second: f64) -> String {
    outlined(ask, &foreseen(ask, layout_bytes_per_second))
}

/// The outline of a procedure that will run these groups, in the form of [`outline`].
pub(crate) fn outlined(ask: &CheckAsk, groups: &[GroupForecast]) -> String {
    let line = |group: &GroupForecast| {
        let (what, does) = group.what.outlined();
        let bytes = if group.bytes > 0 { written(group.bytes) } else { "-".to_owned() };
        format!("  {what:<12} {:>4.0} s {bytes:>10}  {does}\n", group.seconds.ceil())
    };
    let mut text = "  steps       usually     writes\n".to_owned();
    text.extend(groups.iter().map(line));
    if ask.write_most.0 > 0 {
        let all: u64 = groups.iter().map(|group| group.bytes).sum();
        text.push_str(&format!("  {:<18} {:>10}  at most, in all\n", "together", written(all)));
        text.push_str(
            "  What a step leaves of its part goes to those after it; what its part is too\n  little for is cut or left out.\n",
        );
    }
    text.push_str("  A rung stops as soon as its rate is known within 0.5 % and steady.\n");
    text
}

/// MiB, with one decimal if it is not a whole number, so that the parts visibly add up.
fn written(bytes: u64) -> String {
    let mib = bytes as f64 / 1_048_576.0;
    if mib.fract() == 0.0 { format!("{mib} MiB") } else { format!("{mib:.1} MiB") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_whole_and_nobody_without_a_share_gets_any() {
        for bytes in [0, 5, 64 << 20, (300 << 20) + 4096, 8 << 30] {
            for shares in [vec![0.0, 1.0, 0.0, 3.0, 0.5, 0.0], vec![2.0], vec![0.0, 0.1, 0.2, 0.7]] {
                let parts = shared_out(bytes, &shares);
                assert_eq!(parts.iter().sum::<u64>(), bytes, "{shares:?}");
                assert!(parts.iter().zip(&shares).all(|(part, share)| *share > 0.0 || *part == 0));
            }
        }
    }
}
