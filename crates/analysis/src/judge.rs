//! The whole analysis: figures, findings, verdict.

use policy::Limits;
use record::{Run, StoredFinding};
use workload::{CheckPlan, Direction, Expectation, Nanos, StepKind};

use crate::answered::{CheckAnswer, ProcedureAnswer, answered};
use crate::burst::claimed::left_after;
use crate::cached::CacheShare;
use crate::causes::cause::LevelUnit;
use crate::course::Course;
use crate::estimate::Estimate;
use crate::exclude::without_contradictions;
use crate::figures::{Figures, figures};
use crate::finding::Confidence;
use crate::findings::{Finding, Meaning, of_run, of_verdict};
use crate::ground::Ground;
use crate::headroom::claimed::headroom;
use crate::map::settle::settle;
use crate::picture::Analysis;
use crate::plateaus::Cap;
use crate::regimes::Regimes;
use crate::repeats::{once_a_fall, told_once};
use crate::sittings::{has_parts, without_parts};
use crate::soak::SoakAnswer;
use crate::spent::spent;
use crate::step_figures::Point;
use crate::verdict::{Answer, ClaimRow, ClaimedFigure, Doubt, Quantity, Verdict};
use crate::watch::watched_run::is_watch;
use crate::windows::windows;
use crate::{changed, claims, diagnosis, shortage, target_doubt};

/// Weight in a watch of the finding that the generator lacked CPU: after the device's limits, which it may explain.
const WATCHED_GENERATOR: u8 = 4;

/// Analyses `run` by `limits` and `expectation`, if given.
pub fn analyse(run: &Run, limits: Option<&Limits>, expectation: Option<&Expectation>) -> Analysis {
    if has_parts(run) {
        // The parts are answered from their own steps; everything else comes from the check's.
        let mut own = analyse(&without_parts(run), limits, expectation);
        let ground = Ground { figures: &figures(run), findings: &own.findings, limits, spent: &own.spent };
        let answered = answered(run, ground);
        if let Some(ProcedureAnswer::Check(check)) = &answered {
            beside_cache(&mut own.findings, &check.parts);
        }
        return Analysis { answered, ..own };
    }
    let figures = figures(run);
    let spent = spent(run, &figures, limits);
    let mut found = without_contradictions(told_once(of_run(run, &figures)));
    let diagnosis = is_watch(run).then(|| diagnosis::diagnose(run, limits, expectation, &found));
    let (mut verdict, watched) = match diagnosis {
        Some(diagnosis) => {
            // Limits of the volume come first: the sort below keeps this order among equals.
            found = once_a_fall([diagnosis.findings, found].concat());
            (of_the_volume(run, diagnosis.verdict, &found), Some(diagnosis.watched))
        }
        None => {
            let of_limits = limits.map(|limits| claims::of_policy(&figures, limits, &spent));
            let of_expectation =
                expectation.map(|expectation| claims::of_expectation(run, &figures, expectation));
            let claimed = of_limits.into_iter().chain(of_expectation).reduce(|a, b| [a, b].concat());
            (verdict(run, &figures, claimed, &found), None)
        }
    };
    for finding in of_verdict(run, &figures, limits, &verdict) {
        verdict.doubts.extend(finding.meaning.nature().doubt);
        found.push(finding);
    }
    let watches = watched.is_some();
    let mut found = without_contradictions(found);
    let answered = answered(run, Ground { figures: &figures, findings: &found, limits, spent: &spent });
    match &answered {
        None => {}
        Some(ProcedureAnswer::Soak(soak)) => of_soak(&mut verdict, soak),
        Some(ProcedureAnswer::Check(check)) => of_drain(&mut verdict, check),
        Some(_) => leave_unasked(&mut verdict),
    }
    if let Some(ProcedureAnswer::Map(answer)) = &answered {
        settle(answer, &mut verdict.rows, &mut found);
    }
    found.sort_by_key(|finding| match &finding.meaning {
        Meaning::GeneratorBound(_) if watches => WATCHED_GENERATOR,
        meaning => meaning.nature().weight,
    });
    assert!(
        verdict.rows.iter().all(|row| row.answer != Answer::Below || row.measured.is_some()),
        "what is missed was measured"
    );
    let sensitivity = sensitivity(&figures);
    Analysis {
        answered,
        latencies: figures.latencies,
        depths: figures.all.depths,
        blocks: figures.all.blocks,
        jobs: figures.jobs,
        headroom: headroom(run, &figures.regimes, expectation),
        spent,
        horizon: horizon(run, &figures.regimes, sensitivity),
        sensitivity,
        windows: windows(&run.steps, &figures.regimes),
        regimes: figures.regimes,
        findings: found,
        verdict,
        watched,
    }
}

impl Analysis {
    /// Returns the exit code of a command whose result this is: 1 without one of several machines.
    pub fn exit_code(&self) -> u8 {
        match &self.answered {
            Some(ProcedureAnswer::Merged(merged)) if !merged.missing.is_empty() => 1,
            Some(answered) => answered.outcome().unwrap_or(self.verdict.answer).exit_code(),
            None => self.verdict.answer.exit_code(),
        }
    }

    /// Returns the findings as they are stored in a run file; `sentence` puts one into words.
    pub fn stored(&self, sentence: &dyn Fn(&Finding) -> String) -> Vec<StoredFinding> {
        let store = |finding: &Finding| {
            let value = serde_json::to_value(finding).unwrap_or_default();
            let kind = value.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned();
            StoredFinding { kind, json: value.to_string(), sentence: sentence(finding) }
        };
        self.findings.iter().map(store).collect()
    }
}

/// Adds the cache to rates of reads that it explains, where a part of the check has found it, and drops the finding of a first
/// touch where the cache alone made the second reading faster.
fn beside_cache(findings: &mut Vec<Finding>, parts: &[ProcedureAnswer]) {
    let places = parts.iter().find_map(|part| match part {
        ProcedureAnswer::Places(places) => Some(places),
        _ => None,
    });
    let Some(places) = places else { return };
    if places.has_only_a_cache() {
        findings.retain(|finding| !matches!(finding.meaning, Meaning::FirstTouch(_)));
    }
    for finding in findings {
        if let Meaning::Saturation(found) = &mut finding.meaning
            && (found.direction, found.counted) == (Direction::Read, LevelUnit::Operations)
        {
            let beside = places.cache_share(&found.level);
            found.cache = match (found.cache.take(), beside) {
                (Some(own), beside) => {
                    Some(CacheShare { size: beside.and_then(|beside| beside.size), ..own })
                }
                (None, beside) => beside,
            };
            if found.cache.is_some() {
                finding.confidence = Confidence::Likely;
            }
        }
    }
}

/// Share of the level up to which changes must have shown for "no change" to say anything.
pub const TELLING: f64 = 0.25;

/// Returns the smallest change that would have shown at nearly any time, of small operations or of large ones: where
/// counts of both directions agree exactly from the first load to the last, as much as a claim may be missed by.
fn sensitivity(figures: &Figures) -> Option<f64> {
    let ways = [Direction::Read, Direction::Write];
    let all =
        |of: &dyn Fn(Direction) -> Option<Cap>| ways.into_iter().filter_map(of).all(|cap| cap.throughout);
    let is_exact = [all(&|way| figures.iops_cap(way)), all(&|way| figures.bandwidth_cap(way))];
    let of = |(least, is_exact): (Option<f64>, bool)| {
        least.map(|least| if is_exact { claims::TOLERANCE } else { least })
    };
    figures.regimes.sensitivity.into_iter().zip(is_exact).filter_map(of).reduce(f64::max)
}

/// Returns the time covered, if no change was found in it and one of `TELLING` would have been. Jobs that a user
/// defined differ by design: they do not count.
fn horizon(run: &Run, regimes: &Regimes, sensitivity: Option<f64>) -> Nanos {
    let ladders = run
        .steps
        .iter()
        .any(|step| !matches!(step.plan.kind, StepKind::Job | StepKind::Idle | StepKind::Soak));
    let sees = sensitivity.is_some_and(|share| share <= TELLING);
    match regimes.course {
        Course::Steady if ladders && sees => regimes.looked.1.since(regimes.looked.0),
        _ => Nanos::ZERO,
    }
}

/// Drops claims that the steps of a procedure do not test: the procedure was not asked about them.
fn leave_unasked(verdict: &mut Verdict) {
    verdict.rows.retain(|row| row.measured.is_some());
    if verdict.rows.is_empty() && !verdict.doubts.iter().any(voids) {
        verdict.answer = Answer::Measured;
    }
}

/// Answers by the promise of a soak alone, unless its figures are not the volume's at all.
fn of_soak(verdict: &mut Verdict, soak: &SoakAnswer) {
    verdict.rows.clear();
    verdict.answer = match &soak.promise {
        _ if verdict.doubts.iter().any(voids) => Answer::CannotTell,
        Some(promise) => promise.answer,
        None => Answer::Measured,
    };
}

/// Compares the rate left after a drain with that published by the policy.
fn of_drain(verdict: &mut Verdict, check: &CheckAnswer) {
    let bursts = check.parts.iter().filter_map(|part| match part {
        ProcedureAnswer::Burst(burst) => Some(burst),
        _ => None,
    });
    if check.plan != CheckPlan::Burst {
        return;
    }
    let rows: Vec<ClaimRow> = bursts.flat_map(|burst| burst.parts.iter().filter_map(left_after)).collect();
    if rows.is_empty() {
        leave_unasked(verdict);
        if check.parts.iter().any(|part| part.outcome() == Some(Answer::CannotTell)) {
            verdict.answer = Answer::CannotTell;
        }
        return;
    }
    verdict.rows = rows;
    verdict.answer = overall(&verdict.rows, &verdict.doubts, true);
}

/// Returns the verdict by the rows of the claims, or, without claims, by one row per cap.
fn verdict(run: &Run, figures: &Figures, claims: Option<Vec<ClaimRow>>, found: &[Finding]) -> Verdict {
    let claimed = claims.is_some();
    let mut rows = claims.unwrap_or_else(|| unclaimed(figures));
    let mut doubts = doubts(run, found);
    if !claimed && shortage::may_have_cost(run, figures, &rows) {
        doubts.push(Doubt::GeneratorBound);
    }
    excuse(&mut rows, &doubts);
    shortage::excuse(run, figures, &mut rows);
    changed::follow(run, &figures.regimes, &mut rows);
    let subject = subject(run, &rows);
    let answer = match overall(&rows, &doubts, claimed) {
        Answer::Measured if !changed::settled(&figures.regimes) => Answer::CannotTell,
        answer => answer,
    };
    doubts.extend(changed::unsettled(&figures.regimes));
    let answer = match answer {
        Answer::Measured if says_nothing(&rows) => {
            doubts.push(Doubt::TooShort);
            Answer::CannotTell
        }
        answer => answer,
    };
    Verdict { answer, subject, rows, doubts }
}

/// Half-width of a level, as a share, above which it answers no question.
const VAGUE: f64 = 0.15;

/// Whether every level is vague: the check has measured, and can tell nothing.
fn says_nothing(rows: &[ClaimRow]) -> bool {
    let is_vague = |row: &ClaimRow| row.measured.is_none_or(|level| level.half_width() > VAGUE * level.value);
    !rows.is_empty() && rows.iter().all(is_vague)
}

/// Returns the source of the claim that decides: the expectation if only its claims are missed, otherwise the policy.
fn subject(run: &Run, rows: &[ClaimRow]) -> Option<String> {
    let below: Vec<&ClaimRow> = rows.iter().filter(|row| row.answer == Answer::Below).collect();
    let expected = !below.is_empty() && below.iter().all(|row| row.claimed.source == claims::EXPECTATION);
    let (first, second) =
        if expected { (&run.expectation, &run.policy) } else { (&run.policy, &run.expectation) };
    first.clone().or_else(|| second.clone())
}

/// Returns the rows without a claim: one per cap.
fn unclaimed(figures: &Figures) -> Vec<ClaimRow> {
    let mut rows = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let ops = figures.iops_cap(direction).map(|cap| (Quantity::Iops, cap));
        let bytes = figures.blocks.iter().any(|point| point.direction == direction);
        let bytes = bytes.then(|| figures.bandwidth_cap(direction)).flatten();
        for (quantity, cap) in ops.into_iter().chain(bytes.map(|cap| (Quantity::BytesPerSecond, cap))) {
            let point = representative(figures, direction, quantity, &cap.level);
            let mut row = measured_row(direction, quantity, cap.level, point);
            row.doubts.extend(brief(figures, direction, quantity));
            rows.push(row);
        }
    }
    rows
}

/// Returns the doubt about a rate whose loads were cut after a moment.
fn brief(figures: &Figures, direction: Direction, quantity: Quantity) -> Option<Doubt> {
    let ladder = if quantity == Quantity::Iops { &figures.depths } else { &figures.blocks };
    let points = || ladder.iter().chain(&figures.beside).filter(|point| point.direction == direction);
    let blocks = ladder.iter().filter(|point| point.direction == direction).map(|point| point.block);
    let block = if quantity == Quantity::Iops { blocks.min() } else { blocks.max() }?;
    let seconds: f64 = points().filter(|point| point.block == block).map(|point| point.seconds).sum();
    (seconds < claims::LASTS_S).then_some(Doubt::Brief { seconds })
}

/// Returns the point of the ladder whose block, depth and latency stand for `level`: the first that reaches it.
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
    let points = || points.iter().filter(|point| point.direction == direction);
    let reaches = points().find(|point| value(point) >= 0.98 * level.value);
    // Beside noise no step may reach the level of all of them together.
    reaches.or_else(|| points().max_by(|a, b| value(a).total_cmp(&value(b))))
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
        claimed: ClaimedFigure { value: 0.0, words: String::new(), source: String::new(), reading: None },
        measured: Some(level),
        over_time: None,
        latency_ns_p99: point.map(|point| point.latency_ns_p99),
        depth: point.map(|point| point.depth),
        answer: Answer::Measured,
        doubts: Vec::new(),
    }
}

/// Returns the doubts that concern the whole run, each once.
fn doubts(run: &Run, found: &[Finding]) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    for doubt in found.iter().filter_map(|finding| finding.meaning.nature().doubt) {
        if !doubts.contains(&doubt) {
            doubts.push(doubt);
        }
    }
    if !run.complete && run.steps.is_empty() {
        doubts.push(Doubt::NotMeasured);
    }
    doubts
}

/// Leaves a missed claim open if other programs used the device: that does not prove it missed.
fn excuse(rows: &mut [ClaimRow], doubts: &[Doubt]) {
    let excuse = doubts.iter().find(|doubt| **doubt == Doubt::ForeignLoad);
    for row in rows.iter_mut().filter(|row| row.answer == Answer::Below) {
        if let Some(excuse) = excuse {
            row.answer = Answer::CannotTell;
            row.doubts.push(excuse.clone());
        }
    }
}

/// Whether a doubt means that the figures are not the volume's at all.
fn voids(doubt: &Doubt) -> bool {
    match doubt {
        Doubt::Target { why } => target_doubt::voids(why),
        Doubt::CachedReads | Doubt::Unwritten { .. } | Doubt::Interrupted | Doubt::NotMeasured => true,
        Doubt::InsideBurst { .. }
        | Doubt::BurstUnknown
        | Doubt::CreditsSpent { .. }
        | Doubt::BurstOfAnother { .. }
        | Doubt::TooShort
        | Doubt::Brief { .. }
        | Doubt::OnTolerance { .. }
        | Doubt::UnitUnknown
        | Doubt::Wandering
        | Doubt::BeforeChange { .. }
        | Doubt::Swings { .. }
        | Doubt::Unsettled { .. }
        | Doubt::GeneratorBound
        | Doubt::ForeignLoad
        | Doubt::DepthTooLow { .. }
        | Doubt::WithinPromise { .. }
        | Doubt::Cached { .. }
        | Doubt::AtOnce { .. }
        | Doubt::FewSamples { .. } => false,
    }
}

/// Returns the answer to a watch, which says nothing about the volume if the I/Os of its load never reached it. Each
/// phase of the load is judged by itself, so an early end does not affect those before it.
fn of_the_volume(run: &Run, verdict: Verdict, found: &[Finding]) -> Verdict {
    let reads = run.steps.iter().any(|step| step.tally(Direction::Read).ops > 0);
    let of_target = |doubt: &Doubt| match doubt {
        Doubt::Target { why } => target_doubt::voids(why),
        Doubt::CachedReads | Doubt::Unwritten { .. } => reads,
        _ => false,
    };
    let doubts: Vec<Doubt> = doubts(run, found).into_iter().filter(of_target).collect();
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
    if !claimed {
        return Answer::Measured;
    }
    if rows.is_empty() {
        return Answer::CannotTell;
    }
    let decisive = [Answer::Below, Answer::CannotTell, Answer::ConsistentWithBurst, Answer::Meets];
    decisive.into_iter().find(|answer| any(*answer)).unwrap_or(Answer::Exceeds)
}
