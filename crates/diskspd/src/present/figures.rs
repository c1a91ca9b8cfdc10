//! Sizes in DiskSpd's words.

use crate::draft::Compat;

/// Prints a size as `64KiB`, `1.95MiB` or `512`: in the largest unit that fits, with two decimals if it is not a whole
/// number of units, padded to `width`. Before 2.1 sizes are in bytes.
pub(super) fn size(bytes: u64, width: usize, compat: Compat) -> String {
    if compat == Compat::V20 {
        return bytes.to_string();
    }
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let Some((shift, unit)) = units.into_iter().find(|&(shift, _)| bytes >> shift > 0) else {
        return bytes.to_string();
    };
    if bytes & ((1 << shift) - 1) == 0 {
        return format!("{:width$}{unit}", bytes >> shift);
    }
    format!("{:width$.2}{unit}", bytes as f64 / (1u64 << shift) as f64)
}

/// Prints the size of a file after its name; before 2.1 in whole units, the next larger unit beyond ten of it.
pub(super) fn file_size(bytes: u64, compat: Compat) -> String {
    if compat != Compat::V20 {
        return size(bytes, 0, compat);
    }
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.into_iter().find(|&(shift, _)| bytes > 10 << shift) {
        Some((shift, unit)) => format!("{}{unit}", bytes >> shift),
        None => format!("{bytes}B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_fits() {
        let cases = [
            (0, "0"),
            (1023, "1023"),
            (1024, "1KiB"),
            (65_536, "64KiB"),
            (102_400, "100KiB"),
            (2_048_000, "1.95MiB"),
            (2 << 20, "2MiB"),
            (12_341_234, "11.77MiB"),
            (10 << 30, "10GiB"),
            (1 << 40, "1TiB"),
            (3 << 39, "1.50TiB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(size(bytes, 0, Compat::V22), text);
        }
        assert_eq!(size(1 << 30, 6, Compat::V22), "     1GiB");
        assert_eq!(size(65_536, 0, Compat::V20), "65536");
        for (bytes, text) in
            [(10 << 20, "10240KiB"), (2 << 30, "2048MiB"), (450 << 30, "450GiB"), (4096, "4096B")]
        {
            assert_eq!(file_size(bytes, Compat::V20), text);
        }
    }
}
