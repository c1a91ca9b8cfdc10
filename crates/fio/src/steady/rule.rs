//! What makes a job steady in fio's terms.

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// I/Os a second.
    Iops,
    /// Bytes a second.
    Bandwidth,
}

/// What must be small enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// The greatest distance from the mean.
    Deviation,
    /// The slope of the line through the samples, a sample a step, whichever way it points.
    Slope,
}

/// What makes a job steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyRule {
    /// What is looked at.
    pub measure: Measure,
    /// What must be small enough.
    pub spread: Spread,
    /// The bound.
    pub limit: f64,
    /// True where the bound is percent of the mean.
    pub percent: bool,
}

impl SteadyRule {
    /// As fio prints it in JSON.
    pub fn words(&self) -> String {
        let spread = if self.spread == Spread::Slope { "_slope" } else { "" };
        format!("{}{spread}:{:.6}{}", self.name(), self.limit, self.unit())
    }

    /// `iops` or `bw`.
    pub fn name(&self) -> &'static str {
        if self.measure == Measure::Iops { "iops" } else { "bw" }
    }

    /// What stands behind its numbers.
    pub fn unit(&self) -> &'static str {
        if self.percent { "%" } else { "" }
    }
}
