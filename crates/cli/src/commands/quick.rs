//! `plimsoll quick`: the honest `dd`: one sequential stream, with and without flush, through the cache and past it.

use analysis::quick_rows;
use experiments::{PastCache, QuickAsk, next_quick_step, quick_seconds};
use record::{StepRecord, TargetDoubt};
use session::{Wish, open_path};
use workload::{Bytes, Nanos, Target};

use crate::arguments::{Format, QuickArguments};
use crate::commands::own;
use session::failure::Failure;
use session::output;
use session::place::Place;
use session::run::{self, Against, Session};
use session::signals::StopFlag;

/// Bytes of the file unless another size is asked for: with a second or two of a fast disk it is full, and its cache is
/// what a desktop or a small server can spare.
const SIZE_MOST: Bytes = Bytes::GIB;

/// Writes and reads one file in the folder and says what is the volume's and what the cache's.
pub fn run(arguments: &QuickArguments) -> Result<u8, Failure> {
    let target = target(&arguments.dir)?;
    let words = run::absolute(&target, &arguments.dir);
    let stop = StopFlag::on_signals(arguments.give_up);
    let mut setup = run::set_up_target(&target, &words, &wish(arguments, &target)?, &stop)?;
    let ask = QuickAsk { time: time(arguments)?, layout: setup.layout, past: past(&setup) };
    output::people(report::head(&setup.facts, "one I/O at a time").trim_end());
    let forecast =
        format!("About {}; writes one file without a name.", report::numbers::span(quick_seconds(&ask)));
    output::people(&forecast);
    if !arguments.busy {
        run::idle_gate(&mut setup, "a quick look", &stop)?;
    }
    let place = Place::new(arguments.out.as_deref(), (&words, "quick"), &setup.facts.devices)?;
    let place = arguments.onlookers.at(place)?;
    let (seconds, next) = (quick_seconds(&ask), |done: &[StepRecord]| next_quick_step(&ask, done));
    let session = Session {
        setup,
        place: &place,
        stop: &stop,
        seconds,
        course: None,
        against: &Against::default(),
        asked: None,
    };
    let code = session.run(&next, &|run, _| {
        match arguments.format {
            Format::Text => {
                let text = report::quick_text(&quick_rows(run));
                output::result(&format!("{text}\n{}\n", place.files_line()))?;
            }
            Format::Json => {
                output::result(&report::quick_json(&quick_rows(run), run))?;
                output::people(&place.files_line());
            }
        }
        Ok(0)
    })?;
    Ok(arguments.shown.page_of(&place, code))
}

/// A folder: the file in it is ours, so that it can be written through the cache and past it.
fn target(word: &str) -> Result<Target, Failure> {
    let target = own::target(word)?;
    match &target {
        Target::Path(path) if path.is_dir() || !path.exists() => Ok(target),
        Target::Path(path) => Err(Failure::refused(format!(
            "{} is no folder, and quick writes a file of its own; name a folder on the volume, or measure the device \
             with: plimsoll check {word}",
            path.display()
        ))),
        _ => Err(Failure::refused(format!(
            "{word} has no page cache to look through; quick takes a folder. Measure it with: plimsoll check {word}"
        ))),
    }
}

fn wish(arguments: &QuickArguments, target: &Target) -> Result<Wish, Failure> {
    let asked = arguments.size.as_deref().map(workload::size).transpose().map_err(Failure::refused)?;
    let usual = match target {
        Target::Path(path) if asked.is_none() => {
            let opened = open_path(path, "", &Wish::default()).map_err(Failure::refused)?;
            Some(SIZE_MOST.min(opened.size))
        }
        _ => None,
    };
    Ok(Wish { size: asked.or(usual), ..Wish::default() })
}

fn time(arguments: &QuickArguments) -> Result<Nanos, Failure> {
    let time = workload::duration(&arguments.time).map_err(Failure::refused)?;
    if time < Nanos::from_millis(500) {
        let text = format!(
            "--time {} is too short to tell anything; give each stream half a second or more",
            arguments.time
        );
        return Err(Failure::refused(text));
    }
    Ok(time)
}

fn past(setup: &session::Setup) -> PastCache {
    let blind = setup.facts.doubts.contains(&TargetDoubt::NoDirectIo);
    if blind { PastCache::Impossible } else { PastCache::Possible }
}
