//! Request for a check: permissions, claims, precision and length of the steps, and limits on writes.

use policy::Limits;
use workload::{Bytes, Expectation, Nanos};

use crate::step::{Layout, Writes};

/// Request for a check, fitted to the target.
#[derive(Clone, Debug)]
pub struct CheckAsk {
    /// Whether writes are permitted.
    pub writes: Writes,
    /// Whether real data must be written before reads are measured.
    pub layout: Layout,
    /// Most bytes that all steps together may write, layout included.
    pub write_most: Bytes,
    /// Most bytes in flight.
    pub in_flight_most: Bytes,
    /// The claims, as typed.
    pub expectation: Expectation,
    /// The limits of the policy that is claimed, if any.
    pub limits: Option<Limits>,
    /// Seed of every random choice.
    pub seed: u64,
    /// Precision and length of the steps.
    pub effort: Effort,
    /// Smallest block that the target accepts (its direct-I/O alignment).
    pub block_min: Bytes,
}

impl CheckAsk {
    /// Most bytes in flight on the ladders: enough to fill 16 GB/s at 4 ms, in bounded memory.
    pub const IN_FLIGHT_USUAL: Bytes = Bytes::mib(64);
    /// Maximum bytes in flight in the probe with twice as many, which shows whether the usual limit capped the bytes
    /// per second.
    pub const IN_FLIGHT_MOST: Bytes = Bytes::mib(128);

    /// Default for the most bytes that a check writes: the region once if data is laid out, and once more for measuring.
    pub fn modest(layout: Layout, region: Bytes) -> Bytes {
        Bytes(layout.bytes().0 + region.0)
    }
}

/// Shortest and longest counted time of a step that ends when its rate is known.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Shortest counted time.
    pub least: Nanos,
    /// Longest counted time.
    pub most: Nanos,
    /// Half-width of the rate's interval, as a share of the rate, at which the step may stop.
    pub half_width: f64,
}

/// Precision and length of the steps of a check.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Span of a rung of a ladder.
    pub rung: Span,
    /// Span of a repeated load, until its level has settled.
    pub again: Span,
    /// Counted time of a reference or a probe.
    pub look: Nanos,
    /// Counted time of a latency step.
    pub latency: Nanos,
    /// Counted time of a step of open load.
    pub open: Nanos,
    /// Length of an interval of rungs.
    pub interval: Nanos,
    /// Length of an interval of references and probes, and their ramp: a multiple of the 100 ms slices in which some
    /// limiters count.
    pub glance: Nanos,
    /// Uncounted time at the start of a rung.
    pub ramp: Nanos,
    /// References of each kind in a run, time and bytes permitting: fewer show no change over time, and more take the
    /// time of other steps.
    pub references: usize,
    /// Most time for the layout.
    pub layout_most: Nanos,
    /// Most time for all steps together.
    pub total: Nanos,
    /// Most time beyond that for claims that are still open.
    pub decide: Nanos,
}

impl Effort {
    /// The default: about two minutes on a capped volume, under three on any.
    pub const QUICK: Effort = Effort {
        rung: Span { least: Nanos::from_secs(3), most: Nanos::from_secs(7), half_width: 0.005 },
        again: Span { least: Nanos::from_secs(3), most: Nanos::from_secs(12), half_width: 0.01 },
        look: Nanos::from_millis(1_800),
        latency: Nanos::from_millis(2_000),
        open: Nanos::from_millis(3_000),
        interval: Nanos::from_millis(500),
        glance: Nanos::from_millis(300),
        ramp: Nanos::from_millis(500),
        references: 3,
        layout_most: Nanos::from_secs(25),
        total: Nanos::from_secs(170),
        decide: Nanos::from_secs(90),
    };

    /// Seconds instead of minutes: enough to run through every step, too short for reliable figures.
    pub const BRIEF: Effort = Effort {
        rung: Span { least: Nanos::from_millis(1_000), most: Nanos::from_millis(1_500), half_width: 0.005 },
        again: Span { least: Nanos::from_millis(1_000), most: Nanos::from_millis(2_000), half_width: 0.01 },
        look: Nanos::from_millis(600),
        latency: Nanos::from_millis(500),
        open: Nanos::from_millis(600),
        interval: Nanos::from_millis(200),
        glance: Nanos::from_millis(100),
        ramp: Nanos::from_millis(200),
        references: 3,
        layout_most: Nanos::from_secs(3),
        total: Nanos::from_secs(45),
        decide: Nanos::ZERO,
    };

    /// Shortest time of a check.
    pub const LEAST: Nanos = Effort::BRIEF.total;

    /// The effort of a check that takes `total` at most, [`Effort::LEAST`] or more: that of [`Effort::QUICK`] with every
    /// step scaled alike. Steps for which there is still no time are left out, the least important first.
    pub fn within(total: Nanos) -> Effort {
        let quick = Effort::QUICK;
        let times = total.as_secs_f64() / quick.total.as_secs_f64();
        let scaled = |time: Nanos| Nanos::from_secs_f64(time.as_secs_f64() * times);
        let span = |span: Span| Span { least: scaled(span.least), most: scaled(span.most), ..span };
        // An interval holds whole slices of 100 ms, and a step at least five intervals: shorter steps have shorter
        // intervals, longer steps more of them.
        let slices = |time: Nanos| {
            let least = Nanos::from_millis(100);
            (Nanos(scaled(time).0 / least.0 * least.0)).clamp(least, time)
        };
        Effort {
            rung: span(quick.rung),
            again: span(quick.again),
            look: scaled(quick.look),
            latency: scaled(quick.latency),
            open: scaled(quick.open),
            interval: slices(quick.interval),
            glance: slices(quick.glance),
            ramp: slices(quick.ramp),
            references: quick.references,
            layout_most: scaled(quick.layout_most),
            total,
            decide: Nanos::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_usual_check_gives_the_usual_check() {
        let without = Effort { decide: Nanos::ZERO, ..Effort::QUICK };
        assert_eq!(format!("{:?}", Effort::within(Effort::QUICK.total)), format!("{without:?}"));
    }

    #[test]
    fn a_step_of_any_time_has_five_intervals_or_more() {
        for seconds in [45, 60, 90, 170, 600, 7_200] {
            let effort = Effort::within(Nanos::from_secs(seconds));
            assert!(effort.rung.least.0 >= 5 * effort.interval.0, "{seconds}: {effort:?}");
            assert!(
                effort.look.0 >= 4 * effort.glance.0 && effort.open.0 >= 5 * effort.glance.0,
                "{seconds}"
            );
            assert_eq!(effort.glance.0 % Nanos::from_millis(100).0, 0);
        }
    }
}
