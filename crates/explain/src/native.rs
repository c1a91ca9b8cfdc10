//! What plimsoll has for the same question, and what it has not.

use std::path::Path;

use super::about_fio::is_device;
use super::dd::Dd;

/// A command, or the plain statement that there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// What to type; empty where there is nothing.
    pub command: String,
    /// What it does and does not do.
    pub says: String,
    /// Whether it runs the words that were typed.
    pub runs: Runs,
}

/// What a native command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// The words that were typed.
    TheSameWords,
    /// Another load, which answers the question behind them.
    Another,
}

fn native(command: impl Into<String>, says: impl Into<String>) -> Native {
    Native { command: command.into(), says: says.into(), runs: Runs::Another }
}

fn folder(path: &str) -> String {
    let parent = Path::new(path).parent().map(|parent| parent.display().to_string()).unwrap_or_default();
    if parent.is_empty() { ".".to_owned() } else { parent }
}

/// For fio: its own words (`None` where plimsoll's fio does not take them all), then the native question.
pub fn of_fio(asked: &fio::Asked, command: Option<&str>) -> Vec<Native> {
    let mut said = Vec::new();
    if let Some(command) = command {
        let same =
            native(format!("plimsoll {command}"), "The same words, run by plimsoll, with fio's output.");
        said.push(Native { runs: Runs::TheSameWords, ..same });
    }
    let mut places: Vec<(String, bool)> = Vec::new();
    for job in &asked.jobs {
        let options = &job.options;
        let place = match (&options.filename, &options.directory) {
            (Some(name), _) if is_device(name) => name.clone(),
            (Some(name), None) => folder(name),
            (_, Some(directory)) => directory.clone(),
            (None, None) => ".".to_owned(),
        };
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, writes)) => *writes |= options.pattern.writes,
            None => places.push((place, options.pattern.writes)),
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
    if several {
        said.push(native(
            "",
            "No native command loads several places at once; for that the words above stand.",
        ));
    }
    said
}

/// What rates ask for, as a claim that can be checked.
fn expectation(asked: &fio::Asked) -> String {
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

/// For DiskSpd.
pub fn of_diskspd(command: &str, path: &str) -> Vec<Native> {
    vec![
        native(format!("plimsoll {command}"), "The same words, run by plimsoll, with DiskSpd's output."),
        native(
            format!("plimsoll check {}", if is_device(path) { path.to_owned() } else { folder(path) }),
            "Finds what the volume bears and which limit stops it, and says whether a cache answered. It is not exactly \
             this load.",
        ),
    ]
}

/// For ioping.
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

/// For iostat.
pub fn of_iostat(command: &str) -> Vec<Native> {
    vec![
        native(format!("plimsoll {command}"), "The same words and figures."),
        native(
            "",
            "plimsoll check reads the same counters every second beside its own load and keeps them in its run file.",
        ),
    ]
}

/// For dd.
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
