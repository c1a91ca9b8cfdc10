//! Parsing of typed words into values: guarded against fio's silent misreadings, or exactly as fio parses them.

use super::exact;
use super::number::{KbBase, NumberError, TimeUnit, count, natural, time};
use super::pattern::PatternFile;
use super::value::{Amount, Each, Floats, Value, ValueError, Word, is_wrapping};

/// Reading of words that fio silently misreads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// As the user means it: a word that fio would misread is an error that says what to write.
    #[default]
    Guarded,
    /// As fio reads it, whatever the result (`--fio-exact`).
    Exact,
}

/// Reads values for one meaning of `k`, and collects remarks on words that mean something other than people think.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// Meaning of a bare `k`.
    pub base: KbBase,
    /// Reading of words that fio misreads.
    pub reading: Reading,
    /// The files named in the value.
    pub files: Vec<PatternFile>,
    /// Remarks on the words read.
    pub remarks: Vec<String>,
}

impl Reader {
    /// Reads a number of bytes of at least 1.
    pub(super) fn bytes(&mut self, word: &str) -> Result<u64, ValueError> {
        self.bounded(word, Bounds { least: 1, most: i64::MAX }).map(i64::unsigned_abs)
    }

    /// Reads a number of bytes, which may be negative.
    pub(super) fn signed_bytes(&mut self, word: &str) -> Result<i64, ValueError> {
        self.bounded(word, Bounds { least: i64::MIN, most: i64::MAX })
    }

    /// Whether words are read exactly as fio reads them.
    pub(super) fn is_exact(&self) -> bool {
        self.reading == Reading::Exact
    }

    /// Reads a path. Leading blanks and quotation marks, which nobody means as part of the name, are refused.
    pub(super) fn path(&self, word: &str) -> Result<String, ValueError> {
        let bare = word.trim_matches(is_wrapping);
        let quoted = word != bare && (word.trim_start() != word || word.starts_with(is_wrapping));
        if self.is_exact() || !quoted || bare.is_empty() {
            return Ok(word.to_owned());
        }
        let why = format!("what stands around {bare} would become part of the name");
        Err(misread(word, why, Some(bare.to_owned())).into())
    }

    pub(super) fn switch(&self, word: &str, most: i64) -> Result<bool, ValueError> {
        let value = match word.trim_start() {
            _ if self.is_exact() => exact::switch(word).map_err(|_| ValueError::Bool(word.to_owned()))?,
            other => other.parse::<i64>().map_err(|_| ValueError::Bool(word.to_owned()))?,
        };
        if value > most { Err(ValueError::Above { value, most }) } else { Ok(value != 0) }
    }

    /// Reads one number; fio ignores any numbers after it.
    pub(super) fn first(&mut self, word: &str, bounds: Bounds) -> Result<i64, ValueError> {
        match self.reading {
            Reading::Guarded => self.bounded(word, bounds),
            // fio treats a minimum of 0 as no minimum.
            Reading::Exact if bounds.least == 0 => {
                self.bounded(pieces(word)[0], Bounds { least: i64::MIN, ..bounds })
            }
            Reading::Exact => self.bounded(pieces(word)[0], bounds),
        }
    }

    fn bounded(&mut self, word: &str, bounds: Bounds) -> Result<i64, ValueError> {
        let value = match self.reading {
            Reading::Guarded => {
                let count = count(word, self.base)?;
                self.remark(word, count.value, count.thousands);
                count.value
            }
            Reading::Exact => exact::count(word, self.base)?.stored(),
        };
        bounds.hold(value)
    }

    /// Reads up to three values: one alone applies to all directions; the second of two applies to writes and trims; an
    /// empty value changes nothing.
    pub(super) fn each(&mut self, word: &str, bounds: Bounds) -> Result<Each<Option<u64>>, ValueError> {
        if self.is_exact() {
            return self.each_exactly(word, bounds);
        }
        refuse_other_separators(word)?;
        let parts: Vec<&str> = word.split(',').collect();
        if parts.len() > 3 {
            return Err(ValueError::TooMany(3));
        }
        let mut values = Vec::with_capacity(3);
        for part in parts {
            let value = if part.is_empty() { None } else { Some(self.bounded(part, bounds)?) };
            values.push(value.map(i64::unsigned_abs));
        }
        Ok(spread(&values))
    }

    /// Reads values as fio distributes them: every separator splits. A piece that cannot be read is ignored if another
    /// can, and so are pieces after the third.
    fn each_exactly(&mut self, word: &str, bounds: Bounds) -> Result<Each<Option<u64>>, ValueError> {
        let pieces = pieces(word);
        let mut values = Vec::with_capacity(pieces.len());
        let mut first_error = None;
        for piece in &pieces {
            let value = self.bounded(piece, bounds).and_then(|value| {
                u64::try_from(value).map_err(|_| NumberError::Negative((*piece).to_owned()).into())
            });
            first_error = first_error.or_else(|| value.as_ref().err().cloned());
            values.push(value.ok());
        }
        values.truncate(3);
        match first_error {
            Some(error) if values.iter().all(Option::is_none) => Err(error),
            _ => Ok(spread(&values)),
        }
    }

    pub(super) fn amount(&mut self, word: &str) -> Result<Amount, ValueError> {
        if self.is_exact() {
            return self.amount_exactly(word);
        }
        if let Some(number) = word.strip_suffix('%') {
            let number = number.strip_suffix('%').unwrap_or(number);
            return percent(natural(number, self.base)?.value);
        }
        if let Some((first, rest)) = word.split_once(',') {
            let last = rest.rsplit(',').next().unwrap_or_default();
            let why = format!("one value is wanted, and fio would take the last, {last}, without a word");
            let write = natural(first, self.base).is_ok().then(|| first.to_owned());
            return Err(misread(word, why, write.filter(|_| last.is_empty())).into());
        }
        let bytes = natural(word, self.base)?;
        self.remark(word, bytes.value, bytes.thousands);
        Ok(Amount::Bytes(bytes.value.unsigned_abs()))
    }

    /// Reads an amount as fio does: of several values, the last one applies.
    fn amount_exactly(&self, word: &str) -> Result<Amount, ValueError> {
        let mut taken = Err(NumberError::Empty.into());
        for piece in pieces(word) {
            let amount = exact::count(piece, self.base).map_err(ValueError::from).and_then(|read| match read
                .stored()
            {
                // fio recognises a percentage by these values alone.
                stored @ -101..=-1 => percent(-1 - stored),
                stored if stored < 0 => Err(NumberError::Negative(piece.to_owned()).into()),
                stored => Ok(Amount::Bytes(stored.unsigned_abs())),
            });
            if amount.is_ok() || taken.is_err() {
                taken = amount;
            }
        }
        taken
    }

    pub(super) fn time(&self, word: &str, unit: TimeUnit) -> Result<Value, ValueError> {
        let nanos = match (self.reading, unit) {
            (Reading::Guarded, _) => time(word, unit)?,
            // To fio, this number is a count, not a time.
            (Reading::Exact, TimeUnit::Milliseconds) => {
                let millis = exact::count(pieces(word)[0], self.base)?.stored();
                let millis = u64::try_from(millis).map_err(|_| NumberError::Negative(word.to_owned()))?;
                workload::Nanos(millis.saturating_mul(1_000_000))
            }
            (Reading::Exact, _) => exact::time(pieces(word)[0], unit)?,
        };
        Ok(Value::Time(nanos))
    }

    pub(super) fn floats(&self, word: &str) -> Result<Floats, ValueError> {
        if word.contains(',') && !self.is_exact() {
            let why = "fio would read no further than the ',' and say nothing".to_owned();
            return Err(misread(word, why, Some(word.replace(',', ":"))).into());
        }
        let mut floats = Floats { values: Vec::new(), decimals: 0 };
        for part in word.split(':') {
            let bare = part.trim_end_matches('%').trim();
            let value = match self.reading {
                Reading::Guarded => bare.parse().ok().filter(|value: &f64| value.is_finite()),
                Reading::Exact => exact::float(part),
            };
            let value = value.ok_or_else(|| ValueError::Float(part.to_owned()))?;
            let decimals = bare.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            floats.decimals = floats.decimals.max(decimals.min(6));
            floats.values.push(value);
        }
        if floats.values.len() > 20 {
            return Err(ValueError::TooMany(20));
        }
        Ok(floats)
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

/// Limits of a number, both inclusive.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Bounds {
    fn hold(self, value: i64) -> Result<i64, ValueError> {
        let Bounds { least, most } = self;
        match value {
            _ if value < least => Err(ValueError::Below { value, least }),
            _ if value > most => Err(ValueError::Above { value, most }),
            _ => Ok(value),
        }
    }
}

fn misread(word: &str, why: String, write: Option<String>) -> NumberError {
    NumberError::Misread { word: word.to_owned(), why, write }
}

fn percent(number: i64) -> Result<Amount, ValueError> {
    match u8::try_from(number) {
        Ok(percent) if percent <= 100 => Ok(Amount::Percent(percent)),
        _ => Err(ValueError::Above { value: number, most: 100 }),
    }
}

fn spread(values: &[Option<u64>]) -> Each<Option<u64>> {
    match values {
        [one] => [*one; 3],
        [read, write] => [*read, *write, *write],
        [read, write, trim, ..] => [*read, *write, *trim],
        [] => [None; 3],
    }
}

/// Splits a value as fio does: at commas, then, when no comma is left, at colons, then at dashes.
fn pieces(word: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = word;
    loop {
        let at = rest.find(',').or_else(|| rest.find(':')).or_else(|| rest.find('-'));
        // Within a piece, only a comma ends the text that is read.
        pieces.push(rest.split(',').next().unwrap_or_default());
        match at {
            Some(at) => rest = &rest[at + 1..],
            None => return pieces,
        }
    }
}

/// Refuses `4k-8k` and `4k:8k`, to fio a read and a write size, and `4k/8k`, to fio 4k: nobody means that.
fn refuse_other_separators(word: &str) -> Result<(), NumberError> {
    let separates = |(at, letter): &(usize, char)| {
        *at > 0 && "-:/".contains(*letter) && word[at + 1..].starts_with(|c: char| c.is_ascii_digit())
    };
    let Some((at, letter)) = word.char_indices().find(separates) else {
        return Ok(());
    };
    let (first, second) = (&word[..at], &word[at + 1..]);
    let why = match letter {
        '/' => "fio reads no further than the '/' and says nothing",
        _ => {
            "fio takes this for a read and a write value, which a comma says; a range has an option of its own"
        }
    };
    Err(misread(word, why.to_owned(), Some(format!("{first},{second}"))))
}

pub(super) fn choice(words: &'static [Word], word: &str) -> Result<Value, ValueError> {
    let (head, argument) = match word.find([':', ',']) {
        Some(at) => (&word[..at], Some(word[at + 1..].to_owned())),
        None => (word, None),
    };
    match words.iter().find(|(known, _)| *known == head) {
        Some((known, _)) => Ok(Value::Choice(known, argument)),
        None => Err(ValueError::Choice { word: word.to_owned(), words }),
    }
}

pub(super) fn cpus(word: &str) -> Result<Vec<u32>, ValueError> {
    let number = |part: &str| {
        part.trim()
            .parse::<u32>()
            .map_err(|_| NumberError::NoNumber(part.to_owned()))
            .and_then(|cpu| if cpu < 65_536 { Ok(cpu) } else { Err(NumberError::Range(part.to_owned())) })
    };
    let mut list = Vec::new();
    for part in word.split(',').filter(|part| !part.trim().is_empty()) {
        match part.split_once('-') {
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if last < first {
                    let why = "the range ends before it begins; write the smaller number first";
                    return Err(NumberError::misread(part, why).into());
                }
                list.extend(first..=last);
            }
            None => list.push(number(part)?),
        }
    }
    list.sort_unstable();
    list.dedup();
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Kind;
    use proptest::prelude::*;

    fn each(word: &str) -> Each<Option<u64>> {
        match Reader::default().read(Kind::Sizes(1), word) {
            Ok(Value::Each(values)) => values,
            other => panic!("{word}: {other:?}"),
        }
    }

    fn exactly() -> Reader {
        Reader { reading: Reading::Exact, ..Reader::default() }
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
            let error = Reader::default().read(Kind::Sizes(1), word).unwrap_err();
            assert_eq!(error.correction(), Some((word.to_owned(), meant.to_owned())));
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

    #[test]
    fn the_exact_reading_takes_what_fio_takes() {
        let each = |values: [Option<u64>; 3]| Ok(Value::Each(values));
        let (four, eight) = (Some(4096), Some(8192));
        let read = |kind, word| exactly().read(kind, word);
        assert_eq!(read(Kind::Sizes(1), "4k-8k"), each([four, eight, eight]));
        assert_eq!(read(Kind::Sizes(1), "4k/8k"), each([four; 3]));
        assert_eq!(read(Kind::Sizes(1), " 8k"), each([Some(8); 3]));
        assert_eq!(read(Kind::Sizes(1), "4k,0"), each([four, None, None]));
        assert_eq!(read(Kind::Sizes(1), "4k,8k,16k,32k"), each([four, eight, Some(16384)]));
        assert_eq!(read(Kind::Sizes(1), ",8k,"), each([None, eight, None]));
        assert_eq!(read(Kind::Amount, "1.5g"), Ok(Value::Amount(Amount::Bytes(1))));
        assert_eq!(read(Kind::Amount, "1g,2g"), Ok(Value::Amount(Amount::Bytes(2 << 30))));
        assert_eq!(read(Kind::Int(0, 100), "70%"), Ok(Value::Number(-71)));
        assert_eq!(read(Kind::Time(TimeUnit::Seconds), "10sec"), Ok(Value::Time(workload::Nanos(10_000))));
        assert_eq!(
            read(Kind::Floats, "50,99"),
            Ok(Value::Floats(Floats { values: vec![50.0], decimals: 0 }))
        );
        assert_eq!(read(Kind::Bool, "1x"), Ok(Value::Switch(true)));
        assert_eq!(read(Kind::Path, " /f"), Ok(Value::Text(" /f".to_owned())));
    }

    #[test]
    fn a_name_keeps_no_blank_in_front_and_no_quotation_marks() {
        for (word, bare) in [(" /f", "/f"), ("\"/f\"", "/f"), ("“/f”", "/f")] {
            let error = Reader::default().read(Kind::Path, word).unwrap_err();
            assert_eq!(error.correction(), Some((word.to_owned(), bare.to_owned())));
        }
        for word in ["/f", "/a b", "it's"] {
            assert!(Reader::default().read(Kind::Path, word).is_ok(), "{word}");
        }
    }

    const KINDS: [Kind; 20] = [
        Kind::Text,
        Kind::Prefix,
        Kind::Path,
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
        Kind::Shape(crate::shape::Shape::Split),
        Kind::Shape(crate::shape::Shape::Range),
        Kind::Shape(crate::shape::Shape::Spread),
        Kind::Shape(crate::shape::Shape::Turn),
        Kind::Shape(crate::shape::Shape::Pattern),
        Kind::Shape(crate::shape::Shape::Steady),
    ];

    proptest! {
        #[test]
        fn no_word_panics(word in "[0-9a-zA-Z.,:%/ \\-\\PC]{0,10}") {
            for kind in KINDS {
                let _ = Reader::default().read(kind, &word);
                let _ = exactly().read(kind, &word);
            }
        }
    }
}
