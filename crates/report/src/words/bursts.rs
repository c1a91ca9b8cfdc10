//! Bursts in words: what emptied, and whose burst gives the same levels.

use analysis::findings::{Alike, BucketEmptied, BurstsAlike};
use analysis::{BucketAccount, Refill, Resource};

use super::doubt::{charged, counted};
use super::numbers::{self, Prefix};
use super::wrap::clean;

/// What emptied, as far as the run tells.
pub(crate) fn bucket(found: &BucketEmptied) -> String {
    let accounts: Vec<String> = found.accounts.iter().map(account).collect();
    let (from, to) = (found.from.as_secs_f64(), found.to.as_secs_f64());
    let open = if accounts.len() > 1 { ", which of them is not identifiable" } else { "" };
    let whose = found.policy.as_ref();
    let whose = whose.map_or(String::new(), |policy| format!(" These are the rates of {}.", clean(policy)));
    let kind = match found.refill {
        Refill::Earned => " What was earned since paid for a second burst.",
        Refill::Unknown => "",
    };
    format!(
        "Credits ran out between {} and {}: {}{open}.{whose}{kind}",
        numbers::span(from),
        numbers::span(to),
        accounts.join(", or ")
    )
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

/// The levels that a burst would give too.
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
