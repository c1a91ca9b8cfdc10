//! Bursts in words: which bucket emptied, and which policies have a burst with the same levels.

use analysis::findings::{Alike, BucketEmptied, BurstsAlike, CreditsSpent, HeldLevelFell, InsideBurst};
use analysis::{BucketAccount, Refill, Resource};

use super::doubt::{charged, counted, ending, outlast};
use super::findings::FindingChart::{Nowhere, OfDevice, OfRun};
use super::findings::FindingWords;
use super::numbers::{self, Prefix};
use super::phrases::capital;
use super::watch_words::place_words;
use super::wrap::clean;

/// Returns a sentence on the bucket that emptied, as far as the run shows which one.
pub(crate) fn bucket(found: &BucketEmptied) -> String {
    let accounts: Vec<String> = found.accounts.iter().map(account).collect();
    let (from, to) = (numbers::span(found.from.as_secs_f64()), numbers::span(found.to.as_secs_f64()));
    let when = if from == to { format!("at {from}") } else { format!("between {from} and {to}") };
    let open = if accounts.len() > 1 { ", which of them this run does not show" } else { "" };
    let whose = found.policy.as_ref();
    let whose = whose.map_or(String::new(), |policy| format!(" These are the rates of {}.", clean(policy)));
    let kind = match found.refill {
        Refill::Earned => " What was earned since paid for a second burst.",
        Refill::Unknown => "",
    };
    format!("Credits ran out {when}: {}{open}.{whose}{kind}", accounts.join(", or "))
}

fn account(account: &BucketAccount) -> String {
    let half = account.held.half_width();
    let held = match account.resource {
        Resource::Iops => format!("{} ± {}", numbers::count(account.held.value), numbers::count(half)),
        Resource::Bytes => {
            format!("{} ± {}", numbers::size(account.held.value as u64), numbers::size(half as u64))
        }
    };
    let unit = account.unit.map(|unit| format!(", one for each {}", numbers::block(unit as f64)));
    format!(
        "a bucket of {} that held {held} (all of it, if it was full){} gave {} and leaves {}",
        counted(account.resource),
        unit.unwrap_or_default(),
        charged(account.resource, account.burst),
        charged(account.resource, account.base.value)
    )
}

/// Returns a sentence on other policies whose burst has the same levels.
pub(crate) fn levels_alike(found: &BurstsAlike) -> String {
    let bytes = found.bytes_per_second;
    let bytes =
        bytes.map_or(String::new(), |rate| format!(" and {}", numbers::bandwidth(rate, Prefix::Binary)));
    format!("{}{bytes}", numbers::iops(found.iops))
}

pub(crate) fn alike(alike: &Alike) -> String {
    let lasts = match alike.lasts_s {
        Some(seconds) => format!("from full credits it lasts {}", numbers::span(seconds)),
        None => "nobody publishes how long it lasts".to_owned(),
    };
    let after = numbers::iops(alike.after_iops);
    format!("{} ({}): {lasts}, and {after} or more are left", clean(&alike.policy), clean(&alike.title))
}

/// Words for a rate that is within the policy's burst.
pub(super) fn inside(found: &InsideBurst) -> FindingWords<'_> {
    FindingWords {
        sentence: format!(
            "The rate is that of the burst in {} of {}: at {} it lasts {} from full credits. The volume was loaded for {}, and how full they were before is not known: the burst may end {}.",
            counted(found.of),
            clean(&found.policy),
            charged(found.of, found.rate),
            numbers::span(found.burst_s),
            numbers::span(found.loaded_s),
            ending(found.left_s_least, found.left_s_most)
        ),
        unless: Some("The volume was made with higher limits than the policy that was named."),
        next: outlast(found.left_s_most),
        shown: Nowhere,
    }
}

/// Words for a volume limited to its baseline because its credits are spent.
pub(super) fn spent(found: &CreditsSpent) -> FindingWords<'_> {
    FindingWords {
        sentence: format!(
            "The burst in {} of {} is spent: the volume was held at its baseline of {} while the load asked for more, and with credits left {} would have come through.",
            counted(found.of),
            clean(&found.policy),
            charged(found.of, found.baseline),
            charged(found.of, found.burst)
        ),
        unless: Some(
            "Another limit of the same rate stopped it, such as that of the machine for all its volumes.",
        ),
        next: "Leave it idle to earn credits, and run it again to see the burst.".to_owned(),
        shown: Nowhere,
    }
}

/// Words for other policies whose burst has the same levels.
pub(super) fn bursts_alike(found: &BurstsAlike) -> FindingWords<'_> {
    FindingWords {
        sentence: format!(
            "{} are also the burst of {}.",
            capital(&levels_alike(found)),
            found.policies.iter().map(alike).collect::<Vec<_>>().join("; of ")
        ),
        unless: Some("The volume has these limits for good: many policies share figures."),
        next: match found.policies.iter().filter_map(|alike| alike.lasts_s).reduce(f64::max) {
            Some(longest) => outlast(longest),
            None => "Keep it loaded until the rate falls, or ask the provider what it sold.".to_owned(),
        },
        shown: Nowhere,
    }
}

/// Words for a bucket that emptied.
pub(super) fn bucket_emptied(found: &BucketEmptied) -> FindingWords<'_> {
    FindingWords {
        sentence: bucket(found),
        unless: Some("A neighbour came, or the provider set another limit, at that very time."),
        next: match found.refill {
            Refill::Earned => "Leave it idle to earn credits before the load that needs them.",
            Refill::Unknown => "Leave it idle for a while and load it again: a bucket then bursts for as long as it earned, a burst that ends with time for as long as before.",
        }
        .to_owned(),
        shown: OfRun("rate"),
    }
}

/// Words for a limit that fell while it was in force.
pub(super) fn held_level_fell(found: &HeldLevelFell) -> FindingWords<'_> {
    let rate = |value: f64| match found.bytes {
        true => numbers::bandwidth(value, Prefix::Binary),
        false => numbers::iops(value),
    };
    FindingWords {
        sentence: format!(
            "The level at which {} is held fell at {} from {} to {}, {}.",
            place_words(&found.device),
            numbers::span(found.at.as_secs_f64()),
            rate(found.before),
            rate(found.after),
            match found.back {
                None => "as it does where the credits of a burst are spent".to_owned(),
                Some(back) => format!(
                    "and was back at {}, as where others take a part of the same limit for a while",
                    numbers::span(back.as_secs_f64())
                ),
            }
        ),
        unless: Some(match found.back {
            None => "Others share the limit and stay, somebody changed it, or the device became slower.",
            Some(_) => "A burst ran out and was earned again, or the device was slower for a while.",
        }),
        next: match found.back {
            None => "Leave it idle for a while and load it again: a level that comes back was a burst.",
            Some(_) => {
                "Look at what else used the same storage then, on this machine and by the provider's word."
            }
        }
        .to_owned(),
        shown: OfDevice(&found.device, if found.bytes { "traffic" } else { "iops" }),
    }
}
