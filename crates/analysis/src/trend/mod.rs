//! A trend: the newest run against all earlier ones that answer the same question, figure by figure.

mod question;
mod standing;

use record::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statistics::occasions::{BEFORE_MIN, Occasion, Question, histories};

use crate::compare::{Difference, Measure, Row, RunFigures, SideFigure, Work, over_time};
use crate::estimate::Estimate;
pub use question::TrendQuestion;
use standing::PlacedHistory;
pub use standing::{TrendLevel, TrendStanding};

/// Fewest runs before anything is judged: those before a change, and one after it.
pub const RUNS_MIN: usize = BEFORE_MIN + 1;
/// Half-width of a 95 % interval in standard errors.
const Z95: f64 = 1.96;

/// One run of a series: what it asked, and its figures.
#[derive(Clone, Debug)]
pub struct TrendRun {
    /// Name of its file.
    pub name: String,
    /// Start of the run: milliseconds since 1970, UTC.
    pub started_unix_ms: u64,
    question: TrendQuestion,
    circumstances: Vec<(&'static str, String)>,
    complete: bool,
    figures: RunFigures,
}

impl TrendRun {
    /// Takes from a run what a trend needs of it.
    #[must_use]
    pub fn of(name: String, run: Run) -> TrendRun {
        TrendRun {
            name,
            started_unix_ms: run.started_unix_ms,
            question: TrendQuestion::of(&run),
            circumstances: question::circumstances(&run),
            complete: run.complete,
            figures: RunFigures::of(run),
        }
    }

    fn named(&self) -> NamedRun {
        NamedRun { name: self.name.clone(), started_unix_ms: self.started_unix_ms }
    }
}

/// A run of a trend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedRun {
    /// Name of its file.
    pub name: String,
    /// Start of the run: milliseconds since 1970, UTC.
    pub started_unix_ms: u64,
}

/// A run that is not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutRun {
    /// The run.
    pub run: NamedRun,
    /// What differs from the newest run: the value of this run, then that of the newest.
    pub because: Vec<Difference>,
}

/// One figure over the runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendFigure {
    /// The work.
    pub work: Work,
    /// What is measured of it.
    pub measure: Measure,
    /// Values, one per run, with the 95 % interval that the run's own analysis gives; `None` if a run lacks the figure.
    pub values: Vec<Option<Estimate>>,
    /// Levels, in order of time.
    pub levels: Vec<TrendLevel>,
    /// The conclusion about the newest run.
    pub standing: TrendStanding,
    /// Whether the newest run is worse by as much as was asked, or may be.
    pub worse: bool,
    /// Standard deviation from run to run beyond each run's own error, as a share.
    pub between: f64,
    /// Least share by which the figure must get worse to be found within three runs with a probability of 95 %; `None` with
    /// too few runs.
    pub detectable: Option<f64>,
}

/// What follows from all figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrendOutcome {
    /// A figure is worse by as much as was asked.
    Worse,
    /// None is, and some figure is better than it was.
    Better,
    /// None is.
    Steady,
    /// Too few runs, too much scatter to see as little as was asked, or a figure of the newest run is worse by as much, which
    /// may not last.
    CannotTell,
}

impl TrendOutcome {
    /// Returns the exit code of a command whose result this is.
    pub fn exit_code(self) -> u8 {
        match self {
            TrendOutcome::Better | TrendOutcome::Steady => 0,
            TrendOutcome::Worse => 3,
            TrendOutcome::CannotTell => 4,
        }
    }
}

/// The newest run against earlier ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trend {
    /// What all compared runs asked.
    pub question: TrendQuestion,
    /// Share by which a figure must get worse to count.
    pub by: f64,
    /// What follows.
    pub outcome: TrendOutcome,
    /// The runs that are compared, in order of time; the last is judged.
    pub runs: Vec<NamedRun>,
    /// The runs that are not compared, in order of time.
    pub left_out: Vec<LeftOutRun>,
    /// The figures, the one that got worst first.
    pub figures: Vec<TrendFigure>,
    /// What else is another between the last run before the change of the first figure and the first run after it.
    pub changed_with: Vec<Difference>,
}

/// What is asked of the runs.
#[derive(Clone, Copy, Debug)]
pub struct TrendAsk {
    /// Share by which a figure must get worse to count, above 0 and below 1.
    pub by: f64,
    /// Most runs that are compared, the newest ones.
    pub last: usize,
}

/// Judges the newest of `runs` by those before it that asked the same; `None` without any run that ended.
#[must_use]
pub fn trend(mut runs: Vec<TrendRun>, ask: TrendAsk) -> Option<Trend> {
    runs.sort_by(|a, b| (a.started_unix_ms, &a.name).cmp(&(b.started_unix_ms, &b.name)));
    let newest = runs.iter().rfind(|run| run.complete)?.question.clone();
    let differing = |run: &TrendRun| newest.differing(&run.question, run.complete);
    let (mut same, others): (Vec<TrendRun>, Vec<TrendRun>) =
        runs.into_iter().partition(|run| differing(run).is_empty());
    let left_out =
        others.iter().map(|run| LeftOutRun { run: run.named(), because: differing(run) }).collect();
    same.drain(..same.len().saturating_sub(ask.last));
    let figures = figures(&same, ask.by);
    let outcome = outcome(&figures, ask.by);
    let changed_with = figures.first().map_or_else(Vec::new, |first| changed_with(&same, first));
    let runs = same.iter().map(TrendRun::named).collect();
    Some(Trend { question: newest, by: ask.by, outcome, runs, left_out, figures, changed_with })
}

/// Returns the figures that the newest run has, the one that got worst first.
fn figures(runs: &[TrendRun], by: f64) -> Vec<TrendFigure> {
    let of_runs: Vec<&RunFigures> = runs.iter().map(|run| &run.figures).collect();
    let mut rows = over_time(&of_runs);
    rows.retain(|row| row.figures.last().is_some_and(Option::is_some));
    let series = rows.len();
    let figure = |row: &Row, changed: &[usize]| {
        let sign = if row.measure.is_latency() { -1.0 } else { 1.0 };
        let values: Vec<Option<Estimate>> =
            row.figures.iter().map(|one| one.as_ref().map(estimate)).collect();
        let (places, occasions): (Vec<usize>, Vec<Occasion>) = values
            .iter()
            .enumerate()
            .filter_map(|(place, value)| Some((place, occasion(value.as_ref()?, sign))))
            .unzip();
        let known: Vec<usize> =
            changed.iter().map(|changed| places.partition_point(|place| place < changed)).collect();
        let question = Question { least: least(by), series, known: &known };
        let history = histories(&occasions, &question).pop()?;
        Some(standing::figure(row, values, &PlacedHistory { history, places }, question.least))
    };
    let mut figures: Vec<TrendFigure> = rows.iter().filter_map(|row| figure(row, &[])).collect();
    // What changed one figure often changed others with it.
    let changed: Vec<usize> = figures.iter().filter_map(TrendFigure::changed_at).collect();
    if !changed.is_empty() {
        figures = rows.iter().filter_map(|row| figure(row, &changed)).collect();
    }
    figures.sort_by(|a, b| b.badness().total_cmp(&a.badness()));
    figures
}

/// Returns the fall of a logarithm that a share is.
fn least(by: f64) -> f64 {
    -(1.0 - by).ln()
}

fn estimate(figure: &SideFigure) -> Estimate {
    let (low, high) = figure.interval.unwrap_or((figure.value, figure.value));
    Estimate { value: figure.value, low, high }
}

/// Returns the logarithm of a figure with its standard error, so that lower is worse.
fn occasion(of: &Estimate, sign: f64) -> Occasion {
    Occasion { value: sign * of.value.ln(), error: (of.high / of.low).ln() / 2.0 / Z95 }
}

fn outcome(figures: &[TrendFigure], by: f64) -> TrendOutcome {
    // A latency that would show it says nothing about rates that would not.
    let has_rates = figures.iter().any(|figure| !figure.measure.is_latency());
    let sees = |figure: &TrendFigure| {
        let counts = !(has_rates && figure.measure.is_latency());
        counts && figure.detectable.is_some_and(|share| share <= by)
    };
    if figures.iter().any(|figure| figure.worse) {
        TrendOutcome::Worse
    } else if figures.iter().any(|figure| figure.may_be_worse(by).is_some()) || !figures.iter().any(sees) {
        TrendOutcome::CannotTell
    } else if figures.iter().any(|figure| figure.is_better()) {
        TrendOutcome::Better
    } else {
        TrendOutcome::Steady
    }
}

/// Returns what else is another between the runs on both sides of the last change of `figure`.
fn changed_with(runs: &[TrendRun], figure: &TrendFigure) -> Vec<Difference> {
    let since = match figure.standing {
        TrendStanding::Moved { since, .. } if since > 0 => since,
        _ => return Vec::new(),
    };
    let (before, after) = (&runs[since - 1].circumstances, &runs[since].circumstances);
    let pairs = before.iter().zip(after).filter(|(a, b)| a != b);
    let difference = |(a, b): (&(&str, String), &(&str, String))| Difference {
        what: a.0.to_owned(),
        values: vec![a.1.clone(), b.1.clone()],
    };
    pairs.map(difference).collect()
}
