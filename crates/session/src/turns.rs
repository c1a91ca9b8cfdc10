//! Several targets loaded in turns: one procedure over all of them, and a run file for each.

use experiments::{Step, Turn};
use record::{Observer, Run, StepRecord};
use workload::{Nanos, StepPlan};

use crate::failure::{Code, Failure};
use crate::live::{Live, ProgressDisplay, RemainingTime};
use crate::output;
use crate::procedure::{Procedure, run_steps};
use crate::recorder::RunRecorder;
use crate::region::Region;
use crate::run::{Earlier, FinishedRun, Session, cut_short, settle};
use crate::runner::{Runner, RunnerError};
use crate::setup::Setup;

/// Decides the turns and reports about them, given the steps that ran on each side so far.
#[derive(Clone, Copy)]
pub struct TurnsCourse<'a> {
    /// Returns the next turn, or `None` to end.
    pub next: &'a dyn Fn(&[Vec<StepRecord>]) -> Option<Turn>,
    /// Returns the remaining seconds.
    pub left: &'a dyn Fn(&[Vec<StepRecord>]) -> f64,
    /// Returns a line for people if there is anything new.
    pub news: &'a dyn Fn(&[Vec<StepRecord>]) -> Option<String>,
}

/// Runs the turns on the targets of `sides`, stores and draws a run for each side, and calls `tell` to report the
/// overall result. Returns the exit code, which is that of `tell` if the comparison came to its end.
///
/// # Errors
/// A turn could not be run, or a file could not be written.
pub fn run_in_turns(
    mut sides: Vec<Session<'_>>,
    course: TurnsCourse<'_>,
    tell: &dyn Fn(Vec<Run>) -> Result<u8, Failure>,
) -> Result<u8, Failure> {
    let left = RemainingTime::of(sides.first().map_or(0.0, |side| side.seconds));
    let (mut recorders, region) = (Vec::new(), Region::default());
    for side in &mut sides {
        let live = Live::of_steps(shown(&side.setup), left.clone()).in_turns(&region);
        recorders.push(side.begin(live, &Earlier::default())?);
    }
    let done = vec![Vec::new(); sides.len()];
    let mut turns = Turns { course, done, recorders, side: 0, left, region };
    let mut table = Table { setups: sides.iter_mut().map(|side| &mut side.setup).collect(), side: 0 };
    let failed = run_steps(&mut turns, &mut table).err();
    let Turns { done, recorders, .. } = turns;
    let ran = done.iter().zip(recorders);
    let ended: Vec<(FinishedRun, Option<Code>)> = sides
        .into_iter()
        .zip(ran)
        .map(|(side, (steps, recorder))| {
            let recorded = settle(&side.setup, (steps, recorder), failed.as_ref());
            let (place, stop) = (side.place, side.stop);
            let ended = side.end(recorded);
            output::people(&place.files_line());
            let code = cut_short(&ended.run, stop);
            (ended, code)
        })
        .collect();
    if let Some(error) = failed {
        return Err(Failure::failed(error));
    }
    let cut = ended.iter().find_map(|(_, code)| *code);
    let (runs, kept): (Vec<Run>, Vec<_>) =
        ended.into_iter().map(|(ended, _)| (ended.run, ended.kept)).unzip();
    let code = tell(runs)?;
    kept.into_iter().try_for_each(|kept| kept.whole())?;
    Ok(cut.map_or(code, |code| code as u8))
}

/// Returns one live line if stderr is a terminal, and no progress otherwise: with one line for each turn there would
/// be hundreds, and the news suffices.
fn shown(setup: &Setup) -> ProgressDisplay {
    match crate::run::shown(setup) {
        shown @ (ProgressDisplay::Line | ProgressDisplay::Events) => shown,
        ProgressDisplay::Plain | ProgressDisplay::Nowhere => ProgressDisplay::Nowhere,
    }
}

/// The targets of all sides as one runner, which runs a step on the side whose turn it is.
struct Table<'s> {
    setups: Vec<&'s mut Setup>,
    side: usize,
}

impl Table<'_> {
    fn runner(&self) -> &dyn Runner {
        self.setups[self.side].runner.as_ref()
    }

    fn runner_mut(&mut self) -> &mut dyn Runner {
        self.setups[self.side].runner.as_mut()
    }

    /// Gives `side` the turn. In virtual time its clock first advances by the time that the other sides used.
    fn hand_to(&mut self, side: usize, observer: &mut dyn Observer) {
        let now = self.runner().now();
        self.side = side;
        if self.setups.iter().all(|setup| setup.is_virtual()) {
            self.runner_mut().rest(now, observer);
        }
    }
}

impl Runner for Table<'_> {
    fn now(&self) -> Nanos {
        self.runner().now()
    }

    fn plan(&self, step: &Step) -> Result<StepPlan, RunnerError> {
        self.runner().plan(step)
    }

    fn open(&mut self, plan: &StepPlan) -> Result<(), RunnerError> {
        self.runner_mut().open(plan)
    }

    fn close(&mut self) {
        self.runner_mut().close();
    }

    fn run(&mut self, plan: &StepPlan, observer: &mut dyn Observer) -> Result<StepRecord, RunnerError> {
        self.runner_mut().run(plan, observer)
    }

    fn backend(&self) -> &str {
        self.runner().backend()
    }
}

/// The procedure: the side whose turn it is, and the steps of each side so far.
struct Turns<'a> {
    course: TurnsCourse<'a>,
    done: Vec<Vec<StepRecord>>,
    recorders: Vec<RunRecorder>,
    side: usize,
    left: RemainingTime,
    /// Region of the live lines, above which news is printed.
    region: Region,
}

impl Procedure<Table<'_>> for Turns<'_> {
    type Error = RunnerError;

    fn next(&mut self, table: &mut Table<'_>) -> Result<Option<Step>, RunnerError> {
        self.left.set((self.course.left)(&self.done));
        let Some(Turn { side, step }) = (self.course.next)(&self.done) else { return Ok(None) };
        self.side = side;
        table.hand_to(side, &mut self.recorders[side]);
        Ok(Some(step))
    }

    fn observer(&mut self) -> &mut dyn Observer {
        &mut self.recorders[self.side]
    }

    fn ended(&mut self, record: StepRecord, _table: &mut Table<'_>) -> Result<(), RunnerError> {
        self.done[self.side].push(record);
        if let Some(news) = (self.course.news)(&self.done) {
            self.region.clear();
            output::people(&news);
        }
        Ok(())
    }
}
