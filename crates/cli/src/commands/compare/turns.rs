//! `plimsoll compare TARGET TARGET [LOAD]`: two targets loaded in turns, block by block, and compared in pairs.

use std::path::{Path, PathBuf};

use analysis::compare::{Comparison, compare_within};
use experiments::{
    BLOCKS_MIN, Layout, Step, TurnsAsk, Writes, block_seconds, blocks_done, look_at, next_turn, turns_seconds,
};
use record::{Run, StepRecord};
use report::TurnsForecast;
use session::failure::Failure;
use session::output;
use session::place::{Place, short};
use session::run::{self, Against, Session};
use session::signals::StopFlag;
use session::turns::{TurnsCourse, run_in_turns};
use session::{Setup, Wish};
use workload::{Bytes, ProcedureRequest, Target, TurnsRequest};

use super::load::{Load, load};
use super::{hint_at_prices, labelled, letter, sides_of_runs, told, within};
use crate::arguments::{CompareArguments, Format};
use crate::commands::{outline, own};

/// Default number of blocks. With a noise of 2 % between turns, they show a difference of about 3 % for a single
/// load, and of 3.9 % for each of five (method 11).
const BLOCKS: u32 = 10;

/// A target as it was typed.
struct TypedTarget {
    label: String,
    target: Target,
    words: String,
}

/// Loads both targets in turns and reports how they differ.
pub fn run(arguments: &CompareArguments) -> Result<u8, Failure> {
    let (typed, load) = words(arguments)?;
    // Reports what cannot be parsed before anything is measured.
    within(arguments)?;
    let stop = StopFlag::on_signals(arguments.turns.give_up);
    let mut setups = Vec::new();
    for side in &typed {
        let wish = wish(arguments, &load, &side.target)?;
        setups.push(run::set_up_target(&side.target, &side.words, &wish, &stop)?);
    }
    let ask = ask(arguments, &load, (&typed, &setups))?;
    announce(&ask, &load, (&typed, &setups))?;
    if arguments.turns.dry_run {
        let text = report::turns_outline(&loads_words(&load, &setups));
        return outline::tell(arguments.format, &page_name(&typed), (&text, None));
    }
    if !arguments.turns.busy {
        setups.iter_mut().try_for_each(|setup| run::idle_gate(setup, "a comparison", &stop))?;
    }
    let named = arguments.shown.named_page()?;
    let places = places(arguments, &typed, &setups)?;
    let page = Place::new(arguments.turns.out.as_deref(), (&page_name(&typed), "compare"), &[])?;
    let virtual_time = setups.iter().all(Setup::is_virtual);
    let seconds = if virtual_time { 0.5 } else { turns_seconds(&ask, &[]) };
    let against = Against::default();
    let sides = setups.into_iter().zip(&places).enumerate().map(|(side, (setup, place))| {
        let in_turns = TurnsRequest { side: side as u8, ..ask.in_turns.clone() };
        let asked = Some(ProcedureRequest::Turns(in_turns));
        Session { setup, asked, place, stop: &stop, seconds, course: None, against: &against }
    });
    let course = TurnsCourse {
        next: &|done| next_turn(&ask, done),
        left: &|done| turns_seconds(&ask, done),
        news: &|done| if virtual_time { None } else { news(&ask, done) },
    };
    let code = run_in_turns(sides.collect(), course, &|runs| tell(arguments, &ask, runs, &page))?;
    arguments.shown.page_of(&page, named, code)
}

/// Reads the two targets and the load from the command line.
fn words(arguments: &CompareArguments) -> Result<(Vec<TypedTarget>, Load), Failure> {
    let [first, other, rest @ ..] = arguments.sides.as_slice() else {
        return Err(Failure::refused("a comparison in turns needs two targets; name the second one too"));
    };
    if rest.len() > 1 {
        let text = format!(
            "'{}': two targets are loaded in turns, with one load; name the others in a comparison of their own",
            rest[1]
        );
        return Err(Failure::refused(text));
    }
    let typed: Vec<TypedTarget> = [first, other]
        .into_iter()
        .enumerate()
        .map(|(side, words)| typed(words, side))
        .collect::<Result<_, _>>()?;
    if typed[0].label == typed[1].label {
        let text =
            format!("two sides are called '{}'; give each a name of its own: NAME=TARGET", typed[0].label);
        return Err(Failure::refused(text));
    }
    Ok((typed, load(rest.first().map(String::as_str), &arguments.turns)?))
}

fn typed(words: &str, side: usize) -> Result<TypedTarget, Failure> {
    let (label, target) = labelled(words, side)?;
    let parsed = own::target(&target)?;
    if parsed == Target::Null {
        return Err(Failure::refused("null: has no latency and no limit, so there is nothing to compare"));
    }
    Ok(TypedTarget { label, words: run::absolute(&parsed, &target), target: parsed })
}

/// Applies the load's size only if a region is created; an existing file or device is measured as it is.
fn wish(arguments: &CompareArguments, load: &Load, target: &Target) -> Result<Wish, Failure> {
    let asked =
        arguments.turns.region.as_deref().map(workload::size).transpose().map_err(Failure::refused)?;
    let made = match target {
        Target::Path(path) => path.is_dir(),
        Target::Lab(_) => true,
        _ => false,
    };
    let own =
        |path: &Path| arguments.turns.allow_destroy.iter().find(|device| device.as_path() == path).cloned();
    let allow_destroy: Option<PathBuf> = match target {
        Target::Path(path) => own(path),
        _ => None,
    };
    Ok(Wish { size: asked.or(load.size.filter(|_| made)), allow_destroy, ..Wish::default() })
}

/// Returns what both sides are asked, without writes if one of them may only be read.
fn ask(
    arguments: &CompareArguments,
    load: &Load,
    (typed, setups): (&[TypedTarget], &[Setup]),
) -> Result<TurnsAsk, Failure> {
    let loads = permitted(load, setups);
    if loads.is_empty() {
        return Err(Failure::refused(format!(
            "every load of {} writes, and one of the targets is only read; name folders, or devices with --allow-destroy",
            load.name
        )));
    }
    let layouts: Vec<Layout> = setups.iter().map(|setup| setup.layout).collect();
    let in_turns = TurnsRequest {
        comparison: name_of_comparison(arguments.turns.seed),
        seed: arguments.turns.seed,
        side: 0,
        labels: typed.iter().map(|side| side.label.clone()).collect(),
        loads: loads.iter().map(|step| step.name.clone()).collect(),
        first_block: 0,
        look_at: looks(arguments, block_seconds(&loads, setups.len()))?,
        margin: super::margin(&arguments.turns.margin)?,
    };
    Ok(TurnsAsk { in_turns, loads, layouts })
}

/// Returns a name that no two comparisons share.
pub(super) fn name_of_comparison(seed: u64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{}/{seed}/{}", now.as_millis(), std::process::id())
}

/// Returns the numbers of blocks after which the result is examined.
fn looks(arguments: &CompareArguments, block_s: f64) -> Result<Vec<u32>, Failure> {
    let Some(words) = &arguments.turns.time else {
        let blocks = arguments.turns.blocks.unwrap_or(BLOCKS);
        if blocks < BLOCKS_MIN {
            let text = format!(
                "--blocks {blocks}: fewer than {BLOCKS_MIN} blocks give no interval at 95 %; take {BLOCKS_MIN} or more"
            );
            return Err(Failure::refused(text));
        }
        return Ok(vec![blocks]);
    };
    let time = workload::duration(words).map_err(Failure::refused)?.as_secs_f64();
    let least = report::numbers::span((f64::from(BLOCKS_MIN) * block_s).ceil());
    look_at((time / block_s) as u32).ok_or_else(|| {
        Failure::refused(format!(
            "--time {words}: a block takes {}, and fewer than {BLOCKS_MIN} blocks give no interval at 95 %; give it {least} or \
             more, or shorter turns (--turn)",
            report::numbers::span(block_s)
        ))
    })
}

fn permitted(load: &Load, setups: &[Setup]) -> Vec<Step> {
    let reads_only = setups.iter().any(|setup| setup.writes == Writes::LeftOut);
    load.steps.iter().filter(|step| !(reads_only && writes(step))).cloned().collect()
}

fn writes(step: &Step) -> bool {
    step.workload.jobs.iter().any(|job| !job.access.mix.reads_only())
}

/// Announces the measurement: targets, duration, detectable difference, omissions, and data that is destroyed.
fn announce(ask: &TurnsAsk, load: &Load, (typed, setups): (&[TypedTarget], &[Setup])) -> Result<(), Failure> {
    for (side, setup) in typed.iter().zip(setups) {
        output::people(&format!("{}:", report::clean(&side.label)));
        output::people(report::head(&setup.facts, setup.runner.backend()).trim_end());
        if let Some(destruction) = &setup.destruction {
            output::people(&run::destruction_words(destruction));
        }
    }
    let left_out: Vec<String> = load
        .steps
        .iter()
        .filter(|step| !ask.in_turns.loads.contains(&step.name))
        .map(|step| step.name.clone())
        .collect();
    let written: Bytes = Bytes(
        ask.layouts.iter().map(|layout| if let Layout::Write(size) = layout { size.0 } else { 0 }).sum(),
    );
    let forecast = TurnsForecast {
        seconds: turns_seconds(ask, &[]),
        in_virtual_time: setups.iter().all(Setup::is_virtual),
        look_at: ask.in_turns.look_at.clone(),
        loads: ask.loads.len(),
        writing: ask.loads.iter().filter(|step| writes(step)).count(),
        laid_out: written.0,
        left_out,
    };
    output::people(report::turns_forecast(&forecast).trim_end());
    Ok(())
}

fn loads_words(load: &Load, setups: &[Setup]) -> Vec<(String, String)> {
    permitted(load, setups)
        .iter()
        .map(|step| {
            let jobs = step.workload.jobs.iter().map(report::job_words).collect::<Vec<_>>().join("; ");
            (step.name.clone(), jobs)
        })
        .collect()
}

fn places(
    arguments: &CompareArguments,
    typed: &[TypedTarget],
    setups: &[Setup],
) -> Result<Vec<Place>, Failure> {
    let of = |(side, setup): (&TypedTarget, &Setup)| {
        let place =
            Place::new(arguments.turns.out.as_deref(), (&side.words, "compare"), &setup.facts.devices)?;
        Ok(if setup.is_virtual() { place.of_virtual_run() } else { place })
    };
    typed.iter().zip(setups).map(of).collect()
}

/// Returns the title of the page on both targets.
fn page_name(typed: &[TypedTarget]) -> String {
    typed.iter().map(|side| side.label.as_str()).collect::<Vec<_>>().join(" against ")
}

/// Returns a line of progress if a block has just ended.
fn news(ask: &TurnsAsk, done: &[Vec<StepRecord>]) -> Option<String> {
    let turns: usize = done.iter().map(Vec::len).sum();
    let measured =
        turns - done.iter().flatten().filter(|step| step.plan.kind == workload::StepKind::Layout).count();
    let ended = measured > 0 && measured.is_multiple_of(ask.loads.len() * ask.layouts.len());
    ended.then(|| {
        report::turns_progress((blocks_done(ask, done), ask.in_turns.blocks()), turns_seconds(ask, done))
    })
}

/// Compares the runs as `compare` would from their files, and prints the result.
fn tell(arguments: &CompareArguments, ask: &TurnsAsk, runs: Vec<Run>, page: &Place) -> Result<u8, Failure> {
    let labels = ask.in_turns.labels.iter().cloned();
    let mut sides = sides_of_runs(labels.zip(runs.into_iter().map(|run| vec![run])));
    for (_, side) in sides.iter_mut().enumerate().filter(|(at, side)| side.label == letter(*at)) {
        side.source = side.runs.first().and_then(|run| Some(run.target.as_ref()?.words.clone()));
    }
    told(&mut sides, arguments)?;
    let comparison: Comparison = compare_within(&sides, within(arguments)?);
    let text = match arguments.format {
        Format::Text => report::comparison_text(&comparison, arguments.extent()),
        Format::Json => report::comparison_json(&comparison),
    };
    output::result(&text)?;
    hint_at_prices(&comparison);
    page.put_report(&report::comparison_html(&comparison))?;
    output::people(&format!("report  {}", short(&page.report())));
    Ok(comparison.outcome.exit_code())
}
