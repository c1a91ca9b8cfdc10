//! A trend in words: the verdict on the newest run, a line for each figure, and the runs that are not compared.

pub(crate) mod charts;

use analysis::Estimate;
use analysis::compare::{Difference, Measure, Work};
use analysis::trend::{NamedRun, RUNS_MIN, Trend, TrendFigure, TrendOutcome, TrendStanding};
use schemars::JsonSchema;
use serde::Serialize;

use super::sheet::{Block, Section, Sheet, VerdictWords};
use crate::words::Table;
use crate::words::comparison_words::{measure_words, work_words};
use crate::words::document::document_json;
use crate::words::numbers::{self, Prefix, Unit};
use crate::words::progress::cut;
use crate::words::sentence::plural;
use crate::words::table::Columns;
use crate::words::wrap::{clean, clean_lines, wrap};

/// Most other figures that a verdict names; the table has all.
const NAMED: usize = 2;
/// Most runs whose figures stand beside each other.
const BESIDE: usize = 4;
/// Most columns of a figure's name in the table.
const NAME: usize = 23;

/// What `plimsoll trend` prints.
#[derive(Serialize, JsonSchema)]
pub struct TrendDocument<'t> {
    /// What was asked, in words.
    question: String,
    /// The verdict, in words.
    verdict: String,
    /// Exit code of the command.
    exit_code: u8,
    /// The figures, over all runs.
    trend: &'t Trend,
}

/// Returns the trend as a document.
pub fn trend_json(trend: &Trend) -> String {
    let document = TrendDocument {
        question: trend_question(trend),
        verdict: trend_verdict(trend),
        exit_code: trend.outcome.exit_code(),
        trend,
    };
    document_json("trend", &document)
}

/// Returns the trend for a terminal, the verdict last.
pub fn trend_text(trend: &Trend) -> String {
    let sheet = sheet(trend);
    let verdict = sheet.verdict.as_ref().map_or_else(String::new, told);
    clean_lines(&format!("{}\n{}\n{}", wrap("", &trend_question(trend)), sheet.text(), wrap("", &verdict)))
        .into_owned()
}

/// Returns the trend as Markdown.
pub fn trend_markdown(trend: &Trend) -> String {
    let sheet = sheet(trend);
    let verdict = sheet.verdict.as_ref().map_or_else(String::new, |words| {
        format!("**{}**{} {}", words.word, words.rest, words.stops).trim_end().to_owned()
    });
    let lines = clean_lines(&sheet.text()).replace("```", "");
    format!("{}\n\n{}\n\n```\n{}\n```\n", clean(&verdict), clean(&trend_question(trend)), lines.trim_end())
}

/// Returns the verdict in one text.
pub fn trend_verdict(trend: &Trend) -> String {
    told(&verdict(trend))
}

fn told(words: &VerdictWords) -> String {
    format!("{} {}", words.sentence(), words.stops).trim_end().to_owned()
}

/// Returns the question that the trend answers.
pub fn trend_question(trend: &Trend) -> String {
    let question = &trend.question;
    let held =
        if question.policy.is_empty() { String::new() } else { format!(", policy {}", question.policy) };
    let since = trend.runs.first().map_or_else(String::new, |run| format!(" since {}", date(trend, run)));
    format!(
        "Is {} worse by {} or more than it was? {} of {}{held}, {}{since}.",
        question.volume,
        numbers::share(trend.by),
        question.plan,
        question.version,
        runs(trend.runs.len()),
    )
}

/// Returns the sheet of a trend.
pub(crate) fn sheet(trend: &Trend) -> Sheet {
    let notes: Vec<String> = [odd(trend), left_out(trend), rests_on(trend)].into_iter().flatten().collect();
    let figures = Block::Captioned("Every figure".to_owned(), table(trend), Columns::Figures);
    let sections = match trend.figures.is_empty() {
        true => vec![Section::of("", vec![Block::Paragraphs("", notes)])],
        false => {
            vec![Section::of("Figures", vec![figures]), Section::of("", vec![Block::Paragraphs("", notes)])]
        }
    };
    Sheet { command: "trend", verdict: Some(verdict(trend)), tiles: Vec::new(), sections }
}

/// Returns the date of a run, UTC; its time if all runs are of one day.
pub(crate) fn date(trend: &Trend, run: &NamedRun) -> String {
    formatted(trend, run, ["%Y-%m-%d", "%H:%M:%S"])
}

/// Formats when a run began: as a day, or as a time if all runs are of one day.
fn formatted(trend: &Trend, run: &NamedRun, [day, time]: [&str; 2]) -> String {
    let written = |run: &NamedRun, form: &str| {
        let instant =
            i64::try_from(run.started_unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        instant.map_or_else(String::new, |instant| instant.strftime(form).to_string())
    };
    let ends = [trend.runs.first(), trend.runs.last()].map(|run| run.map(|run| written(run, "%Y-%m-%d")));
    let is_one_day = ends[0] == ends[1] && trend.runs.len() > 1;
    written(run, if is_one_day { time } else { day })
}

fn runs(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{} runs", numbers::count(count as f64)) }
}

/// Returns the name of a figure.
pub(crate) fn name(figure: &TrendFigure) -> String {
    let Work { direction, block, depth, .. } = &figure.work;
    match (figure.measure.is_latency(), direction, block, depth) {
        (false, ..) => work_words(&figure.work),
        // Of one I/O at a time, the block says enough.
        (true, Some(way), Some(block), Some(1)) => {
            format!("{} {}: {}", numbers::block(*block as f64), plural(*way), measure_words(figure.measure))
        }
        (true, ..) => format!("{}: {}", work_words(&figure.work), measure_words(figure.measure)),
    }
}

/// Returns the name of a figure for the table: places are at random unless it says otherwise.
fn short(figure: &TrendFigure) -> String {
    let work = Work { sequential: figure.work.sequential.filter(|yes| *yes), ..figure.work.clone() };
    // The unit says that it is a time.
    name(&TrendFigure { work, ..figure.clone() }).trim_end_matches(" latency").to_owned()
}

/// Formats a value of a figure with its unit.
pub(crate) fn value(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Iops => numbers::iops(value),
        Measure::BytesPerSecond => numbers::bandwidth(value, Prefix::Binary),
        Measure::MeanLatency | Measure::LatencyP50 | Measure::LatencyP99 => numbers::time(value),
    }
}

/// Formats a level of a figure with its interval and unit.
fn level(measure: Measure, of: &Estimate) -> String {
    let unit = match measure {
        Measure::Iops => numbers::IOPS,
        Measure::BytesPerSecond => Unit::of_bandwidth(of.value, Prefix::Binary),
        Measure::MeanLatency | Measure::LatencyP50 | Measure::LatencyP99 => Unit::of_time(of.value),
    };
    numbers::with_unit(of, unit)
}

fn percent(share: f64) -> String {
    format!("{} %", numbers::fixed((share * 100.0).abs(), 1))
}

/// Formats a range of shares: `4.8 to 6.5 %`, or one if both read the same.
fn range(least: f64, most: f64) -> String {
    let [least, most] = [least, most].map(|share| numbers::fixed((share * 100.0).abs(), 1));
    if least == most { format!("{most} %") } else { format!("{least} to {most} %") }
}

/// Formats a change with its interval: `-3.1 (-3.8 to -2.4) %`.
fn change(figure: &TrendFigure) -> String {
    let signed = |share: f64| {
        let sign = if share < 0.0 { "-" } else { "+" };
        format!("{sign}{}", numbers::fixed((share * 100.0).abs(), 1))
    };
    match figure.standing {
        TrendStanding::Moved { share, .. } | TrendStanding::Drifts { share, .. } => {
            format!("{} ± {} %", signed(share.value), numbers::fixed(share.half_width() * 100.0, 1))
        }
        TrendStanding::Odd { share, .. } => format!("({} %)", signed(share.value)),
        TrendStanding::Steady => "same".to_owned(),
        TrendStanding::TooFew => String::new(),
    }
}

fn since(figure: &TrendFigure) -> Option<usize> {
    match figure.standing {
        TrendStanding::Moved { since, .. } | TrendStanding::Drifts { since, .. } => Some(since),
        _ => None,
    }
}

/// Returns the figures of the newest runs, which have no level if they are too few.
fn of_runs(trend: &Trend) -> Table {
    let from = trend.runs.len().saturating_sub(BESIDE);
    let mut table = Table::headed(&[""]);
    table.head.extend(trend.runs[from..].iter().map(|run| date(trend, run)));
    let row = |figure: &TrendFigure| {
        let of = |of: &Option<Estimate>| of.map_or_else(String::new, |of| value(figure.measure, of.value));
        let values = figure.values.iter().skip(from).map(of);
        std::iter::once(cut(&short(figure), NAME)).chain(values).collect()
    };
    table.rows = trend.figures.iter().map(row).collect();
    table
}

fn table(trend: &Trend) -> Table {
    if trend.runs.len() < RUNS_MIN {
        return of_runs(trend);
    }
    let mut table = Table::headed(&["", "level", "change", "since", "least"]);
    let row = |figure: &TrendFigure| {
        let level = figure.levels.last().map_or_else(String::new, |of| level(figure.measure, &of.level));
        let since = since(figure).and_then(|at| trend.runs.get(at));
        // The verdict has the year, or the seconds.
        let since = since.map_or_else(String::new, |run| formatted(trend, run, ["%m-%d", "%H:%M"]));
        let least = figure.detectable.map_or_else(String::new, percent);
        vec![cut(&short(figure), NAME), level, change(figure), since, least]
    };
    table.rows = trend.figures.iter().map(row).collect();
    table
}

fn verdict(trend: &Trend) -> VerdictWords {
    let (word, rest) = match (trend.outcome, trend.figures.first()) {
        (TrendOutcome::Worse, Some(first)) => ("WORSE", format!(" {}.{}", worst(trend, first), also(trend))),
        (TrendOutcome::CannotTell, _) => ("CANNOT TELL", cannot_tell(trend)),
        (TrendOutcome::Better, _) => ("NOT WORSE", format!(": {}.", better(trend))),
        _ => ("NOT WORSE", format!(" by {} or more: {}.", numbers::share(trend.by), steady(trend))),
    };
    VerdictWords { word, rest, stops: changed_with(trend).unwrap_or_default() }
}

/// Describes the figure that got worst: `by 3.1 % (2.4 to 3.8 %) since 2026-11-20: 4 KiB random reads, …`.
fn worst(trend: &Trend, figure: &TrendFigure) -> String {
    let day = |at: usize| trend.runs.get(at).map_or_else(String::new, |run| date(trend, run));
    let now = figure.levels.last().map_or_else(String::new, |of| level(figure.measure, &of.level));
    let worse: Vec<f64> =
        trend.figures.iter().filter(|figure| figure.worse).map(TrendFigure::worse_by).collect();
    match figure.standing {
        TrendStanding::Moved { share, from, since } => {
            let before =
                figure.levels.get(from).map_or_else(String::new, |of| level(figure.measure, &of.level));
            let began = figure.levels.get(from + 1).map_or((since, since), |level| level.began);
            let when = if day(began.0) == day(began.1) {
                String::new()
            } else {
                format!(" (between {} and {})", day(began.0), day(began.1))
            };
            let (one, other) = (share.low.abs(), share.high.abs());
            let own = format!("{} ({})", percent(share.value), range(one.min(other), one.max(other)));
            let since_when = format!("since {}{when}", day(since));
            let figure =
                format!("{}, {now} in {}, {before} before", name(figure), runs(trend.runs.len() - since));
            // The largest of several is no figure of the volume.
            match worse.iter().copied().reduce(f64::min).filter(|_| worse.len() > 1) {
                Some(least) => format!(
                    "by {} in {} of {} figures {since_when}: most, by {own}, {figure}",
                    range(least, worse.iter().copied().fold(0.0, f64::max)),
                    worse.len(),
                    trend.figures.len()
                ),
                None => format!("by {own} {since_when}: {figure}"),
            }
        }
        TrendStanding::Drifts { share, since } => format!(
            "by {} little by little since {}: {}, {} in {}",
            percent(share.value),
            day(since),
            name(figure),
            if share.value < 0.0 { "falling" } else { "rising" },
            runs(trend.runs.len() - since),
        ),
        _ => name(figure),
    }
}

/// Names other figures that are worse.
fn also(trend: &Trend) -> String {
    let others: Vec<&TrendFigure> = trend.figures.iter().skip(1).filter(|figure| figure.worse).collect();
    let named =
        others.iter().take(NAMED).map(|figure| format!("{} by {}", name(figure), percent(figure.worse_by())));
    let named = named.collect::<Vec<_>>().join("; ");
    match others.len() {
        0 => String::new(),
        few if few <= NAMED => format!(" Also: {named}."),
        many => format!(" Also: {named}; and {} more.", many - NAMED),
    }
}

fn cannot_tell(trend: &Trend) -> String {
    not_yet(trend).unwrap_or_else(|| format!(": {}.", too_little(trend)))
}

/// Says how many figures of the newest runs are worse by as much as was asked, which may not last.
fn not_yet(trend: &Trend) -> Option<String> {
    let worse: Vec<(f64, usize)> = trend
        .figures
        .iter()
        .filter_map(|figure| Some((figure.worse_by(), figure.may_be_worse(trend.by)?)))
        .collect();
    let since = worse.iter().map(|(_, since)| *since).min()?;
    let [least, most] =
        [f64::min, f64::max].map(|of| worse.iter().map(|(share, _)| *share).reduce(of).unwrap_or_default());
    let span = range(least, most);
    let (count, all) = (worse.len(), trend.figures.len());
    let (of, are) = match trend.runs.len() - since {
        1 => ("newest run", "One run may differ by chance"),
        _ => ("newest runs", "That is too few to be sure"),
    };
    let verb = if count == 1 { "is" } else { "are" };
    Some(format!(
        " yet: {count} of {all} figures of the {of} {verb} {span} worse. {are}; the next one shows whether it lasts."
    ))
}

fn too_little(trend: &Trend) -> String {
    let has_rates = trend.figures.iter().any(|figure| !figure.measure.is_latency());
    let counts = |figure: &&TrendFigure| !(has_rates && figure.measure.is_latency());
    let least = trend.figures.iter().filter(counts).filter_map(|figure| Some((figure.detectable?, figure)));
    match least.min_by(|a, b| a.0.total_cmp(&b.0)) {
        _ if trend.runs.len() < RUNS_MIN => {
            let apart =
                if trend.runs.len() > 1 { ". plimsoll compare OLD NEW tells two runs apart" } else { "" };
            format!(
                "{}, and a trend needs {RUNS_MIN} to know how they scatter{apart}",
                runs(trend.runs.len())
            )
        }
        Some((share, figure)) => format!(
            "the runs scatter so much that {} is the least that would be found within three of them ({})",
            percent(share),
            name(figure)
        ),
        None => "these runs have no figure in common with enough of the others".to_owned(),
    }
}

fn better(trend: &Trend) -> String {
    let best = trend.figures.iter().min_by(|a, b| a.worse_by().total_cmp(&b.worse_by()));
    best.map_or_else(String::new, |figure| {
        let day =
            since(figure).and_then(|at| trend.runs.get(at)).map_or_else(String::new, |run| date(trend, run));
        format!("better by {} since {day} ({})", percent(figure.worse_by()), name(figure))
    })
}

fn steady(trend: &Trend) -> String {
    let sees = |figure: &&TrendFigure| figure.detectable.is_some_and(|share| share <= trend.by);
    let (all, blind) = (trend.figures.len(), trend.figures.iter().filter(|figure| !sees(figure)).count());
    let smaller =
        trend.figures.iter().filter(|figure| since(figure).is_some() && figure.worse_by() > 0.0).count();
    let least = trend.figures.iter().filter_map(|figure| figure.detectable).fold(1.0, f64::min);
    let mut text = match (all, blind) {
        (1, _) => format!("a change of {} or more would be seen within three runs", percent(least)),
        (_, 0) => format!("none of {all} figures; within three runs, it would be seen in each"),
        _ => format!("none of {all} figures; within three runs, it would be seen in {} of them", all - blind),
    };
    if smaller > 0 {
        text += &format!("; {smaller} worse by less");
    }
    text
}

/// Names what else changed with the first figure.
fn changed_with(trend: &Trend) -> Option<String> {
    let words = |of: &Difference| {
        format!("{} ({} before, {} since)", of.what, known(&of.values[0]), known(&of.values[1]))
    };
    let all: Vec<String> = trend.changed_with.iter().map(words).collect();
    (!all.is_empty()).then(|| format!("Changed with it: {}.", all.join("; ")))
}

fn known(value: &str) -> String {
    if value.is_empty() { "none".to_owned() } else { clean(value) }
}

/// Names figures whose newest runs are apart.
fn odd(trend: &Trend) -> Option<String> {
    let odd: Vec<(&TrendFigure, usize)> = trend
        .figures
        .iter()
        .filter_map(|figure| match figure.standing {
            TrendStanding::Odd { since, .. } => Some((figure, since)),
            _ => None,
        })
        .collect();
    let since = odd.iter().map(|(_, since)| *since).min()?;
    let mut words: Vec<String> =
        odd.iter().take(NAMED).map(|(figure, _)| format!("{} {}", name(figure), change(figure))).collect();
    words.extend((odd.len() > NAMED).then(|| format!("{} more", odd.len() - NAMED)));
    let apart = match trend.runs.len() - since {
        1 => "The newest run alone is apart".to_owned(),
        many => format!("The newest {} are apart", runs(many)),
    };
    Some(format!("{apart}: {}.", words.join("; ")))
}

/// Says how many runs are not compared, and what differs in them.
fn left_out(trend: &Trend) -> Option<String> {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    for run in &trend.left_out {
        let words: Vec<String> =
            run.because.iter().map(|of| format!("{} {}", of.what, known(&of.values[0]))).collect();
        let words = words.join(" and ");
        match reasons.iter_mut().find(|(known, _)| *known == words) {
            Some((_, count)) => *count += 1,
            None => reasons.push((words, 1)),
        }
    }
    let words = reasons.iter().map(|(words, count)| format!("{} ({words})", runs(*count)));
    let words = words.collect::<Vec<_>>().join(", ");
    (!reasons.is_empty()).then(|| format!("Left out, because they asked something else: {words}."))
}

/// Says what "worse" rests on.
fn rests_on(trend: &Trend) -> Option<String> {
    if trend.runs.len() < RUNS_MIN {
        let older = trend.runs.len().saturating_sub(BESIDE);
        return (older > 0).then(|| format!("{} before these: --format json.", runs(older)));
    }
    (!trend.figures.is_empty()).then(|| {
        format!(
            "\"±\" is a 95 % interval, from the runs' own and from how they scatter. A change counts as worse if its interval \
             reaches {} (--by). \"least\": what would be found within three runs, 19 times of 20.",
            numbers::share(trend.by)
        )
    })
}
