//! Lines that a terminal or a program has changed: broken at a width, closed by quotes or bars, joined by `\n`.

use super::pieces::near;

/// Widths at which terminals, mails and logs break lines.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=256;
/// Fewest lines as wide as the widest: a single one may be so by itself.
const WIDEST_LEAST: usize = 2;

/// Returns `text` with the lines joined again that were broken at a terminal's width; `None` if none were.
///
/// Such a text has no wider line, and several of exactly that width, each continued on the next line.
pub(crate) fn joined(text: &str) -> Option<String> {
    let width = |line: &str| near(line.trim_end_matches('\r'), 0, 8 * *WIDTHS.end()).chars().count();
    let widest = text.lines().map(width).max().filter(|widest| WIDTHS.contains(widest))?;
    let broken = text.lines().filter(|line| width(line) == widest).take(WIDEST_LEAST).count();
    if broken < WIDEST_LEAST {
        return None;
    }
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        whole.push_str(line.trim_end_matches('\r'));
        if width(line) != widest {
            whole.push('\n');
        }
    }
    Some(whole)
}

/// Share of lines, in per cent, that must end alike.
const SHARE: usize = 80;
/// Fewest lines.
const LINES_LEAST: usize = 3;
/// Longest end of a line, in characters.
const LONGEST: usize = 8;

/// Returns `text`, whose lines had something before them in `before`, without the signs after them if they
/// are the same as before: a box, or strings in a list.
pub(crate) fn unboxed(before: &str, text: &str) -> Option<String> {
    let (left, sign) = opened(text)?;
    let first = before.lines().find_map(|line| line.trim_start().chars().next())?;
    let begins = before.lines().filter(|line| line.trim_start().starts_with(sign)).count();
    (first == sign || begins * 100 >= before.lines().count() * SHARE).then_some(left)
}

/// Returns `text` without the signs that most of its lines end with, such as `",` of a list or `│` of a box,
/// and the first of these signs. Letters, digits and brackets stay.
pub(crate) fn opened(text: &str) -> Option<(String, char)> {
    let filled = || text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let lines = filled().count();
    if lines < LINES_LEAST {
        return None;
    }
    let wanted = (lines * SHARE).div_ceil(100);
    let held = filled().nth(lines / 2).into_iter().chain(filled().nth(lines / 3));
    let end = held.filter_map(|line| closing(line, filled, wanted)).max_by_key(|end| end.len())?;
    let bare = end.trim_end_matches(',');
    let line = |line: &str| {
        let line = line.trim_end();
        let cut = line.strip_suffix(end).or_else(|| line.strip_suffix(bare).filter(|_| !bare.is_empty()));
        format!("{}\n", cut.unwrap_or(line).trim_end())
    };
    Some((text.lines().map(line).collect(), end.chars().next()?))
}

/// Returns the longest end of `line`, of signs alone, that `wanted` of all lines have.
fn closing<'t, 'l, L>(line: &'t str, lines: impl Fn() -> L, wanted: usize) -> Option<&'t str>
where
    L: Iterator<Item = &'l str>,
{
    let is_sign = |c: &char| !(c.is_alphanumeric() || c.is_whitespace() || "%)]}".contains(*c));
    let signs: usize = line.chars().rev().take(LONGEST).take_while(is_sign).map(char::len_utf8).sum();
    let signs = &line[line.len() - signs..];
    let mut ends = signs.char_indices().map(|(at, _)| &signs[at..]);
    // The last item of a list has no comma.
    let bare = |end: &str| end.trim_end_matches(',').len();
    let ends_so =
        |line: &str, end: &str| line.ends_with(end) || (bare(end) > 0 && line.ends_with(&end[..bare(end)]));
    ends.find(|end| lines().filter(|line| ends_so(line, end)).count() >= wanted)
}

/// Fewest line ends that must be written out.
const WRITTEN_LEAST: usize = 3;
/// Escapes that programs write in strings, and their characters.
const WRITTEN: [(&str, &str); 7] = [
    ("\\r\\n", "\n"),
    ("\\n", "\n"),
    ("\\t", "\t"),
    ("\\\"", "\""),
    ("\\u003e", ">"),
    ("\\u003c", "<"),
    ("\\u0026", "&"),
];

/// Returns `text` with line ends for each `\n` that a program wrote out; `None` if it has fewer of these than lines.
pub(crate) fn written_out(text: &str) -> Option<String> {
    let written = text.matches("\\n").count();
    if written < WRITTEN_LEAST || written < text.lines().count() {
        return None;
    }
    let mut left = text.to_owned();
    for (sign, means) in WRITTEN {
        left = left.replace(sign, means);
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_broken_at_a_width_are_whole_again() {
        let wide = "x".repeat(40);
        let text = format!("{wide}y\n{wide}\nz");
        assert_eq!(joined(&text), None, "the widest stands alone");
        assert_eq!(joined(&format!("{wide}\ny\n{wide}\nz\n")).unwrap(), format!("{wide}y\n{wide}z\n"));
        assert_eq!(joined("a\nb\n"), None, "no terminal is so narrow");
    }

    #[test]
    fn signs_that_close_lines_go_and_brackets_stay() {
        assert_eq!(opened("a\",\nb\",\n  c\",\nd\"\n").unwrap(), ("a\nb\n  c\nd\n".to_owned(), '"'));
        assert_eq!(opened("a   │\nb │\nc│\n").unwrap(), ("a\nb\nc\n".to_owned(), '│'));
        assert_eq!(unboxed("│ a │\n│ b │\n│ c │\n", "a │\nb │\nc │\n").unwrap(), "a\nb\nc\n");
        assert_eq!(unboxed("x: a,\nx: b,\nx: c,\n", "a,\nb,\nc,\n"), None, "commas of its own");
        assert_eq!(opened("a)\nb)\nc)\n"), None);
        assert_eq!(opened("a 1%\nb 2%\nc 3%\n"), None);
    }

    #[test]
    fn ends_of_lines_that_are_written_out_are_ends() {
        assert_eq!(written_out("\"a\\n\\tb\\n\\\"c\\\"\\n\"").unwrap(), "\"a\n\tb\n\"c\"\n\"");
        assert_eq!(written_out("C:\\new\nb\n"), None);
    }
}
