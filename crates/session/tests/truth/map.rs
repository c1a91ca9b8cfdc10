//! Maps of volumes drawn at random: caps, unit, budgets, crossover and depths against the truth, and predicted
//! cells against the volume itself.

use analysis::map::{Basis, CapOfMap, DirectionMap, HeldBy, MapCell};
use analysis::{Analysis, Confidence, Estimate, LevelUnit, MapAnswer, ProcedureAnswer, analyse};
use experiments::{Cells, CheckAsk, Layout, MapAsk, Step, Writes, next_map_step};
use policy::Level;
use record::Run;
use session::{Setup, Wish, conduct, set_up};
use statistics::Stream;
use workload::{
    Access, BlockSizes, Bytes, Direction, Job, MapRequest, Mix, Nanos, ProcedureRequest, StepKind, StopRule,
    Target, Workload,
};

use crate::checked::{Nobody, REGION, each, numbers};
use crate::custom::{self, one_of};
use crate::judge::{Cause, Figure, Judgement, NEAR, rate};
use crate::sick::Sick;
use crate::table::Table;
use crate::volume::{DIRECTIONS, Volume, typed};

/// Volumes in the daily test.
const USUAL: usize = 16;
/// Volumes with an ailment in the daily test.
const USUAL_SICK: usize = 6;
/// Seed of the family from which they are drawn.
const FAMILY: u64 = 700;
/// Kinds of noise that volumes have in turn; the first ones are none.
const NOISES: [&str; 4] = ["", "", ",noise=1%", ",noise=5%,rho=0.6"];
/// Number of predicted cells of each direction that are measured by themselves afterwards.
const CELLS: usize = 4;
/// Relative error allowed in a cell besides its interval: its own measurement is short, and counts whole
/// operations.
const CELL_OFF: f64 = 0.03;
/// Percentage of predicted cells whose 95 % interval must contain the truth.
const COVERED: f64 = 95.0;
const CELL: &str = "cell that was not measured";
/// Relative error allowed in a depth; a difference below 0.5 is always allowed.
const DEPTH_OFF: f64 = 0.1;

fn runner(words: &str) -> Setup {
    let target_words = format!("sim:{words}");
    let target = Target::parse(&target_words).unwrap();
    set_up(&target, &target_words, &Wish::default()).unwrap_or_else(|error| panic!("{words}: {error}"))
}

/// Maps `sim:words`.
fn mapped(words: &str) -> Run {
    let Setup { facts, mut runner, .. } = runner(words);
    let check = CheckAsk {
        writes: Writes::Measured,
        layout: Layout::None,
        write_most: MapAsk::modest(Layout::None, REGION),
        in_flight_most: CheckAsk::IN_FLIGHT_MOST,
        expectation: workload::Expectation::default(),
        limits: None,
        seed: 1,
        effort: MapAsk::EFFORT,
        block_min: facts.direct_alignment,
    };
    let ask = MapAsk { check, cells: Cells::Corners, block: None, p99: None };
    let (steps, error) = conduct(&|done| next_map_step(&ask, done), runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{words}: {error:?}");
    let mut run = Run::started(vec!["map".into()], 0);
    (run.steps, run.complete, run.target) = (steps, true, Some(facts));
    run.asked = Some(ProcedureRequest::Map(MapRequest::default()));
    run
}

fn answer(found: &Analysis) -> &MapAnswer {
    let Some(ProcedureAnswer::Map(answer)) = &found.answered else { panic!("a map answers as one") };
    answer
}

/// Converts a reported level to the terms of the judgements.
fn figure(cap: &CapOfMap, counted: LevelUnit) -> Figure {
    let cause = match (cap.held_by, counted) {
        (HeldBy::Meter, LevelUnit::Operations) => Cause::Operations,
        (HeldBy::Meter, LevelUnit::Bytes) | (HeldBy::Bytes, _) => Cause::Bytes,
        (HeldBy::Unit, _) => Cause::UnitOrBytes,
        (HeldBy::Device, _) => Cause::Servers,
        (HeldBy::Generator, _) => Cause::InFlight,
        (HeldBy::Machine | HeldBy::Open, _) => Cause::Unknown,
    };
    let Estimate { value, low, high } = cap.level;
    Figure { value, low, high, at_least: cap.at_least, cause, confidence: cap.confidence }
}

/// A volume with its words, and the command that maps it.
struct Case<'c> {
    words: &'c str,
    volume: &'c Volume,
    command: String,
}

impl Case<'_> {
    fn judge(&self, answer: &MapAnswer, table: &mut Table) {
        for map in &answer.directions {
            self.caps(map, table);
            self.crossover(map, table);
            self.unit(map, table);
            self.depth(map, table);
            self.cells(map, table);
        }
        self.sharing(answer, table);
    }

    fn caps(&self, map: &DirectionMap, table: &mut Table) {
        let direction = map.direction;
        let operations = map.operations.map(|cap| figure(&cap, LevelUnit::Operations));
        let bytes = map.bytes.map(|cap| figure(&cap, LevelUnit::Bytes));
        let small = self.volume.small(direction, operations);
        let what = || format!("{direction:?} {operations:?} for {small:?}");
        table.add("cap of operations", rate(operations, small), (&self.command, &what));
        let large = self.volume.bandwidth(direction);
        let judged = match (bytes, large.cause) {
            (None, Cause::Operations | Cause::Servers) => Judgement::Open,
            _ => rate(bytes, large),
        };
        let what = || format!("{direction:?} {bytes:?} for {large:?}");
        table.add("cap of bytes", judged, (&self.command, &what));
    }

    /// Judges the crossover: within 3 %, or in its interval.
    fn crossover(&self, map: &DirectionMap, table: &mut Table) {
        let direction = map.direction;
        let small =
            self.volume.small(direction, map.operations.map(|cap| figure(&cap, LevelUnit::Operations)));
        let large = self.volume.bandwidth(direction);
        if small.near_another || large.near_another {
            return;
        }
        let truth = self.volume.crossover(direction, small).or_else(|| self.turns(small.rate, large.rate));
        let judged = match (map.crossover, truth) {
            (None, None) => return,
            (None, Some(_)) => Judgement::HeldBack,
            (Some(told), Some(truth)) if near(told.at, truth, NEAR) => Judgement::Right,
            (Some(told), _) if told.confidence >= Confidence::Likely => Judgement::SureWrong,
            (Some(_), _) => Judgement::Wrong,
        };
        let what = || format!("{direction:?} {:?} for {truth:?}", map.crossover);
        table.add("crossover", judged, (&self.command, &what));
    }

    /// Returns the size of the unit at which the rate turns, if operations charged in proportion to size limit it
    /// as bytes would.
    fn turns(&self, small: f64, large: f64) -> Option<f64> {
        let by_size = typed(self.words, "rounding") == Some("proportional");
        let unit = typed(self.words, "unit").map(|unit| workload::size(unit).unwrap().0 as f64);
        unit.filter(|unit| by_size && (unit * small / large - 1.0).abs() <= NEAR)
    }

    /// Judges the unit if one is reported; a missing one is judged by the caps.
    fn unit(&self, map: &DirectionMap, table: &mut Table) {
        let Some(told) = map.unit else { return };
        let truth = typed(self.words, "unit").map(|unit| workload::size(unit).unwrap().0);
        let judged = match (truth == Some(told.bytes), told.confidence >= Confidence::Likely) {
            (true, _) => Judgement::Right,
            (false, true) => Judgement::SureWrong,
            (false, false) => Judgement::Wrong,
        };
        // A cap on bytes that equals the cap on operations times a power of two is indistinguishable for random
        // I/Os.
        let bytes =
            self.volume.bandwidth(map.direction).rate / self.volume.truth(map.direction, Bytes::kib(4)).rate;
        let alike = (told.bytes as f64 / bytes - 1.0).abs() <= NEAR && told.charge != analysis::Charge::Ceil;
        let judged = if alike { Judgement::Right } else { judged };
        table.add("unit", judged, (&self.command, &|| format!("{:?} {told:?} for {truth:?}", map.direction)));
    }

    /// Judges N* of small blocks, which is cap times latency.
    fn depth(&self, map: &DirectionMap, table: &mut Table) {
        let truth = self.volume.truth(map.direction, Bytes::kib(4));
        let metered = matches!(truth.cause, Cause::Operations | Cause::Bytes | Cause::Unit);
        let Some(knee) = map.knees.iter().find(|knee| knee.block == 4096).filter(|_| metered) else { return };
        let Some(star) = knee.star else { return };
        let expected = truth.rate * self.volume.latency[map.direction.index()];
        let judged = match near(star, expected, DEPTH_OFF) || (star.value - expected).abs() < 0.5 {
            true => Judgement::Right,
            false => Judgement::Wrong,
        };
        let what = || format!("{:?} {star:?} for {expected}", map.direction);
        table.add("depth that fills it", judged, (&self.command, &what));
    }

    /// Judges some predicted cells, each against a measurement on a volume of its own.
    fn cells(&self, map: &DirectionMap, table: &mut Table) {
        let told = |cell: &&MapCell| cell.basis == Basis::Predicted && cell.iops.is_some();
        let open: Vec<&MapCell> = map.cells.iter().filter(told).collect();
        let mut random = Stream::new(open.len() as u64, FAMILY);
        for _ in 0..CELLS.min(open.len()) {
            let cell = *one_of(&mut random, &open);
            let (Some(iops), Some(truth)) = (cell.iops, self.measured(map.direction, cell)) else { continue };
            // It is marked as not measured, with a 95 % interval.
            let judged = if near(iops, truth, CELL_OFF) { Judgement::Right } else { Judgement::Wrong };
            let what = || format!("{:?} {cell:?} for {truth}", map.direction);
            table.add(CELL, judged, (&self.command, &what));
        }
    }

    /// Measures one block size at one depth, on a volume without noise that was asked nothing before.
    fn measured(&self, direction: Direction, cell: &MapCell) -> Option<f64> {
        let mix = if direction == Direction::Write { Mix::WRITE } else { Mix::READ };
        let job = Job {
            access: Access::random(mix),
            blocks: BlockSizes::all(Bytes(cell.block)),
            depth: cell.depth,
            ..Job::named("cell")
        };
        let stop = vec![StopRule::Time(Nanos::from_secs(8))];
        let workload = Workload { jobs: vec![job], stop, ramp: Nanos::from_secs(2) };
        let step = Step { name: "cell".to_owned(), kind: StepKind::Job, workload, interval: None };
        let Setup { mut runner, .. } = runner(self.words);
        let (steps, error) =
            conduct(&|done| done.is_empty().then(|| step.clone()), runner.as_mut(), &mut Nobody);
        assert!(error.is_none(), "{}: {error:?}", self.words);
        let step = steps.first()?;
        Some(step.tally(direction).ops as f64 / step.seconds())
    }

    /// Judges whether reads and writes have one budget or two, as typed.
    fn sharing(&self, answer: &MapAnswer, table: &mut Table) {
        let separate = typed(self.words, "read_iops").is_some();
        for sharing in &answer.sharing {
            let judged = match (sharing.shared != separate, sharing.confidence >= Confidence::Likely) {
                (true, _) => Judgement::Right,
                (false, true) => Judgement::SureWrong,
                (false, false) => Judgement::Wrong,
            };
            table.add("one budget or two", judged, (&self.command, &|| format!("{sharing:?}")));
        }
    }
}

/// Whether the value is within this share of the truth, or the truth is in the interval widened by as much.
fn near(told: Estimate, truth: f64, share: f64) -> bool {
    let within = |value: f64| (value / truth - 1.0).abs() <= share;
    within(told.value) || (told.low * (1.0 - share) <= truth && truth <= told.high * (1.0 + share))
}

fn judge((words, noise): &(String, &'static str)) -> Table {
    let mut table = Table::default();
    let typed = format!("{words}{noise}");
    let run = mapped(&typed);
    let found = analyse(&run, None, None);
    let volume = Volume::of(words, Level::Baseline);
    let command = format!("plimsoll map 'sim:{typed}'");
    Case { words, volume: &volume, command }.judge(answer(&found), &mut table);
    table
}

/// Asserts that no level of a volume with an ailment is sure and wrong.
fn judge_sick(sick: &Sick) -> Table {
    let mut table = Table::default();
    let run = mapped(&sick.words);
    let found = analyse(&run, None, None);
    let volume = Volume::of(&sick.words, Level::Baseline);
    let command = format!("plimsoll map 'sim:{}'", sick.words);
    for direction in DIRECTIONS {
        let Some(map) = answer(&found).directions.iter().find(|map| map.direction == direction) else {
            continue;
        };
        for (counted, cap, truth) in [
            (LevelUnit::Operations, map.operations, volume.truth(direction, Bytes::kib(4))),
            (LevelUnit::Bytes, map.bytes, volume.bandwidth(direction)),
        ] {
            let told = cap.map(|cap| figure(&cap, counted));
            let judged = told.map_or(Judgement::Open, |told| sick.rate(told, truth));
            let what = || format!("{direction:?} {told:?} for {truth:?}");
            table.add("level of a sick volume", judged, (&command, &what));
        }
    }
    table
}

#[test]
fn map() {
    let cases: Vec<(String, &'static str)> =
        numbers(USUAL).map(|number| (custom::words(number, FAMILY), NOISES[number % NOISES.len()])).collect();
    let sick: Vec<Sick> = numbers(USUAL_SICK).map(Sick::new).collect();
    let tables = each(&cases, judge).into_iter().chain(each(&sick, judge_sick));
    let table = Table::of(tables);
    let inside = table.share_of(CELL, Judgement::Right);
    assert!(inside >= COVERED, "{inside:.1} % of cells that were not measured lie in their 95 % intervals");
    table.conclude("map", cases.len() + sick.len());
}
