//! The whole of it: figures, findings, verdict.

use policy::{Limits, Resource};
use record::{Run, StoredFinding};
use workload::{Direction, Expectation, Nanos, StepKind};

use crate::caps::{bandwidth_cap, best_known, findings, iops_cap, unsteady};
use crate::repeats::told_once;
use crate::{
    Analysis, Answer, ClaimRow, Claimed, Confidence, Doubt, Estimate, Evidence, Figures, Finding, Meaning,
    Point, Quantity, Spent, Verdict, claims, honesty, points, target_doubt, watch,
};

/// Reads `run` against `limits` and `expectation`, where given.
pub fn analyse(run: &Run, limits: Option<&Limits>, expectation: Option<&Expectation>) -> Analysis {
    let figures = figures(run);
    let spent = spent(run, limits);
    let mut found = told_once(found(run, &figures));
    let fallen = figures.fallen.is_some();
    let diagnosis = watch::is_watch(run).then(|| watch::diagnose(run, limits, expectation, &found));
    let (verdict, watched) = match diagnosis {
        Some(diagnosis) => {
            // What holds the volume first: the sort below keeps this order among equals.
            found = [diagnosis.findings, found].concat();
            (of_the_volume(run, diagnosis.verdict, &found), Some(diagnosis.watched))
        }
        None => (verdict(run, &figures, (limits, expectation), (&spent, &found)), None),
    };
    found.extend(inside_burst(limits, &verdict));
    let watches = watched.is_some();
    found.sort_by_key(|finding| match finding.meaning {
        Meaning::GeneratorBound { .. } if watches => 4,
        _ => finding.meaning.weight(),
    });
    Analysis {
        latencies: figures.latencies,
        depths: figures.depths,
        blocks: figures.blocks,
        jobs: figures.jobs,
        spent,
        horizon: horizon(run, fallen),
        findings: found,
        verdict,
        watched,
    }
}

impl Analysis {
    /// The findings as they are stored in a run file; `sentence` puts one into words.
    pub fn stored(&self, sentence: &dyn Fn(&Finding) -> String) -> Vec<StoredFinding> {
        let store = |finding: &Finding| {
            let value = serde_json::to_value(finding).unwrap_or_default();
            let kind = value.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned();
            StoredFinding { kind, json: value.to_string(), sentence: sentence(finding) }
        };
        self.findings.iter().map(store).collect()
    }
}

/// The depth ladder also gives the small end of the block ladder: the rung of its plateau that is known best.
fn figures(run: &Run) -> Figures {
    let depths = sorted(points::points(run, StepKind::DepthLadder), |point| u64::from(point.depth));
    let mut blocks = points::points(run, StepKind::BlockLadder);
    for direction in [Direction::Read, Direction::Write] {
        let laddered = blocks.iter().any(|point| point.direction == direction);
        blocks.extend(best_known(&depths, direction).filter(|_| laddered).cloned());
    }
    Figures {
        latencies: points::latencies(run),
        fallen: points::points(run, StepKind::Again).into_iter().find(|point| fell(point, &depths)),
        depths,
        blocks: sorted(blocks, |point| point.block),
        jobs: points::points(run, StepKind::Job),
    }
}

/// A fall of less than this share may be the volume's restlessness; the smallest published burst is a ninth above its baseline.
const FALL: f64 = 0.08;

fn fell(again: &Point, depths: &[Point]) -> bool {
    iops_cap(depths, again.direction).is_some_and(|cap| {
        again.iops.high < cap.level.low && again.iops.value < (1.0 - FALL) * cap.level.value
    })
}

/// The fall between the ladder of the beginning and the rung that ran again.
fn step_down(run: &Run, figures: &Figures) -> Option<Finding> {
    let again = figures.fallen.as_ref()?;
    let before = iops_cap(&figures.depths, again.direction)?.level.value;
    let step = run.steps.iter().find(|step| step.plan.name == again.step)?;
    let span =
        Evidence { step: again.step.clone(), series: "rate".into(), from: step.counted_from, to: step.ended };
    Some(Finding {
        meaning: Meaning::StepDown {
            step: again.step.clone(),
            at: step.started,
            before,
            after: again.iops.value,
        },
        evidence: vec![span],
        confidence: Confidence::Certain,
    })
}

fn sorted(mut points: Vec<Point>, key: fn(&Point) -> u64) -> Vec<Point> {
    points.sort_by_key(|point| (point.direction, key(point)));
    points
}

fn found(run: &Run, figures: &Figures) -> Vec<Finding> {
    let mut found = honesty::endings(run);
    let cut_short = !found.is_empty();
    found.extend(honesty::target(run));
    // In a watch the load's device is one of many; its own rule knows which.
    found.extend(honesty::foreign(run).into_iter().filter(|_| !watch::is_watch(run)));
    found.extend(honesty::generator(run));
    if cut_short {
        // A ladder that was not climbed shows no cap, and its last rung was not given its time.
        return found;
    }
    found.extend(step_down(run, figures));
    let ladders: Vec<&Point> = figures.depths.iter().chain(&figures.blocks).collect();
    found.extend(findings(run, figures, Direction::Read));
    found.extend(findings(run, figures, Direction::Write));
    found.extend(honesty::little(run, &ladders));
    found.extend(unsteady(run, &ladders));
    found
}

/// Steps that loaded the volume, ramps included.
fn loaded(run: &Run) -> impl Iterator<Item = &record::StepRecord> {
    run.steps.iter().filter(|step| step.plan.kind != StepKind::Idle)
}

fn spent(run: &Run, limits: Option<&Limits>) -> Spent {
    let mut spent = Spent::default();
    let mut ops = 0.0;
    for step in loaded(run) {
        for interval in &step.intervals {
            let (read, write) = (interval.of(Direction::Read).tally, interval.of(Direction::Write).tally);
            spent.bytes_read += read.bytes;
            spent.bytes_written += write.bytes;
            ops += (read.ops + write.ops) as f64;
            spent.charged_ops +=
                charged(limits, read.ops, read.bytes) + charged(limits, write.ops, write.bytes);
        }
        spent.loaded_s += step.ended.since(step.started).as_secs_f64();
    }
    if limits.is_none() {
        spent.charged_ops = ops;
    }
    let bytes = (spent.bytes_read + spent.bytes_written) as f64;
    let over = Nanos::from_secs_f64(spent.loaded_s);
    spent.credit_share = limits.and_then(|limits| limits.credit_share(spent.charged_ops, bytes, over));
    spent
}

/// Operations as the policy charges them: by its unit, at the mean size of these.
fn charged(limits: Option<&Limits>, ops: u64, bytes: u64) -> f64 {
    let rule = limits.and_then(|limits| limits.limits.iter().find(|limit| limit.resource == Resource::Iops));
    let Some(accounting) = rule.and_then(|limit| limit.accounting) else { return ops as f64 };
    if ops == 0 || accounting.unit.0 == 0 {
        return ops as f64;
    }
    let units = bytes as f64 / ops as f64 / accounting.unit.0 as f64;
    ops as f64
        * if accounting.rounding == policy::Rounding::Ceil { units.ceil().max(1.0) } else { units.max(1.0) }
}

/// From the first step of the ladders to the end of the last in which the first level was seen to hold. Jobs of one's own
/// differ by design, and say nothing about each other.
fn horizon(run: &Run, fallen: bool) -> Nanos {
    let holds = |step: &&record::StepRecord| match fallen {
        true => matches!(step.plan.kind, StepKind::Latency | StepKind::DepthLadder),
        false => !matches!(step.plan.kind, StepKind::Layout | StepKind::Job),
    };
    let mut ladders = loaded(run).filter(holds);
    let first = ladders.next();
    let last = ladders.last().or(first);
    first.zip(last).map_or(Nanos::ZERO, |(first, last)| last.ended.since(first.started))
}

fn verdict(
    run: &Run,
    figures: &Figures,
    asked: (Option<&Limits>, Option<&Expectation>),
    known: (&Spent, &[Finding]),
) -> Verdict {
    let (limits, expectation) = asked;
    let (spent, found) = known;
    let mut rows = limits.map_or(Vec::new(), |limits| claims::of_policy(figures, limits, spent.loaded_s));
    if let Some(expectation) = expectation {
        rows.extend(claims::of_expectation(run, figures, expectation));
    }
    let claimed = limits.is_some() || expectation.is_some();
    if !claimed {
        rows = unclaimed(figures);
    }
    let doubts = doubts(run, found);
    excuse(&mut rows, &doubts);
    if let Some(again) = &figures.fallen {
        unsettle(&mut rows, again);
    }
    let subject = subject(run, &rows);
    Verdict { answer: overall(&rows, &doubts, claimed), subject, rows, doubts }
}

/// What was measured before the fall says nothing about after it.
fn unsettle(rows: &mut [ClaimRow], again: &Point) {
    let measured_again = |row: &ClaimRow| row.quantity == Quantity::Iops && row.direction == again.direction;
    let held =
        |row: &&mut ClaimRow| matches!(row.answer, Answer::Meets | Answer::Exceeds) && !measured_again(row);
    for row in rows.iter_mut().filter(held) {
        row.answer = Answer::CannotTell;
        row.doubts.push(Doubt::TooShort);
    }
}

/// Whose claim decides: of several the one that is missed, else the policy.
fn subject(run: &Run, rows: &[ClaimRow]) -> Option<String> {
    let below: Vec<&ClaimRow> = rows.iter().filter(|row| row.answer == Answer::Below).collect();
    let expected = !below.is_empty() && below.iter().all(|row| row.claimed.source == claims::EXPECTATION);
    let (first, second) =
        if expected { (&run.expectation, &run.policy) } else { (&run.policy, &run.expectation) };
    first.clone().or_else(|| second.clone())
}

/// Without a claim: a row a cap.
fn unclaimed(figures: &Figures) -> Vec<ClaimRow> {
    let mut rows = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let ops = iops_cap(&figures.depths, direction).map(|cap| (Quantity::Iops, cap));
        let bytes = figures.blocks.iter().any(|point| point.direction == direction);
        let bytes = bytes.then(|| bandwidth_cap(&figures.blocks, &figures.depths, direction, None)).flatten();
        for (quantity, cap) in ops.into_iter().chain(bytes.map(|cap| (Quantity::BytesPerSecond, cap))) {
            let point = representative(figures, direction, quantity, &cap.level);
            rows.push(measured_row(direction, quantity, cap.level, point));
        }
    }
    rows
}

fn representative<'f>(
    figures: &'f Figures,
    direction: Direction,
    quantity: Quantity,
    level: &Estimate,
) -> Option<&'f Point> {
    let points = if quantity == Quantity::Iops { &figures.depths } else { &figures.blocks };
    let value = |point: &Point| {
        if quantity == Quantity::Iops { point.iops.value } else { point.bytes_per_second.value }
    };
    points.iter().find(|point| point.direction == direction && value(point) >= 0.98 * level.value)
}

fn measured_row(
    direction: Direction,
    quantity: Quantity,
    level: Estimate,
    point: Option<&Point>,
) -> ClaimRow {
    let block = point.map_or(String::new(), |point| format!("{} ", workload::Bytes(point.block)));
    let unit = if quantity == Quantity::Iops { " IOPS" } else { "" };
    ClaimRow {
        what: format!("{block}{}{unit}", direction.name()),
        quantity,
        direction,
        claimed: Claimed { value: 0.0, words: String::new(), source: String::new(), reading: None },
        measured: Some(level),
        latency_ns_p99: point.map(|point| point.latency_ns_p99),
        answer: Answer::Measured,
        doubts: Vec::new(),
    }
}

/// Doubts that concern the whole run.
fn doubts(run: &Run, found: &[Finding]) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for finding in found {
        let doubt = match &finding.meaning {
            Meaning::TargetDoubt { doubt } => Doubt::Target { why: doubt.clone() },
            Meaning::CachedReads { .. } => Doubt::CachedReads,
            Meaning::Unwritten { share, .. } => Doubt::Unwritten { share: *share },
            Meaning::ForeignLoad { .. } => Doubt::ForeignLoad,
            Meaning::GeneratorBound { .. } => Doubt::GeneratorBound,
            Meaning::Interrupted { .. } | Meaning::Failed { .. } => Doubt::Interrupted,
            _ => continue,
        };
        if !doubts.contains(&doubt) {
            doubts.push(doubt);
        }
    }
    if !run.complete && run.steps.is_empty() {
        doubts.push(Doubt::NotMeasured);
    }
    doubts
}

/// A claim that is missed while the generator was the limit or others used the device is not proven missed.
fn excuse(rows: &mut [ClaimRow], doubts: &[Doubt]) {
    let excuses: Vec<&Doubt> =
        doubts.iter().filter(|doubt| matches!(doubt, Doubt::GeneratorBound | Doubt::ForeignLoad)).collect();
    for row in rows.iter_mut().filter(|row| row.answer == Answer::Below) {
        if let Some(excuse) = excuses.first() {
            row.answer = Answer::CannotTell;
            row.doubts.push((*excuse).clone());
        }
    }
}

/// True where the figures are not the volume's at all.
fn voids(doubt: &Doubt) -> bool {
    match doubt {
        Doubt::Target { why } => target_doubt::voids(why),
        Doubt::CachedReads | Doubt::Unwritten { .. } | Doubt::Interrupted | Doubt::NotMeasured => true,
        Doubt::InsideBurst { .. }
        | Doubt::BurstUnknown
        | Doubt::TooShort
        | Doubt::GeneratorBound
        | Doubt::ForeignLoad
        | Doubt::DepthTooLow { .. }
        | Doubt::WithinPromise { .. }
        | Doubt::FewSamples { .. } => false,
    }
}

/// The answer to a watch, which says nothing of the volume where the I/Os of its load never reached one. The load's phases
/// stand each for itself, so that an early end does not undo those before it.
fn of_the_volume(run: &Run, verdict: Verdict, found: &[Finding]) -> Verdict {
    let reads = run.steps.iter().any(|step| step.tally(Direction::Read).ops > 0);
    let of_reads = |finding: &&Finding| {
        matches!(finding.meaning, Meaning::CachedReads { .. } | Meaning::Unwritten { .. })
    };
    let counts = |finding: &&Finding| reads || !of_reads(finding);
    let of_target =
        |finding: &&Finding| of_reads(finding) || matches!(finding.meaning, Meaning::TargetDoubt { .. });
    let kept: Vec<Finding> = found.iter().filter(of_target).filter(counts).cloned().collect();
    let doubts: Vec<Doubt> = doubts(run, &kept).into_iter().filter(voids).collect();
    if run.steps.is_empty() || doubts.is_empty() {
        return verdict;
    }
    Verdict { answer: Answer::CannotTell, doubts, ..verdict }
}

fn overall(rows: &[ClaimRow], doubts: &[Doubt], claimed: bool) -> Answer {
    let any = |answer| rows.iter().any(|row| row.answer == answer);
    if doubts.iter().any(voids) {
        return Answer::CannotTell;
    }
    match () {
        () if !claimed => Answer::Measured,
        () if any(Answer::Below) => Answer::Below,
        () if any(Answer::CannotTell) || rows.is_empty() => Answer::CannotTell,
        () if any(Answer::ConsistentWithBurst) => Answer::ConsistentWithBurst,
        () if any(Answer::Meets) => Answer::Meets,
        () => Answer::Exceeds,
    }
}

/// The burst that leaves the claims open, as a finding of its own.
fn inside_burst(limits: Option<&Limits>, verdict: &Verdict) -> Option<Finding> {
    let policy = limits?.policy.to_string();
    let row = verdict.rows.iter().filter(|row| row.answer == Answer::ConsistentWithBurst).find_map(|row| {
        row.doubts.iter().find_map(|doubt| match doubt {
            Doubt::InsideBurst { burst_s, loaded_s } => Some((row.quantity, *burst_s, *loaded_s)),
            _ => None,
        })
    });
    let (quantity, burst_s, loaded_s) = row?;
    let resource = if quantity == Quantity::Iops { "operations" } else { "bytes" }.to_owned();
    Some(Finding {
        meaning: Meaning::InsideBurst { policy, resource, burst_s, loaded_s },
        evidence: Vec::new(),
        confidence: Confidence::Strong,
    })
}
