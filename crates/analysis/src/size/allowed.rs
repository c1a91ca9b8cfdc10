//! The waiting that a user allows: `p99 +2ms`, `longest +100ms`, `0.1% throttled`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::setting::AddedWait;

/// Waiting that is allowed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Allowed {
    /// What is bounded.
    pub what: AllowedFigure,
    /// The bound: seconds, or a share of the time (0 to 1).
    pub most: f64,
    /// The bound as typed.
    pub words: String,
}

/// A figure of the added waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AllowedFigure {
    /// The median.
    P50,
    /// The 99th percentile.
    P99,
    /// The longest wait.
    Longest,
    /// The share of the time in which a limit delays I/O.
    Throttled,
}

/// Why an allowance could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no waiting to allow; write for example \"p99 +2ms\", \"p50 +1ms\", \"longest +100ms\" or \"throttled 0.1%\""
)]
pub struct AllowedError(String);

impl Allowed {
    /// Reads an allowance.
    ///
    /// # Errors
    /// [`AllowedError`] with the forms.
    pub fn parse(words: &str) -> Result<Allowed, AllowedError> {
        let wrong = || AllowedError(words.to_owned());
        let (name, bound) = words.trim().split_once([' ', '+', '=']).ok_or_else(wrong)?;
        let bound = bound.trim().trim_start_matches(['+', '=']).trim();
        let what = match name.trim().to_ascii_lowercase().as_str() {
            "p50" | "median" => AllowedFigure::P50,
            "p99" => AllowedFigure::P99,
            "longest" | "max" | "greatest" => AllowedFigure::Longest,
            "throttled" | "time" => AllowedFigure::Throttled,
            _ => return Err(wrong()),
        };
        let most = match what {
            AllowedFigure::Throttled => {
                let percent: f64 =
                    bound.strip_suffix('%').ok_or_else(wrong)?.trim().parse().map_err(|_| wrong())?;
                Some(percent / 100.0).filter(|share| (0.0..=1.0).contains(share)).ok_or_else(wrong)?
            }
            _ => workload::duration(bound).map_err(|_| wrong())?.as_secs_f64(),
        };
        Ok(Allowed { what, most, words: words.to_owned() })
    }

    /// Returns the least and the most of the bounded figure.
    pub(super) fn figure(&self, added: &AddedWait, seconds: f64) -> [f64; 2] {
        match self.what {
            AllowedFigure::P50 => added.p50_s,
            AllowedFigure::P99 => added.p99_s,
            AllowedFigure::Longest => added.longest_s,
            AllowedFigure::Throttled => added.throttled_s.map(|throttled| throttled / seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowances_are_read_as_people_write_them() {
        let read = |words| Allowed::parse(words).map(|allowed| (allowed.what, allowed.most));
        assert_eq!(read("p99 +2ms"), Ok((AllowedFigure::P99, 0.002)));
        assert_eq!(read("p99+2ms"), Ok((AllowedFigure::P99, 0.002)));
        assert_eq!(read("longest 1s"), Ok((AllowedFigure::Longest, 1.0)));
        assert_eq!(read("throttled 0.1%"), Ok((AllowedFigure::Throttled, 0.001)));
        for wrong in ["", "p99", "p98 +1ms", "throttled 2", "throttled 120%", "p99 +x", "2ms"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
