//! Conversion of bytes to searchable text: encodings, web pages, typographic characters; every place keeps its line
//! and column.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::bounds::Bounds;
use super::pieces::{near, shortened};
use super::trouble::Trouble;

/// An input as text, both as decoded and in plain form, with the places in each.
#[derive(Debug, Default)]
pub(crate) struct Text {
    /// The text as decoded.
    pub raw: String,
    /// The text without tags, entities and typographic characters; lines end in `\n` alone.
    pub plain: String,
    /// Starts of stretches in which `plain` and the input correspond character by character: offset, line and
    /// column from 1.
    anchors: Vec<Anchor>,
    /// Notes on guesses made while decoding.
    pub notes: Vec<String>,
    /// Places in `raw` at regular intervals: offset, line and column.
    raw_anchors: Vec<Anchor>,
    /// For each quoted key, where the last search in `raw` began, and where it found the key.
    sought: RefCell<HashMap<String, (usize, Option<usize>)>>,
    /// Limits on the results that are kept.
    pub bounds: Bounds,
    /// Bytes of the text that may still be repeated.
    copies: Cell<usize>,
}

/// An offset with its line and column from 1; four bytes each, because an input may have one for every few bytes.
pub(crate) type Anchor = (u32, u32, u32);

/// Bytes that any input may repeat of its own text.
const COPIES_LEAST: usize = 1 << 20;

impl Text {
    /// Returns the text of `raw`, with the notes from its decoding.
    pub fn of(raw: String, notes: Vec<String>) -> Text {
        let mut plain = Plain { html: looks_like_html(&raw), ..Plain::default() };
        plain.read(&raw);
        let (raw_anchors, copies) = (anchors_of(&raw), Cell::new(raw.len() + COPIES_LEAST));
        Text { plain: plain.text, anchors: plain.anchors, raw, notes, raw_anchors, copies, ..Text::default() }
    }

    /// Takes `bytes` from the budget for repetition; returns whether enough was left. Text shared by all results of
    /// an input is copied to each of them, which could make gigabytes of an input with many results and much shared
    /// text.
    pub fn may_repeat(&self, bytes: usize) -> bool {
        let left = self.copies.get().checked_sub(bytes);
        left.inspect(|left| self.copies.set(*left)).is_some()
    }

    /// Returns line and column (from 1) of an offset into `raw`.
    pub fn raw_place(&self, offset: usize) -> (u32, u32) {
        placed(&self.raw, &self.raw_anchors, offset)
    }

    /// Returns a trouble at an offset into `raw`, with `found` as the text there.
    pub fn raw_trouble(&self, offset: usize, expected: impl Into<String>, found: &str) -> Trouble {
        let (line, column) = self.raw_place(offset);
        Trouble { line, column, expected: expected.into(), found: shortened(found) }
    }

    /// Returns the offset of `"key"` in `raw` from `at` on. Searches for one key from ascending offsets scan the
    /// text only once.
    pub fn quoted(&self, at: usize, key: &str) -> Option<usize> {
        if let Some(&(from, found)) = self.sought.borrow().get(key)
            && from <= at
            && found.is_none_or(|found| at <= found)
        {
            return found;
        }
        let found = self.raw.get(at..)?.find(&format!("\"{key}\"")).map(|found| at + found);
        self.sought.borrow_mut().insert(key.to_owned(), (at, found));
        found
    }

    /// Returns line and column (from 1) of an offset into `plain`.
    pub fn place(&self, offset: usize) -> (u32, u32) {
        placed(&self.plain, &self.anchors, offset)
    }

    /// Returns the lines of `plain` with their offsets, without the marks of code with which a page surrounds them.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.plain.split('\n').scan(0, |start, line| {
            let at = *start;
            *start += line.len() + 1;
            let inner = without_marks(line);
            Some((at + (inner.as_ptr() as usize - line.as_ptr() as usize), inner))
        })
    }

    /// Returns the line of an offset into `plain`.
    pub fn line(&self, offset: usize) -> u32 {
        self.place(offset).0
    }

    /// Returns a trouble at an offset into `plain`, with the text there up to a comma or the end of the line.
    pub fn trouble(&self, offset: usize, expected: impl Into<String>) -> Trouble {
        let (line, column) = self.place(offset);
        let rest = near(&self.plain, offset, SHOWN_MOST);
        let end = rest.find([',', '\n']).unwrap_or(rest.len());
        Trouble { line, column, expected: expected.into(), found: shortened(&rest[..end]) }
    }
}

/// Returns `line` without the marks of code before it, and without those on both sides. A fence with the name of a
/// language is as an empty line.
fn without_marks(line: &str) -> &str {
    let trimmed = line.trim_start();
    let behind = trimmed.trim_start_matches('`');
    let is_language = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+');
    if trimmed.starts_with("```") && behind.trim_end().chars().all(is_language) {
        return &line[line.len()..];
    }
    let from = if behind.len() < trimmed.len() { behind } else { line };
    from.trim_end().strip_suffix('`').map_or(from, |rest| rest.trim_end_matches('`'))
}

/// Most bytes from which the text of a trouble is taken.
const SHOWN_MOST: usize = 256;

/// Returns line and column (from 1) of an offset into `text` with the given `anchors`.
pub(crate) fn placed(text: &str, anchors: &[Anchor], offset: usize) -> (u32, u32) {
    let after = anchors.partition_point(|&(at, _, _)| at as usize <= offset);
    let (at, line, column) = after.checked_sub(1).map_or((0, 1, 1), |index| anchors[index]);
    let between = text.get(at as usize..offset).unwrap_or_default();
    walked(between, (line, column))
}

/// Returns the place after `text`, which begins at the given place.
pub(crate) fn walked(text: &str, (line, column): (u32, u32)) -> (u32, u32) {
    let letters = |part: &str| part.chars().count() as u32;
    match text.rsplit_once('\n') {
        Some((above, last)) => (line + above.matches('\n').count() as u32 + 1, 1 + letters(last)),
        None => (line, column + letters(text)),
    }
}

/// Returns an anchor for every [`ANCHOR_EVERY`] bytes of `raw`.
pub(crate) fn anchors_of(raw: &str) -> Vec<Anchor> {
    let mut anchors = Vec::with_capacity(raw.len() / ANCHOR_EVERY + 1);
    let (mut at, mut place) = (0, (1, 1));
    while at < raw.len() {
        anchors.push((at as u32, place.0, place.1));
        let part = near(raw, at, ANCHOR_EVERY);
        (at, place) = (at + part.len(), walked(part, place));
    }
    anchors
}

/// Decodes UTF-8 and UTF-16 (which PowerShell writes); bytes that are neither become `\u{fffd}`.
pub(crate) fn decoded(bytes: &[u8], notes: &mut Vec<String>) -> String {
    let wide = |bytes: &[u8], join: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| join([pair[0], pair[1]]));
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => return wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return wide(rest, u16::from_be_bytes),
        [first, 0, second, 0, ..] if *first != 0 && *second != 0 => return wide(bytes, u16::from_le_bytes),
        _ => {}
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    if let std::borrow::Cow::Owned(_) = text {
        notes.push("some bytes are not UTF-8 and were passed over".to_owned());
    }
    text.into_owned()
}

/// Whether a text is a web page or a piece of one: it has an element found only in pages. DiskSpd's XML has none of
/// these.
fn looks_like_html(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["<html", "<!doctype html", "<pre", "<code", "<br", "<div", "</p>"].iter().any(|tag| lower.contains(tag))
}

/// Most bytes between two anchors.
const ANCHOR_EVERY: usize = 512;
/// Longest tag, in bytes; a bracket that is closed further on does not begin a tag.
const TAG_LONGEST: usize = 4096;

/// The plain form under construction.
#[derive(Default)]
struct Plain {
    text: String,
    anchors: Vec<Anchor>,
    html: bool,
    /// Whether a search has shown that no end of a script or style follows.
    unended: bool,
    line: u32,
    column: u32,
}

/// Elements that end a line.
const BREAKS: [&str; 9] = ["br", "p", "/p", "/div", "/li", "/tr", "/pre", "/h2", "/h3"];

impl Plain {
    fn read(&mut self, raw: &str) {
        (self.line, self.column) = (1, 1);
        self.anchor();
        let mut rest = raw;
        while let Some(letter) = rest.chars().next() {
            let special = self.tag(rest).or_else(|| self.entity(rest)).or_else(|| self.continuation(rest));
            let taken = special.unwrap_or_else(|| self.letter(rest, letter));
            rest = &rest[taken..];
        }
    }

    fn anchor(&mut self) {
        self.anchors.push((self.text.len() as u32, self.line, self.column));
    }

    /// Skips a tag, or a whole script or style; returns the length.
    fn tag(&mut self, rest: &str) -> Option<usize> {
        let starts = rest.strip_prefix('<').filter(|_| self.html)?;
        starts.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!').then_some(())?;
        let mut end = near(rest, 0, TAG_LONGEST).find('>')? + 1;
        let name: String = starts.chars().take_while(|c| !c.is_whitespace() && *c != '>').collect();
        let name = name.trim_end_matches('/').to_ascii_lowercase();
        if (name == "script" || name == "style") && !self.unended {
            let ends = rest.find(&format!("</{name}"));
            self.unended = ends.is_none();
            end = ends.unwrap_or(end);
        }
        if BREAKS.contains(&name.as_str()) {
            self.text.push('\n');
        }
        self.pass(&rest[..end]);
        Some(end)
    }

    fn entity(&mut self, rest: &str) -> Option<usize> {
        let name = rest.strip_prefix('&')?;
        let end = near(name, 0, 9).find(';').filter(|&end| end > 1)?;
        let letter = match &name[..end] {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            "nbsp" => ' ',
            "ndash" | "minus" => '-',
            "mdash" => '—',
            other => numbered(other)?,
        };
        self.push(letter);
        self.pass(&rest[..end + 2]);
        Some(end + 2)
    }

    /// Joins a line of a command to the next one: a shell's line goes on after `\`, those of Windows after `^` and `` ` ``,
    /// and a shell writes `> ` before what follows. Returns the length of what stands between. Without a blank before it, the
    /// sign may be something else: an option must follow. After a word, a lone `\` is a line break of Markdown.
    fn continuation(&mut self, rest: &str) -> Option<usize> {
        let behind = rest.strip_prefix(['\\', '^', '`'])?;
        let next = behind.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
        let words = next.trim_start_matches([' ', '\t', '>']);
        let is_word = rest.starts_with('\\') && self.text.ends_with(' ');
        let option = words.strip_prefix("--").or_else(|| words.strip_prefix('-'));
        let is_option = option.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
        if !is_word && !is_option {
            let is_break = rest.starts_with("\\\n")
                && self.text.ends_with(|c: char| c.is_alphanumeric() || ",)]%".contains(c));
            is_break.then(|| self.pass(&rest[..1]))?;
            return Some(1);
        }
        let length = rest.len() - words.len();
        self.text.push(' ');
        self.pass(&rest[..length]);
        Some(length)
    }

    fn letter(&mut self, rest: &str, letter: char) -> usize {
        match letter {
            // Only the following line feed counts.
            '\r' if rest[1..].starts_with('\n') => {}
            '\n' | '\r' => {
                self.text.push('\n');
                self.line += 1;
                self.column = 1;
                self.anchor_now_and_then();
                return 1;
            }
            other => self.push(other),
        }
        self.column += 1;
        self.anchor_now_and_then();
        letter.len_utf8()
    }

    /// Adds an anchor if the last one is far enough back, so that a place in megabytes is found without counting
    /// from the start.
    fn anchor_now_and_then(&mut self) {
        if self.anchors.last().is_none_or(|&(at, _, _)| self.text.len() >= at as usize + ANCHOR_EVERY) {
            self.anchor();
        }
    }

    /// Adds exactly one character for each one read, so that columns stay right.
    fn push(&mut self, letter: char) {
        self.text.push(match letter {
            '\t' | '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}' | '\u{200b}' | '\u{feff}' => ' ',
            '–' | '−' | '‑' | '‐' => '-',
            '‘' | '’' => '\'',
            '“' | '”' | '„' => '"',
            'μ' => 'µ',
            other => other,
        });
    }

    /// Counts characters of the input that are not in the text.
    fn pass(&mut self, part: &str) {
        for letter in part.chars() {
            self.column += 1;
            if letter == '\n' {
                self.line += 1;
                self.column = 1;
            }
        }
        self.anchor();
    }
}

fn numbered(name: &str) -> Option<char> {
    let number = name.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Text {
        let mut notes = Vec::new();
        let raw = decoded(bytes, &mut notes);
        Text::of(raw, notes)
    }

    #[test]
    fn a_page_becomes_its_text_and_every_place_stays_known() {
        let text = read("<html>\n<pre>a &gt;=64\r\nb<br>c – d</pre>".as_bytes());
        assert_eq!(text.plain, "\na >=64\nb\nc - d\n");
        assert_eq!(text.place(text.plain.find(">=").unwrap()), (2, 8));
        assert_eq!(text.place(text.plain.find("c ").unwrap()), (3, 6));
    }

    #[test]
    fn a_command_over_several_lines_is_one_line_and_every_place_stays_known() {
        let text =
            read(b"$ fio \\\n> --name=a \\ \r\n  --bs=4k\\\n    --rw=read ^\n--size=1G\nx `\n --y=1 \\\n\nz\\\nC:\\\n");
        assert_eq!(text.plain, "$ fio  --name=a  --bs=4k --rw=read  --size=1G\nx  --y=1  \nz\nC:\\\n");
        for (word, place) in
            [("--name", (2, 3)), ("--bs", (3, 3)), ("--size", (5, 1)), ("y=1", (7, 4)), ("C:", (10, 1))]
        {
            assert_eq!(text.place(text.plain.rfind(word).unwrap()), place, "{word}");
        }
    }

    #[test]
    fn a_bracket_in_plain_text_is_no_tag() {
        assert_eq!(read(b"4 KiB <<< . (x): a < b\n").plain, "4 KiB <<< . (x): a < b\n");
    }

    #[test]
    fn what_powershell_writes_is_read() {
        let wide: Vec<u8> = "ab\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&wide).plain, "ab\n");
        assert_eq!(read(&[&[0xff, 0xfe], wide.as_slice()].concat()).plain, "ab\n");
    }

    #[test]
    fn bytes_of_no_encoding_are_named_and_passed_over() {
        let text = read(b"a\xffb");
        assert_eq!((text.plain.as_str(), text.notes.len()), ("a\u{fffd}b", 1));
    }
}
