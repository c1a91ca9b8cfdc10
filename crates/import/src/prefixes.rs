//! What stands before each line of an output besides a time: in a log of fio the name of a program, a level or a pod, in a
//! program the mark of a comment.

use std::collections::HashMap;

use super::cuts::Cuts;

/// Texts on a line of fio's output whose next line begins with other letters.
const MARKS: [&str; 4] = [KEY, ": (groupid=", ": IOPS=", ": io="];
/// The first key of fio's JSON.
const KEY: &str = "\"fio version\"";
/// Beginnings of comments in languages of scripts and programs.
const COMMENTS: [&str; 4] = ["# ", "// ", "* ", "-- "];
/// Lines with a mark of which each is tried. Chosen by us.
const TRIED: usize = 8;
/// Longest text before a line, in bytes: more than loggers write. Chosen by us.
const LONGEST: usize = 256;

/// Returns `text` without what two lines of a result have in common before them, and the removed pieces; `None` if they
/// have nothing in common.
pub(crate) fn without(text: &str) -> Option<(String, Cuts)> {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let pairs = lines().zip(lines().skip(1));
    let marked = pairs.filter(|(line, _)| MARKS.iter().any(|mark| line.contains(mark))).take(TRIED);
    let mut shared = marked.map(|(line, next)| common(line, next));
    let prefix = shared.find(|prefix| !prefix.trim().is_empty()).or_else(|| comment(lines()))?;
    let (mut left, mut cuts) = (String::with_capacity(text.len()), Cuts::default());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let off = length(line.trim_end_matches(['\n', '\r']), prefix);
        cuts.push(index as u32 + 1, 1, line[..off].chars().count() as u32);
        left.push_str(&line[off..]);
    }
    Some((left, cuts))
}

/// Returns what most of the lines that are comments begin with, if there are several: a result may be shown as a comment.
fn comment<'t>(lines: impl Iterator<Item = &'t str>) -> Option<&'t str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in lines {
        let indent = line.len() - line.trim_start().len();
        let mark = COMMENTS.iter().find(|mark| line[indent..].starts_with(**mark));
        mark.into_iter().for_each(|mark| *counts.entry(&line[..indent + mark.len()]).or_default() += 1);
    }
    let most = counts.into_iter().filter(|(_, count)| *count > 1);
    most.max_by_key(|(prefix, count)| (*count, *prefix)).map(|(prefix, _)| prefix)
}

/// What both lines begin with, up to the end of a word; any number stands for any other.
fn common<'t>(line: &'t str, next: &str) -> &'t str {
    let (mut here, mut there, mut end) = (line, next, 0);
    while let (Some(one), Some(other)) = (here.chars().next(), there.chars().next()) {
        let (first, second) = (step(here), step(there));
        if one != other && !(one.is_ascii_digit() && other.is_ascii_digit()) {
            break;
        }
        (here, there) = (&here[first..], &there[second..]);
        if !one.is_alphanumeric() {
            end = line.len() - here.len();
        }
    }
    if end > LONGEST {
        return "";
    }
    // What JSON has before a key belongs to the line.
    let own = if line.contains(KEY) { line[..end].trim_end_matches([' ', '\t', '"']).len() } else { end };
    &line[..own]
}

/// Length of the number or letter at the start of `text`, which is not empty.
fn step(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 { digits } else { text.chars().next().map_or(0, char::len_utf8) }
}

/// Length of `prefix` at the start of `line`, with other numbers; 0 if the line begins otherwise.
fn length(line: &str, prefix: &str) -> usize {
    let (mut wanted, mut rest) = (prefix, line);
    while let Some(letter) = wanted.chars().next() {
        // The blanks at the end of an empty line are often gone.
        if rest.is_empty() && wanted.trim().is_empty() {
            break;
        }
        let is_same = rest.starts_with(letter)
            || letter.is_ascii_digit() && rest.starts_with(|c: char| c.is_ascii_digit());
        if !is_same {
            return 0;
        }
        (wanted, rest) = (&wanted[step(wanted)..], &rest[step(rest)..]);
    }
    line.len() - rest.len()
}
