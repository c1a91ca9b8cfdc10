//! The kinds of value an option takes, and how a typed word becomes one.

use workload::Nanos;

use super::number::{KbBase, NumberError, TimeUnit, count, natural, time};
use super::shapes::{self, Shape, Shaped};

/// One value for reads, writes and trims, in that order.
pub type Each<T> = [T; 3];

/// A word that an enumeration knows, with what it means.
pub type Word = (&'static str, &'static str);

/// What an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// A text that may be left out: on the command line the next word is taken unless it is an option.
    Prefix,
    /// Nothing, or `=0` and `=1`.
    Flag,
    /// 0 or 1.
    Bool,
    /// A whole number within bounds, both inclusive.
    Int(i64, i64),
    /// Up to three whole numbers, for reads, writes and trims, each at most this.
    Ints(i64),
    /// A number of bytes of at least this.
    Size(i64),
    /// Up to three numbers of bytes, for reads, writes and trims, each at least this.
    Sizes(i64),
    /// A number of bytes or a percentage.
    Amount,
    /// A time, with the unit of a bare number.
    Time(TimeUnit),
    /// One of these words.
    Choice(&'static [Word]),
    /// Floating-point numbers separated by colons, at most 20.
    Floats,
    /// CPU numbers and ranges: `0-3,6`.
    Cpus,
    /// Lengths, places and data.
    Shape(Shape),
}

/// A number of bytes, or a share of what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Bytes.
    Bytes(u64),
    /// Percent, 0 to 100.
    Percent(u8),
}

/// Floating-point numbers with the most decimals that any of them was typed with.
#[derive(Clone, Debug, PartialEq)]
pub struct Floats {
    /// In the order typed.
    pub values: Vec<f64>,
    /// Decimals.
    pub decimals: usize,
}

/// A value as it was understood.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// [`Kind::Text`] and [`Kind::Prefix`].
    Text(String),
    /// [`Kind::Flag`] and [`Kind::Bool`].
    Switch(bool),
    /// [`Kind::Int`] and [`Kind::Size`].
    Number(i64),
    /// [`Kind::Ints`] and [`Kind::Sizes`]; `None` leaves what was there.
    Each(Each<Option<u64>>),
    /// [`Kind::Amount`].
    Amount(Amount),
    /// [`Kind::Time`].
    Time(Nanos),
    /// [`Kind::Choice`]: the word, and what stood behind a colon.
    Choice(&'static str, Option<String>),
    /// [`Kind::Floats`].
    Floats(Floats),
    /// [`Kind::Cpus`].
    Cpus(Vec<u32>),
    /// [`Kind::Shape`].
    Shape(Shaped),
}

/// Why a value could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ValueError {
    /// It is no number, or one that fio would misread.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// Below the least value.
    #[error("min value out of range: {value} ({least} min)")]
    Below {
        /// What was typed.
        value: i64,
        /// The least.
        least: i64,
    },
    /// Above the greatest value.
    #[error("max value out of range: {value} ({most} max)")]
    Above {
        /// What was typed.
        value: i64,
        /// The greatest.
        most: i64,
    },
    /// No word of the enumeration.
    #[error("'{word}' is none of the valid values")]
    Choice {
        /// What was typed.
        word: String,
        /// The words that are known.
        words: &'static [Word],
    },
    /// Neither 0 nor 1.
    #[error("'{0}' is neither 0 nor 1")]
    Bool(String),
    /// No floating-point number.
    #[error("not a floating point value: {0}")]
    Float(String),
    /// More than fio holds.
    #[error("more than {0} values")]
    TooMany(usize),
}

/// Reads values under one meaning of `k`, and keeps remarks on words that mean something else than people think.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// What a bare `k` stands for.
    pub base: KbBase,
    /// What should be said about the words read.
    pub remarks: Vec<String>,
}

impl Reader {
    /// Reads `word` as a value of `kind`.
    ///
    /// # Errors
    /// [`ValueError`] with the word and what would do.
    pub fn read(&mut self, kind: Kind, word: &str) -> Result<Value, ValueError> {
        match kind {
            Kind::Text | Kind::Prefix => Ok(Value::Text(word.to_owned())),
            Kind::Flag if word.is_empty() => Ok(Value::Switch(true)),
            Kind::Flag | Kind::Bool => switch(word).map(Value::Switch),
            Kind::Int(least, most) => self.bounded(word, least, most).map(Value::Number),
            Kind::Size(least) => self.bounded(word, least, i64::MAX).map(Value::Number),
            Kind::Ints(most) => self.each(word, 0, most).map(Value::Each),
            Kind::Sizes(least) => self.each(word, least, i64::MAX).map(Value::Each),
            Kind::Amount => self.amount(word).map(Value::Amount),
            Kind::Time(unit) => Ok(Value::Time(time(word, unit)?)),
            Kind::Choice(words) => choice(words, word),
            Kind::Floats => floats(word).map(Value::Floats),
            Kind::Cpus => cpus(word).map(Value::Cpus),
            Kind::Shape(shape) => shapes::read(self, shape, word).map(Value::Shape),
        }
    }

    /// A number of bytes from 1 on.
    pub(super) fn bytes(&mut self, word: &str) -> Result<u64, ValueError> {
        self.bounded(word, 1, i64::MAX).map(i64::unsigned_abs)
    }

    /// A number of bytes, also below zero.
    pub(super) fn signed_bytes(&mut self, word: &str) -> Result<i64, ValueError> {
        self.bounded(word, i64::MIN, i64::MAX)
    }

    fn bounded(&mut self, word: &str, least: i64, most: i64) -> Result<i64, ValueError> {
        let count = count(word, self.base)?;
        self.remark(word, count.value, count.thousands);
        if count.value < least {
            return Err(ValueError::Below { value: count.value, least });
        }
        if count.value > most {
            return Err(ValueError::Above { value: count.value, most });
        }
        Ok(count.value)
    }

    /// One value stands for all three; of two the second stands for writes and trims; an empty place keeps what is there.
    fn each(&mut self, word: &str, least: i64, most: i64) -> Result<Each<Option<u64>>, ValueError> {
        refuse_other_separators(word)?;
        let parts: Vec<&str> = word.split(',').collect();
        if parts.len() > 3 {
            return Err(ValueError::TooMany(3));
        }
        let mut values = Vec::with_capacity(3);
        for part in parts {
            let value = if part.is_empty() { None } else { Some(self.bounded(part, least, most)?) };
            values.push(value.map(i64::unsigned_abs));
        }
        Ok(match values.as_slice() {
            [one] => [*one; 3],
            [read, write] => [*read, *write, *write],
            [read, write, trim, ..] => [*read, *write, *trim],
            [] => [None; 3],
        })
    }

    fn amount(&mut self, word: &str) -> Result<Amount, ValueError> {
        if let Some(number) = word.strip_suffix('%') {
            let number = number.strip_suffix('%').unwrap_or(number);
            let percent = natural(number, self.base)?.value;
            return match u8::try_from(percent) {
                Ok(percent) if percent <= 100 => Ok(Amount::Percent(percent)),
                _ => Err(ValueError::Above { value: percent, most: 100 }),
            };
        }
        let bytes = natural(word, self.base)?;
        self.remark(word, bytes.value, bytes.thousands);
        Ok(Amount::Bytes(bytes.value.unsigned_abs()))
    }

    fn remark(&mut self, word: &str, value: i64, thousands: bool) {
        if thousands {
            let binary = word.trim_end_matches(['b', 'B']);
            self.remarks.push(format!(
                "{word} is {value} in fio's grammar, a power of 1000; write {binary} for the power of 1024"
            ));
        }
    }
}

/// `4k-8k` and `4k:8k` are a read and a write size to fio, `4k/8k` is 4k: none is what people mean by it.
fn refuse_other_separators(word: &str) -> Result<(), NumberError> {
    let inner = word.get(1..).unwrap_or_default();
    let Some(at) = inner.find(['-', ':', '/']) else {
        return Ok(());
    };
    let (first, second) = (&word[..=at], &inner[at + 1..]);
    let meant = match inner.as_bytes()[at] {
        b'/' => format!("fio reads no further than the '/'; write {first},{second} for reads and writes"),
        _ => format!(
            "fio takes this for a read and a write value; write {first},{second} for that, or use the option for ranges"
        ),
    };
    Err(NumberError::Separator { word: word.to_owned(), meant })
}

fn switch(word: &str) -> Result<bool, ValueError> {
    match word.trim_start() {
        "0" => Ok(false),
        "1" => Ok(true),
        other => match other.parse::<i64>() {
            Ok(value) => Err(ValueError::Above { value, most: 1 }),
            Err(_) => Err(ValueError::Bool(word.to_owned())),
        },
    }
}

fn choice(words: &'static [Word], word: &str) -> Result<Value, ValueError> {
    let (head, argument) = match word.find([':', ',']) {
        Some(at) => (&word[..at], Some(word[at + 1..].to_owned())),
        None => (word, None),
    };
    match words.iter().find(|(known, _)| *known == head) {
        Some((known, _)) => Ok(Value::Choice(known, argument)),
        None => Err(ValueError::Choice { word: word.to_owned(), words }),
    }
}

fn floats(word: &str) -> Result<Floats, ValueError> {
    if word.contains(',') {
        let meant = format!("fio reads no further than the ','; write {}", word.replace(',', ":"));
        return Err(NumberError::Separator { word: word.to_owned(), meant }.into());
    }
    let mut floats = Floats { values: Vec::new(), decimals: 0 };
    for part in word.split(':') {
        let bare = part.trim_end_matches('%').trim();
        let value: f64 = bare.parse().map_err(|_| ValueError::Float(part.to_owned()))?;
        if !value.is_finite() {
            return Err(ValueError::Float(part.to_owned()));
        }
        let decimals = bare.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        floats.decimals = floats.decimals.max(decimals.min(6));
        floats.values.push(value);
    }
    if floats.values.len() > 20 {
        return Err(ValueError::TooMany(20));
    }
    Ok(floats)
}

fn cpus(word: &str) -> Result<Vec<u32>, ValueError> {
    let number = |part: &str| {
        part.trim()
            .parse::<u32>()
            .map_err(|_| NumberError::NoNumber(part.to_owned()))
            .and_then(|cpu| if cpu < 65_536 { Ok(cpu) } else { Err(NumberError::Range(part.to_owned())) })
    };
    let mut list = Vec::new();
    for part in word.split(',').filter(|part| !part.trim().is_empty()) {
        match part.split_once('-') {
            Some((first, last)) => list.extend(number(first)?..=number(last)?),
            None => list.push(number(part)?),
        }
    }
    list.sort_unstable();
    list.dedup();
    Ok(list)
}

/// What a row's `apply` takes out of a value. The row's kind decides which variant arrives, so a mismatch can only be a
/// wrong row; it then yields nothing rather than a wrong figure, and the test over all rows shows it.
impl Value {
    /// A switch.
    pub fn on(&self) -> bool {
        matches!(self, Value::Switch(true))
    }

    /// A whole number from 0 on.
    pub fn natural(&self) -> u64 {
        match self {
            Value::Number(value) => u64::try_from(*value).unwrap_or(0),
            _ => 0,
        }
    }

    /// A whole number of 32 bits from 0 on; more counts as the most.
    pub fn small(&self) -> u32 {
        u32::try_from(self.natural()).unwrap_or(u32::MAX)
    }

    /// Text.
    pub fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            _ => "",
        }
    }

    /// A time.
    pub fn time(&self) -> Nanos {
        match self {
            Value::Time(nanos) => *nanos,
            _ => Nanos::ZERO,
        }
    }

    /// An amount.
    pub fn amount(&self) -> Amount {
        match self {
            Value::Amount(amount) => *amount,
            _ => Amount::Bytes(0),
        }
    }

    /// The word of an enumeration.
    pub fn word(&self) -> &'static str {
        match self {
            Value::Choice(word, _) => word,
            _ => "",
        }
    }

    /// Puts the values that were typed in their places and leaves the others.
    pub fn onto<T: From<u64>>(&self, target: &mut Each<T>) {
        if let Value::Each(values) = self {
            for (place, value) in target.iter_mut().zip(values) {
                if let Some(value) = value {
                    *place = T::from(*value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn each(word: &str) -> Each<Option<u64>> {
        match Reader::default().read(Kind::Sizes(1), word) {
            Ok(Value::Each(values)) => values,
            other => panic!("{word}: {other:?}"),
        }
    }

    #[test]
    fn values_by_direction_fill_up_as_fio_fills_them() {
        let (four, eight) = (Some(4096), Some(8192));
        assert_eq!(each("4k"), [four; 3]);
        assert_eq!(each("4k,8k"), [four, eight, eight]);
        assert_eq!(each("4k,8k,"), [four, eight, None]);
        assert_eq!(each(",8k"), [None, eight, eight]);
        assert_eq!(each("4k,"), [four, None, None]);
        assert_eq!(each("4k,8k,16k"), [four, eight, Some(16384)]);
    }

    #[test]
    fn separators_that_fio_takes_for_something_else_are_named() {
        for (word, meant) in [("4k-8k", "4k,8k"), ("4k:8k", "4k,8k"), ("4k/8k", "4k,8k")] {
            let text = Reader::default().read(Kind::Sizes(1), word).unwrap_err().to_string();
            assert!(text.contains(meant), "{text}");
        }
        let text = Reader::default().read(Kind::Floats, "50,99").unwrap_err().to_string();
        assert!(text.ends_with("write 50:99"), "{text}");
    }

    #[test]
    fn percentiles_keep_the_decimals_they_were_typed_with() {
        let read = |word| match Reader::default().read(Kind::Floats, word) {
            Ok(Value::Floats(floats)) => floats,
            other => panic!("{other:?}"),
        };
        assert_eq!(read("50:99"), Floats { values: vec![50.0, 99.0], decimals: 0 });
        assert_eq!(read("1:99.5:99.95").decimals, 2);
        assert!(Reader::default().read(Kind::Floats, "50:foo").is_err());
    }

    #[test]
    fn amounts_are_bytes_or_percent() {
        let read = |word| Reader::default().read(Kind::Amount, word);
        assert_eq!(read("10%"), Ok(Value::Amount(Amount::Percent(10))));
        assert_eq!(read("10%%"), Ok(Value::Amount(Amount::Percent(10))));
        assert_eq!(read("4m"), Ok(Value::Amount(Amount::Bytes(4 << 20))));
        assert!(read("200%").is_err());
        assert!(read("3z").is_err());
    }

    #[test]
    fn powers_of_a_thousand_leave_a_remark() {
        let mut reader = Reader::default();
        reader.read(Kind::Amount, "4GiB").unwrap();
        assert!(reader.remarks[0].contains("4000000000") && reader.remarks[0].contains("write 4Gi"));
    }

    #[test]
    fn cpu_lists_expand() {
        assert_eq!(Reader::default().read(Kind::Cpus, "0-2,5,1"), Ok(Value::Cpus(vec![0, 1, 2, 5])));
        assert!(Reader::default().read(Kind::Cpus, "0-99999999").is_err());
    }

    const KINDS: [Kind; 18] = [
        Kind::Text,
        Kind::Prefix,
        Kind::Flag,
        Kind::Bool,
        Kind::Int(-20, 19),
        Kind::Ints(100),
        Kind::Size(1),
        Kind::Sizes(1),
        Kind::Amount,
        Kind::Time(TimeUnit::Seconds),
        Kind::Choice(&[("read", "")]),
        Kind::Floats,
        Kind::Cpus,
        Kind::Shape(Shape::Split),
        Kind::Shape(Shape::Range),
        Kind::Shape(Shape::Spread),
        Kind::Shape(Shape::Turn),
        Kind::Shape(Shape::Pattern),
    ];

    proptest! {
        #[test]
        fn no_word_panics(word in "[0-9a-zA-Z.,:%/ \\-\\PC]{0,10}") {
            for kind in KINDS {
                let _ = Reader::default().read(kind, &word);
            }
        }
    }
}
