//! The known word nearest to a mistyped one.

use strsim::osa_distance;

/// Returns the known word that was probably meant: one within two edits, else the shortest that contains the typed
/// word, else one at an edit distance of up to a third of its length; `None` if none is near.
pub fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str> + Clone) -> Option<&'k str> {
    let lower = word.to_lowercase();
    let near = known
        .clone()
        .map(|candidate| (osa_distance(&lower, &candidate.to_lowercase()), candidate))
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
    fn a_near_miss_finds_what_was_meant() {
        let known = ["aws-gp2", "aws-gp2-2018-02", "aws-gp3", "linode-block-nvme"];
        let find = |word| nearest(word, known.into_iter());
        assert_eq!(find("aws-pg2"), Some("aws-gp2"));
        assert_eq!(find("gp2"), Some("aws-gp2"));
        assert_eq!(find("linode"), Some("linode-block-nvme"));
        assert_eq!(find("floppy"), None);
    }
}
