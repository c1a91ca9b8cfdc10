//! Times and quotation marks at the start of lines, in the forms of containers, services and mail.

use super::cuts::Cuts;

/// Fewest lines with a prefix that make a log or a quotation.
const STAMPED_LEAST: usize = 2;

/// Returns `text` without the prefixes of its lines, the removed pieces, and a note on what they are; `None` if there
/// are no prefixes.
pub(crate) fn without(text: &str) -> Option<(String, Cuts, &'static str)> {
    let filled = || text.lines().filter(|line| !line.trim().is_empty());
    // A line with nothing but a time belongs to a report.
    let is_stamped = |line: &&str| {
        let length = length(line);
        length > 0 && !line[length..].trim().is_empty()
    };
    let stamped = filled().filter(is_stamped).take(STAMPED_LEAST).count();
    let is_log = stamped == STAMPED_LEAST || (stamped > 0 && stamped == filled().count());
    is_log.then(|| taken_off(text))
}

/// Removes times and quotation marks from the start of each line of `text`.
fn taken_off(text: &str) -> (String, Cuts, &'static str) {
    let (mut left, mut cuts) = (String::with_capacity(text.len()), Cuts::default());
    let (mut quoted, mut timed) = (false, false);
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let off = length(line.trim_end_matches(['\n', '\r']));
        cuts.push(index as u32 + 1, 1, line[..off].chars().count() as u32);
        left.push_str(&line[off..]);
        quoted |= line[..off].contains('>');
        timed |= line[..off].contains(|c: char| c.is_ascii_digit());
    }
    let note = match (timed, quoted) {
        (true, true) => "times and marks of quotation before the lines were taken off",
        (true, false) => "times before the lines were taken off",
        (false, _) => "marks of quotation before the lines were taken off",
    };
    (left, cuts, note)
}

/// Returns the length in bytes of the time or the quotation marks at the start of `line`, with one blank after it;
/// 0 if the line begins with anything else.
fn length(line: &str) -> usize {
    let indent = line.len() - line.trim_start().len();
    let rest = &line[indent..];
    let quoted = rest.len() - rest.trim_start_matches(['>', ' ']).len();
    // `>=64=0.0%` is the rest of a broken line.
    if rest.starts_with('>') && !rest[quoted..].starts_with('=') {
        // The last blank of a run belongs to the quoted line.
        let marks = rest[..quoted].rfind('>').map_or(0, |at| at + 1);
        return indent + marks + usize::from(rest[marks..].starts_with(' '));
    }
    let Some(time) = bracketed(rest).or_else(|| time(rest)) else { return 0 };
    let behind = stream(&rest[time..]);
    indent + time + behind
}

/// Returns the length of a time in brackets, as Jenkins and the kernel write it.
fn bracketed(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    let blanks = inside.len() - inside.trim_start().len();
    let from_boot = || {
        let number = digits(&inside[blanks..]);
        let behind =
            inside[blanks + number..].strip_prefix('.').map(digits).filter(|&decimals| decimals >= 3)?;
        (number > 0).then_some(number + 1 + behind)
    };
    let length = blanks + time(&inside[blanks..]).or_else(from_boot)?;
    inside[length..].starts_with(']').then_some(length + 2)
}

/// Returns the length of a date and time, or of a time alone.
fn time(text: &str) -> Option<usize> {
    let day = day(text).unwrap_or(0);
    let clock = clock(&text[day..])?;
    let end = day + clock;
    let end = end + zone(&text[end..]);
    let ends = text[end..].chars().next().is_none_or(|c| !c.is_alphanumeric());
    ends.then_some(end)
}

/// Returns the length of `2024-03-01T`, `2024/03/01 `, `03/01/24 `, `Mar  1 ` or `Fri Mar  1 `, including the
/// separator before the time.
fn day(text: &str) -> Option<usize> {
    let length = numbered_day(text).or_else(|| named_day(text))?;
    let parts = text[length..].len() - text[length..].trim_start_matches(['T', 't', ' ', ',']).len();
    (1..=2).contains(&parts).then_some(length + parts)
}

fn numbered_day(text: &str) -> Option<usize> {
    let mut at = 0;
    for part in 0..3 {
        let number = digits(&text[at..]);
        if !matches!(number, 1 | 2 | 4) {
            return None;
        }
        at += number;
        if part < 2 {
            text[at..].starts_with(['-', '/', '.']).then_some(())?;
            at += 1;
        }
    }
    (at >= 6).then_some(at)
}

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];

fn named_day(text: &str) -> Option<usize> {
    let weekday = if DAYS.iter().any(|day| text.starts_with(day)) { 4 } else { 0 };
    let rest = &text[weekday..];
    MONTHS.iter().find(|month| rest.starts_with(**month))?;
    let rest = &rest[3..];
    let blanks = rest.len() - rest.trim_start_matches(' ').len();
    let number = digits(&rest[blanks..]);
    (blanks > 0 && matches!(number, 1 | 2)).then_some(weekday + 3 + blanks + number)
}

/// Returns the length of `10:11:12`, with any fraction after a point or a comma.
fn clock(text: &str) -> Option<usize> {
    let mut at = 0;
    for part in 0..3 {
        let number = digits(&text[at..]);
        if number == 0 || number > 2 || (part > 0 && number != 2) {
            return None;
        }
        at += number;
        if part < 2 {
            text[at..].starts_with(':').then_some(())?;
            at += 1;
        }
    }
    let fraction = text[at..].strip_prefix(['.', ',']).map_or(0, digits);
    Some(if fraction > 0 { at + 1 + fraction } else { at })
}

/// Returns the length of `Z`, `+0100`, `+01:00`, ` UTC` or ` PM`.
fn zone(text: &str) -> usize {
    if let Some(word) = ["Z", " UTC", " AM", " PM"].iter().find(|word| text.starts_with(**word)) {
        return word.len();
    }
    let Some(offset) = text.strip_prefix(['+', '-']) else { return 0 };
    let hours = digits(offset);
    let minutes = offset[hours..].strip_prefix(':').map_or(0, |rest| 1 + digits(rest));
    if matches!((hours, minutes), (2, 3) | (4, 0)) { 1 + hours + minutes } else { 0 }
}

/// Returns the length of the one blank after a time. In Kubernetes' files, the time includes the stream that a
/// container wrote to, with another blank: `stdout F `.
fn stream(text: &str) -> usize {
    let rest = text.strip_prefix(' ').unwrap_or(text);
    let blank = text.len() - rest.len();
    let words = ["stdout F", "stderr F", "stdout P", "stderr P"];
    let after = words.iter().find_map(|word| rest.strip_prefix(word));
    match after.filter(|after| after.is_empty() || after.starts_with(' ')) {
        Some(after) => text.len() - after.len() + usize::from(!after.is_empty()),
        None => blank,
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_from_the_lines_that_have_them() {
        let text = "start\n2024-03-01T10:11:12.123Z a: 1\n2024-03-01T10:11:12.123Z   b: 2\n";
        let (left, cuts, _) = without(text).unwrap();
        assert_eq!(left, "start\na: 1\n  b: 2\n");
        assert_eq!((cuts.column(1, 1), cuts.column(2, 1)), (1, 26));
        assert_eq!(without("fio-1  | a\nfio-1  | b\n"), None, "a name is no time");
        assert_eq!(without(""), None);
    }

    #[test]
    fn every_form_of_a_time_goes_with_one_blank() {
        for (line, rest) in [
            ("2024-03-01T10:11:12.123456789Z   read: IOPS=1", "  read: IOPS=1"),
            ("2024-03-01T10:11:12.123456789+00:00 stdout F   read:", "  read:"),
            ("2024-03-01 10:11:12,123 - INFO - x", "- INFO - x"),
            ("2024/03/01 10:11:12 x", "x"),
            ("03/01/24 10:11:12 PM x", "x"),
            ("[2024-03-01T10:11:12.123Z] x", "x"),
            ("[  123.456789] x", "x"),
            ("Mar  1 10:11:12 host fio[1]: x", "host fio[1]: x"),
            ("20:16:21 DEBUG| [stdout] x", "DEBUG| [stdout] x"),
            ("> x", "x"),
            (">>   x", "  x"),
            ("> >   x", "  x"),
        ] {
            assert_eq!(&line[length(line)..], rest, "{line}");
        }
    }

    #[test]
    fn figures_are_no_times() {
        for line in [
            "  read: IOPS=3",
            "   8       0 sda 1",
            "250, 1000, 0, 0",
            "vda 1.00 2.00",
            "[302]",
            ">=64=0.0%",
            "1:2",
            "2024-03-01",
            "é",
        ] {
            assert_eq!(length(line), 0, "{line}");
        }
    }
}
