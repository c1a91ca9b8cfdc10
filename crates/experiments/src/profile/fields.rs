//! Fields of a profile's tables, read by name; every mistake is kept with its place, so that all are reported at once.

use std::cell::{Cell, RefCell};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Mistake, ProfileError};

/// A value with the byte offset at which it begins.
#[derive(Clone, Debug)]
pub(super) struct At<T> {
    /// The value.
    pub value: T,
    /// Byte offset at which the value begins.
    pub at: usize,
}

/// The text of a profile, its name in messages, and its mistakes.
pub(super) struct Source<'a> {
    name: &'a str,
    text: &'a str,
    mistakes: RefCell<Vec<(usize, String)>>,
    /// Number of mistakes that were only counted.
    more: Cell<usize>,
}

/// Most mistakes that are kept; further ones are only counted.
const MISTAKES_MOST: usize = 1000;
/// Maximum number of steps of a profile, or of jobs of a step; more are taken for a mistake.
const TABLES_MOST: usize = 1000;

impl<'a> Source<'a> {
    pub fn new(name: &'a str, text: &'a str) -> Source<'a> {
        Source { name, text, mistakes: RefCell::default(), more: Cell::default() }
    }

    /// Keeps a mistake at a byte of the text; returns `None`, because nothing can be read there.
    pub fn wrong<T>(&self, at: usize, problem: String) -> Option<T> {
        let mut mistakes = self.mistakes.borrow_mut();
        mistakes.push((at, problem));
        if mistakes.len() >= 2 * MISTAKES_MOST {
            self.keep_first(&mut mistakes);
        }
        None
    }

    /// Sorts mistakes into the order of the text, keeps the first ones and counts the others.
    fn keep_first(&self, mistakes: &mut Vec<(usize, String)>) {
        mistakes.sort_by_key(|(at, _)| *at);
        mistakes.dedup();
        self.more.set(self.more.get() + mistakes.len().saturating_sub(MISTAKES_MOST));
        mistakes.truncate(MISTAKES_MOST);
    }

    /// Whether there is no mistake so far.
    pub fn is_right(&self) -> bool {
        self.mistakes.borrow().is_empty()
    }

    /// Returns the value read, or all mistakes in the order of the text.
    pub fn result<T>(self, read: Option<T>) -> Result<T, ProfileError> {
        let mut mistakes = self.mistakes.take();
        match read {
            Some(read) if mistakes.is_empty() => Ok(read),
            _ => {
                self.keep_first(&mut mistakes);
                let mut place = Place { text: self.text, at: 0, line: 1, column: 1 };
                let mistakes = mistakes.into_iter().map(|(at, problem)| place.mistake(at, problem));
                let (name, more) = (self.name.to_owned(), self.more.get());
                Err(ProfileError::Text { name, mistakes: mistakes.collect(), more })
            }
        }
    }
}

/// A position in a text that only moves forward, so that the text is scanned once.
struct Place<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl Place<'_> {
    /// A mistake at byte `at`, which must not lie before the previous one.
    fn mistake(&mut self, at: usize, problem: String) -> Mistake {
        let at = at.min(self.text.len());
        for letter in self.text.get(self.at..at).unwrap_or_default().chars() {
            match letter {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                _ => self.column += 1,
            }
        }
        self.at = at;
        Mistake { line: self.line, column: self.column, problem }
    }
}

/// A table of a profile.
pub(super) struct Fields<'a> {
    table: &'a DeTable<'a>,
    /// Byte offset at which the table begins.
    pub at: usize,
    source: &'a Source<'a>,
    /// Known fields that unknown ones were probably meant to be.
    meant: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// A table with its fields; those not among `known` are mistakes.
    pub fn new(
        (table, at): (&'a DeTable<'a>, usize),
        known: &[&'static str],
        source: &'a Source<'a>,
    ) -> Fields<'a> {
        let mut meant = Vec::new();
        for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let near = policy::nearest(key.get_ref(), known.iter().copied());
            let near = near.and_then(|near| known.iter().copied().find(|name| *name == near));
            meant.extend(near);
            let told = near.map_or_else(
                || format!("there are {}", known.join(", ")),
                |near| format!("did you mean '{near}'?"),
            );
            source.wrong::<()>(key.span().start, format!("unknown field '{}'; {told}", key.get_ref()));
        }
        Fields { table, at, source, meant }
    }

    fn value(&self, name: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(name)
    }

    /// Byte offset of a value that is there.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.value(name).map(|value| value.span().start)
    }

    /// A required value.
    pub fn needed<T>(&self, name: &str, value: Option<T>) -> Option<T> {
        let is_named = self.value(name).is_some() || self.is_meant(name);
        match value {
            Some(value) => Some(value),
            // A mistake in this field is already recorded.
            None if is_named => None,
            None => self.source.wrong(self.at, format!("missing field '{name}'")),
        }
    }

    /// Whether an unknown field was probably meant to be this one.
    pub fn is_meant(&self, name: &str) -> bool {
        self.meant.contains(&name)
    }

    /// A string.
    pub fn text(&self, name: &str) -> Option<At<String>> {
        let value = self.value(name)?;
        let at = value.span().start;
        match value.get_ref() {
            DeValue::String(text) => Some(At { value: text.to_string(), at }),
            other => self.of_another_type((name, at), other, "a string in quotation marks"),
        }
    }

    /// A number, integer or not.
    pub fn number(&self, name: &str) -> Option<At<f64>> {
        let value = self.value(name)?;
        let at = value.span().start;
        let typed = match value.get_ref() {
            DeValue::Integer(number) => {
                i64::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number as f64)
            }
            DeValue::Float(number) => number.as_str().parse().ok(),
            other => return self.of_another_type((name, at), other, "a number"),
        };
        typed
            .map(|value| At { value, at })
            .or_else(|| self.source.wrong(at, format!("invalid value: {name} is too large a number")))
    }

    /// An integer from `least` to `most`.
    pub fn count(&self, name: &str, (least, most): (u32, u32), what: &str) -> Option<At<u32>> {
        let number = self.number(name)?;
        let whole = number.value as u32;
        if f64::from(whole) == number.value && (least..=most).contains(&whole) {
            return Some(At { value: whole, at: number.at });
        }
        let problem = format!(
            "invalid value: a {what} of {} is not a whole number between {least} and {most}",
            number.value
        );
        self.source.wrong(number.at, problem)
    }

    /// One of these words.
    pub fn choice<T: Copy>(&self, name: &str, words: &[(&'static str, T)]) -> Option<T> {
        let typed = self.text(name)?;
        let chosen = words.iter().find(|(word, _)| *word == typed.value);
        chosen.map(|(_, value)| *value).or_else(|| {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let near = policy::nearest(&typed.value, known.iter().copied());
            let near = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            let known = known.join(", ");
            self.source.wrong(typed.at, format!("unknown variant '{}', there are {known}{near}", typed.value))
        })
    }

    /// The tables of an array, whose fields must be among `known`; `path` is the array's name in TOML.
    pub fn tables(&self, name: &str, path: &str, known: &[&'static str]) -> Option<Vec<Fields<'a>>> {
        let value = self.value(name)?;
        let at = value.span().start;
        let once = || format!("{path} is one of several; write [[{path}]], with two brackets");
        match value.get_ref() {
            DeValue::Table(_) => self.source.wrong(at, once()),
            DeValue::Array(entries) if entries.len() > TABLES_MOST => {
                let problem = format!(
                    "there are {} of [[{path}]], and at most {TABLES_MOST} are taken; make several profiles of it",
                    entries.len()
                );
                self.source.wrong(at, problem)
            }
            DeValue::Array(entries) => {
                let table = |entry: &'a Spanned<DeValue<'a>>| match entry.get_ref() {
                    DeValue::Table(table) => {
                        Some(Fields::new((table, entry.span().start), known, self.source))
                    }
                    other => self.of_another_type((name, entry.span().start), other, "a table below it"),
                };
                Some(entries.iter().filter_map(table).collect())
            }
            other => self.of_another_type((name, at), other, &format!("[[{path}]] with fields below it")),
        }
    }

    fn of_another_type<T>(&self, (name, at): (&str, usize), value: &DeValue<'_>, wanted: &str) -> Option<T> {
        self.source.wrong(at, format!("invalid type: {name} is {}; write {wanted}", kind(value)))
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Profile, ProfileError};
    use super::{MISTAKES_MOST, TABLES_MOST};

    fn refused(text: &str) -> ProfileError {
        Profile::read("mine.toml", text).expect_err("it is wrong")
    }

    #[test]
    fn a_profile_of_very_many_steps_is_refused_in_one_sentence() {
        let told = refused(&format!("title = \"t\"\n{}", "[[step]]\n".repeat(40_000))).to_string();
        assert_eq!(
            told,
            format!(
                "mine.toml, line 2, column 1: there are 40000 of [[step]], and at most {TABLES_MOST} are taken; make \
                 several profiles of it"
            )
        );
    }

    #[test]
    fn of_very_many_mistakes_the_first_are_told_and_the_others_counted() {
        let unknown: String = (0..5000).map(|number| format!("x{number} = 1\n")).collect();
        let error = refused(&format!("title = \"t\"\n{unknown}[[step]]\n"));
        let ProfileError::Text { mistakes, more, .. } = &error else { panic!("{error}") };
        // Besides the unknown fields, the mistakes include the missing name and job of the step.
        assert_eq!((mistakes.len(), *more), (MISTAKES_MOST, 5002 - MISTAKES_MOST));
        assert_eq!((mistakes[999].line, mistakes[999].column), (1001, 1));
        assert!(error.to_string().ends_with("; and 4990 more"), "{error}");
    }

    #[test]
    fn mistakes_on_one_line_keep_their_columns() {
        let error = refused("title = \"é\"\nstep = [{ name = \"é\", xx = 1, yy = 2, job = [] }]\n");
        let ProfileError::Text { mistakes, .. } = &error else { panic!("{error}") };
        let places: Vec<(usize, usize)> = mistakes.iter().map(|at| (at.line, at.column)).collect();
        assert_eq!(places, [(2, 9), (2, 23), (2, 31)], "{error}");
    }
}
