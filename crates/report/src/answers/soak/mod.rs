//! The answer of a soak in words: the promise as a share of time, drift, and the latency of a modest load.

pub(crate) mod charts;

use analysis::{Answer, Drift, DutyFigures, Estimate, PromiseOutcome, SoakAnswer};

use super::sheet::{Block, Section, Sheet, VerdictWords};
use crate::words::claims::answer_words;
use crate::words::numbers::{self, IOPS};
use crate::words::tiles::{PromiseWords, Tile, TileFigure};

/// Returns the whole answer as a sheet.
pub(super) fn sheet(answer: &SoakAnswer) -> Sheet {
    Sheet {
        command: "soak",
        verdict: Some(verdict(answer)),
        tiles: tiles(answer),
        sections: vec![Section::of("Over time", vec![Block::Items("  ", lines(answer))])],
    }
}

/// Returns the answer in a sentence or two.
fn verdict(answer: &SoakAnswer) -> VerdictWords {
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

/// Returns the certain drift, or the largest drift that is possible.
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

/// Returns further remarks, one on each line.
fn lines(answer: &SoakAnswer) -> Vec<String> {
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

fn tiles(answer: &SoakAnswer) -> Vec<Tile> {
    let level = |estimate: Option<Estimate>, what: &str| {
        estimate.map(|estimate| TileFigure::estimate(&estimate, IOPS, what.to_owned()))
    };
    let levels = level(answer.steady, "steady state").or_else(|| level(answer.middle, "half of the time"));
    let kept = answer.promise.as_ref().map(|promise| {
        let share = promise.share.value;
        let promised = promise.time.map(|time| PromiseWords {
            words: format!("of {}: {}", numbers::share(time), answer_words(promise.answer)),
            share: share / time,
            answer: promise.answer,
        });
        let what = format!("of the time {} or more", numbers::iops(promise.iops * promise.fraction));
        TileFigure { promised, ..TileFigure::plain(numbers::share(share), what) }
    });
    let tiles =
        [Tile::of("IOPS", levels.into_iter().collect()), Tile::of("Kept", kept.into_iter().collect())];
    tiles.into_iter().flatten().collect()
}
