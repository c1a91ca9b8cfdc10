//! What stops the volume, in the sentences below the verdict.

use analysis::findings::{
    AccountingUnit, BandwidthCap, Crossover, DepthBound, FillingDepth, InFlightBound, IopsCap,
    NotIdentifiable, Question, Saturation,
};
use analysis::{Analysis, Charge, Counted, Meaning};
use workload::Direction;

use crate::words::causes::rate;
use crate::words::numbers::{self, Prefix};
use crate::words::sentence::plural;

/// The sentences of both directions, and the depth from which on more only waits.
pub(super) fn stops(analysis: &Analysis) -> Vec<String> {
    let read = of_direction(analysis, Direction::Read);
    let write = of_direction(analysis, Direction::Write);
    let mut sentences = match (read, write) {
        (read, write) if read == write || write.is_empty() => read,
        (read, write) if read.is_empty() => write,
        (read, write) => [named("Reads", &read), named("Writes", &write)].to_vec(),
    };
    sentences.extend(filling_depths(analysis));
    sentences
}

/// Sentences of one direction behind its name.
fn named(who: &str, sentences: &[String]) -> String {
    let mut letters = sentences.join(" ").chars().collect::<Vec<char>>();
    if let Some(first) = letters.first_mut() {
        *first = first.to_ascii_lowercase();
    }
    format!("{who}: {}", letters.into_iter().collect::<String>())
}

/// What the findings say of one direction.
#[derive(Clone, Debug, Default, PartialEq)]
struct Stopped {
    operations: Option<String>,
    bandwidth: Option<String>,
    crossover: Option<String>,
    /// Whole sentences of what is no cap.
    others: Vec<String>,
}

fn of_direction(analysis: &Analysis, wanted: Direction) -> Vec<String> {
    let mut stopped = Stopped::default();
    for finding in &analysis.findings {
        stopped.add(&finding.meaning, wanted);
    }
    let caps = match (&stopped.operations, &stopped.bandwidth, &stopped.crossover) {
        (_, _, Some(crossover)) => {
            Some(format!("Below {crossover} an IOPS cap stops it, above that a bandwidth cap."))
        }
        (Some(operations), Some(bandwidth), None) => {
            Some(format!("An IOPS cap of {operations} and a bandwidth cap of {bandwidth} stop it."))
        }
        (Some(operations), None, None) => Some(format!("An IOPS cap of {operations} stops it.")),
        (None, Some(bandwidth), None) => Some(format!("A bandwidth cap of {bandwidth} stops it.")),
        (None, None, None) => None,
    };
    caps.into_iter().chain(stopped.others).collect()
}

impl Stopped {
    fn add(&mut self, meaning: &Meaning, wanted: Direction) {
        match meaning {
            Meaning::IopsCap(IopsCap { direction, cap, .. }) if *direction == wanted => {
                self.operations = Some(numbers::iops(cap.value));
            }
            Meaning::BandwidthCap(BandwidthCap { direction, cap, .. }) if *direction == wanted => {
                self.bandwidth = Some(numbers::bandwidth(cap.value, Prefix::Binary));
            }
            Meaning::Crossover(Crossover { direction, bytes }) if *direction == wanted => {
                self.crossover = Some(numbers::block(*bytes));
            }
            other => self.others.extend(no_cap(other, wanted)),
        }
    }
}

/// What holds `wanted` where it is no cap.
fn no_cap(meaning: &Meaning, wanted: Direction) -> Option<String> {
    match meaning {
        Meaning::AccountingUnit(found) if found.direction == wanted => Some(unit(found)),
        Meaning::Saturation(Saturation { direction, counted, level, .. }) if *direction == wanted => {
            Some(match counted {
                Counted::Operations => {
                    format!(
                        "Saturated at up to {}: more depth only waits; no meter was seen.",
                        numbers::iops(level.value)
                    )
                }
                Counted::Bytes => {
                    format!(
                        "Saturated at up to {}; no meter was seen.",
                        numbers::bandwidth(level.value, Prefix::Binary)
                    )
                }
            })
        }
        Meaning::DepthBound(DepthBound { direction, level, depth, .. }) if *direction == wanted => {
            Some(format!(
                "At least {}: the depth of {depth} holds it, not the volume.",
                numbers::iops(level.value)
            ))
        }
        Meaning::InFlightBound(InFlightBound { direction, level, in_flight, .. }) if *direction == wanted => {
            Some(format!(
                "At least {}: the {} that plimsoll keeps in flight hold it, not the volume.",
                numbers::bandwidth(level.value, Prefix::Binary),
                numbers::size(*in_flight)
            ))
        }
        Meaning::NotIdentifiable(found) if found.direction == Some(wanted) => open(found),
        _ => None,
    }
}

fn unit(found: &AccountingUnit) -> String {
    let (operations, unit) = (numbers::count(found.operations.value), numbers::block(found.unit as f64));
    match found.charge {
        Charge::Ceil => format!("Operations count by {unit}: {operations} of these a second."),
        Charge::Proportional | Charge::Unknown => format!(
            "{operations} operations of {unit} a second stop it, or a bandwidth cap of {}.",
            numbers::bandwidth(found.bytes, Prefix::Binary)
        ),
    }
}

fn open(found: &NotIdentifiable) -> Option<String> {
    let rate = rate(found.counted, &found.level);
    match (found.question, found.at_least) {
        (Question::Holds, false) => {
            Some(format!("What holds it at {rate} is not identifiable from this run."))
        }
        (Question::Holds, true) => {
            Some(format!("At least {rate}: what holds it is not identifiable from this run."))
        }
        (Question::Below | Question::Charged | Question::Shared, _) => None,
    }
}

fn filling_depths(analysis: &Analysis) -> Vec<String> {
    let depths: Vec<(Direction, String)> = [Direction::Read, Direction::Write]
        .into_iter()
        .filter_map(|direction| Some((direction, numbers::count(filling_depth(analysis, direction)?))))
        .collect();
    match depths.as_slice() {
        [] => Vec::new(),
        [(_, first), rest @ ..] if rest.iter().all(|(_, other)| other == first) => {
            vec![format!("A queue deeper than {first} only adds waiting.")]
        }
        several => {
            let each: Vec<String> = several
                .iter()
                .map(|(direction, depth)| format!("{depth} for {}", plural(*direction)))
                .collect();
            vec![format!("A queue deeper than {} only adds waiting.", each.join(" or "))]
        }
    }
}

/// The depth from which on more only waits: the cap times the base latency, or the ladder's own 90 % where that is deeper
/// and the ladder has a rung below it; from its first rung on it says nothing.
pub(crate) fn filling_depth(analysis: &Analysis, wanted: Direction) -> Option<f64> {
    let rungs = analysis.depths.iter().filter(|point| point.direction == wanted);
    let first = rungs.map(|point| f64::from(point.depth)).fold(f64::INFINITY, f64::min);
    analysis.findings.iter().find_map(|finding| match finding.meaning {
        Meaning::FillingDepth(FillingDepth { direction, star, ninety, .. }) if direction == wanted => {
            let deepest = if ninety > first { star.max(ninety) } else { star };
            Some(deepest.ceil().max(1.0))
        }
        _ => None,
    })
}
