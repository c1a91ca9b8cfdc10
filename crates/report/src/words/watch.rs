//! A watched machine in words: the verdict on its contract, tables by phase, device and claim, and the findings in
//! brief.

use analysis::{
    Analysis, Answer, BusyAnswer, ContractRow, DeviceFigures, Finding, LoadFigures, LoadFlow, Meaning,
    PhaseFigures, Quantity, Remark, WHOLE, WatchFigures,
};
use record::{Event, EventKind, PhaseKind, Run};

use crate::answers::sheet::VerdictWords;
use crate::words::Table;
use crate::words::doubt::doubt;
use crate::words::numbers::{self, Prefix};
use crate::words::sentence::{competing, confidence, evidence, next_step, sentence};
use crate::words::watch_answer::{first_sentence, looked_words};
pub use crate::words::watch_words::place_words;
use crate::words::wrap::{COLUMNS, clean, wrap};

/// Most devices in the terminal's table; the page has all devices.
const DEVICES: usize = 6;
/// Most load phases in the terminal's table.
const PHASES: usize = 8;
/// Findings shown in full in the terminal if there are at most [`FEW`]; otherwise only the first is.
const TOLD_WHOLE: usize = 2;
/// Most findings for which [`TOLD_WHOLE`] are shown in full.
const FEW: usize = 3;
/// Most findings shown, in full or in brief.
const TOLD: usize = 5;
/// Most lapses of the record shown in the terminal.
const LAPSES: usize = 4;
/// Most rows of the contract named in the verdict.
const NAMED: usize = 3;

/// Returns the verdict of a watch in words.
pub(crate) fn verdict_words(run: &Run, analysis: &Analysis, watched: &WatchFigures) -> VerdictWords {
    let subject = analysis.verdict.subject.as_deref().map(clean).unwrap_or_default();
    let subject = if subject.contains(' ') { format!("\"{subject}\"") } else { subject };
    let judged = |answer| watched.contract.iter().filter(move |row| row.answer == answer);
    let (word, rest) = match analysis.verdict.answer {
        Answer::Measured => match first_sentence(analysis, watched) {
            Some((word, rest)) => (word, format!("{rest} Watched{}", watched_words(run, watched))),
            None => ("WATCHED", watched_words(run, watched)),
        },
        Answer::Below => {
            let rows: Vec<&ContractRow> = judged(Answer::Below).collect();
            ("BELOW", format!(" {subject}: {}.", listed(watched, &rows)))
        }
        Answer::Meets | Answer::Exceeds => ("MEETS", format!(" {subject}{}", met(watched))),
        // Nothing is claimed, and the measurement is in doubt.
        _ if analysis.verdict.subject.is_none() => {
            let why: Vec<String> = analysis.verdict.doubts.iter().map(doubt).collect();
            ("CANNOT TELL", format!(" what the volume bears: {}.", why.join("; ")))
        }
        Answer::CannotTell | Answer::ConsistentWithBurst => {
            ("CANNOT TELL", format!(" whether it meets {subject}: {}.", open(analysis, watched)))
        }
    };
    let waited =
        watched.busiest.as_ref().is_some_and(|busiest| busiest.answer == BusyAnswer::WaitedElsewhere);
    let healthy = !waited
        && analysis.findings.is_empty()
        && watched.phases.iter().any(|phase| !phase.devices.is_empty());
    let stops = match (&watched.looked, healthy) {
        (Some(looked), true) => looked_words(looked, watched.command.as_ref()),
        (None, true) => {
            "No device was used, so that nothing can be said of what would hold it back.".to_owned()
        }
        (_, false) => String::new(),
    };
    let stops = match first_sentence(analysis, watched) {
        // The contract leads, and the time of the command follows.
        Some((word, rest)) if analysis.verdict.answer != Answer::Measured => format!("{word}{rest} {stops}"),
        _ => stops,
    };
    VerdictWords { word, rest, stops }
}

/// Describes the watched machine, for a watch without a contract.
fn watched_words(run: &Run, watched: &WatchFigures) -> String {
    let (from, to) =
        (watched.phases.first().map(|phase| phase.from), watched.phases.last().map(|phase| phase.to));
    let seconds = from.zip(to).map_or(0.0, |(from, to)| to.since(from).as_secs_f64());
    let devices = match watched.devices.len() {
        1 => "1 device".to_owned(),
        several => format!("{} devices", numbers::count(several as f64)),
    };
    let command = watched.phases.iter().find_map(|phase| match phase.kind {
        Some(PhaseKind::Command { code }) => Some(code),
        _ => None,
    });
    let command = match command {
        Some(Some(code)) => format!(" while a command ran, which ended with exit code {code}"),
        Some(None) => " while a command ran".to_owned(),
        None => String::new(),
    };
    let none = if run.samples.is_empty() && run.observed.is_none() { " No counters were read." } else { "" };
    format!(" {devices} for {}{command}.{none}", numbers::span(seconds))
}

/// Returns the figures of the phase that proves the contract.
fn met(watched: &WatchFigures) -> String {
    let proof = watched.contract.iter().rfind(|row| row.answer == Answer::Meets && is_rate(row));
    let proof = proof.or(watched.contract.iter().rfind(|row| row.answer == Answer::Meets));
    let Some(row) = proof else { return ".".to_owned() };
    let alone = watched.contract.iter().find_map(|row| row.remark.and_then(|remark| mean_alone(&remark)));
    let alone = alone.map_or(String::new(), |words| format!(" {words}."));
    let Some(phase) = watched.phases.iter().find(|phase| phase.name == row.phase) else {
        return format!(": {}.{alone}", row_words(row));
    };
    let seen = numbers::span(phase.to.since(phase.from).as_secs_f64());
    match &phase.load {
        Some(load) => format!(" at {}: {}, seen for {seen}.{alone}", clean(&row.phase), load_words(load)),
        None => format!(": {}, seen for {seen}.{alone}", row_words(row)),
    }
}

fn is_rate(row: &ContractRow) -> bool {
    matches!(row.quantity, Quantity::Iops | Quantity::BytesPerSecond)
}

/// Describes a load: `700 reads and 300 writes a second, mean 0.31 ms, p99 1.2 ms, 100 % within 30 ms`.
fn load_words(load: &LoadFigures) -> String {
    let rate = |flow: &LoadFlow| flow.got.map_or(0.0, |got| got.value);
    let rates = match (&load.read, &load.write) {
        (Some(read), Some(write)) => {
            format!(
                "{} reads and {} writes a second",
                numbers::count(rate(read)),
                numbers::count(rate(write))
            )
        }
        (Some(read), None) => format!("{} reads a second", numbers::count(rate(read))),
        (None, Some(write)) => format!("{} writes a second", numbers::count(rate(write))),
        (None, None) => "nothing".to_owned(),
    };
    let due = &load.all.due;
    let mut words = vec![rates];
    words.extend(due.mean_ns.map(|mean| format!("mean {}", numbers::time(mean))));
    words.extend(due.at(99.0).map(|p99| format!("p99 {}", numbers::time(p99 as f64))));
    words.extend(
        due.within.zip(due.bound_ns).map(|(share, bound)| {
            format!("{} within {}", numbers::share(share), numbers::time(bound as f64))
        }),
    );
    words.join(", ")
}

/// Lists the first rows, grouping repetitions of a load, and counts the rest.
fn listed(watched: &WatchFigures, rows: &[&ContractRow]) -> String {
    let scale = |row: &ContractRow| {
        let phase = watched.phases.iter().find(|phase| phase.name == row.phase)?;
        Some(phase.load.as_ref()?.scale)
    };
    let alike = |a: &ContractRow, b: &ContractRow| {
        let same = (a.quantity, a.direction) == (b.quantity, b.direction) && a.claimed == b.claimed;
        same && scale(a).is_some() && scale(a) == scale(b)
    };
    let mut groups: Vec<Vec<&ContractRow>> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|group| alike(group[0], row)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let mut words: Vec<String> =
        groups.iter().take(NAMED).map(|group| group_words(group, scale(group[0]).flatten())).collect();
    if groups.len() > NAMED {
        words.push(format!("and {} more", groups.len() - NAMED));
    }
    words.join(", ")
}

/// Describes a group of rows: `read 600 to 610 of 700 IOPS at load 100% (3x)`.
fn group_words(group: &[&ContractRow], scale: Option<f64>) -> String {
    if let [only] = group {
        return format!("{}{}", row_words(only), phase_words(&only.phase));
    }
    let of = |row: &ContractRow| row.measured.map_or(0.0, |found| found.value);
    let mut sorted = group.to_vec();
    sorted.sort_by(|a, b| of(a).total_cmp(&of(b)));
    let (least, most) = (sorted[0], sorted[sorted.len() - 1]);
    let (low, high) = (found_words(least, of(least)), found_words(most, of(most)));
    let range = if low == high { low } else { format!("{low} to {high}") };
    let phases = match scale {
        Some(scale) => format!("load {}% ({}x)", numbers::count(scale * 100.0), group.len()),
        None => format!("{} loads", group.len()),
    };
    format!("{} {range} {} at {phases}", what(least), bound_words(least))
}

/// Formats the measured value, without a unit for IOPS, because the claim beside it has one.
fn found_words(row: &ContractRow, value: f64) -> String {
    match row.quantity {
        Quantity::Iops => numbers::count(value),
        _ => value_words(row, value),
    }
}

fn bound_words(row: &ContractRow) -> String {
    let claimed = value_words(row, row.claimed.value);
    if is_rate(row) { format!("of {claimed}") } else { format!("(at most {claimed})") }
}

fn phase_words(phase: &str) -> String {
    if phase == WHOLE { String::new() } else { format!(" at {}", clean(phase)) }
}

/// Describes a row: `read 600 of 700 IOPS`, `mean latency 45 ms (at most 30 ms)`.
fn row_words(row: &ContractRow) -> String {
    match row.measured {
        None => format!("{} nothing of {}", what(row), value_words(row, row.claimed.value)),
        Some(found) => format!("{} {} {}", what(row), found_words(row, found.value), bound_words(row)),
    }
}

fn value_words(row: &ContractRow, value: f64) -> String {
    match row.quantity {
        Quantity::Iops => numbers::iops(value),
        Quantity::BytesPerSecond => numbers::bandwidth(value, Prefix::Binary),
        Quantity::MeanLatency | Quantity::PercentileLatency => numbers::time(value),
    }
}

fn what(row: &ContractRow) -> String {
    let way = row.direction.map_or("", |way| way.name());
    let quantity = match row.quantity {
        Quantity::Iops | Quantity::BytesPerSecond if way.is_empty() => "together",
        Quantity::Iops | Quantity::BytesPerSecond => "",
        Quantity::MeanLatency => "mean latency",
        Quantity::PercentileLatency => "latency",
    };
    [way, quantity].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the reasons why nothing is decided.
fn open(analysis: &Analysis, watched: &WatchFigures) -> String {
    let undecided = [Answer::CannotTell, Answer::ConsistentWithBurst];
    let remarks = watched.contract.iter().filter(|row| undecided.contains(&row.answer));
    let mut words: Vec<String> = remarks.filter_map(remark_words).collect();
    if words.is_empty() {
        let asked = watched.contract.iter().filter(|row| is_rate(row)).filter_map(remark_words);
        words.extend(asked);
    }
    if words.is_empty() {
        let met = watched.contract.iter().rfind(|row| row.answer == Answer::Meets);
        words.extend(met.map(|row| format!("it gets {}{}", row_words(row), phase_words(&row.phase))));
        let unjudged = watched.contract.iter().filter(|row| row.answer == Answer::Measured);
        words.extend(
            unjudged.filter_map(|row| Some(format!("{} is not judged: {}", what(row), remark_words(row)?))),
        );
    }
    words.dedup();
    words.truncate(NAMED);
    match words.is_empty() {
        true if analysis.verdict.rows.is_empty() => "it claims nothing that can be measured".to_owned(),
        true => "no phase says anything of it".to_owned(),
        false => words.join("; "),
    }
}

fn mean_alone(remark: &Remark) -> Option<String> {
    match remark {
        Remark::MeanAlone { p99_ns } => Some(format!(
            "The contract does not say which statistic it means: the mean holds, the 99th percentile is {}",
            numbers::time(*p99_ns as f64)
        )),
        _ => None,
    }
}

/// Returns the reason why a row of the contract is not simply met or missed, as a clause; `None` if it is.
fn remark_words(row: &ContractRow) -> Option<String> {
    let claimed = value_words(row, row.claimed.value);
    Some(match row.remark.as_ref()? {
        Remark::AskedLess { asked } => {
            format!("{} asked for {} of {claimed}", clean(&row.phase), value_words(row, *asked))
        }
        Remark::AskedMore { .. } => "more was asked than the contract covers".to_owned(),
        Remark::OnCredits { baseline } => format!(
            "it gets {} at {}, of which {} last: the rest is on credits, which run out",
            row.measured.map_or(String::new(), |found| value_words(row, found.value)),
            clean(&row.phase),
            value_words(row, *baseline)
        ),
        Remark::EndedBelow { asked } => {
            format!("at the end of {}, which asked for {}", clean(&row.phase), value_words(row, *asked))
        }
        alone @ Remark::MeanAlone { .. } => mean_alone(alone)?,
        Remark::NotAsked { most } => {
            format!("nobody asked for {claimed}; the most that was seen is {}", value_words(row, *most))
        }
        Remark::NoPercentile => "the kernel's counters keep a mean and no percentile".to_owned(),
        Remark::TooFew => "too few I/Os were counted".to_owned(),
        Remark::Disturbed => {
            "plimsoll was short of CPU, or somebody else used the device meanwhile".to_owned()
        }
    })
}

/// Returns the load phases: requested and achieved rate, latency as the user sees it, I/Os in flight. A scaled load
/// has a row for each share of the nominal rate. `None` without a load.
pub fn phase_table(watched: &WatchFigures) -> Option<Table> {
    let rows: Vec<(String, &LoadFigures)> = match watched.series.is_empty() {
        false => watched.series.iter().map(|row| (series_name(&row.phases, row.scale), &row.load)).collect(),
        true => watched
            .phases
            .iter()
            .filter_map(|phase| Some((clean(&phase.name), phase.load.as_ref()?)))
            .collect(),
    };
    let bound = rows.iter().find_map(|(_, load)| load.all.due.bound_ns);
    let within = bound.map(|bound| format!("within {}", numbers::time(bound as f64)));
    let mut heads = vec!["phase", "asked r+w", "got r+w", "mean", "p99"];
    heads.extend(within.as_deref());
    heads.push("in flight");
    let mut table = Table::headed(&heads);
    for (name, load) in &rows {
        table.rows.push(load_row(name, load, bound));
    }
    (!rows.is_empty()).then_some(table)
}

fn load_row(name: &str, load: &LoadFigures, bound: Option<u64>) -> Vec<String> {
    let pair = |of: &dyn Fn(&LoadFlow) -> Option<f64>| {
        let each: Vec<String> = [&load.read, &load.write]
            .into_iter()
            .flatten()
            .map(|flow| of(flow).map_or("any".to_owned(), numbers::count))
            .collect();
        each.join("+")
    };
    let due = &load.all.due;
    let time = |value: Option<f64>| value.map_or("-".to_owned(), numbers::time);
    let mut row = vec![
        name.to_owned(),
        pair(&|flow| flow.asked),
        pair(&|flow| flow.got.map(|got| got.value)),
        time(due.mean_ns),
        time(due.at(99.0).map(|value| value as f64)),
    ];
    row.extend(bound.map(|_| due.within.map_or("-".to_owned(), numbers::share)));
    row.push(numbers::figure(load.in_flight));
    row
}

/// Returns the name of a share: `load 200%`, with a count if it has several phases.
fn series_name(phases: &[String], scale: f64) -> String {
    match phases {
        [only] => clean(only),
        several => format!("load {}% ({}x)", numbers::count(scale * 100.0), several.len()),
    }
}

/// Returns the cells of a device: reads and writes a second, bytes, waits, queue, busy share.
fn device_cells(device: &DeviceFigures) -> Vec<String> {
    let time = |value: Option<f64>| value.map_or("-".to_owned(), numbers::counted_time);
    vec![
        numbers::figure(device.read.ops),
        numbers::figure(device.write.ops),
        numbers::bandwidth(device.read.bytes, Prefix::Binary),
        numbers::bandwidth(device.write.bytes, Prefix::Binary),
        time(device.read.await_ns),
        time(device.write.await_ns),
        device.queue.map_or("-".to_owned(), numbers::queue),
        device.busy.map_or("-".to_owned(), numbers::share),
    ]
}

/// Returns the middle of a watch's text: the appropriate table, the findings in brief, and lapses of the record.
pub(crate) fn sections(run: &Run, analysis: &Analysis, watched: &WatchFigures) -> [String; 3] {
    let table = match phase_table(watched) {
        Some(table) => lines(&shortened(table, PHASES)),
        None => lines(&busiest(watched)),
    };
    [table, findings(&analysis.findings), lapses(run, analysis)]
}

/// Returns the reasons why the record is incomplete: cut off, unobserved, a device removed, a clock set.
fn lapses(run: &Run, analysis: &Analysis) -> String {
    let mut told: Vec<String> = Vec::new();
    let found = analysis.findings.iter().any(|f| matches!(f.meaning, Meaning::Interrupted(_)));
    if !run.complete && run.still_running.is_none() && !found {
        let last = run.samples.last().map_or(0.0, |sample| sample.at.as_secs_f64());
        let at = numbers::span(last);
        told.push(format!("The watch was cut off at {at}: this is what was recorded until then."));
    }
    let while_watching = |event: &&Event| matches!(event.kind, EventKind::Warning | EventKind::Note);
    let events: Vec<&Event> = run.events.iter().filter(while_watching).collect();
    told.extend(
        events
            .iter()
            .take(LAPSES)
            .map(|event| format!("At {}: {}", numbers::span(event.at.as_secs_f64()), clean(&event.text))),
    );
    if events.len() > LAPSES {
        told.push(format!("{} more of that kind are in the run file.", events.len() - LAPSES));
    }
    told.iter().map(|text| wrap("  record  ", text)).collect()
}

fn shortened(mut table: Table, most: usize) -> Table {
    if table.rows.len() > most {
        let more = table.rows.len() - most;
        table.rows.truncate(most);
        let mut last = vec![String::new(); table.head.len()];
        last[0] = format!("{more} more");
        table.rows.push(last);
    }
    table
}

/// Returns the busiest devices in the longest phase.
fn busiest(watched: &WatchFigures) -> Table {
    let mut table =
        Table::headed(&["device", "r/s", "w/s", "read", "written", "r_await", "w_await", "queue", "busy"]);
    let Some(phase) = longest(watched) else { return table };
    let work = |device: &DeviceFigures| {
        device.read.ops + device.write.ops + device.discard.map_or(0.0, |discard| discard.ops)
    };
    let mut devices: Vec<&DeviceFigures> = phase.devices.iter().filter(|device| work(device) > 0.0).collect();
    devices.sort_by(|a, b| work(b).total_cmp(&work(a)));
    let discards = devices.iter().any(|device| device.discard.is_some());
    table.head.extend(discards.then(|| "d/s".to_owned()));
    for device in &devices {
        let mut row = vec![clean(&device.name)];
        row.extend(device_cells(device));
        let discarded = device.discard.map_or("-".to_owned(), |discard| numbers::figure(discard.ops));
        row.extend(discards.then_some(discarded));
        table.rows.push(row);
    }
    shortened(table, DEVICES)
}

fn longest(watched: &WatchFigures) -> Option<&PhaseFigures> {
    watched.phases.iter().max_by_key(|phase| phase.to.since(phase.from))
}

/// Formats a table as lines: the first column aligned left, figures right; empty if there are no rows.
fn lines(table: &Table) -> String {
    if table.rows.is_empty() {
        return String::new();
    }
    let all = || std::iter::once(&table.head).chain(&table.rows);
    let width = |column: usize| all().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
    let used: usize = widths[1..].iter().sum();
    let gap = (COLUMNS.saturating_sub(2 + used + widths[0]) / widths.len().max(1)).clamp(1, 3);
    let first = widths[0].min(COLUMNS.saturating_sub(2 + used + gap * (widths.len() - 1)).max(8));
    let line = |row: &Vec<String>| {
        let name: String = row[0].chars().take(first).collect();
        let mut text = format!("  {name:<first$}");
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            text += &format!("{}{cell:>width$}", " ".repeat(gap));
        }
        let cut: String = text.trim_end().chars().take(COLUMNS).collect();
        cut.trim_end().to_owned() + "\n"
    };
    all().map(line).collect()
}

/// Shows the first findings in full and the next ones as sentences, and counts the rest.
fn findings(found: &[Finding]) -> String {
    let whole = if found.len() > FEW { 1 } else { TOLD_WHOLE };
    let mut text = String::new();
    for (at, finding) in found.iter().take(TOLD).enumerate() {
        text += &wrap("  found   ", &sentence(finding));
        // A level that fell is unusual, so it is always shown with the other explanation and the next step.
        if at < whole || matches!(finding.meaning, Meaning::HeldLevelFell(_)) {
            text += &explained(finding);
        }
    }
    if found.len() > TOLD {
        text += &wrap("          ", &format!("{} more in the report.", found.len() - TOLD));
    }
    text
}

fn explained(finding: &Finding) -> String {
    let seen = evidence(&finding.evidence);
    let sure = confidence(finding);
    let seen = if seen.is_empty() { sure.to_owned() } else { format!("{seen} ({sure})") };
    let mut text = wrap("  seen    ", &format!("{seen}."));
    if let Some(other) = competing(finding) {
        text += &wrap("  unless  ", &other);
    }
    text + &wrap("  next    ", &next_step(finding))
}
