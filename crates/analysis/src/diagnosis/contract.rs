//! The contract (method 12.3): its claims, and the phases in which they are met.
//!
//! A phase that asks for less than is claimed proves no rate, and the contract does not cover one that asks for more;
//! both are reported. A claim on operations without a direction is one on reads and writes together.

use policy::{Limits, Load};
use record::{Distribution, PhaseKind, Run, StepRecord};
use workload::{Bytes, Direction};

use crate::claims::EXPECTATION;
use crate::estimate::Estimate;
use crate::findings::{Finding, Meaning};
use crate::verdict::{Answer, ClaimRow, Doubt, Quantity, Verdict};
use crate::watch::contracted::{ContractClaim, is_latency};
use crate::watch::device::Device;
use crate::watch::level::estimate;
use crate::watch::load::{closed, seconds_of};
use crate::watch::shape::{ContractRow, Latency, LoadFigures, LoadFlow, Remark, WHOLE};
use crate::watch::ticks::{Tick, known};
use crate::watch::watched_run::{Span, WatchedRun};
use crate::watch::windows::Window;

/// Share below a claim down to which a rate meets it (method 6.1).
const TOLERANCE: f64 = 0.03;
/// Seconds for which a rate must last, or half of a shorter watch, to be reached (method 12.3).
const REACHED_S: f64 = 10.0;
/// A phase of overload ends with the last of this many parts (method 12.3).
const END_SHARE: usize = 3;
/// Fewest seconds in that part.
const END_FEWEST: usize = 3;

/// Returns every claim in every phase that bears on it.
pub(crate) fn rows(watch: &WatchedRun<'_>, devices: &[Device<'_>], found: &[Finding]) -> Vec<ContractRow> {
    if watch.passive() {
        return watch.claims.iter().filter_map(|claim| watched_row(watch, devices, found, claim)).collect();
    }
    let loads = watch.spans.iter().filter(|span| span.load.is_some());
    let mut rows: Vec<ContractRow> =
        loads.flat_map(|span| watch.claims.iter().filter_map(|claim| load_row(watch, span, claim))).collect();
    for row in rows.iter_mut().filter(|row| row.answer == Answer::Below) {
        let excuse = excuse(watch, row, found);
        if excuse.is_some() {
            (row.answer, row.remark) = (Answer::CannotTell, excuse);
        }
    }
    rows
}

/// Returns why a claim that was not reached is not yet missed.
fn excuse(watch: &WatchedRun<'_>, row: &ContractRow, found: &[Finding]) -> Option<Remark> {
    if disturbed(watch, row, found) {
        return Some(Remark::Disturbed);
    }
    let most = row.measured.map(|measured| measured.value)?;
    let rate = matches!(row.quantity, Quantity::Iops | Quantity::BytesPerSecond);
    (rate && serial(watch, row, found)).then_some(Remark::NotAsked { most })
}

/// Whether the load of that phase had only one I/O in flight: then it never asked for the rate.
fn serial(watch: &WatchedRun<'_>, row: &ContractRow, found: &[Finding]) -> bool {
    let one = |finding: &&Finding| matches!(finding.meaning, Meaning::SerialApplication(_));
    let within = |finding: &Finding| finding.evidence.iter().any(|span| span.step == row.phase);
    let step = watch.spans.iter().find(|span| span.name == row.phase).and_then(|span| span.step);
    step.is_some_and(closed) && found.iter().filter(one).any(within)
}

/// Whether plimsoll lacked CPU in the phase, or other programs used the device in it, or before and after it.
fn disturbed(watch: &WatchedRun<'_>, row: &ContractRow, found: &[Finding]) -> bool {
    let weakens =
        |finding: &&Finding| matches!(finding.meaning, Meaning::GeneratorBound(_) | Meaning::ForeignLoad(_));
    if found.iter().filter(weakens).flat_map(|finding| &finding.evidence).any(|span| span.step == row.phase) {
        return true;
    }
    let Some(at) = watch.spans.iter().position(|span| span.name == row.phase) else { return false };
    let foreign = |finding: &&Finding| matches!(finding.meaning, Meaning::ForeignLoad(_));
    let stirred = |name: &str| {
        found.iter().filter(foreign).flat_map(|finding| &finding.evidence).any(|span| span.step == name)
    };
    let idle = |span: &&Span<'_>| matches!(span.kind, Some(PhaseKind::Idle));
    let before = watch.spans[..at].iter().rev().find(idle);
    let after = watch.spans[at + 1..].iter().find(idle);
    before.zip(after).is_some_and(|(before, after)| stirred(before.name) && stirred(after.name))
}

fn flow_of(load: &LoadFigures, direction: Option<Direction>) -> Option<&LoadFlow> {
    match direction {
        None => Some(&load.all),
        Some(Direction::Write) => load.write.as_ref(),
        Some(_) => load.read.as_ref(),
    }
}

fn load_row(watch: &WatchedRun<'_>, span: &Span<'_>, claim: &ContractClaim) -> Option<ContractRow> {
    let load = span.load.as_ref()?;
    let flow = flow_of(load, claim.direction)?;
    let mut row = ContractRow {
        phase: span.name.to_owned(),
        quantity: claim.quantity,
        direction: claim.direction,
        claimed: claim.claimed.clone(),
        asked: flow.asked,
        measured: None,
        latency: Some(flow.due.clone()),
        answer: Answer::CannotTell,
        remark: None,
    };
    let overload = load.scale.is_some_and(|scale| scale > 1.0 + 1e-9);
    match is_latency(claim) {
        true if overload || beyond(watch, load) => not_covered(&mut row, claim, (span, flow)),
        true => judge_latency(&mut row, claim, (span, flow)),
        false => judge_rate(&mut row, (span, flow), overload),
    }
    on_credits(watch, span, &mut row);
    Some(row)
}

/// Whether the load asks for a rate beyond the contract's claims, or gets one without asking.
fn beyond(watch: &WatchedRun<'_>, load: &LoadFigures) -> bool {
    let more = |flow: &LoadFlow, claimed: f64| {
        let rate = flow.asked.or(flow.got.map(|got| got.value)).unwrap_or(0.0);
        rate > (1.0 + TOLERANCE) * claimed
    };
    let rates = watch.claims.iter().filter(|claim| claim.quantity == Quantity::Iops);
    rates
        .into_iter()
        .any(|claim| flow_of(load, claim.direction).is_some_and(|flow| more(flow, claim.claimed.value)))
}

fn judge_rate(row: &mut ContractRow, (span, flow): (&Span<'_>, &LoadFlow), overload: bool) {
    let bytes = flow_bytes(row, flow);
    row.measured = flow.got.map(|got| got.times(bytes));
    let asked = flow.asked.map(|asked| asked * bytes);
    let claimed = row.claimed.value;
    if let Some(asked) = asked.filter(|asked| *asked < (1.0 - TOLERANCE) * claimed) {
        (row.answer, row.remark) = (Answer::Measured, Some(Remark::AskedLess { asked }));
        return;
    }
    if overload {
        let asked = asked.unwrap_or(f64::INFINITY);
        (row.answer, row.remark) = (Answer::Measured, Some(Remark::AskedMore { asked }));
        if let Some(end) = at_the_end(span, row.direction).map(|rate| rate.times(bytes))
            && end.high < (1.0 - TOLERANCE) * claimed
        {
            (row.answer, row.remark, row.measured) =
                (Answer::Below, Some(Remark::EndedBelow { asked }), Some(end));
        }
        return;
    }
    row.answer = match row.measured {
        Some(got) if got.value >= (1.0 - TOLERANCE) * claimed => Answer::Meets,
        Some(got) if got.high < (1.0 - TOLERANCE) * claimed => Answer::Below,
        _ => Answer::CannotTell,
    };
    if row.answer == Answer::CannotTell {
        row.remark = Some(Remark::TooFew);
    }
}

/// Returns the rate in the last third of a phase of overload, in I/Os per second: a volume that keeps the claim gives
/// at least that to a load that asks for more. `None` if that third was too short.
fn at_the_end(span: &Span<'_>, direction: Option<Direction>) -> Option<Estimate> {
    let seconds = seconds_of(span.step?, direction);
    let last = &seconds[seconds.len() - seconds.len() / END_SHARE..];
    estimate(last).filter(|_| last.len() >= END_FEWEST)
}

/// Marks a rate above the earning rate of the policy's credits: it does not last.
fn on_credits(watch: &WatchedRun<'_>, span: &Span<'_>, row: &mut ContractRow) {
    let rate = row.measured.map_or(0.0, |measured| measured.value);
    let baseline = watch.limits.zip(span.step).and_then(|(limits, step)| baseline(limits, step));
    let Some(baseline) = baseline.filter(|_| row.quantity == Quantity::Iops && row.direction.is_none())
    else {
        return;
    };
    if row.answer == Answer::Meets && rate > (1.0 + TOLERANCE) * baseline {
        (row.answer, row.remark) = (Answer::ConsistentWithBurst, Some(Remark::OnCredits { baseline }));
    }
}

/// Returns the rate that lasts for the load of a step, by a policy with a burst; `None` if it has no burst.
fn baseline(limits: &Limits, step: &StepRecord) -> Option<f64> {
    limits.limits.iter().find(|limit| limit.burst.is_some())?;
    let worker = step.plan.workers.first()?;
    let share = f64::from(worker.access.mix.read_percent()) / 100.0;
    let load = Load::mixed(share, Bytes(worker.blocks.longest().0));
    Some(limits.cap(&load, policy::Level::Baseline)?.iops.0)
}

/// Returns the bytes per I/O for a claim on bytes, 1 for a claim on operations.
fn flow_bytes(row: &ContractRow, flow: &LoadFlow) -> f64 {
    if row.quantity == Quantity::Iops { 1.0 } else { flow.size.unwrap_or(0.0) }
}

/// Returns the quantity that the claim bounds, in one phase.
fn bounded(claim: &ContractClaim, (span, flow): (&Span<'_>, &LoadFlow)) -> Option<Estimate> {
    let value = match claim.percent {
        None => flow.due.mean_ns,
        Some(percent) => percentile(span, claim.direction, percent),
    };
    value.map(Estimate::exactly)
}

/// Marks that the contract bounds no latency at a rate beyond its claims.
fn not_covered(row: &mut ContractRow, claim: &ContractClaim, of: (&Span<'_>, &LoadFlow)) {
    let asked = of.1.asked.or(of.1.got.map(|got| got.value)).unwrap_or(0.0);
    row.measured = bounded(claim, of);
    (row.answer, row.remark) = (Answer::Measured, Some(Remark::AskedMore { asked }));
}

fn judge_latency(row: &mut ContractRow, claim: &ContractClaim, of: (&Span<'_>, &LoadFlow)) {
    row.measured = bounded(claim, of);
    let bound = row.claimed.value;
    row.answer = match row.measured {
        Some(found) if found.value <= bound => Answer::Meets,
        Some(_) => Answer::Below,
        None => Answer::CannotTell,
    };
    let p99 = of.1.due.at(99.0);
    row.remark = match row.answer {
        Answer::CannotTell => Some(Remark::TooFew),
        // "Latency" alone does not say which statistic is meant.
        Answer::Meets if claim.percent.is_none() => {
            p99.filter(|p99| *p99 as f64 > bound).map(|p99_ns| Remark::MeanAlone { p99_ns })
        }
        _ => None,
    };
}

/// Returns a percentile of the load's own latency, if at least two I/Os lie beyond it (method 7.1).
fn percentile(span: &Span<'_>, direction: Option<Direction>, percent: f64) -> Option<f64> {
    let mut all = Distribution::default();
    let ways = direction.map_or(vec![Direction::Read, Direction::Write], |way| vec![way]);
    ways.into_iter().for_each(|way| span.step.into_iter().for_each(|step| all.merge(&step.latency(way))));
    let beyond = all.count() as f64 * (1.0 - percent / 100.0);
    all.percentile(percent).filter(|_| beyond >= 2.0).map(|value| value as f64)
}

/// Judges a claim by other programs' I/O: a rate that was reached is proven, one limited to less is missed, and the
/// counters store only the mean of latencies.
fn watched_row(
    watch: &WatchedRun<'_>,
    devices: &[Device<'_>],
    found: &[Finding],
    claim: &ContractClaim,
) -> Option<ContractRow> {
    let device = busiest(watch, devices)?;
    let phase = watch.spans.iter().find(|span| matches!(span.kind, Some(PhaseKind::Command { .. })));
    let mut row = ContractRow {
        phase: phase.map_or(WHOLE, |span| span.name).to_owned(),
        quantity: claim.quantity,
        direction: claim.direction,
        claimed: claim.claimed.clone(),
        asked: None,
        measured: None,
        latency: None,
        answer: Answer::CannotTell,
        remark: None,
    };
    let ways = match claim.direction {
        None => vec![0, 1],
        Some(way) => vec![way.index().min(1)],
    };
    match claim.quantity {
        Quantity::Iops | Quantity::BytesPerSecond => watched_rate(&mut row, device, found, &ways),
        Quantity::MeanLatency => watched_latency(&mut row, device, &ways),
        Quantity::PercentileLatency => row.remark = Some(Remark::NoPercentile),
    }
    Some(row)
}

/// Returns the device with the most I/O, of those with nothing sampled below them.
fn busiest<'d, 's>(watch: &WatchedRun<'_>, devices: &'d [Device<'s>]) -> Option<&'d Device<'s>> {
    let work = |device: &Device<'_>| device.ticks.iter().map(Tick::all).sum::<f64>();
    let sampled = |name: &String| watch.recording.devices().contains(&name.as_str());
    let lowest = devices.iter().filter(|device| !device.place.on.iter().flatten().any(sampled));
    lowest.map(|device| (work(device), device)).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, device)| device)
}

fn watched_rate(row: &mut ContractRow, device: &Device<'_>, found: &[Finding], ways: &[usize]) {
    let bytes = row.quantity == Quantity::BytesPerSecond;
    let rate = |window: &Window| {
        let of = |way: &usize| if bytes { window.sum.bytes[*way] } else { window.sum.ops[*way] };
        ways.iter().map(of).sum::<f64>() / window.sum.seconds
    };
    let whole: f64 = device.windows.iter().map(|window| window.sum.seconds).sum();
    let long = |window: &&Window| window.sum.seconds >= REACHED_S.min(whole / 2.0);
    let most = device.windows.iter().filter(long).map(rate).fold(0.0, f64::max);
    row.measured = Some(Estimate::exactly(most));
    let capped = found.iter().any(|finding| match &finding.meaning {
        Meaning::HeldOperations(held) => !bytes && held.device.name == device.place.name,
        Meaning::HeldBytes(held) => bytes && held.device.name == device.place.name,
        _ => false,
    });
    (row.answer, row.remark) = match most >= (1.0 - TOLERANCE) * row.claimed.value {
        true => (Answer::Meets, None),
        false if capped => (Answer::Below, None),
        false => (Answer::CannotTell, Some(Remark::NotAsked { most })),
    };
}

fn watched_latency(row: &mut ContractRow, device: &Device<'_>, ways: &[usize]) {
    let sum = |of: &dyn Fn(&Tick, usize) -> f64| {
        device.ticks.iter().flat_map(|tick| ways.iter().map(move |&way| of(tick, way))).sum::<f64>()
    };
    let mean = sum(&|tick, way| tick.wait[way]) / sum(&|tick, way| tick.ops[way]) * 1e9;
    let Some(mean) = known(mean) else {
        row.remark = Some(Remark::TooFew);
        return;
    };
    row.measured = Some(Estimate::exactly(mean));
    row.latency = Some(Latency { mean_ns: Some(mean), ..Latency::default() });
    row.answer = if mean <= row.claimed.value { Answer::Meets } else { Answer::Below };
}

/// Returns the answer to the contract: for every claim, the phase that decides.
pub(crate) fn verdict(run: &Run, watch: &WatchedRun<'_>, rows: &[ContractRow]) -> Verdict {
    if watch.claims.is_empty() {
        return Verdict { answer: Answer::Measured, subject: None, rows: Vec::new(), doubts: Vec::new() };
    }
    let decided: Vec<ClaimRow> = watch.claims.iter().map(|claim| decisive(claim, rows)).collect();
    let any = |answer| decided.iter().any(|row| row.answer == answer);
    let open = [Answer::Below, Answer::CannotTell, Answer::ConsistentWithBurst]
        .into_iter()
        .find(|answer| any(*answer));
    let answer = open.unwrap_or(Answer::Meets);
    let missed = decided.iter().find(|row| row.answer == Answer::Below);
    let by_policy = missed.is_some_and(|row| row.claimed.source != EXPECTATION);
    let (first, second) = match by_policy {
        true => (&run.policy, &run.expectation),
        false => (&run.expectation, &run.policy),
    };
    Verdict { answer, subject: first.clone().or_else(|| second.clone()), rows: decided, doubts: Vec::new() }
}

/// Returns the worst row of a claim among those that were judged.
fn decisive(claim: &ContractClaim, rows: &[ContractRow]) -> ClaimRow {
    let same = |row: &&ContractRow| {
        row.quantity == claim.quantity
            && row.direction == claim.direction
            && row.claimed == claim.claimed
            && row.answer != Answer::Measured
    };
    let badness = |row: &&ContractRow| match row.answer {
        Answer::Below => 2,
        Answer::CannotTell | Answer::ConsistentWithBurst => 1,
        _ => 0,
    };
    let worst = rows.iter().filter(same).rev().max_by_key(badness);
    let doubts = match worst {
        None => vec![Doubt::NotMeasured],
        Some(row) => row.remark.and_then(|remark| doubt(remark, row)).into_iter().collect(),
    };
    ClaimRow {
        what: what(claim, worst.map(|row| row.phase.as_str())),
        quantity: claim.quantity,
        direction: claim.direction.unwrap_or(Direction::Read),
        claimed: claim.claimed.clone(),
        measured: worst.and_then(|row| row.measured),
        over_time: None,
        latency_ns_p99: worst.and_then(|row| row.latency.as_ref()).and_then(|latency| latency.at(99.0)),
        depth: None,
        answer: worst.map_or(Answer::CannotTell, |row| row.answer),
        doubts,
    }
}

fn doubt(remark: Remark, row: &ContractRow) -> Option<Doubt> {
    match remark {
        Remark::TooFew => Some(Doubt::TooShort),
        Remark::Disturbed => Some(Doubt::GeneratorBound),
        Remark::NotAsked { .. } => Some(Doubt::NotMeasured),
        Remark::NoPercentile => Some(Doubt::FewSamples { count: 0 }),
        Remark::AskedLess { .. } | Remark::AskedMore { .. } => {
            (row.answer == Answer::CannotTell).then_some(Doubt::NotMeasured)
        }
        Remark::MeanAlone { .. } | Remark::OnCredits { .. } | Remark::EndedBelow { .. } => None,
    }
}

/// Formats the subject of a claim, such as `read IOPS, load 100%`.
fn what(claim: &ContractClaim, phase: Option<&str>) -> String {
    let way = claim.direction.map_or(String::new(), |way| format!("{} ", way.name()));
    let quantity = match claim.quantity {
        Quantity::Iops => "IOPS".to_owned(),
        Quantity::BytesPerSecond => "bandwidth".to_owned(),
        Quantity::MeanLatency => "mean latency".to_owned(),
        Quantity::PercentileLatency => format!("p{}", claim.percent.unwrap_or_default()),
    };
    let phase = phase.filter(|phase| *phase != WHOLE).map_or(String::new(), |phase| format!(", {phase}"));
    format!("{way}{quantity}{phase}")
}
