//! What a finding says, in a sentence with its numbers.

use analysis::{Confidence, Estimate, Evidence, Finding, Limiter, Meaning};
use workload::Direction;

use crate::words::numbers::{self, IOPS, Prefix, Unit};
use crate::words::target_doubt::target_doubt;
use crate::words::watch_words;
use crate::words::wrap::clean;

/// What `finding` says, one or two sentences.
pub fn sentence(finding: &Finding) -> String {
    match &finding.meaning {
        Meaning::IopsCap { .. }
        | Meaning::BandwidthCap { .. }
        | Meaning::Crossover { .. }
        | Meaning::FillingDepth { .. }
        | Meaning::StepDown { .. }
        | Meaning::InsideBurst { .. } => of_the_volume(&finding.meaning),
        Meaning::TargetDoubt { .. }
        | Meaning::CachedReads { .. }
        | Meaning::Unwritten { .. }
        | Meaning::ReadsOnly { .. }
        | Meaning::TooFast { .. } => of_the_target(&finding.meaning),
        meaning => watch_words::sentence(meaning).unwrap_or_else(|| of_the_run(meaning)),
    }
}

fn of_the_volume(meaning: &Meaning) -> String {
    match meaning {
        Meaning::IopsCap { direction, cap, limiter, at_least } => {
            plateau(*direction, &rate_of_operations(cap), *limiter, *at_least)
        }
        Meaning::BandwidthCap { direction, cap, limiter, at_least } => {
            plateau(*direction, &rate_of_bytes(cap), *limiter, *at_least)
        }
        Meaning::Crossover { direction, bytes } => format!(
            "{}: below {} the cap on operations binds, above it the cap on bandwidth.",
            capital(plural(*direction)),
            numbers::block(*bytes)
        ),
        Meaning::FillingDepth { direction, star, ninety, base_latency_ns } => format!(
            "{} {} in flight fill the cap (the cap times {} of base latency); the ladder had 90 % of it at depth {}. A deeper queue only adds waiting.",
            numbers::figure(*star),
            plural(*direction),
            numbers::time(*base_latency_ns),
            numbers::figure(*ninety)
        ),
        Meaning::StepDown { step, at, before, after } => format!(
            "The rate fell at {} (step {}), from {} to {} a second, and stayed there.",
            numbers::span(at.as_secs_f64()),
            quoted(step),
            numbers::count(*before),
            numbers::count(*after)
        ),
        Meaning::InsideBurst { policy, resource, burst_s, loaded_s } => format!(
            "The whole run lies inside the {} burst of {}: {} under load, of a burst that lasts {} at full load.",
            clean(resource),
            clean(policy),
            numbers::span(*loaded_s),
            numbers::span(*burst_s)
        ),
        _ => String::new(),
    }
}

fn of_the_target(meaning: &Meaning) -> String {
    match meaning {
        Meaning::TargetDoubt { doubt } => {
            format!(
                "These figures may not be the volume's: {}.",
                clean(&target_doubt(doubt)).trim_end_matches('.')
            )
        }
        Meaning::CachedReads { share } => {
            format!(
                "{} of what was read came from the page cache, not from the volume.",
                numbers::share(*share)
            )
        }
        Meaning::Unwritten { share, laid_out: true } => format!(
            "{} of the region held no data; real data was written there before reads were measured.",
            numbers::share(*share)
        ),
        Meaning::Unwritten { share, laid_out: false } => format!(
            "{} of the region holds no data, and was read all the same: a volume may answer such reads from nothing.",
            numbers::share(*share)
        ),
        Meaning::ReadsOnly { unwritten_share: Some(0.0) } => {
            "Only reads were measured; the whole region holds data.".to_owned()
        }
        Meaning::ReadsOnly { unwritten_share: Some(share) } => format!(
            "Only reads were measured. {} of the region was never written: a thin device may answer those reads from nothing.",
            numbers::share(*share)
        ),
        Meaning::ReadsOnly { unwritten_share: None } => {
            "Only reads were measured. Blocks that were never written \
             are not told apart here: a thin device may answer their reads from nothing."
                .to_owned()
        }
        Meaning::TooFast { step, latency_ns } => format!(
            "Step {} was answered in {}, faster than the device below can be: a cache answers, or blocks that hold no data.",
            quoted(step),
            numbers::time(*latency_ns)
        ),
        _ => String::new(),
    }
}

fn of_the_run(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Unsteady { step, half_width } => format!(
            "The rate did not settle in step {}: its 95 % interval is still ± {} wide.",
            quoted(step),
            numbers::share(*half_width)
        ),
        Meaning::LittleMismatch { step, depth, product } => format!(
            "Step {} asked for {} I/Os in flight, but rate times latency gives {}.",
            quoted(step),
            numbers::figure(*depth),
            numbers::figure(*product)
        ),
        Meaning::GeneratorBound { step, own_cpu_share, waiting_share, steal_share, late } => format!(
            "plimsoll was short of CPU in step {}: its busiest worker ran {} of the time and waited for a CPU {} of it; the hypervisor took {} of the machine. {} I/Os were issued over 1 ms late.",
            quoted(step),
            numbers::share(*own_cpu_share),
            numbers::share(*waiting_share),
            numbers::share(*steal_share),
            numbers::count(*late as f64)
        ),
        Meaning::ForeignLoad { device, ops_per_second, bytes_per_second, share } => format!(
            "Somebody else used {} meanwhile: {} and {}, {} of all its I/O.",
            clean(device),
            numbers::iops(*ops_per_second),
            numbers::bandwidth(*bytes_per_second, Prefix::Binary),
            numbers::share(*share)
        ),
        Meaning::Interrupted { after_s } => {
            format!("The run was stopped after {}, before its end.", numbers::span(*after_s))
        }
        Meaning::Failed { step, errno, count } => {
            format!("{} in step {}: {}.", failures(*count), quoted(step), error_words(*errno))
        }
        _ => String::new(),
    }
}

fn plateau(direction: Direction, rate: &str, limiter: Limiter, at_least: bool) -> String {
    let who = capital(plural(direction));
    if at_least {
        return format!(
            "{who} reach at least {rate}: the deepest queue that was tested does not fill the volume."
        );
    }
    match limiter {
        Limiter::Metered => {
            format!("{who} are held at {rate} by a meter: they are far steadier than a busy device would be.")
        }
        Limiter::Saturated => {
            format!(
                "{who} level off at {rate} as those of a busy device do: their rate varies with their latency."
            )
        }
        Limiter::Unclear => format!("{who} level off at {rate}, whether by a meter or by a busy device."),
    }
}

fn rate_of_operations(cap: &Estimate) -> String {
    format!("{} IOPS", numbers::estimate(cap, IOPS))
}

fn rate_of_bytes(cap: &Estimate) -> String {
    let unit = Unit::of_bandwidth(cap.value, Prefix::Binary);
    format!("{} {}", numbers::estimate(cap, unit), unit.name)
}

fn failures(count: u64) -> String {
    match count {
        1 => "An I/O failed".to_owned(),
        several => format!("{} I/Os failed", numbers::count(several as f64)),
    }
}

/// An error number in the words of the C library, for those that a block device or a file gives.
pub fn error_words(errno: i32) -> String {
    let words = match errno {
        1 => "operation not permitted",
        5 => "input/output error",
        9 => "bad file descriptor",
        11 => "resource temporarily unavailable",
        12 => "out of memory",
        13 => "permission denied",
        16 => "device or resource busy",
        19 => "no such device",
        22 => "invalid argument",
        27 => "file too large",
        28 => "no space left on device",
        30 => "read-only file system",
        61 => "no data available",
        84 => "invalid or incomplete data",
        95 => "operation not supported",
        110 => "timed out",
        117 => "structure needs cleaning",
        121 => "remote I/O error",
        122 => "disk quota exceeded",
        _ => return format!("errno {errno}"),
    };
    format!("{words} (errno {errno})")
}

/// `reads`, `writes`, `trims`, `flushes`.
pub fn plural(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "reads",
        Direction::Write => "writes",
        Direction::Trim => "trims",
        Direction::Flush => "flushes",
    }
}

/// How sure a finding is, in a few words.
pub fn confidence(finding: &Finding) -> &'static str {
    let level = matches!(
        finding.meaning,
        Meaning::IopsCap { .. }
            | Meaning::BandwidthCap { .. }
            | Meaning::HeldOperations { .. }
            | Meaning::HeldBytes { .. }
            | Meaning::ThrottledAboveNominal { .. }
    );
    match finding.confidence {
        Confidence::Possible => "possible: one symptom",
        Confidence::Likely if level => "likely: flat, and round, published or seen again",
        Confidence::Likely => "likely",
        Confidence::Strong if level => "strong: flat, and the figure of a policy",
        Confidence::Strong => "strong",
        Confidence::Certain => "certain: counted, not inferred",
    }
}

/// Where to look: step, series and span on the run's clock. Empty where there is no evidence.
pub fn evidence(spans: &[Evidence]) -> String {
    let mut words: Vec<String> = spans.iter().take(EVIDENCE_NAMED).map(one_span).collect();
    if spans.len() > EVIDENCE_NAMED {
        words.push(format!("and {} more", spans.len() - EVIDENCE_NAMED));
    }
    words.join("; ")
}

/// More spans than this are counted, not named.
const EVIDENCE_NAMED: usize = 3;

fn one_span(span: &Evidence) -> String {
    let step = if span.step.is_empty() { String::new() } else { format!(", step {}", quoted(&span.step)) };
    let (from, to) = (span.from.as_secs_f64(), span.to.as_secs_f64());
    let clock = if to >= BY_HOURS { by_hours } else { by_seconds };
    format!("{}{step}, {} to {}", clean(&span.series), clock(from), clock(to))
}

/// A span that ends from here on, seconds, is written as hours, minutes and seconds.
const BY_HOURS: f64 = 7200.0;

/// A place on the run's clock so that it is found in the series: `14:57:00`.
fn by_hours(seconds: f64) -> String {
    if !(0.0..1e9).contains(&seconds) {
        return by_seconds(seconds);
    }
    let whole = seconds.round() as u64;
    format!("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}

/// `45.0 s`.
fn by_seconds(seconds: f64) -> String {
    format!("{} s", numbers::fixed(seconds, 1))
}

/// A name in quotes, without control characters.
pub fn quoted(name: &str) -> String {
    format!("'{}'", clean(name))
}

/// The first letter in upper case.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
