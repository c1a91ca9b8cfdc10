//! A soak in words: the promise as a share of time, drift, and how long a modest load waited.

use analysis::{Answer, Drift, DutyFigures, Estimate, PromiseOutcome, SoakAnswer};

use crate::words::answer::VerdictWords;
use crate::words::numbers;
use crate::words::wrap::wrap;

/// Returns the answer in a sentence or two.
pub(crate) fn verdict(answer: &SoakAnswer) -> VerdictWords {
    let over = format!("over {}", numbers::span(answer.seconds));
    let Some(middle) = answer.middle else {
        return VerdictWords {
            word: "CANNOT TELL",
            rest: ": no look came to its end.".into(),
            stops: String::new(),
        };
    };
    let (word, rest) = match &answer.promise {
        Some(promise) => (word_of(promise), rest_of(promise, &over)),
        None => {
            let steady = answer.steady.map_or_else(String::new, |share| {
                format!(" It had nine tenths of that or more for {} of the time.", share_words(&share))
            });
            ("MEASURED", format!(": {} {over}.{steady}", numbers::iops(middle.value)))
        }
    };
    VerdictWords { word, rest, stops: drift_words(answer) }
}

fn word_of(promise: &PromiseOutcome) -> &'static str {
    match promise.answer {
        Answer::Meets | Answer::Exceeds => "MEETS",
        Answer::Below => "BELOW",
        Answer::Measured => "MEASURED",
        Answer::CannotTell | Answer::ConsistentWithBurst => "CANNOT TELL",
    }
}

fn rest_of(promise: &PromiseOutcome, over: &str) -> String {
    let what = format!("{} of {}", percent(promise.fraction), numbers::iops(promise.iops));
    let time = promise.time.map_or_else(String::new, |time| format!(" for {} of the time", percent(time)));
    let seen = format!("it had them for {} of it {over}", share_words(&promise.share));
    let open = match (promise.answer, promise.hours_needed) {
        (Answer::CannotTell, Some(hours)) if promise.share.value >= promise.time.unwrap_or(1.0) => {
            format!(" What never misses can be told to keep it after {}.", numbers::span(hours * 3600.0))
        }
        _ => String::new(),
    };
    match promise.answer {
        Answer::Measured => {
            let had = share_words(&promise.share);
            format!(
                ": {} gives {}, and {} of that was there for {had} of the time {over}.",
                promise.policy,
                numbers::iops(promise.iops),
                percent(promise.fraction)
            )
        }
        Answer::CannotTell => {
            format!(" whether it keeps {}: {what}{time} is promised, {seen}.{open}", promise.policy)
        }
        _ => format!(" {}: {what}{time} is promised, {seen}.", promise.policy),
    }
}

/// Formats a share with its interval: `99.4 % (98.1 to 99.9)`.
fn share_words(share: &Estimate) -> String {
    let figure = |share: f64| format!("{:.1}", 100.0 * share);
    format!("{} % ({} to {})", figure(share.value), figure(share.low), figure(share.high))
}

fn percent(share: f64) -> String {
    let percent = (share * 1e6).round() / 1e4;
    format!("{percent} %")
}

/// Returns what is certain about drift, or how large it could be at most.
fn drift_words(answer: &SoakAnswer) -> String {
    let mut said = Vec::new();
    if let Some(trend) = answer.trend {
        said.push(trend_words(&trend));
    }
    if let Some(swing) = answer.swing {
        said.push(match swing.sure {
            true => format!(
                "With the time of day it swings by {} to either side, highest {} into the run.",
                around(&swing.share),
                numbers::span(answer.highest_s)
            ),
            false => format!("No swing with the time of day beyond {:.1} %.", 100.0 * swing.share.high.abs()),
        });
    }
    said.join(" ")
}

fn trend_words(trend: &Drift) -> String {
    let way = if trend.share.value < 0.0 { "fell" } else { "rose" };
    match trend.sure {
        true => format!("The rate {way} by {} from the beginning to the end.", around(&trend.share)),
        false => {
            let most = trend.share.low.abs().max(trend.share.high.abs());
            format!("No lasting rise or fall beyond {:.1} %.", 100.0 * most)
        }
    }
}

/// Formats a share with its half-width: `4.1 ± 0.3 %`.
fn around(share: &Estimate) -> String {
    let half = (share.high - share.low) / 2.0;
    format!("{:.1} ± {:.1} %", 100.0 * share.value.abs(), 100.0 * half)
}

/// Returns what stands below the verdict in a terminal.
pub(crate) fn text(answer: &SoakAnswer) -> String {
    lines(answer).iter().map(|line| wrap("  ", line)).collect()
}

/// Returns what else is to be said, a line for each.
pub(crate) fn lines(answer: &SoakAnswer) -> Vec<String> {
    let looks = answer.middle.map(|middle| {
        format!(
            "looks   {} of {} random reads, at random moments: {} in the middle, nine in ten from {} to {}",
            numbers::count(answer.probes.len() as f64),
            numbers::block(answer.block as f64),
            numbers::iops(middle.value),
            numbers::count(middle.low),
            numbers::iops(middle.high)
        )
    });
    let steady = answer.steady.map(|share| {
        format!("steady  nine tenths of the middle or more for {} of the time", share_words(&share))
    });
    let stopped = answer
        .cut_short
        .then(|| "but     it was stopped before its end: this is what was known by then".to_owned());
    looks.into_iter().chain(steady).chain(answer.duty.iter().flat_map(duty_lines)).chain(stopped).collect()
}

fn duty_lines(duty: &DutyFigures) -> Vec<String> {
    let time = |nanoseconds: u64| numbers::time(nanoseconds as f64);
    let (from, to, p99) = duty.worst;
    let mut lines = vec![format!(
        "duty    {} in between: p50 {}, p99 {}; worst from {} to {}, p99 {}",
        numbers::iops(duty.iops),
        time(duty.latency_ns_p50),
        time(duty.latency_ns_p99),
        numbers::span(from),
        numbers::span(to),
        time(p99)
    )];
    if duty.short_s > 0.0 {
        let short = numbers::span(duty.short_s);
        lines.push(format!("short   in intervals of {short} not even that came through"));
    }
    lines
}
