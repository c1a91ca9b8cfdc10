//! Formats of amounts, times and counts.

/// Counts from this value on are printed in the next unit, rounded.
const LONG: u64 = 10_000;

/// Prints bytes in the largest unit in which one decimal is enough: `4 KiB`, `1.5 GiB`, `2,300 bytes`. If no unit gives
/// a short exact number, the number is rounded.
pub fn bytes(amount: u64) -> String {
    let units = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "bytes")];
    let fitting = || units.iter().filter(|(unit, _)| amount >= *unit);
    let decimal = |(unit, name): &(u64, &str)| match amount.is_multiple_of(*unit) {
        true => format!("{} {name}", count(amount / unit)),
        false => format!("{:.1} {name}", amount as f64 / *unit as f64),
    };
    let is_exact = |(unit, _): &&(u64, &str)| {
        amount / unit < LONG && (u128::from(amount) * 10).is_multiple_of(u128::from(*unit))
    };
    fitting().find(is_exact).or_else(|| fitting().next()).map_or("0 bytes".to_owned(), decimal)
}

/// Prints a time in seconds: `120 s`, `2 h`, `90 min`, `40 µs`.
pub fn seconds(time: f64) -> String {
    match time {
        time if time >= 7200.0 && time % 3600.0 == 0.0 => format!("{} h", time / 3600.0),
        time if time >= 36_000.0 => format!("{:.0} h", time / 3600.0),
        time if time >= 600.0 && time % 60.0 == 0.0 => format!("{} min", time / 60.0),
        time if time >= 600.0 => format!("{:.0} min", time / 60.0),
        time if time >= 10.0 => format!("{time:.0} s"),
        time if time % 1.0 == 0.0 => format!("{time} s"),
        time if time >= 1.0 => format!("{time:.1} s"),
        time if time >= 0.1 => format!("{:.0} ms", time * 1e3),
        time if time >= 1e-3 => format!("{} ms", (time * 1e4).round() / 10.0),
        time => format!("{} µs", (time * 1e6).round()),
    }
}

/// Prints a time that was typed, without rounding: `1,000 s`, `20 min`.
pub fn typed_seconds(time: f64) -> String {
    match time % 60.0 != 0.0 && time % 1.0 == 0.0 && time < 36_000.0 {
        true => format!("{} s", count(time as u64)),
        false => seconds(time),
    }
}

/// Prints a rate in I/Os a second, one below 1 as the time from one I/O to the next.
pub fn rate(iops: f64) -> String {
    match iops {
        iops if iops < 1.0 => format!("an I/O every {}", seconds(1.0 / iops)),
        iops if iops < 10.0 && iops % 1.0 != 0.0 => format!("{iops:.1} I/Os a second"),
        1.0 => "1 I/O a second".to_owned(),
        _ => format!("{} I/Os a second", count(iops.round() as u64)),
    }
}

/// Prints a bandwidth in bytes a second, rounded: `573 MB/s`, `1.5 MB/s`, `10 kB/s`.
pub fn bandwidth(rate: f64) -> String {
    let units = [(1e6, "MB/s"), (1e3, "kB/s")];
    let (unit, name) = units.into_iter().find(|(unit, _)| rate >= *unit).unwrap_or((1.0, "bytes/s"));
    match rate / unit {
        few if few < 9.95 => format!("{} {name}", (few * 10.0).round() / 10.0),
        many => format!("{} {name}", count(many.round() as u64)),
    }
}

/// Prints a whole number with commas: `12,800`.
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
        assert_eq!((bytes(2300), bytes(2500 << 30)), ("2,300 bytes".into(), "2,500 GiB".into()));
        assert_eq!((bytes(1_000_000), bytes(0)), ("976.6 KiB".into(), "0 bytes".into()));
        assert_eq!(
            (seconds(120.0), seconds(7200.0), seconds(0.5), seconds(4e-5)),
            ("120 s".into(), "2 h".into(), "500 ms".into(), "40 µs".into())
        );
        assert_eq!(
            (typed_seconds(1000.0), typed_seconds(1200.0), typed_seconds(5.0), seconds(1000.0)),
            ("1,000 s".into(), "20 min".into(), "5 s".into(), "17 min".into())
        );
        assert_eq!(
            (rate(1.0 / 12.0), rate(2.5), rate(1.0), rate(1999.6)),
            (
                "an I/O every 12 s".into(),
                "2.5 I/Os a second".into(),
                "1 I/O a second".into(),
                "2,000 I/Os a second".into()
            )
        );
        assert_eq!(
            [573.4e6, 9.96e6, 1.04e6, 999e3, 10_240.0, 40.0].map(bandwidth),
            ["573 MB/s", "10 MB/s", "1 MB/s", "999 kB/s", "10 kB/s", "40 bytes/s"]
        );
        assert_eq!(
            (count(12_800), count(999), count(1_048_576)),
            ("12,800".into(), "999".into(), "1,048,576".into())
        );
    }
}
