//! `plimsoll compare TARGET JOB --against fio`: the same job file through plimsoll and through the installed fio, in
//! turns on one target.
//!
//! Both tools get the same text and print fio's JSON, which is parsed by the same code: any difference lies in the I/O
//! of the tools, or in how they count.

mod job;
mod kept;
mod turn;

use std::path::Path;

use analysis::compare::compare;
use record::Run;
use session::Setup;
use session::failure::{Code, Failure};
use session::output;
use session::place::{Place, short};
use session::run;
use session::signals::StopFlag;
use statistics::Stream;
use workload::{Target, TurnsRequest};

use super::{labelled, margin, sides_of_runs};
use crate::arguments::{CompareArguments, Format};
use crate::commands::{outline, own};

use job::{SameJob, same_job};
use kept::{ComparisonEnd, ComparisonSide};
use turn::{Tool, turn};

/// Default number of blocks.
const BLOCKS: u32 = 10;
const BLOCKS_MIN: u32 = experiments::BLOCKS_MIN;
/// The sides in their order.
const LABELS: [&str; 2] = ["fio", "plimsoll"];

/// Runs the job through both tools in turns and reports whether they agree.
pub fn run(arguments: &CompareArguments) -> Result<u8, Failure> {
    let (target, words, job) = named(arguments)?;
    let stop = StopFlag::on_signals(arguments.turns.give_up);
    let is_it = |device: &std::path::PathBuf| device.canonicalize().is_ok_and(|device| device == target);
    let own = arguments.turns.allow_destroy.iter().any(is_it);
    let wish = session::Wish { allow_destroy: own.then(|| target.clone()), ..session::Wish::default() };
    let mut setup = run::set_up_target(&Target::Path(target.clone()), &words, &wish, &stop)?;
    let job = same_job(&job, &target, &setup)?;
    let blocks = blocks(arguments)?;
    announce(&setup, &job, blocks);
    if arguments.turns.dry_run {
        return outline::tell(arguments.format, &words, (&job.text, None));
    }
    if !arguments.turns.busy {
        run::idle_gate(&mut setup, "a comparison", &stop)?;
    }
    let devices = setup.facts.devices.clone();
    // Each tool opens the target itself.
    drop(setup);
    let ask = ask(arguments, &job, blocks)?;
    let named = arguments.shown.named_page()?;
    let places: Vec<Place> = LABELS
        .iter()
        .map(|label| {
            Place::new(arguments.turns.out.as_deref(), (&format!("{words} by {label}"), "compare"), &devices)
        })
        .collect::<Result<_, _>>()?;
    let mut kept: Vec<ComparisonSide> =
        places.iter().enumerate().map(|(side, place)| ComparisonSide::new(place, &ask, side)).collect();
    let ran = in_turns(&mut kept, &ask, (&job, &stop));
    let ended = if ran.is_ok() && !stop.raised() { ComparisonEnd::Whole } else { ComparisonEnd::Stopped };
    let runs: Vec<Option<Run>> = kept.into_iter().map(|kept| kept.end(ended)).collect::<Result<_, _>>()?;
    ran?;
    let Some(runs) = runs.into_iter().collect::<Option<Vec<Run>>>() else {
        return Err(Failure {
            code: Code::Interrupted,
            message: "stopped before the first block was whole".into(),
        });
    };
    let page = Place::new(
        arguments.turns.out.as_deref(),
        (&format!("{words} fio against plimsoll"), "compare"),
        &devices,
    )?;
    let code = tell(arguments, runs, &page)?;
    arguments.shown.page_of(&page, named, stop.code().map_or(code, |stopped| stopped as u8))
}

/// Returns the target's path, its name as typed, and the job file.
fn named(arguments: &CompareArguments) -> Result<(std::path::PathBuf, String, String), Failure> {
    let [target, job] = arguments.sides.as_slice() else {
        return Err(Failure::refused(
            "--against fio takes one target and one job file: plimsoll compare TARGET JOB.fio --against fio",
        ));
    };
    let (_, words) = labelled(target, 0)?;
    let parsed = own::target(&words)?;
    let Target::Path(path) = &parsed else {
        return Err(Failure::refused(format!(
            "{words}: fio cannot load that; name a folder, a file or a block device (plimsoll lab up makes a throttled one)"
        )));
    };
    let path = path
        .canonicalize()
        .map_err(|error| Failure::refused(format!("{words}: {error}; name what is there")))?;
    let called = run::absolute(&parsed, &words);
    Ok((path, called, job.clone()))
}

fn blocks(arguments: &CompareArguments) -> Result<u32, Failure> {
    let blocks = arguments.turns.blocks.unwrap_or(BLOCKS);
    if arguments.turns.time.is_some() {
        return Err(Failure::refused(
            "--time: a job of fio says itself how long it takes; say how often with --blocks",
        ));
    }
    if blocks < BLOCKS_MIN {
        let text = format!(
            "--blocks {blocks}: fewer than {BLOCKS_MIN} blocks give no interval at 95 %; take {BLOCKS_MIN} or more"
        );
        return Err(Failure::refused(text));
    }
    Ok(blocks)
}

fn announce(setup: &Setup, job: &SameJob, blocks: u32) {
    output::people(report::head(&setup.facts, setup.runner.backend()).trim_end());
    if let Some(destruction) = &setup.destruction {
        output::people(&run::destruction_words(destruction));
    }
    let seconds = job.seconds.map(|seconds| seconds * 2.0 * f64::from(blocks));
    output::people(report::against_forecast(blocks, seconds).trim_end());
}

fn ask(arguments: &CompareArguments, job: &SameJob, blocks: u32) -> Result<TurnsRequest, Failure> {
    Ok(TurnsRequest {
        comparison: super::turns::name_of_comparison(arguments.turns.seed),
        seed: arguments.turns.seed,
        side: 0,
        labels: LABELS.iter().map(|label| (*label).to_owned()).collect(),
        loads: vec![job.name.clone()],
        first_block: 0,
        look_at: vec![blocks],
        margin: margin(&arguments.turns.margin)?,
    })
}

/// Runs both tools in turns until all blocks are stored or the user stops; an incomplete block is no pair and is dropped.
fn in_turns(
    kept: &mut [ComparisonSide<'_>],
    ask: &TurnsRequest,
    (job, stop): (&SameJob, &StopFlag),
) -> Result<(), Failure> {
    for block in 0..ask.blocks() {
        let mut order = [Tool::Fio, Tool::Plimsoll];
        Stream::new(ask.seed, u64::from(block)).shuffle(&mut order);
        let mut printed = Vec::new();
        for tool in order {
            match turn(tool, &job.text, stop)? {
                Some(run) => printed.push((tool, run)),
                None => return Ok(()),
            }
        }
        for (tool, run) in printed {
            kept[tool.side()].add(run, block)?;
        }
        output::people(&format!("  block {} of {}", block + 1, ask.blocks()));
    }
    Ok(())
}

fn tell(arguments: &CompareArguments, runs: Vec<Run>, page: &Place) -> Result<u8, Failure> {
    let labels = LABELS.iter().map(|label| (*label).to_owned());
    let comparison = compare(&sides_of_runs(labels.zip(runs.into_iter().map(|run| vec![run]))));
    let text = match arguments.format {
        Format::Text => {
            report::comparison_text(&comparison, arguments.extent()) + "\n" + &report::agreement(&comparison)
        }
        Format::Json => report::comparison_json(&comparison),
    };
    output::result(&text)?;
    page.put_report(&report::comparison_html(&comparison))?;
    output::people(&format!("report  {}", short(Path::new(&page.report()))));
    Ok(comparison.outcome.exit_code())
}
