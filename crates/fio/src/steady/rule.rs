//! The rule by which a job is steady in fio's terms.

/// The rate to which a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// I/Os a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
}

/// The property of the samples that a rule limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyBound {
    /// The greatest deviation from the mean.
    Deviation,
    /// The absolute slope of the line through the samples, per sample.
    Slope,
}

/// A rule for the steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyRule {
    /// The rate to which the rule applies.
    pub measure: Measure,
    /// The limited property.
    pub spread: SteadyBound,
    /// The limit.
    pub limit: f64,
    /// Whether the limit is a percentage of the mean.
    pub percent: bool,
}

impl SteadyRule {
    /// The rule as fio prints it in JSON.
    pub fn words(&self) -> String {
        let spread = if self.spread == SteadyBound::Slope { "_slope" } else { "" };
        format!("{}{spread}:{:.6}{}", self.name(), self.limit, self.unit())
    }

    /// `iops` or `bw`.
    pub fn name(&self) -> &'static str {
        if self.measure == Measure::Iops { "iops" } else { "bw" }
    }

    /// The unit of the rule's numbers: a percent sign, or nothing.
    pub fn unit(&self) -> &'static str {
        if self.percent { "%" } else { "" }
    }
}
