//! Near misses: the known name that an unknown one was probably meant to be.

use std::cmp::Reverse;

/// The name among `names` with the fewest edits to `word`, where that is at most half of the word's length; of several the
/// one that begins most alike.
pub fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let length = word.chars().count();
    let limit = length / 2;
    names
        // Names that are that much shorter or longer need no look at their letters.
        .filter(|name| name.chars().count().abs_diff(length) <= limit)
        .map(|name| (edits(word, name), name))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, name)| (distance, Reverse(common_beginning(word, name))))
        .map(|(_, name)| name)
}

fn common_beginning(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

/// Edit distance (Levenshtein) by rows.
fn edits(from: &str, to: &str) -> usize {
    let target: Vec<char> = to.chars().collect();
    let mut above: Vec<usize> = (0..=target.len()).collect();
    for (row, letter) in from.chars().enumerate() {
        let mut left = row + 1;
        let mut diagonal = above[0];
        above[0] = left;
        for (column, &other) in target.iter().enumerate() {
            let change = diagonal + usize::from(letter != other);
            diagonal = above[column + 1];
            left = change.min(left + 1).min(diagonal + 1);
            above[column + 1] = left;
        }
    }
    above[target.len()]
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
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
    }
}
