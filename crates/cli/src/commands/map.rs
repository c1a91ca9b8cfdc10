//! `plimsoll map`: what a target sustains for each block size at each depth.

use experiments::{
    Cells, CheckAsk, Effort, LAYOUT_GUESS, MapAsk, Step, map_left_out, map_outline, map_seconds_left,
    map_seconds_most, map_seconds_usual, next_map_step,
};
use record::StepRecord;
use report::{Credits, Extent, Forecast};
use session::failure::Failure;
use session::{Setup, Wish};
use workload::{Bytes, Claim, Direction, Expectation, MapRequest, Metric, Nanos, ProcedureRequest, Target};

use super::bounds::Bounds;
use super::measure::{Ground, Measurement, left_out_words};
use crate::arguments::{EffortName, MapArguments, size};
use crate::commands::own;

/// Largest block for which a row may be asked: the largest of the ladders.
const BLOCK_MOST: Bytes = Bytes::MIB;

/// Maps the target.
pub fn run(arguments: &MapArguments) -> Result<u8, Failure> {
    let words = Words::read(arguments)?;
    let ground = Ground::open((&words.target, &arguments.target), &words.wish, &arguments.measure)?;
    let ask = words.ask(&ground.setup)?;
    ground.measure(&Map { asked: words.asked, ask, extent: arguments.findings.extent() })
}

/// A map with its question.
struct Map {
    asked: MapRequest,
    ask: MapAsk,
    extent: Extent,
}

impl Measurement for Map {
    fn command(&self) -> String {
        "map".to_owned()
    }

    fn noun(&self) -> &'static str {
        "a map"
    }

    fn asked(&self) -> Option<ProcedureRequest> {
        Some(ProcedureRequest::Map(self.asked.clone()))
    }

    fn next(&self, done: &[StepRecord]) -> Option<Step> {
        next_map_step(&self.ask, done)
    }

    fn forecast(&self) -> Forecast {
        Forecast {
            seconds: map_seconds_usual(&self.ask, LAYOUT_GUESS),
            seconds_most: map_seconds_most(&self.ask),
            bytes_written: self.ask.check.write_most.0,
            credits: Credits::NotForecast,
            billing: Vec::new(),
        }
    }

    fn left(&self, done: &[StepRecord]) -> f64 {
        map_seconds_left(&self.ask, done)
    }

    fn remarks(&self, done: &[StepRecord]) -> Vec<String> {
        left_out_words(&map_left_out(&self.ask, done))
    }

    fn outline(&self) -> [String; 2] {
        let before = "This would run, step by step (later steps depend on earlier ones):\n".to_owned();
        [before, map_outline(&self.ask, LAYOUT_GUESS)]
    }

    fn extent(&self) -> Extent {
        self.extent
    }
}

/// The parsed command line.
struct Words {
    target: Target,
    wish: Wish,
    bounds: Bounds,
    effort: Effort,
    asked: MapRequest,
}

impl Words {
    fn read(arguments: &MapArguments) -> Result<Words, Failure> {
        let target = own::target(&arguments.target)?;
        let asked = MapRequest {
            block: block(size(arguments.block.as_deref())?)?,
            p99: p99(arguments.p99.as_deref())?,
            full: arguments.full,
        };
        Ok(Words {
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
            expectation: self.expectation(),
            ..self.bounds.ask(
                setup,
                Effort { total: self.effort.total + closer + grid, decide: Nanos::ZERO, ..self.effort },
            )?
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

    /// Returns the bound as a claim, for which random arrivals are tried.
    fn expectation(&self) -> Expectation {
        let claim = |p99: Nanos| Claim {
            direction: Some(Direction::Read),
            metric: Metric::Percentile(99.0, p99),
            words: format!("read p99 < {p99}"),
        };
        Expectation { claims: self.asked.p99.map(claim).into_iter().collect(), ..Expectation::default() }
    }
}

/// Checks that the ladders can reach the block.
fn block(block: Option<Bytes>) -> Result<Option<Bytes>, Failure> {
    match block {
        Some(block) if block > BLOCK_MOST || block < Bytes(512) => Err(Failure::refused(format!(
            "--block {block}: a map has blocks of 512 B to {BLOCK_MOST}; longer ones are split on the way, and move as many \
             bytes as {BLOCK_MOST}"
        ))),
        block => Ok(block),
    }
}

/// Reads a bound on latency that a volume could meet.
fn p99(words: Option<&str>) -> Result<Option<Nanos>, Failure> {
    let read = words.map(workload::duration).transpose().map_err(Failure::refused)?;
    match read {
        Some(bound) if bound < Nanos::from_micros(1) => {
            Err(Failure::refused("--p99: no volume answers within a microsecond; write for example 10ms"))
        }
        bound => Ok(bound),
    }
}
