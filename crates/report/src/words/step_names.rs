//! The steps in which a finding was seen: one, or several with the worst one named.

use analysis::Finding;

use super::phrases::quoted;

/// Most steps named; more are only counted.
const NAMED: usize = 3;

/// Names of the steps, each once, in the order of the evidence.
pub(super) struct Steps<'f>(Vec<&'f str>);

impl<'f> Steps<'f> {
    /// Returns the steps in the evidence of `finding`.
    pub fn of(finding: &'f Finding) -> Steps<'f> {
        let mut names: Vec<&str> = Vec::new();
        for span in finding.evidence.iter().filter(|span| !span.step.is_empty()) {
            if !names.contains(&span.step.as_str()) {
                names.push(&span.step);
            }
        }
        Steps(names)
    }

    /// Returns the number of steps if there are several.
    pub fn several(&self) -> Option<usize> {
        (self.0.len() > 1).then_some(self.0.len())
    }

    /// Returns `step 'd32'`, or `3 steps ('d8', 'd16' and 'd32'), worst in 'd32'`; the figures that follow are
    /// those of `worst`.
    pub fn worst(&self, worst: &str) -> String {
        match self.several() {
            None => format!("step {}", quoted(worst)),
            Some(count) => format!("{count} steps ({}), worst in {}", self.names(), quoted(worst)),
        }
    }

    /// Returns `step 'd32'`, or `steps 'd8', 'd16' and 'd32'`.
    pub fn all(&self, worst: &str) -> String {
        match self.several() {
            None => format!("step {}", quoted(worst)),
            Some(_) => format!("steps {}", self.names()),
        }
    }

    fn names(&self) -> String {
        let mut names: Vec<String> = self.0.iter().take(NAMED).map(|name| quoted(name)).collect();
        let last = match self.0.len().saturating_sub(NAMED) {
            0 => names.pop().unwrap_or_default(),
            more => format!("{more} more"),
        };
        format!("{} and {last}", names.join(", "))
    }
}
