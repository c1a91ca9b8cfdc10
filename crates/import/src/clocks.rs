//! Times and colons of Chinese and Japanese locales, rewritten character by character to the usual form.

/// Characters that follow a number in times, and their replacements.
const OF_TIMES: [(char, char); 6] =
    [('年', '-'), ('月', '-'), ('日', ' '), ('时', ':'), ('時', ':'), ('分', ':')];
const SECOND: char = '秒';
/// The full-width colon, as wide as the characters around it.
const COLON: char = '：';

/// Returns `text` with such times and colons in the usual form, every character keeping its column; `None` if there
/// are none.
pub(crate) fn plain(text: &str) -> Option<String> {
    if !text.contains([SECOND, '年', COLON]) {
        return None;
    }
    let mut before = ' ';
    let letter = |letter: char| {
        let found = match letter {
            COLON if before.is_ascii_alphanumeric() => ':',
            SECOND if before.is_ascii_digit() => ' ',
            _ if before.is_ascii_digit() => becomes(letter),
            _ => letter,
        };
        before = letter;
        found
    };
    Some(text.chars().map(letter).collect())
}

fn becomes(letter: char) -> char {
    OF_TIMES.iter().find(|(theirs, _)| *theirs == letter).map_or(letter, |(_, ours)| *ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_those_of_other_locales_and_columns_stay() {
        let text = "2017年01月12日 14时33分13秒 dev8-0：平均时间";
        let found = plain(text).unwrap();
        assert_eq!(found, "2017-01-12  14:33:13  dev8-0:平均时间");
        assert_eq!(found.chars().count(), text.chars().count());
        assert_eq!(plain("10:00:01 日常"), None);
    }
}
