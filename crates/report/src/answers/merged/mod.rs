//! The answer of `plimsoll merge` in words: what several machines had together, each of them, and the odd ones.

use std::collections::BTreeMap;

use analysis::compare::Deviation;
use analysis::{Estimate, MergedAnswer, MergedLoad, MergedRow, MergedStep};
use workload::{Direction, LeftOutReason, LeftOutStep, Nanos};

use super::sheet::{Block, Section, Sheet, VerdictWords};
use crate::words::Table;
use crate::words::numbers::{self, IOPS, Unit};
use crate::words::table::Columns;
use crate::words::tiles::{Tile, TileFigure};

/// Most machines of which a terminal shows a row each.
const ROWS_MOST: usize = 16;
/// Rows that it shows of more than that at least: those with the lowest rates.
const SLOWEST: usize = 5;
/// Most letters of a name in a terminal, and those of its beginning if it is longer.
const NAME_MOST: usize = 16;
const NAME_BEGIN: usize = 6;
/// Column of the median latency, for which a terminal has no room.
const MEDIAN: usize = 4;

/// Returns the whole answer as a sheet.
pub(super) fn sheet(answer: &MergedAnswer) -> Sheet {
    let mut sections = Vec::new();
    let mut number = 0;
    for step in &answer.steps {
        sections.push(section(answer, step, number));
        number += step.loads.len();
    }
    let left_out = left_out(answer);
    if !left_out.is_empty() {
        sections.push(Section::of("Left out", vec![Block::Items("  ", left_out)]));
    }
    Sheet { command: "merge", verdict: Some(verdict(answer)), tiles: tiles(answer), sections }
}

/// Returns the answer in a sentence or two.
fn verdict(answer: &MergedAnswer) -> VerdictWords {
    let rest = match answer.steps.as_slice() {
        [one] => {
            let rates: Vec<String> = one.loads.iter().map(rate_words).collect();
            let time = numbers::span(one.window_ns.1.since(one.window_ns.0).as_secs_f64());
            format!(
                ": {} together, {}, in the {time} in which all of them ran.",
                of_all(answer, one.machines),
                rates.join(", ")
            )
        }
        steps => {
            let fewest = steps.iter().map(|step| step.machines).min().unwrap_or(0);
            format!(": {} together in {} steps.", of_all(answer, fewest), steps.len())
        }
    };
    VerdictWords { word: "MEASURED", rest, stops: odd_words(answer) }
}

/// Formats the number of machines: `3 machines`, `3 of 4 machines`.
fn of_all(answer: &MergedAnswer, machines: usize) -> String {
    match answer.machines.len() {
        all if all == machines => format!("{all} machines"),
        all => format!("{machines} of {all} machines"),
    }
}

fn rate_words(load: &MergedLoad) -> String {
    format!(
        "{} {} ({}), p99 {}",
        name(load.direction),
        numbers::with_unit(&load.iops, IOPS),
        numbers::bandwidth_estimate(&load.bytes_per_second),
        numbers::time(load.latency_ns_p99 as f64)
    )
}

const fn name(direction: Direction) -> &'static str {
    match direction {
        Direction::Write => "writes",
        Direction::Trim => "trims",
        _ => "reads",
    }
}

/// Returns who is odd, each machine once by its farthest figure, or what more than two machines show without one.
fn odd_words(answer: &MergedAnswer) -> String {
    let mut odd: BTreeMap<usize, &Deviation> = BTreeMap::new();
    for of in answer.deviations.iter().filter(|of| of.odd) {
        let farthest = odd.entry(of.side).or_insert(of);
        if of.share.abs() > farthest.share.abs() {
            *farthest = of;
        }
    }
    let loads: Vec<(&MergedStep, &MergedLoad)> = answer.loads().collect();
    let several = loads.len() > 1;
    let one = |(machine, of): (&usize, &&Deviation)| {
        let (step, load) = loads[of.row];
        let within =
            if several { format!(" in {} of '{}'", name(load.direction), step.step) } else { String::new() };
        format!("{} ({}{within})", answer.machines[*machine].label, numbers::signed_share(of.share))
    };
    let named: Vec<String> = odd.iter().map(one).collect();
    match named.as_slice() {
        [] if answer.deviations.is_empty() => String::new(),
        [] => "No machine is odd: none lies farther from the median than the others lie from each other."
            .to_owned(),
        [one] => format!("The odd one out is {one}, against the median of all."),
        several => format!("Odd against the median of all are {}.", several.join(", ")),
    }
}

/// Returns the section of a step, the first of whose loads has this number in the deviations.
fn section(answer: &MergedAnswer, step: &MergedStep, first: usize) -> Section {
    let mut blocks = Vec::new();
    for (load, number) in step.loads.iter().zip(first..) {
        let deviations = answer.deviations.iter().filter(|of| of.row == number);
        let rows = Rows { answer, load, deviations: deviations.collect() };
        let all = load.rows.len();
        let most = if all > ROWS_MOST { SLOWEST } else { all };
        blocks
            .push(Block::Captioned(String::new(), narrow(rows.table(most)), Columns::Figures).in_terminal());
        if most < all {
            let more = format!("These are the odd machines and the slowest; the page has all {all}.");
            blocks.push(Block::Items("  ", vec![more]).in_terminal());
        }
        let caption = format!("{}, {}", step.step, name(load.direction));
        blocks.push(Block::Captioned(caption, rows.table(all), Columns::Figures).on_page());
    }
    blocks.push(Block::Items("  ", step.loads.iter().map(done_words).chain([skew_words(step)]).collect()));
    Section { heading: step.step.clone(), indent: Some(""), blocks }
}

/// Returns the table for 80 columns: without the median latency, and with the beginnings and ends of long names.
fn narrow(table: Table) -> Table {
    let mut table = table.without(MEDIAN);
    for name in table.rows.iter_mut().filter_map(|row| row.first_mut()) {
        let letters: Vec<char> = name.chars().collect();
        if letters.len() > NAME_MOST {
            let (begin, end) =
                (&letters[..NAME_BEGIN], &letters[letters.len() - (NAME_MOST - NAME_BEGIN - 1)..]);
            *name = begin.iter().chain(&['…']).chain(end).collect();
        }
    }
    table
}

/// What each machine had in one load.
struct Rows<'a> {
    answer: &'a MergedAnswer,
    load: &'a MergedLoad,
    deviations: Vec<&'a Deviation>,
}

impl Rows<'_> {
    /// Returns the rows of the odd machines and of the `most` slowest, below that of all together.
    fn table(&self, most: usize) -> Table {
        let load = self.load;
        let bandwidth = Unit::of_bandwidths(load.rows.iter().map(|row| row.bytes_per_second.value));
        let head = [name(load.direction), "IOPS", bandwidth.name, "vs median", "p50", "p99", "slowest 1 %"];
        let mut table = Table::headed(&head);
        let cells = |label: &str,
                     (iops, bytes): (&Estimate, &Estimate),
                     [from, tail]: [String; 2],
                     [p50, p99]: [u64; 2]| {
            vec![
                label.to_owned(),
                numbers::estimate(iops, IOPS),
                numbers::figure(bytes.value / bandwidth.factor),
                from,
                numbers::time(p50 as f64),
                numbers::time(p99 as f64),
                tail,
            ]
        };
        let times = [load.latency_ns_p50, load.latency_ns_p99];
        table.rows.push(cells("all", (&load.iops, &load.bytes_per_second), Default::default(), times));
        let mut slowest: Vec<&MergedRow> = load.rows.iter().collect();
        slowest.sort_by(|a, b| a.iops.value.total_cmp(&b.iops.value));
        slowest.truncate(most);
        for row in &load.rows {
            let deviation = self.deviations.iter().find(|of| of.side == usize::from(row.machine));
            let is_odd = deviation.is_some_and(|of| of.odd);
            if !is_odd && !slowest.contains(&row) {
                continue;
            }
            let odd = if is_odd { " odd" } else { "" };
            let from = deviation.map_or_else(String::new, |of| numbers::signed_share(of.share) + odd);
            let label = &self.answer.machines[usize::from(row.machine)].label;
            let times = [row.latency_ns_p50, row.latency_ns_p99];
            let beside = [from, numbers::share(row.tail_share)];
            table.rows.push(cells(label, (&row.iops, &row.bytes_per_second), beside, times));
        }
        table
    }
}

fn done_words(load: &MergedLoad) -> String {
    format!(
        "{}: {} until the first machine was done, {} until the last; {} I/Os in all",
        name(load.direction),
        numbers::iops(load.first_done_iops),
        numbers::iops(load.last_done_iops),
        numbers::count(load.ops as f64)
    )
}

/// Returns how far apart the machines began and ended, and by how much their intervals were moved. Runs say when they
/// began to the millisecond.
fn skew_words(step: &MergedStep) -> String {
    let time = |span: Nanos| numbers::time(span.max(Nanos::from_millis(1)).0 as f64);
    let moved = match step.moved_ns {
        Nanos::ZERO => String::new(),
        by => format!("; intervals moved by {} at most onto common edges", time(by)),
    };
    format!(
        "all ran for {}; began within {} and ended within {} of each other, by their clocks{moved}",
        numbers::span(step.window_ns.1.since(step.window_ns.0).as_secs_f64()),
        time(step.start_skew_ns),
        time(step.stop_skew_ns)
    )
}

/// Returns what was left out, by reason and step.
fn left_out(answer: &MergedAnswer) -> Vec<String> {
    let mut by: BTreeMap<(LeftOutReason, &str), Vec<&str>> = BTreeMap::new();
    for LeftOutStep { machine, step, reason } in &answer.left_out {
        let label = answer.machines[usize::from(*machine)].label.as_str();
        by.entry((*reason, step)).or_default().push(label);
    }
    let why = |reason: &LeftOutReason| match reason {
        LeftOutReason::Alone => "no other machine ran a step of this name",
        LeftOutReason::Apart => "it ran at another time than most",
        LeftOutReason::CutShort => "it was interrupted, or failed",
    };
    let line = |((reason, step), machines): (&(LeftOutReason, &str), &Vec<&str>)| {
        format!("left out: '{step}' of {}: {}", machines.join(", "), why(reason))
    };
    by.iter().map(line).collect()
}

fn tiles(answer: &MergedAnswer) -> Vec<Tile> {
    let [step] = answer.steps.as_slice() else { return Vec::new() };
    let of = |figure: &dyn Fn(&MergedLoad) -> TileFigure| step.loads.iter().map(figure).collect();
    let iops = |load: &MergedLoad| {
        TileFigure::estimate(
            &load.iops,
            IOPS,
            format!("{} of {}", name(load.direction), of_all(answer, step.machines)),
        )
    };
    let p99 = |load: &MergedLoad| {
        TileFigure::time(load.latency_ns_p99 as f64, format!("p99 of {}", name(load.direction)))
    };
    [Tile::of("IOPS", of(&iops)), Tile::of("Latency", of(&p99))].into_iter().flatten().collect()
}
