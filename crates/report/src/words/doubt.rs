//! Why a claim is not decided, or is weaker than it looks, in words.

use analysis::Doubt;
use serde_json::{Value, json};

use crate::words::numbers;
use crate::words::target_doubt::target_doubt;
use crate::words::wrap::clean;

/// Why, as a clause without a full stop, fit to follow a colon.
pub fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::InsideBurst { burst_s, loaded_s } => format!(
            "the policy's burst lasts {} at full load, and the run loaded the volume for {}",
            numbers::span(*burst_s),
            numbers::span(*loaded_s)
        ),
        Doubt::BurstUnknown => "the policy has a burst whose length is not published".to_owned(),
        Doubt::NotMeasured => "not measured in this run".to_owned(),
        Doubt::TooShort => "the rate did not settle, or too few seconds were counted".to_owned(),
        Doubt::OnTolerance { least } => format!(
            "the rate lies on the tolerance: it would count as met from {} of the claim on",
            numbers::share(*least)
        ),
        Doubt::UnitUnknown => "it is met where MB are 1,000,000 bytes and missed where they are 1,048,576, and the source does not say which"
            .to_owned(),
        Doubt::Wandering => "the rate moved from moment to moment by more than its noise explains, and the interval is wider for what was not seen".to_owned(),
        Doubt::BeforeChange { at } => {
            format!("measured only before the change at {}", numbers::span(at.as_secs_f64()))
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
            format!("{} I/Os are too few for that percentile", numbers::count(*count as f64))
        }
        Doubt::Interrupted => "the run was stopped before its end".to_owned(),
    }
}

fn not_the_volume(why: &str) -> String {
    format!("the target may not be the volume ({})", clean(why).trim_end_matches('.'))
}

const CACHED_READS: &str = "the page cache answered reads";

fn no_data(share: f64) -> String {
    format!("{:.0} % of the region holds no data", share * 100.0)
}

/// The doubt as a value of the JSON document: what it is about the target is told there in words.
pub(crate) fn doubt_json(doubt: &Doubt) -> Value {
    let of_target = |why: String| json!({"doubt": "target", "why": why});
    match doubt {
        Doubt::Target { why } => of_target(target_doubt(why)),
        Doubt::CachedReads => of_target(CACHED_READS.to_owned()),
        Doubt::Unwritten { share } => of_target(no_data(*share)),
        other => serde_json::to_value(other).unwrap_or_default(),
    }
}

/// What would remove the doubt, as one sentence.
pub fn remedy(doubt: &Doubt) -> String {
    let text = match doubt {
        Doubt::InsideBurst { burst_s, .. } => {
            return format!(
                "Keep it loaded for longer than {}, and see what rate is left.",
                numbers::span(*burst_s)
            );
        }
        Doubt::BurstUnknown => "Keep it loaded until the rate falls.",
        Doubt::NotMeasured => "Permit the load that the claim is about, and run again.",
        Doubt::TooShort => "Run it longer, or at another hour.",
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
        Doubt::DepthTooLow { .. } => "Run it with a deeper queue or more workers.",
        Doubt::WithinPromise { .. } => "Nothing is owed; ask the provider only if it stays so for months.",
        Doubt::FewSamples { .. } => "Run it longer, or claim a lower percentile.",
        Doubt::Interrupted => "Run it again to its end.",
    };
    text.to_owned()
}
