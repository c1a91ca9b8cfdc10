//! How a watched command spent its time, and whether storage is its limit (method 12.5).

use record::{CommandCounters, Metric, Run, Sample};
use serde::{Deserialize, Serialize};

use super::watched_run::{WatchedRun, place};
use crate::device_place::Place;

/// Share of its time from which storage is the limit of a command: without any wait for it, the command would take at
/// most half as long.
pub(crate) const LIMIT: f64 = 0.5;
/// Share below which storage is not the limit: without any wait for it, the command would be faster by less than a ninth.
const HARDLY: f64 = 0.1;
/// Fewest looks from which a share is told (a share of a half is then known to 0.2).
const LOOKS_LEAST: u64 = 24;
/// Busy share of the command's devices, as a part of its waiting, below which they do not explain the waiting.
const EXPLAINS: f64 = 0.1;

/// How a command spent its time, in shares of the time in which it existed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandTime {
    /// Name of the program.
    pub program: String,
    /// Whether storage is its limit.
    pub answer: StorageAnswer,
    /// Seconds in which it was looked at.
    pub seconds: f64,
    /// Number of looks.
    pub looks: u64,
    /// Waiting for storage.
    pub storage: f64,
    /// The parts of `storage` on each device or file system, the longest first.
    pub waited_for: Vec<StorageWait>,
    /// The part of `storage` that no watched device explains.
    pub unexplained: f64,
    /// Running on a CPU.
    pub running: f64,
    /// Ready to run, without a CPU.
    pub cpu_wait: f64,
    /// Waiting for locks or other threads.
    pub locks: f64,
    /// Waiting at sockets.
    pub network: f64,
    /// Sleeping.
    pub sleeping: f64,
    /// Waiting for anything else.
    pub other: f64,
    /// Bytes a second that its processes read from devices.
    pub read: f64,
    /// Bytes a second that its processes wrote.
    pub written: f64,
}

/// Whether storage is the limit of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorageAnswer {
    /// A watched device is.
    Yes,
    /// It waited for a watched device for a part of its time.
    Partly,
    /// No.
    No,
    /// It waited for files or devices that are not on a watched device.
    Elsewhere,
    /// Too short to tell.
    TooShort,
}

/// Waiting for one device or file system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorageWait {
    /// The device, or a file system without one, by its name.
    pub place: Place,
    /// Whether it is a device.
    pub device: bool,
    /// Share of the command's time.
    pub share: f64,
}

/// Returns how the command of a watch spent its time; `None` without a command that was looked at.
pub(crate) fn command_time(watch: &WatchedRun<'_>) -> Option<CommandTime> {
    let command = watch.run.samples.iter().rev().find_map(|sample| sample.command.as_ref())?;
    let all = [
        command.running_ns,
        command.storage_ns,
        command.lock_ns,
        command.network_ns,
        command.sleep_ns,
        command.other_ns,
    ];
    let whole = all.iter().sum::<u64>().max(1) as f64;
    let share = |part: u64| part as f64 / whole;
    let (waited_for, unexplained) = waits(watch, command, whole);
    let ready = command.run_ns + command.run_delay_ns;
    let delayed = share(command.running_ns) * command.run_delay_ns as f64 / ready.max(1) as f64;
    let seconds = whole / 1e9;
    let mut time = CommandTime {
        program: program(watch.run),
        answer: StorageAnswer::TooShort,
        seconds,
        looks: command.looks,
        storage: share(command.storage_ns),
        waited_for,
        unexplained,
        running: share(command.running_ns) - delayed,
        cpu_wait: delayed,
        locks: share(command.lock_ns),
        network: share(command.network_ns),
        sleeping: share(command.sleep_ns),
        other: share(command.other_ns),
        read: command.read_bytes as f64 / seconds,
        written: command.write_bytes as f64 / seconds,
    };
    time.answer = time.answer();
    Some(time)
}

impl CommandTime {
    /// Returns the devices for which it waited for so long that storage is its limit, or a part of it.
    pub(crate) fn long_waits(&self) -> impl Iterator<Item = &StorageWait> {
        let is_sure = matches!(self.answer, StorageAnswer::Yes | StorageAnswer::Partly);
        self.waited_for.iter().filter(move |wait| is_sure && wait.device && wait.share >= HARDLY)
    }

    /// Decides by the shares of the time.
    fn answer(&self) -> StorageAnswer {
        let on_devices =
            self.waited_for.iter().filter(|wait| wait.device).map(|wait| wait.share).sum::<f64>();
        match self.storage {
            _ if self.looks < LOOKS_LEAST => StorageAnswer::TooShort,
            share if share < HARDLY => StorageAnswer::No,
            share if on_devices * 2.0 < share => StorageAnswer::Elsewhere,
            share if share < LIMIT => StorageAnswer::Partly,
            _ => StorageAnswer::Yes,
        }
    }
}

/// Returns the waiting on each device or file system, and the part that none explains. Waits whose file is not known
/// are those for the same places; without any, for the devices of the command's files, by how busy they were.
fn waits(watch: &WatchedRun<'_>, command: &CommandCounters, whole: f64) -> (Vec<StorageWait>, f64) {
    let known: f64 = command.places.iter().map(|(_, waited)| *waited as f64).sum();
    let open = (command.storage_ns as f64 - known).max(0.0);
    let places: Vec<Place> = command.places.iter().map(|(name, _)| place(watch.run, name)).collect();
    // A device below another one is busy with the same I/O.
    let is_below = |name: &str| places.iter().any(|above| above.stands_on(name));
    let of = |name: &str| if is_below(name) { 0.0 } else { busy_ns(watch, name) };
    let busy: Vec<f64> = command.places.iter().map(|(name, _)| of(name)).collect();
    let all_busy = busy.iter().sum::<f64>();
    let moved = command.read_bytes + command.write_bytes > 0;
    let weights: Vec<f64> = match known > 0.0 {
        true => command.places.iter().map(|(_, waited)| *waited as f64 / known).collect(),
        false if all_busy > EXPLAINS * open => busy.iter().map(|busy| busy / all_busy).collect(),
        false if moved && command.places.len() == 1 => vec![1.0],
        false => vec![0.0; command.places.len()],
    };
    let wait = |((name, waited), weight): (&(String, u64), &f64)| StorageWait {
        place: place(watch.run, name),
        device: watch.recording.devices().contains(&name.as_str()) || watch.node(name).is_some(),
        share: (*waited as f64 + weight * open) / whole,
    };
    let mut found: Vec<StorageWait> = command.places.iter().zip(&weights).map(wait).collect();
    found.retain(|wait| wait.share > 0.0);
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    (found, if weights.iter().sum::<f64>() > 0.0 { 0.0 } else { open / whole })
}

/// Returns the nanoseconds for which a device was busy while the command ran; 0 if it was not watched.
fn busy_ns(watch: &WatchedRun<'_>, name: &str) -> f64 {
    let busy = watch.recording.device(name, Metric::Busy).unwrap_or_default();
    let commanded = |pair: &[Sample]| pair[1].command.is_some();
    let each = watch.run.samples.windows(2).zip(watch.recording.intervals()).zip(busy);
    each.filter(|((pair, _), busy)| commanded(pair) && busy.is_finite())
        .map(|((_, (from, to)), busy)| busy * to.since(*from).0 as f64)
        .sum()
}

/// Returns the name of the program after `--` in the words of the run.
fn program(run: &Run) -> String {
    let typed = run.words.iter().skip_while(|word| *word != "--").nth(1);
    let name = typed.and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    if name.is_empty() { "the command".to_owned() } else { name.to_owned() }
}
