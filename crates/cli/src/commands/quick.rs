//! `plimsoll stream`: an honest `dd`: one sequential stream, with and without flush, through the page cache and past it.

use analysis::{Analysis, quick_rows};
use experiments::{PastCache, QuickAsk, Step, next_quick_step, quick_seconds};
use record::{Run, StepRecord, TargetDoubt};
use report::{Credits, Forecast, Paint};
use session::failure::Failure;
use session::{Setup, Wish, open_path};
use workload::{Bytes, Nanos, Target};

use super::measure::{Ground, Measurement, laid_out};
use crate::arguments::{StreamArguments, size};
use crate::commands::own;

/// Default size of the file: a fast disk fills it in a second or two, and a desktop or a small server can spare as
/// much page cache.
const SIZE_MOST: Bytes = Bytes::GIB;

/// Writes and reads one file in the folder, and reports the figures of the volume and of the cache.
pub fn run(arguments: &StreamArguments) -> Result<u8, Failure> {
    let target = target(&arguments.dir)?;
    let wish = wish(arguments, &target)?;
    let ground = Ground::open((&target, &arguments.dir), &wish, &arguments.measure)?;
    let setup = &ground.setup;
    let ask = QuickAsk { time: time(arguments)?, layout: setup.layout, past: past(setup) };
    ground.measure(&Quick { ask })
}

/// A quick look at a folder.
struct Quick {
    ask: QuickAsk,
}

impl Measurement for Quick {
    fn command(&self) -> String {
        "quick".to_owned()
    }

    fn noun(&self) -> &'static str {
        "a quick look"
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        next_quick_step(&self.ask, done)
    }

    fn forecast(&self) -> Forecast {
        let seconds = quick_seconds(&self.ask);
        Forecast {
            seconds,
            seconds_most: seconds,
            bytes_written: laid_out(self.ask.layout).0,
            credits: Credits::NotForecast,
            billing: Vec::new(),
        }
    }

    fn announcement(&self, setup: &Setup) -> Vec<String> {
        let span = report::numbers::span(quick_seconds(&self.ask));
        let head = report::head(&setup.facts, "one I/O at a time");
        vec![head, format!("About {span}; writes one file without a name.")]
    }

    fn outline(&self) -> [String; 2] {
        let streams = "Then: the file read and written in sequence, through the cache and past it, with a flush and without.";
        ["This would run first:\n".to_owned(), report::wrap("  ", streams)]
    }

    fn text(&self, run: &Run, _: &Analysis, _: Paint) -> String {
        report::quick_text(&quick_rows(run))
    }

    fn json(&self, run: &Run, _: &Analysis) -> String {
        report::quick_json(&quick_rows(run), run)
    }

    fn exit_code(&self, _: &Analysis) -> u8 {
        0
    }
}

/// Accepts only a folder, in which plimsoll creates the file, so that it can be written through the cache and past it.
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

fn wish(arguments: &StreamArguments, target: &Target) -> Result<Wish, Failure> {
    let asked = size(arguments.size.as_deref())?;
    let usual = match target {
        Target::Path(path) if asked.is_none() => {
            let opened = open_path(path, "", &Wish::default()).map_err(Failure::refused)?;
            Some(SIZE_MOST.min(opened.size))
        }
        _ => None,
    };
    Ok(Wish { size: asked.or(usual), ..Wish::default() })
}

fn time(arguments: &StreamArguments) -> Result<Nanos, Failure> {
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

fn past(setup: &Setup) -> PastCache {
    let blind = setup.facts.doubts.contains(&TargetDoubt::NoDirectIo);
    if blind { PastCache::Impossible } else { PastCache::Possible }
}
