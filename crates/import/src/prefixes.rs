//! What logs put before each line: times, quote marks, names of containers and streams.

use super::cuts::Cuts;
use super::stamps;

/// Returns `text` without what stands before its lines, and what was taken off; `None` if nothing does.
///
/// One layer at a time: times and quote marks if lines have them, else the words that most lines begin with.
pub(crate) fn without(text: &str) -> Option<(String, Cuts)> {
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    let lines = filled().count();
    // A line that is only a time is a report's own.
    let is_stamped = |line: &&str| {
        let length = stamps::length(line);
        length > 0 && !line[length..].trim().is_empty()
    };
    let stamped = filled().filter(is_stamped).take(STAMPED_LEAST).count();
    if stamped == STAMPED_LEAST || (stamped > 0 && stamped == lines) {
        return Some(taken_off(text, stamps::length));
    }
    if counted(text, lines) {
        return Some(taken_off(text, |line| number(line).map_or(0, |(_, length)| length)));
    }
    let common = common(text, lines)?;
    Some(taken_off(text, |line| if line.starts_with(&common) { common.len() } else { bare(line, &common) }))
}

/// Fewest lines with a time in front that make a log.
const STAMPED_LEAST: usize = 2;

/// Whether most lines begin with their number, as listings, editors and `grep -n` show them.
fn counted(text: &str, lines: usize) -> bool {
    let numbers: Vec<u32> = text.lines().filter_map(|line| Some(number(line)?.0)).collect();
    let steps = numbers.windows(2).filter(|pair| pair[0].checked_add(1) == Some(pair[1])).count();
    lines >= LINES_LEAST && steps * 100 >= lines * COUNTED_SHARE
}

/// Share of lines, in per cent, that must have consecutive numbers; empty lines are numbered too.
const COUNTED_SHARE: usize = 80;

/// Returns the number that a line begins with, and its length with the separator: a TAB, a colon, a bar or a blank.
fn number(line: &str) -> Option<(u32, usize)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let digits = line[indent..].bytes().take_while(u8::is_ascii_digit).count();
    let number = line[indent..indent + digits].parse().ok()?;
    let end = indent + digits;
    let parted = match line[end..].chars().next() {
        None => 0,
        Some('\t' | ':' | ' ') => 1,
        Some('|') => 1 + usize::from(line[end + 1..].starts_with(' ')),
        Some(_) => return None,
    };
    Some((number, end + parted))
}

/// Returns the length of a line with nothing after the prefix `common`, which has lost its trailing blanks; 0
/// for any other line.
fn bare(line: &str, common: &str) -> usize {
    let line = line.trim_end();
    if !line.is_empty() && line == common.trim_end() { line.len() } else { 0 }
}

/// Takes `length(line)` bytes off the start of each line of `text`.
fn taken_off(text: &str, length: impl Fn(&str) -> usize) -> (String, Cuts) {
    let (mut left, mut cuts) = (String::with_capacity(text.len()), Cuts::default());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let off = length(line.trim_end_matches(['\n', '\r']));
        cuts.push(index as u32 + 1, 1, line[..off].chars().count() as u32);
        left.push_str(&line[off..]);
    }
    (left, cuts)
}

/// Shares of lines, in per cent, that must begin alike, tried in this order: the higher the share, the less
/// of the lines' own text is taken for a prefix.
const SHARES: [usize; 4] = [98, 90, 75, 60];
/// Fewest lines that must begin alike.
const LINES_LEAST: usize = 3;
/// Longest prefix, in characters.
const LONGEST: usize = 160;
/// Number of lines of a text that the others are compared with.
const HELD: usize = 5;

/// Returns the longest words that most lines begin with, up to where no name or number goes on.
fn common(text: &str, lines: usize) -> Option<String> {
    if lines < LINES_LEAST {
        return None;
    }
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    let candidates: Vec<&str> =
        (0..HELD).filter_map(|part| filled().nth((lines - 1) * part / (HELD - 1))).collect();
    SHARES.iter().find_map(|share| {
        let wanted = (lines * share).div_ceil(100).max(LINES_LEAST);
        let found = candidates.iter().map(|line| whole_words(line, shared(line, filled(), wanted)));
        let found = found.max_by_key(|prefix| prefix.len())?;
        // Indentation that most lines share is their own: only one blank separates them from a prefix.
        let found = found.trim_end();
        (!found.is_empty()).then(|| with_blank(found, filled()))
    })
}

/// Adds the blank after a prefix if all lines have it; lines with nothing else have lost it.
fn with_blank<'t>(prefix: &str, lines: impl Iterator<Item = &'t str>) -> String {
    let mut behind = lines.filter_map(|line| line.strip_prefix(prefix)).filter(|rest| !rest.is_empty());
    let blank = behind.all(|rest| rest.starts_with(' '));
    format!("{prefix}{}", if blank { " " } else { "" })
}

/// Returns `prefix` of `line` without a name, number or time that goes on after it.
fn whole_words<'t>(line: &str, prefix: &'t str) -> &'t str {
    let is_edge = |&(_, letter): &(usize, char)| letter.is_whitespace();
    let edges = prefix.char_indices().filter(is_edge).map(|(at, letter)| at + letter.len_utf8());
    match edges.into_iter().find(|&edge| stamps::length(line[edge..].trim_start()) > 0) {
        Some(edge) => &prefix[..edge],
        None => prefix.trim_end_matches(|c: char| c.is_alphanumeric() || c == '.'),
    }
}

/// Returns the start of `line` that `wanted` of all lines have in common.
fn shared<'t>(line: &'t str, lines: impl Iterator<Item = &'t str>, wanted: usize) -> &'t str {
    let mut lengths: Vec<usize> = lines.map(|other| alike(line, other)).collect();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    &line[..lengths.get(wanted - 1).copied().unwrap_or(0)]
}

/// Returns how many bytes both lines begin with.
fn alike(one: &str, other: &str) -> usize {
    let same = one.char_indices().zip(other.chars()).take(LONGEST).take_while(|((_, a), b)| a == b);
    same.last().map_or(0, |((at, letter), _)| at + letter.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> Option<String> {
        without(text).map(|(left, _)| left)
    }

    #[test]
    fn times_go_from_the_lines_that_have_them() {
        let text = "start\n2024-03-01T10:11:12.123Z a: 1\n2024-03-01T10:11:12.123Z   b: 2\n";
        let (left, cuts) = without(text).unwrap();
        assert_eq!(left, "start\na: 1\n  b: 2\n");
        assert_eq!((cuts.column(1, 1), cuts.column(2, 1)), (1, 26));
    }

    #[test]
    fn what_most_lines_begin_with_goes_where_it_stands() {
        let text = "fio-1  | a\nfio-1  |\nfio-1  |   b\nfio-1  | c\nexited\n";
        assert_eq!(left(text).unwrap(), "a\n\n  b\nc\nexited\n");
        assert_eq!(left("a\nb\nc\nd\n"), None);
        assert_eq!(left("  a\n  b\n  c\n"), None, "blanks are no prefix");
        assert_eq!(left(""), None);
        assert_eq!(
            left("   9\ta\n  10\t\n  11\t  b: 1\n  12\tc\n 13\td\n14\te\n").unwrap(),
            "a\n\n  b: 1\nc\nd\ne\n"
        );
    }
}
