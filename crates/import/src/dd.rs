//! The lines of dd: copied bytes, duration, rate; of GNU, busybox, BSD and macOS, in any language.

use record::{Figure, ReportedPart, Scope};
use workload::Direction;

use super::found::ImportedResult;
use super::quantity::{self, Prefixes};
use super::text::Text;
use super::trouble::Troubles;

/// Words after the counts of records, if a page has lost the end of their line.
const RECORDS: [&str; 2] = [" records in ", " records out "];
/// Longest line that is read, in bytes; no command line or line of dd is longer.
const LINE: usize = 4096;

/// Reads every copy in `text`. Lines of `status=progress` belong to the current copy: the last of them counts.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut walk =
        Walk { text, troubles, found: Vec::new(), asked: Vec::new(), records: [None, None], goes_on: false };
    for (start, line) in text.lines().filter(|(_, line)| line.len() <= LINE) {
        walk.line(line.trim(), start);
    }
    walk.found
}

struct Walk<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    found: Vec<ImportedResult>,
    /// Operands of the preceding command line.
    asked: Vec<(String, String)>,
    /// Records in and out of the copy whose result follows.
    records: [Option<Figure>; 2],
    /// Whether the last of `found` may be an interim print of a copy in progress.
    goes_on: bool,
}

impl Walk<'_> {
    fn line(&mut self, line: &str, start: usize) {
        let command = operands(line);
        // A page may have lost the end of the command's line.
        let behind = command.as_ref().map_or(line, |(_, behind)| *behind);
        let (line, start) = (behind, start + line.len() - behind.len());
        if let Some((asked, _)) = command {
            (self.asked, self.records, self.goes_on) = (asked, [None, None], false);
        }
        if let Some(count) = records(line) {
            let end = |word: &&str| line.find(*word).map(|at| at + word.len());
            let (line, behind) = line.split_at(RECORDS.iter().find_map(end).unwrap_or(line.len()));
            // In other languages, the count of records read comes first.
            let is_second = self.records[0].is_some() && !line.trim_end().ends_with(" in");
            let is_out = line.trim_end().ends_with(" out") || is_second;
            self.records[usize::from(is_out)] = Some(count);
            if !behind.is_empty() {
                self.line(behind, start + line.len());
            }
        } else if let Some(copied) = CopyFigures::of(line) {
            self.copied(copied, start);
        } else if self.is_cut(line) {
            let expected = "a line like '4194304 bytes (4.2 MB, 4.0 MiB) copied, 0.0041 s, 1.0 GB/s'";
            self.troubles.push(self.text.trouble(start, expected));
        }
    }

    /// Whether a line is the beginning of a result: bytes in plain figures, then in units, and nothing but the words
    /// after them; in languages other than English, only below the records.
    fn is_cut(&self, line: &str) -> bool {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let (unit, inside) = rest.split_once(['(', '（']).unwrap_or((rest, ""));
        let after = inside.split_once([')', '）']).map_or("c", |(_, after)| after.trim_start());
        let is_english = unit.trim() == "bytes" && after.starts_with('c');
        let is_result = is_english || self.records.iter().any(Option::is_some);
        let units = inside.starts_with(|c: char| c.is_ascii_digit()) && unit.split_whitespace().count() == 1;
        rest.len() < line.len() && (is_result && units || rest.starts_with(" bytes transferred in "))
    }

    fn copied(&mut self, copied: CopyFigures, start: usize) {
        if copied.seconds.is_none() {
            self.troubles.push(self.text.trouble(start, "the time that the copy took, like 0.0183 s"));
        }
        let found = self.run(&copied, start);
        let before = self.found.last().and_then(|before| before.parts.first()?.directions.first());
        let later = before.is_some_and(|before| {
            let (Some(bytes), Some(time), Some(now)) = (&before.bytes, &before.runtime, &copied.seconds)
            else {
                return false;
            };
            // Times of `status=progress` are whole seconds; the last of them may have all bytes.
            let more = copied.bytes.value > bytes.value;
            let all = copied.bytes.value == bytes.value && time.step >= 1e9 && now.step < 1e9;
            (more || all) && now.value + time.step > time.value
        });
        if self.goes_on && later {
            self.found.pop();
        }
        self.goes_on = std::mem::take(&mut self.records).iter().all(Option::is_none);
        self.text.bounds.begin(&mut self.found, found);
    }

    fn run(&self, copied: &CopyFigures, start: usize) -> ImportedResult {
        let operand =
            |name: &str| self.asked.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let direction = direction(operand("if"), operand("of"));
        let target = if direction == Some(Direction::Read) { operand("if") } else { operand("of") };
        let mut part = ReportedPart::named(Scope::Job, target.unwrap_or("dd"), self.text.line(start));
        part.asked.clone_from(&self.asked);
        part.runtime = copied.seconds.as_ref().map(quantity::nanos);
        let mut way = record::ReportedDirection::new(direction);
        way.bytes = Some(copied.bytes.clone());
        way.runtime.clone_from(&copied.seconds);
        way.bytes_per_second.clone_from(&copied.rate);
        way.ops.clone_from(&self.records[usize::from(direction != Some(Direction::Read))]);
        part.directions.push(way);
        ImportedResult { parts: vec![part], ..ImportedResult::begun(copied.tool, start) }
    }
}

/// Returns the direction under test: writes if the source is not a disk, reads if the target is `/dev/null` or
/// `/dev/zero`, which drops what is written to it too.
fn direction(from: Option<&str>, to: Option<&str>) -> Option<Direction> {
    const SOURCES: [&str; 3] = ["/dev/zero", "/dev/urandom", "/dev/random"];
    match (from, to) {
        (Some(from), _) if SOURCES.contains(&from) => Some(Direction::Write),
        (_, Some("/dev/null" | "/dev/zero")) => Some(Direction::Read),
        _ => None,
    }
}

/// Returns the operands of a command such as `dd if=/dev/zero of=file bs=1M`, with or without a prompt before it, and
/// the text after them.
fn operands(line: &str) -> Option<(Vec<(String, String)>, &str)> {
    let words: Vec<&str> = line.split_whitespace().take(64).collect();
    let is_dd = |word: &&str| word.trim_start_matches(['$', '#', '%', '>']) == "dd" || word.ends_with("/dd");
    let at = words.iter().position(is_dd)?;
    let pairs = words[at + 1..].iter().map_while(|word| word.split_once('='));
    let pairs: Vec<(String, String)> =
        pairs.map(|(name, value)| (name.to_owned(), value.trim_end_matches(';').to_owned())).collect();
    let next = words.get(at + 1 + pairs.len());
    let behind = next.map_or("", |word| &line[word.as_ptr() as usize - line.as_ptr() as usize..]);
    (!pairs.is_empty()).then_some((pairs, behind))
}

/// Parses `16+0 records in` into the number of records, whole and partial.
fn records(line: &str) -> Option<Figure> {
    let first = line.split_whitespace().next().filter(|_| line.contains(' ') || !line.is_ascii())?;
    let (whole, rest) = first.split_once('+')?;
    // In Chinese, the label precedes the count: `记录了1+0 的读入`.
    let whole = whole.trim_start_matches(|c: char| !c.is_ascii());
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, parts): (u64, u64) = (whole.parse().ok()?, rest[..digits].parse().ok()?);
    Some(Figure::exact(whole.checked_add(parts)? as f64, format!("{whole}+{parts}")))
}

/// The figures of a result line.
struct CopyFigures {
    tool: &'static str,
    bytes: Figure,
    seconds: Option<Figure>,
    rate: Option<Figure>,
}

impl CopyFigures {
    fn of(line: &str) -> Option<CopyFigures> {
        let line = line.replace(['，', '、'], ", ").replace('（', " (").replace('）', ") ");
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let bytes = quantity::plain(&line[..digits], 1.0)?;
        let rest = line[digits..].trim_start();
        bsd(&bytes, rest).or_else(|| others(&bytes, rest))
    }
}

/// Parses `bytes transferred in 0.0334 secs (3139449000 bytes/sec)`; GNU's dd before 2005 wrote `seconds`.
fn bsd(bytes: &Figure, rest: &str) -> Option<CopyFigures> {
    let rest = rest.strip_prefix("bytes transferred in ")?;
    let (time, rate) = rest.split_once(" (")?;
    let rate = rate.split_once(" bytes/sec").and_then(|(rate, _)| quantity::plain(rate, 1.0));
    let tool = if time.ends_with("seconds") { "dd of GNU" } else { "dd of BSD or macOS" };
    Some(CopyFigures { tool, bytes: bytes.clone(), seconds: seconds(time), rate })
}

/// Parses `bytes (17 MB, 16 MiB) copied, 0.0183 s, 915 MB/s` and `bytes (16.0MB) copied, 0.0123 seconds, 1.3GB/s`.
fn others(bytes: &Figure, rest: &str) -> Option<CopyFigures> {
    let mut pieces = rest.rsplitn(3, ", ");
    let (rate, time, before) = (pieces.next()?.trim(), pieces.next()?.trim(), pieces.next()?);
    let printed = rate;
    let in_seconds = per_second(rate)?;
    let rate = in_seconds.as_str();
    let is_rate = rate.starts_with(|c: char| c.is_ascii_digit()) || rate.starts_with("Inf");
    let seconds = seconds(time).filter(|_| is_rate && before.chars().count() <= 80)?;
    // busybox and toybox count in units of 1024 but write MB; GNU counts in units of 1000, and abbreviates seconds.
    let binary = time.ends_with("seconds") || !rate.trim_end_matches("/s").ends_with('B');
    let (tool, prefixes) =
        if binary { ("dd of busybox", Prefixes::Binary) } else { ("dd of GNU", Prefixes::Named) };
    let plain = rate.replacen(',', ".", 1);
    let rate =
        quantity::byte_rate(&plain, prefixes).map(|figure| Figure { printed: printed.to_owned(), ..figure });
    Some(CopyFigures { tool, bytes: bytes.clone(), seconds: Some(seconds), rate })
}

/// Returns `915 MB/s` for `915 MB/s`, `915 MB/秒`, `915 MB/с` or `915 MB/초`.
fn per_second(rate: &str) -> Option<String> {
    let (size, second) = rate.rsplit_once('/')?;
    SECONDS.contains(&second.trim()).then(|| format!("{}/s", size.trim_end()))
}

/// Abbreviations of the second in rates, in all languages.
const SECONDS: [&str; 7] = ["s", "秒", "с", "c", "초", "сек", "sn"];

/// Parses `0.0183 s`, `0,0183 s` or `2.5 seconds`, also in Cyrillic and Chinese.
fn seconds(text: &str) -> Option<Figure> {
    let text = text.trim();
    let plain = text.replacen(',', ".", 1);
    // C prints tiny times as 4.1e-05.
    let end =
        plain.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | 'e' | '-'))).unwrap_or(plain.len());
    let unit = plain[end..].trim_start();
    (unit.is_empty() || unit.starts_with(['s', 'S', 'с', 'c', '秒', '초'])).then_some(())?;
    let value: f64 =
        plain[..end].trim_end_matches('e').parse().ok().filter(|value: &f64| (0.0..1e9).contains(value))?;
    let decimals = plain[..end]
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.bytes().take_while(u8::is_ascii_digit).count());
    let step = 10f64.powi(9 - i32::try_from(decimals).unwrap_or(9));
    Some(Figure { value: value * 1e9, step, printed: text.to_owned() })
}
