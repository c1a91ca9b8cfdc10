//! Levels of the ladders in words: at what operations or bytes are held, and what else could hold them.

use analysis::{Estimate, Limiter};
use workload::Direction;

use super::numbers::{self, IOPS, Prefix, Unit};
use super::phrases::{capital, plural};

pub(super) fn unless_capped(limiter: Limiter, at_least: bool) -> &'static str {
    match (at_least, limiter) {
        (true, _) => {
            "plimsoll itself, or this machine's limit for all its volumes, is the limit and not the volume."
        }
        (false, Limiter::Metered) => {
            "The meter is that of the machine (instance, network, cgroup) and not that of the volume."
        }
        (false, Limiter::Saturated | Limiter::Unclear) => {
            "Neighbours on the same storage share the device, so that another hour shows another level."
        }
    }
}

pub(super) fn plateau(direction: Direction, rate: &str, limiter: Limiter, at_least: bool) -> String {
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

pub(super) fn rate_of_operations(cap: &Estimate) -> String {
    format!("{} IOPS", numbers::estimate(cap, IOPS))
}

pub(super) fn rate_of_bytes(cap: &Estimate) -> String {
    let unit = Unit::of_bandwidth(cap.value, Prefix::Binary);
    format!("{} {}", numbers::estimate(cap, unit), unit.name)
}
