//! Variables of a shell in pasted text: a plain value that the text sets once stands for them further down. What a shell
//! computes is not followed: such a value is unknown.

use std::collections::{HashMap, HashSet};

use super::settings::{Setting, Settings};
use super::tool::Tool;
use super::word::{PROMPT, Repair, VARIABLE};

/// Most bytes of a value and of a line of values: more than scripts have, and too few to grow without end. Chosen by us.
const LONGEST: usize = 16 * 1024;

/// Words that a function takes for itself before a command, with the blank behind its name. Chosen by us.
const OWN_WORDS: usize = 4;

/// A variable whose value the text computes or changes, and the lines that do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Computed {
    pub name: String,
    pub lines: Vec<usize>,
    /// Whether it is the list that the command is, so that words of it are not here.
    pub is_the_command: bool,
}

/// The variables whose values are known at a line.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// Names that the text uses.
    used: HashSet<String>,
    settings: Settings,
    /// Values with the last line for which they hold.
    known: HashMap<String, (Vec<String>, usize)>,
}

impl Variables {
    /// The variables at the beginning of a text.
    pub fn of(lines: &[String]) -> Variables {
        let names = lines.iter().flat_map(|line| line.split('$').skip(1)).filter_map(named);
        Variables {
            used: names.map(|named| named.name.to_owned()).collect(),
            settings: Settings::of(lines),
            known: HashMap::new(),
        }
    }

    /// The variables in `text` that are set elsewhere than where a plain value could be taken.
    pub fn computed(&self, text: &str) -> Vec<Computed> {
        let mut found: Vec<Computed> = Vec::new();
        for named in text.split('$').skip(1).filter_map(named) {
            let mut lines: Vec<usize> = self.settings.of_name(named.name).map(|set| set.lines[0]).collect();
            lines.dedup();
            if !lines.is_empty() && found.iter().all(|known| known.name[1..] != *named.name) {
                found.push(Computed { name: format!("${}", named.name), lines, is_the_command: false });
            }
        }
        found
    }

    /// The lines below `line` that add to the command kept under `name`.
    pub fn changed_below(&self, name: &str, line: usize) -> Option<Computed> {
        let names_itself =
            |value: &String| value.split('$').skip(1).filter_map(named).any(|used| used.name == name);
        let adds = |set: &&Setting| {
            set.lines[0] > line && (set.values.is_empty() || set.values.iter().any(names_itself))
        };
        let lines: Vec<usize> = self.settings.of_name(name).filter(adds).map(|set| set.lines[0]).collect();
        (!lines.is_empty()).then(|| Computed { name: name.to_owned(), lines, is_the_command: true })
    }

    /// Returns the line with the values of known variables, and takes what it sets. A value that goes on in the next
    /// line, and a list, are told where they are used.
    pub fn read(&mut self, line: &str, number: usize, repairs: &mut Vec<Repair>) -> String {
        self.known.retain(|_, (_, until)| *until >= number);
        let line = &self.started(line, number, repairs);
        let templated = without_templates(line);
        let settings: Vec<(String, usize, Vec<String>)> = self
            .settings
            .ending(number)
            .iter()
            .map(|set| (set.name.clone(), set.until, self.values_of(set)))
            .collect();
        let is_list = self.settings.ending(number).iter().any(|set| set.is_list);
        for (name, until, values) in settings {
            self.take(name, until, values);
        }
        if is_list || self.settings.is_within(number, |name| self.used.contains(name)) {
            return String::new();
        }
        let (batched, at) = self.of_batch(&templated);
        let (replaced, first) = self.replaced(&batched);
        let replaced = self.with_sums(&replaced);
        let is_template = (line.contains("{{") && line.contains("default")).then_some(0);
        if let Some(at) = at.or(first).or(is_template) {
            let column = line.get(..at).unwrap_or(line).chars().count() + 1;
            repairs.push(Repair { what: VARIABLE, line: number, column });
        }
        replaced
    }

    /// Returns the line with blanks for the name of a function of the text that runs a tool with the words behind it
    /// (`try fio --name=a`).
    fn started(&self, line: &str, number: usize, repairs: &mut Vec<Repair>) -> String {
        let name = line.split_whitespace().next().filter(|word| self.settings.functions.contains(*word));
        let at = line.len() - line.trim_start().len();
        let behind = |name: &str| line[at + name.len()..].split_inclusive(' ').take(OWN_WORDS);
        let is_tool = |word: &&str| word.starts_with('$') || Tool::called(word.trim()).is_some();
        let Some(name) = name.filter(|name| behind(name).any(|word| is_tool(&word))) else {
            return line.to_owned();
        };
        let own: usize = behind(name).take_while(|word| !is_tool(word)).map(str::len).sum();
        let end = at + name.len() + own;
        repairs.push(Repair { what: PROMPT, line: number, column: at + 1 });
        format!("{}{}", " ".repeat(end), &line[end..])
    }

    /// The values of a setting with those of the variables in them; none if only the shell knows them.
    fn values_of(&self, set: &Setting) -> Vec<String> {
        let filled = |value: &String| self.with_sums(&self.replaced(&without_templates(value)).0);
        // `NAME=${NAME:-value}`
        let by_default = |value: &String| {
            let named =
                value.strip_prefix('$').and_then(named).filter(|named| named.length + 1 == value.len());
            named.filter(|named| named.name == set.name).and_then(|named| Some(named.otherwise?.to_owned()))
        };
        let own = |value: &String| by_default(value).unwrap_or_else(|| value.clone());
        let mut values: Vec<String> = set.values.iter().map(own).map(|value| filled(&value)).collect();
        if set.is_loop {
            values = values.iter().flat_map(|value| value.split_whitespace()).flat_map(listed).collect();
        } else if set.is_list {
            values = values.iter().flat_map(|value| listed(value)).collect();
        }
        let is_known =
            self.settings.is_plain(&set.name) && values.iter().all(|value| is_literal(value, &set.name));
        match (is_known, set.is_loop) {
            (false, _) => Vec::new(),
            (true, true) => chosen(&values).cloned().into_iter().collect(),
            (true, false) => values,
        }
    }

    /// Takes the values of a variable, or forgets those that only the shell knows.
    fn take(&mut self, name: String, until: usize, values: Vec<String>) {
        match values.is_empty() {
            true => drop(self.known.remove(&name)),
            false => drop(self.known.insert(name, (values, until))),
        }
    }

    /// Returns the line with the values of a shell's sums, where all in them is known.
    fn with_sums(&self, line: &str) -> String {
        let mut parts = line.split("$((");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let sum = part
                .split_once("))")
                .and_then(|(sum, rest)| Some((self.sum(&sum.split_whitespace().collect::<String>())?, rest)));
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
            let value =
                self.known.get(name).and_then(|(values, _)| values.first()).map_or(name, String::as_str);
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
                let value = self.known.keys().find(is_it).and_then(|name| self.known[name].0.first());
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

    /// The value of a variable: of a list the value that was asked for, or all of them; without any setting in the text, the
    /// one that the text gives it otherwise.
    fn value(&self, named: &Named<'_>) -> Option<String> {
        let Some((values, _)) = self.known.get(named.name) else {
            // Whichever of them holds, it is the same tool.
            let mut settings = self.settings.of_name(named.name).map(|set| set.values.first());
            let first = settings.next().flatten().filter(|first| Tool::called(first).is_some());
            let is_it = |value: Option<&String>| {
                value.and_then(|value| Tool::called(value)) == first.and_then(|first| Tool::called(first))
            };
            if let Some(first) = first.filter(|_| settings.all(is_it)) {
                return Some(first.clone());
            }
            let otherwise = named.otherwise.filter(|_| self.settings.of_name(named.name).next().is_none());
            return otherwise.map(str::to_owned);
        };
        match named.item {
            Some("@" | "*") => Some(values.join(" ")),
            Some(item) => match item.parse::<usize>() {
                Ok(at) => values.get(at).cloned(),
                Err(_) => chosen(values).cloned(),
            },
            None => values.first().cloned(),
        }
    }
}

/// Whether a value is what the text says, and not what a shell makes of it. One with a variable in it says more than the
/// variable's name, if that has another one.
fn is_literal(value: &str, name: &str) -> bool {
    let is_other = value.starts_with('$') && !value.contains(['/', ' ']);
    let names_itself = value.split('$').skip(1).filter_map(named).any(|used| used.name == name);
    !(value.len() > LONGEST || value.contains(['`', '(', '*']) || is_other || names_itself)
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
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut variables = Variables::of(&lines);
        let read = |(at, line): (usize, &String)| variables.read(line, at + 1, &mut Vec::new());
        lines.iter().enumerate().map(read).last().unwrap_or_default()
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
