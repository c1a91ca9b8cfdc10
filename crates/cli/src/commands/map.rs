//! `plimsoll map`: from a target to what each block size bears at each depth.

use analysis::Analysis;
use experiments::{
    Cells, CheckAsk, Effort, LAYOUT_GUESS, MapAsk, map_left_out, map_outline, map_seconds_left,
    map_seconds_most, map_seconds_usual, next_map_step,
};
use record::Run;
use report::{Credits, Forecast};
use session::failure::Failure;
use session::output;
use session::place::Place;
use session::run::{self, Against, Course, Session};
use session::signals::StopFlag;
use session::{Setup, Wish};
use workload::{Asked, Bytes, Expectation, MapAsked, Nanos, Target};

use super::bounds::Bounds;
use super::check::{Shape, left_out_words, present};
use crate::arguments::{EffortName, MapArguments, size};
use crate::commands::own;

/// The largest block that a row may be asked of: that of the ladders.
const BLOCK_MOST: Bytes = Bytes::MIB;

/// Maps the target.
pub fn run(arguments: &MapArguments) -> Result<u8, Failure> {
    let words = Words::read(arguments)?;
    let stop = StopFlag::on_signals(arguments.ground.give_up);
    let mut setup = run::set_up_target(&words.target, &words.target_words, &words.wish, &stop)?;
    let ask = words.ask(&setup)?;
    announce(&setup, &ask);
    if arguments.ground.dry_run {
        return dry_run(&setup, &ask);
    }
    if !arguments.ground.busy {
        run::idle_gate(&mut setup, "a map", &stop)?;
    }
    let place =
        Place::new(arguments.ground.out.as_deref(), (&words.target_words, "map"), &setup.facts.devices)?;
    let place = arguments.ground.onlookers.at(place)?;
    let place = if setup.is_virtual() { place.of_virtual_run() } else { place };
    let next = |done: &[_]| next_map_step(&ask, done);
    let course = Course {
        left: &|done| map_seconds_left(&ask, done),
        remarks: &|done| left_out_words(&map_left_out(&ask, done)),
    };
    let session = Session {
        seconds: seconds(&setup, &ask),
        setup,
        place: &place,
        stop: &stop,
        course: Some(course),
        against: &Against::default(),
        asked: Some(Asked::Map(words.asked.clone())),
    };
    let code = session.run(&next, &|run: &Run, analysis: &Analysis| {
        let shape = Shape { format: arguments.format, extent: arguments.findings.extent() };
        present(&shape, run, analysis, &place)?;
        Ok(analysis.verdict.exit_code())
    })?;
    Ok(arguments.shown.page_of(&place, code))
}

/// The command line as it is understood.
struct Words {
    target: Target,
    target_words: String,
    wish: Wish,
    bounds: Bounds,
    effort: Effort,
    asked: MapAsked,
}

impl Words {
    fn read(arguments: &MapArguments) -> Result<Words, Failure> {
        let target = own::target(&arguments.target)?;
        let asked = MapAsked {
            block: block(size(arguments.block.as_deref())?)?,
            p99: p99(arguments.p99.as_deref())?,
            full: arguments.full,
        };
        Ok(Words {
            target_words: run::absolute(&target, &arguments.target),
            target,
            wish: arguments.ground.wish()?,
            bounds: Bounds::read(&arguments.ground, arguments.write_most.as_deref(), MapAsk::modest)?,
            effort: match arguments.effort {
                EffortName::Quick => MapAsk::EFFORT,
                EffortName::Brief => Effort::BRIEF,
            },
            asked,
        })
    }

    fn ask(&self, setup: &Setup) -> Result<MapAsk, Failure> {
        let cells = if self.asked.full { Cells::Grid } else { Cells::Corners };
        let grid = if cells == Cells::Grid { MapAsk::grid_time(&self.effort) } else { Nanos::ZERO };
        let closer = MapAsk::closer_time(&self.effort, &self.asked);
        let check = CheckAsk {
            expectation: self.expectation()?,
            ..self.bounds.ask(setup, Effort { total: self.effort.total + closer + grid, ..self.effort })?
        };
        let aligned = self.asked.block.is_none_or(|block| block.0.is_multiple_of(check.block_min.0.max(1)));
        if !aligned {
            return Err(Failure::refused(format!(
                "--block: this target takes multiples of {}; ask for one of these",
                check.block_min
            )));
        }
        Ok(MapAsk { check, cells, block: self.asked.block, p99: self.asked.p99 })
    }

    /// The bound as a claim, for which arrivals by chance are tried.
    fn expectation(&self) -> Result<Expectation, Failure> {
        let words = self.asked.p99.map(|p99| format!("read p99 < {}us", p99.0 / 1_000));
        let parsed = words.map(|words| Expectation::parse(&words)).transpose().map_err(Failure::refused)?;
        Ok(parsed.unwrap_or_default())
    }
}

/// A block that the ladders can reach.
fn block(block: Option<Bytes>) -> Result<Option<Bytes>, Failure> {
    match block {
        Some(block) if block > BLOCK_MOST || block < Bytes(512) => Err(Failure::refused(format!(
            "--block {block}: a map has blocks of 512 B to {BLOCK_MOST}; longer ones are split on the way, and move as many \
             bytes as {BLOCK_MOST}"
        ))),
        block => Ok(block),
    }
}

/// A bound of the latency that a volume can keep.
fn p99(words: Option<&str>) -> Result<Option<Nanos>, Failure> {
    let read = words.map(workload::duration).transpose().map_err(Failure::refused)?;
    match read {
        Some(bound) if bound < Nanos::from_micros(1) => {
            Err(Failure::refused("--p99: no volume answers within a microsecond; write for example 10ms"))
        }
        bound => Ok(bound),
    }
}

/// How long the map takes at most; virtual time passes at once.
fn seconds(setup: &Setup, ask: &MapAsk) -> f64 {
    if setup.is_virtual() { 0.5 } else { map_seconds_most(ask) }
}

/// Says what is measured, what that will take, and what will be destroyed.
fn announce(setup: &Setup, ask: &MapAsk) {
    output::people(report::head(&setup.facts, setup.runner.backend()).trim_end());
    let forecast = Forecast {
        seconds: map_seconds_usual(ask, LAYOUT_GUESS),
        seconds_most: seconds(setup, ask),
        bytes_written: ask.check.write_most.0,
        credits: Credits::Unknown,
        billing: Vec::new(),
    };
    if !setup.is_virtual() {
        output::people(report::forecast(&forecast).trim_end());
    }
    if let Some(destruction) = &setup.destruction {
        output::people(&run::destruction_words(destruction));
    }
}

fn dry_run(setup: &Setup, ask: &MapAsk) -> Result<u8, Failure> {
    let mut text = String::from("This would run, step by step (later steps depend on earlier ones):\n");
    if let Some(step) = next_map_step(ask, &[]) {
        let plan = setup.runner.plan(&step).map_err(Failure::refused)?;
        text.push_str(&run::plan_words(&plan));
    }
    text.push_str(&map_outline(ask, LAYOUT_GUESS));
    output::result(&text)?;
    Ok(0)
}
