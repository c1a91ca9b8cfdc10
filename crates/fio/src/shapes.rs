//! Reads values for offsets, lengths and data: lengths with shares, ranges, distributions, file orders, patterns and
//! the word of `rw`.

use workload::{ByDirection, Bytes, FileOrder, FileTurn, LengthShare, Lengths, Spread, Zone, ZoneLength};

use super::bounds;
use super::flushing;
use super::pattern::{self, wrong};
use super::priorities;
use super::reader::Reader;
use super::shape::{Shape, ShapeValue};
use super::steady::rule::SteadyRule;
use super::terms;
use super::value::{Each, ValueError, Word};

/// Most lengths that fio accepts for a direction.
const LENGTHS: usize = 64;
/// Most zones that fio accepts for a direction.
const ZONES: usize = 256;

/// Reads `word` as `shape`.
///
/// # Errors
/// [`ValueError`], which says which part is wrong and what would be valid.
pub fn read(reader: &mut Reader, shape: Shape, word: &str) -> Result<ShapeValue, ValueError> {
    match shape {
        Shape::Split => each(word, |list| split(reader, list)).map(ShapeValue::Lengths),
        Shape::Range => each(word, |range| length_range(reader, range)).map(ShapeValue::Lengths),
        Shape::Spread => spread(reader, word).map(ShapeValue::Spread),
        Shape::Turn => turn(word).map(ShapeValue::Turn),
        Shape::Pattern => pattern::read(word, &reader.files).map(ShapeValue::Pattern),
        Shape::Data => match pattern::read(word, &reader.files)? {
            bits if bits.offsets.is_empty() => Ok(ShapeValue::Pattern(bits)),
            _ => Err(wrong(word, "fio knows %o, the place of a block, in verify_pattern alone")),
        },
        Shape::Priorities => each(word, |list| priorities::read(reader, list)).map(ShapeValue::Priorities),
        Shape::FileSize => file_size(reader, word).map(|(least, most)| ShapeValue::FileSize(least, most)),
        Shape::Direction(words) => direction(reader, words, word),
        Shape::Steady => SteadyRule::read(word).map(ShapeValue::Steady),
        Shape::Times => terms::times(word).map(|(least, most)| ShapeValue::Times(least, most)),
        Shape::Pages => flushing::pages(word).map(|(pages, writes)| ShapeValue::Pages(pages, writes)),
        Shape::EachTime => bounds::each_time(word).map(ShapeValue::EachTime),
        Shape::Commands(words) => commands(words, word).map(ShapeValue::Commands),
        Shape::Errors => terms::errors(word).map(ShapeValue::Errors),
    }
}

/// Reads up to three values: one applies to all directions, the second of two to writes and trims; empty ones to none.
fn each<T: Clone>(
    word: &str,
    mut one: impl FnMut(&str) -> Result<T, ValueError>,
) -> Result<Each<Option<T>>, ValueError> {
    let mut read = |part: &str| if part.is_empty() { Ok(None) } else { one(part).map(Some) };
    let values = word.split(',').map(&mut read).collect::<Result<Vec<_>, _>>()?;
    Ok(match values.as_slice() {
        [all] => [all.clone(), all.clone(), all.clone()],
        [first, second] => [first.clone(), second.clone(), second.clone()],
        [read, write, trim] => [read.clone(), write.clone(), trim.clone()],
        _ => return Err(ValueError::TooMany(3)),
    })
}

/// Reads a percentage; `None` if it is left out and so takes an equal share of the remainder.
fn percent(word: &str, text: &str) -> Result<Option<u32>, ValueError> {
    let bare = text.trim().trim_end_matches('%');
    if bare.is_empty() {
        return Ok(None);
    }
    match bare.parse::<u32>() {
        Ok(percent) if percent <= 100 => Ok(Some(percent)),
        _ => Err(wrong(word, format!("'{text}' is no percentage; write a whole number from 0 to 100"))),
    }
}

/// Percentages in hundredths; those left out share the remainder to 100 equally.
fn weights(word: &str, given: &[Option<u32>]) -> Result<Vec<u32>, ValueError> {
    let sum: u32 = given.iter().flatten().sum();
    let open = given.iter().filter(|percent| percent.is_none()).count() as u32;
    if sum > 100 {
        return Err(wrong(word, format!("the percentages add up to {sum}; they must add up to 100")));
    }
    let rest = ((100 - sum) * 100).checked_div(open).unwrap_or(0);
    Ok(given.iter().map(|percent| percent.map_or(rest, |percent| percent * 100)).collect())
}

/// Reads `length/percent:length/percent…`.
fn split(reader: &mut Reader, list: &str) -> Result<Lengths, ValueError> {
    let (mut lengths, mut percents) = (Vec::new(), Vec::new());
    for entry in list.split(':') {
        let (length, share) = entry.split_once('/').unwrap_or((entry, ""));
        lengths.push(Bytes(reader.bytes(length)?));
        // fio shares out what is left where a share is 0, as where it is left out.
        percents.push(percent(list, share)?.filter(|percent| *percent > 0));
    }
    if lengths.len() > LENGTHS {
        return Err(ValueError::TooMany(LENGTHS));
    }
    if reader.is_exact() {
        cut_at_100(&mut lengths, &mut percents);
    }
    let mut weights = weights(list, &percents)?;
    let sum: u32 = weights.iter().sum();
    let greatest = weights.iter().enumerate().max_by_key(|(_, weight)| **weight).map(|(at, _)| at);
    if let (..9_900, Some(last)) = (sum, greatest) {
        let length = lengths[last];
        let remark =
            format!("the percentages of {list} add up to {}; the rest is of {length}, as in fio", sum / 100);
        reader.remarks.push(remark);
        weights[last] += 10_000 - sum;
    }
    let share = |(length, weight)| LengthShare { length, weight };
    Ok(Lengths::Shares(lengths.into_iter().zip(weights).map(share).collect()))
}

/// Reads `word/percent:word/percent…`, or one word.
fn commands(words: &'static [Word], list: &str) -> Result<Vec<(&'static str, u32)>, ValueError> {
    let entries: Vec<_> = list.split(':').map(|entry| entry.split_once('/').unwrap_or((entry, ""))).collect();
    let known = |name: &str| words.iter().map(|(known, _)| *known).find(|known| *known == name);
    let names = entries
        .iter()
        .map(|(name, _)| known(name).ok_or_else(|| ValueError::Choice { word: (*name).to_owned(), words }));
    let names = names.collect::<Result<Vec<_>, _>>()?;
    let shares = entries.iter().map(|(_, share)| percent(list, share)).collect::<Result<Vec<_>, _>>()?;
    Ok(names.into_iter().zip(hundred(list, &shares)?).collect())
}

/// Percentages in hundredths, which must add up to 100 %; those left out share the remainder.
fn hundred(list: &str, given: &[Option<u32>]) -> Result<Vec<u32>, ValueError> {
    let weights = weights(list, given)?;
    match weights.iter().sum::<u32>() {
        9_900.. => Ok(weights),
        sum => Err(wrong(list, format!("the percentages add up to {}; they must add up to 100", sum / 100))),
    }
}

/// Cuts shares to 100 % in total: fio draws from the smallest share on and stops there, so the largest lose the excess.
fn cut_at_100(lengths: &mut Vec<Bytes>, percents: &mut Vec<Option<u32>>) {
    let mut pairs: Vec<_> = lengths.drain(..).zip(percents.drain(..)).collect();
    if pairs.iter().filter_map(|(_, percent)| *percent).sum::<u32>() > 100 {
        pairs.sort_by_key(|(_, percent)| *percent);
        let mut left = 100;
        for percent in pairs.iter_mut().filter_map(|(_, percent)| percent.as_mut()) {
            *percent = (*percent).min(left);
            left -= *percent;
        }
    }
    (*lengths, *percents) = pairs.into_iter().unzip();
}

/// Reads `least-most`.
fn length_range(reader: &mut Reader, range: &str) -> Result<Lengths, ValueError> {
    let Some((least, most)) = range.split_once(['-', ':']) else {
        let one = Bytes(reader.bytes(range)?);
        return Ok(Lengths::Fixed(one));
    };
    let (low, high) = (Bytes(reader.bytes(least)?), Bytes(reader.bytes(most)?));
    if low > high {
        return Err(wrong(range, format!("{least} is more than {most}; write the shorter length first")));
    }
    if low.0 < 512 && high.0 > 1024 * low.0 && least.bytes().all(|digit| digit.is_ascii_digit()) {
        let unit = most.trim_start_matches(|digit: char| digit.is_ascii_digit());
        return Err(wrong(range, format!("{least} stands for bytes; write {least}{unit}-{most}")));
    }
    Ok(Lengths::Range { least: low, most: high, step: low })
}

/// Reads one size, or a minimum and a maximum.
fn file_size(reader: &mut Reader, word: &str) -> Result<(u64, u64), ValueError> {
    let Some((least, most)) = word.split_once(['-', ':', ',']) else {
        return reader.bytes(word).map(|bytes| (bytes, bytes));
    };
    let (low, high) = (reader.bytes(least)?, reader.bytes(most)?);
    match low > high {
        true => Err(wrong(word, format!("{least} is more than {most}; write the smaller size first"))),
        false => Ok((low, high)),
    }
}

fn number(word: &str, text: &str) -> Result<f64, ValueError> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(wrong(word, format!("'{text}' is no number"))),
    }
}

/// Reads the number after the name of a distribution, and the centre after that.
fn law(word: &str, argument: Option<&str>, default: f64) -> Result<(f64, Option<f64>), ValueError> {
    let Some(argument) = argument else { return Ok((default, None)) };
    match argument.split_once(':') {
        None => Ok((number(word, argument)?, None)),
        Some((value, center)) => match number(word, center)? {
            center @ 0.0..=1.0 => Ok((number(word, value)?, Some(center))),
            _ => Err(wrong(word, "the center is a share of the region, from 0 to 1")),
        },
    }
}

/// Reads a distribution that favours some offsets or files, by one of three laws.
fn skewed(word: &str, name: &str, argument: Option<&str>) -> Result<Spread, ValueError> {
    match name {
        "zipf" => match law(word, argument, 1.1)? {
            (theta, center) if theta > 0.0 => Ok(Spread::Zipf { theta, center }),
            _ => Err(wrong(word, "theta must be above 0")),
        },
        "pareto" => match law(word, argument, 0.2)? {
            (h, center) if h > 0.0 && h < 1.0 => Ok(Spread::Pareto { h, center }),
            _ => Err(wrong(word, "the power must be between 0 and 1")),
        },
        _ => match law(word, argument, 10.0)? {
            (percent, center) if (0.0..=100.0).contains(&percent) => Ok(Spread::Normal { percent, center }),
            _ => Err(wrong(word, "the deviation is a percentage, from 0 to 100")),
        },
    }
}

/// Reads `random`, `zipf:theta[:center]`, `pareto:h[:center]`, `normal:percent[:center]`, `zoned:…`, `zoned_abs:…`,
/// `sequence:…`.
fn spread(reader: &mut Reader, word: &str) -> Result<Spread, ValueError> {
    let (name, argument) = match word.split_once(':') {
        Some((name, argument)) => (name, Some(argument)),
        None => (word, None),
    };
    match (name, argument) {
        ("random", None) => Ok(Spread::Uniform),
        ("zipf" | "pareto", _) | ("normal" | "gauss", Some(_)) => skewed(word, name, argument),
        ("zoned", Some(lists)) => zoned(reader, lists, Measure::Percent),
        ("zoned_abs", Some(lists)) => zoned(reader, lists, Measure::Bytes),
        ("sequence", Some(list)) => {
            let block = |text: &str| {
                text.trim().parse().map_err(|_| wrong(word, format!("'{text}' is no block number")))
            };
            Ok(Spread::Listed(list.split(',').map(block).collect::<Result<_, _>>()?))
        }
        ("normal" | "zoned" | "zoned_abs" | "sequence", None) => Err(wrong(word, example(name))),
        _ => Err(ValueError::Choice { word: word.to_owned(), words: SPREADS }),
    }
}

/// Words of `random_distribution`.
pub const SPREADS: &[Word] = &[
    ("random", "Uniform"),
    ("zipf", "Zipf's law"),
    ("pareto", "Pareto's law"),
    ("normal", "Normal"),
    ("zoned", "By zones"),
    ("zoned_abs", "By zones in bytes"),
    ("sequence", "A list of blocks"),
];

fn example(name: &str) -> &'static str {
    match name {
        "zoned" => "say how the I/O is shared out, for example zoned:60/10:30/20:10/70",
        "zoned_abs" => "say how the I/O is shared out, for example zoned_abs:60/20g:40/100g",
        "sequence" => "name the blocks, for example sequence:0,10,20",
        _ => "give the deviation in percent, for example normal:20",
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    Percent,
    Bytes,
}

fn zoned(reader: &mut Reader, lists: &str, measure: Measure) -> Result<Spread, ValueError> {
    let [read, write, trim] =
        each(lists, |list| zones(reader, list, measure))?.map(Option::unwrap_or_default);
    Ok(Spread::Zoned(ByDirection { read, write, trim }))
}

/// Reads `share/length:…`, with shares as percentages of the I/O; those left out share the remainder to 100.
fn zones(reader: &mut Reader, list: &str, measure: Measure) -> Result<Vec<Zone>, ValueError> {
    let entries: Vec<(&str, &str)> =
        list.split(':').map(|entry| entry.split_once('/').unwrap_or((entry, ""))).collect();
    if entries.len() > ZONES {
        return Err(ValueError::TooMany(ZONES));
    }
    let all = |texts: &mut dyn Iterator<Item = &str>| -> Result<Vec<u32>, ValueError> {
        hundred(list, &texts.map(|text| percent(list, text)).collect::<Result<Vec<_>, _>>()?)
    };
    let shares = all(&mut entries.iter().map(|(share, _)| *share))?;
    let lengths: Vec<ZoneLength> = match measure {
        Measure::Percent => {
            let percents = all(&mut entries.iter().map(|(_, length)| *length))?;
            percents
                .into_iter()
                .map(|hundredths| ZoneLength::Percent(f64::from(hundredths) / 100.0))
                .collect()
        }
        Measure::Bytes => {
            let mut length = |text: &str| match text.is_empty() {
                true => Ok(ZoneLength::Rest),
                false => reader.bytes(text).map(|bytes| ZoneLength::Bytes(Bytes(bytes))),
            };
            entries.iter().map(|(_, text)| length(text)).collect::<Result<_, _>>()?
        }
    };
    let zone = |(share, length)| Zone { percent: f64::from(share) / 100.0, length };
    Ok(shares.into_iter().zip(lengths).map(zone).collect())
}

/// Words of `file_service_type`.
pub const TURNS: &[Word] = &[
    ("roundrobin", "In turn"),
    ("random", "At random"),
    ("zipf", "By Zipf's law"),
    ("pareto", "By Pareto's law"),
    ("normal", "By the normal distribution"),
    ("gauss", "By the normal distribution"),
    ("sequential", "One after the other"),
];

fn turn(word: &str) -> Result<FileTurn, ValueError> {
    let (name, argument) = match word.split_once([':', ',']) {
        Some((name, argument)) => (name, Some(argument)),
        None => (word, None),
    };
    let count = || match argument.map(str::parse::<u32>) {
        None => Ok(1),
        Some(Ok(every)) if every > 0 => Ok(every),
        _ => Err(wrong(
            word,
            "the number after the colon says how many I/Os go to a file before the next is chosen",
        )),
    };
    let of = |order, every| Ok(FileTurn { order, every });
    match name {
        "roundrobin" => of(FileOrder::InTurn, count()?),
        "random" => of(FileOrder::Random, count()?),
        "sequential" => of(FileOrder::OneByOne, count()?),
        "zipf" | "pareto" | "normal" | "gauss" => match skewed(word, name, argument)? {
            Spread::Zipf { theta, .. } => of(FileOrder::Zipf { theta }, 1),
            Spread::Pareto { h, .. } => of(FileOrder::Pareto { h }, 1),
            Spread::Normal { percent, .. } => of(FileOrder::Normal { percent }, 1),
            _ => Err(ValueError::Choice { word: word.to_owned(), words: TURNS }),
        },
        _ => Err(ValueError::Choice { word: word.to_owned(), words: TURNS }),
    }
}

fn direction(reader: &mut Reader, words: &'static [Word], word: &str) -> Result<ShapeValue, ValueError> {
    let (name, argument) = match word.split_once([':', ',']) {
        Some((name, argument)) => (name, Some(argument)),
        None => (word, None),
    };
    let Some((known, _)) = words.iter().find(|(known, _)| *known == name) else {
        return Err(ValueError::Choice { word: word.to_owned(), words });
    };
    match argument {
        None => Ok(ShapeValue::Direction(known, None)),
        Some(number) if known.starts_with("rand") => match number.parse::<u32>() {
            Ok(every) if every > 0 => Ok(ShapeValue::Direction(known, Some(i64::from(every)))),
            // As atoi does.
            _ if reader.is_exact() => {
                let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
                Ok(ShapeValue::Direction(known, number[..end].parse().ok()))
            }
            _ => Err(wrong(word, "the number after the colon says how many I/Os follow each random offset")),
        },
        Some(number) => reader.signed_bytes(number).map(|bytes| ShapeValue::Direction(known, Some(bytes))),
    }
}
