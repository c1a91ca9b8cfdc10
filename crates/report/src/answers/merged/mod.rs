//! The answer of `plimsoll merge` in words: what several machines had together, each of them, and the odd ones.

use std::collections::BTreeMap;

use analysis::compare::{Deviation, farthest};
use analysis::{Estimate, MergedAnswer, MergedLoad, MergedRow, MergedStep, Reach, TogetherDoubt};
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
/// Most steps of the same machines that are named.
const STEPS_NAMED: usize = 3;
/// Column of the bandwidth.
const BANDWIDTH: usize = 2;
/// Headings of the column of rates alone, and of that of the share in the slowest I/Os.
const ALONE: &str = "alone";
const TAIL: &str = "slowest 1 %";

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
    let loads = || answer.loads().map(|(_, load)| load);
    let reaches = || loads().filter_map(|load| load.reach.as_ref());
    let is_held = |load: &&MergedLoad| load.reach == Some(Reach::Held);
    let fewest = answer.steps.iter().map(|step| step.machines).min().unwrap_or(0);
    let machines = of_all(answer, fewest);
    let listed = |of: Vec<String>| of.join(", ");
    let (word, rest) = if !answer.is_together() {
        (
            "CANNOT TELL",
            format!(
                " what the {} machines bear together: no more than {} of them ran any step at the same time. `plimsoll compare RUN…` \
                 finds the odd one of runs at different times; start them together with --start-at TIME.",
                answer.machines.len(),
                answer.most_at_once()
            ),
        )
    } else if reaches().any(|reach| *reach == Reach::Held) {
        let held = loads().filter(is_held).map(kept_words).collect();
        (
            "SHARED",
            format!(
                ": {machines} at once have {}. What holds them is something that they share, such as the storage, the network to it or the account.",
                listed(held)
            ),
        )
    } else if let Some(doubt) = reaches().find_map(|reach| match reach {
        Reach::Open(doubt) => Some(doubt),
        _ => None,
    }) {
        ("CANNOT TELL", format!(" what {machines} share: {}.", doubt_words(answer, doubt)))
    } else if reaches().next().is_some() {
        let whole = loads().map(kept_words).collect();
        ("APART", format!(": {machines} have at once what each has alone: {}.", listed(whole)))
    } else if let [one] = answer.steps.as_slice() {
        let rates = one.loads.iter().map(rate_words).collect();
        let time = numbers::span(one.window_ns.1.since(one.window_ns.0).as_secs_f64());
        let when = format!("in the {time} in which all of them ran");
        ("MEASURED", format!(": {machines} together, {}, {when}.", listed(rates)))
    } else {
        let most = answer.most_at_once();
        let some = if fewest < most { format!("{fewest} to ") } else { String::new() };
        let steps = answer.steps.len();
        ("MEASURED", format!(": {some}{} together in each of {steps} steps.", of_all(answer, most)))
    };
    VerdictWords { word, rest, stops: odd_words(answer) }
}

/// Formats a rate as a share of what the machines have alone: `reads 4,000 ± 12 IOPS (67 % of each alone, added up)`.
fn kept_words(load: &MergedLoad) -> String {
    let kept = load.alone.map_or_else(String::new, |alone| {
        format!(" ({} of what each has alone, added up)", numbers::share(load.iops.value / alone.value))
    });
    format!("{} {}{kept}", name(load.direction), numbers::with_unit(&load.iops, IOPS))
}

/// Returns why it is not known whether the machines share a limit.
fn doubt_words(answer: &MergedAnswer, doubt: &TogetherDoubt) -> String {
    match doubt {
        TogetherDoubt::NotMeasured => "not all of them were measured alone in every step".to_owned(),
        TogetherDoubt::Noise => "what is missing is no more than the rates stray; run longer".to_owned(),
        TogetherDoubt::Generator => "plimsoll lacked CPU, which may be all that held them".to_owned(),
        TogetherDoubt::Changed(machine) => {
            let label = answer.machines.get(*machine).map_or("one", |machine| machine.label.as_str());
            format!("{label} alone had another rate in one run than in another")
        }
    }
}

/// Formats the number of machines: `3 machines`, `3 of 4 machines`.
fn of_all(answer: &MergedAnswer, machines: usize) -> String {
    match answer.machines.len() + answer.missing.len() {
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
    match (named.as_slice(), farthest(&answer.deviations)) {
        ([], None) => String::new(),
        ([], Some((of, others))) => {
            let far = one((&of.side, &&of));
            let (sure, why) = match of.is_alone(others) {
                true => (" for sure", ", but are too few to show how far machines stray"),
                false => ("", ""),
            };
            let others = numbers::share(others);
            format!(
                "No machine is odd{sure}: the farthest is {far}, the others lie within {others} of the median{why}."
            )
        }
        ([one], _) => format!("The odd one out is {one}, against the median of all."),
        (several, _) => format!("Odd against the median of all are {}.", several.join(", ")),
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
    blocks.push(Block::Items(
        "  ",
        step.loads.iter().map(done_words).chain([skew_words(answer, step)]).collect(),
    ));
    Section { heading: step.step.clone(), indent: Some(""), blocks }
}

/// Returns the table for 80 columns: without the columns for which there is no room, and with the beginnings and ends of
/// long names.
fn narrow(mut table: Table) -> Table {
    let has_alone = table.head.iter().any(|head| head == ALONE);
    if has_alone {
        table = table.without(BANDWIDTH);
    }
    let least: &[&str] = if has_alone { &["p50", TAIL] } else { &["p50"] };
    for head in least {
        if let Some(column) = table.head.iter().position(|of| of == head) {
            table = table.without(column);
        }
    }
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
        let mut table = Table::headed(&[
            name(load.direction),
            "IOPS",
            bandwidth.name,
            ALONE,
            "kept",
            "vs median",
            "p50",
            "p99",
            TAIL,
        ]);
        let cells = |label: &str,
                     [iops, bytes, alone]: [Option<Estimate>; 3],
                     [from, tail]: [String; 2],
                     [p50, p99]: [u64; 2]| {
            let figure =
                |of: Option<Estimate>| of.map_or_else(String::new, |of| numbers::estimate(&of, IOPS));
            let kept = alone.zip(iops).map(|(alone, iops)| numbers::share(iops.value / alone.value));
            vec![
                label.to_owned(),
                figure(iops),
                bytes.map_or_else(String::new, |bytes| numbers::figure(bytes.value / bandwidth.factor)),
                figure(alone),
                kept.unwrap_or_default(),
                from,
                numbers::time(p50 as f64),
                numbers::time(p99 as f64),
                tail,
            ]
        };
        let times = [load.latency_ns_p50, load.latency_ns_p99];
        table.rows.push(cells(
            "all",
            [Some(load.iops), Some(load.bytes_per_second), load.alone],
            Default::default(),
            times,
        ));
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
            let label = self.answer.label(row.machine);
            let times = [row.latency_ns_p50, row.latency_ns_p99];
            let beside = [from, numbers::share(row.tail_share)];
            table.rows.push(cells(
                label,
                [Some(row.iops), Some(row.bytes_per_second), row.alone],
                beside,
                times,
            ));
        }
        table.without_empty()
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

/// Returns how far apart the machines began and ended, and by how much their intervals were moved. Times are as exact as the
/// comparison of the clocks; clocks that nobody compared hardly agree to a millisecond.
fn skew_words(answer: &MergedAnswer, step: &MergedStep) -> String {
    let within = answer.machines.iter().map(|machine| machine.clock_within);
    let compared = within.collect::<Option<Vec<Nanos>>>().and_then(|within| within.into_iter().max());
    let clocks = match compared {
        Some(within) => format!("clocks compared to ±{}", numbers::time(within.0 as f64)),
        None => "by their clocks".to_owned(),
    };
    let least = compared.unwrap_or(Nanos::from_millis(1));
    let time = |span: Nanos| numbers::time(span.max(least).0 as f64);
    let moved = match step.moved_ns {
        Nanos::ZERO => String::new(),
        by => format!("; intervals moved by {} at most onto common edges", time(by)),
    };
    format!(
        "all ran for {}; began within {} and ended within {} of each other, {clocks}{moved}",
        numbers::span(step.window_ns.1.since(step.window_ns.0).as_secs_f64()),
        time(step.start_skew_ns),
        time(step.stop_skew_ns)
    )
}

/// Returns what was left out, by reason and machines.
fn left_out(answer: &MergedAnswer) -> Vec<String> {
    let mut by: BTreeMap<(LeftOutReason, &str), Vec<&str>> = BTreeMap::new();
    for LeftOutStep { machine, step, reason } in &answer.left_out {
        let label = answer.label(*machine);
        by.entry((*reason, step)).or_default().push(label);
    }
    let mut alike: BTreeMap<(LeftOutReason, Vec<&str>), Vec<&str>> = BTreeMap::new();
    for ((reason, step), machines) in by {
        alike.entry((reason, machines)).or_default().push(step);
    }
    let why = |reason: &LeftOutReason| match reason {
        LeftOutReason::Alone => "no other machine ran a step of this name",
        LeftOutReason::Apart => "at another time than most",
        LeftOutReason::CutShort => "interrupted, or failed",
    };
    let line = |((reason, machines), steps): (&(LeftOutReason, Vec<&str>), &Vec<&str>)| {
        let steps = match steps.as_slice() {
            few if few.len() <= STEPS_NAMED => format!("'{}'", few.join("', '")),
            many => format!("{} steps", many.len()),
        };
        format!("left out: {steps} of {}: {}", machines.join(", "), why(reason))
    };
    let missing = (!answer.missing.is_empty()).then(|| format!("no run of {}", answer.missing.join(", ")));
    missing.into_iter().chain(alike.iter().map(line)).collect()
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
