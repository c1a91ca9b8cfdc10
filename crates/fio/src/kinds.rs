//! Turns a typed word into a value of its option's kind.

use super::reader::{Bounds, Reader, choice, cpus};
use super::shapes;
use super::value::{Kind, Value, ValueError};

impl Reader {
    /// Reads `word` as a value of `kind`.
    ///
    /// # Errors
    /// [`ValueError`], which says what is wrong with the word and what would be valid.
    pub fn read(&mut self, kind: Kind, word: &str) -> Result<Value, ValueError> {
        match kind {
            Kind::Text => Ok(Value::Text(word.to_owned())),
            Kind::Path | Kind::Prefix => self.path(word).map(Value::Text),
            Kind::Flag if word.is_empty() => Ok(Value::Switch(true)),
            Kind::Flag => self.switch(word, i64::MAX).map(Value::Switch),
            Kind::Bool => self.switch(word, 1).map(Value::Switch),
            Kind::Int(least, most) => self.first(word, Bounds { least, most }).map(Value::Number),
            Kind::Size(least) => self.first(word, Bounds { least, most: i64::MAX }).map(Value::Number),
            Kind::Ints(most) => self.each(word, Bounds { least: 0, most }).map(Value::Each),
            Kind::Sizes(least) => self.each(word, Bounds { least, most: i64::MAX }).map(Value::Each),
            Kind::Amount => self.amount(word).map(Value::Amount),
            Kind::Time(unit) => self.time(word, unit),
            Kind::Choice(words) => choice(words, word),
            Kind::Floats => self.floats(word).map(Value::Floats),
            Kind::Cpus => cpus(word).map(Value::Cpus),
            Kind::Shape(shape) => shapes::read(self, shape, word).map(Value::Shape),
        }
    }
}
