//! Reasons why a claim is undecided, or weaker than it looks, in words.

use analysis::{Doubt, Resource};
use serde_json::{Value, json};

use crate::words::numbers::{self, Prefix};
use crate::words::phrases::plural;
use crate::words::target_doubt::target_doubt;
use crate::words::wrap::clean;

/// Returns the reason as a clause without a full stop, fit to follow a colon.
pub fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::InsideBurst { of, rate, burst_s, left_s_least, left_s_most, .. } => format!(
            "the policy's burst in {} may have paid for it: at {} that lasts {} from full credits, and how full they were is not known, so that it may end {}",
            counted(*of),
            charged(*of, *rate),
            numbers::span(*burst_s),
            ending(*left_s_least, *left_s_most)
        ),
        Doubt::BurstUnknown => "the policy has a burst whose length is not published".to_owned(),
        Doubt::CreditsSpent { of, burst, .. } => format!(
            "the burst in {} is spent and the baseline is held: with credits left, {} would have come through",
            counted(*of),
            charged(*of, *burst)
        ),
        Doubt::BurstOfAnother { policy, lasts_s, more } => another(policy, *lasts_s, *more),
        Doubt::NotMeasured => "not measured in this run".to_owned(),
        Doubt::TooShort => "the rate did not settle, or too few seconds were counted".to_owned(),
        Doubt::Brief { seconds } => {
            format!("measured for only {}, until the bytes that may be written were spent", numbers::span(*seconds))
        }
        Doubt::OnTolerance { least } => format!(
            "the rate lies on the tolerance: it would count as met from {} of the claim on",
            numbers::share(*least)
        ),
        Doubt::UnitUnknown => "it is met where MB are 1,000,000 bytes and missed where they are 1,048,576, and the source does not say which"
            .to_owned(),
        Doubt::Wandering => "the rate moved from moment to moment by more than its noise explains, and the interval is wider for what was not seen".to_owned(),
        Doubt::BeforeChange { at } => {
            format!("not measured again after the change at {}", numbers::span(at.as_secs_f64()))
        }
        Doubt::Swings { low, mean, high } => format!(
            "the level swings between {} and {} of its mean, and nothing above the mean is kept up",
            numbers::share(low / mean),
            numbers::share(high / mean)
        ),
        Doubt::Unsettled { at } => {
            format!(
                "what the change at {} left was not seen for long enough",
                numbers::span(at.as_secs_f64())
            )
        }
        Doubt::GeneratorBound => "plimsoll itself was short of CPU, so the volume may do more".to_owned(),
        Doubt::ForeignLoad => "somebody else used the device meanwhile, so the volume may do more".to_owned(),
        Doubt::Target { why } => not_the_volume(&target_doubt(why)),
        Doubt::CachedReads => not_the_volume(CACHED_READS),
        Doubt::Cached { share, reached } => format!(
            "a cache answered {} of the reads, and {} came through with these: the claim is judged by the others",
            numbers::share(*share),
            numbers::iops(*reached)
        ),
        Doubt::AtOnce { direction, alone } => format!(
            "all claimed rates were asked for at once; {} alone reach {}",
            plural(*direction),
            numbers::iops(*alone)
        ),
        Doubt::Unwritten { share } => not_the_volume(&no_data(*share)),
        Doubt::DepthTooLow { depth } => {
            format!(
                "the queue was too shallow to fill it; at least {} I/Os in flight are needed",
                numbers::count(depth.ceil())
            )
        }
        Doubt::WithinPromise { fraction } => format!(
            "it is below the nominal figure but within the provider's promise of {} of it",
            numbers::share(*fraction)
        ),
        Doubt::FewSamples { count } => {
            format!(
                "{} I/Os are too few for that percentile, or the long ones among them came together",
                numbers::count(*count as f64)
            )
        }
        Doubt::Interrupted => "the run was stopped before its end".to_owned(),
    }
}

/// Returns the unit that a rule counts.
pub(crate) fn counted(of: Resource) -> &'static str {
    match of {
        Resource::Iops => "operations",
        Resource::Bytes => "bytes",
    }
}

/// Formats a rate in the unit that a rule counts in.
pub(crate) fn charged(of: Resource, rate: f64) -> String {
    match of {
        Resource::Iops => numbers::iops(rate),
        Resource::Bytes => numbers::bandwidth(rate, Prefix::Binary),
    }
}

/// Returns the end of something that lasts `least` to `most` more seconds.
pub(crate) fn ending(least: f64, most: f64) -> String {
    match (least, most) {
        (_, most) if most < 1.0 => "about now".to_owned(),
        (least, most) if least < 1.0 => format!("any time within {}", numbers::span(most)),
        (least, most) => match (numbers::span(least), numbers::span(most)) {
            (least, most) if least == most => format!("in about {most}"),
            (least, most) => format!("in {least} to {most}"),
        },
    }
}

fn another(policy: &str, lasts_s: Option<f64>, more: usize) -> String {
    let lasts = match lasts_s {
        Some(seconds) => format!("{} under load would tell", numbers::span(seconds)),
        None => "nobody publishes how long that is".to_owned(),
    };
    let others = match more {
        0 => String::new(),
        1 => " (and one of another policy)".to_owned(),
        more => format!(" (and those of {more} other policies)"),
    };
    format!(
        "a volume of {}{others} gives these figures too while its burst lasts, and then falls: {lasts}",
        clean(policy)
    )
}

fn not_the_volume(why: &str) -> String {
    format!("the target may not be the volume ({})", clean(why).trim_end_matches('.'))
}

/// What to do where a cache answers a part of the reads.
pub(crate) const COUNT_ON: &str = "Count on the rate beyond the cache where the data are larger than it.";

const CACHED_READS: &str = "the page cache answered reads";

fn no_data(share: f64) -> String {
    format!("{:.0} % of the region holds no data", share * 100.0)
}

/// Returns the doubt as a value of the JSON document; doubts about the target are given in words there.
pub(crate) fn doubt_json(doubt: &Doubt) -> Value {
    let of_target = |why: String| json!({"doubt": "target", "why": why});
    match doubt {
        Doubt::Target { why } => of_target(target_doubt(why)),
        Doubt::CachedReads => of_target(CACHED_READS.to_owned()),
        Doubt::Unwritten { share } => of_target(no_data(*share)),
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

/// Returns the remedy for the doubt, as one sentence.
pub fn remedy(doubt: &Doubt) -> String {
    let text = match doubt {
        Doubt::InsideBurst { left_s_most, .. } => return outlast(*left_s_most),
        Doubt::BurstOfAnother { lasts_s: Some(lasts_s), .. } => return outlast(*lasts_s),
        Doubt::CreditsSpent { .. } => "Leave it idle to earn credits, if the burst is wanted.",
        Doubt::BurstUnknown | Doubt::BurstOfAnother { lasts_s: None, .. } => {
            "Keep it loaded until the rate falls, as check --plan burst does."
        }
        Doubt::NotMeasured => "Permit the load that the claim is about, and run again.",
        Doubt::TooShort => "Run it longer, or at another hour.",
        Doubt::Brief { .. } => "Allow it to write more (--write-most).",
        Doubt::OnTolerance { .. } => "Claim what the volume is to have at least.",
        Doubt::UnitUnknown => "Ask the provider which megabyte is meant.",
        Doubt::Wandering => "Run it for longer, and at several hours.",
        Doubt::BeforeChange { .. } => "Run it again now that it has changed.",
        Doubt::Swings { .. } => "Run it for several of its periods, or find out who shares the volume.",
        Doubt::Unsettled { .. } => "Run it again at once, to see whether the level holds.",
        Doubt::GeneratorBound => "Run it from a machine with more free CPU.",
        Doubt::ForeignLoad => "Stop what else uses the device, and run again.",
        Doubt::Target { .. } | Doubt::CachedReads | Doubt::Unwritten { .. } => {
            "Name a directory on the volume itself, or its block device."
        }
        Doubt::Cached { .. } => COUNT_ON,
        Doubt::AtOnce { .. } => "Claim each rate in a check of its own if they are not meant together.",
        Doubt::DepthTooLow { .. } => "Run it with a deeper queue or more workers.",
        Doubt::WithinPromise { .. } => "Nothing is owed; ask the provider only if it stays so for months.",
        Doubt::FewSamples { .. } => "Run it longer, or claim a lower percentile.",
        Doubt::Interrupted => "Run it again to its end.",
    };
    text.to_owned()
}

/// Returns the advice to load the volume for longer than `seconds`.
pub(crate) fn outlast(seconds: f64) -> String {
    format!(
        "Keep it loaded for longer than {}, as check --plan burst does, and see what rate is left.",
        numbers::span(seconds)
    )
}
