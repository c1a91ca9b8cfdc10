//! Shares of a load's nominal rate, as typed: `50%,100%,200%`.

/// Largest share accepted; a larger one is taken for a typing error.
const MOST: f64 = 1000.0;

/// Reason why scales cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScaleError {
    /// A word is not a percentage.
    #[error("--scale {word}: no percentage; write shares of the load's rate such as 50%,100%,200%")]
    NoPercentage {
        /// The word as typed.
        word: String,
    },
    /// A percentage is outside the range at which a load can run.
    #[error(
        "--scale {word}: a load runs at more than 0 % and at most 100000 % of its rate; write 50%,100%,200%"
    )]
    Range {
        /// The word as typed.
        word: String,
    },
    /// A share occurs twice.
    #[error("--scale {word}: that share comes twice; name each once, and repeat them with --repeat")]
    Twice {
        /// The word as typed.
        word: String,
    },
}

/// Reads `50%,100%,1000%` as shares (0.5, 1, 10). A number without `%` is a percentage too.
///
/// # Errors
/// Returns a [`ScaleError`] that names the wrong part.
pub fn scales(text: &str) -> Result<Vec<f64>, ScaleError> {
    let mut found = Vec::new();
    for part in text.split(',') {
        let word = part.trim().to_owned();
        let percent: Option<f64> = word.trim_end_matches('%').trim_end().parse().ok();
        let Some(percent) = percent.filter(|percent| percent.is_finite()) else {
            return Err(ScaleError::NoPercentage { word });
        };
        let share = percent / 100.0;
        if share <= 0.0 || share > MOST {
            return Err(ScaleError::Range { word });
        }
        if found.contains(&share) {
            return Err(ScaleError::Twice { word });
        }
        found.push(share);
    }
    Ok(found)
}

/// A share in percent: `50%`, `1000%`, `12.5%`.
pub fn scale_words(share: f64) -> String {
    let percent = share * 100.0;
    // Removes binary rounding errors, so that a typed percentage is printed unchanged.
    let rounded = (percent * 1e6).round() / 1e6;
    format!("{rounded}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_come_back_as_they_were_typed() {
        let words = ["50%", "100%", "200%", "500%", "1000%", "12.5%", "0.1%"];
        let shares = scales(&words.join(", ")).unwrap();
        assert_eq!(shares.iter().map(|&share| scale_words(share)).collect::<Vec<_>>(), words);
        assert_eq!(scales("70").unwrap(), [0.7]);
    }

    #[test]
    fn what_is_no_share_is_named() {
        for (text, part) in [
            ("half", "half: no percentage"),
            ("50%,", ": no percentage"),
            ("-5%", "-5%: a load runs at more than 0 %"),
            ("0", "0: a load"),
            ("nan", "nan: no percentage"),
            ("1e9%", "1e9%: a load"),
            ("50%,100%,50%", "50%: that share comes twice"),
        ] {
            let message = scales(text).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
