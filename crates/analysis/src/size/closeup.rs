//! The load against one setting from close by: its credits over time, and the hour around the closest call.

use policy::{Limits, Traced};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CourseColumn;
use super::load::Load;
use super::setting::worst;

/// Length of the part that is enlarged, in seconds; a recording that is hardly longer is not enlarged (chosen by us).
const HOUR_S: f64 = 3600.0;
const HARDLY: f64 = 1.5;
/// Points of a course of credits: a chart has room for no more (chosen by us).
const POINTS: usize = 400;

/// The load against a setting from close by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Closeup {
    /// The credits of each rule that has a bucket, over the whole recording, from full ones at the greatest demand.
    pub credits: Vec<CreditCourse>,
    /// The load in the hour around the closest call; empty if the recording is hardly longer.
    pub hour: Vec<CourseColumn>,
    /// The credits in that hour.
    pub hour_credits: Vec<CreditCourse>,
}

/// Credits of a rule over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreditCourse {
    /// Id of the rule.
    pub rule: String,
    /// Points in time.
    pub points: Vec<CreditPoint>,
}

/// Credits at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreditPoint {
    /// End of the time to which the point belongs, in seconds from the start.
    pub at_s: f64,
    /// The lowest share of the credits (0 to 1) since the point before.
    pub lowest: f64,
}

impl Closeup {
    /// Looks at a load against `limits`, which it comes closest to at `closest_s`.
    pub(super) fn of(load: &Load, limits: &Limits, closest_s: f64) -> Closeup {
        let seconds = load.demand.seconds();
        let courses = |(from, to): (f64, f64)| -> Vec<CreditCourse> {
            let traced = limits.traced(
                &load.demand,
                &worst(load.demand.greatest()),
                &Traced { from, to, points: POINTS },
            );
            let rules = limits.limits.iter().zip(traced).filter(|(_, points)| !points.is_empty());
            let point = |(at_s, lowest): (f64, f64)| CreditPoint { at_s, lowest };
            rules
                .map(|(rule, points)| CreditCourse {
                    rule: rule.id.clone(),
                    points: points.into_iter().map(point).collect(),
                })
                .collect()
        };
        let mut closeup = Closeup { credits: courses((0.0, seconds)), ..Closeup::default() };
        if seconds > HARDLY * HOUR_S {
            let from = (closest_s - HOUR_S / 2.0).clamp(0.0, seconds - HOUR_S);
            let hour = (from, from + HOUR_S);
            closeup.hour = load.between(hour);
            closeup.hour_credits = courses(hour);
        }
        closeup
    }
}
