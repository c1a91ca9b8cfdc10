//! Reads a claim in words: `read 700 iops, write 300 iops, p99 < 30ms, mix 70/30, bs 4k, random 50%`.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::units::{byte_factor, duration};
use crate::{BytesPerSecond, ClaimedLoad, Direction, Iops, Nanos};

/// The claimed quantity with its value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// At least this many operations per second.
    Iops(Iops),
    /// At least this many bytes per second.
    Bandwidth(BytesPerSecond),
    /// At most this mean latency.
    MeanLatency(Nanos),
    /// At most this latency at a percentile (0 to 100).
    Percentile(f64, Nanos),
}

/// One claim. Without a direction it applies to reads and to writes each, except that a rate under a mix is the sum of
/// both, and that a latency goes with the rates before it if these name one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Direction; `None`: every direction measured.
    pub direction: Option<Direction>,
    /// The claimed quantity with its value.
    pub metric: Metric,
    /// The words from which the claim was read.
    pub words: String,
}

/// Claims that must all hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// Claims in the order typed.
    pub claims: Vec<Claim>,
    /// The load under which the claims must hold.
    #[serde(default)]
    pub load: ClaimedLoad,
}

/// Error in the words of an expectation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expectation, column {column}: '{word}' {problem}; write for example \"read 700 iops, write 300 iops, p99 < 30ms\""
)]
pub struct ExpectationError {
    /// Column of the offending word, counted from 1.
    pub column: usize,
    /// The offending word.
    pub word: String,
    /// The problem with the word.
    pub problem: Cow<'static, str>,
}

impl Expectation {
    /// Reads claims separated by commas, and the load under which they must hold.
    ///
    /// A claim is `[read|write] NUMBER iops`, `[read|write] NUMBER MiB/s`, `[read|write] pNN < TIME` or `[read|write]
    /// latency < TIME` (also `mean < TIME`); `<` and `>=` are optional. The load is any of `mix READS/WRITES`, `bs SIZE`,
    /// and `random PERCENT` or `sequential`.
    ///
    /// # Errors
    /// Returns an [`ExpectationError`] with column, word and problem.
    pub fn parse(text: &str) -> Result<Expectation, ExpectationError> {
        let mut found = Expectation::default();
        let mut at = 0;
        for part in text.split(',') {
            if !found.load_term(part, at)? {
                found.claims.push(claim(part, at)?);
            }
            at += part.len() + 1;
        }
        if found.load.mix.is_none() {
            found.direct_latencies();
        }
        if found.claims.is_empty() {
            let whole = Word { text: text.trim(), column: 1 };
            return Err(whole.error("says a load and claims nothing of it"));
        }
        Ok(found)
    }

    /// Gives each latency without a direction that of the rates since the last latency, if these agree on one.
    fn direct_latencies(&mut self) {
        let is_rate = |claim: &Claim| matches!(claim.metric, Metric::Iops(_) | Metric::Bandwidth(_));
        for at in 0..self.claims.len() {
            let before = self.claims[..at].iter().rev();
            let rates: Vec<_> = before
                .skip_while(|claim| !is_rate(claim))
                .take_while(|claim| is_rate(claim))
                .map(|claim| claim.direction)
                .collect();
            let agreed =
                rates.first().copied().flatten().filter(|one| rates.iter().all(|way| *way == Some(*one)));
            if !is_rate(&self.claims[at]) && self.claims[at].direction.is_none() {
                self.claims[at].direction = agreed;
            }
        }
    }

    /// Takes `part` into the load if it is a term of a load, and returns whether it was.
    fn load_term(&mut self, part: &str, start: usize) -> Result<bool, ExpectationError> {
        let all = words(part, start);
        let Some((first, rest)) = all.split_first() else { return Ok(false) };
        let (name, attached) = first.text.split_once('=').unwrap_or((first.text, ""));
        let rest: Vec<&str> = std::iter::once(attached).chain(rest.iter().map(|word| word.text)).collect();
        self.load.read(name, &rest).map_err(|problem| first.error(problem))
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.claims.iter().map(|claim| claim.words.as_str()).collect();
        f.write_str(&words.join(", "))?;
        if self.load.is_empty() { Ok(()) } else { write!(f, ", {}", self.load) }
    }
}

/// One word and its column in the text.
struct Word<'t> {
    text: &'t str,
    column: usize,
}

impl Word<'_> {
    fn error(&self, problem: &'static str) -> ExpectationError {
        ExpectationError { column: self.column, word: self.text.to_owned(), problem: problem.into() }
    }

    /// An error with `problem` and the word that was probably meant.
    fn unknown(&self, problem: &str) -> ExpectationError {
        const WORDS: [&str; 10] =
            ["read", "write", "latency", "mean", "iops", "MiB/s", "MB/s", "mix", "random", "sequential"];
        let distance = |known: &&&str| edits(&self.text.to_lowercase(), &known.to_lowercase());
        let near = WORDS.iter().min_by_key(distance).filter(|known| distance(known) <= 2);
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        let problem = format!("{problem}{near}").into();
        ExpectationError { column: self.column, word: self.text.to_owned(), problem }
    }

    /// Whether a claim or a load begins with this word.
    fn begins(&self) -> bool {
        let lower = self.text.to_ascii_lowercase();
        let percentile =
            lower.strip_prefix('p').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        const FIRST: [&str; 10] =
            ["read", "reads", "write", "writes", "latency", "mean", "mix", "bs", "random", "sequential"];
        percentile || FIRST.contains(&lower.as_str())
    }
}

/// Edit distance from `a` to `b`: the least number of insertions, deletions, replacements and swaps of neighbours.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let moved = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            let moved = if moved { rows[i - 2][j - 2] + 1 } else { usize::MAX };
            row.push(replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1).min(moved));
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// Refuses a rate bounded from above or a latency bounded from below, which nobody means to claim.
fn refuse_backwards(part: &str, start: usize, metric: Metric) -> Result<(), ExpectationError> {
    let (signs, problem) = match metric {
        Metric::Iops(_) | Metric::Bandwidth(_) => {
            (['<', '≤'], "bounds a rate from above; a rate is claimed with >= or no sign")
        }
        Metric::MeanLatency(_) | Metric::Percentile(..) => {
            (['>', '≥'], "bounds a latency from below; a latency is claimed with < or <=")
        }
    };
    match part.chars().position(|c| signs.contains(&c)) {
        None => Ok(()),
        Some(at) => {
            let text: String =
                part.chars().skip(at).take_while(|c| !c.is_alphanumeric() && *c != ' ').collect();
            Err(ExpectationError { column: start + at + 1, word: text, problem: problem.into() })
        }
    }
}

/// Splits at whitespace and drops leading `<`, `<=`, `>=` and the like, which carry no meaning.
fn words(part: &str, start: usize) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(skip) = part[rest..].find(|c: char| !c.is_whitespace()) {
        let begin = rest + skip;
        let end = begin + part[begin..].find(char::is_whitespace).unwrap_or(part.len() - begin);
        let text = &part[begin..end];
        let text_start = text.len() - text.trim_start_matches(['<', '>', '=', '≤', '≥']).len();
        if text_start < text.len() {
            let column = start + part[..begin + text_start].chars().count() + 1;
            found.push(Word { text: &text[text_start..], column });
        }
        rest = end;
    }
    found
}

fn claim(part: &str, start: usize) -> Result<Claim, ExpectationError> {
    let all = words(part, start);
    let whole = Word { text: part.trim(), column: start + 1 };
    let mut rest = all.as_slice();
    let mut direction = None;
    if let Some(first) = rest.first() {
        direction = match first.text.to_ascii_lowercase().as_str() {
            "read" | "reads" => Some(Direction::Read),
            "write" | "writes" => Some(Direction::Write),
            _ => None,
        };
        if direction.is_some() {
            rest = &rest[1..];
        }
    }
    if let Some(next) = rest.iter().skip(1).find(|word| word.begins()) {
        return Err(next.error("begins another claim, and a comma is missing before it"));
    }
    let metric = match rest {
        [] => return Err(whole.error("holds no claim")),
        [first, rest @ ..] if first.text.starts_with(|c: char| c.is_ascii_digit()) => {
            rate_metric(first, rest)?
        }
        [first, rest @ ..] => latency_metric(first, rest)?,
    };
    refuse_backwards(part, start, metric)?;
    Ok(Claim { direction, metric, words: part.split_whitespace().collect::<Vec<_>>().join(" ") })
}

fn rate_metric(first: &Word<'_>, rest: &[Word<'_>]) -> Result<Metric, ExpectationError> {
    let end = first.text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(first.text.len());
    let number: f64 = first.text[..end].parse().map_err(|_| first.error("is not a number"))?;
    if number <= 0.0 {
        return Err(first.error("must be above 0"));
    }
    let mut unit = first.text[end..].to_owned();
    rest.iter().for_each(|word| unit.push_str(word.text));
    let last = rest.last().unwrap_or(first);
    if unit.is_empty() {
        return Err(first.error("has no unit (iops, MiB/s or MB/s)"));
    }
    match unit.to_ascii_lowercase().as_str() {
        "iops" | "io/s" | "ops/s" => return Ok(Metric::Iops(Iops(number))),
        "kiops" => return Ok(Metric::Iops(Iops(number * 1e3))),
        _ => {}
    }
    let bare = unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps"));
    match bare.filter(|bare| !bare.is_empty()).and_then(byte_factor) {
        Some(factor) => Ok(Metric::Bandwidth(BytesPerSecond(number * factor))),
        None => Err(last.unknown("is no unit that is known (iops, MiB/s or MB/s)")),
    }
}

fn latency_metric(first: &Word<'_>, rest: &[Word<'_>]) -> Result<Metric, ExpectationError> {
    let lower = first.text.to_ascii_lowercase();
    let (name, attached) = match lower.split_once(['<', '>', '=', '≤', '≥']) {
        Some((name, bound)) => (name.to_owned(), bound.trim_start_matches('=').to_owned()),
        None => (lower.clone(), String::new()),
    };
    let typed: String =
        std::iter::once(attached).chain(rest.iter().map(|word| word.text.to_owned())).collect();
    let rank = match name.as_str() {
        "latency" | "mean" | "average" | "avg" => None,
        _ => {
            let digits = name
                .strip_prefix('p')
                .ok_or_else(|| first.unknown("is not read, write, a number, pNN or latency"))?;
            let rank: f64 =
                digits.parse().map_err(|_| first.error("is not a percentile such as p99 or p99.9"))?;
            if !(rank > 0.0 && rank < 100.0) {
                return Err(first.error("is not a percentile between 0 and 100"));
            }
            Some(rank)
        }
    };
    let last = rest.last().unwrap_or(first);
    if typed.is_empty() {
        return Err(first.error("has no bound (for example < 30ms)"));
    }
    if typed.ends_with(|c: char| c.is_ascii_digit()) {
        return Err(last.error("has no unit of time (us, ms or s)"));
    }
    let bound = duration(&typed).map_err(|_| last.error("is not a time such as 30ms"))?;
    Ok(rank.map_or(Metric::MeanLatency(bound), |rank| Metric::Percentile(rank, bound)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Bytes, Mix};

    fn metrics(text: &str) -> Vec<(Option<Direction>, Metric)> {
        Expectation::parse(text)
            .unwrap()
            .claims
            .into_iter()
            .map(|claim| (claim.direction, claim.metric))
            .collect()
    }

    #[test]
    fn claims_are_read_as_people_write_them() {
        let thirty = Nanos::from_millis(30);
        assert_eq!(
            metrics("read 700 iops, write 300 iops, p99 < 30ms"),
            vec![
                (Some(Direction::Read), Metric::Iops(Iops(700.0))),
                (Some(Direction::Write), Metric::Iops(Iops(300.0))),
                (None, Metric::Percentile(99.0, thirty)),
            ]
        );
        let directions = |text| metrics(text).into_iter().map(|(way, _)| way).collect::<Vec<_>>();
        let (read, write) = (Some(Direction::Read), Some(Direction::Write));
        assert_eq!(directions("read 700 iops, p99 < 30ms, mean < 9ms"), [read, read, read]);
        assert_eq!(
            directions("read 7 iops, p99 < 30ms, write 7 iops, p99 < 9ms"),
            [read, read, write, write]
        );
        assert_eq!(directions("read 700 iops, write p99 < 30ms"), [read, write]);
        assert_eq!(directions("700 iops, p99 < 30ms"), [None, None]);
        assert_eq!(directions("p99 < 30ms, read 700 iops"), [None, read]);
        assert_eq!(directions("read 700 iops, mix 70/30, p99 < 30ms"), [read, None]);
        assert_eq!(metrics("latency<30 ms"), vec![(None, Metric::MeanLatency(thirty))]);
        assert_eq!(metrics("200MiB/s"), vec![(None, Metric::Bandwidth(BytesPerSecond(209_715_200.0)))]);
        assert_eq!(
            metrics("write >= 200 MB/s"),
            vec![(Some(Direction::Write), Metric::Bandwidth(BytesPerSecond(200e6)))]
        );
        assert_eq!(
            metrics("read p99.9 <= 5ms"),
            vec![(Some(Direction::Read), Metric::Percentile(99.9, Nanos::from_millis(5)))]
        );
    }

    #[test]
    fn the_load_of_a_claim_is_read_and_written_back() {
        let words = "read 700 iops, mix 70/30, bs=4k, random 50 %, p99 < 30ms";
        let found = Expectation::parse(words).unwrap();
        assert_eq!(found.claims.len(), 2);
        assert_eq!(found.load.mix, Some(Mix::reads(70)));
        assert_eq!((found.load.block, found.load.random_percent), (Some(Bytes::kib(4)), Some(50)));
        assert_eq!(found.load.access(Mix::READ), Access::partly_random(50, Mix::reads(70)));
        assert_eq!(found.to_string(), "read 700 iops, p99 < 30ms, mix 70/30, bs 4 KiB, random 50%");
        assert_eq!(Expectation::parse(&found.to_string()), Ok(found));
        let plain = Expectation::parse("read 700 iops, sequential, bs 4097B").unwrap();
        assert_eq!(plain.load.access(Mix::READ), Access::sequential(Mix::READ));
        assert_eq!(Expectation::parse(&plain.to_string()), Ok(plain));
        assert!(Expectation::parse("read 700 iops").unwrap().load.is_empty());
    }

    #[test]
    fn a_bad_claim_names_column_and_word() {
        for (text, column, word) in [
            ("read 700 iops, write x", 22, "x"),
            ("read 700", 6, "700"),
            ("read 700 furlongs", 10, "furlongs"),
            ("p99 < 30", 7, "30"),
            ("p101 < 30ms", 1, "p101"),
            ("", 1, ""),
            ("read 700 iops,", 15, ""),
            ("0 iops", 1, "0"),
            ("p99 > 30ms", 5, ">"),
            ("read 700 iops, mean>=3ms", 20, ">="),
            ("read < 700 iops", 6, "<"),
            ("read 700 iops, mix 70/40", 16, "mix"),
            ("read 700 iops, bs", 16, "bs"),
            ("read 700 iops, random 120%", 16, "random"),
            ("read 700 iops, bs 4k, bs 8k", 23, "bs"),
            ("mix 70/30, bs 4k", 1, "mix 70/30, bs 4k"),
            ("read 700 iops mix 70/30", 15, "mix"),
        ] {
            let error = Expectation::parse(text).unwrap_err();
            assert_eq!((error.column, error.word.as_str()), (column, word), "{text}: {error}");
        }
    }
}
