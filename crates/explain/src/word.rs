//! Splits a pasted line into words with their places: quotes, backslashes, HTML entities, dashes of web pages.

use schemars::JsonSchema;
use serde::Serialize;

use super::tool::Tool;
use super::variables::is_name;

/// A word with its place; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text after repairs.
    pub text: String,
    /// Line of the word.
    pub line: usize,
    /// Column of the word.
    pub column: usize,
}

/// The words without their places.
pub(super) fn texts(words: &[Piece]) -> Vec<String> {
    words.iter().map(|piece| piece.text.clone()).collect()
}

/// Something that was repaired, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Repair {
    /// Kind of the repair.
    pub what: &'static str,
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// Dashes other than the keyboard's: hyphens, en and em dash, minus.
pub const DASHES: [char; 8] =
    ['\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}', '\u{ff0d}'];
const DOUBLE: [char; 5] = ['“', '”', '„', '«', '»'];
const SINGLE: [char; 4] = ['‘', '’', '‚', '‛'];
/// Invisible characters.
const INVISIBLE: [char; 5] = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{feff}', '\u{ad}'];
const BLANKS: [char; 4] = ['\u{a0}', '\u{2007}', '\u{202f}', '\u{3000}'];

pub const ENTITY: &str = "HTML entities are read as the letters they stand for";
pub const QUOTED: &str =
    "marks before the lines (of a quotation, a comparison, a listing) and codes of mail are left out";
pub const BLANK: &str = "blanks of a web page are read as blanks";
pub const QUOTE: &str = "typographic quotation marks are read as plain ones";
pub const BACKSLASH: &str = "marks that continue a line are left out";
pub const DASH: &str = "typographic dashes are read as the plain ones of options";
pub const NUMBER: &str = "numbers and dashes of a list before a line are left out";
pub const PROMPT: &str = "what stands before the program's name (prompt, sudo) is left out";
pub const SPLIT: &str = "line breaks that were lost are put back";
pub const JOINED: &str = "lines are joined into one";
pub const CUT: &str =
    "what follows for the shell (a pipe, a redirection, a comment, another command) is left out";
pub const BACKGROUND: &str = "the shell goes on at once (&): what follows beside it is not described";
pub const LOOP: &str = "the shell runs it in a loop: one run of it is described";
pub const VARIABLE: &str = "variables have the values that the text gives them; in a loop one of several";
pub const LIST: &str = "the marks of a list in YAML or JSON are left out";
pub const NAMELESS: &str = "the program's name is missing: its options are those of this tool";

/// Returns the line with entities decoded, and with every kind of blank replaced by a plain one.
pub fn plain(line: &str, number: usize, repairs: &mut Vec<Repair>) -> String {
    let mut note = |what, at: usize| repairs.push(Repair { what, line: number, column: at + 1 });
    let decoded = entities(line);
    if decoded != line {
        note(ENTITY, line.find('&').unwrap_or(0));
    }
    if let Some(at) = decoded.chars().position(|letter| BLANKS.contains(&letter)) {
        note(BLANK, at);
    }
    let visible = decoded.chars().filter(|letter| !INVISIBLE.contains(letter) && *letter != '\r');
    visible.map(|letter| if BLANKS.contains(&letter) { ' ' } else { letter }).collect()
}

/// Returns the line with the marks of a list (`args: ["--name=a", "--rw=read"]`) replaced by blanks, so that columns stay.
pub fn without_list(line: &str, number: usize, repairs: &mut Vec<Repair>) -> String {
    let line = &with_stars(without_remark(line));
    let is_key = |letter: char| letter.is_alphanumeric() || " \t:-_\"=.(@+".contains(letter);
    // `f"--bs={bs}"` is a text of Python.
    let is_text = |text: &str| text.trim_start_matches('f').starts_with(['"', '\'', '*']);
    let head = line.find('[').filter(|&at| line[..at].chars().all(is_key));
    let inner = head.map(|at| line[at + 1..].trim()).filter(|rest| is_text(rest));
    let is_item = |line: &str| {
        let bare = line.trim_end_matches([',', ' ']);
        let ends = bare.ends_with(['"', '\'']) || is_star(bare);
        is_text(line) && line.len() > 2 && (ends || line.contains("\"]") || line.contains("']"))
    };
    let begins = match (head, inner) {
        (Some(at), Some(_)) => at + 1,
        _ if is_item(line.trim()) => 0,
        _ => return line.to_owned(),
    };
    repairs.push(Repair { what: LIST, line: number, column: line[..begins].chars().count().max(1) });
    let (mut quote, mut is_over) = (None, false);
    let prefixes = [" f\"", "[f\"", " f'", "[f'"];
    let bare =
        prefixes.iter().fold(line.to_owned(), |line, mark| line.replace(mark, &mark.replace('f', " ")));
    let blanked = bare[begins..].char_indices().map(|(at, letter)| match (letter, quote) {
        // What stands behind a list of a program is none of it; a shell has a blank behind the bracket of a condition.
        (']', None) if bare[begins + at + 1..].starts_with([',', ')', '}']) => {
            is_over = true;
            ' '
        }
        _ if is_over => ' ',
        ('"' | '\'', None) => {
            quote = Some(letter);
            letter
        }
        (letter, Some(open)) => {
            quote = Some(open).filter(|open| *open != letter);
            letter
        }
        (',' | ']' | ')', None) => ' ',
        (letter, None) => letter,
    });
    let head = line[..begins].chars().map(|_| ' ');
    head.chain(blanked).collect()
}

/// Whether a word is a list of a program whose items stand elsewhere (`*common`).
pub fn is_star(word: &str) -> bool {
    word.strip_prefix('*').is_some_and(is_name)
}

/// The item of a list on a line of its own without the comment behind it (`"--name=a",  # the name`).
fn without_remark(line: &str) -> &str {
    let is_item = line.trim_start().trim_start_matches('f').starts_with(['"', '\'']);
    line.split_once(" #")
        .filter(|(item, _)| is_item && item.trim_end().ends_with(['"', '\'', ',']))
        .map_or(line, |(item, _)| item)
}

/// Returns a line with `*common` within a list for one that is added to it (`common + [`, `] + common`).
fn with_stars(line: &str) -> String {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if let Some((before, behind)) = line.split_once(" + [") {
        let head = before.trim_end_matches(is_of_a_name);
        return match is_name(&before[head.len()..]) {
            true => format!("{head}[*{}, {behind}", &before[head.len()..]),
            false => line.to_owned(),
        };
    }
    match line.split_once("] + ") {
        Some((before, behind)) if behind.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
            let rest = behind.trim_start_matches(is_of_a_name);
            format!("{before}, *{}]{rest}", &behind[..behind.len() - rest.len()])
        }
        _ => line.to_owned(),
    }
}

fn entities(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        // Names of entities are short, so the rest of the line need not be searched for each `&`.
        let end = after.bytes().take(9).position(|byte| byte == b';').filter(|&end| end > 0);
        match end.and_then(|end| entity(&after[..end]).map(|letter| (end, letter))) {
            Some((end, letter)) => {
                text.push(letter);
                rest = &after[end + 1..];
            }
            None => {
                text.push('&');
                rest = after;
            }
        }
    }
    text + rest
}

fn entity(name: &str) -> Option<char> {
    const NAMES: [(&str, char); 14] = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", '\u{a0}'),
        ("ndash", '–'),
        ("mdash", '—'),
        ("minus", '−'),
        ("hyphen", '\u{2010}'),
        ("lsquo", '‘'),
        ("rsquo", '’'),
        ("ldquo", '“'),
        ("rdquo", '”'),
    ];
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    NAMES.iter().find(|(known, _)| *known == name).map(|&(_, letter)| letter)
}

/// Splits a line into words as a shell does. A backslash before a blank or at the end remains of a line continuation.
pub fn words(line: &str, number: usize, repairs: &mut Vec<Repair>) -> Vec<Piece> {
    let mut splitter = Splitter { number, found: Vec::new(), open: None, quote: None, repairs };
    let letters: Vec<char> = line.chars().collect();
    let mut at = 0;
    while at < letters.len() {
        at += splitter.letter(&letters, at);
    }
    splitter.close();
    splitter.found
}

/// The words of a piece in quotation marks that has several options, as programs join them.
pub fn several(piece: Piece, repairs: &mut Vec<Repair>) -> Vec<Piece> {
    match piece.text.starts_with('-') && piece.text.contains(" -") {
        true => words(&piece.text, piece.line, repairs),
        false => vec![piece],
    }
}

struct Splitter<'r> {
    number: usize,
    found: Vec<Piece>,
    open: Option<Piece>,
    quote: Option<char>,
    repairs: &'r mut Vec<Repair>,
}

impl Splitter<'_> {
    /// Consumes the character at `at`, and returns the number of characters consumed.
    fn letter(&mut self, letters: &[char], at: usize) -> usize {
        let letter = letters[at];
        let next = letters.get(at + 1).copied();
        let straight = match letter {
            letter if DOUBLE.contains(&letter) => Some('"'),
            letter if SINGLE.contains(&letter) => Some('\''),
            '"' | '\'' => Some(letter),
            _ => None,
        };
        match (straight, self.quote) {
            (Some(mark), Some(open)) if mark == open => self.quote = None,
            (Some(mark), None) => {
                if mark != letter {
                    self.repair(QUOTE, at);
                }
                self.quote = Some(mark);
                self.word(at);
            }
            (None, Some('"')) if letter == '\\' && next == Some('"') && letters[at + 2..].contains(&'"') => {
                self.push('"', at);
                return 2;
            }
            // What a shell computes is one word, unless a tool is called there.
            (None, open)
                if matches!(letter, '$' | '{') && open != Some('\'') && computed(&letters[at..]) > 0 =>
            {
                let length = computed(&letters[at..]);
                letters[at..at + length].iter().for_each(|letter| self.push(*letter, at));
                return length;
            }
            (_, Some(_)) => self.push(letter, at),
            (None, None) if letter.is_whitespace() => self.close(),
            // A quotation of bash whose escapes have a meaning.
            (None, None) if letter == '$' && matches!(next, Some('"' | '\'')) => {}
            (None, None) if between(&letters[at..]) > 0 => {
                let length = between(&letters[at..]);
                self.close();
                letters[at..at + length].iter().for_each(|letter| self.push(*letter, at));
                self.close();
                return length;
            }
            (None, None) if letter == '\\' && self.is_left_over(&letters[at + 1..]) => {
                // One at the end of a line does what it should.
                if letters[at + 1..].iter().any(|letter| !letter.is_whitespace()) {
                    self.repair(BACKSLASH, at);
                }
                self.close();
            }
            (None, None)
                if letter == '\\' && matches!(next, Some(' ' | '"' | '\'' | '\\' | '$' | ';' | '|')) =>
            {
                self.push(next.unwrap_or(letter), at);
                return 2;
            }
            (None, None) => self.push(letter, at),
        }
        1
    }

    /// Whether a backslash before `rest` remains of a line continuation, rather than escaping a blank in a word.
    fn is_left_over(&self, rest: &[char]) -> bool {
        let behind = rest.iter().find(|letter| !letter.is_whitespace());
        let begins = |letter: &char| *letter == '-' || letter.is_ascii_digit() || DASHES.contains(letter);
        let blank = rest.first().is_none_or(|letter| letter.is_whitespace());
        blank && (self.open.is_none() || behind.is_none_or(begins))
    }

    fn repair(&mut self, what: &'static str, at: usize) {
        self.repairs.push(Repair { what, line: self.number, column: at + 1 });
    }

    fn word(&mut self, at: usize) -> &mut Piece {
        let line = self.number;
        self.open.get_or_insert_with(|| Piece { text: String::new(), line, column: at + 1 })
    }

    fn push(&mut self, letter: char, at: usize) {
        self.word(at).text.push(letter);
    }

    fn close(&mut self) {
        self.found.extend(self.open.take());
    }
}

/// Returns a line with `$(…)` for a shell's backquotes that give a word of a command, and are no marks of code: behind an
/// equals sign, or behind a tool's name.
pub fn with_one_kind_of_quotes(line: &str) -> String {
    let calls = |text: &str| text.split([' ', '\t', '"']).any(|word| Tool::called(word).is_some());
    let (mut text, mut rest) = (String::new(), line);
    while let Some((before, behind)) = rest.split_once('`') {
        text.push_str(before);
        let last = text.rsplit(' ').next().unwrap_or_default();
        let is_word = last.starts_with('-') && last.contains('=')
            || text.ends_with('=')
            || text.ends_with(' ') && calls(&text);
        let is_value =
            |inner: &str| is_word && !inner.is_empty() && !inner.starts_with(['-', ' ']) && !calls(inner);
        match behind.split_once('`').filter(|(inner, _)| is_value(inner)) {
            Some((inner, further)) => {
                text.push_str(&format!("$({inner})"));
                rest = further;
            }
            None => {
                text.push('`');
                rest = behind;
            }
        }
    }
    text + rest
}

/// Number of letters of `$(…)` or a template's `{{…}}` at the beginning of `letters`; 0 if there is none, or a tool is called
/// in it.
fn computed(letters: &[char]) -> usize {
    if letters.starts_with(&['{', '{']) {
        return letters.windows(2).position(|pair| pair == ['}', '}']).map_or(0, |end| end + 2);
    }
    let mut open = 0;
    let end = letters.iter().position(|letter| {
        open += i32::from(*letter == '(') - i32::from(*letter == ')');
        *letter == ')' && open == 0
    });
    let text: String = letters[..end.map_or(0, |end| end + 1)].iter().collect();
    let mut words = text.split(|letter: char| letter.is_whitespace() || "()`|;'\"".contains(letter));
    match text.starts_with("$(") && !words.any(|word| Tool::called(word).is_some()) {
        true => text.chars().count(),
        false => 0,
    }
}

/// Number of letters of the mark between two commands of a shell at the beginning of `letters`; 0 if there is none.
fn between(letters: &[char]) -> usize {
    match (letters[0], letters.get(1)) {
        ('|', Some('|')) | ('&', Some('&')) => 2,
        (';' | '|', _) => 1,
        ('&', next) => usize::from(next.is_none_or(|next| next.is_whitespace())),
        _ => 0,
    }
}

/// Whether a word is the number or bullet of a list.
pub fn is_list_mark(word: &str) -> bool {
    let digits = word.strip_suffix(['.', ')', ':']).unwrap_or("");
    (!digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        || matches!(word, "•" | "◦" | "·" | "‣" | "*")
}

/// Variables that fio itself fills in.
pub const OF_FIO: [&str; 7] = ["pagesize", "mb_memory", "ncpus", "jobname", "jobnum", "filenum", "clientuid"];

/// Quotes a word for a POSIX shell.
pub fn quoted(word: &str) -> String {
    // The shell is to fill in a variable, but none of fio's.
    let mut variables = word.split('$').skip(1);
    if variables.any(|rest| OF_FIO.iter().any(|name| rest.starts_with(name))) {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let is_variable = word.contains("${") && !word.contains(',');
    // What stands in `$(…)` has quotation marks of its own.
    if word.contains("$(") {
        return if word.contains(' ') { format!("\"{word}\"") } else { word.to_owned() };
    }
    let harmless =
        |c: char| c.is_alphanumeric() || "-_=./:,+@%$~#\\[]".contains(c) || is_variable && "{}".contains(c);
    if !word.is_empty() && word.chars().all(harmless) && !word.starts_with(['#', '~']) {
        return word.to_owned();
    }
    // A shell expands the tilde of a home directory only outside quotes.
    let (home, word) = word.split_at(if word.starts_with("~/") { 2 } else { 0 });
    if !home.is_empty() && word.chars().all(harmless) {
        return format!("{home}{word}");
    }
    format!("{home}'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> (Vec<String>, Vec<&'static str>) {
        let mut repairs = Vec::new();
        let line = plain(line, 1, &mut repairs);
        let words = words(&line, 1, &mut repairs).into_iter().map(|piece| piece.text).collect();
        (words, repairs.into_iter().map(|repair| repair.what).collect())
    }

    #[test]
    fn quotes_and_backslashes_are_the_shells() {
        assert_eq!(split("a 'b c' d\\ e \"f\"g").0, ["a", "b c", "d e", "fg"]);
        assert_eq!(split("a \\ b \\").0, ["a", "b"]);
        assert_eq!(split("--x=“a b” y").0, ["--x=a b", "y"]);
        assert_eq!(
            split("a=b;c 1|d 2>&1&& e '; |' \\;").0,
            ["a=b", ";", "c", "1", "|", "d", "2>&1", "&&", "e", "; |", ";"]
        );
    }

    #[test]
    fn entities_and_strange_blanks_are_read() {
        let (words, repairs) = split("a&nbsp;b &#45;&#x2d;c=1&amp;2 d\u{a0}e &unknown; f&");
        assert_eq!(words, ["a", "b", "--c=1&2", "d", "e", "&unknown", ";", "f", "&"]);
        assert!(repairs.contains(&ENTITY) && repairs.contains(&BLANK));
    }

    #[test]
    fn what_is_quoted_comes_back() {
        for word in ["a b", "it's", "", "$x", "a;b", "#"] {
            let (words, _) = split(&quoted(word));
            assert_eq!(words, [word], "{}", quoted(word));
        }
    }
}
