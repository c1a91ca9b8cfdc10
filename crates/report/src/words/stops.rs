//! The limits of the volume, in the sentences below the verdict.

use analysis::findings::{
    AccountingUnit, BandwidthCap, Crossover, DepthBound, FillingDepth, InFlightBound, IopsCap, Question,
    Saturation,
};
use analysis::{Analysis, Charge, Confidence, Estimate, LevelUnit, Meaning};
use workload::Direction;

use crate::words::causes::behind_cache;
use crate::words::numbers::{self, IOPS, Prefix};
use crate::words::sentence::{capital, plural};

/// Returns the sentences for both directions, and on the depth beyond which more depth only adds waiting.
pub(super) fn stops(analysis: &Analysis) -> Vec<String> {
    let shared = shared(analysis);
    let read = of_direction(analysis, Direction::Read, shared.is_some());
    let write = of_direction(analysis, Direction::Write, shared.is_some());
    let mut sentences: Vec<String> = shared.into_iter().collect();
    sentences.extend(match (read, write) {
        (read, write) if read == write || write.is_empty() => read,
        (read, write) if read.is_empty() => write,
        (read, write) => [named("Reads", &read), named("Writes", &write)].to_vec(),
    });
    sentences.extend(filling_depths(analysis));
    sentences
}

/// Joins the sentences of one direction, after the name of the direction.
fn named(who: &str, sentences: &[String]) -> String {
    let mut letters = sentences.join(" ").chars().collect::<Vec<char>>();
    if let Some(first) = letters.first_mut() {
        *first = first.to_ascii_lowercase();
    }
    format!("{who}: {}", letters.into_iter().collect::<String>())
}

/// Limits of one direction according to the findings.
#[derive(Clone, Debug, Default, PartialEq)]
struct DirectionLimits {
    operations: Option<String>,
    bandwidth: Option<String>,
    crossover: Option<String>,
    /// Whole sentences on limits other than caps.
    others: Vec<String>,
    /// Quantities whose limit the run does not identify; the verdict above gives the level.
    open: Open,
}

/// Quantities whose limit the run does not identify.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Open {
    #[default]
    Nothing,
    Operations,
    Bytes,
    Both,
}

impl Open {
    fn and(self, counted: LevelUnit) -> Open {
        match (self, counted) {
            (Open::Nothing | Open::Operations, LevelUnit::Operations) => Open::Operations,
            (Open::Nothing | Open::Bytes, LevelUnit::Bytes) => Open::Bytes,
            _ => Open::Both,
        }
    }

    fn sentence(self) -> Option<String> {
        let what = match self {
            Open::Nothing => return None,
            Open::Operations => "the operations",
            Open::Bytes => "the bytes",
            Open::Both => "operations and bytes",
        };
        Some(format!("This run does not show what limits {what}."))
    }
}

/// Returns what the run shows with confidence: what is only possible stands among the findings, with its doubt.
fn shown(analysis: &Analysis) -> impl Iterator<Item = &Meaning> {
    let likely = analysis.findings.iter().filter(|finding| finding.confidence >= Confidence::Likely);
    likely.map(|finding| &finding.meaning)
}

/// Returns the sentence on one cap of operations that reads and writes share, if each direction shows it too.
fn shared(analysis: &Analysis) -> Option<String> {
    let of = |wanted| DirectionLimits::of(analysis, wanted).operations;
    let both = of(Direction::Read).is_some() && of(Direction::Write).is_some();
    let total = shown(analysis).find_map(|meaning| match meaning {
        Meaning::SharedBudget(found) if found.counted == LevelUnit::Operations => Some(&found.total),
        _ => None,
    });
    let cap = numbers::estimate(total.filter(|_| both)?, IOPS);
    Some(format!("One IOPS cap of {cap} for reads and writes together stops both."))
}

/// Returns the sentences on one direction, without its cap of operations if `shared` names it.
fn of_direction(analysis: &Analysis, wanted: Direction, shared: bool) -> Vec<String> {
    let mut stopped = DirectionLimits::of(analysis, wanted);
    if shared && stopped.crossover.is_none() {
        stopped.operations = None;
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
    caps.into_iter().chain(stopped.others).chain(stopped.open.sentence()).collect()
}

impl DirectionLimits {
    fn of(analysis: &Analysis, wanted: Direction) -> DirectionLimits {
        let mut stopped = DirectionLimits::default();
        shown(analysis).for_each(|meaning| stopped.add(meaning, wanted));
        stopped
    }

    fn add(&mut self, meaning: &Meaning, wanted: Direction) {
        match meaning {
            Meaning::IopsCap(IopsCap { direction, cap, .. }) if *direction == wanted => {
                self.operations = Some(numbers::estimate(cap, IOPS));
            }
            Meaning::BandwidthCap(BandwidthCap { direction, cap, .. }) if *direction == wanted => {
                self.bandwidth = Some(numbers::bandwidth_estimate(cap));
            }
            Meaning::Crossover(Crossover { direction, bytes }) if *direction == wanted => {
                self.crossover = Some(numbers::block(*bytes));
            }
            Meaning::NotIdentifiable(found)
                if found.direction == Some(wanted) && found.question == Question::Holds =>
            {
                self.open = self.open.and(found.counted);
            }
            other => self.others.extend(no_cap(other, wanted)),
        }
    }
}

/// Returns the sentence on what limits `wanted` if it is not a cap.
fn no_cap(meaning: &Meaning, wanted: Direction) -> Option<String> {
    match meaning {
        Meaning::AccountingUnit(found) if found.direction == wanted => Some(unit(found)),
        Meaning::Saturation(Saturation { direction, cache: Some(cache), .. }) if *direction == wanted => {
            Some(format!("They reach {}.", behind_cache(cache)))
        }
        Meaning::Saturation(Saturation { direction, counted, level, .. }) if *direction == wanted => {
            Some(match counted {
                LevelUnit::Operations => {
                    format!(
                        "Saturated at up to {}: more depth only waits; no meter was seen.",
                        numbers::iops(level.value)
                    )
                }
                LevelUnit::Bytes => {
                    format!(
                        "Saturated at up to {}; no meter was seen.",
                        numbers::bandwidth(level.value, Prefix::Binary)
                    )
                }
            })
        }
        Meaning::DepthBound(DepthBound { direction, level, depth, .. }) if *direction == wanted => {
            Some(at_least(level, numbers::iops, &format!("the depth of {depth} holds")))
        }
        Meaning::InFlightBound(InFlightBound { direction, level, in_flight, .. }) if *direction == wanted => {
            let by = format!("the {} that plimsoll keeps in flight hold", numbers::size(*in_flight));
            Some(at_least(level, |low| numbers::bandwidth(low, Prefix::Binary), &by))
        }
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

/// Returns a sentence that the volume sustains `level` and may sustain more; if hardly anything is known of the
/// level, only the latter.
fn at_least(level: &Estimate, words: impl Fn(f64) -> String, by: &str) -> String {
    let low = two_digits(level.low);
    match low >= level.value * KNOWN {
        true => format!("At least {}: {by} it, not the volume.", words(low)),
        false => format!("{} it, not the volume.", capital(by)),
    }
}

/// Share of the figure below which its lower bound says nothing.
const KNOWN: f64 = 0.5;

/// Rounds down to two significant digits, because a bound is not an exact figure.
fn two_digits(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let unit = 10f64.powf(value.log10().floor() - 1.0);
    (value / unit + 1e-9).floor() * unit
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

/// Returns the depth beyond which more depth only adds waiting: the cap times the base latency; or the depth at
/// which the ladder reaches 90 %, if that is greater and not the ladder's first rung, where it would mean nothing.
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
