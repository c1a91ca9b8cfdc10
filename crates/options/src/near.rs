//! Near misses: the known name for which a mistyped word was probably meant.

use std::cmp::Reverse;

use strsim::levenshtein;

/// Returns the name with the fewest edits to `word`, if they are at most half of the word's length; among equals, the
/// one that shares the longest beginning.
pub fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let length = word.chars().count();
    let limit = length / 2;
    names
        // If the lengths differ by more than the limit, more edits are needed than the limit.
        .filter(|name| name.chars().count().abs_diff(length) <= limit)
        .map(|name| (levenshtein(word, name), name))
        .filter(|&(edits, _)| edits <= limit)
        .min_by_key(|&(edits, name)| (edits, Reverse(common_beginning(word, name))))
        .map(|(_, name)| name)
}

/// Returns the first of the names with the fewest edits to `word`, ignoring case, if these are at most `limit`.
pub fn within<'n>(limit: usize, word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let word = word.to_ascii_lowercase();
    names
        .map(|name| (levenshtein(&name.to_ascii_lowercase(), &word), name))
        .min_by_key(|&(edits, _)| edits)
        .filter(|&(edits, _)| edits <= limit)
        .map(|(_, name)| name)
}

fn common_beginning(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_nonsense_finds_none() {
        let names = ["iodepth", "ioengine", "size", "rw"];
        assert_eq!(nearest("iodepht", names.into_iter()), Some("iodepth"));
        assert_eq!(nearest("--size", names.into_iter()), Some("size"));
        assert_eq!(nearest("iodep", ["iomem", "iodepth"].into_iter()), Some("iodepth"));
        assert_eq!(nearest("bogus", names.into_iter()), None);
    }

    #[test]
    fn capitals_are_no_edits_and_too_many_edits_find_none() {
        let names = ["BlockSize", "Path"];
        assert_eq!(within(3, "blocksizes", names.into_iter()), Some("BlockSize"));
        assert_eq!(within(3, "RequestCount", names.into_iter()), None);
    }
}
