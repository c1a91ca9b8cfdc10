//! Output of the other tools of sysstat on devices and CPUs: `sar -d`, `sar -u`, `sadf -d`.

use std::collections::HashMap;

use super::super::text::Text;
use super::super::trouble::{Trouble, Troubles};
use super::clock;
use super::keys::column;
use super::sheet::{Command, Sheet};

/// Most columns read of a header.
const COLUMNS_MOST: usize = 64;
/// Most reports read of a host.
const REPORTS_MOST: usize = 1 << 20;

/// Fewest words after a time that make a row of a device: every version prints more.
const FIGURES_LEAST: usize = 5;
/// Most rows above the first header that are reported.
const HEADLESS_MOST: usize = 10;

/// The form of these sheets.
pub(super) const FORM: &str = "sar or sadf text";

/// Reads every host's recording in `text`; adds a trouble for each row that does not fit its header.
pub(super) fn read(text: &Text, troubles: &mut Troubles) -> Vec<Sheet> {
    let mut reader = Reader {
        text,
        troubles,
        sheets: Vec::new(),
        table: None,
        reports: HashMap::new(),
        last: [None; 2],
        first_ms: 0,
        host: String::new(),
        is_other_call: false,
        headless: Vec::new(),
        part: None,
    };
    for (start, line) in text.lines() {
        for (at, line) in unglued(line) {
            reader.line(line.trim_end(), start + at);
        }
    }
    reader.drop_part();
    if !reader.sheets.is_empty() {
        reader.headless.into_iter().for_each(|trouble| reader.troubles.push(trouble));
    }
    reader.sheets
}

/// Returns the lines that a page has joined to `line`, with their offsets. Each begins with its time, or as the host's
/// line or a mean does.
fn unglued(line: &str) -> Vec<(usize, &str)> {
    let offset = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    let is_time = |word: &&str| times(&[*word]).is_some();
    let begins = |word: &&str| is_time(word) || matches!(*word, "Linux" | "Average:");
    let mut starts = vec![0];
    // One time is that of the line itself.
    if line.split_whitespace().filter(is_time).nth(1).is_some() {
        starts.extend(line.split_whitespace().filter(begins).map(offset));
    }
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    starts.iter().zip(ends).map(|(&start, end)| (start, &line[start..end])).collect()
}

/// The subject of a table's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Of {
    Devices,
    Cpus,
    /// A subject that is ignored.
    #[default]
    Others,
}

/// A table, as its header describes it.
#[derive(Clone, Debug, Default)]
struct Table {
    of: Of,
    keys: Vec<String>,
    /// Whether semicolons separate the fields (`sadf -d`).
    is_csv: bool,
    /// Number of words in the time before the fields: one for `10:00:01`, two for `10:00:01 AM`.
    times: usize,
    /// Whether the name follows the figures (`-p`, `--pretty`).
    name_last: bool,
    /// Time of the header, at which the interval of the next row began.
    began: String,
    /// Whether a row has followed.
    has_rows: bool,
    /// Whether a page has wrapped the header, and with it the rows.
    is_wrapped: bool,
    /// Whether an empty line has followed the last row.
    rests: bool,
    /// Whether other text has followed the last row: rows between may have been cut out.
    is_cut: bool,
}

/// The last report of a subject.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// Milliseconds since the first midnight.
    ms: i64,
    report: usize,
    /// Milliseconds of its interval; zero if there is none.
    length_ms: i64,
}

struct Reader<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    sheets: Vec<Sheet>,
    table: Option<Table>,
    /// The report of the current sheet for each time: tables of different subjects share their times. A time without a
    /// date is in milliseconds since the first midnight.
    reports: HashMap<String, usize>,
    /// The last time and report of the devices, and of the CPUs, in the current sheet.
    last: [Option<Last>; 2],
    /// Milliseconds of the first time in the current sheet since midnight.
    first_ms: i64,
    /// Whether a command line stands between the last row and the next.
    is_other_call: bool,
    /// The host of the last row of `sadf -d`.
    host: String,
    /// Rows above the first header.
    headless: Vec<Trouble>,
    /// The beginning of a wrapped row, and its offset.
    part: Option<(String, usize)>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, start: usize) {
        if !line.split_whitespace().all(is_figure) {
            self.drop_part();
        }
        if line.trim().is_empty() {
            // A page may have put one below each line.
            self.table.iter_mut().for_each(|table| table.rests = true);
        } else if let Some(sheet) = super::text::host(line, start) {
            self.begin(sheet);
        } else if is_call(line) {
            (self.table, self.is_other_call) = (None, true);
        } else if let Some(table) = csv_table(line).or_else(|| table(line)) {
            self.table = Some(table);
        } else if is_other_header(line) {
            self.table = Some(Table { of: Of::Others, ..Table::default() });
        } else if let Some(mut table) = self.table.take() {
            self.row(&mut table, line, start);
            self.table = Some(table);
        } else if is_row(line) && self.headless.len() < HEADLESS_MOST {
            let expected = "the line '10:00:01 DEV tps …' above the rows";
            self.headless.push(self.text.trouble(start, expected));
        }
    }

    fn begin(&mut self, mut sheet: Sheet) {
        // sar omits the time since boot: everything it prints is an interval.
        (sheet.form, sheet.skips_boot) = (FORM, true);
        self.sheets.push(sheet);
        self.reports.clear();
        (self.table, self.last, self.is_other_call) = (None, [None; 2], false);
    }

    fn row(&mut self, table: &mut Table, line: &str, start: usize) {
        if table.of == Of::Others || table.goes_on(line) {
            return;
        }
        let whole = self.part.take().map(|(part, at)| (format!("{part} {line}"), at));
        let (line, start) = whole.as_ref().map_or((line, start), |(whole, at)| (whole, *at));
        if table.is_part(line) {
            self.part = Some((line.to_owned(), start));
            return;
        }
        let Some(row) = Row::of(table, line) else {
            let is_timed = times(&line.split_whitespace().take(2).collect::<Vec<_>>()).is_some();
            let rests = table.rests && !is_timed && !table.is_csv;
            table.is_cut |= !is_timed && !table.is_csv;
            // Means follow a word of the locale: `Average:`.
            let is_mean = line.split_whitespace().next().is_some_and(|word| word.ends_with(':'));
            let has_figures = line.split_whitespace().any(is_figure);
            // The next command, with the prompt in front of it.
            let is_prompt = line.split_whitespace().take(2).any(|word| word.ends_with(['$', '#']));
            let is_other = is_prompt
                || rests
                || is_mean
                || !has_figures
                || line.contains("RESTART")
                || line.contains("COMMENT");
            if !is_other {
                let expected = format!("a time, a name and {} figures", table.keys.len());
                self.troubles.push(self.text.trouble(start, expected));
            }
            return;
        };
        let is_other_host = !row.host.is_empty() && row.host != self.host;
        if self.sheets.is_empty() || is_other_host || self.is_other(table) {
            self.begin_of(row.host, start);
        }
        let report = if table.is_csv { self.dated(&row) } else { self.of_day(table, &row) };
        (table.has_rows, table.rests, table.is_cut) = (true, false, false);
        let Some(report) = report else { return };
        let Some(sheet) = self.sheets.last_mut() else { return };
        if table.of == Of::Devices {
            let mut figures = Vec::with_capacity(row.figures.len());
            for (key, number) in table.keys.iter().zip(&row.figures) {
                figures.extend(sheet.key(key, figures.len()).map(|key| (key, *number)));
            }
            sheet.enter_at(report, row.name, &figures);
        } else if matches!(row.name, "all" | "-1") {
            for (key, number) in table.keys.iter().zip(&row.figures) {
                sheet.enter_cpu_at(report, key, *number);
            }
        }
    }

    /// Adds a trouble for the beginning of a wrapped row whose rest is missing.
    fn drop_part(&mut self) {
        let part = self.part.take().filter(|(part, _)| part.split_whitespace().any(is_figure));
        let trouble = part.map(|(_, at)| self.text.trouble(at, "the rest of the row on the next line"));
        trouble.into_iter().for_each(|trouble| self.troubles.push(trouble));
    }

    /// Begins a recording of `sadf -d`, which has no host line but the host's name in each row.
    fn begin_of(&mut self, host: &str, start: usize) {
        self.begin(Sheet::of(FORM, start));
        host.clone_into(&mut self.host);
        if let Some(sheet) = self.sheets.last_mut().filter(|_| !host.is_empty()) {
            sheet.said.push(("nodename".to_owned(), host.to_owned()));
        }
    }

    /// Whether the first row below a header begins another recording: what stands above a command line is from another call,
    /// and within a recording no header states a time before the last row of its subject, or one within the rows of the
    /// other subject that these do not have.
    fn is_other(&self, table: &Table) -> bool {
        if table.is_csv || table.has_rows {
            return false;
        }
        let began = clock::ms_of_day(&table.began).unwrap_or_default();
        let is_back = match self.last[table.of as usize] {
            Some(last) => began < last.ms % clock::DAY_MS,
            None => {
                let began = clock::next_of_day(self.first_ms, began);
                let is_within = self.last.iter().flatten().any(|last| began < last.ms);
                is_within && !self.reports.contains_key(&began.to_string())
            }
        };
        self.is_other_call || is_back
    }

    /// Returns the report of a row with date and time, added if missing.
    fn dated(&mut self, row: &Row<'_>) -> Option<usize> {
        let known = self.reports.get(&row.time).copied();
        let report = known.or_else(|| self.push(&row.time, row.time.clone()))?;
        let sheet = self.sheets.last_mut()?;
        sheet.command = sheet.command.or(row.interval.map(Command::every));
        Some(report)
    }

    /// Returns the report of a row with a time of the day, added if missing.
    fn of_day(&mut self, table: &Table, row: &Row<'_>) -> Option<usize> {
        let subject = table.of as usize;
        let last = if table.has_rows { self.last[subject] } else { self.header(table) }?;
        let ms = clock::next_of_day(last.ms, clock::ms_of_day(&row.time)?);
        let (mut report, mut length_ms) = (last.report, last.length_ms);
        if ms != last.ms {
            length_ms = ms - last.ms;
            // Of rows that were cut out, no time is known but that of the row below them.
            if table.is_cut && last.length_ms > 0 && length_ms > last.length_ms {
                length_ms = last.length_ms;
                let began = ms - length_ms;
                let known = self.reports.contains_key(&began.to_string());
                if !known && self.push(&clock::of_ms(began), began.to_string()).is_some() {
                    self.sheets.last_mut()?.gaps += 1;
                }
            }
            // A clock that was set back shows a time again.
            let known = self.reports.get(&ms.to_string()).filter(|known| **known > report).copied();
            report = known.or_else(|| self.push(&row.time, ms.to_string()))?;
        }
        self.last[subject] = Some(Last { ms, report, length_ms });
        Some(report)
    }

    /// Returns the report that ended when the first interval below a header began, added without figures if missing: of
    /// the time before it, nothing is printed.
    fn header(&mut self, table: &Table) -> Option<Last> {
        let last = self.last[table.of as usize];
        let began = clock::ms_of_day(&table.began)?;
        let is_first = self.reports.is_empty();
        self.first_ms = if is_first { began } else { self.first_ms };
        let ms = clock::next_of_day(last.map_or(self.first_ms, |last| last.ms), began);
        let known = self.reports.get(&ms.to_string()).copied();
        let report = known.or_else(|| self.push(&table.began, ms.to_string()))?;
        if known.is_none() {
            let sheet = self.sheets.last_mut()?;
            // The first is in place of iostat's report since boot.
            sheet.skips_boot &= !is_first;
            sheet.gaps += usize::from(!is_first);
        }
        Some(Last { ms, report, length_ms: last.map_or(0, |last| last.length_ms) })
    }

    /// Adds a report with a printed time, known by `key`, to the current sheet; returns its index.
    fn push(&mut self, time: &str, key: String) -> Option<usize> {
        let sheet = self.sheets.last_mut().filter(|sheet| sheet.reports.len() < REPORTS_MOST)?;
        sheet.reports.push(time.to_owned());
        self.reports.insert(key, sheet.reports.len() - 1);
        Some(sheet.reports.len() - 1)
    }
}

impl Table {
    /// Adds the columns that a page has wrapped to the header; returns whether the line has them.
    fn goes_on(&mut self, line: &str) -> bool {
        let words = || line.split_whitespace();
        let place = !self.has_rows && !self.is_csv && !self.name_last;
        let goes_on = place
            && self.keys.len() + words().count() <= COLUMNS_MOST
            && words().all(|word| column(word).is_some() || word.starts_with('%'));
        if goes_on {
            self.is_wrapped = true;
            self.keys.extend(words().map(str::to_owned));
        }
        goes_on
    }

    /// Whether a line is the beginning of a wrapped row.
    fn is_part(&self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().take(COLUMNS_MOST).collect();
        self.is_wrapped && times(&words).is_some() && words.len() <= self.times + self.keys.len()
    }
}

/// Reads the header `10:00:01        DEV       tps     rkB/s …`, `10:00:01 AM     CPU     %user …`, or one with
/// `DEV` last.
fn table(line: &str) -> Option<Table> {
    let words: Vec<&str> = line.split_whitespace().take(COLUMNS_MOST).collect();
    let times = times(&words)?;
    let heads = &words[times..];
    let of = |word: &str| match word {
        "DEV" => Some(Of::Devices),
        "CPU" => Some(Of::Cpus),
        _ => None,
    };
    let (first, last) = (heads.first()?, heads.last()?);
    let (of, keys, name_last) = match (of(first), of(last)) {
        (Some(of), _) => (of, &heads[1..], false),
        (None, Some(of)) => (of, &heads[..heads.len() - 1], true),
        (None, None) => return None,
    };
    let known = |key: &&&str| if of == Of::Devices { column(key).is_some() } else { key.starts_with('%') };
    let is_table = keys.iter().filter(known).count() >= 2;
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    let began = words[..times].join(" ");
    is_table.then_some(Table { of, keys, is_csv: false, times, name_last, began, ..Table::default() })
}

/// Returns the number of words in the time at the start of a line: one, or two with AM or PM.
fn times(words: &[&str]) -> Option<usize> {
    let first = words.first()?;
    let is_clock = first.len() == 8 && clock::ms_of_day(first).is_some();
    is_clock.then_some(if matches!(words.get(1), Some(&("AM" | "PM"))) { 2 } else { 1 })
}

/// Reads the header `# hostname;interval;timestamp;DEV;tps;…`.
fn csv_table(line: &str) -> Option<Table> {
    let heads = line.trim_start().strip_prefix('#')?.trim_start();
    let mut heads = heads.strip_prefix("hostname;interval;timestamp;")?.split(';').take(COLUMNS_MOST);
    let of = match heads.next()? {
        "DEV" => Of::Devices,
        "CPU" => Of::Cpus,
        _ => Of::Others,
    };
    let keys = heads.map(|key| key.trim().to_owned()).collect();
    Some(Table { of, keys, is_csv: true, times: 0, name_last: false, ..Table::default() })
}

/// A row as printed.
struct Row<'t> {
    host: &'t str,
    time: String,
    interval: Option<f64>,
    name: &'t str,
    figures: Vec<f64>,
}

impl<'t> Row<'t> {
    fn of(table: &Table, line: &'t str) -> Option<Row<'t>> {
        if table.is_csv { Row::of_fields(table, line) } else { Row::of_words(table, line) }
    }

    fn of_fields(table: &Table, line: &'t str) -> Option<Row<'t>> {
        let fields: Vec<&str> = line.split(';').take(COLUMNS_MOST).map(str::trim).collect();
        let [host, interval, time, name, figures @ ..] = fields.as_slice() else { return None };
        let seconds: f64 = interval.parse().ok().filter(|seconds| *seconds > 0.0)?;
        let figures = numbers(table, figures)?;
        Some(Row { host, time: in_zone(time), interval: Some(seconds), name, figures })
    }

    fn of_words(table: &Table, line: &'t str) -> Option<Row<'t>> {
        let words: Vec<&str> = line.split_whitespace().take(COLUMNS_MOST).collect();
        let times = times(&words).filter(|times| *times == table.times)?;
        let rest = &words[times..];
        let (name, figures) = if table.name_last { rest.split_last()? } else { rest.split_first()? };
        let figures = numbers(table, figures)?;
        Some(Row { host: "", time: words[..times].join(" "), interval: None, name, figures })
    }
}

/// Converts `2026-11-23 09:49:45 UTC` to the form that states its zone.
fn in_zone(time: &str) -> String {
    let parts = time.strip_suffix(" UTC").and_then(|time| time.split_once(' '));
    parts.map_or_else(|| time.to_owned(), |(day, clock)| format!("{day}T{clock}+0000"))
}

/// Whether a line is the header of a subject that is ignored: words after a time.
fn is_other_header(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(COLUMNS_MOST).collect();
    let heads = times(&words).map_or(&[][..], |times| &words[times..]);
    let is_head = |word: &&str| !is_figure(word) && !matches!(*word, "COM" | "LINUX");
    heads.len() > 2 && heads.iter().all(is_head)
}

/// Whether a word is a number, with a point or a comma.
fn is_figure(word: &str) -> bool {
    word.replace(',', ".").parse::<f64>().is_ok()
}

/// Whether a line looks like a row of devices without its header: a time, a name, and figures.
fn is_row(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(COLUMNS_MOST).collect();
    let cells = times(&words).map_or(&[][..], |times| &words[times..]);
    let figures = cells.iter().filter(|word| word.contains(['.', ',']) && is_figure(word));
    cells.len() >= FIGURES_LEAST && figures.count() + 1 == cells.len()
}

/// Whether a line is a call of sar: the program's name in prose is not followed by options.
fn is_call(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(COLUMNS_MOST).collect();
    let is_option = |word: &&str| word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    super::text::call(&words, "sar").is_some_and(|own| own.first().map_or(words.len() <= 2, is_option))
}

/// Returns the figures of a row, one for each key.
fn numbers(table: &Table, words: &[&str]) -> Option<Vec<f64>> {
    let numbers: Option<Vec<f64>> = words.iter().map(|word| word.replace(',', ".").parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() == table.keys.len() && numbers.iter().all(|n| n.is_finite()))
}
