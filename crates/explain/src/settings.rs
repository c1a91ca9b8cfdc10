//! The places at which a pasted text sets variables, and the lines for which a value holds.

use std::collections::{HashMap, HashSet};

use super::variables::is_name;
use super::word::{Piece, words};

/// Most lines of a value: more than scripts have. Chosen by us.
const LINES: usize = 200;
/// Words that declare variables.
const DECLARE: [&str; 5] = ["export", "local", "readonly", "declare", "typeset"];
/// Commands of a shell that set the variables that they name.
const SET: [&str; 6] = ["read", "mapfile", "readarray", "getopts", "unset", "let"];

/// A place that sets a variable.
#[derive(Debug)]
pub(super) struct Setting {
    pub name: String,
    /// The first and the last line of the value, from 1.
    pub lines: [usize; 2],
    /// The value as typed, without quotation marks, or those of a list; empty if only the shell knows it.
    pub values: Vec<String>,
    /// Whether it is the head of a loop.
    pub is_loop: bool,
    /// Whether it is a list.
    pub is_list: bool,
    /// Last line of the block that it stands in.
    pub until: usize,
}

/// Every setting of a text.
#[derive(Debug, Default)]
pub(super) struct Settings {
    all: Vec<Setting>,
    by_name: HashMap<String, Vec<usize>>,
    /// Names of the functions of a shell.
    pub functions: HashSet<String>,
    /// Settings that are not over, by the blocks that are open; the first is the text itself.
    open: Vec<Vec<usize>>,
}

impl Settings {
    pub fn of(lines: &[String]) -> Settings {
        let mut settings = Settings { open: vec![Vec::new()], ..Settings::default() };
        let (mut at, mut document, mut goes_on) = (0, None::<String>, false);
        while let Some(line) = lines.get(at) {
            let (first, last) = (at, whole(lines, at));
            at = last + 1;
            let is_inside =
                document.is_some() || std::mem::replace(&mut goes_on, line.trim_end().ends_with('\\'));
            if document.as_ref().is_some_and(|end| line.trim() == end) {
                document = None;
            }
            if is_inside {
                continue;
            }
            document = ends_a_document(line);
            let text = match last > first {
                true => {
                    lines[first..=last].iter().map(|line| one_of_many(line)).collect::<Vec<_>>().join(" ")
                }
                false => line.clone(),
            };
            settings.line(&words(&text, first + 1, &mut Vec::new()), [first + 1, last + 1]);
        }
        while !settings.open.is_empty() {
            settings.close(usize::MAX);
        }
        for (index, setting) in settings.all.iter().enumerate() {
            settings.by_name.entry(setting.name.clone()).or_default().push(index);
        }
        settings
    }

    /// The settings whose value ends in a line.
    pub fn ending(&self, line: usize) -> &[Setting] {
        let from = self.all.partition_point(|one| one.lines[1] < line);
        let until = self.all.partition_point(|one| one.lines[1] <= line);
        &self.all[from..until]
    }

    /// Whether a line belongs to a value of several lines that `is_used` by name.
    pub fn is_within(&self, line: usize, is_used: impl Fn(&str) -> bool) -> bool {
        let next = self.all.partition_point(|one| one.lines[1] < line);
        self.all[next..]
            .first()
            .is_some_and(|one| one.lines[0] <= line && one.lines[0] < one.lines[1] && is_used(&one.name))
    }

    /// Whether the text sets `name` once, or in heads of loops alone: elsewhere its value depends on how the text runs.
    pub fn is_plain(&self, name: &str) -> bool {
        let mut places = self.of_name(name).peekable();
        self.by_name.get(name).is_some_and(|all| all.len() == 1)
            || places.peek().is_some() && places.all(|one| one.is_loop)
    }

    /// The settings of a variable.
    pub fn of_name<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s Setting> {
        self.by_name.get(name).into_iter().flatten().map(|&index| &self.all[index])
    }

    fn close(&mut self, line: usize) {
        for index in self.open.pop().unwrap_or_default() {
            self.all[index].until = line;
        }
    }

    /// Follows the end of a block; a text may begin inside one.
    fn leave(&mut self, line: usize) {
        self.close(line);
        if self.open.is_empty() {
            self.open.push(Vec::new());
        }
    }

    fn set(&mut self, name: &str, values: Vec<String>, lines: [usize; 2]) -> Option<&mut Setting> {
        let name = name.trim_start_matches('$').split(['+', '[', ':']).next().filter(|name| is_name(name))?;
        if let Some(block) = self.open.last_mut() {
            block.push(self.all.len());
        }
        let (is_loop, is_list) = (false, false);
        self.all.push(Setting { name: name.to_owned(), lines, values, is_loop, is_list, until: lines[1] });
        self.all.last_mut()
    }

    /// Reads the commands of a line.
    fn line(&mut self, pieces: &[Piece], lines: [usize; 2]) {
        let is_mark = |piece: &Piece| matches!(piece.text.as_str(), ";" | "&&" | "||" | "|" | "&");
        let mut before = ";";
        for command in pieces.split_inclusive(is_mark) {
            let (mark, words) = match command.split_last() {
                Some((last, words)) if is_mark(last) => (last.text.as_str(), words),
                _ => (";", command),
            };
            // `;;`, after which another branch begins.
            if words.is_empty() && mark == ";" && before == ";" {
                self.leave(lines[1]);
                self.open.push(Vec::new());
            }
            let is_sure = before == ";" && mark != "|";
            self.command(words, is_sure, lines);
            before = mark;
        }
    }

    /// Reads a command: words that open and close blocks, and those that set variables.
    fn command(&mut self, mut pieces: &[Piece], is_sure: bool, lines: [usize; 2]) {
        while let [first, rest @ ..] = pieces {
            let next = rest.first().map_or("", |piece| piece.text.as_str());
            match first.text.as_str() {
                "do" | "then" | "!" | "$" | "function" | "()" => {}
                "{" | "if" | "while" | "until" => self.open.push(Vec::new()),
                "}" | "fi" | "esac" | "done" => self.leave(lines[1]),
                "else" | "elif" => {
                    self.leave(lines[1]);
                    self.open.push(Vec::new());
                }
                "case" => return self.open.push(Vec::new()),
                "for" | "select" => {
                    self.open.push(Vec::new());
                    return self.head_of_a_loop(rest, lines);
                }
                word if word.ends_with("()") || next == "()" || next == "{" => {
                    self.functions.insert(word.trim_end_matches("()").to_owned());
                }
                // A branch of a `case`.
                word if word.ends_with(')') && !word.contains('(') => {}
                _ => break,
            }
            pieces = rest;
        }
        self.assignments(pieces, is_sure, lines);
        // Blocks of PowerShell and of other languages.
        for piece in pieces.iter().skip(1) {
            match piece.text.as_str() {
                "}" => self.leave(lines[1]),
                word if word.ends_with('{') && !word.ends_with("${") => self.open.push(Vec::new()),
                _ => {}
            }
        }
    }

    fn head_of_a_loop(&mut self, pieces: &[Piece], lines: [usize; 2]) {
        let [name, rest @ ..] = pieces else { return };
        let values = match rest {
            [word, values @ ..] if word.text == "in" => {
                values.iter().map(|piece| piece.text.clone()).collect()
            }
            _ => Vec::new(),
        };
        if let Some(set) =
            self.set(name.text.trim_start_matches('(').split('=').next().unwrap_or_default(), values, lines)
        {
            set.is_loop = true;
        }
    }

    /// Reads what PowerShell, Python or a batch file sets, and returns whether it is that.
    fn of_others(&mut self, texts: &[&str], is_sure: bool, lines: [usize; 2]) -> bool {
        let is_plain = |value: &str| is_sure && !value.contains([' ', ',', '(', '@', '[', '+', '`']);
        let change = |name: &str| [".append(", ".extend(", ".insert("].iter().any(|call| name.contains(call));
        let is_set = |word: &&str| word.trim_start_matches('@').eq_ignore_ascii_case("set");
        match texts {
            [name, "=", value] if name.starts_with('$') && is_plain(value) => {
                self.set(name, vec![(*value).to_owned()], lines);
            }
            // The value of an expression is known to the program alone.
            [name, "=", ..] if name.starts_with('$') => drop(self.set(name, Vec::new(), lines)),
            [name, "+=" | "-=" | "*=", ..] => drop(self.set(name, Vec::new(), lines)),
            [name, ..] if change(name) => {
                self.set(name.split('.').next().unwrap_or_default(), Vec::new(), lines);
            }
            // `set NAME=value`, `set /a NAME=4`, `set "NAME=value"`.
            [.., _] if texts.iter().any(is_set) => {
                let at = texts.iter().position(is_set).unwrap_or_default();
                let is_number = texts.get(at + 1).is_some_and(|next| next.eq_ignore_ascii_case("/a"));
                let value = texts[at + 1 + usize::from(is_number)..].join(" ");
                if let Some((name, value)) = value.split_once('=') {
                    let is_given = is_sure && at == 0 && !name.starts_with('/');
                    let name = name.rsplit(' ').next().unwrap_or_default();
                    self.set(name, if is_given { vec![value.to_owned()] } else { Vec::new() }, lines);
                }
            }
            _ => return false,
        }
        true
    }

    fn assignments(&mut self, pieces: &[Piece], is_sure: bool, lines: [usize; 2]) {
        let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let known = |values: Vec<String>| if is_sure { values } else { Vec::new() };
        if texts.is_empty() || self.of_others(&texts, is_sure, lines) {
            return;
        }
        if SET.contains(&texts[0])
            || texts[0].starts_with("((")
            || texts[..texts.len().min(2)] == ["printf", "-v"]
        {
            for word in
                texts.iter().flat_map(|word| word.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
            {
                self.set(word, Vec::new(), lines);
            }
            return;
        }
        let mut at = 0;
        while let Some(word) = texts.get(at) {
            at += 1;
            let is_declared = DECLARE.contains(&texts[0]);
            let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.starts_with('-')) else {
                if is_declared { continue } else { break }
            };
            if let Some(first) = value.strip_prefix('(') {
                let rest = texts[at..].iter().copied();
                let list: Vec<&str> = [first].into_iter().chain(rest).collect();
                let end = list.iter().position(|word| word.ends_with(')')).unwrap_or(list.len() - 1);
                let values = list[..=end].iter().map(|word| word.trim_end_matches(')').to_owned());
                let values = values.filter(|value| !value.is_empty()).collect();
                let is_whole = !name.ends_with('+');
                if let Some(set) = self.set(name, if is_whole { known(values) } else { Vec::new() }, lines) {
                    set.is_list = true;
                }
                at += end;
            } else {
                let is_whole = !name.ends_with(['+', ']', ':']);
                let values = if is_whole { known(vec![value.to_owned()]) } else { Vec::new() };
                if self.set(name, values, lines).is_none() {
                    break;
                }
            }
        }
    }
}

/// The last line of the value that a line begins, both from 0.
fn whole(lines: &[String], at: usize) -> usize {
    let Some((name, value)) = bare(&lines[at]).split_once('=') else { return at };
    if !is_name(name.trim_end_matches('+')) {
        return at;
    }
    // Whether a line has one mark more than it needs.
    let turns: fn(&str) -> bool = match value.chars().next() {
        Some('"') => |line| line.replace("\\\"", "").matches('"').count() % 2 == 1,
        Some('\'') => |line| line.matches('\'').count() % 2 == 1,
        Some('(') => |line| line.matches(')').count() != line.matches('(').count(),
        _ => return at,
    };
    let mut further = lines[at + 1..].iter().take(LINES);
    further.position(|line| turns(line)).filter(|_| turns(value)).map_or(at, |more| at + 1 + more)
}

/// The line without the word that declares a variable.
pub(super) fn bare(line: &str) -> &str {
    let line = line.trim_start();
    let declared = DECLARE.iter().find_map(|word| line.strip_prefix(word)?.strip_prefix(' '));
    declared.unwrap_or(line).trim_start()
}

/// One of the lines of a value, without what continues it and without a comment.
fn one_of_many(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('#') {
        ""
    } else {
        line.split(" #").next().unwrap_or_default().trim_end_matches('\\')
    }
}

/// The line that ends a document which begins below this one (`<<EOF`).
fn ends_a_document(line: &str) -> Option<String> {
    let (_, mark) = line.split_once("<<").filter(|(_, mark)| !mark.starts_with('<'))?;
    let mark = mark.trim_start_matches('-').split_whitespace().next()?.trim_matches(['"', '\'', '\\']);
    is_name(mark).then(|| mark.to_owned())
}
