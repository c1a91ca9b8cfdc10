//! `plimsoll headroom`: the greatest rate of arrivals at which a bound on latency holds.

use std::path::Path;

use experiments::{
    HeadroomAsk, LAYOUT_GUESS, Step, Writes, headroom_seconds, headroom_seconds_left, next_headroom_step,
};
use policy::{BurstLength, Limit, Limits};
use record::StepRecord;
use report::Forecast;
use session::failure::Failure;
use session::run::Against;
use session::{Setup, Wish};
use workload::{
    Access, BlockSizes, Bytes, Claim, Expectation, HeadroomRequest, Job, LoadPart, Metric, Mix, Nanos, Pace,
    ProcedureRequest, Target,
};

mod goal;

use goal::{Goal, is_job};

use super::bounds::in_flight_most;
use super::measure::{Ground, Measurement, credits_spent, destruction, laid_out};
use super::watch::{asked::AskedLoad, load};
use crate::arguments::HeadroomArguments;
use crate::commands::own;
use crate::commands::promise::of_volume;

/// Least time for a search.
const TIME_LEAST: Nanos = Nanos::from_secs(10);

/// Searches for the greatest rate at which the bounds hold.
pub fn run(arguments: &HeadroomArguments) -> Result<u8, Failure> {
    let asked = HeadroomCommand::read(arguments)?;
    let ground = Ground::open((&asked.target, &asked.typed), &asked.wish, &arguments.measure)?;
    let ask = asked.ask(&ground.setup)?;
    let limits = asked.against.limits.clone().or_else(|| of_volume(&asked.target));
    ground.measure(&Headroom { ask, against: asked.against, limits, notes: asked.notes })
}

/// A search with what its result is compared with.
struct Headroom {
    ask: HeadroomAsk,
    against: Against,
    /// The limits whose credits it may spend.
    limits: Option<Limits>,
    /// Notes for the user about the load.
    notes: Vec<String>,
}

impl Measurement for Headroom {
    fn command(&self) -> String {
        "headroom".to_owned()
    }

    fn noun(&self) -> &'static str {
        "a search for headroom"
    }

    fn asked(&self) -> Option<ProcedureRequest> {
        Some(ProcedureRequest::Headroom(self.ask.asked.clone()))
    }

    fn against(&self) -> &Against {
        &self.against
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        next_headroom_step(&self.ask, done)
    }

    fn forecast(&self) -> Forecast {
        let layout_bytes = laid_out(self.ask.layout).0;
        let seconds = headroom_seconds(&self.ask) + layout_bytes as f64 / LAYOUT_GUESS;
        let writes = self.ask.asked.load.iter().any(|part| !part.job.access.mix.reads_only());
        let search_bytes_most = if writes { self.ask.asked.write_most } else { Bytes(0) };
        let limits = self.limits.as_ref();
        Forecast {
            seconds,
            seconds_most: seconds,
            bytes_written: layout_bytes + search_bytes_most.0,
            credits: credits_spent(limits, seconds),
            billing: limits.map(Limits::billing_notes).unwrap_or_default(),
        }
    }

    fn left(&self, done: &[StepRecord]) -> f64 {
        headroom_seconds_left(&self.ask, done)
    }

    fn announcement(&self, setup: &Setup) -> Vec<String> {
        let head = report::head(&setup.facts, setup.runner.backend());
        let search = report::wrap("", &report::search_words(&self.ask.asked));
        let notes = self.notes.iter().map(|note| report::wrap("  ", note));
        let forecast = (!setup.is_virtual()).then(|| report::forecast(&self.forecast()));
        [head, search].into_iter().chain(notes).chain(forecast).chain(destruction(setup)).collect()
    }

    fn outline(&self) -> [String; 2] {
        let before = "This would run: the load with a full queue, then open loads whose rates follow from those before.\n";
        [before.to_owned(), String::new()]
    }
}

/// Returns the policy and the claims that the rate is compared with, for this one load.
fn against(arguments: &HeadroomArguments, load: &[LoadPart]) -> Result<Against, Failure> {
    let policy = arguments.policy.as_deref().map(own::policy).transpose()?;
    let limits = policy.as_ref().map(|name| policy::evaluate(name).map_err(Failure::refused)).transpose()?;
    if limits.is_some() && load.len() > 1 {
        return Err(Failure::refused(
            "--policy: a policy promises no one rate of several kinds of I/O together; say with --expect what was promised",
        ));
    }
    let expectation =
        arguments.expect.as_deref().map(Expectation::parse).transpose().map_err(Failure::refused)?;
    let is_rate = |claim: &Claim| matches!(claim.metric, Metric::Iops(_) | Metric::Bandwidth(_));
    let other = expectation.iter().flat_map(|asked| &asked.claims).find(|claim| !is_rate(claim));
    if let Some(claim) = other {
        return Err(Failure::refused(format!(
            "--expect \"{}\": say the latency as a bound (--p99) and the rate here, for example --expect \"2500 iops\"",
            claim.words
        )));
    }
    if expectation.as_ref().is_some_and(|asked| !asked.load.is_empty()) {
        return Err(Failure::refused(
            "--expect: the load is said by --mix, --block and --sequential; leave it out here",
        ));
    }
    Ok(Against { policy, limits, expectation })
}

/// The parsed command line.
struct HeadroomCommand {
    target: Target,
    /// The target as it was typed.
    typed: String,
    wish: Wish,
    search: HeadroomRequest,
    against: Against,
    notes: Vec<String>,
}

impl HeadroomCommand {
    fn read(arguments: &HeadroomArguments) -> Result<HeadroomCommand, Failure> {
        let arguments = &of_job(arguments);
        let target = own::target(&arguments.target)?;
        let write_most = workload::size(&arguments.write_most).map_err(Failure::refused)?;
        let goal = match &arguments.load {
            Some(word) if is_job(word, arguments.measure.give_up) => goal::read(word)?,
            _ => Goal::default(),
        };
        let bounds = arguments.bounds(&goal.bounds)?;
        let (load, mut notes) = match &arguments.load {
            Some(word) => loaded((word, &goal), arguments, &target)?,
            None => (vec![LoadPart { job: job(arguments)?, share: 1.0 }], Vec::new()),
        };
        let mut against = against(arguments, &load)?;
        // The burst of a simulated or lab volume may pay for the answer.
        let ends = |limit: &Limit| limit.burst_length() != BurstLength::None;
        if let (None, Some(own)) = (&against.limits, of_volume(&target)) {
            let bursts = Some(own).filter(|own| own.limits.iter().any(ends));
            against.policy = bursts.as_ref().map(|own| own.policy.clone());
            against.limits = bursts;
        }
        notes.extend(goal.notes);
        Ok(HeadroomCommand {
            against,
            typed: arguments.target.clone(),
            target,
            wish: arguments.ground.wish()?,
            search: HeadroomRequest {
                bounds,
                load,
                rates: arguments.rates()?,
                time: time(&arguments.time)?,
                write_most,
            },
            notes,
        })
    }

    /// Returns the search for a target, which may allow reads only.
    fn ask(&self, setup: &Setup) -> Result<HeadroomAsk, Failure> {
        let writes = self.search.load.iter().any(|part| !part.job.access.mix.reads_only());
        if writes && setup.writes == Writes::LeftOut {
            return Err(Failure::refused(format!(
                "{} is only read, and this load writes; name a directory, a device with --allow-destroy, or leave the writes \
                 out (--mix 100/0)",
                setup.facts.words
            )));
        }
        let mut asked = self.search.clone();
        for part in &mut asked.load {
            let least = setup.facts.direct_alignment;
            if part.job.blocks.longest() < least {
                part.job.blocks = BlockSizes::all(least);
            }
        }
        Ok(HeadroomAsk { asked, layout: setup.layout, in_flight_most: in_flight_most() })
    }
}

/// If a job file was typed as the target, makes it the load, and the place that its jobs name the target.
fn of_job(arguments: &HeadroomArguments) -> HeadroomArguments {
    let job = (arguments.load.is_none() && is_job(&arguments.target, arguments.measure.give_up))
        .then(|| arguments.target.clone());
    let Some(job) = job else { return arguments.clone() };
    let place = goal::read(&job).ok().and_then(|goal| goal.place).unwrap_or_default();
    // A file that fio would create may not exist yet, but a folder above it does.
    let there = Path::new(&place).ancestors().find(|path| path.exists());
    let target = there.map_or_else(|| ".".to_owned(), |path| path.display().to_string());
    HeadroomArguments { target, load: Some(job), ..arguments.clone() }
}

fn time(words: &str) -> Result<Nanos, Failure> {
    match workload::duration(words).map_err(|error| Failure::refused(format!("--time {words}: {error}")))? {
        time if time < TIME_LEAST => Err(Failure::refused(format!(
            "--time {words} is too short to tell anything: a search runs some ten loads; give it 10s or more"
        ))),
        time => Ok(time),
    }
}

/// Returns the load that the options describe.
fn job(arguments: &HeadroomArguments) -> Result<Job, Failure> {
    let block = workload::size(&arguments.block)
        .map_err(|error| Failure::refused(format!("--block {}: {error}", arguments.block)))?;
    if block == Bytes(0) {
        return Err(Failure::refused("--block 0 moves nothing; give it a size, e.g. 4k"));
    }
    let mix = arguments.mix.as_deref().map_or(Ok(Mix::READ), mix)?;
    let access = if arguments.sequential { Access::sequential(mix) } else { Access::random(mix) };
    Ok(Job { access, blocks: BlockSizes::all(block), seed: arguments.ground.seed, ..Job::named("arrivals") })
}

/// Reads a mix such as `70/30`, written as in a claim.
pub(super) fn mix(words: &str) -> Result<Mix, Failure> {
    workload::mix(words).map_err(|problem| Failure::refused(format!("--mix {words}: it {problem}")))
}

/// Returns the load of a job file, a profile or a policy, in proportion to its jobs' rates, and notes about it.
fn loaded(
    (word, goal): (&str, &Goal),
    arguments: &HeadroomArguments,
    target: &Target,
) -> Result<(Vec<LoadPart>, Vec<String>), Failure> {
    let on = Some((arguments.target.clone(), target.clone()));
    let text = Some(goal.text.clone()).filter(|text| !text.is_empty());
    let (scaled, cycle, size) = (false, Nanos::SECOND, None);
    let found =
        load::find(&AskedLoad { word: word.to_owned(), text, on, scaled, cycle, size, allow_destroy: None })?;
    let mut load = found.load;
    load.go_past_the_cache();
    let rates: Vec<f64> = load.jobs.iter().map(rate).collect();
    let all: f64 = rates.iter().sum();
    let even = 1.0 / load.jobs.len().max(1) as f64;
    let parts = load.jobs.iter().zip(&rates).map(|(job, rate)| LoadPart {
        job: arrival(job, arguments.ground.seed),
        share: if all > 0.0 { rate / all } else { even },
    });
    let parts: Vec<LoadPart> = parts.filter(|part| part.share > 0.0).collect();
    Ok((parts, load.notes))
}

/// Returns the I/Os per second that a job asks for; zero if it runs as fast as it can.
fn rate(job: &Job) -> f64 {
    let of = |pace: Pace| pace.rate().map_or(0.0, |rate| rate.0);
    f64::from(job.clones) * (of(job.pace) + job.write_pace.map_or(0.0, of))
}

/// Returns `job` without its timing, because the search sets the arrivals. If reads and writes have separate rates,
/// these give the mix.
fn arrival(job: &Job, seed: u64) -> Job {
    let of = |pace: Pace| pace.rate().map(|rate| rate.0);
    let rates = of(job.pace).zip(job.write_pace.and_then(of));
    let mut access = job.access.clone();
    if let Some((read, write)) = rates {
        access.mix = Mix::reads((100.0 * read / (read + write)).round() as u8);
    }
    let ramp = None;
    Job {
        access,
        pace: Pace::Closed,
        write_pace: None,
        think: None,
        ramp,
        cool: Nanos::ZERO,
        seed,
        ..job.clone()
    }
}
