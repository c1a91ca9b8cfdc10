//! `plimsoll burst`: drains a volume on purpose, and says how long its burst lasts and when the next can be expected.

use std::path::Path;

use analysis::{Analysis, ProcedureAnswer};
use experiments::{Layout, Step, Writes, burst_forecast, burst_left, next_burst_step};
use policy::Limits;
use record::StepRecord;
use report::Forecast;
use session::failure::Failure;
use session::output;
use session::place::{Place, pasted, pasted_note};
use session::run::{Against, Earlier};
use session::{Setup, Wish};
use workload::{BurstOf, BurstRequest, Mix, PolicyName, ProcedureRequest, Target};

use super::measure::{Ground, Measurement, destruction, laid_out};
use super::{drain, promise};
use crate::arguments::burst::BurstArguments;
use crate::commands::own;

/// Drains the target and reports its burst.
pub fn run(arguments: &BurstArguments) -> Result<u8, Failure> {
    let wanted = BurstCommand::read(arguments)?;
    let ground = Ground::open((&wanted.target, &wanted.typed), &wanted.wish, &arguments.measure)?;
    let asked = wanted.burst(arguments, &ground.setup)?;
    let layout = ground.setup.layout;
    ground.measure(&Burst { wanted, asked, layout, yes: arguments.yes })
}

/// A drain with its layout.
struct Burst {
    wanted: BurstCommand,
    asked: BurstRequest,
    layout: Layout,
    /// Whether the drain starts without asking.
    yes: bool,
}

impl Burst {
    fn limits(&self) -> Option<&Limits> {
        self.wanted.against.limits.as_ref()
    }
}

impl Measurement for Burst {
    fn command(&self) -> String {
        "burst".to_owned()
    }

    fn noun(&self) -> &'static str {
        "a drain"
    }

    fn asked(&self) -> Option<ProcedureRequest> {
        Some(ProcedureRequest::Burst(self.asked.clone()))
    }

    fn against(&self) -> &Against {
        &self.wanted.against
    }

    fn earlier(&self) -> Option<&Earlier> {
        Some(&self.wanted.earlier)
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        next_burst_step(&self.asked, self.layout, done)
    }

    fn forecast(&self) -> Forecast {
        let forecast = burst_forecast(&self.asked, self.limits());
        Forecast {
            seconds: forecast.seconds,
            seconds_most: forecast.seconds_most,
            bytes_written: laid_out(self.layout).0,
            credits: drain::credits(self.limits()),
            billing: self.limits().map(Limits::billing_notes).unwrap_or_default(),
        }
    }

    fn left(&self, done: &[StepRecord]) -> f64 {
        burst_left(&self.asked, self.limits(), done)
    }

    /// Includes the forecast in virtual time too, because how long a burst lasts is the question.
    fn announcement(&self, setup: &Setup) -> Vec<String> {
        let head = report::head(&setup.facts, setup.runner.backend());
        let virtual_time = if setup.is_virtual() { "In virtual time, which passes at once:\n" } else { "" };
        let forecast = format!("{virtual_time}{}", report::forecast(&self.forecast()));
        [head, forecast].into_iter().chain(destruction(setup)).collect()
    }

    fn outline(&self) -> [String; 2] {
        let before = "This would run first; what follows depends on what it shows:\n".to_owned();
        let then = format!(
            "Then: overload until the rate has fallen, at most {}; a rest; overload again; the same rest; half the excess.",
            report::numbers::span(self.asked.most.as_secs_f64())
        );
        [before, report::wrap("  ", &then)]
    }

    fn leave(&self, setup: &Setup) -> Result<(), Failure> {
        if self.yes { Ok(()) } else { drain::ask_leave(self.forecast().seconds, setup) }
    }

    fn resume_words(&self, analysis: &Analysis, place: &Place, _: bool) -> Option<String> {
        let cut_short =
            matches!(&analysis.answered, Some(ProcedureAnswer::Burst(answer)) if answer.cut_short);
        let Target::Path(_) = &self.wanted.target else { return None };
        let run = place.run();
        let words =
            || format!("Go on with it{}: plimsoll burst --resume {}", pasted_note(&run), pasted(&run));
        cut_short.then(words)
    }
}

/// The parsed command line, and the earlier run that it resumes.
struct BurstCommand {
    target: Target,
    /// The target as it was typed.
    typed: String,
    against: Against,
    wish: Wish,
    /// Request of the earlier session.
    before: Option<BurstRequest>,
    earlier: Earlier,
}

impl BurstCommand {
    fn read(arguments: &BurstArguments) -> Result<BurstCommand, Failure> {
        if let Some(path) = &arguments.resume {
            return BurstCommand::resumed(arguments, path);
        }
        let target = own::target(&arguments.target)?;
        let named = arguments.policy.as_deref().map(own::policy).transpose()?;
        let against = promise::against(&target, named, None)?;
        let (typed, wish) = (arguments.target.clone(), arguments.ground.wish()?);
        Ok(BurstCommand { target, typed, against, wish, before: None, earlier: Earlier::default() })
    }

    /// Reads the run at `path`, with its request.
    fn resumed(arguments: &BurstArguments, path: &Path) -> Result<BurstCommand, Failure> {
        let read = session::inputs::stopped_run(path)?;
        let (Some(ProcedureRequest::Burst(asked)), Some(facts)) = (&read.asked, &read.target) else {
            return Err(Failure::refused(format!(
                "{} is not a run of plimsoll burst, so it cannot be resumed; plimsoll report shows what it is",
                path.display()
            )));
        };
        let target = Target::parse(&facts.words).map_err(Failure::refused)?;
        let named = read.policy.as_deref().map(PolicyName::parse).transpose().map_err(Failure::refused)?;
        let named = named.filter(|_| !matches!(target, Target::Lab(_) | Target::Sim(_)));
        let (against, typed) = (promise::against(&target, named, None)?, facts.words.clone());
        let played_again = matches!(target, Target::Lab(_) | Target::Sim(_));
        if played_again {
            output::people(
                "A simulated or lab volume does not outlive its run: it is drained from the beginning.",
            );
        }
        let steps = if played_again { Vec::new() } else { read.steps };
        let before = BurstRequest { resumed: steps.len(), ..asked.clone() };
        let earlier = Earlier { steps, started_unix_ms: read.started_unix_ms };
        Ok(BurstCommand {
            target,
            typed,
            against,
            wish: arguments.ground.wish()?,
            before: Some(before),
            earlier,
        })
    }

    fn burst(&self, arguments: &BurstArguments, setup: &Setup) -> Result<BurstRequest, Failure> {
        if let Some(before) = &self.before {
            return Ok(before.clone());
        }
        let time = arguments.time.as_deref().map(workload::duration).transpose().map_err(Failure::refused)?;
        let asked = drain::usual(setup, self.against.limits.as_ref(), arguments.ground.seed);
        let most = time.unwrap_or(asked.most);
        let (mix, both_ways) = (mix(arguments, setup)?, both_ways(arguments, setup)?);
        Ok(BurstRequest { of: arguments.of.into(), most, mix, both_ways, ..asked })
    }
}

/// Why a target is not written.
const ONLY_READ: &str =
    "this target is only read: name a directory, or a device with --allow-destroy, or leave out what writes";

/// Returns the mix of reads and writes that drains the volume; refuses writes if the target may not be written.
fn mix(arguments: &BurstArguments, setup: &Setup) -> Result<Mix, Failure> {
    let mix = arguments.mix.as_deref().map_or(Ok(Mix::READ), super::headroom::mix)?;
    if setup.writes == Writes::LeftOut && !mix.reads_only() {
        return Err(Failure::refused(ONLY_READ));
    }
    Ok(mix)
}

/// Whether reads and writes are also tried together once a bucket is empty. This is refused when two resources are
/// drained, because the bucket of one would refill during the drain of the other.
fn both_ways(arguments: &BurstArguments, setup: &Setup) -> Result<bool, Failure> {
    if arguments.both_ways && BurstOf::from(arguments.of) == BurstOf::Both {
        return Err(Failure::refused(
            "--both-ways looks at one bucket: say --of operations or --of bytes too",
        ));
    }
    if arguments.both_ways && setup.writes == Writes::LeftOut {
        return Err(Failure::refused(ONLY_READ));
    }
    Ok(arguments.both_ways)
}
