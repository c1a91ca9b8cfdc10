//! Figures as ioping prints them: in the largest unit not above the value, with ioping's number of digits.

const SIZES: &[(u64, &str)] =
    &[(1 << 50, "PiB"), (1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B")];
const TIMES: &[(u64, &str)] = &[
    (3_600_000_000_000, "hour"),
    (60_000_000_000, "min"),
    (1_000_000_000, "s"),
    (1_000_000, "ms"),
    (1_000, "us"),
    (1, "ns"),
];
const COUNTS: &[(u64, &str)] =
    &[(1_000_000_000_000, "T "), (1_000_000_000, "G "), (1_000_000, "M "), (1_000, "k "), (1, "")];

/// Prints bytes: `4 KiB`, `1.49 MiB`, `0 B`.
pub fn size(bytes: u64) -> String {
    with_unit(bytes, SIZES)
}

/// Prints nanoseconds: `2.85 us`, `0 ns`.
pub fn time(ns: u64) -> String {
    with_unit(ns, TIMES)
}

/// Prints a count, ready for the word after it: `10 `, `5.59 k `.
pub fn count(number: u64) -> String {
    let text = with_unit(number, COUNTS);
    if text.ends_with(' ') { text } else { format!("{text} ") }
}

/// Prints no decimals if the unit divides the value, one from ten units on, otherwise two.
fn with_unit(value: u64, units: &[(u64, &str)]) -> String {
    let fits = units.iter().find(|&&(unit, _)| value >= unit).or(units.last());
    let &(unit, name) = fits.unwrap_or(&(1, ""));
    let blank = if name.is_empty() { "" } else { " " };
    if value.is_multiple_of(unit) {
        return format!("{}{blank}{name}", value / unit);
    }
    let digits = if value >= 10 * unit { 1 } else { 2 };
    format!("{:.digits$}{blank}{name}", value as f64 / unit as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn figures_look_as_they_do_in_ioping() {
        assert_eq!(size(4096), "4 KiB");
        assert_eq!(size(12_478_054), "11.9 MiB");
        assert_eq!(size(1_562_378), "1.49 MiB");
        assert_eq!(size(0), "0 B");
        assert_eq!(size(1023), "1023 B");
        assert_eq!(size(1_042_330), "1017.9 KiB");
        assert_eq!(size(270_553_174_016), "252.0 GiB");
        assert_eq!(time(2_850), "2.85 us");
        assert_eq!(time(0), "0 ns");
        assert_eq!(time(43_000), "43 us");
        assert_eq!(time(90_000_000_000), "1.50 min");
        assert_eq!(time(3_600_000_000_000), "1 hour");
        assert_eq!(count(9), "9 ");
        assert_eq!(count(0), "0 ");
        assert_eq!(count(5_000), "5 k ");
        assert_eq!(count(4_999), "5.00 k ");
        assert_eq!(count(1_004_016), "1.00 M ");
        assert_eq!(count(59_012), "59.0 k ");
    }

    #[test]
    fn just_below_ten_units_two_decimals_stay() {
        assert_eq!(count(9_999), "10.00 k ");
        assert_eq!(time(9_999), "10.00 us");
        assert_eq!(count(10_001), "10.0 k ");
        assert_eq!(time(999_999), "1000.0 us");
    }

    /// Reads a figure back: its number, its unit in base units, and its number of decimals.
    fn read_back(text: &str, units: &[(u64, &str)]) -> (f64, u64, usize) {
        let (number, name) = text.trim_end().split_once(' ').unwrap_or((text.trim_end(), ""));
        let found = units.iter().find(|(_, known)| known.trim_end() == name);
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        (number.parse().expect("a number"), found.expect("a known unit").0, decimals)
    }

    proptest! {
        #[test]
        fn every_figure_keeps_the_rules(value in 0u64..1 << 62, shift in 0u32..62) {
            let value = value >> shift;
            for (text, units) in [(size(value), SIZES), (time(value), TIMES), (count(value), COUNTS)] {
                let (number, unit, decimals) = read_back(&text, units);
                let error = (number * unit as f64 - value as f64).abs();
                prop_assert!(error <= unit as f64 * 0.5 * 10f64.powi(-(decimals as i32)) * 1.000_001, "{text}");
                prop_assert!(unit == 1 || value >= unit, "{text}: a smaller unit would do");
                prop_assert!(units.iter().all(|&(other, _)| other <= unit || value < other), "{text}");
                let wanted = if value % unit == 0 { 0 } else if value >= 10 * unit { 1 } else { 2 };
                prop_assert_eq!(decimals, wanted, "{}", text);
            }
        }
    }
}
