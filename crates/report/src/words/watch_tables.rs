//! Tables of a watched machine: the contract by phase, and the figures of devices in each phase.

use analysis::{ContractRow, DeviceFigures, Latency, PhaseFigures, Quantity, Remark, WatchFigures};

use crate::words::Table;
use crate::words::claims::answer_words;
use crate::words::numbers::{self, Prefix, UNKNOWN, Unit};

/// Returns a row for each claim and phase, for phases whose load asked for no more than is claimed. The latency is
/// given in three forms, because a contract seldom says which one it means.
pub(crate) fn contract(watched: &WatchFigures) -> Table {
    let mut table =
        Table::headed(&["phase", "claim", "asked", "measured", "mean", "p99", "within the bound", "answer"]);
    let counts = |row: &&ContractRow| !exceeds(watched, &row.phase);
    table.rows.extend(watched.contract.iter().filter(counts).map(contract_row));
    table
}

/// Whether the phase asked for more than the contract covers; each of its rows then has that remark.
fn exceeds(watched: &WatchFigures, phase: &str) -> bool {
    let mut rows = watched.contract.iter().filter(|row| row.phase == phase);
    rows.all(|row| matches!(row.remark, Some(Remark::AskedMore { .. })))
}

/// Returns a sentence on the phases that exceed the contract; `None` if there are no such phases.
pub(crate) fn beyond(watched: &WatchFigures) -> Option<String> {
    let phases = || watched.phases.iter().filter(|phase| phase.load.is_some());
    let is_beyond = |phase: &&PhaseFigures| {
        watched.contract.iter().any(|row| row.phase == phase.name) && exceeds(watched, &phase.name)
    };
    let scale = |phase: &PhaseFigures| phase.load.as_ref().and_then(|load| load.scale);
    let over: Vec<&PhaseFigures> = phases().filter(is_beyond).collect();
    let least = over.iter().filter_map(|phase| scale(phase)).fold(f64::INFINITY, f64::min);
    let first = over.iter().find(|phase| scale(phase) == Some(least)).or(over.first())?;
    let ordered = over.iter().all(|phase| scale(phase).is_some())
        && phases().filter_map(scale).filter(|scale| *scale >= least).count() == over.len();
    let which = match (over.len(), ordered) {
        (1, _) => first.name.clone(),
        (_, true) => format!("{} and above", first.name),
        _ => over.iter().map(|phase| phase.name.as_str()).collect::<Vec<_>>().join(", "),
    };
    Some(format!("At {which} more was asked than is claimed; the table of the load has those phases."))
}

fn contract_row(row: &ContractRow) -> Vec<String> {
    let latency = row.latency.as_ref();
    let answer = match &row.remark {
        Some(remark) => format!("{}: {}", answer_words(row.answer), remark_words(remark)),
        None => answer_words(row.answer).to_owned(),
    };
    vec![
        row.phase.clone(),
        row.claimed.words.clone(),
        row.asked.map_or_else(String::new, numbers::iops),
        measured(row),
        latency.and_then(|latency| latency.mean_ns).map_or_else(String::new, numbers::time),
        p99(latency),
        latency.and_then(|latency| latency.within).map_or_else(String::new, numbers::share),
        answer,
    ]
}

fn measured(row: &ContractRow) -> String {
    let Some(value) = &row.measured else { return UNKNOWN.to_owned() };
    match row.quantity {
        Quantity::Iops => format!("{} IOPS", numbers::estimate(value, numbers::IOPS)),
        Quantity::BytesPerSecond => numbers::bandwidth(value.value, Prefix::Binary),
        Quantity::MeanLatency | Quantity::PercentileLatency => numbers::time(value.value),
    }
}

fn p99(latency: Option<&Latency>) -> String {
    latency.and_then(|latency| latency.at(99.0)).map_or_else(String::new, |time| numbers::time(time as f64))
}

fn remark_words(remark: &Remark) -> String {
    match remark {
        Remark::AskedLess { asked } => format!("only {} were asked", numbers::iops(*asked)),
        Remark::AskedMore { asked } => format!("{} were asked, more than is claimed", numbers::iops(*asked)),
        Remark::OnCredits { baseline } => format!("on credits; {} last", numbers::iops(*baseline)),
        Remark::EndedBelow { asked } => {
            format!("at the end of a phase that asked for {}", numbers::iops(*asked))
        }
        Remark::MeanAlone { p99_ns } => format!("for the mean; p99 is {}", numbers::time(*p99_ns as f64)),
        Remark::NotAsked { most } => format!("the most that was seen is {}", numbers::iops(*most)),
        Remark::NoPercentile => "the device keeps a mean alone".to_owned(),
        Remark::TooFew => "too few I/Os or too short".to_owned(),
        Remark::Disturbed => "disturbed".to_owned(),
    }
}

/// Returns the figures of a device, phase by phase.
pub(crate) fn device(watched: &WatchFigures, name: &str) -> Table {
    let of_phase = |phase: &'_ PhaseFigures| phase.devices.iter().find(|device| device.name == name).cloned();
    let seen: Vec<(&str, DeviceFigures)> =
        watched.phases.iter().filter_map(|phase| Some((phase.name.as_str(), of_phase(phase)?))).collect();
    let unit = rate_unit(seen.iter().map(|(_, figures)| figures));
    let mut table = headed("phase");
    let row = |(phase, figures): &(&str, DeviceFigures)| {
        [vec![(*phase).to_owned()], figures_row(figures, unit)].concat()
    };
    table.rows = seen.iter().map(row).collect();
    table
}

/// Returns the unit of all bandwidths of a table.
fn rate_unit<'d>(devices: impl Iterator<Item = &'d DeviceFigures>) -> Unit {
    let flows = |device: &DeviceFigures| {
        [Some(device.read.bytes), Some(device.write.bytes), device.discard.map(|discard| discard.bytes)]
    };
    Unit::of_bandwidths(devices.flat_map(flows).flatten())
}

/// Returns the figures of every drawn device in `phase`, which may be the whole watch, in the order of the
/// drawings.
pub(crate) fn devices(phase: &PhaseFigures, drawn: &[&str], called: &dyn Fn(&str) -> String) -> Table {
    let mut table = headed("device");
    let of = |name: &&str| phase.devices.iter().find(|device| device.name == **name);
    let seen: Vec<&DeviceFigures> = drawn.iter().filter_map(of).collect();
    let unit = rate_unit(seen.iter().copied());
    let row = |device: &&DeviceFigures| [vec![called(&device.name)], figures_row(device, unit)].concat();
    table.rows = seen.iter().map(row).collect();
    table
}

fn headed(first: &str) -> Table {
    Table::headed(&[
        first,
        "r/s",
        "w/s",
        "read",
        "written",
        "r_await",
        "w_await",
        "aqu-sz",
        "greatest",
        "util",
        "d/s",
        "discarded",
        "d_await",
    ])
}

fn figures_row(device: &DeviceFigures, rates: Unit) -> Vec<String> {
    let figure = |value: Option<f64>| value.map_or_else(String::new, numbers::queue);
    let time = |value: Option<f64>| value.map_or_else(String::new, numbers::counted_time);
    let bandwidth = |value: f64| numbers::in_unit(value, rates);
    vec![
        numbers::figure(device.read.ops),
        numbers::figure(device.write.ops),
        bandwidth(device.read.bytes),
        bandwidth(device.write.bytes),
        time(device.read.await_ns),
        time(device.write.await_ns),
        figure(device.queue),
        figure(device.queue_max),
        device.busy.map_or_else(String::new, numbers::share),
        device.discard.map_or_else(String::new, |discard| numbers::figure(discard.ops)),
        device.discard.map_or_else(String::new, |discard| bandwidth(discard.bytes)),
        time(device.discard.and_then(|discard| discard.await_ns)),
    ]
}

/// Returns plimsoll's own load, phase by phase: requested and completed rates, and the latency of its I/Os, both
/// from due to completion, which is what a user waits, and from issue to completion.
pub(crate) fn load(watched: &WatchFigures) -> Table {
    let mut table = Table::headed(&[
        "phase",
        "asked",
        "IOPS",
        "reads",
        "writes",
        "due to done",
        "p99",
        "within the bound",
        "issue to done",
        "in flight",
    ]);
    for phase in &watched.phases {
        let Some(load) = &phase.load else { continue };
        let got = |flow: Option<&analysis::LoadFlow>| {
            let got = flow.and_then(|flow| flow.got.as_ref());
            got.map_or_else(String::new, |got| numbers::estimate(got, numbers::IOPS))
        };
        table.rows.push(vec![
            phase.name.clone(),
            load.all.asked.map_or_else(String::new, numbers::iops),
            got(Some(&load.all)),
            got(load.read.as_ref()),
            got(load.write.as_ref()),
            load.all.due.mean_ns.map_or_else(String::new, numbers::time),
            p99(Some(&load.all.due)),
            load.all.due.within.map_or_else(String::new, numbers::share),
            load.all.issued.mean_ns.map_or_else(String::new, numbers::time),
            numbers::figure(load.in_flight),
        ]);
    }
    table
}
