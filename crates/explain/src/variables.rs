//! Variables of a shell in pasted text: what the text assigns to them stands for them further down.

use std::collections::HashMap;

use super::word::{Repair, VARIABLE};

/// The variables that the lines so far assign.
#[derive(Debug, Default)]
pub(super) struct Variables {
    known: HashMap<String, String>,
}

impl Variables {
    /// Returns the line with the values of known variables, and takes what it assigns.
    pub fn read(&mut self, line: &str, number: usize, repairs: &mut Vec<Repair>) -> String {
        let (replaced, first) = self.replaced(line);
        self.assign(&replaced);
        // What stands behind an assignment in the same line.
        let (replaced, again) = self.replaced(&replaced);
        if let Some(at) = first.or(again) {
            let column = line.get(..at).unwrap_or(line).chars().count() + 1;
            repairs.push(Repair { what: VARIABLE, line: number, column });
        }
        replaced
    }

    /// Returns the line with known values, and where the first one stood.
    fn replaced(&self, line: &str) -> (String, Option<usize>) {
        let (mut text, mut first, mut at) = (String::new(), None, 0);
        while let Some(found) = line[at..].find('$').map(|found| at + found) {
            text.push_str(&line[at..found]);
            let is_escaped = line[..found].ends_with('\\');
            match named(&line[found + 1..]).filter(|_| !is_escaped) {
                Some(Named { name, otherwise, length }) => {
                    let value = self.known.get(name).map(String::as_str).or(otherwise);
                    text.push_str(value.unwrap_or(&line[found..=found + length]));
                    first = first.or(value.map(|_| found));
                    at = found + 1 + length;
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

    /// Takes the assignments at the beginning of a line, and a value of a loop.
    fn assign(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["for", name, "in", values @ ..] = words.as_slice() {
            let body = |word: &&str| *word == "do" || *word == ";";
            let values = values.iter().take_while(|word| !body(word)).flat_map(|word| listed(word));
            // What one round destroys the whole loop does.
            let values: Vec<&str> = values.collect();
            let destroys =
                |value: &&&str| value.contains("write") || value.contains("trim") || **value == "rw";
            let value = values.iter().find(destroys).or(values.first());
            return self.take(name, value.copied().unwrap_or_default());
        }
        let rest = ["export ", "local ", "readonly ", "declare "]
            .iter()
            .find_map(|word| line.trim_start().strip_prefix(word))
            .unwrap_or(line.trim_start());
        rest.split(';').map_while(|part| part.trim().split_once('=')).for_each(|(name, value)| {
            let quoted = |mark: char| value.strip_prefix(mark).and_then(|rest| rest.split(mark).next());
            let bare = || value.split_whitespace().next().unwrap_or_default();
            self.take(name, quoted('"').or_else(|| quoted('\'')).unwrap_or_else(bare));
        });
    }

    /// Takes a value, or forgets one that only the shell knows.
    fn take(&mut self, name: &str, value: &str) {
        if !is_name(name) {
            return;
        }
        match value.is_empty() || value.contains(['$', '`', '(', '*']) {
            true => drop(self.known.remove(name)),
            false => drop(self.known.insert(name.to_owned(), value.to_owned())),
        }
    }
}

/// The values of a word of a loop: `{1..9}` and `{a,b}` have several.
fn listed(word: &str) -> Vec<&str> {
    let word = word.trim_end_matches(';').trim_matches(['"', '\'']);
    match word.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')) {
        Some(range) => range.split([',', '.']).filter(|value| !value.is_empty()).collect(),
        None => vec![word],
    }
}

/// A variable in a text: its name, the value otherwise (`${NAME:-value}`), and the number of bytes behind the `$`.
struct Named<'t> {
    name: &'t str,
    otherwise: Option<&'t str>,
    length: usize,
}

fn named(text: &str) -> Option<Named<'_>> {
    let Some(inner) = text.strip_prefix('{') else {
        let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let name = Some(&text[..length]).filter(|name| is_name(name))?;
        return Some(Named { name, otherwise: None, length });
    };
    let inner = &inner[..inner.find('}')?];
    let (name, otherwise) = match inner.split_once('-') {
        Some((name, otherwise)) => (name.trim_end_matches(':'), Some(otherwise)),
        None => (inner, None),
    };
    is_name(name).then_some(Named { name, otherwise, length: inner.len() + 2 })
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut variables = Variables::default();
        text.lines().map(|line| variables.read(line, 1, &mut Vec::new())).last().unwrap_or_default()
    }

    #[test]
    fn values_of_the_text_stand_for_its_variables() {
        assert_eq!(read("A=1; B=/dev/sdz\nfio $A ${B}x $Bx \\$A"), "fio 1 /dev/sdzx $Bx \\$A");
        assert_eq!(read("export OPTS=\"--rw=read --bs=4k\"\nfio $OPTS"), "fio --rw=read --bs=4k");
        assert_eq!(read("for bs in 4k 64k; do\nfio --bs=$bs"), "fio --bs=4k");
        assert_eq!(read("for rw in randread randwrite; do\nfio --rw=$rw"), "fio --rw=randwrite");
        assert_eq!(read("for n in {1..9}\nfio --numjobs=$n"), "fio --numjobs=1");
        assert_eq!(read("fio --size=${SIZE:-1g} $2 ${"), "fio --size=1g $2 ${");
        assert_eq!(read("A=1\nA=$(date)\nfio $A"), "fio $A");
    }
}
