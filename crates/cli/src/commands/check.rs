//! `plimsoll check`: from a target to a verdict, a run file and a report.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use analysis::{Analysis, analyse};
use experiments::{CheckAsk, Effort, Scene, Wish, conduct, next_step, seconds_most, set_scene};
use policy::{BurstLength, Limits};
use record::{Event, EventKind, Run};
use report::{Credits, Forecast, Paint};
use runfile::Writer;
use workload::{Expectation, PolicyName, Target};

use crate::arguments::{CheckArguments, EffortName, Format};
use crate::failure::{Code, Failure};
use crate::output;
use crate::place::{Place, write_whole};
use crate::scribe::{Scribe, Shown};
use crate::signals::StopFlag;

/// Layout speed that the forecast assumes where nothing is known.
const LAYOUT_GUESS: f64 = 200.0 * 1048576.0;
/// How long the idle gate waits for others to finish.
const IDLE_PATIENCE_S: u32 = 15;

/// Measures the target and answers against policy and expectation.
pub fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let asked = Asked::read(arguments)?;
    let stop = StopFlag::on_signals();
    let mut scene = set_scene(&asked.target, &asked.target_words, &asked.wish).map_err(Failure::refused)?;
    let ask = asked.ask(&scene);
    announce(&asked, &scene, &ask);
    if arguments.dry_run {
        return dry_run(&scene, &ask);
    }
    idle_gate(&mut scene, arguments, &stop)?;
    let place = Place::new(arguments.out.as_deref(), &asked.target_words, &scene.facts.devices)?;
    let mut run = asked.header(&scene);
    let scribe = Scribe::new(writer(&place, &run)?, stop.clone(), shown(&scene), seconds(&scene, &ask));
    let (writer, failed) = measure(&mut run, &mut scene, &ask, scribe);
    run.complete = true;
    let analysis = analyse(&run, asked.limits.as_ref(), asked.expectation.as_ref());
    let stored = conclude(&mut run, &analysis, writer);
    drop(scene);
    let drawn = write_whole(&place.report, &report::html(&run, &analysis));
    if let Some(failure) = failed {
        output::people(&place.files_line());
        return Err(failure);
    }
    // The answer first: that it could not be kept is said behind it.
    present(arguments.format, &run, &analysis, &place)?;
    stored?;
    drawn?;
    Ok(cut_short(&run, &stop).map_or(analysis.verdict.exit_code(), |code| code as u8))
}

/// The exit code of a run that did not come to its end: then there is no verdict to go by.
fn cut_short(run: &Run, stop: &StopFlag) -> Option<Code> {
    let failed = run.steps.iter().any(|step| step.ending == workload::Ending::Failed);
    match () {
        () if stop.raised() => Some(Code::Interrupted),
        () if failed => Some(Code::Failed),
        () => None,
    }
}

/// The command line as it is understood.
struct Asked {
    target: Target,
    target_words: String,
    policy: Option<PolicyName>,
    limits: Option<Limits>,
    expectation: Option<Expectation>,
    wish: Wish,
    seed: u64,
    effort: Effort,
}

impl Asked {
    fn read(arguments: &CheckArguments) -> Result<Asked, Failure> {
        let target = Target::parse(&arguments.target).map_err(Failure::refused)?;
        let policy = match (&arguments.policy, &target) {
            (Some(words), _) => Some(PolicyName::parse(words).map_err(Failure::refused)?),
            (None, Target::Lab(name) | Target::Sim(name)) if arguments.expect.is_none() => Some(name.clone()),
            (None, _) => None,
        };
        let limits = policy.as_ref().map(|name| limits(name, arguments.policy.is_some())).transpose()?;
        let expectation =
            arguments.expect.as_deref().map(Expectation::parse).transpose().map_err(Failure::refused)?;
        let size = arguments.size.as_deref().map(workload::size).transpose().map_err(Failure::refused)?;
        let allow_destroy = arguments.allow_destroy.clone();
        Ok(Asked {
            target_words: absolute(&target, &arguments.target),
            target,
            policy,
            limits,
            expectation,
            wish: Wish { size, allow_destroy },
            seed: arguments.seed,
            effort: effort(arguments.effort),
        })
    }

    fn ask(&self, scene: &Scene) -> CheckAsk {
        CheckAsk {
            writes: scene.writes,
            layout: scene.layout,
            expectation: self.expectation.clone().unwrap_or_default(),
            seed: self.seed,
            effort: self.effort,
            block_min: scene.facts.direct_alignment,
        }
    }

    fn header(&self, scene: &Scene) -> Run {
        let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut run = Run::started(words, now.as_millis() as u64);
        run.host = Some(scene.host.clone());
        run.target = Some(scene.facts.clone());
        run.policy = self.policy.as_ref().map(PolicyName::to_string);
        run.expectation = self.expectation.as_ref().map(Expectation::to_string);
        run
    }
}

/// The limits of `name`; of a simulated or lab target the parameters that are not the policy's are left to the target.
fn limits(name: &PolicyName, typed: bool) -> Result<Limits, Failure> {
    if typed {
        return policy::evaluate(name).map_err(Failure::refused);
    }
    policy::evaluate_with_rest(name).map(|(limits, _)| limits).map_err(Failure::refused)
}

fn effort(name: EffortName) -> Effort {
    match name {
        EffortName::Quick => Effort::QUICK,
        EffortName::Brief => Effort::BRIEF,
    }
}

/// Paths in the absolute form, so that the run file says later what was measured.
fn absolute(target: &Target, typed: &str) -> String {
    match target {
        Target::Path(path) => path.canonicalize().unwrap_or_else(|_| path.clone()).display().to_string(),
        _ => typed.to_owned(),
    }
}

fn shown(scene: &Scene) -> Shown {
    // Virtual time passes faster than anybody reads.
    if scene.is_virtual() { Shown::Nowhere } else { Shown::fitting() }
}

/// The bandwidth that the policy names; without one the guess, which is low for a layout's time and therefore unbounded for
/// what is written.
fn layout_rate(limits: Option<&Limits>) -> Option<f64> {
    let rate = limits.and_then(|limits| limits.enforced_bytes_per_second(workload::Direction::Write));
    rate.map(|rate| rate.0)
}

fn seconds(scene: &Scene, ask: &CheckAsk) -> f64 {
    if scene.is_virtual() { 1.0 } else { seconds_most(ask, LAYOUT_GUESS) }
}

/// Says what is measured, what that will take, and what will be destroyed.
fn announce(asked: &Asked, scene: &Scene, ask: &CheckAsk) {
    output::people(report::head(&scene.facts, scene.stage.backend()).trim_end());
    let rate = layout_rate(asked.limits.as_ref());
    let written = match ask.layout {
        experiments::Layout::Write(size) => {
            experiments::bytes_written_most(ask, size, rate.unwrap_or(f64::MAX))
        }
        experiments::Layout::None => 0,
    };
    let seconds = if scene.is_virtual() { 0.5 } else { seconds_most(ask, rate.unwrap_or(LAYOUT_GUESS)) };
    let forecast = Forecast {
        seconds,
        bytes_written: written,
        credits: credits(asked.limits.as_ref(), seconds),
        billing: asked.limits.as_ref().map(Limits::billing_notes).unwrap_or_default(),
    };
    if !scene.is_virtual() {
        output::people(report::forecast(&forecast).trim_end());
    }
    if let Some(destruction) = &scene.destruction {
        output::people(&destruction_words(destruction));
    }
}

/// The credit that a run of `seconds` at the burst rate spends.
fn credits(limits: Option<&Limits>, seconds: f64) -> Credits {
    let Some(limits) = limits else { return Credits::Unknown };
    match limits.longest_burst() {
        BurstLength::None => Credits::NoBurst,
        BurstLength::Unknown => Credits::Unpublished,
        BurstLength::Ends(length) => Credits::Share((seconds / length.as_secs_f64()).min(1.0)),
    }
}

fn destruction_words(destruction: &kernel::guard::Destruction) -> String {
    let mut lines = vec![format!("EVERYTHING on {} will be destroyed:", destruction.device.display())];
    lines.push(format!("  {destruction}"));
    lines.join("\n")
}

fn dry_run(scene: &Scene, ask: &CheckAsk) -> Result<u8, Failure> {
    let mut text = String::from("This would run, step by step (later rungs depend on earlier ones):\n");
    if let Some(step) = next_step(ask, &[]) {
        let plan = scene.stage.plan(&step).map_err(Failure::refused)?;
        text.push_str(&plan_words(&plan));
    }
    text.push_str(&experiments::outline(ask));
    output::result(&text)?;
    Ok(0)
}

/// What the first step would do, with the reason of every choice.
fn plan_words(plan: &workload::StepPlan) -> String {
    let mut text = String::new();
    for choice in &plan.choices {
        let words = format!("{} {}: {}", choice.what, choice.value, choice.reason);
        text.push_str(&report::wrap("  ", &words));
    }
    text
}

/// Waits for an idle target; refuses a busy one, since a check would saturate what somebody is using.
fn idle_gate(scene: &mut Scene, arguments: &CheckArguments, stop: &StopFlag) -> Result<(), Failure> {
    if arguments.busy || scene.is_virtual() {
        return Ok(());
    }
    for attempt in 0..IDLE_PATIENCE_S {
        let Some(seen) = scene.stage.watch_idle(&|| stop.raised()) else { return Ok(()) };
        if stop.raised() {
            return Err(Failure {
                code: Code::Interrupted,
                message: "stopped before anything was measured".into(),
            });
        }
        if seen.is_idle() {
            return Ok(());
        }
        if attempt == 0 {
            output::people(&format!("  waiting for {}: somebody is using it", seen.device));
        }
        if attempt + 1 == IDLE_PATIENCE_S {
            return Err(Failure::refused(format!(
                "{} is busy: others do {:.0} I/Os a second on it ({:.1} MiB/s, busy {:.0} % of the time), and a check would saturate \
                 it for them. Wait until it is idle, or say --busy to measure all the same.",
                seen.device,
                seen.ops_per_second,
                seen.bytes_per_second / 1048576.0,
                seen.busy_share * 100.0
            )));
        }
    }
    Ok(())
}

fn writer(place: &Place, run: &Run) -> Result<Writer, Failure> {
    Writer::create(&place.run, run, place.same_device).map_err(Failure::refused)
}

/// Runs the steps into `run`; the failure says why they could not all be run.
fn measure(
    run: &mut Run,
    scene: &mut Scene,
    ask: &CheckAsk,
    mut scribe: Scribe,
) -> (Writer, Option<Failure>) {
    let conducted = conduct(&|done| next_step(ask, done), scene.stage.as_mut(), &mut scribe);
    let (mut writer, samples, trouble) = scribe.done();
    run.samples = samples;
    if let Some(text) = trouble {
        output::people(&format!("plimsoll: the run file is not complete: {text}"));
    }
    let (steps, failure) = conducted;
    run.steps = steps;
    let now = scene.stage.now();
    if run.steps.last().is_some_and(|step| step.ending == workload::Ending::Interrupted) {
        let event = Event { at: now, kind: EventKind::Interrupt, text: "stopped by a signal".into() };
        let _ = writer.event(&event);
        run.events.push(event);
    }
    if let Some(facts) = &mut run.target {
        let shares = scene.stage.shares();
        facts.unwritten_share = shares.unwritten;
        facts.cached_share = shares.cached;
    }
    let failure = failure.map(|error| {
        let event = Event { at: now, kind: EventKind::Failure, text: error.to_string() };
        let _ = writer.event(&event);
        run.events.push(event);
        Failure::failed(error)
    });
    (writer, failure)
}

/// Stores what was found and closes the run file.
fn conclude(run: &mut Run, analysis: &Analysis, mut writer: Writer) -> Result<PathBuf, Failure> {
    run.findings = analysis.stored(&report::sentence);
    writer.header(run).map_err(Failure::failed)?;
    writer.findings(&run.findings).map_err(Failure::failed)?;
    writer.finish().map_err(Failure::failed)
}

fn present(format: Format, run: &Run, analysis: &Analysis, place: &Place) -> Result<(), Failure> {
    match format {
        Format::Text => {
            let paint = if output::colours() { Paint::Ansi } else { Paint::Plain };
            output::result(&format!("{}\n{}\n", report::terminal(run, analysis, paint), place.files_line()))?;
        }
        Format::Json => {
            output::result(&report::json(run, analysis))?;
            output::people(&place.files_line());
        }
    }
    Ok(())
}
