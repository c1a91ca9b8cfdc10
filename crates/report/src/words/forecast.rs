//! The cost of a run, stated before it starts.

use crate::words::numbers;
use crate::words::wrap::{clean, wrap};

/// Ratio of longest to usual duration above which the longest is mentioned.
const NOTABLY: f64 = 1.1;

/// Cost of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forecast {
    /// Seconds from now to the verdict.
    pub seconds: f64,
    /// Most seconds that the run may take.
    pub seconds_most: f64,
    /// Bytes that will be written, layout included.
    pub bytes_written: u64,
    /// Burst credits of the policy that will be spent.
    pub credits: Credits,
    /// Charges that the provider may bill, as sentences.
    pub billing: Vec<String>,
}

/// Burst credits of a policy that a run spends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Credits {
    /// The command takes no policy, so credits are not mentioned.
    NotForecast,
    /// No policy was named.
    #[default]
    Unknown,
    /// The policy has no burst.
    NoBurst,
    /// The policy has a burst of unpublished length.
    Unpublished,
    /// This share of the bucket (0 to 1).
    Share(f64),
}

/// Returns the forecast as a paragraph of at most 80 columns: time, bytes written, credits, billing.
pub fn forecast(forecast: &Forecast) -> String {
    let mut sentences = vec![lasts(forecast), written(forecast.bytes_written)];
    sentences.extend(spent(forecast.credits));
    sentences.extend(forecast.billing.iter().map(|text| clean(text)));
    wrap("", &sentences.join(" "))
}

/// Returns the duration of the run, and its maximum if that is notably longer.
fn lasts(forecast: &Forecast) -> String {
    let (usual, most) = (about(forecast.seconds), about(forecast.seconds_most));
    let most = most.trim_start_matches("About ");
    match forecast.seconds_most > NOTABLY * forecast.seconds && usual != format!("About {most}") {
        true => format!("{usual}, at most {most}."),
        false => format!("{usual}."),
    }
}

fn about(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() || s < 0.0 => "How long it takes is not known".to_owned(),
        s if s < 1.0 => "Under a second".to_owned(),
        s if s < 90.0 => format!("About {} s", numbers::count((s / 5.0).ceil() * 5.0)),
        s if s < 5400.0 => format!("About {} min", numbers::count((s / 60.0).round())),
        s => format!("About {}", numbers::span(s)),
    }
}

fn written(bytes: u64) -> String {
    match bytes {
        0 => "Writes nothing.".to_owned(),
        bytes => format!("Writes at most {}.", numbers::size(bytes)),
    }
}

fn spent(credits: Credits) -> Option<String> {
    Some(match credits {
        Credits::NotForecast => return None,
        Credits::Unknown => "What burst credits it spends is not known without --policy.".to_owned(),
        Credits::NoBurst => "Spends no burst credits.".to_owned(),
        Credits::Unpublished => {
            "What burst credits it spends is not known: their number is not published.".to_owned()
        }
        Credits::Share(share) => format!("Spends up to {} of the burst credits.", numbers::share(share)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forecast_says_time_bytes_credits_and_bill() {
        let text = forecast(&Forecast {
            seconds: 118.0,
            seconds_most: 170.0,
            bytes_written: 4 << 30,
            credits: Credits::NoBurst,
            billing: vec!["Your provider does not bill per operation for this type.".to_owned()],
        });
        assert_eq!(
            text,
            "About 2 min, at most 3 min. Writes at most 4.0 GiB. Spends no burst credits.\n\
             Your provider does not bill per operation for this type.\n"
        );
    }

    #[test]
    fn what_is_not_known_is_said() {
        let text = forecast(&Forecast { seconds: f64::NAN, ..Forecast::default() });
        assert!(text.contains("not known") && text.contains("Writes nothing"), "{text}");
        let share =
            forecast(&Forecast { credits: Credits::Share(0.067), seconds: 33.0, ..Forecast::default() });
        assert!(share.contains("About 35 s") && share.contains("6.7 % of the burst credits"), "{share}");
    }
}
