//! Amounts, times and counts as they are told.

/// Bytes in the largest unit that divides them well: `4 KiB`, `1.5 GiB`.
pub fn bytes(amount: u64) -> String {
    let units = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.iter().find(|(unit, _)| amount >= *unit) {
        None => format!("{amount} bytes"),
        Some((unit, name)) if amount.is_multiple_of(*unit) => format!("{} {name}", count(amount / unit)),
        Some((unit, name)) => format!("{:.1} {name}", amount as f64 / *unit as f64),
    }
}

/// A time in seconds: `120 s`, `2 h`, `90 min`.
pub fn seconds(time: f64) -> String {
    match time {
        time if time >= 7200.0 && time % 3600.0 == 0.0 => format!("{} h", time / 3600.0),
        time if time >= 600.0 && time % 60.0 == 0.0 => format!("{} min", time / 60.0),
        time if time >= 600.0 => format!("{:.0} min", time / 60.0),
        time if time >= 10.0 => format!("{time:.0} s"),
        time if time % 1.0 == 0.0 => format!("{time} s"),
        time if time >= 1.0 => format!("{time:.1} s"),
        time if time >= 0.1 => format!("{:.0} ms", time * 1e3),
        time => format!("{} ms", (time * 1e4).round() / 10.0),
    }
}

/// A whole number with commas: `12,800`.
pub fn count(number: u64) -> String {
    workload::grouped(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_right() {
        assert_eq!(
            (bytes(4096), bytes(1 << 20), bytes(30 << 30)),
            ("4 KiB".into(), "1 MiB".into(), "30 GiB".into())
        );
        assert_eq!((bytes(1_610_612_736), bytes(512)), ("1.5 GiB".into(), "512 bytes".into()));
        assert_eq!(
            (seconds(120.0), seconds(7200.0), seconds(0.5)),
            ("120 s".into(), "2 h".into(), "500 ms".into())
        );
        assert_eq!(
            (count(12_800), count(999), count(1_048_576)),
            ("12,800".into(), "999".into(), "1,048,576".into())
        );
    }
}
