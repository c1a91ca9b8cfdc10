//! Devices, levels and waits of a watched machine in words, for the sentences of findings.

use analysis::{Level, LevelOrigin, Place, Waiting};
use record::LocalLimit;
use workload::Direction;

use crate::words::numbers::{self, IOPS, Prefix, Unit};
use crate::words::wrap::clean;

pub(super) fn pulled_words(direction: Direction) -> &'static str {
    match direction {
        Direction::Write => {
            " Its writes get less only because they share that queue: no level of their own was reached."
        }
        _ => " Its reads get less only because they share that queue: no level of their own was reached.",
    }
}

/// Describes a device, its alias, and the devices below it: `dm-3 (vg0-data) on md0 on sda, sdb`.
pub fn place_words(place: &Place) -> String {
    let mut words = clean(&place.name);
    if !place.alias.is_empty() && place.alias != place.name {
        words += &format!(" ({})", clean(&place.alias));
    }
    for layer in &place.on {
        let names: Vec<String> = layer.iter().map(|name| clean(name)).collect();
        words += &format!(" on {}", names.join(", "));
    }
    words
}

/// Formats a share of the nominal rate: `200 %`.
pub(crate) fn scale_words(scale: f64) -> String {
    format!("{} %", numbers::count(scale * 100.0))
}

/// Formats a level: `840 ± 1 reads and 360 ± 1 writes a second (1,200 ± 1 in all)`.
pub(super) fn operations(level: &Level) -> String {
    let of = |estimate, what: &str| format!("{} {what}", numbers::estimate(estimate, IOPS));
    match (&level.read, &level.write) {
        (Some(read), Some(write)) => format!(
            "{} and {} a second ({} in all)",
            of(read, "reads"),
            of(write, "writes"),
            numbers::count(level.all.value)
        ),
        (Some(read), None) => format!("{} a second", of(read, "reads")),
        (None, Some(write)) => format!("{} a second", of(write, "writes")),
        (None, None) => format!("{} IOPS", numbers::estimate(&level.all, IOPS)),
    }
}

pub(super) fn bytes(level: &Level) -> String {
    let unit = Unit::of_bandwidth(level.all.value, Prefix::Binary);
    let of = |estimate| numbers::with_unit(estimate, unit);
    match (&level.read, &level.write) {
        (Some(read), Some(write)) => format!("{} of reads and {} of writes", of(read), of(write)),
        (Some(read), None) => format!("{} of reads", of(read)),
        (None, Some(write)) => format!("{} of writes", of(write)),
        (None, None) => of(&level.all),
    }
}

/// Returns the origin of a level's figure, after a comma or in brackets; empty if it is unknown.
pub(super) fn named_words(level: &Level) -> String {
    match &level.named {
        None => String::new(),
        Some(LevelOrigin::Round { .. }) => ", a round figure".to_owned(),
        Some(LevelOrigin::Policy { policy, declared: true, .. }) => {
            format!(", the figure of {}", clean(policy))
        }
        Some(LevelOrigin::Policy { policy, .. }) => format!(" (a figure that {} has too)", clean(policy)),
        Some(LevelOrigin::Local(limit)) => {
            format!(
                ", which this machine sets itself ({} of control group {})",
                clean(&limit.what),
                group(limit)
            )
        }
    }
}

fn group(limit: &LocalLimit) -> String {
    if limit.group.is_empty() { "/".to_owned() } else { clean(&limit.group) }
}

pub(super) fn limit_words(limit: &LocalLimit) -> String {
    format!("This machine sets a limit itself: {}", held_by(limit))
}

/// Names a limit and its group: `control group /a holds sda at 60 IOPS (wiops)`.
pub(crate) fn held_by(limit: &LocalLimit) -> String {
    let value = match matches!(limit.what.as_str(), "rbps" | "wbps") {
        true => numbers::bandwidth(limit.value as f64, Prefix::Binary),
        false => numbers::iops(limit.value as f64),
    };
    format!(
        "control group {} holds {} at {value} ({})",
        group(limit),
        clean(&limit.device),
        clean(&limit.what)
    )
}

/// Formats a latency: `an I/O takes 16 ms instead of 0.50 ms`.
pub(super) fn took(waiting: &Waiting) -> String {
    let took = numbers::time(waiting.latency_ns);
    match waiting.usual_latency_ns {
        Some(usual) if numbers::time(usual) != took => {
            format!("an I/O takes {took} instead of {}", numbers::time(usual))
        }
        _ => format!("an I/O takes {took}"),
    }
}

/// Compares queue and latency with the usual:
/// `256 in flight against 0.9 at the nominal rate (about 280 times), 213 ms from issue to done against
/// 0.40 ms (about 530 times)`.
pub(super) fn moved(waiting: &Waiting) -> String {
    let queue = numbers::figure(waiting.queue);
    let latency = numbers::time(waiting.latency_ns);
    let times = |now: f64, usual: f64| numbers::factor(now / usual);
    match (
        waiting.usual_queue.filter(|queue| *queue > 0.0),
        waiting.usual_latency_ns.filter(|time| *time > 0.0),
    ) {
        (Some(was), Some(took)) => format!(
            "{queue} in flight against {} at the nominal rate ({}), {latency} from issue to done against {} ({})",
            numbers::figure(was),
            times(waiting.queue, was),
            numbers::time(took),
            times(waiting.latency_ns, took)
        ),
        (_, Some(took)) => format!(
            "{queue} in flight, {latency} from issue to done against {} ({})",
            numbers::time(took),
            times(waiting.latency_ns, took)
        ),
        _ => format!("{queue} in flight, {latency} each from issue to done"),
    }
}

/// Returns how the level compares with the claimed rate; empty without a claim.
pub(super) fn against(level: &Level, claimed: Option<f64>) -> String {
    let Some(claimed) = claimed.filter(|claimed| *claimed > 0.0) else { return String::new() };
    let off = level.all.value / claimed - 1.0;
    match off {
        off if off.abs() < 0.005 => format!(", the {} claimed", numbers::count(claimed)),
        off if off > 0.0 => {
            format!(", {} above the {} claimed", numbers::share(off), numbers::count(claimed))
        }
        off => format!(", {} below the {} claimed", numbers::share(-off), numbers::count(claimed)),
    }
}

pub(super) fn waits(waited_ns: Option<f64>) -> String {
    waited_ns.map_or("its I/O is held back".to_owned(), |time| {
        format!("an I/O of its own takes {}", numbers::time(time))
    })
}

/// Returns the advice on a limit that this machine itself sets.
pub(super) fn raise(limit: &LocalLimit) -> String {
    format!(
        "Raise {} of control group {} for {}, or take it away.",
        clean(&limit.what),
        group(limit),
        clean(&limit.device)
    )
}

/// Returns what `rate` requests of one `size` a second are equivalent to: bytes, and operations of a unit.
pub(super) fn equal_words(rate: f64, size: f64) -> String {
    if size < SMALLEST_TOLD {
        return String::new();
    }
    let units: Vec<String> = UNITS
        .iter()
        .filter(|unit| **unit < size)
        .map(|unit| {
            let charged = rate * (size / unit).ceil();
            format!("{} charged by {}", numbers::iops(charged), numbers::block(*unit))
        })
        .collect();
    let units = if units.is_empty() { String::new() } else { format!(", or {}", units.join(", ")) };
    format!(
        " In requests of {} that is {} as well{units}: requests of one size do not tell these apart.",
        numbers::block(size),
        numbers::bandwidth(rate * size, Prefix::Binary)
    )
}

/// Least request size in bytes that is described: smaller requests are limited by their number.
const SMALLEST_TOLD: f64 = 16_384.0;
/// Units in bytes by which limits charge, or may charge (method 5.2): no provider is known to publish the first.
const UNITS: [f64; 3] = [16_384.0, 32_768.0, 262_144.0];

/// Returns the other possible limit: if this machine sets the level, a limit of the same figure below; or else
/// `otherwise`.
pub(super) fn unless_held(level: &Level, otherwise: &'static str) -> &'static str {
    match &level.named {
        Some(LevelOrigin::Local(_)) => "The volume below has a limit of the same figure.",
        _ => otherwise,
    }
}

/// Returns the next step: to raise the limit if this machine sets it, or else `otherwise`.
pub(super) fn next_held(level: &Level, otherwise: &str) -> String {
    match &level.named {
        Some(LevelOrigin::Local(limit)) => raise(limit),
        _ => otherwise.to_owned(),
    }
}
