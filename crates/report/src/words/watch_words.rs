//! What a finding of a watched machine says, what else could explain it, and what to do next.

use analysis::{Level, Meaning, Named, Place, Waiting};
use record::LocalLimit;
use workload::Direction;

use crate::words::numbers::{self, IOPS, Prefix, Unit};
use crate::words::wrap::clean;

/// What `meaning` says; `None` where it is no finding of a watch.
pub(crate) fn sentence(meaning: &Meaning) -> Option<String> {
    of_what_holds(meaning).or_else(|| of_the_use(meaning)).or_else(|| of_the_machine(meaning))
}

fn of_what_holds(meaning: &Meaning) -> Option<String> {
    Some(match meaning {
        Meaning::HeldOperations { device, level, waiting, depth_one: true } => format!(
            "{} is held at {}{} even with one I/O at a time: {}. It is capped, not slow.",
            place_words(device),
            operations(level),
            named_words(level),
            took(waiting)
        ),
        Meaning::HeldOperations { device, level, waiting, .. } => format!(
            "{} is held at {}{}: with {} waiting, {}.",
            place_words(device),
            operations(level),
            named_words(level),
            numbers::figure(waiting.queue),
            took(waiting)
        ),
        Meaning::HeldBytes { device, level, waiting, size } => format!(
            "{} is held at {}{}, in requests of {}: with {} waiting, {}.",
            place_words(device),
            bytes(level),
            named_words(level),
            numbers::block(*size),
            numbers::figure(waiting.queue),
            took(waiting)
        ),
        Meaning::ThrottledAboveNominal {
            device,
            scale,
            level,
            waiting,
            claimed,
            bytes: of_bytes,
            pulled,
        } => format!(
            "Above its nominal rate {} is throttled: from {} on it stays at {}{}{}. The wait moves into the queue: {}.{}",
            place_words(device),
            scale_words(*scale),
            if *of_bytes { bytes(level) } else { operations(level) },
            named_words(level),
            against(level, *claimed),
            moved(waiting),
            pulled.map_or("", pulled_words)
        ),
        Meaning::HeldLevelFell { device, at, before, after, bytes } => {
            let rate = |value: f64| match bytes {
                true => numbers::bandwidth(value, Prefix::Binary),
                false => numbers::iops(value),
            };
            format!(
                "The level at which {} is held fell at {} from {} to {}, as it does where the credits of a burst are spent.",
                place_words(device),
                numbers::span(at.as_secs_f64()),
                rate(*before),
                rate(*after)
            )
        }
        _ => return None,
    })
}

fn pulled_words(direction: Direction) -> &'static str {
    match direction {
        Direction::Write => {
            " Its writes get less only because they share that queue: no level of their own was reached."
        }
        _ => " Its reads get less only because they share that queue: no level of their own was reached.",
    }
}

fn of_the_use(meaning: &Meaning) -> Option<String> {
    Some(match meaning {
        Meaning::StorageIdle { device, idle_share, ops_per_second, queue, waiting_share, .. } => format!(
            "Storage is not the limit: {}, the busiest device, had nothing in flight in {} of the samples (mean queue {}, {}){}.",
            place_words(device),
            numbers::share(*idle_share),
            numbers::queue(*queue),
            numbers::iops(*ops_per_second),
            waiting_share.map_or(String::new(), |share| format!(
                ", and tasks waited for I/O {} of the time",
                numbers::share(share)
            ))
        ),
        Meaning::SerialApplication { device, ops_per_second, latency_ns, cap } => format!(
            "{} is used one I/O at a time: {} at {} each{}.",
            place_words(device),
            numbers::iops(*ops_per_second),
            numbers::time(*latency_ns),
            cap.map_or(String::new(), |cap| format!(", of {} that it can do", numbers::iops(cap)))
        ),
        Meaning::FlushBound { device, flushes_per_second, flush_ns, write_ns, share } => format!(
            "Programs wait for flushes of {}: {} a second at {} each fill {} of the time{}.",
            place_words(device),
            numbers::figure(*flushes_per_second),
            numbers::time(*flush_ns),
            numbers::share(share.min(1.0)),
            write_ns.map_or(String::new(), |time| format!("; a write takes {}", numbers::time(time)))
        ),
        _ => return None,
    })
}

fn of_the_machine(meaning: &Meaning) -> Option<String> {
    Some(match meaning {
        Meaning::ThrottledAboveDevice { device, waited_ns, waiting_share, latency_ns, queue, limit } => {
            format!(
                "The application waits above {}: {}, while the device answers in {} with {} in its queue.{}",
                place_words(device),
                waits(*waited_ns, *waiting_share),
                numbers::time(*latency_ns),
                numbers::figure(*queue),
                limit.as_ref().map_or(String::new(), |limit| format!(" {}.", limit_words(limit)))
            )
        }
        Meaning::BackendSlow { device, waiting, ops_per_second } => format!(
            "{} served worse than at other times of this record: at {} and a queue of {}, {}.",
            place_words(device),
            numbers::iops(*ops_per_second),
            numbers::figure(waiting.queue),
            took(waiting)
        ),
        Meaning::CpuStarved { device, steal_share, waiting } => format!(
            "The hypervisor took {} of the CPUs while I/O on {} was slow ({}): the guest was short of CPU.",
            numbers::share(*steal_share),
            place_words(device),
            took(waiting)
        ),
        Meaning::QueueFull { device, holds, waiting } => format!(
            "The queue of {} is full: {} of {} requests are in use, so what waits beyond it is not in its latency of {}.",
            place_words(device),
            numbers::figure(waiting.queue),
            numbers::count(f64::from(*holds)),
            numbers::time(waiting.latency_ns)
        ),
        Meaning::Untimed { device } => format!(
            "The kernel keeps no times for {} (its queue/iostats is 0): only its counts mean something.",
            place_words(device)
        ),
        _ => return None,
    })
}

/// `dm-3 (vg0-data) on md0 on sda, sdb`: a device, the name people know it by, and what it stands on.
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

/// `200 %` of a share of the nominal rate.
pub(crate) fn scale_words(scale: f64) -> String {
    format!("{} %", numbers::count(scale * 100.0))
}

/// `840 ± 1 reads and 360 ± 1 writes a second (1,200 ± 1 in all)`.
fn operations(level: &Level) -> String {
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

fn bytes(level: &Level) -> String {
    let unit = Unit::of_bandwidth(level.all.value, Prefix::Binary);
    let of = |estimate| format!("{} {}", numbers::estimate(estimate, unit), unit.name);
    match (&level.read, &level.write) {
        (Some(read), Some(write)) => format!("{} of reads and {} of writes", of(read), of(write)),
        (Some(read), None) => format!("{} of reads", of(read)),
        (None, Some(write)) => format!("{} of writes", of(write)),
        (None, None) => of(&level.all),
    }
}

/// Whose figure it is, behind a comma; empty where nobody's.
fn named_words(level: &Level) -> String {
    match &level.named {
        None => String::new(),
        Some(Named::Round { .. }) => ", a round figure".to_owned(),
        Some(Named::Policy { policy, declared: true, .. }) => format!(", the figure of {}", clean(policy)),
        Some(Named::Policy { policy, .. }) => format!(" (a figure that {} has too)", clean(policy)),
        Some(Named::Local(limit)) => {
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

fn limit_words(limit: &LocalLimit) -> String {
    let value = match matches!(limit.what.as_str(), "rbps" | "wbps") {
        true => numbers::bandwidth(limit.value as f64, Prefix::Binary),
        false => numbers::iops(limit.value as f64),
    };
    format!(
        "This machine sets a limit itself: control group {} holds {} at {value} ({})",
        group(limit),
        clean(&limit.device),
        clean(&limit.what)
    )
}

/// `an I/O takes 16 ms instead of 0.50 ms`.
fn took(waiting: &Waiting) -> String {
    let took = numbers::time(waiting.latency_ns);
    match waiting.usual_latency_ns {
        Some(usual) => format!("an I/O takes {took} instead of {}", numbers::time(usual)),
        None => format!("an I/O takes {took}"),
    }
}

/// `256 in flight against 0.9 at the nominal rate (about 280 times), 213 ms from issue to done against 0.40 ms (about 530
/// times)`.
fn moved(waiting: &Waiting) -> String {
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

/// How far the level is from what is claimed, where it is not that.
fn against(level: &Level, claimed: Option<f64>) -> String {
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

fn waits(waited_ns: Option<f64>, waiting_share: Option<f64>) -> String {
    match (waited_ns, waiting_share) {
        (Some(time), _) => format!("an I/O of its own takes {}", numbers::time(time)),
        (None, Some(share)) => format!("tasks waited for I/O {} of the time", numbers::share(share)),
        (None, None) => "its I/O is held back".to_owned(),
    }
}

/// What else could explain it; `None` where it is counted and leaves no doubt.
pub(crate) fn competing(meaning: &Meaning) -> Option<&'static str> {
    Some(match meaning {
        Meaning::StorageIdle { unwatched, .. } if !unwatched.is_empty() => {
            "Loop and memory devices were not watched (name them with --device): what waited may have waited for one."
        }
        Meaning::StorageIdle { .. } => {
            "Waits shorter than an interval hide in the means, or something above the device holds the I/O back."
        }
        Meaning::SerialApplication { .. } => {
            "A cap of this very rate holds it, or the application is paced, or works between its I/Os."
        }
        Meaning::HeldOperations { level: Level { named: Some(Named::Local(_)), .. }, .. }
        | Meaning::HeldBytes { level: Level { named: Some(Named::Local(_)), .. }, .. }
        | Meaning::ThrottledAboveNominal { level: Level { named: Some(Named::Local(_)), .. }, .. } => {
            "The volume below has a limit of the same figure."
        }
        Meaning::HeldOperations { .. } | Meaning::HeldBytes { .. } => {
            "The device itself serves at so even a rate, or the limit is that of the machine for all its volumes."
        }
        Meaning::ThrottledAboveNominal { .. } => {
            "The device itself is that fast and no faster; another hour, or another mix, would show another level."
        }
        Meaning::ThrottledAboveDevice { limit: Some(_), .. } => {
            "A file system's lock or memory that is written back holds the I/O, and the limit is not reached."
        }
        Meaning::ThrottledAboveDevice { .. } => {
            "A file system's lock, memory that is written back, or a shortage of CPU holds the I/O."
        }
        Meaning::BackendSlow { .. } => {
            "The I/O itself changed (other places, other sizes), or a cache that answered before was cold."
        }
        Meaning::FlushBound { .. } => "The flushes belong to another program than the one that waits.",
        Meaning::CpuStarved { .. } => "The storage became slow at the same time.",
        Meaning::QueueFull { .. } => "The application itself asks for exactly so much at a time.",
        Meaning::HeldLevelFell { .. } => "Somebody changed the limit, or the I/O changed its mix or size.",
        _ => return None,
    })
}

/// What to do about it, as one sentence; `None` where it is no finding of a watch.
pub(crate) fn next_step(meaning: &Meaning) -> Option<String> {
    let text = match meaning {
        Meaning::StorageIdle { .. } => {
            "Look for the time in the program: its CPU, its locks, its network, its waiting for other services."
        }
        Meaning::SerialApplication { .. } => {
            "Let the application have more I/Os in flight (threads, asynchronous I/O, read-ahead), or lower the latency."
        }
        Meaning::HeldOperations { level: Level { named: Some(Named::Local(limit)), .. }, .. }
        | Meaning::HeldBytes { level: Level { named: Some(Named::Local(limit)), .. }, .. }
        | Meaning::ThrottledAboveNominal { level: Level { named: Some(Named::Local(limit)), .. }, .. }
        | Meaning::ThrottledAboveDevice { limit: Some(limit), .. } => {
            return Some(format!(
                "Raise {} of control group {} for {}, or take it away.",
                clean(&limit.what),
                group(limit),
                clean(&limit.device)
            ));
        }
        Meaning::HeldOperations { .. } | Meaning::HeldBytes { .. } => {
            "Compare the level with the policy of the volume and with that of the machine; more depth only adds waiting."
        }
        Meaning::ThrottledAboveNominal { .. } => {
            "Keep the load below that level or buy a higher one; more I/Os in flight only wait."
        }
        Meaning::ThrottledAboveDevice { .. } => {
            "Look at io.max and blkio of the control groups, at dirty memory, and at locks of the file system."
        }
        Meaning::BackendSlow { .. } => "Show the provider these spans, and compare with other hours.",
        Meaning::FlushBound { .. } => {
            "Commit in groups, or put the log on a volume that answers flushes sooner."
        }
        Meaning::CpuStarved { .. } => "Use a machine whose CPUs are not shared, and look again.",
        Meaning::QueueFull { .. } => {
            "Trust the application's own latency here: beyond this queue the device's counters see nothing."
        }
        Meaning::HeldLevelFell { .. } => {
            "Leave it idle for a while and load it again: a level that comes back was a burst."
        }
        Meaning::Untimed { device } => {
            return Some(format!(
                "Write 1 to /sys/block/{}/queue/iostats, and record again.",
                clean(&device.name)
            ));
        }
        _ => return None,
    };
    Some(text.to_owned())
}
