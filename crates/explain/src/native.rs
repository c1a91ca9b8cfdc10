//! What plimsoll has for the same question, and what it does not have.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::about_fio::stage;
use super::dd::Dd;
use super::explanation::ExplainedWord;
use super::files_fio::is_device;
use fio::Stage;

/// A command, or the statement that there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Native {
    /// What to type; empty if there is nothing, which JSON has as `null`.
    #[serde(serialize_with = "filled")]
    #[schemars(with = "Option<String>")]
    pub command: String,
    /// What it does and does not do.
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
    /// That of the words that were typed.
    TheSameWords,
    /// Another load, which answers the question that the words are meant to answer.
    Another,
}

fn native(command: impl Into<String>, says: impl Into<String>) -> Native {
    Native { command: command.into(), says: says.into(), runs: Runs::Another }
}

fn folder(path: &str) -> String {
    let parent = Path::new(path).parent().map(|parent| parent.display().to_string()).unwrap_or_default();
    if parent.is_empty() { ".".to_owned() } else { parent }
}

/// Commands for fio: its own words, unless plimsoll's fio refuses some (`None`), then those that answer the question.
pub fn of_fio(asked: &fio::FioRequest, command: Option<&str>) -> Vec<Native> {
    let mut said = Vec::new();
    if let Some(command) = command {
        let same =
            native(format!("plimsoll {command}"), "The same words, run by plimsoll, with fio's output.");
        said.push(Native { runs: Runs::TheSameWords, ..same });
    }
    let mut places: Vec<(String, bool)> = Vec::new();
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        asked.jobs.iter().partition(|job| stage(&job.options) != Stage::Elsewhere);
    for job in here {
        let options = &job.options;
        for place in places_of(options) {
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, writes)) => *writes |= options.pattern.writes,
                None => places.push((place, options.pattern.writes)),
            }
        }
    }
    let several = places.len() > 1;
    for (place, writes) in places {
        let destroys =
            if is_device(&place) && writes { format!(" --allow-destroy {place}") } else { String::new() };
        said.push(native(
            format!("plimsoll check {place}{}{destroys}", expectation(asked)),
            "Finds what the volume bears and which limit stops it, with depths, block sizes and times of its own \
             choice, until the figures are certain. It is not exactly this load.",
        ));
    }
    if let Some(job) = elsewhere.first() {
        said.push(native(
            "",
            format!(
                "No native command reaches what {} works on. Map or mount it, and give plimsoll check the device or the \
                 folder.",
                job.options.engine.name
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

/// What replaces fio's steering by latency, if its options are among `words`: a search for the rate that keeps the latency.
pub fn of_latency(asked: &fio::FioRequest, words: &[ExplainedWord]) -> Option<Native> {
    let value = |name: &str| {
        let of = |meant: &ExplainedWord| {
            let rest = meant.word.trim_start_matches('-').strip_prefix(name)?;
            rest.trim_start().strip_prefix('=').map(|value| value.trim().to_owned())
        };
        words.iter().find_map(of)
    };
    let target = value("latency_target").map(|most| (most, value("latency_percentile")));
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
    let (most, percent) = target.or_else(|| Some((value("max_latency")?, None)))?;
    let job = &asked.jobs.first()?.options;
    let (place, mix) = (places_of(job).swap_remove(0), mix_of(job));
    let (unit, bound) =
        (if most.ends_with(|last: char| last.is_ascii_digit()) { "us" } else { "" }, bound(percent));
    let block = job.bs[usize::from(!job.pattern.reads)];
    Some(native(
        format!("plimsoll headroom {place} --{bound} {most}{unit} --mix {mix} --block {block}"),
        says,
    ))
}

/// Option of the percentile that is asked for, or of the closest below it; without a percentile, fio means all I/Os.
fn bound(percent: Option<String>) -> &'static str {
    const BOUNDS: [(f64, &str); 5] =
        [(99.9, "p99.9"), (99.0, "p99"), (95.0, "p95"), (90.0, "p90"), (50.0, "p50")];
    let asked = percent.and_then(|words| words.parse().ok()).unwrap_or(100.0);
    BOUNDS.iter().find(|(percent, _)| *percent <= asked).map_or("p50", |(_, option)| option)
}

/// Percentages of reads and writes.
fn mix_of(options: &fio::JobOptions) -> String {
    let reads = match (options.pattern.reads, options.pattern.writes) {
        (true, true) => options.rwmix_read.min(100),
        (true, false) => 100,
        (false, _) => 0,
    };
    format!("{reads}/{}", 100 - reads)
}

/// The devices or folders that a job works on.
fn places_of(options: &fio::JobOptions) -> Vec<String> {
    match (&options.filename, &options.directory) {
        (Some(names), directory) => names
            .split(':')
            .map(|name| match directory {
                _ if is_device(name) => name.to_owned(),
                Some(directory) => directory.clone(),
                None => folder(name),
            })
            .collect(),
        (None, Some(directory)) => directory.split(':').map(str::to_owned).collect(),
        (None, None) => vec![".".to_owned()],
    }
}

/// What rate limits ask for, as a claim that can be checked.
fn expectation(asked: &fio::FioRequest) -> String {
    let [job] = asked.jobs.as_slice() else { return String::new() };
    let rates = &job.options.rate_iops;
    let claims: Vec<String> =
        [("read", rates[0], job.options.pattern.reads), ("write", rates[1], job.options.pattern.writes)]
            .into_iter()
            .filter(|(_, rate, issued)| *issued && *rate > 0)
            .map(|(what, rate, _)| format!("{what} {rate} iops"))
            .collect();
    if claims.is_empty() { String::new() } else { format!(" --expect '{}'", claims.join(", ")) }
}

/// Commands for DiskSpd: its own words, unless plimsoll's diskspd refuses some (`None`), then one that answers the question.
pub fn of_diskspd(command: Option<&str>, path: &str) -> Vec<Native> {
    let same = |command| {
        native(format!("plimsoll {command}"), "The same words, run by plimsoll, with DiskSpd's output.")
    };
    let mut said: Vec<Native> = command.map(same).into_iter().collect();
    said.push(
        native(
            format!("plimsoll check {}", if is_device(path) { path.to_owned() } else { folder(path) }),
            "Finds what the volume bears and which limit stops it, and says whether a cache answered. It is not exactly \
             this load.",
        ),
    );
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
            format!("plimsoll check {target}"),
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
    let path = if dd.writes() { &dd.to } else { &dd.from };
    if is_device(path) {
        let says =
            "Reads a device and finds what it bears; plimsoll quick, the honest dd, takes folders alone.";
        return vec![native(format!("plimsoll check {path}"), says)];
    }
    let command = if path.is_empty() { String::new() } else { format!("plimsoll quick {}", folder(path)) };
    vec![native(
        command,
        "The honest form of this test: writes and reads in order, with and without flush, real data, and a cache is \
         called a cache.",
    )]
}
