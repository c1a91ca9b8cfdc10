//! Job files: sections, comments, substitution, and the place of every word for messages.

use super::asked::Surroundings;
use super::collect::{Section, Setting};
use super::error::{FioError, Place, Typed};
use super::near::nearest;
use super::row::Row;
use super::rows::ROWS;

/// Longest line that fio takes.
const LINE_MAX: usize = 8192;

/// A line of a job file with its place.
struct Line<'a> {
    text: String,
    place: Place,
    around: &'a Surroundings<'a>,
}

/// Reads the sections of the job file `path`; `-` is standard input.
///
/// # Errors
/// [`FioError`] with line and column.
pub fn read(path: &str, around: &Surroundings) -> Result<Vec<Section>, FioError> {
    let text = (around.read)(path)
        .map_err(|error| FioError::NoJobFile { path: path.to_owned(), reason: error.to_string() })?;
    let mut sections: Vec<Section> = Vec::new();
    for (at, raw) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let Some(line) = Line::of(raw, path, at + 1, around)? else {
            continue;
        };
        if let Some(header) = line.text.strip_prefix('[') {
            sections.push(line.section(header)?);
            continue;
        }
        match sections.last_mut() {
            Some(section) => section.settings.push(line.setting(&section.name)?),
            None => return Err(FioError::OutsideSection { text: line.text, place: line.place }),
        }
    }
    for section in &mut sections {
        // fio sorts the options of a section so that the meaning of `k` is known before any number is read.
        section.settings.sort_by_key(|setting| setting.row.name != "kb_base");
    }
    Ok(sections)
}

impl<'a> Line<'a> {
    /// The line without comment and blanks around it; `None` where nothing is left.
    fn of(
        raw: &str,
        path: &str,
        number: usize,
        around: &'a Surroundings<'a>,
    ) -> Result<Option<Line<'a>>, FioError> {
        let cut = raw.find([';', '#']).map_or(raw, |at| &raw[..at]);
        let start = cut.trim_start_matches([' ', '\t']);
        let column = cut.chars().count() - start.chars().count() + 1;
        let text = start.trim_end_matches(|c: char| c.is_whitespace() || c.is_control());
        if text.is_empty() {
            return Ok(None);
        }
        let place = Place { file: path.to_owned(), line: number, column };
        let line = Line { text: text.to_owned(), place, around };
        if text.len() > LINE_MAX {
            return Err(line.problem(format!("the line is longer than {LINE_MAX} bytes")));
        }
        if text.ends_with('\\') {
            return Err(line.problem(
                "a backslash does not continue a line in a job file; take it away, one option a line"
                    .to_owned(),
            ));
        }
        if let Some(rest) = text.strip_prefix("include")
            && rest.starts_with([' ', '\t'])
        {
            return Err(
                line.problem("include is not supported yet; put the lines of that file here".to_owned())
            );
        }
        Ok(Some(line))
    }

    fn problem(&self, problem: String) -> FioError {
        FioError::JobFile { place: self.place.clone(), problem }
    }

    fn section(&self, header: &str) -> Result<Section, FioError> {
        let Some(name) = header.strip_suffix(']') else {
            return Err(self.problem(format!("the section has no closing bracket; write [{header}]")));
        };
        Ok(if name.starts_with("global") { Section::global() } else { Section::job(name) })
    }

    fn setting(&self, section: &str) -> Result<Setting, FioError> {
        let (name, value) = match self.text.split_once('=') {
            Some((name, value)) => (name.trim_end(), Some(value)),
            None => (self.text.as_str(), None),
        };
        let typed = || {
            let within = Some((section.to_owned(), self.place.clone()));
            Box::new(Typed { text: self.text.clone(), within })
        };
        let Some(row) = ROWS.iter().find(|row| row.names().any(|known| known == name)) else {
            let near = nearest(name.trim_start_matches('-'), ROWS.iter().flat_map(Row::names));
            return Err(FioError::BadOption { typed: typed(), near });
        };
        if row.needs_value() && value.is_none_or(|value| value.trim().is_empty()) {
            return Err(FioError::Parsing {
                typed: typed(),
                detail: format!("Option {name} requires an argument\n"),
                words: &[],
                meant: format!("{}: write {name}=…", self.place),
            });
        }
        Ok(Setting {
            row,
            name: name.to_owned(),
            value: self.substitute(value.unwrap_or_default())?,
            typed: *typed(),
        })
    }

    /// Replaces `${NAME}` by the environment's value and the three words that stand for facts of the machine.
    fn substitute(&self, value: &str) -> Result<String, FioError> {
        let mut text = String::new();
        let mut rest = value;
        while let Some(at) = rest.find("${") {
            let Some(end) = rest[at..].find('}') else {
                return Err(self.problem("a variable has no closing brace; write ${NAME}".to_owned()));
            };
            text.push_str(&rest[..at]);
            text.push_str(&(self.around.variable)(&rest[at + 2..at + end]).unwrap_or_default());
            rest = &rest[at + end + 1..];
        }
        text.push_str(rest);
        let facts = [
            ("$pagesize", self.around.page.0),
            ("$mb_memory", self.around.memory.0 >> 20),
            ("$ncpus", u64::from(self.around.cpus)),
        ];
        for (word, fact) in facts {
            if text.contains(word) && text.contains(['+', '*', '/']) {
                return Err(
                    self.problem(format!("arithmetic with {word} is not supported; write the number"))
                );
            }
            text = text.replace(word, &fact.to_string());
        }
        Ok(text)
    }
}
