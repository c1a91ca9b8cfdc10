//! Finds labels and `key=value` lists in running text, even if line breaks and blanks were changed.

/// One `key=value`, with the offset of its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Entry<'t> {
    pub key: &'t str,
    pub value: &'t str,
    pub at: usize,
}

/// Returns the end of `pattern` if `text` matches it at `at`. A blank in the pattern matches any number of blanks,
/// including none.
pub(crate) fn matched(text: &str, at: usize, pattern: &str) -> Option<usize> {
    let mut end = at;
    for letter in pattern.chars() {
        if letter == ' ' {
            end = blanks(text, end);
        } else if text.get(end..)?.starts_with(letter) {
            end += letter.len_utf8();
        } else {
            return None;
        }
    }
    Some(end)
}

/// Returns the offset past blanks and line ends at `at`.
pub(crate) fn blanks(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + (rest.len() - rest.trim_start().len())
}

/// Whether only blanks precede `at` on its line.
pub(crate) fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

/// Returns the offset past the word at `at`.
pub(crate) fn word_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(char::is_whitespace).unwrap_or(rest.len())
}

/// Returns the consecutive entries from `at` on, and their end. Commas, bars and blanks separate them; nothing
/// between two commas is skipped, because pages lose words there.
pub(crate) fn entries(text: &str, at: usize) -> (Vec<Entry<'_>>, usize) {
    let (mut found, mut end) = (Vec::new(), at);
    while let Some((entry, after)) = entry(text, separators(text, end)) {
        found.push(entry);
        end = after;
    }
    (found, end)
}

fn separators(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest
        .find(|c: char| !(c.is_whitespace() || matches!(c, ',' | '|' | ';' | '*' | '`')))
        .unwrap_or(rest.len())
}

fn entry(text: &str, at: usize) -> Option<(Entry<'_>, usize)> {
    let rest = &text[at..];
    let sign = if rest.starts_with(">=") { 2 } else { 0 };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let length = sign + rest[sign..].find(|c| !plain(c)).unwrap_or(rest.len() - sign);
    let equals = rest[length..].strip_prefix(' ').unwrap_or(&rest[length..]);
    if length == sign || !equals.starts_with('=') {
        return None;
    }
    let start = text.len() - equals.len() + 1;
    let padding = text[start..].bytes().take_while(|&byte| byte == b' ').count();
    let (value, end) = value(text, start + padding);
    // A job may be called `bs=4k`: its line goes on with its group.
    let is_name =
        value.ends_with(':') && (text[end..].starts_with(" (groupid=") || text[end..].starts_with(" (g="));
    if is_name {
        return None;
    }
    Some((Entry { key: &rest[..length], value, at: start + padding }, end))
}

/// Returns a value up to a comma, a blank or a page's mark, or a value in brackets up to the closing one. A comma between
/// digits belongs to the value, and so does a blank before a unit: fio before 2.1 prints `618740 B/s`.
fn value(text: &str, at: usize) -> (&str, usize) {
    let rest = &text[at..];
    if let Some(inside) = rest.strip_prefix('[') {
        // A mail program breaks lines at the blanks before a figure.
        let first = blanks(inside, 0);
        let from = if inside[first..].starts_with(|c: char| c.is_ascii_digit()) { first } else { 0 };
        let end = inside[from..].find([']', '\n', ',']).map_or(inside.len(), |length| from + length);
        let closed = usize::from(inside[end..].starts_with(']'));
        return (inside[..end].trim(), at + 1 + end + closed);
    }
    let mut end = 0;
    for (index, letter) in rest.char_indices() {
        let follows = rest[index + letter.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        let ends = letter.is_whitespace()
            || matches!(letter, ')' | ';' | '|' | '*' | '`')
            || (letter == ',' && !follows);
        if ends {
            break;
        }
        end = index + letter.len_utf8();
    }
    // A page may have torn the unit apart: `5118.7M B`.
    let number = rest[..end].strip_suffix(['K', 'M', 'G', 'T']).unwrap_or(&rest[..end]);
    let is_number = number.ends_with(|c: char| c.is_ascii_digit());
    let unit = [" B/s", " B", " msec"].into_iter().find(|unit| matched_word(&rest[end..], unit));
    end += unit.filter(|_| is_number).map_or(0, str::len);
    (&rest[..end], at + end)
}

/// Whether `text` begins with `word`, which ends there.
fn matched_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Whether a text is one of C's words for values that are not numbers.
pub(crate) fn is_no_number(text: &str) -> bool {
    matches!(text.trim_start_matches('-'), "nan" | "inf")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(&str, &str)> {
        entries(text, 0).0.iter().map(|entry| (entry.key, entry.value)).collect()
    }

    #[test]
    fn lists_are_read_with_and_without_their_blanks() {
        assert_eq!(
            pairs("min=8, max=434,\n avg=16.77, stdev= 5.92 clat (usec): min=2"),
            [("min", "8"), ("max", "434"), ("avg", "16.77"), ("stdev", "5.92")]
        );
        assert_eq!(pairs("| 1.00th=[  302], 5.00th=[ 7]"), [("1.00th", "302"), ("5.00th", "7")]);
        assert_eq!(pairs("32=99.9%, >=64=0.0%"), [("32", "99.9%"), (">=64", "0.0%")]);
    }

    #[test]
    fn a_lost_word_leaves_the_others() {
        assert_eq!(pairs("io=22937MB, , , runt=120160msec"), [("io", "22937MB"), ("runt", "120160msec")]);
        assert_eq!(pairs("iops=33215 , runt= 23665msec"), [("iops", "33215"), ("runt", "23665msec")]);
    }

    #[test]
    fn a_unit_after_a_blank_belongs_to_its_number() {
        assert_eq!(
            pairs("io=512 B, bw=739 B/s, iops=0"),
            [("io", "512 B"), ("bw", "739 B/s"), ("iops", "0")]
        );
        assert_eq!(pairs("avg=3 Blocks"), [("avg", "3")]);
    }

    #[test]
    fn a_comma_within_a_number_stays_with_it() {
        assert_eq!(pairs("avg=167,48, stdev=26,28"), [("avg", "167,48"), ("stdev", "26,28")]);
    }

    #[test]
    fn labels_match_with_any_blanks() {
        assert_eq!(matched("bw (KB  /s): x", 0, "bw ( KB /s ) :"), Some(12));
        assert_eq!(matched("read : io", 0, "read :"), Some(6));
        assert_eq!(matched("read", 0, "read :"), None);
    }
}
