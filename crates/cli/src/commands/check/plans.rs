//! The plans of a check: the shares of the total time, and the request to each part.

use experiments::{
    CheckAsk, Effort, HeadroomAsk, Layout, OmissionReason, PartAsk, PlacesAsk, PlanAsk, SoakAsk, Step,
    Writes, burst_forecast, part_shares, places_written,
};
use policy::Limits;
use session::Setup;
use session::failure::Failure;
use workload::{
    Access, BlockSizes, BurstOf, BurstRequest, Bytes, CheckPlan, CheckRequest, Expectation, HeadroomRequest,
    Job, LatencyBound, LoadPart, Metric, Mix, Nanos, PlacesRequest, ProcedureRequest, SoakRequest, StepKind,
    StopRule, Workload,
};

use super::asked::{CheckCommand, DRAIN_LEAST};
use crate::commands::bounds::in_flight_most;
use crate::commands::drain;

/// Default time of a standard check, and of a brief one, whose steps are too short to rely on.
const STANDARD: Nanos = Nanos::from_secs(15 * 60);
const STANDARD_BRIEF: Nanos = Nanos::from_secs(120);
/// Least time for a search for headroom, and for a look at places.
const HEADROOM_LEAST: Nanos = Nanos::from_secs(10);
const PLACES_LEAST: Nanos = Nanos::from_secs(20);
/// Bound on the 99th percentile without a claim, and as a multiple of the published latency of a single I/O.
const BOUND: Nanos = Nanos::from_millis(10);
const BOUND_LATENCIES: u64 = 5;
/// Percentage of reads in the mix that arrives.
const MIX: u8 = 70;
/// Largest working set tried in the search for a cache.
const LARGEST: Bytes = Bytes::gib(16);
/// Smallest region on which places are measured.
const REGION_LEAST: Bytes = Bytes::mib(128);
/// Size of a small block.
const SMALL: Bytes = Bytes::kib(4);

/// A plan with its parts.
pub(super) struct PlannedCheck {
    /// The request, as the run file stores it.
    pub(super) check: CheckRequest,
    /// The plan that runs.
    pub(super) ask: PlanAsk,
    /// Maximum number of bytes that the plan writes.
    pub(super) writes: Bytes,
    /// Parts that are left out, each with the reason.
    pub(super) left_out: Vec<(String, OmissionReason)>,
}

/// Returns the plan that `asked` runs on `setup`; a resumed run keeps the parts with which it began.
pub(super) fn planned(asked: &CheckCommand, setup: &Setup) -> Result<PlannedCheck, Failure> {
    let split = TimeSplit::of(&asked.check);
    let mut left_out = split.left_out();
    let mut check = asked.check.clone();
    if asked.earlier.steps.is_empty() {
        check.parts = match check.plan {
            CheckPlan::Quick => Vec::new(),
            CheckPlan::Standard => standard(asked, setup, &split)?,
            CheckPlan::Burst => {
                let (drain, without) = fitted_drain(asked, setup);
                left_out.extend(without);
                vec![ProcedureRequest::Burst(drain)]
            }
            CheckPlan::Soak => vec![ProcedureRequest::Soak(soak(&check, setup))],
        };
    }
    let own = match check.plan {
        CheckPlan::Quick | CheckPlan::Standard => Some(own_steps(asked, setup, &split)?),
        CheckPlan::Burst | CheckPlan::Soak => None,
    };
    let laid_out = if let Layout::Write(size) = setup.layout { size } else { Bytes(0) };
    let parts: Vec<PartAsk> = check.parts.iter().filter_map(|part| part_ask(part, setup)).collect();
    let in_parts = if setup.writes == Writes::LeftOut { 0 } else { parts.iter().map(written_in).sum() };
    let writes = Bytes(own.as_ref().map_or(laid_out, |own| own.write_most).0 + in_parts);
    let ask = PlanAsk {
        parts: own.into_iter().map(Box::new).map(PartAsk::Check).chain(parts).collect(),
        layout: setup.layout,
        seed: check.seed,
        sittings: check.sittings.clone(),
    };
    Ok(PlannedCheck { check, ask, writes, left_out })
}

/// Returns the request for the check's own steps; the layout of each sitting is added to the limit on writes.
fn own_steps(asked: &CheckCommand, setup: &Setup, split: &TimeSplit) -> Result<CheckAsk, Failure> {
    let ask = asked.bounds.ask(setup, split.effort)?;
    let again =
        if let Layout::Write(size) = setup.layout { size.0 } else { 0 } * asked.check.sittings.len() as u64;
    let expectation = asked.against.expectation.clone().unwrap_or_default();
    let limits = asked.against.limits.clone();
    Ok(CheckAsk { expectation, limits, write_most: Bytes(ask.write_most.0 + again), ..ask })
}

/// Returns the procedure of a part; headroom and places need no layout, because the check has laid out the region.
fn part_ask(part: &ProcedureRequest, setup: &Setup) -> Option<PartAsk> {
    Some(match part.clone() {
        ProcedureRequest::Headroom(asked) => {
            PartAsk::Headroom(HeadroomAsk { asked, layout: Layout::None, in_flight_most: in_flight_most() })
        }
        ProcedureRequest::Places(asked) => {
            PartAsk::Places(PlacesAsk { asked, layout: Layout::None, writes: setup.writes })
        }
        ProcedureRequest::Burst(asked) => PartAsk::Burst(asked, setup.layout),
        ProcedureRequest::Soak(asked) => PartAsk::Soak(SoakAsk { asked, layout: setup.layout }),
        _ => return None,
    })
}

/// Returns the greatest number of bytes that a part writes besides the layout and the check's own steps.
fn written_in(part: &PartAsk) -> u64 {
    match part {
        PartAsk::Headroom(ask) => ask.asked.write_most.0,
        PartAsk::Places(ask) => places_written(ask).0,
        PartAsk::Check(_) | PartAsk::Burst(..) | PartAsk::Soak(_) => 0,
    }
}

/// Division of a plan's time among its parts.
struct TimeSplit {
    effort: Effort,
    headroom: Option<Nanos>,
    places: Option<Nanos>,
    plan: CheckPlan,
}

impl TimeSplit {
    fn of(check: &CheckRequest) -> TimeSplit {
        let total = match (check.plan, check.time) {
            (CheckPlan::Standard, time) => {
                time.unwrap_or(if check.brief { STANDARD_BRIEF } else { STANDARD })
            }
            (_, Some(time)) => time,
            (_, None) => {
                let effort = if check.brief { Effort::BRIEF } else { Effort::QUICK };
                return TimeSplit { effort, headroom: None, places: None, plan: check.plan };
            }
        };
        if check.plan != CheckPlan::Standard {
            let effort = Effort::within(total.max(Effort::LEAST));
            return TimeSplit { effort, headroom: None, places: None, plan: check.plan };
        }
        TimeSplit::standard(total, check.brief)
    }

    /// Divides the time among the parts that fit: if it is short, places are left out first, then the search.
    fn standard(total: Nanos, brief: bool) -> TimeSplit {
        let shares = part_shares(CheckPlan::Standard);
        let timed = |count: usize| -> Vec<Nanos> {
            let all: f64 = shares[..count].iter().sum();
            shares[..count]
                .iter()
                .map(|share| Nanos::from_secs_f64(total.as_secs_f64() * share / all))
                .collect()
        };
        let least = [Effort::LEAST, HEADROOM_LEAST, PLACES_LEAST];
        let fits = |times: &Vec<Nanos>| times.iter().zip(least).all(|(time, least)| *time >= least);
        let times = [3, 2].map(timed).into_iter().find(fits).unwrap_or_else(|| vec![total]);
        TimeSplit {
            effort: if brief { Effort::BRIEF } else { Effort::within(times[0]) },
            headroom: times.get(1).copied(),
            places: times.get(2).copied(),
            plan: CheckPlan::Standard,
        }
    }

    fn left_out(&self) -> Vec<(String, OmissionReason)> {
        let parts = [("headroom", self.headroom), ("where", self.places)];
        let missing =
            parts.into_iter().filter(|(_, time)| time.is_none() && self.plan == CheckPlan::Standard);
        missing.map(|(name, _)| (name.to_owned(), OmissionReason::Time)).collect()
    }
}

/// Returns the parts of a standard check: the search for headroom within a latency, then places.
fn standard(
    asked: &CheckCommand,
    setup: &Setup,
    split: &TimeSplit,
) -> Result<Vec<ProcedureRequest>, Failure> {
    let mut parts = Vec::new();
    if let Some(time) = split.headroom {
        parts.push(ProcedureRequest::Headroom(search(asked, setup, time)));
    }
    let size = region(setup)?;
    if let Some(time) = split.places.filter(|_| size >= REGION_LEAST) {
        let (largest, seed) = (LARGEST, asked.check.seed);
        parts.push(ProcedureRequest::Places(PlacesRequest { size, time, largest, seed }));
    }
    Ok(parts)
}

/// Returns the request for the greatest rate of the usual mix within the claimed latency, or else the default bound.
fn search(asked: &CheckCommand, setup: &Setup, time: Nanos) -> HeadroomRequest {
    let limits = asked.against.limits.as_ref();
    let usual =
        limits.and_then(|limits| limits.latency).map_or(BOUND, |one| BOUND.max(one * BOUND_LATENCIES));
    let bound =
        asked.against.expectation.as_ref().and_then(claimed).unwrap_or(LatencyBound::percentile(99.0, usual));
    let mix = if setup.writes == Writes::Measured { Mix::reads(MIX) } else { Mix::READ };
    let job = Job {
        access: Access::random(mix),
        blocks: BlockSizes::all(SMALL.max(setup.facts.direct_alignment)),
        seed: asked.check.seed,
        ..Job::named("arrivals")
    };
    let write_most = asked.bounds.region(setup);
    HeadroomRequest {
        bounds: vec![bound],
        load: vec![LoadPart { job, share: 1.0 }],
        rates: Vec::new(),
        time,
        write_most,
    }
}

/// Returns the first percentile that is claimed.
fn claimed(expectation: &Expectation) -> Option<LatencyBound> {
    expectation.claims.iter().find_map(|claim| match claim.metric {
        Metric::Percentile(percent, most) => Some(LatencyBound::percentile(percent, most)),
        _ => None,
    })
}

/// Returns the number of bytes of the target that can be read.
fn region(setup: &Setup) -> Result<Bytes, Failure> {
    if let Layout::Write(size) = setup.layout {
        return Ok(size.round_down(Bytes::MIB));
    }
    let stop = vec![StopRule::Time(Nanos::SECOND)];
    let workload = Workload { jobs: vec![Job::named("all")], stop, ramp: Nanos::ZERO };
    let step = Step { name: "all".to_owned(), kind: StepKind::Place, workload, interval: None };
    let plan = setup.runner.plan(&step).map_err(Failure::refused)?;
    let files = plan.workers.first().map(|worker| worker.files.as_slice()).unwrap_or_default();
    Ok(files.first().map_or(Bytes(0), |file| file.size).round_down(Bytes::MIB))
}

fn soak(check: &CheckRequest, setup: &Setup) -> SoakRequest {
    let block = SMALL.max(setup.facts.direct_alignment);
    SoakRequest::of(check.time.unwrap_or(SoakRequest::USUAL), block, check.seed)
}

/// Returns a drain that fits the time, and the parts that it leaves out.
fn fitted_drain(asked: &CheckCommand, setup: &Setup) -> (BurstRequest, Vec<(String, OmissionReason)>) {
    let limits = asked.against.limits.as_ref();
    let usual = drain::usual(setup, limits, asked.check.seed);
    let Some(time) = asked.check.time else { return (usual, Vec::new()) };
    let within = |asked: &BurstRequest| takes(asked, limits) <= time.as_secs_f64();
    if within(&usual) {
        return (usual, Vec::new());
    }
    let mut left_out = Vec::new();
    let mut fitted = BurstRequest { most: DRAIN_LEAST, ..usual.clone() };
    if !within(&fitted) {
        fitted.of = BurstOf::Operations;
        left_out.push(("the drain of bytes".to_owned(), OmissionReason::Time));
    }
    // Bisects for the longest drain that fits, to within a second.
    let (mut low, mut high) = (DRAIN_LEAST.0, usual.most.0.max(DRAIN_LEAST.0));
    while high - low > Nanos::SECOND.0 {
        let middle = u64::midpoint(low, high);
        if within(&BurstRequest { most: Nanos(middle), ..fitted.clone() }) {
            low = middle
        } else {
            high = middle
        }
    }
    fitted.most = Nanos(low);
    if fitted.most < usual.most {
        let length = report::numbers::span(usual.most.as_secs_f64());
        left_out.push((
            format!(
                "what of a drain comes after {} of {length}",
                report::numbers::span(fitted.most.as_secs_f64())
            ),
            OmissionReason::Time,
        ));
    }
    (fitted, left_out)
}

fn takes(asked: &BurstRequest, limits: Option<&Limits>) -> f64 {
    let forecast = burst_forecast(asked, limits);
    forecast.seconds.max(forecast.seconds_most)
}

/// Describes a part before it runs.
pub(super) fn outline(part: &PartAsk, rate: f64) -> String {
    let span = |time: Nanos| report::numbers::span(time.as_secs_f64());
    let words = match part {
        PartAsk::Check(ask) => return experiments::outline(ask, rate),
        PartAsk::Headroom(ask) => {
            format!("headroom, {}: {}", span(ask.asked.time), report::search_words(&ask.asked))
        }
        PartAsk::Places(ask) => format!(
            "where, {}: single places over {}, working sets up to {}, sequences",
            span(ask.asked.time),
            ask.asked.size,
            ask.asked.largest
        ),
        PartAsk::Burst(asked, _) => {
            format!(
                "burst: overload until the rate has fallen, at most {}, rests, overload again",
                span(asked.most)
            )
        }
        PartAsk::Soak(ask) => format!(
            "soak, {}: {} looks of {} at all there is, at random moments, and modest arrivals in between",
            span(ask.asked.time),
            ask.asked.cycles,
            span(ask.asked.probe)
        ),
    };
    report::wrap("  ", &words)
}
