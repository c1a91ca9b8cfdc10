//! The time of `--start-at`.

use std::time::SystemTime;

use jiff::civil::Time;
use jiff::{SignedDuration, Timestamp, Zoned};
use session::{StartAt, since_1970};

/// Longest time to wait: a time of day that is farther off has passed.
const MOST: SignedDuration = SignedDuration::from_hours(12);

/// Parses the time at which a load begins: `14:30`, `14:30:00.5`, a date with a time, or `@` and seconds since 1970; or `-`
/// for times on standard input.
pub fn start_at(words: &str) -> Result<StartAt, String> {
    if words == "-" {
        return Ok(StartAt::Lines);
    }
    let now = Zoned::now();
    let passed = "that time has passed; name one that leaves all machines enough time to prepare";
    let at = if words.starts_with('@') {
        since_1970(words)?
    } else if let Ok(time) = words.parse::<Time>() {
        let today = now.date().to_datetime(time).to_zoned(now.time_zone().clone());
        let today = today.map_err(|error| error.to_string())?;
        // Shortly before midnight, a time shortly after it is meant.
        let next = if today < now { today.tomorrow().map_err(|error| error.to_string())? } else { today };
        if next.duration_since(&now) > MOST {
            return Err(format!(
                "{passed}; more than 12 hours off, write the date too: 2026-11-27T14:30:00Z"
            ));
        }
        SystemTime::from(next.timestamp())
    } else if let Ok(at) = words.parse::<Timestamp>() {
        SystemTime::from(at)
    } else {
        return Err("it is no time; write 14:30:00, 2026-11-27T14:30:00Z or @1795789800".to_owned());
    };
    if at > SystemTime::now() { Ok(StartAt::Time(at)) } else { Err(passed.to_owned()) }
}
