//! `plimsoll where`: how places of a volume differ, and what a cache in front of it holds.

use analysis::Analysis;
use experiments::{PlacesAsk, Step, next_places_step, places_seconds, places_written};
use record::StepRecord;
use report::{Credits, Forecast};
use session::failure::Failure;
use session::{Holes, Setup, Wish};
use workload::{Bytes, Job, Nanos, PlacesRequest, ProcedureRequest, StepKind, StopRule, Workload};

use super::measure::{Ground, Measurement, laid_out};
use crate::arguments::{PlacesArguments, size};
use crate::commands::own;

/// Least time that suffices for a strip, a ladder and a look at edges.
const TIME_LEAST: Nanos = Nanos::from_secs(20);
/// Least size of the largest working set; smaller ones show no cache but a disk's own.
const LARGEST_LEAST: Bytes = Bytes::mib(64);

/// Examines the target and reports how its places differ.
pub fn run(arguments: &PlacesArguments) -> Result<u8, Failure> {
    let target = own::target(&arguments.target)?;
    let size = size(arguments.size.as_deref())?;
    let wish = Wish { size, holes: Holes::Allowed, ..Wish::default() };
    let ground = Ground::open((&target, &arguments.target), &wish, &arguments.measure)?;
    let ask = ask(arguments, size, &ground.setup)?;
    ground.measure(&Places { ask })
}

/// A look at the places of a volume.
struct Places {
    ask: PlacesAsk,
}

impl Measurement for Places {
    fn command(&self) -> String {
        "where".to_owned()
    }

    fn noun(&self) -> &'static str {
        "a look at all of its places"
    }

    fn asked(&self) -> Option<ProcedureRequest> {
        Some(ProcedureRequest::Places(self.ask.asked.clone()))
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        next_places_step(&self.ask, done)
    }

    fn forecast(&self) -> Forecast {
        let seconds = places_seconds(&self.ask);
        Forecast {
            seconds,
            seconds_most: seconds.max(self.ask.asked.time.as_secs_f64()),
            bytes_written: laid_out(self.ask.layout).0 + places_written(&self.ask).0,
            credits: Credits::NotForecast,
            billing: Vec::new(),
        }
    }

    fn outline(&self) -> [String; 2] {
        let asked = &self.ask.asked;
        let then = format!(
            "Then: single places over all {}, working sets up to {}, and sequences.",
            asked.size, asked.largest
        );
        ["This would run first:\n".to_owned(), report::wrap("  ", &then)]
    }

    fn exit_code(&self, _: &Analysis) -> u8 {
        0
    }
}

fn ask(arguments: &PlacesArguments, size: Option<Bytes>, setup: &Setup) -> Result<PlacesAsk, Failure> {
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
    let size = match size {
        Some(asked) if asked > whole => {
            let text = format!("--size {asked}: the target holds {whole}; name a smaller size");
            return Err(Failure::refused(text));
        }
        asked => asked.unwrap_or(whole).round_down(Bytes::MIB),
    };
    let asked = PlacesRequest { size, time, largest, seed: arguments.seed };
    Ok(PlacesAsk { asked, layout: setup.layout, writes: setup.writes })
}

/// Returns how much of the target can be read.
fn region(setup: &Setup) -> Result<Bytes, Failure> {
    let stop = vec![StopRule::Time(Nanos::SECOND)];
    let workload = Workload { jobs: vec![Job::named("all")], stop, ramp: Nanos::ZERO };
    let step = Step { name: "all".to_owned(), kind: StepKind::Place, workload, interval: None };
    let plan = setup.runner.plan(&step).map_err(Failure::refused)?;
    let files = plan.workers.first().map(|worker| worker.files.as_slice()).unwrap_or_default();
    Ok(files.first().map_or(Bytes(0), |file| file.size))
}
