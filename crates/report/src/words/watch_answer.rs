//! The first sentence of a watch: whether the disk is the limit of the command, or which device was busy and by whom.

use analysis::{
    Analysis, BusiestDevice, BusyAnswer, CommandTime, DetectionLimits, DeviceFigures, LoadShortfall, Meaning,
    StorageAnswer, WatchFigures, findings::ThrottledAboveDevice,
};

use crate::words::numbers::{self, Prefix};
use crate::words::watch_words::{held_by, place_words};
use crate::words::wrap::clean;

/// Most devices that the first sentence names.
const PLACES: usize = 2;
/// Most other parts of a command's time that are named.
const PARTS: usize = 3;
/// Share of the time from which a part is named; smaller ones are not known better.
const TOLD: f64 = 0.01;
/// Shares of a device's bytes from which a process moved almost all, or most of them.
const ALMOST_ALL: f64 = 0.9;
const MOST: f64 = 0.5;

/// Returns the coloured word and the rest of the first sentence; `None` if the watch was neither of a command nor of
/// devices alone.
pub(super) fn first_sentence(analysis: &Analysis, watched: &WatchFigures) -> Option<(&'static str, String)> {
    match (&watched.command, &watched.busiest) {
        (Some(command), _) => Some(of_command(command, (analysis, watched))),
        (None, Some(busiest)) => Some(of_device(busiest, analysis)),
        (None, None) => None,
    }
}

fn of_command(time: &CommandTime, (analysis, watched): (&Analysis, &WatchFigures)) -> (&'static str, String) {
    let program = clean(&time.program);
    let waited = waited_words(time);
    let rest = in_front_words(time, (analysis, watched)) + &spent_words(time);
    match time.answer {
        StorageAnswer::Yes => ("YES", format!(", the disk is the limit: {program} {waited}.{rest}")),
        StorageAnswer::Partly => ("PARTLY", format!(": {program} {waited}.{rest}")),
        StorageAnswer::No => {
            let share = share(time.storage);
            let text = format!(
                ", the disk is not the limit: {program} waited for storage {share} of its time.{rest}"
            );
            ("NO", text)
        }
        StorageAnswer::Elsewhere if time.waited_for.is_empty() => {
            let share = share(time.storage);
            let text = format!(
                ": {program} waited for I/O {share} of its time, and no watched device explains it (a network file \
                 system, FUSE, or io_uring on sockets).{rest}"
            );
            ("CANNOT TELL", text)
        }
        StorageAnswer::Elsewhere => {
            ("ELSEWHERE", format!(": {program} {waited}, which is on no watched device.{rest}"))
        }
        StorageAnswer::TooShort => {
            let looks = match time.looks {
                1 => "once".to_owned(),
                many => format!("{} times", numbers::count(many as f64)),
            };
            let text = format!(
                " whether the disk is the limit: {program} was looked at only {looks}; let it run for longer."
            );
            ("CANNOT TELL", text)
        }
    }
}

/// Describes the waiting for storage: `waited for loop1 71 % and for vda 20 % of its time`.
fn waited_words(time: &CommandTime) -> String {
    let named: Vec<String> = time
        .waited_for
        .iter()
        .take(PLACES)
        .filter(|wait| wait.share >= TOLD)
        .map(|wait| format!("for {} {}", clean(&wait.place.name), share(wait.share)))
        .collect();
    format!("waited {} of its time", named.join(" and "))
}

/// Says that the device for which a command waited the longest did nothing for most of that time. Without its busy share,
/// or where it was busy as long, says nothing.
fn in_front_words(time: &CommandTime, (analysis, watched): (&Analysis, &WatchFigures)) -> String {
    let is_limit = matches!(time.answer, StorageAnswer::Yes | StorageAnswer::Partly);
    let Some(longest) = time.waited_for.first().filter(|wait| is_limit && wait.device) else {
        return String::new();
    };
    let devices = || watched.phases.iter().flat_map(|phase| &phase.devices);
    let is_it = |device: &&DeviceFigures| device.name == longest.place.name;
    let (busy_s, seconds) = devices().filter(is_it).fold((0.0, 0.0), |(busy_s, seconds), device| {
        (busy_s + device.busy.unwrap_or(f64::NAN) * device.seconds, seconds + device.seconds)
    });
    let busy = busy_s / seconds;
    if busy.is_nan() || busy * 2.0 > longest.share {
        return String::new();
    }
    let name = clean(&longest.place.name);
    let of_it = |above: &&ThrottledAboveDevice| above.device.name == longest.place.name;
    let limit = throttled(analysis).find(of_it).and_then(|above| above.limit.as_ref());
    let front = match limit {
        Some(limit) => format!("{}, in front of it", held_by(limit)),
        None => "the wait is in front of it, as for a limit of this machine or a lock of the file system"
            .to_owned(),
    };
    format!(" {name} itself was busy {} of the time: {front}.", share(busy))
}

fn throttled(analysis: &Analysis) -> impl Iterator<Item = &ThrottledAboveDevice> {
    analysis.findings.iter().filter_map(|finding| match &finding.meaning {
        Meaning::ThrottledAboveDevice(above) => Some(above),
        _ => None,
    })
}

/// Describes the other parts of a command's time, the greatest first: ` It ran on a CPU 88 % and slept 10 %.`
fn spent_words(time: &CommandTime) -> String {
    let mut parts = [
        (time.running, "ran on a CPU"),
        (time.cpu_wait, "waited for a CPU"),
        (time.locks, "waited for locks or other threads"),
        (time.network, "waited for the network"),
        (time.sleeping, "slept"),
        (time.other, "waited for other programs or input"),
    ];
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let told = parts.iter().take(PARTS).filter(|(share, _)| *share >= TOLD);
    let words: Vec<String> = told.map(|(share, what)| format!("{what} {}", self::share(*share))).collect();
    if words.is_empty() { String::new() } else { format!(" It {}.", listed(&words)) }
}

/// Formats a share of a command's time, which some hundred looks do not know better than to a percent.
fn share(share: f64) -> String {
    if share < TOLD { "less than 1 %".to_owned() } else { numbers::share(share) }
}

fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn of_device(device: &BusiestDevice, analysis: &Analysis) -> (&'static str, String) {
    let (name, busy) = (clean(&device.place.name), share(device.busy));
    let quiet = numbers::share(device.busy.max(TOLD));
    match device.answer {
        BusyAnswer::Quiet => {
            let text = format!(
                ": no watched device was busy more than {quiet} of the time, so storage is hardly the limit of anything here."
            );
            ("QUIET", text)
        }
        BusyAnswer::WaitedElsewhere => {
            let limit = throttled(analysis).find_map(|above| above.limit.as_ref());
            let why = match limit {
                Some(limit) => format!("They waited in front of one: {}.", held_by(limit)),
                None => "They waited for a device that is not watched (--device), for the network, or in front of a \
                         device, as for a limit of a control group or a lock of the file system: \
                         `plimsoll watch -- COMMAND` names it for one program."
                    .to_owned(),
            };
            let waited = share(device.waiting.unwrap_or_default());
            let text = format!(
                ": tasks waited for I/O {waited} of the time, and no watched device was busy more than {quiet}. {why}"
            );
            ("WAITING", text)
        }
        BusyAnswer::Busy => {
            ("BUSY", format!(": {name} was busy {busy} of the time{}.{}", moved(device), used_words(device)))
        }
        BusyAnswer::Used => {
            ("USED", format!(": {name} was busy {busy} of the time{}.{}", moved(device), used_words(device)))
        }
    }
}

fn moved(device: &BusiestDevice) -> String {
    let of = |rate: f64, what: &str| {
        (rate > 0.0).then(|| format!(", {} {what}", numbers::bandwidth(rate, Prefix::Binary)))
    };
    [of(device.read, "read"), of(device.written, "written")].into_iter().flatten().collect()
}

/// Names the processes that used a device: ` Almost all by dd (pid 123).`
fn used_words(device: &BusiestDevice) -> String {
    let Some(first) = device.used_by.first() else { return String::new() };
    let process = |user: &analysis::DeviceUser| {
        let group = if user.group.is_empty() { String::new() } else { format!(", {}", clean(&user.group)) };
        format!("{} (pid {}{group})", clean(&user.name), user.pid)
    };
    let among = if device.some_hidden { " of the processes that may be read" } else { "" };
    match first.share {
        share if share >= ALMOST_ALL => format!(" Almost all by {}{among}.", process(first)),
        share if share >= MOST => format!(" Most of it by {}{among}.", process(first)),
        _ => {
            let users: Vec<String> = device.used_by.iter().take(PARTS).map(process).collect();
            format!(" Most by {}{among}.", listed(&users))
        }
    }
}

/// Describes the smallest effects that would have been detected, none of which was.
pub(super) fn looked_words(looked: &DetectionLimits, time: Option<&CommandTime>) -> String {
    let name = place_words(&looked.device);
    let head = match time.map(|time| time.answer) {
        Some(StorageAnswer::Yes) => format!("What holds {name} at its rate is not known"),
        _ => format!("No sign of trouble on {name}"),
    };
    let mut text = format!(
        "{head}: no stall of {} or longer, no slow span of {}",
        numbers::time(looked.stalls_s * 1e9),
        numbers::span(looked.slow_s),
    );
    if looked.falls <= analysis::TELLING {
        text += &format!(", no drop by {} or more", numbers::share(looked.falls));
    }
    text.push('.');
    if looked.used_s < looked.caps_s {
        text += &format!(
            " {} of use is too short to see a rate limit ({}).",
            numbers::span(looked.used_s),
            numbers::span(looked.caps_s)
        );
    }
    match &looked.lacked {
        None => text,
        Some(LoadShortfall { phase, share, depth }) => {
            let why = depth.map_or_else(
                || "and what held it back is not known".to_owned(),
                |depth| format!("and its own queue depth of {depth} held it back: that many were in flight all the time"),
            );
            let share = numbers::share(*share);
            format!("The load got {share} of what it asked for in {}, {why}. {text}", clean(phase))
        }
    }
}
