//! The nearest known word to one that was mistyped.

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`, case ignored.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

/// The known word that was probably meant: one that contains the typed one (the shortest), or one within a third of its
/// length in edits, two at least; `None` where nothing is near.
pub fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str> + Clone) -> Option<&'k str> {
    let lower = word.to_lowercase();
    let near = known
        .clone()
        .map(|candidate| (distance(word, candidate), candidate))
        .min_by_key(|&(edits, _)| edits)
        .filter(|&(edits, candidate)| edits <= 2.max(candidate.len() / 3) && edits < candidate.len());
    let containing =
        || known.filter(|k| lower.len() > 2 && k.to_lowercase().contains(&lower)).min_by_key(|k| k.len());
    match near {
        Some((edits, candidate)) if edits <= 2 => Some(candidate),
        _ => containing().or(near.map(|(_, candidate)| candidate)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, edits) in
            [("gp2", "gp2", 0), ("gp2", "gp3", 1), ("gp2", "pg2", 1), ("", "abc", 3), ("Size", "sise", 1)]
        {
            assert_eq!(distance(a, b), edits, "{a} {b}");
        }
    }

    #[test]
    fn a_near_miss_finds_what_was_meant() {
        let known = ["aws-gp2", "aws-gp2-2018-02", "aws-gp3", "linode-block-nvme"];
        let find = |word| nearest(word, known.into_iter());
        assert_eq!(find("aws-pg2"), Some("aws-gp2"));
        assert_eq!(find("gp2"), Some("aws-gp2"));
        assert_eq!(find("linode"), Some("linode-block-nvme"));
        assert_eq!(find("floppy"), None);
    }
}
