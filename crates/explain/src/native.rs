//! plimsoll's commands for the question that a command asks, or a statement that there is none.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::about_fio::stage;
use super::dd::Dd;
use super::files_fio::{is_device, lacks_a_place, on_a_drive, stores_nothing};
use super::load::PlannedJob;
use super::unknown::knows;
use super::word::quoted;
use fio::Stage;
use workload::Act;

/// A command, or the statement that there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Native {
    /// What to type; empty if there is nothing, which JSON has as `null`.
    #[serde(serialize_with = "filled")]
    #[schemars(with = "Option<String>")]
    pub command: String,
    /// What the command does and does not do.
    pub says: String,
    /// Whether it runs the words that were typed.
    #[serde(skip)]
    pub runs: Runs,
}

fn filled<S: Serializer>(command: &str, to: S) -> Result<S::Ok, S::Error> {
    Some(command).filter(|command| !command.is_empty()).serialize(to)
}

/// Load that a native command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// The load that the typed words ask for.
    TheSameWords,
    /// Another load, which answers the question behind the typed words.
    Another,
}

fn native(command: impl Into<String>, says: impl Into<String>) -> Native {
    Native { command: command.into(), says: says.into(), runs: Runs::Another }
}

fn folder(path: &str) -> String {
    if is_of_windows(path) {
        return path.to_owned();
    }
    let parent = Path::new(path).parent().map(|parent| parent.display().to_string()).unwrap_or_default();
    match parent.is_empty() {
        // Only the shell, or the program around it, knows where it is.
        true if knows(path).is_some() => path.to_owned(),
        true => ".".to_owned(),
        false => parent,
    }
}

/// Whether a path is one of Windows, which is no place here.
fn is_of_windows(path: &str) -> bool {
    path.contains('\\') || path.as_bytes().get(1) == Some(&b':')
}

/// Said of a path of Windows.
const ELSEWHERE: &str =
    "plimsoll runs on Linux alone: there, plimsoll check takes the folder or the device that is meant.";

/// Commands for fio: its own words, unless plimsoll's fio refuses some (`None`), then others for the question.
pub fn of_fio(jobs: &[PlannedJob], command: Option<&str>) -> Vec<Native> {
    let mut said = Vec::new();
    if let Some(command) = command {
        let same =
            native(format!("plimsoll {command}"), "The same words, run by plimsoll, with fio's output.");
        said.push(Native { runs: Runs::TheSameWords, ..same });
    } else {
        said.push(native(
            "",
            "plimsoll fio does not run these words: it refuses some, or some are not known (above).",
        ));
    }
    let mut places: Vec<(String, bool)> = Vec::new();
    // Where it goes may stand in what is missing.
    let is_placed = |job: &&PlannedJob| !lacks_a_place(job);
    let is_at = |at: Stage| jobs.iter().filter(move |job| stage(job.options()) == at);
    let on_names = is_at(Stage::Nowhere).filter(|job| job.options().engine.act() != Act::Move);
    for job in is_at(Stage::Here).chain(on_names).filter(is_placed) {
        let options = job.options();
        for place in places_of(job) {
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, writes)) => *writes |= options.pattern.writes,
                None => places.push((place, options.pattern.writes)),
            }
        }
    }
    let several = places.len() > 1;
    if jobs.iter().any(|job| on_a_drive(job).is_some())
        || places.iter().any(|(place, _)| is_of_windows(place))
    {
        said.push(native("", ELSEWHERE));
        return said;
    }
    let expected = if several { String::new() } else { expectation(jobs) };
    for (place, writes) in places {
        let destroys = if is_device(&place) && writes {
            format!(" --allow-destroy {}", quoted(&place))
        } else {
            String::new()
        };
        said.push(native(
            format!("plimsoll check {}{}{destroys}", quoted(&place), expected),
            "Finds what the volume bears and which limit stops it, with depths, block sizes and times of its own \
             choice, until the figures are certain. It is not exactly this load.",
        ));
    }
    if let Some(job) = is_at(Stage::Elsewhere).next() {
        said.push(native(
            "",
            format!(
                "No native command reaches what {} works on. Map or mount it, and give plimsoll check the device or the \
                 folder.",
                job.options().engine.name
            ),
        ));
    }
    if several {
        said.push(native(
            "",
            "No native command loads several places at once; for that the words above stand.",
        ));
    }
    said
}

/// Replacement for fio's latency options, if the first job has any: a search for the highest rate within the limit.
pub fn of_latency(jobs: &[PlannedJob]) -> Option<Native> {
    let job = jobs.first()?;
    let target = job.typed("latency_target").map(|most| (most, job.typed("latency_percentile")));
    let says = match &target {
        Some(_) => {
            "latency_target steers the queue depth until that share of I/Os (latency_percentile) is done in time. This searches \
             the greatest rate of arrivals at which it is, with an interval."
        }
        None => {
            "max_latency ends the job at the first I/O that takes longer. This searches the greatest rate of arrivals at which \
             999 of a thousand do not."
        }
    };
    let (most, percent) = target.or_else(|| Some((job.typed("max_latency")?, None)))?;
    let (place, reads) = (places_of(job).into_iter().next()?, job.read_percent()?);
    let (unit, bound) =
        (if most.ends_with(|last: char| last.is_ascii_digit()) { "us" } else { "" }, bound(percent));
    let block = job.options().bs[usize::from(reads == 0)];
    Some(native(
        format!(
            "plimsoll headroom {} --{bound} {most}{unit} --mix {reads}/{} --block {block}",
            quoted(&place),
            100 - reads
        ),
        says,
    ))
}

/// Option for the requested percentile, or for the closest one below it; without a percentile, fio means all I/Os.
fn bound(percent: Option<&str>) -> &'static str {
    const BOUNDS: [(f64, &str); 5] =
        [(99.9, "p99.9"), (99.0, "p99"), (95.0, "p95"), (90.0, "p90"), (50.0, "p50")];
    let asked = percent.and_then(|words| words.parse().ok()).unwrap_or(100.0);
    BOUNDS.iter().find(|(percent, _)| *percent <= asked).map_or("p50", |(_, option)| option)
}

/// The devices or folders that a job uses, without duplicates.
pub fn places_of(job: &PlannedJob) -> Vec<String> {
    if let Some(folder) = &job.options().opendir {
        return vec![folder.clone()];
    }
    let (first, others) = job.files();
    let place = |path: &PathBuf| match path.display().to_string() {
        device if is_device(&device) => device,
        file => folder(&file),
    };
    let stored = first.iter().chain(others.into_iter().flatten());
    // Character devices that take commands cannot be checked either.
    let takes_commands = |path: &str| path.starts_with("/dev/ng") || path.starts_with("/dev/sg");
    let stored =
        stored.filter(|path| !path.to_str().is_some_and(|path| stores_nothing(path) || takes_commands(path)));
    let mut places: Vec<String> = stored.map(place).collect();
    if first.is_empty() {
        let named = job.options().directory.clone();
        places.push(named.unwrap_or_else(|| ".".to_owned()));
    }
    places.dedup();
    places
}

/// The rate limits as a claim that can be checked.
fn expectation(jobs: &[PlannedJob]) -> String {
    let [job] = jobs else { return String::new() };
    let rates = &job.options().rate_iops;
    let claims: Vec<String> =
        [("read", rates[0], job.options().pattern.reads), ("write", rates[1], job.options().pattern.writes)]
            .into_iter()
            .filter(|(_, rate, issued)| *issued && *rate > 0 && job.options().numjobs == 1)
            .map(|(what, rate, _)| format!("{what} {rate} iops"))
            .collect();
    if claims.is_empty() { String::new() } else { format!(" --expect '{}'", claims.join(", ")) }
}

/// Commands for DiskSpd: its own words, unless plimsoll's diskspd refuses some (`None`), then one for the question.
pub fn of_diskspd(command: Option<&str>, path: &str) -> Vec<Native> {
    let same = |command| {
        native(format!("plimsoll {command}"), "The same words, run by plimsoll, with DiskSpd's output.")
    };
    let mut said: Vec<Native> = command.map(same).into_iter().collect();
    said.push(match is_of_windows(path) {
        true => native("", ELSEWHERE),
        false => native(
            format!("plimsoll check {}", quoted(&if is_device(path) { path.to_owned() } else { folder(path) })),
            "Finds what the volume bears and which limit stops it, and says whether a cache answered. It is not exactly \
             this load.",
        ),
    });
    said
}

/// Commands for ioping.
pub fn of_ioping(command: &str, target: &str) -> Vec<Native> {
    vec![
        native(
            format!("plimsoll {command}"),
            "The same words and lines; what is not really read (holes, memory, the page cache) is said.",
        ),
        native(
            format!("plimsoll check {}", quoted(target)),
            "Latency with its tail, at depth one and under load, on a region that no small cache holds.",
        ),
    ]
}

/// Commands for iostat.
pub fn of_iostat(command: &str) -> Vec<Native> {
    vec![
        native(format!("plimsoll {command}"), "The same words and figures."),
        native(
            "",
            "plimsoll check reads the same counters every second beside its own load and keeps them in its run file.",
        ),
    ]
}

/// Commands for dd.
pub fn of_dd(dd: &Dd) -> Vec<Native> {
    if !dd.writes() && !dd.reads() {
        return vec![native("", "No disk is read or written.")];
    }
    let path = if dd.writes() { &dd.to } else { &dd.from };
    if is_device(path) {
        let says =
            "Reads a device and finds what it bears; plimsoll stream, the honest dd, takes folders alone.";
        return vec![native(format!("plimsoll check {}", quoted(path)), says)];
    }
    let command =
        if path.is_empty() { String::new() } else { format!("plimsoll stream {}", quoted(&folder(path))) };
    vec![native(
        command,
        "The honest form of this test: writes and reads in order, with and without flush, real data, and a cache is \
         called a cache.",
    )]
}
