//! Shared grammar of numbers: letters that mean a power of 1000 or 1024.

/// Returns the power that a prefix letter of either case means: 1 for `k`, 2 for `m`, up to 6 for `e`.
pub fn power(letter: char) -> Option<u32> {
    let place = "kmgtpe".find(letter.to_ascii_lowercase())?;
    Some(place as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_for_powers_in_either_case() {
        assert_eq!([power('k'), power('M'), power('e')], [Some(1), Some(2), Some(6)]);
        assert_eq!([power('b'), power('%'), power('µ')], [None; 3]);
    }
}
