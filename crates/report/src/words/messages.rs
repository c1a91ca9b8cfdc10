//! The message of a chart: a one-line title made from the findings that the chart shows. Without such findings, the
//! chart keeps its plain title.

use analysis::findings::{BandwidthCap, Crossover, DepthBound, IopsCap, Saturation, ThrottledAboveNominal};
use analysis::{Analysis, Estimate, Finding, LatencyRole, LevelUnit, Meaning};
use workload::Direction;

use super::findings::{FindingChart, told};
use super::numbers::{self, IOPS, Prefix, Unit};
use super::sentence::{capital, plural};
use super::stops::filling_depth;
use super::watch_words::scale_words;
use crate::answers::{burst, headroom, places};

/// Most letters of a title: one line above a chart.
const LETTERS_MAX: usize = 110;

/// Returns the message of the run's chart `id`; `None` if no finding provides one.
pub(crate) fn message(id: &str, analysis: &Analysis) -> Option<String> {
    match id {
        "depths" => both(&|direction| by_depth(analysis, direction)),
        "blocks" | "map" => both(&|direction| by_block(analysis, direction)),
        "percentiles" => percentiles(analysis),
        "overload-summary" => overload(analysis),
        "latency-by-rate" => headroom::within_bounds(analysis),
        "strip" => places::by_place(analysis).map(|said| headline(&said)),
        "rate" => shown_of_run(id, analysis).or_else(|| burst::while_it_lasts(analysis)),
        _ => shown_of_run(id, analysis),
    }
    .filter(|words| words.chars().count() <= LETTERS_MAX)
}

fn shown_of_run(id: &str, analysis: &Analysis) -> Option<String> {
    shown(analysis, &|place| matches!(place, FindingChart::OfRun(named) if named == id))
}

/// Returns the message of a watched device's chart; `None` if no finding provides one.
pub(crate) fn device_message(device: &str, id: &str, analysis: &Analysis) -> Option<String> {
    let is_shown = |place: FindingChart<'_>| matches!(place, FindingChart::OfDevice(of, chart) if of.name == device && chart == id);
    shown(analysis, &is_shown).filter(|words| words.chars().count() <= LETTERS_MAX)
}

/// Returns the headline of the weightiest finding that the chart shows.
fn shown(analysis: &Analysis, is_shown: &dyn Fn(FindingChart<'_>) -> bool) -> Option<String> {
    // Saturation shows in the ladder; a device's series only supports it.
    let of_ladder = |finding: &&Finding| !matches!(finding.meaning, Meaning::Saturation(_));
    let mut told = analysis.findings.iter().filter(of_ladder).map(told);
    told.find(|told| is_shown(told.shown)).map(|told| headline(&told.sentence))
}

/// Returns a sentence up to its first details: `sda did nothing for a while although there was work, once`.
fn headline(sentence: &str) -> String {
    let ends = [": ", ". ", "; "].into_iter().filter_map(|end| sentence.find(end));
    let end = ends.min().unwrap_or(sentence.len());
    sentence[..end].trim_end_matches('.').to_owned()
}

/// Combines a clause on reads and one on writes, or uses one clause if they are equal.
fn both(of: &dyn Fn(Direction) -> Option<String>) -> Option<String> {
    let who = |direction| capital(plural(direction));
    match (of(Direction::Read), of(Direction::Write)) {
        (Some(read), Some(write)) if read == write => Some(format!("Reads and writes {read}")),
        (Some(read), Some(write)) => {
            let each = format!("Reads {read}; writes {write}");
            let fits = each.chars().count() <= LETTERS_MAX;
            Some(if fits { each } else { format!("Reads {read}") })
        }
        (Some(read), None) => Some(format!("{} {read}", who(Direction::Read))),
        (None, Some(write)) => Some(format!("{} {write}", who(Direction::Write))),
        (None, None) => None,
    }
}

/// Returns the cap by depth: `reach 5,000 IOPS from depth 4 on`.
fn by_depth(analysis: &Analysis, wanted: Direction) -> Option<String> {
    let iops = |level: &Estimate| format!("{} IOPS", numbers::level(level, IOPS));
    let from = || match filling_depth(analysis, wanted) {
        Some(depth) => format!(" from depth {} on", numbers::count(depth)),
        None => String::new(),
    };
    analysis.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::IopsCap(IopsCap { direction, cap, .. }) if *direction == wanted => {
            Some(format!("reach {}{}", iops(cap), from()))
        }
        Meaning::Saturation(Saturation { direction, counted: LevelUnit::Operations, level, .. })
            if *direction == wanted =>
        {
            Some(format!("level off at up to {}", iops(level)))
        }
        Meaning::DepthBound(DepthBound { direction, level, depth, .. }) if *direction == wanted => {
            Some(format!("still rise at depth {depth}, with {}", iops(level)))
        }
        _ => None,
    })
}

/// Returns the caps by block size: `are held by 5,000 IOPS below 41 KiB and by 200 MiB/s above`.
fn by_block(analysis: &Analysis, wanted: Direction) -> Option<String> {
    let meanings = || analysis.findings.iter().map(|finding| &finding.meaning);
    let operations = meanings().find_map(|meaning| match meaning {
        Meaning::IopsCap(IopsCap { direction, cap, .. }) if *direction == wanted => Some(cap),
        _ => None,
    });
    let bytes = meanings().find_map(|meaning| match meaning {
        Meaning::BandwidthCap(BandwidthCap { direction, cap, from, .. }) if *direction == wanted => {
            Some((cap, *from))
        }
        _ => None,
    });
    let crossing = meanings().find_map(|meaning| match meaning {
        Meaning::Crossover(Crossover { direction, bytes }) if *direction == wanted => Some(*bytes),
        _ => None,
    });
    let bandwidth = |cap: &Estimate| {
        let unit = Unit::of_bandwidth(cap.value, Prefix::Binary);
        format!("{} {}", numbers::level(cap, unit), unit.name)
    };
    match (operations, bytes, crossing) {
        (Some(cap), Some((most, _)), Some(at)) => Some(format!(
            "are held by {} IOPS below {} and by {} above",
            numbers::level(cap, IOPS),
            numbers::block(at),
            bandwidth(most)
        )),
        (_, Some((most, from)), _) => {
            Some(format!("are held at {} from {} on", bandwidth(most), numbers::block(from as f64)))
        }
        _ => None,
    }
}

/// Returns the base latency: `One at a time, half of all reads take up to 0.80 ms, and 99 % up to 0.88 ms`.
fn percentiles(analysis: &Analysis) -> Option<String> {
    let row = analysis.latencies.iter().find(|row| row.role == LatencyRole::Base)?;
    let at = |percent: f64| {
        let found = row.percentiles.iter().find(|(of, _)| *of == percent)?;
        Some(numbers::time(found.1 as f64))
    };
    let who = plural(row.direction);
    Some(format!("One at a time, half of all {who} take up to {}, and 99 % up to {}", at(50.0)?, at(99.0)?))
}

/// Returns the effect of overload:
/// `From 200 % of its nominal rate on it stays at 840 reads and 360 writes a second`.
fn overload(analysis: &Analysis) -> Option<String> {
    let found = analysis.findings.iter().find_map(|finding| match &finding.meaning {
        Meaning::ThrottledAboveNominal(ThrottledAboveNominal { scale, level, bytes: false, .. }) => {
            Some((*scale, level))
        }
        _ => None,
    });
    let (scale, level) = found?;
    let of = |held: &Estimate, what: &str| format!("{} {what}", numbers::level(held, IOPS));
    let held = match (&level.read, &level.write) {
        (Some(read), Some(write)) => format!("{} and {} a second", of(read, "reads"), of(write, "writes")),
        (Some(read), None) => format!("{} a second", of(read, "reads")),
        (None, Some(write)) => format!("{} a second", of(write, "writes")),
        (None, None) => of(&level.all, "IOPS"),
    };
    Some(format!("From {} of its nominal rate on it stays at {held}", scale_words(scale)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_ends_where_the_details_begin() {
        for (sentence, head) in [
            ("sda is used one I/O at a time: 100 IOPS at 3 ms each.", "sda is used one I/O at a time"),
            (
                "The rate fell at 33 min (from 10 s on), from 3,000 to 300.",
                "The rate fell at 33 min (from 10 s on), from 3,000 to 300",
            ),
            ("It was silent. So it did 3 times.", "It was silent"),
            ("Nothing", "Nothing"),
        ] {
            assert_eq!(headline(sentence), head);
        }
    }
}
