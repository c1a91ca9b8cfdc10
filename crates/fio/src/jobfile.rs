//! Job files: sections, comments, includes, substitution, and the place of every word for messages.

use super::asked::Surroundings;

use super::error::{FioError, Place, RefusedOption};
use super::reader::Reading;
use super::row::Row;
use super::rows;
use super::section::{Section, Setting};
use super::substitute::{self, ArithmeticUse};
use super::value::Kind;

/// Longest line that fio accepts, in bytes.
const LINE_MAX: usize = 8192;
/// Deepest nesting of included files.
const INCLUDES_MAX: usize = 16;
const BOM: char = '\u{feff}';

/// The contents of a job file.
#[derive(Clone, Debug, Default)]
pub(crate) struct JobFile {
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// Remarks on words of the file.
    pub notes: Vec<String>,
}

/// A line of a job file with its place.
struct Line {
    text: String,
    place: Place,
    /// Whether a comment follows the text without a blank in between, and so may have cut off part of it.
    cut: bool,
}

/// Reads the sections of the job file `path`; `-` is standard input.
///
/// # Errors
/// [`FioError`], with line and column.
pub fn read(path: &str, around: &Surroundings, reading: Reading) -> Result<JobFile, FioError> {
    let text = (around.read)(path)
        .map_err(|error| FioError::NoJobFile { path: path.to_owned(), reason: error.to_string() })?;
    let mut parser = Parser { around, reading, file: JobFile::default(), open: vec![path.to_owned()] };
    parser.lines(&text)?;
    for section in &mut parser.file.sections {
        section.settings.sort_by_key(priority);
    }
    Ok(parser.file)
}

/// Sort key of an option in its section. fio sorts options so that the meaning of `k` is known before any number.
fn priority(setting: &Setting) -> i8 {
    match setting.row.name {
        "kb_base" | "unit_base" | "lockfile" => 0,
        "filename" | "filename_format" => 2,
        _ => 1,
    }
}

struct Parser<'a> {
    around: &'a Surroundings<'a>,
    reading: Reading,
    file: JobFile,
    /// The job file and the nested includes being read, innermost last.
    open: Vec<String>,
}

impl Parser<'_> {
    fn lines(&mut self, text: &str) -> Result<(), FioError> {
        let path = self.open.last().cloned().unwrap_or_default();
        for (at, raw) in text.lines().enumerate() {
            if let Some(line) = Line::of(raw, Place { file: path.clone(), line: at + 1, column: 1 }) {
                self.line(&line)?;
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &Line) -> Result<(), FioError> {
        if line.text.len() > LINE_MAX {
            return Err(line.problem(format!("the line is longer than {LINE_MAX} bytes")));
        }
        if self.reading == Reading::Guarded {
            line.refuse_spoilt()?;
        }
        if let Some(header) = line.text.strip_prefix('[') {
            let section = self.section(line, header)?;
            self.file.sections.push(section);
            return Ok(());
        }
        let Some(section) = self.file.sections.last().map(|section| section.name.clone()) else {
            return Err(FioError::OutsideSection { text: line.text.clone(), place: line.place.clone() });
        };
        if let Some(included) = line.text.strip_prefix("include") {
            return self.include(line, included);
        }
        let setting = self.setting(line, &section);
        let Some(section) = self.file.sections.last_mut() else {
            return Ok(());
        };
        match setting {
            Ok(setting) => section.settings.push(setting),
            Err(error @ FioError::BadOption { .. }) => section.unknown.push(error),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn section(&self, line: &Line, header: &str) -> Result<Section, FioError> {
        if self.open.len() > 1 {
            return Err(FioError::SectionInInclude { place: line.place.clone() });
        }
        let name = match (header.strip_suffix(']'), self.reading) {
            (Some(name), _) => name,
            (None, Reading::Guarded) if header.contains(']') => {
                let name = header.split(']').next().unwrap_or_default();
                return Err(line.problem(format!("something follows the section's bracket; write [{name}]")));
            }
            (None, Reading::Guarded) => {
                return Err(line.problem(format!("the section has no closing bracket; write [{header}]")));
            }
            // fio drops the last letter, whatever it is.
            (None, Reading::Exact) => header.char_indices().last().map_or("", |(at, _)| &header[..at]),
        };
        Ok(if name.starts_with("global") { Section::global() } else { Section::job(name) })
    }

    /// Includes a file. A single separator character follows `include`, then the file's path, which is tried as given
    /// and then relative to the including file's directory.
    fn include(&mut self, line: &Line, behind: &str) -> Result<(), FioError> {
        let mut letters = behind.chars();
        let separator = letters.next().unwrap_or(' ');
        let name = letters.as_str();
        if self.reading == Reading::Guarded && !(separator.is_whitespace() || separator == '=') {
            return Err(
                line.problem(format!("write include, a blank, and the file: include {}", behind.trim()))
            );
        }
        let outer = self.open.last().cloned().unwrap_or_default();
        let beside = outer.rfind('/').map(|at| format!("{}{name}", &outer[..=at]));
        let read = |path: String| (self.around.read)(&path).map(|text| (path, text));
        // If the first file exists but cannot be read, its error is reported; otherwise the error of the file next to
        // the including one.
        let found = read(name.to_owned()).or_else(|error| match beside.map(read) {
            Some(Err(other)) if error.kind() == std::io::ErrorKind::NotFound => Err(other),
            Some(Ok(found)) => Ok(found),
            _ => Err(error),
        });
        let (path, text) = found.map_err(|error| FioError::NoInclude {
            path: name.to_owned(),
            place: line.place.clone(),
            reason: error.to_string(),
        })?;
        if self.open.contains(&path) || self.open.len() > INCLUDES_MAX {
            return Err(line.problem(format!("{path} is included from within itself; take this line away")));
        }
        self.open.push(path);
        self.lines(&text)?;
        self.open.pop();
        Ok(())
    }

    fn setting(&mut self, line: &Line, section: &str) -> Result<Setting, FioError> {
        let typed = || RefusedOption {
            text: line.text.clone(),
            within: Some((section.to_owned(), line.place.clone())),
        };
        let substituted = substitute::variables(&line.text, self.around);
        let (name, value) = match substituted.text.split_once('=') {
            Some((name, value)) => (name.trim_end(), Some(value)),
            None => (substituted.text.as_str(), None),
        };
        let Some(row) = rows::named(name) else {
            // The nearest known name is looked up when the error is reported: there may be many unknown options.
            return Err(FioError::BadOption { typed: Box::new(typed()), near: None });
        };
        if value.is_none_or(|value| value.trim().is_empty()) && (row.takes.needs_value() || value.is_some()) {
            return Err(self.empty(row, name, typed(), &substituted.unset));
        }
        self.note_unset(line, &substituted.unset);
        let value = value.unwrap_or_default();
        if self.reading == Reading::Guarded {
            line.refuse_cut(row, name, value)?;
        }
        let calculated = match (row.takes, self.reading) {
            (_, Reading::Exact) => ArithmeticUse::Always,
            (Kind::Text | Kind::Path | Kind::Prefix | Kind::Choice(_) | Kind::Shape(_), _) => {
                ArithmeticUse::Never
            }
            _ => ArithmeticUse::Always,
        };
        let value = substitute::facts(value, calculated, self.around).map_err(|error| FioError::Parsing {
            typed: Box::new(typed()),
            detail: String::new(),
            words: &[],
            meant: format!("{}: {error}", line.place),
        })?;
        Ok(Setting { row, name: name.to_owned(), value, typed: typed() })
    }

    fn empty(&self, row: &Row, name: &str, typed: RefusedOption, unset: &[String]) -> FioError {
        let place = typed.within.as_ref().map(|(_, place)| place.to_string()).unwrap_or_default();
        let meant = match (unset.first(), row.takes.needs_value()) {
            (Some(variable), _) => {
                format!(
                    "{place}: the variable {variable} is not set; run {variable}=… fio …, or write the value here"
                )
            }
            (None, true) => format!("{place}: write {name}=…"),
            (None, false) => format!("{place}: write {name} alone, or {name}=1"),
        };
        let detail = match typed.text.contains('=') {
            false => format!("Option {name} requires an argument\n"),
            true => String::new(),
        };
        FioError::Parsing { typed: Box::new(typed), detail, words: &[], meant }
    }

    fn note_unset(&mut self, line: &Line, unset: &[String]) {
        for variable in unset {
            let note = format!("{}: the variable {variable} is not set and stands for nothing", line.place);
            self.file.notes.push(note);
        }
    }
}

impl Line {
    /// The line without comments and surrounding blanks; `None` if it is empty then.
    fn of(raw: &str, mut place: Place) -> Option<Line> {
        let comment = raw.find([';', '#']);
        let kept = comment.map_or(raw, |at| &raw[..at]);
        let blank = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
        let start = kept.trim_start_matches(blank);
        let text = start.trim_end_matches(|c: char| blank(c) || c.is_ascii_control());
        place.column = kept.chars().count() - start.chars().count() + 1;
        let cut = comment.is_some() && text.len() == start.len();
        (!text.is_empty()).then(|| Line { text: text.to_owned(), place, cut })
    }

    fn problem(&self, problem: String) -> FioError {
        FioError::JobFile { place: self.place.clone(), problem }
    }

    /// Refuses a byte order mark, which editors add, and a backslash at the line end, left over from a shell command.
    fn refuse_spoilt(&self) -> Result<(), FioError> {
        if let Some(rest) = self.text.strip_prefix(BOM) {
            return Err(self.problem(format!(
                "the file begins with a byte order mark, which fio takes for a letter; save it as UTF-8 without one, so that it begins with {rest}"
            )));
        }
        if let Some(text) = self.text.strip_suffix('\\') {
            return Err(self.problem(format!(
                "a backslash does not continue a line in a job file but becomes part of the value; one option a line: {}",
                text.trim_end()
            )));
        }
        Ok(())
    }

    /// Refuses a file name that is directly followed by a comment, which has probably cut it off.
    fn refuse_cut(&self, row: &Row, name: &str, value: &str) -> Result<(), FioError> {
        if self.cut && matches!(row.takes, Kind::Path | Kind::Prefix) {
            return Err(self.problem(format!(
                "a ; or # begins a comment wherever it stands, so that the name would be {value}; put a blank before a comment, or give the file a link without such letters: {name}=…"
            )));
        }
        Ok(())
    }
}
