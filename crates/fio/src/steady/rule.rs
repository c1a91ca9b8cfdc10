//! What makes a job steady in fio's terms.

/// The rate that a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// I/Os a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
}

/// What a rule bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyBound {
    /// The greatest distance from the mean.
    Deviation,
    /// The absolute slope of the line through the samples, per sample.
    Slope,
}

/// A rule that makes a job steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyRule {
    /// The rate that it looks at.
    pub measure: Measure,
    /// What it bounds.
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

    /// What follows its numbers: a percent sign, or nothing.
    pub fn unit(&self) -> &'static str {
        if self.percent { "%" } else { "" }
    }
}
