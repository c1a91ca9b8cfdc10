//! `plimsoll policy match`: the published policies that a run's figures fit.

use std::path::PathBuf;

use policy::{Apart, Candidate, Circumstances, Level, Plateau, UnitReading, identify};
use report::numbers::count;
use schemars::JsonSchema;
use serde::Serialize;
use session::failure::Failure;
use session::inputs::{InputRun, Reader};
use session::output;
use workload::{Bytes, Direction, grouped};

use crate::arguments::{Format, typed};
use crate::commands::newest::or_newest;

/// Most candidates printed as text; JSON has all.
const PRINTED: usize = 12;
/// Maximum number of candidates whose difference from the first is printed.
const TOLD_APART: usize = 4;
/// Width of the column of policies; longer names get a line of their own.
const NAME: usize = 38;
/// Exit code if no policy fits, or the run shows no level that one could fit.
const CANNOT_TELL: u8 = 4;

/// The policies that a run's figures fit.
#[derive(Serialize, JsonSchema)]
pub(in crate::commands) struct MatchDocument<'a> {
    /// Levels at which a limit held the run.
    levels: Vec<LevelRow>,
    /// What else is known of the volume.
    circumstances: &'a Circumstances,
    /// Policies that give every level, the likeliest first.
    candidates: &'a [Candidate],
    /// Differences of each later candidate from the first.
    apart: Vec<Apart>,
}

/// A level at which a limit held the load.
#[derive(Serialize, JsonSchema)]
struct LevelRow {
    /// Direction.
    direction: Direction,
    /// Bytes of an I/O.
    block: Bytes,
    /// Operations per second, at least.
    iops_low: f64,
    /// Operations per second, at most; `null` if there is no upper bound.
    iops_high: Option<f64>,
}

/// Identifies the candidates and prints them.
pub fn run(named: Option<&PathBuf>, format: Format) -> Result<u8, Failure> {
    let named = or_newest(named.map_or(&[], std::slice::from_ref))?;
    let inputs = Reader::of(typed()).recordings(&named)?;
    let Some(InputRun { run, .. }) = inputs.runs.first() else {
        return Err(Failure::refused(format!("{}: holds no run", named[0].display())));
    };
    let (levels, known) = (analysis::levels(run), analysis::circumstances(run));
    let candidates = identify(&levels, &known);
    match format {
        Format::Json => {
            let apart = candidates.iter().skip(1).map(|other| candidates[0].apart_from(other)).collect();
            let matched = MatchDocument {
                levels: levels.iter().map(row).collect(),
                circumstances: &known,
                candidates: &candidates,
                apart,
            };
            output::result(&report::document_json("match", &matched))?;
        }
        Format::Text => output::result(&text(&levels, &known, &candidates))?,
    }
    Ok(if candidates.is_empty() { CANNOT_TELL } else { 0 })
}

fn row(level: &Plateau) -> LevelRow {
    let (low, high) = (level.iops.0.0, level.iops.1.0);
    LevelRow {
        direction: level.direction,
        block: level.block,
        iops_low: low,
        iops_high: high.is_finite().then_some(high),
    }
}

fn text(levels: &[Plateau], known: &Circumstances, candidates: &[Candidate]) -> String {
    if levels.is_empty() {
        return report::wrap(
            "",
            "The run shows no level that a limit holds, so that no policy can be told from it. A check shows levels \
             (plimsoll check TARGET).",
        );
    }
    let told: Vec<String> = levels.iter().map(level_words).collect();
    let mut text = report::wrap("Held at ", &format!("{}.", told.join("; ")));
    if let Some(provider) = known.provider {
        text.push_str(&report::wrap("", &format!("Firmware or device name {provider}.")));
    }
    if candidates.is_empty() {
        text.push_str(&report::wrap("", "No published policy gives all of these levels."));
        return text;
    }
    text.push_str("\nrank  policy                                     off  level\n");
    candidates.iter().take(PRINTED).for_each(|one| text.push_str(&line(one)));
    if candidates.len() > PRINTED {
        text.push_str(&format!("      and {} more (--format json has all)\n", candidates.len() - PRINTED));
    }
    text.push_str(&apart(candidates));
    text
}

fn level_words(level: &Plateau) -> String {
    let (low, high) = (level.iops.0.0, level.iops.1.0);
    let (low, high) = (count(low), high.is_finite().then(|| count(high)));
    let rate = match high {
        Some(high) if high == low => low,
        Some(high) => format!("{low} to {high}"),
        None => format!("{low} or more"),
    };
    format!("{rate} {} of {} a second", direction(level.direction), level.block)
}

fn direction(direction: Direction) -> &'static str {
    if direction == Direction::Read { "reads" } else { "writes" }
}

fn line(candidate: &Candidate) -> String {
    let mut level = match (candidate.level, candidate.burst_ends_s) {
        (Level::Baseline, _) => "baseline".to_owned(),
        (Level::Burst, Some(seconds)) => format!("burst of {}", workload::Nanos::from_secs_f64(seconds)),
        (Level::Burst, None) => "burst".to_owned(),
    };
    match candidate.readings.as_slice() {
        [UnitReading::Binary] => level.push_str(", MB = MiB"),
        [UnitReading::Decimal] => level.push_str(", MB = 10^6"),
        _ => {}
    }
    let name = candidate.policy.to_string();
    // A long name gets a separate line.
    let behind = if name.len() > NAME { format!("\n{}", " ".repeat(NAME + 6)) } else { String::new() };
    let (rank, off) = (candidate.rank, candidate.error * 100.0);
    format!("{rank:>4}  {name:<NAME$}{behind} {off:>4.1} %  {level}\n")
}

/// Says what would distinguish the other candidates from the first.
fn apart(candidates: &[Candidate]) -> String {
    let Some((first, others)) = candidates.split_first() else { return String::new() };
    if others.is_empty() {
        return "\nNo other published policy gives all of these levels.\n".to_owned();
    }
    let mut text = format!("\nWhat would tell others from {}:\n", first.policy);
    let mut ids = vec![first.policy.id.as_str()];
    for other in others {
        // Sizes of one policy are represented by the first of them.
        if ids.contains(&other.policy.id.as_str()) || ids.len() > TOLD_APART {
            continue;
        }
        ids.push(&other.policy.id);
        text.push_str(&report::wrap(
            "  ",
            &format!("{}: {}", other.policy, apart_words(first.apart_from(other))),
        ));
    }
    text
}

fn apart_words(apart: Apart) -> String {
    let rate = |rate: workload::Iops| grouped(rate.0.round() as u64);
    match apart {
        Apart::Load { direction: way, block, iops: (one, other) } => {
            format!("random {} of {block}: {} a second, not {}", direction(way), rate(other), rate(one))
        }
        Apart::Time { lasts, left: (one, other) } => {
            let length = lasts.map_or_else(
                || "until a burst ends".to_owned(),
                |lasts| format!("for {lasts} from full credits"),
            );
            format!(
                "load without rest {length}: {} reads of 4 KiB a second are left, not {}",
                rate(other),
                rate(one)
            )
        }
        Apart::Nothing => "no load; both publish the same figures".to_owned(),
    }
}
