//! Conversion of iostat's JSON, sound or damaged, to sheets: everything readable is read, and each unreadable place
//! becomes a trouble.

use record::CpuMetric;

use super::super::documents::trouble;
use super::super::pieces::near;
use super::super::trouble::Trouble;
use super::sheet::{Command, Sheet};
use super::tokens::{Cursor, Token};

/// Most places reported individually; the others are counted.
const NAMED: usize = 20;

/// Facts about the host that are kept.
const SAID: [&str; 6] = ["nodename", "sysname", "release", "machine", "number-of-cpus", "date"];

/// Reads every document of iostat in a text.
pub(super) struct Reader<'t> {
    cursor: Cursor<'t>,
    /// Open brackets, each with its key.
    open: Vec<(char, &'t str)>,
    /// The key of the next value.
    key: &'t str,
    /// Whether everything in this document has been readable so far. If not, only keys show the structure.
    sound: bool,
    /// Parts of the current report that have been read.
    had: Had,
    row: Vec<(usize, f64)>,
    pub sheets: Vec<Sheet>,
    pub troubles: Vec<Trouble>,
    /// Number of unreadable places that are not reported individually.
    pub unnamed: usize,
    /// Whether there was a stray comma (`-y` of 11.6.0 and 12.1.4).
    pub stray_comma: bool,
    /// Whether the text ended within a document.
    pub cut_off: bool,
}

#[derive(Clone, Copy, Default)]
struct Had {
    time: bool,
    cpu: bool,
    disks: bool,
}

impl<'t> Reader<'t> {
    /// Reads `text` to its end.
    pub fn read(text: &'t str) -> Reader<'t> {
        let mut reader = Reader {
            cursor: Cursor { text, at: 0 },
            open: Vec::new(),
            key: "",
            sound: true,
            had: Had::default(),
            row: Vec::new(),
            sheets: Vec::new(),
            troubles: Vec::new(),
            unnamed: 0,
            stray_comma: false,
            cut_off: false,
        };
        // Text before the first document (a shell's output, the rest of a report) belongs to no document.
        reader.cursor.at = text.find(['{', '[', '"']).unwrap_or(text.len());
        while reader.step() {}
        reader.cut_off |= !reader.open.is_empty();
        reader.sheets.iter_mut().for_each(Sheet::even_out);
        reader.sheets.retain(Sheet::says_something);
        reader
    }

    /// Handles the next token; returns false at the end.
    fn step(&mut self) -> bool {
        let at = self.cursor.next_at();
        match self.cursor.next() {
            Token::End => return false,
            Token::Open(bracket) => self.opened(bracket, at),
            Token::Close(bracket) => self.closed(bracket, at),
            Token::Comma => self.comma(at),
            Token::Words(words) => self.words(words, at),
            Token::Other(_) if self.open.is_empty() => self.cursor.skip_line(),
            Token::Colon | Token::Number(_) | Token::Other(_) => {
                self.trouble(at, "a key in quotes, a bracket or a comma");
            }
        }
        true
    }

    fn opened(&mut self, bracket: char, at: usize) {
        let parent = self.open.last().map_or("", |(_, key)| *key);
        let key = std::mem::take(&mut self.key);
        if bracket == '{' && (parent == "disk" || self.is_row()) {
            return self.device(at);
        }
        if bracket == '{' && (key == "avg-cpu" || matches!(parent, "cpu-load" | "cpu-load-all")) {
            return self.cpu(at);
        }
        if self.open.is_empty() && bracket == '{' {
            self.sound = true;
        }
        if bracket == '{' && parent == "statistics" {
            self.report(at);
        }
        if bracket == '[' && key == "statistics" {
            let host = self.host(at);
            let empty = self.cursor.passes_empty_line();
            self.sheets[host].skips_boot |= empty;
        }
        if bracket == '{' && parent == "hosts" {
            self.sheets.push(Sheet::of("JSON", at));
        }
        self.open.push((bracket, key));
    }

    /// Whether the object that has just begun is a device's row although the brackets around it are missing.
    fn is_row(&self) -> bool {
        !self.sound && matches!(self.cursor.peek(), Token::Words("disk_device" | "disk-device"))
    }

    fn closed(&mut self, bracket: char, at: usize) {
        match self.open.last() {
            Some(('{', _)) if bracket == '}' => {}
            Some(('[', _)) if bracket == ']' => {}
            // The end of a document whose beginning is missing.
            None => return,
            Some((open, _)) => {
                let expected = if *open == '{' { "'}' or another key" } else { "']' or another entry" };
                self.trouble_here(at, expected);
            }
        }
        self.open.pop();
    }

    /// Handles a comma; `-y` of 11.6.0 and 12.1.4 prints one with nothing before it ahead of the first report.
    fn comma(&mut self, at: usize) {
        let before = self.cursor.text[..at].trim_end();
        if !before.ends_with(['[', '{', ',']) {
            return;
        }
        match (self.open.last(), self.sheets.last_mut()) {
            (Some(('[', "statistics")), Some(sheet)) if before.ends_with('[') => {
                sheet.skips_boot = true;
                self.stray_comma = true;
            }
            _ => self.trouble_here(at, "an entry before this comma"),
        }
    }

    fn words(&mut self, words: &'t str, at: usize) {
        if self.cursor.peek() != Token::Colon {
            return self.trouble(at, "':' after the key");
        }
        self.cursor.next();
        self.key = words;
        match words {
            "sysstat" if self.open.len() > 1 => self.next_document(),
            "timestamp" => self.timestamp(),
            "avg-cpu" | "disk" | "statistics" | "hosts" | "sysstat" => self.part(words, at),
            name if SAID.contains(&name) => self.said(name, at),
            _ => self.pass_over(),
        }
    }

    /// Begins a document within one that was never closed, as `>>` writes them to one file.
    fn next_document(&mut self) {
        self.cut_off = true;
        self.open.clear();
        self.open.push(('{', ""));
        self.sound = true;
        // The bracket of the new document was mistaken for that of a report.
        let had = self.had;
        if let Some(sheet) = self.sheets.last_mut().filter(|_| !(had.time || had.cpu || had.disks)) {
            sheet.reports.pop();
        }
    }

    /// Reads the bracket that must follow the key of a part.
    fn part(&mut self, key: &str, at: usize) {
        let bracket = match self.cursor.peek() {
            Token::Open(bracket) => bracket,
            _ => {
                self.key = "";
                let after = self.cursor.next_at();
                let expected = format!("a list or an object after \"{key}\":");
                return self.trouble(after, &expected);
            }
        };
        if !self.sound {
            self.report_by_key(key, at);
        }
        match (key, bracket) {
            ("disk", '[') => self.had.disks = true,
            ("avg-cpu", '{') => self.had.cpu = true,
            _ => {}
        }
    }

    /// Begins a report if the current one already has this key; used when brackets are unreliable.
    fn report_by_key(&mut self, key: &str, at: usize) {
        let again = match key {
            "timestamp" => self.had.time || self.had.cpu || self.had.disks,
            "avg-cpu" => self.had.cpu || self.had.disks,
            "disk" => self.had.disks,
            _ => return,
        };
        if again || self.sheets.last().is_none_or(|sheet| sheet.reports.is_empty()) {
            self.report(at);
        }
    }

    fn report(&mut self, at: usize) {
        let host = self.host(at);
        self.sheets[host].begin(String::new());
        self.had = Had::default();
    }

    /// Returns the index of the current sheet, added if the beginning of the document is missing.
    fn host(&mut self, at: usize) -> usize {
        if self.sheets.is_empty() {
            self.sheets.push(Sheet::of("JSON", at));
        }
        self.sheets.len() - 1
    }

    fn said(&mut self, name: &str, at: usize) {
        self.key = "";
        let value = self.cursor.next_at();
        let words = match self.cursor.next() {
            Token::Words(words) => unescaped(words),
            Token::Number(number) => number.to_string(),
            _ => return self.trouble(value, "words in quotes or a number"),
        };
        // When brackets are unreliable, a host begins with its name.
        if !self.sound
            && name == "nodename"
            && self.sheets.last().is_some_and(|sheet| sheet.word(name).is_some())
        {
            self.sheets.push(Sheet::of("JSON", at));
        }
        let host = self.host(at);
        self.sheets[host].said.push((name.to_owned(), words));
    }

    fn timestamp(&mut self) {
        self.key = "";
        let at = self.cursor.next_at();
        if !self.sound {
            self.report_by_key("timestamp", at);
        }
        let words = match self.cursor.next() {
            Token::Words(words) => unescaped(words),
            Token::Number(number) => number.to_string(),
            Token::Open('{') => match self.time_of_sadf(at) {
                Some(words) => words,
                None => return self.trouble(at, "the date and the time of the report"),
            },
            _ => return self.trouble(at, "the time of the report, in quotes"),
        };
        self.had.time = true;
        if let Some(stamp) = self.sheets.last_mut().and_then(|sheet| sheet.reports.last_mut()) {
            *stamp = words;
        }
    }

    /// Reads the time in sadf's form at `at`:
    /// `{"date": "2026-11-23", "time": "09:49:45", "utc": 1, "interval": 1}`. sadf has no report since boot.
    fn time_of_sadf(&mut self, at: usize) -> Option<String> {
        let whole = near(self.cursor.text, at, TIME_LONGEST);
        let whole = &whole[..whole.find('}')? + 1];
        let time: serde_json::Value = serde_json::from_str(whole).ok()?;
        let (date, clock) = (time["date"].as_str()?, time["time"].as_str()?);
        self.cursor.at = at + whole.len();
        let interval_s = time["interval"].as_f64().filter(|seconds| *seconds > 0.0);
        if let Some(sheet) = self.sheets.last_mut() {
            (sheet.form, sheet.skips_boot) = (SADF, true);
            sheet.command = sheet.command.or(interval_s.map(Command::every));
        }
        let is_utc = time["utc"].as_u64() == Some(1);
        Some(if is_utc { format!("{date}T{clock}+0000") } else { format!("{date} {clock}") })
    }

    /// Skips the value of an unknown key. If the value is an object or a list, known keys inside it are still read.
    fn pass_over(&mut self) {
        if !matches!(self.cursor.peek(), Token::Open(_)) {
            self.key = "";
            self.cursor.next();
        }
    }

    fn cpu(&mut self, at: usize) {
        self.had.cpu = true;
        let cells = self.cells(at);
        // sadf lists each CPU beside the sum of all CPUs.
        if cells.iter().any(|(name, value)| *name == "cpu" && !matches!(value, Cell::Words("all"))) {
            return;
        }
        let Some(sheet) = self.sheets.last_mut() else { return };
        for (name, value) in cells {
            // mpstat's names differ, and so do its shares: those of guests are no part of them.
            let is_own = CpuMetric::of_column(name).is_some_and(|metric| metric.column() == name);
            if let Cell::Number(number) = value
                && is_own
            {
                sheet.enter_cpu(name, number);
            }
        }
    }

    fn device(&mut self, at: usize) {
        let cells = self.cells(at);
        let host = self.host(at);
        if self.sheets[host].reports.is_empty() {
            self.report(at);
        }
        let sheet = &mut self.sheets[host];
        self.row.clear();
        let mut device = None;
        for (name, value) in cells {
            match value {
                Cell::Words(words) if is_name(name) => device = Some(unescaped(words)),
                Cell::Number(number) => {
                    let hint = self.row.last().map_or(0, |(key, _)| key + 1);
                    self.row.extend(sheet.key(name, hint).map(|key| (key, number)));
                }
                Cell::Words(_) => {}
            }
        }
        match device {
            Some(name) => sheet.enter(&name, &self.row),
            None => self.trouble_here(at, "\"disk_device\" in a device's row"),
        }
    }

    /// Returns the pairs of a flat object up to its end, or up to the first unreadable place.
    fn cells(&mut self, start: usize) -> Vec<(&'t str, Cell<'t>)> {
        let mut cells = Vec::with_capacity(24);
        loop {
            let at = self.cursor.next_at();
            match self.cursor.next() {
                Token::Close('}') => return cells,
                Token::Comma => continue,
                Token::Words(key) => {
                    let after = self.cursor.next_at();
                    if self.cursor.next() != Token::Colon {
                        self.cursor.at = after;
                        self.trouble(after, &format!("':' after \"{key}\""));
                        return cells;
                    }
                    match self.cell(key) {
                        Some(cell) => cells.push((key, cell)),
                        None => return cells,
                    }
                }
                Token::End => {
                    self.open.push(('{', ""));
                    self.trouble_here(start, "the whole of this object: the text ends within it");
                    return cells;
                }
                _ => {
                    self.trouble(at, "a key in quotes, or '}'");
                    return cells;
                }
            }
        }
    }

    /// Returns the value of a key. A value of the wrong kind adds a trouble; if nothing can follow it, the object
    /// ends there.
    fn cell(&mut self, key: &str) -> Option<Cell<'t>> {
        let at = self.cursor.next_at();
        let mut ahead = self.cursor;
        let token = ahead.next();
        let wants = if is_name(key) { "a name in quotes" } else { "a number" };
        let cell = match token {
            Token::Words(words) if is_name(key) => Cell::Words(words),
            // At the very end of the text, the rest of the number may be missing.
            Token::Number(_) if ahead.next_at() == ahead.text.len() => Cell::Words(""),
            Token::Number(number) if !is_name(key) => Cell::Number(number),
            Token::Words(words) => {
                // Some tools convert iostat's numbers to strings.
                let plain = words.trim().replace(',', ".");
                let number = plain.parse::<f64>().ok().filter(|number| number.is_finite());
                if number.is_none() {
                    self.named(at, &format!("{wants} for \"{key}\""));
                }
                number.map_or(Cell::Words(words), Cell::Number)
            }
            Token::Number(_) => {
                self.named(at, &format!("{wants} for \"{key}\""));
                Cell::Words("")
            }
            Token::Open(_) if self.skipped(&mut ahead) => {
                self.named(at, &format!("{wants} for \"{key}\""));
                Cell::Words("")
            }
            Token::Comma | Token::Close('}') => {
                self.named(at, &format!("{wants} for \"{key}\""));
                return Some(Cell::Words(""));
            }
            _ => {
                self.trouble(at, &format!("{wants} for \"{key}\""));
                return None;
            }
        };
        self.cursor = ahead;
        Some(cell)
    }

    /// Skips a list or an object whose opening bracket has been read; returns whether it ends on this line.
    fn skipped(&self, ahead: &mut Cursor<'t>) -> bool {
        let start = ahead.at;
        let line = ahead.text[start..].find('\n').map_or(ahead.text.len(), |end| start + end);
        let mut deep = 1;
        while deep > 0 {
            if ahead.at > line {
                return false;
            }
            match ahead.next() {
                Token::Open(_) => deep += 1,
                Token::Close(_) => deep -= 1,
                Token::End => return false,
                _ => {}
            }
        }
        !ahead.text[start..ahead.at].contains('\n')
    }

    /// Adds a trouble, after which brackets are considered unreliable, and continues with the next line.
    fn trouble(&mut self, at: usize, expected: &str) {
        self.trouble_here(at, expected);
        self.cursor.at = self.cursor.at.max(at);
        if self.cursor.peek() != Token::End {
            self.cursor.skip_line();
        }
    }

    /// Adds a trouble, after which brackets are considered unreliable.
    fn trouble_here(&mut self, at: usize, expected: &str) {
        self.sound = false;
        self.named(at, expected);
    }

    fn named(&mut self, at: usize, expected: &str) {
        if self.troubles.len() >= NAMED {
            self.unnamed += 1;
            return;
        }
        self.troubles.push(trouble(self.cursor.text, at, expected));
    }
}

/// The form of sadf's `-j` output.
pub(super) const SADF: &str = "sadf JSON";
/// Longest time object, in bytes.
const TIME_LONGEST: usize = 256;

/// Whether the value of a key is a name, not a number.
fn is_name(key: &str) -> bool {
    matches!(key, "disk_device" | "disk-device" | "cpu")
}

/// A value within a flat object.
enum Cell<'t> {
    Words(&'t str),
    Number(f64),
}

fn unescaped(words: &str) -> String {
    match words.contains('\\') {
        true => serde_json::from_str(&format!("\"{words}\"")).unwrap_or_else(|_| words.to_owned()),
        false => words.to_owned(),
    }
}
