//! The options of the steady state, and the parser of its rule.

use workload::Nanos;

use super::rule::{Measure, SteadyBound, SteadyRule};
use crate::number::NumberError;
use crate::value::ValueError;

impl SteadyRule {
    /// Reads `iops:2%`, `bw_slope:0.1%` and the like.
    ///
    /// # Errors
    /// [`ValueError`], which says what would be valid.
    pub fn read(word: &str) -> Result<SteadyRule, ValueError> {
        let wrong = |why: &str| ValueError::from(NumberError::misread(word, why));
        let (name, bound) = word.split_once(':').ok_or_else(|| wrong("write for example iops:2%"))?;
        let (measure, spread) = match name.trim() {
            "iops" => (Measure::Iops, SteadyBound::Deviation),
            "iops_slope" => (Measure::Iops, SteadyBound::Slope),
            "bw" => (Measure::Bandwidth, SteadyBound::Deviation),
            "bw_slope" => (Measure::Bandwidth, SteadyBound::Slope),
            _ => {
                return Err(wrong("write iops, iops_slope, bw or bw_slope and a bound, for example iops:2%"));
            }
        };
        let bare = bound.trim().strip_suffix('%');
        match bare.unwrap_or(bound.trim()).parse::<f64>() {
            Ok(limit) if limit.is_finite() && limit >= 0.0 => {
                Ok(SteadyRule { measure, spread, limit, percent: bare.is_some() })
            }
            _ => Err(wrong("the bound is a number from 0 on, with % where it is a share of the mean")),
        }
    }
}

/// Options of the steady state; fio's defaults are in the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SteadyOptions {
    /// The rule for the steady state; `None`: no steady state is requested.
    pub rule: Option<SteadyRule>,
    /// Time for which the rule must be met.
    pub duration: Nanos,
    /// Time from the start before the rule applies.
    pub ramp: Nanos,
    /// Length of a sample.
    pub every: Nanos,
}

impl SteadyOptions {
    /// Number of samples that the rule considers.
    pub(crate) fn count(&self) -> usize {
        (self.duration.0 / self.every.0.max(1)) as usize
    }

    /// Why these options are invalid; `None` if they are valid.
    pub fn fault(&self) -> Option<&'static str> {
        let whole = self.every.0 > 0 && self.duration.0.is_multiple_of(self.every.0);
        let rule = self.rule.filter(|_| self.duration > Nanos::ZERO)?;
        match rule.spread {
            _ if !whole => Some("give steadystate_duration as whole steadystate_check_intervals"),
            SteadyBound::Slope if self.count() < 2 => Some(
                "a slope needs two samples: give steadystate_duration as two or more steadystate_check_intervals",
            ),
            _ => None,
        }
    }

    /// Drops the rule if no duration is given, as fio silently does; returns whether it was dropped.
    pub fn left_out(&mut self) -> bool {
        let without = self.duration == Nanos::ZERO;
        without && self.rule.take().is_some()
    }
}
