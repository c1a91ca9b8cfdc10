//! The times that iostat prints before its reports: `%x %X` of many locales, ISO 8601, seconds since 1970.

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

/// A time as printed; the order of day, month and year may be unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stamp {
    /// Milliseconds since 1970.
    Known(i64),
    /// A local time without a zone; `ms` are the milliseconds since midnight.
    Local { date: [Number; 3], ms: i64, form: Form },
    /// A time without a date, in milliseconds since midnight.
    OfDay { ms: i64, twelve_hours: bool },
}

/// A number and its printed number of digits.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Number {
    value: i32,
    digits: usize,
}

/// Features of a time that indicate the locale.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Form {
    separator: char,
    twelve_hours: bool,
}

/// Order of day, month and year in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    YearMonthDay,
    DayMonthYear,
    MonthDayYear,
}

const ORDERS: [Order; 3] = [Order::YearMonthDay, Order::DayMonthYear, Order::MonthDayYear];

/// The times of a host's reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Times {
    /// Milliseconds since 1970, one for each report; `None` if the time could not be read.
    pub unix_ms: Vec<Option<i64>>,
    /// Whether there is no date, so that the milliseconds count from the first midnight.
    pub is_undated: bool,
    /// Notes on assumptions.
    pub notes: Vec<String>,
}

/// Reads the times of all reports together, because one of them may resolve the ambiguity of another. `date` is the
/// day in the host's line; `name` is the input's name, which often contains the day too.
pub(super) fn read(times: &[&str], date: Option<&str>, name: &str) -> Times {
    let host_day = date.and_then(|date| stamp(&format!("{date} 00:00:00")));
    let mut stamps: Vec<Option<Stamp>> = times.iter().map(|time| stamp(time)).collect();
    let is_undated = on_days(&mut stamps, host_day);
    let first = stamps.iter().flatten().find(|stamp| matches!(stamp, Stamp::Local { .. })).copied();
    let Some(first) = first else {
        let known = |stamp: &Option<Stamp>| stamp.and_then(|stamp| stamp.unix_ms(Order::YearMonthDay));
        return Times { unix_ms: stamps.iter().map(known).collect(), is_undated, notes: Vec::new() };
    };
    let own = host_day.filter(|own| own.separator() == first.separator());
    let readings: Vec<(Order, Vec<Option<i64>>)> = ORDERS
        .into_iter()
        .filter(|order| own.is_none_or(|own| own.unix_ms(*order).is_some()))
        .map(|order| {
            (order, stamps.iter().map(|stamp| stamp.and_then(|stamp| stamp.unix_ms(order))).collect())
        })
        .filter(|(_, read): &(_, Vec<Option<i64>>)| {
            read.iter().flatten().count() == stamps.iter().flatten().count()
        })
        .collect();
    let choice = chosen(&readings, first, name);
    let mut notes = Vec::new();
    if choice.order.is_some() {
        notes.push("the times have no zone; they are taken for UTC".to_owned());
    }
    let mut dates =
        times.iter().copied().map(|time| if of_day(time).is_some() { date.unwrap_or(time) } else { time });
    if let Some(order) = choice.assumed {
        notes.push(format!(
            "day and month of '{}' cannot be distinguished; it is taken for {}",
            dates.find(|time| !time.is_empty()).unwrap_or_default(),
            order.words()
        ));
    }
    let read = choice.order.and_then(|order| readings.into_iter().find(|(known, _)| *known == order));
    let unix_ms = read.map_or_else(|| vec![None; times.len()], |(_, read)| read);
    Times { unix_ms, is_undated: false, notes }
}

/// Gives times without a date the day of the host's line, and the days after it. Returns whether there is no such day, in
/// which case they count from the first midnight. Among times with a date, one without is no time.
fn on_days(stamps: &mut [Option<Stamp>], host_day: Option<Stamp>) -> bool {
    let is_of_day = |stamp: &Stamp| matches!(stamp, Stamp::OfDay { .. });
    let all = stamps.iter().flatten().all(is_of_day) && stamps.iter().any(Option::is_some);
    let mut last = 0;
    for place in stamps.iter_mut() {
        let Some(Stamp::OfDay { ms, twelve_hours }) = *place else { continue };
        last = next_of_day(last, ms);
        *place = match host_day {
            _ if !all => None,
            Some(Stamp::Local { date, form, .. }) => {
                Some(Stamp::Local { date, ms: last, form: Form { twelve_hours, ..form } })
            }
            _ => Some(Stamp::Known(last)),
        };
    }
    all && !matches!(host_day, Some(Stamp::Local { .. }))
}

/// Returns the milliseconds from the first midnight to a time of day after `last`: a clock that falls by half
/// a day has passed midnight.
pub(super) fn next_of_day(last: i64, of_day_ms: i64) -> i64 {
    let same_day = last.div_euclid(DAY_MS) * DAY_MS + of_day_ms;
    same_day + if same_day <= last - DAY_MS / 2 { DAY_MS } else { 0 }
}

/// The chosen order, and whether it was assumed.
struct Choice {
    order: Option<Order>,
    assumed: Option<Order>,
}

/// Returns the order that the file's name confirms, or else the one in which the reports are closest together, or
/// else the usual one for such times.
fn chosen(readings: &[(Order, Vec<Option<i64>>)], first: Stamp, name: &str) -> Choice {
    let certain = |order| Choice { order: Some(order), assumed: None };
    let starts = |read: &[Option<i64>]| read.iter().flatten().next().map(|ms| ms.div_euclid(DAY_MS));
    match readings {
        [] => return Choice { order: None, assumed: None },
        [(only, _)] => return certain(*only),
        _ => {}
    }
    if let Some((order, _)) = readings.iter().find(|(order, _)| first.year_is_written(*order)) {
        return certain(*order);
    }
    let named = days_in(name);
    let near =
        |read: &[Option<i64>]| starts(read).is_some_and(|day| named.iter().any(|at| (at - day).abs() <= 1));
    if let [(order, _)] = readings.iter().filter(|(_, read)| near(read)).collect::<Vec<_>>().as_slice() {
        return certain(*order);
    }
    let span = |read: &[Option<i64>]| {
        let known = || read.iter().flatten();
        known().max().zip(known().min()).map_or(0, |(last, first)| last - first)
    };
    let least = readings.iter().map(|(_, read)| span(read)).min().unwrap_or_default();
    let close: Vec<Order> =
        readings.iter().filter(|(_, read)| span(read) == least).map(|(order, _)| *order).collect();
    let usual = first.usual();
    match close.as_slice() {
        [only] => certain(*only),
        several => {
            let order = several.iter().copied().find(|order| *order == usual).unwrap_or(several[0]);
            let same = readings.iter().all(|(_, read)| starts(read) == starts(&readings[0].1));
            Choice { order: Some(order), assumed: (!same).then_some(order) }
        }
    }
}

/// Milliseconds of a day.
pub(super) const DAY_MS: i64 = 86_400_000;

impl Order {
    fn words(self) -> &'static str {
        match self {
            Order::YearMonthDay => "year, month, day",
            Order::DayMonthYear => "day, month, year",
            Order::MonthDayYear => "month, day, year",
        }
    }
}

impl Stamp {
    fn unix_ms(self, order: Order) -> Option<i64> {
        let ([a, b, c], ms) = match self {
            Stamp::Known(ms) => return Some(ms),
            Stamp::OfDay { .. } => return None,
            Stamp::Local { date, ms, .. } => (date, ms),
        };
        let (year, month, day) = match order {
            Order::YearMonthDay => (a, b, c),
            Order::DayMonthYear => (c, b, a),
            Order::MonthDayYear => (c, a, b),
        };
        // Four digits are always a year, and a year comes first only with four digits.
        let stands_wrong = order == Order::YearMonthDay && year.digits != 4;
        if month.digits > 2 || day.digits > 2 || stands_wrong {
            return None;
        }
        let century = match (year.digits, year.value) {
            (4.., _) => 0,
            (_, 70..) => 1900,
            _ => 2000,
        };
        let day = Date::new(
            i16::try_from(year.value + century).ok()?,
            i8::try_from(month.value).ok()?,
            i8::try_from(day.value).ok()?,
        );
        let midnight = day.ok()?.to_datetime(Time::midnight()).to_zoned(TimeZone::UTC).ok()?;
        Some(midnight.timestamp().as_millisecond() + ms)
    }

    fn separator(self) -> Option<char> {
        match self {
            Stamp::Local { form, .. } => Some(form.separator),
            Stamp::Known(_) | Stamp::OfDay { .. } => None,
        }
    }

    /// Whether `order` begins with the year and the date does too, with four digits; no other order then fits.
    fn year_is_written(self, order: Order) -> bool {
        matches!(self, Stamp::Local { date, .. } if order == Order::YearMonthDay && date[0].digits == 4)
    }

    /// Returns the usual order for times of this form: with AM and PM, the month first; with dots and dashes, the
    /// day first; with slashes and a two-digit year, the month first, as in the C locale.
    fn usual(self) -> Order {
        let Stamp::Local { date, form, .. } = self else { return Order::YearMonthDay };
        match form.separator {
            _ if form.twelve_hours => Order::MonthDayYear,
            '/' if date[2].digits <= 2 => Order::MonthDayYear,
            _ => Order::DayMonthYear,
        }
    }
}

/// Whether a line is a time with seconds that begins with a digit; no row of a device is one.
pub(super) fn is_time(line: &str) -> bool {
    let has_clock = line.matches(':').count() >= 2 && line.split_whitespace().count() <= 3;
    has_clock && line.trim_start().starts_with(|c: char| c.is_ascii_digit()) && stamp(line).is_some()
}

/// Parses one time in any of the forms.
fn stamp(text: &str) -> Option<Stamp> {
    let text = text.trim();
    if let Some(known) = epoch(text).or_else(|| zoned(text)) {
        return Some(Stamp::Known(known));
    }
    if let Some(of_day) = of_day(text) {
        return Some(of_day);
    }
    let text = without_zone(text);
    let mut numbers = numbers(text);
    let month = month_name(text);
    if let Some((month, at)) = month {
        // The name replaces the number of the month: between day and year, or before both.
        let place = numbers.iter().take_while(|(offset, _)| *offset < at).count();
        numbers.insert(place.min(1), (at, Number { value: month, digits: 2 }));
    }
    let plain: Vec<Number> = numbers.iter().map(|(_, number)| *number).collect();
    let (date, clock) = plain.split_first_chunk::<3>()?;
    let (hour, minute, second) = match clock {
        [hour, minute] => (hour.value, minute.value, 0),
        [hour, minute, second, ..] => (hour.value, minute.value, second.value),
        _ => return None,
    };
    let half = half_of_day(text);
    let hour = match half {
        Some(later) if hour <= 12 => hour % 12 + if later { 12 } else { 0 },
        _ => hour,
    };
    if hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let separator = text.trim_start_matches(|c: char| c.is_ascii_digit()).chars().next().unwrap_or(' ');
    let form = Form { separator, twelve_hours: half.is_some() };
    let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    Some(Stamp::Local { date: *date, ms: seconds * 1000 + fraction_ms(text), form })
}

/// Returns the milliseconds from midnight to `10:00:01` or `10:00:01 AM`.
pub(super) fn ms_of_day(text: &str) -> Option<i64> {
    of_day(text).and_then(|time| if let Stamp::OfDay { ms, .. } = time { Some(ms) } else { None })
}

/// Returns a time of the day, such as `10:00:01`, from milliseconds since a midnight.
pub(super) fn of_ms(ms: i64) -> String {
    let seconds = ms.rem_euclid(DAY_MS) / 1000;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Parses `10:00:01` or `10:00:01 AM`, which old versions of iostat precede by `Time:`.
fn of_day(text: &str) -> Option<Stamp> {
    let text = text.trim();
    let text = text.strip_prefix("Time:").unwrap_or(text).trim_start();
    let length = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b':').count();
    let (clock, word) = text.split_at(length);
    let parts: Option<Vec<i64>> =
        clock.split(':').map(|part| part.parse().ok().filter(|_| part.len() <= 2)).collect();
    let half = half_of_day(word);
    let twelve_hours = half.is_some();
    let [hour, minute, second] = *parts?.as_slice() else { return None };
    let is_clock =
        hour < 24 && minute < 60 && second <= 60 && (word.is_empty() || twelve_hours && word.len() <= 12);
    let hour = half.map_or(hour, |later| hour % 12 + if later { 12 } else { 0 });
    is_clock.then_some(Stamp::OfDay { ms: ((hour * 60 + minute) * 60 + second) * 1000, twelve_hours })
}

/// Returns the milliseconds of a fraction after a point, which no other part of a time has three digits of.
fn fraction_ms(text: &str) -> i64 {
    let digits = text.rsplit_once('.').map(|(_, digits)| digits).filter(|digits| digits.len() == 3);
    digits.and_then(|digits| digits.parse().ok()).unwrap_or_default()
}

/// Parses seconds (or milliseconds) since 1970, with or without a fraction.
fn epoch(text: &str) -> Option<i64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = text.parse().ok().filter(|_| plain && text.len() >= 9)?;
    match seconds {
        0.0..1e11 => Some((seconds * 1e3) as i64),
        1e11..1e14 => Some(seconds as i64),
        _ => None,
    }
}

/// Parses ISO 8601 with a zone.
fn zoned(text: &str) -> Option<i64> {
    let zoned = Timestamp::strptime("%Y-%m-%dT%H:%M:%S%z", text);
    zoned.or_else(|_| text.parse::<Timestamp>()).ok().map(|time| time.as_millisecond())
}

/// Removes an offset after the time; words such as `MSK` or `UTC` contain no digits and may stay.
fn without_zone(text: &str) -> &str {
    match text.rfind(['+', '-']) {
        Some(at) if text[..at].matches(':').count() >= 2 => &text[..at],
        _ => text,
    }
}

/// Returns every run of digits, with its offset.
fn numbers(text: &str) -> Vec<(usize, Number)> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(|c: char| c.is_ascii_digit()).map(|at| rest + at) {
        let length = text[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - start);
        let value = text[start..start + length].parse().unwrap_or(i32::MAX / 2);
        found.push((start, Number { value, digits: length }));
        rest = start + length;
    }
    found
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Returns the month given by an English name, with the offset of the name.
fn month_name(text: &str) -> Option<(i32, usize)> {
    let lower = text.to_ascii_lowercase();
    MONTHS.iter().zip(1..).find_map(|(name, month)| lower.find(name).map(|at| (month, at)))
}

/// Whether the time is in the second half of the day; `None` for a 24-hour clock.
fn half_of_day(text: &str) -> Option<bool> {
    let lower: String =
        text.to_lowercase().chars().filter(|c| !matches!(c, '.' | ' ' | '\u{a0}' | '\u{202f}')).collect();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let later = has(&["pm", "下午", "오후", "午後"]);
    (later || has(&["am", "上午", "오전", "午前"])).then_some(later)
}

/// Returns the days since 1970 of every `YYYY-MM-DD` in a name, with any separators.
fn days_in(name: &str) -> Vec<i64> {
    let numbers = numbers(name);
    let date = |three: &[(usize, Number)]| {
        let [(_, year), (_, month), (_, day)] = three else { return None };
        let written = year.digits == 4 && month.digits == 2 && day.digits == 2;
        let date = Date::new(
            i16::try_from(year.value).ok().filter(|_| written)?,
            i8::try_from(month.value).ok()?,
            i8::try_from(day.value).ok()?,
        );
        let midnight = date.ok()?.to_datetime(Time::midnight()).to_zoned(TimeZone::UTC).ok()?;
        Some(midnight.timestamp().as_millisecond().div_euclid(DAY_MS))
    };
    numbers.windows(3).filter_map(date).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21 00:54:17 UTC, in milliseconds.
    const THEN: i64 = 1_795_222_457_000;

    #[test]
    fn one_moment_in_every_form() {
        for text in [
            "1795222457",
            "1795222457.25",
            "1795222457000",
            "2026-11-21T00:54:17+0000",
            "2026-11-21T03:54:17+0300",
            "2026-11-21T00:54:17Z",
            "2026-11-21 00:54:17",
            "11/21/26 00:54:17",
            "11/21/2026 12:54:17 AM",
            "21/11/26 00:54:17",
            "21/11/2026 00:54:17",
            "21.11.2026 00:54:17",
            "21.11.2026 00.54.17",
            "21-11-26 00:54:17",
            "21. 11. 2026 0:54:17",
            "2026. 11. 21. 0:54:17",
            "2026年11月21日 00时54分17秒",
            "2026年11月21日 上午 12:54:17",
            "Sat 21 Nov 2026 12:54:17 AM UTC",
            "Nov 21, 2026 12:54:17 AM",
        ] {
            let read = read(&[text], None, "").unix_ms[0];
            assert_eq!(read.map(|ms| ms / 1000 * 1000), Some(THEN), "{text}");
        }
        assert_eq!(read(&["11/21/2026 12:54:17 PM"], None, "").unix_ms[0], Some(THEN + 12 * 3_600_000));
        for text in ["", "soon", "99/99/99 00:00:00", "12:63:14", "21.11.2026", "11/21/26 25:00:00", "-1"] {
            assert_eq!(read(&[text], None, "").unix_ms, [None], "{text}");
        }
    }

    #[test]
    fn times_of_the_day_alone_pass_midnight_and_have_the_day_of_the_host() {
        let times = ["Time: 11:59:58 PM", "", "12:00:03 AM"];
        let (before, after) = (86_398_000, 86_403_000);
        let undated = read(&times, None, "");
        assert_eq!((undated.unix_ms, undated.is_undated), (vec![Some(before), None, Some(after)], true));
        let dated = read(&times, Some("11/21/26"), "");
        let midnight = THEN / DAY_MS * DAY_MS;
        assert_eq!(dated.unix_ms, [Some(midnight + before), None, Some(midnight + after)]);
        assert!(!dated.is_undated);
        let mixed = read(&["12:13:14", "2026-11-21 00:54:17"], None, "");
        assert_eq!(mixed.unix_ms, [None, Some(THEN)], "one without a date is no time among others");
    }

    #[test]
    fn what_one_time_leaves_open_another_or_the_name_tells() {
        let april = 1_775_174_400_000; // 2026-04-03
        let march = 1_772_582_400_000; // 2026-03-04
        let first = |times: &[&str], name: &str| {
            let times = read(times, None, name);
            (times.unix_ms[0].unwrap() / DAY_MS * DAY_MS, times.notes.len())
        };
        assert_eq!(first(&["03/04/26 23:59:50"], ""), (march, 2), "as the C locale, and said");
        assert_eq!(first(&["03/04/26 23:59:50"], "logs/run-2026-04-03_12-00-00.json"), (april, 1));
        assert_eq!(
            first(&["03/04/26 23:59:50", "04/04/26 00:00:00"], ""),
            (april, 1),
            "midnight moves the day"
        );
        assert_eq!(first(&["03/04/26 23:59:50", "03/05/26 00:00:00"], ""), (march, 1));
        assert_eq!(first(&["03/04/2026 23:59:50"], ""), (april, 2), "a written year and a day of 24 hours");
        assert_eq!(first(&["03/04/2026 11:59:50 PM"], ""), (march, 2));
        assert_eq!(first(&["03.04.2026 23:59:50"], ""), (april, 2));
    }
}
