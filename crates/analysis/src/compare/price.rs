//! A price as a user types it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A price as typed, such as `5.00/month` or `EUR 0.10/hour`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Price {
    /// The amount.
    pub amount: f64,
    /// The currency as typed; empty if none was.
    pub currency: String,
    /// The period that the amount pays for.
    pub per: Period,
}

/// Period for which a price is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// An hour; 730 make a month, as providers count.
    Hour,
    /// A day; 365 make a year.
    Day,
    /// A month.
    Month,
    /// Twelve months.
    Year,
}

/// Why a price could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PriceError {
    /// The price contains no amount.
    #[error("'{0}' is no price; write an amount and a period, such as 5.00/month or EUR 0.01/hour")]
    Amount(String),
    /// The period is missing or unknown.
    #[error("'{words}': '{period}' is no period; write for example {amount}/month (or /hour, /day, /year)")]
    Period {
        /// The text as typed.
        words: String,
        /// The text in place of the period.
        period: String,
        /// The text before the slash.
        amount: String,
    },
    /// The amount is not above zero.
    #[error("'{0}' is no price to compare by; leave --price out where nothing is paid")]
    Nothing(String),
}

impl Price {
    /// Reads an amount with an optional currency on either side, a slash and a period.
    ///
    /// # Errors
    /// [`PriceError`] with the accepted form.
    pub fn parse(words: &str) -> Result<Price, PriceError> {
        let (amount, period) = words.split_once('/').unwrap_or((words, ""));
        let number: String =
            amount.chars().filter(|c| c.is_ascii_digit() || *c == '.' || *c == '-').collect();
        let currency: String = amount.replace(&number, "").trim().to_owned();
        let value: f64 = number.parse().map_err(|_| PriceError::Amount(words.to_owned()))?;
        if currency.chars().any(|c| c.is_ascii_digit() || c == ',' || c == '.') {
            return Err(PriceError::Amount(words.to_owned()));
        }
        let per = match period.trim().to_ascii_lowercase().as_str() {
            "month" | "mo" | "m" => Period::Month,
            "hour" | "h" | "hr" => Period::Hour,
            "day" | "d" => Period::Day,
            "year" | "y" | "yr" => Period::Year,
            other => {
                return Err(PriceError::Period {
                    words: words.to_owned(),
                    period: other.to_owned(),
                    amount: amount.trim().to_owned(),
                });
            }
        };
        if value <= 0.0 || !value.is_finite() {
            return Err(PriceError::Nothing(words.to_owned()));
        }
        Ok(Price { amount: value, currency, per })
    }

    /// Returns the price per month.
    pub fn a_month(&self) -> f64 {
        match self.per {
            Period::Hour => self.amount * 730.0,
            Period::Day => self.amount * 365.0 / 12.0,
            Period::Month => self.amount,
            Period::Year => self.amount / 12.0,
        }
    }
}
