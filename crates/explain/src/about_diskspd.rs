//! What a DiskSpd command asks for, in words.

use super::figures::{bytes, count, seconds};
use diskspd::{Asked, Cache, ROWS, Target, TimeSpan};

/// What it asks for.
pub fn asks(asked: &Asked) -> Vec<String> {
    let spans = &asked.profile.time_spans;
    spans.iter().flat_map(of_span).collect()
}

/// Threads in all.
pub fn threads(span: &TimeSpan) -> u64 {
    match span.threads {
        0 => span.targets.iter().map(|target| u64::from(target.threads)).sum(),
        threads => u64::from(threads),
    }
}

/// I/Os in flight at most.
pub fn in_flight(span: &TimeSpan) -> u64 {
    if span.is_pool() {
        return u64::from(span.threads) * u64::from(span.requests);
    }
    span.targets.iter().map(|target| u64::from(target.requests) * u64::from(own_threads(span, target))).sum()
}

fn own_threads(span: &TimeSpan, target: &Target) -> u32 {
    if span.threads > 0 { span.threads } else { target.threads }
}

fn of_span(span: &TimeSpan) -> Vec<String> {
    let mut said: Vec<String> = span.targets.iter().map(|target| of_target(span, target)).collect();
    let total = in_flight(span);
    said.push(format!(
        "{} in all, up to {} I/Os in flight.",
        match threads(span) {
            1 => "One thread".to_owned(),
            threads => format!("{} threads", count(threads)),
        },
        count(total)
    ));
    said.push(format!(
        "{} of load without measuring, then {} that are measured{}.",
        seconds(f64::from(span.warm_up)),
        seconds(f64::from(span.duration)),
        match span.cool_down {
            0 => String::new(),
            cool => format!(", then {} of load without measuring", seconds(f64::from(cool))),
        }
    ));
    said.push(match span.latency {
        true => "Latencies are reported, with percentiles.".to_owned(),
        false => "Rates are reported, no latencies.".to_owned(),
    });
    said
}

fn of_target(span: &TimeSpan, target: &Target) -> String {
    let mut said = Vec::new();
    let work = match target.write_percent {
        0 => "Reads".to_owned(),
        100 => "Writes".to_owned(),
        share => format!("Reads ({} %) and writes ({share} %)", 100 - share),
    };
    let places = match target.random {
        0 => "one after the other".to_owned(),
        100 => "at random places".to_owned(),
        share => format!("({share} % at random places)"),
    };
    said.push(format!("{work} blocks of {} {places} on {}.", bytes(u64::from(target.block)), target.path));
    if let Some(size) = target.create {
        said.push(format!("The file is made anew before, {} long.", bytes(size)));
    }
    let each = target.requests;
    if !span.is_pool() {
        let plural = if each == 1 { "One I/O" } else { "I/Os" };
        let number = if each == 1 { String::new() } else { format!("{} ", count(u64::from(each))) };
        said.push(format!("{number}{plural} in flight for each thread."));
    }
    said.push(cache(target));
    if let Some(iops) = target.throughput.iops(target.block) {
        said.push(format!("Each thread is held to {iops:.0} I/Os a second."));
    }
    said.join(" ")
}

fn cache(target: &Target) -> String {
    match (target.cache, target.write_through && target.write_percent > 0) {
        (Cache::Off, true) => {
            "Past the software cache, and each write waits until it is on stable storage.".to_owned()
        }
        (Cache::Off, false) => "Past the software cache.".to_owned(),
        (_, true) => "Through the cache, and each write waits until it is on stable storage.".to_owned(),
        (_, false) => "Through the cache.".to_owned(),
    }
}

/// What a word means.
pub fn meaning(word: &str) -> String {
    let row = ROWS.iter().find(|row| diskspd::value_in(row, word).is_some());
    match (row, word.starts_with('-')) {
        (Some(row), _) => row.help.to_owned(),
        (None, true) => "Not known.".to_owned(),
        (None, false) => "The file or device.".to_owned(),
    }
}
