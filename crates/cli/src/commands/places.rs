//! `plimsoll where`: how places of a volume differ, and what a cache before it holds.

use experiments::{Layout, PlacesAsk, Step, next_places_step, places_seconds};
use record::StepRecord;
use report::{Credits, Extent, Forecast};
use session::failure::Failure;
use session::output;
use session::place::Place;
use session::run::{self, Against, Course, Session};
use session::signals::StopFlag;
use session::{Holes, Setup, Wish};
use workload::{Asked, Bytes, Job, Nanos, PlacesAsked, StepKind, StopRule, Workload};

use crate::arguments::PlacesArguments;
use crate::commands::check::{Shape, present};
use crate::commands::own;

/// Less time does not do for a strip, a ladder and a look at edges.
const TIME_LEAST: Nanos = Nanos::from_secs(20);
/// A working set below this tells nothing of a cache but a disk's own.
const LARGEST_LEAST: Bytes = Bytes::mib(64);

/// Looks at the target and says where it differs.
pub fn run(arguments: &PlacesArguments) -> Result<u8, Failure> {
    let target = own::target(&arguments.target)?;
    let words = run::absolute(&target, &arguments.target);
    let stop = StopFlag::on_signals(arguments.give_up);
    let mut setup = run::set_up_target(&target, &words, &wish(arguments)?, &stop)?;
    let ask = ask(arguments, &setup)?;
    announce(&setup, &ask);
    if !arguments.busy {
        run::idle_gate(&mut setup, "a look at all of its places", &stop)?;
    }
    let place = Place::new(arguments.out.as_deref(), (&words, "where"), &setup.facts.devices)?;
    let place = arguments.onlookers.at(place)?;
    let place = if setup.is_virtual() { place.of_virtual_run() } else { place };
    let seconds = places_seconds(&ask);
    let course = Course { left: &|done| left(seconds, done), remarks: &|_| Vec::new() };
    let session = Session {
        setup,
        place: &place,
        stop: &stop,
        seconds,
        course: Some(course),
        against: &Against::default(),
        asked: Some(Asked::Places(ask.asked.clone())),
    };
    let code = session.run(&|done| next_places_step(&ask, done), &|run, analysis| {
        present(&Shape { format: arguments.format, extent: Extent::Screen }, run, analysis, &place)?;
        Ok(0)
    })?;
    Ok(arguments.shown.page_of(&place, code))
}

fn wish(arguments: &PlacesArguments) -> Result<Wish, Failure> {
    let size = arguments.size.as_deref().map(workload::size).transpose().map_err(Failure::refused)?;
    Ok(Wish { size, holes: Holes::Allowed, ..Wish::default() })
}

fn ask(arguments: &PlacesArguments, setup: &Setup) -> Result<PlacesAsk, Failure> {
    let time = workload::duration(&arguments.time).map_err(Failure::refused)?;
    if time < TIME_LEAST {
        let text = format!(
            "--time {} is too short to look at all of a volume; give {TIME_LEAST} or more",
            arguments.time
        );
        return Err(Failure::refused(text));
    }
    let largest = workload::size(&arguments.largest).map_err(Failure::refused)?;
    if largest < LARGEST_LEAST {
        let text = format!("--largest {}: name a working set of {LARGEST_LEAST} or more", arguments.largest);
        return Err(Failure::refused(text));
    }
    let whole = region(setup)?;
    let size = match arguments.size.as_deref().map(workload::size).transpose().map_err(Failure::refused)? {
        Some(asked) if asked > whole => {
            let text = format!("--size {asked}: the target holds {whole}; name a smaller size");
            return Err(Failure::refused(text));
        }
        asked => asked.unwrap_or(whole).round_down(Bytes::MIB),
    };
    let asked = PlacesAsked { size, time, largest, seed: arguments.seed };
    Ok(PlacesAsk { asked, layout: setup.layout })
}

/// All that can be read of the target.
fn region(setup: &Setup) -> Result<Bytes, Failure> {
    let stop = vec![StopRule::Time(Nanos::SECOND)];
    let workload = Workload { jobs: vec![Job::named("all")], stop, ramp: Nanos::ZERO };
    let step = Step { name: "all".to_owned(), kind: StepKind::Place, workload, interval: None };
    let plan = setup.runner.plan(&step).map_err(Failure::refused)?;
    let files = plan.workers.first().map(|worker| worker.files.as_slice()).unwrap_or_default();
    Ok(files.first().map_or(Bytes(0), |file| file.size))
}

/// Says what is looked at and what that will take.
fn announce(setup: &Setup, ask: &PlacesAsk) {
    output::people(report::head(&setup.facts, setup.runner.backend()).trim_end());
    if setup.is_virtual() {
        return;
    }
    let seconds = places_seconds(ask);
    let bytes_written = if let Layout::Write(size) = ask.layout { size.0 } else { 0 };
    let seconds_most = seconds.max(ask.asked.time.as_secs_f64());
    let billing = Vec::new();
    let forecast = Forecast { seconds, seconds_most, bytes_written, credits: Credits::Unknown, billing };
    output::people(report::forecast(&forecast).trim_end());
}

/// Seconds that are left of those foreseen.
fn left(seconds: f64, done: &[StepRecord]) -> f64 {
    let since = done.first().map_or(Nanos::ZERO, |step| step.started);
    let now = done.last().map_or(Nanos::ZERO, |step| step.ended);
    (seconds - now.since(since).as_secs_f64()).max(1.0)
}
