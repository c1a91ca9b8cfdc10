//! Variables of a shell in pasted text: what the text assigns to them stands for them further down.

use std::collections::{HashMap, HashSet};

use super::functions::{Function, functions};
use super::tool::Tool;
use super::word::{PROMPT, Repair, VARIABLE};

/// Most bytes of a value and of a line of values: more than scripts have, and too few to grow without end. Chosen by us.
const LONGEST: usize = 16 * 1024;

/// Words that a function takes for itself before a command, with the blank behind its name. Chosen by us.
const OWN_WORDS: usize = 4;

/// The variables that the lines so far assign.
#[derive(Debug, Default)]
pub(super) struct Variables<'t> {
    /// Names that the text uses.
    used: HashSet<&'t str>,
    known: HashMap<String, Vec<String>>,
    /// The beginning of an assignment that goes on in the next line, up to the mark.
    begun: Option<(String, char)>,
    functions: Vec<Function<'t>>,
    /// The words of the call of the function that the line belongs to.
    arguments: Vec<String>,
    /// Number of them that `shift` has taken away before the line, and with those in it.
    shifted: [usize; 2],
}

impl<'t> Variables<'t> {
    /// The variables at the beginning of a text.
    pub fn of(text: &'t str) -> Variables<'t> {
        let used = text.split('$').skip(1).filter_map(named).map(|named| named.name).collect();
        let mut functions = functions(text);
        // The words of a call may be variables themselves.
        if !functions.is_empty() {
            let mut before = Variables { used: HashSet::clone(&used), ..Variables::default() };
            let mut call = String::new();
            for (index, line) in text.lines().enumerate() {
                call.push_str(&before.read(line, index + 1, &mut Vec::new()));
                let goes_on = call.trim_end().strip_suffix('\\').map(str::len);
                match goes_on.filter(|length| *length < LONGEST) {
                    Some(length) => call.truncate(length),
                    None => {
                        functions.iter_mut().for_each(|function| function.take_call(&call, index + 1));
                        call.clear();
                    }
                }
            }
        }
        Variables { used, functions, ..Variables::default() }
    }

    /// Returns the line with the values of known variables, and takes what it assigns. A value that goes on in the next
    /// line, and a list, are told where they are used.
    pub fn read(&mut self, line: &str, number: usize, repairs: &mut Vec<Repair>) -> String {
        let function = self.functions.iter().find(|function| function.has(number));
        let before =
            if function.is_some_and(|function| !function.begins(number)) { self.shifted[1] } else { 0 };
        self.arguments = function.and_then(Function::call).unwrap_or_default().to_vec();
        self.shifted = [before, before + shifts(line)];
        // PowerShell: the value of an expression is known to it alone.
        if let Some((name, value)) =
            line.trim_start().strip_prefix('$').and_then(|rest| rest.split_once(" = "))
        {
            let value = value.trim();
            let is_plain = !value.contains([' ', ',', '(', '@', '[', '+', '`']);
            self.take(name, if is_plain { listed(value) } else { Vec::new() });
        }
        let line = &self.started(line, number, repairs);
        let templated = with_whole_sums(&without_templates(line));
        let (batched, at) = self.of_batch(&templated);
        let (replaced, first) = self.replaced(&batched);
        let replaced = self.with_sums(&replaced);
        let first = at.or(first);
        if let Some((name, value)) = set_by_batch(&replaced) {
            self.known.retain(|known, _| !known.eq_ignore_ascii_case(name));
            self.take(name, vec![value.to_owned()]);
        }
        if let Some((begun, mark)) = self.begun.take() {
            let whole = format!("{} {}", begun.trim_end().trim_end_matches('\\'), replaced.trim_start());
            match replaced.contains(mark) {
                true => self.assign(&whole),
                false => self.begun = Some((whole, mark)).filter(|(whole, _)| whole.len() < LONGEST),
            }
            return String::new();
        }
        self.begun = self.begins(&replaced);
        if self.begun.is_some() {
            return String::new();
        }
        self.assign(&replaced);
        // What stands behind an assignment in the same line.
        let (replaced, again) = self.replaced(&replaced);
        let is_template = (line.contains("{{") && line.contains("default")).then_some(0);
        if let Some(at) = first.or(again).or(is_template) {
            let column = line.get(..at).unwrap_or(line).chars().count() + 1;
            repairs.push(Repair { what: VARIABLE, line: number, column });
        }
        match replaced.trim_end().ends_with(')')
            && replaced.split_once("=(").is_some_and(|(name, _)| is_name(name.trim()))
        {
            true => String::new(),
            false => replaced,
        }
    }

    /// Returns the line with blanks for the name of a function that runs what stands behind it.
    fn started(&self, line: &str, number: usize, repairs: &mut Vec<Repair>) -> String {
        let Some(function) = self.functions.iter().find(|function| function.starts(line, number)) else {
            return line.to_owned();
        };
        let at = line.len() - line.trim_start().len();
        let name = at + function.name_length();
        // Words of its own may stand before the command.
        let mut words = line[name..].split_inclusive(' ').take(OWN_WORDS).scan(name, |at, word| {
            let begins = *at;
            *at += word.len();
            Some((begins, word))
        });
        let end = words.find(|(_, word)| Tool::called(word.trim()).is_some()).map_or(name, |(at, _)| at);
        repairs.push(Repair { what: PROMPT, line: number, column: at + 1 });
        format!("{}{}", " ".repeat(end), &line[end..])
    }

    /// Returns the line with the values of a shell's sums, where all in them is known.
    fn with_sums(&self, line: &str) -> String {
        let mut parts = line.split("$((");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let sum = part.split_once("))").and_then(|(sum, rest)| Some((self.sum(sum)?, rest)));
            match sum {
                Some((value, rest)) => text.push_str(&format!("{value}{rest}")),
                None => text.push_str(&format!("$(({part}")),
            }
        }
        text
    }

    /// The value of a sum, in which a name stands for its value.
    fn sum(&self, sum: &str) -> Option<i64> {
        let mut text = String::new();
        let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut is_octal = false;
        for word in sum.split_inclusive(|c| !is_of_a_name(c)) {
            let name = word.trim_end_matches(|c| !is_of_a_name(c));
            let value = self.known.get(name).and_then(|values| values.first()).map_or(name, String::as_str);
            is_octal |= value.len() > 1 && value.starts_with('0');
            text.push_str(value);
            text.push_str(&word[name.len()..]);
        }
        // A power for the one who adds up, but another sign for a shell.
        let is_other = is_octal || text.contains(['^', '?', '&', '|', '>', '=', ',']);
        // What is added comes before a shift.
        let moved = if text.contains(['+', '-']) { text } else { text.replace("<<", "*2^") };
        fio::evaluated(&moved.replace("**", "^")).filter(|_| !is_other)
    }

    /// Returns the line with the known values of a batch file's `%NAME%`, in which case does not matter, and where the first
    /// one stood.
    fn of_batch(&self, line: &str) -> (String, Option<usize>) {
        let (mut text, mut first, mut rest) = (String::new(), None, line);
        while let Some((before, behind)) = rest.split_once('%') {
            text.push_str(before);
            let known = behind.split_once('%').and_then(|(name, further)| {
                let is_it = |known: &&String| is_name(name) && known.eq_ignore_ascii_case(name);
                let value = self.known.keys().find(is_it).and_then(|name| self.known[name].first());
                Some((value.filter(|_| text.len() < LONGEST)?, further))
            });
            match known {
                Some((value, further)) => {
                    first = first.or(Some(line.len() - behind.len() - 1));
                    text.push_str(value);
                    rest = further;
                }
                None => {
                    text.push('%');
                    rest = behind;
                }
            }
        }
        text.push_str(rest);
        (text, first)
    }

    /// The line and the mark that ends it, if it assigns a value that goes on in the next line and is used.
    fn begins(&self, line: &str) -> Option<(String, char)> {
        let (name, value) = bare(line).split_once('=')?;
        let mark = match value.chars().next()? {
            '(' => ')',
            mark @ ('"' | '\'') => mark,
            _ => return None,
        };
        let goes_on = is_name(name) && !value[1..].contains(mark) && self.used.contains(name);
        goes_on.then(|| (line.to_owned(), mark))
    }

    /// Returns the line with known values, and where the first one stood.
    fn replaced(&self, line: &str) -> (String, Option<usize>) {
        let (mut text, mut first, mut at) = (String::new(), None, 0);
        let begins = line.trim_start().trim_start_matches("sudo ").split_whitespace().next();
        let is_command = |word: &str| word.starts_with('$') || Tool::called(word).is_some();
        let again = line.contains(" -c ") || !begins.is_some_and(is_command);
        while let Some(found) = line[at..].find('$').map(|found| at + found) {
            text.push_str(&line[at..found]);
            let is_escaped = line[..found].ends_with('\\');
            match named(&line[found + 1..]) {
                Some(named) => {
                    let value = self.value(&named).filter(|_| text.len() < LONGEST);
                    // What a first shell leaves to a second one.
                    if is_escaped && value.is_some() {
                        text.pop();
                    }
                    at = found + 1 + named.length;
                    // Each value of a list is a word of its own.
                    if (named.item == Some("@") || named.name == "@")
                        && value.is_some()
                        && text.ends_with('"')
                        && line[at..].starts_with('"')
                    {
                        text.pop();
                        at += 1;
                    }
                    // A shell does not take away quotation marks that come from a variable, unless it reads the line again.
                    let value = value.map(|value| if again { value } else { value.replace('"', "\\\"") });
                    text.push_str(value.as_deref().unwrap_or(&line[found..=found + named.length]));
                    first = first.or(value.map(|_| found));
                }
                None => {
                    text.push('$');
                    at = found + 1;
                }
            }
        }
        text.push_str(&line[at..]);
        (text, first)
    }

    /// The value of a variable: of a list the value that was asked for, or all of them.
    fn value(&self, named: &Named<'_>) -> Option<String> {
        if matches!(named.name, "@" | "*") {
            let rest = self.arguments.get(self.shifted[1]..).unwrap_or_default();
            return Some(rest.join(" ")).filter(|all| !all.is_empty());
        }
        if let Some(at) = named.name.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
            return self
                .arguments
                .get(at + self.shifted[0])
                .cloned()
                .or_else(|| named.otherwise.map(str::to_owned));
        }
        let Some(values) = self.known.get(named.name) else { return named.otherwise.map(str::to_owned) };
        match named.item {
            Some("@" | "*") => Some(values.join(" ")),
            Some(item) => match item.parse::<usize>() {
                Ok(at) => values.get(at).cloned(),
                Err(_) => chosen(values).cloned(),
            },
            None => values.first().cloned(),
        }
    }

    /// Takes the assignments at the beginning of a line, and a value of a loop.
    fn assign(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["for", name, "in", values @ ..] = words.as_slice() {
            let body = |word: &&str| *word == "do" || *word == ";";
            let values: Vec<String> =
                values.iter().take_while(|word| !body(word)).flat_map(|word| listed(word)).collect();
            let value = chosen(&values).cloned().unwrap_or_default();
            return self.take(name, vec![value]);
        }
        let rest = bare(line);
        if let Some((name, list)) = rest.trim_end().strip_suffix(')').and_then(|rest| rest.split_once("=(")) {
            return self.take(name, list.split_whitespace().flat_map(listed).collect());
        }
        rest.split(';').map_while(|part| part.trim().split_once('=')).for_each(|(name, value)| {
            let quoted = |mark: char| value.strip_prefix(mark).map(|rest| until(rest, mark));
            let bare = || value.split_whitespace().next().unwrap_or_default().to_owned();
            self.take(name, vec![quoted('"').or_else(|| quoted('\'')).unwrap_or_else(bare)]);
        });
    }

    /// Takes the values of a variable, or forgets those that only the shell knows.
    fn take(&mut self, name: &str, values: Vec<String>) {
        let known = |value: &String| {
            // A value with another variable in it says more than its name.
            let is_other = value.starts_with('$') && !value.contains(['/', ' ']);
            !(value.is_empty()
                || value.len() > LONGEST
                || value.contains(['`', '(', '*'])
                || is_other
                || value.split('$').skip(1).filter_map(named).any(|used| used.name == name))
        };
        if !is_name(name) {
            return;
        }
        match values.iter().all(known) && !values.is_empty() {
            true => drop(self.known.insert(name.to_owned(), values)),
            false => drop(self.known.remove(name)),
        }
    }
}

/// Number of a function's words that a line takes away (`shift`, `shift 2`).
fn shifts(line: &str) -> usize {
    let number = |part: &str| match part.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["shift"] => Some(1),
        ["shift", number, ..] => number.parse().ok().or(Some(1)),
        _ => None,
    };
    line.split([';', '&', '|', '}', '{']).filter_map(number).sum()
}

/// The name and the value that a line of a batch file sets: `set NAME=value`, `set /a NAME=4`, `set "NAME=value"`.
fn set_by_batch(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = line.trim().split_once(' ')?;
    let rest = rest.trim_start();
    let rest = rest.strip_prefix("/a ").or(rest.strip_prefix("/A ")).unwrap_or(rest).trim().trim_matches('"');
    rest.split_once('=').filter(|_| word.trim_start_matches('@').eq_ignore_ascii_case("set"))
}

/// Whether a load with this value destroys data.
pub(super) fn destroys(value: &str) -> bool {
    value.contains("write") || value.contains("trim") || value == "rw"
}

/// The value that stands for all of a loop: what one round destroys the whole loop does, and a share between none and all is
/// one of a mix.
fn chosen(values: &[String]) -> Option<&String> {
    let has_none = values.iter().any(|value| value == "0");
    let is_share = |value: &&String| has_none && *value != "0" && *value != "100";
    let is_some = |value: &&String| has_none && *value != "0";
    let find = |fits: &dyn Fn(&&String) -> bool| values.iter().find(fits);
    find(&|value| destroys(value)).or(find(&is_share)).or(find(&is_some)).or(values.first())
}

/// The text up to a mark that no backslash precedes; marks with one are marks of the text.
fn until(text: &str, mark: char) -> String {
    let ends = |(at, letter): &(usize, char)| *letter == mark && !text[..*at].ends_with('\\');
    let end = text.char_indices().find(ends).map_or(text.len(), |(at, _)| at);
    text[..end].replace("\\\"", "\"")
}

/// The line with each sum of a shell (`$(( 10 * 1024 ))`) as one word.
fn with_whole_sums(line: &str) -> String {
    let mut parts = line.split("$((");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (sum, rest) = part.split_at(part.find("))").unwrap_or(0));
        text.push_str("$((");
        text.extend(sum.split_whitespace());
        text.push_str(rest);
    }
    text
}

/// The line without the words that declare a variable.
pub(super) fn bare(line: &str) -> &str {
    let line = line.trim_start();
    ["export ", "local ", "readonly ", "declare "]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line)
}

/// The line with the defaults of a template's values (`{{ size | default('1G') }}`), and the others in one word.
fn without_templates(line: &str) -> String {
    let mut parts = line.split("{{");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((inner, rest)) = part.split_once("}}") else {
            text.push_str("{{");
            text.push_str(part);
            continue;
        };
        let otherwise =
            inner.split_once("default").map(|(_, value)| value.trim_matches(|c| " ()'\"".contains(c)));
        match otherwise {
            Some(value) => text.push_str(value),
            None => text.push_str(&format!("{{{{{}}}}}", inner.split_whitespace().collect::<String>())),
        }
        text.push_str(rest);
    }
    text
}

/// The values of a word of a loop or a list: `{1..9}` and `{a,b}` have several.
fn listed(word: &str) -> Vec<String> {
    let word = word.trim_end_matches(';').trim_matches(['"', '\'']);
    match word.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')) {
        Some(range) => range.split([',', '.']).filter(|value| !value.is_empty()).map(str::to_owned).collect(),
        None => vec![word.to_owned()],
    }
}

/// A variable in a text: its name, the item of a list, the value otherwise (`${NAME:-value}`), and the number of bytes behind
/// the `$`.
struct Named<'t> {
    name: &'t str,
    item: Option<&'t str>,
    otherwise: Option<&'t str>,
    length: usize,
}

fn named(text: &str) -> Option<Named<'_>> {
    // `$($name)` of PowerShell.
    let inner = text.strip_prefix("($").and_then(|rest| rest.split_once(')')).map(|(name, _)| name);
    if let Some(name) = inner.filter(|name| is_name(name)) {
        return Some(Named { name, item: None, otherwise: None, length: name.len() + 3 });
    }
    if text.starts_with(|c: char| c.is_ascii_digit() || "@*".contains(c)) {
        return Some(Named { name: &text[..1], item: None, otherwise: None, length: 1 });
    }
    let Some(inner) = text.strip_prefix('{') else {
        let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let name = Some(&text[..length]).filter(|name| is_name(name))?;
        return Some(Named { name, item: None, otherwise: None, length });
    };
    let inner = &inner[..inner.find('}')?];
    let (name, otherwise) = match inner.split_once('-') {
        Some((name, otherwise)) => (name.trim_end_matches(':'), Some(otherwise)),
        None => (inner, None),
    };
    let (name, item) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((name, item)) => (name, Some(item)),
        None => (name, None),
    };
    // `${1:-value}`
    let is_argument = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    (is_name(name) || is_argument).then_some(Named { name, item, otherwise, length: inner.len() + 2 })
}

pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut variables = Variables::of(text);
        text.lines().map(|line| variables.read(line, 1, &mut Vec::new())).last().unwrap_or_default()
    }

    #[test]
    fn values_of_the_text_stand_for_its_variables() {
        assert_eq!(read("A=1; B=/dev/sdz\nfio $A ${B}x $Bx \\$A \\$C"), "fio 1 /dev/sdzx $Bx 1 \\$C");
        assert_eq!(read("export OPTS=\"--rw=read --bs=4k\"\nfio $OPTS"), "fio --rw=read --bs=4k");
        assert_eq!(read("for bs in 4k 64k; do\nfio --bs=$bs"), "fio --bs=4k");
        assert_eq!(read("for rw in randread randwrite; do\nfio --rw=$rw"), "fio --rw=randwrite");
        assert_eq!(read("for n in {1..9}\nfio --numjobs=$n"), "fio --numjobs=1");
        assert_eq!(read("fio --size=${SIZE:-1g} $2 ${"), "fio --size=1g $2 ${");
        assert_eq!(read("A=1\nA=$(date)\nfio $A"), "fio $A");
    }
}
