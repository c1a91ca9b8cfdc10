//! iostat's text of every generation, as found in logs and pages: headers name the columns, rows follow.

use record::CpuMetric;

use super::super::scan::is_no_number;
use super::super::text::Text;
use super::super::trouble::{Trouble, Troubles};
use super::clock;
use super::keys::{Column, column};
use super::sheet::{Command, Sheet};

/// Reads every report in `text`; adds a trouble for each row that does not fit its header.
pub(super) fn read(text: &Text, troubles: &mut Troubles) -> Vec<Sheet> {
    let mut reader = Reader {
        text,
        troubles,
        sheets: Vec::new(),
        section: Section::None,
        above: Section::None,
        empty: 0,
        seen: Vec::new(),
        time: None,
        cpu: false,
        strays: 0,
        command: None,
        pending: Vec::new(),
        headless: Vec::new(),
        widths: Vec::new(),
    };
    text.lines().for_each(|(at, line)| reader.line(line.trim(), at));
    // Rows without a header are those of other tools, unless a header of iostat's has as many columns.
    let headless = reader.headless.into_iter().filter(|(figures, _)| reader.widths.contains(figures));
    headless.for_each(|(_, trouble)| reader.troubles.push(trouble));
    reader.sheets
}

/// Most words read of a line.
const WORDS_MOST: usize = 1024;
/// Most columns read of a header: iostat prints thirty.
const COLUMNS_MOST: usize = 256;

/// Fewest figures after a name that make a row of a device without a header: every version of `-x` prints more.
const FIGURES_LEAST: usize = 10;

/// Fewest lines of other text between CPUs and devices that make two reports of them; a log has single ones between.
const STRAYS_LEAST: usize = 3;
/// Most rows without a header that are remembered.
const HEADLESS_MOST: usize = 1000;
const HEADLESS: &str = "the line 'Device r/s …' above the rows: keep it, as \"grep -E 'Device|sda'\" does";

/// Kind of the next row.
enum Section {
    None,
    /// The shares of the CPUs, below these columns.
    Cpu(Vec<String>),
    /// Devices, below this header.
    Devices(Header),
}

/// A header of devices.
#[derive(Clone)]
struct Header {
    keys: Vec<String>,
    /// Whether the name follows the figures (`--pretty`).
    name_last: bool,
    /// Number of rows that have followed; before the first row, another line of columns belongs to the header.
    rows: usize,
    /// Whether the columns, and therefore the rows, are wrapped over several lines.
    wrapped: bool,
    /// The device of the last row.
    of: Option<String>,
    /// Whether the row below has no name, because it is the rest of that device's.
    is_below: bool,
}

struct Reader<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    sheets: Vec<Sheet>,
    section: Section,
    /// The table above an empty line.
    above: Section,
    /// Number of empty lines below the host's line, without other text between.
    empty: usize,
    /// Keys seen in the current report: a repeated key begins the next report.
    seen: Vec<String>,
    /// The previous line, which is a report's time if a header follows it.
    time: Option<String>,
    /// Whether the CPUs of the current report have been read.
    cpu: bool,
    /// Number of lines since then that are not iostat's.
    strays: usize,
    /// The command line above the next reports.
    command: Option<Command>,
    /// Words of an unfinished row, if columns are wrapped.
    pending: Vec<String>,
    /// Rows without a header: number of figures, and place.
    headless: Vec<(usize, Trouble)>,
    /// Number of columns of each header.
    widths: Vec<usize>,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, at: usize) {
        let words: Vec<&str> = line.split_whitespace().take(WORDS_MOST).collect();
        let Some(first) = words.first() else {
            return self.empty();
        };
        if let Some(command) = command(&words) {
            self.command = Some(command);
        } else if let Some(mut sheet) = host(line, at) {
            sheet.command = self.command.take();
            self.sheets.push(sheet);
            (self.section, self.above, self.time, self.cpu) = (Section::None, Section::None, None, false);
            self.seen.clear();
            self.empty = 0;
        } else if first.starts_with("avg-cpu") {
            self.begin(at, self.cpu || !self.seen.is_empty());
            self.cpu = true;
            let is_column = |word: &&&str| word.starts_with('%') || CpuMetric::of_column(word).is_some();
            let columns = words.iter().skip(1).take_while(is_column);
            self.section = Section::Cpu(columns.map(|word| (*word).to_owned()).collect());
        } else if let Some(header) = header(&words) {
            let again = header.keys.iter().any(|key| self.seen.contains(key));
            // What other text separates from the CPUs is another report.
            self.begin(at, again || (self.cpu && self.strays >= STRAYS_LEAST));
            self.seen.extend(header.keys.iter().cloned());
            self.widths.push(header.keys.len());
            self.section = Section::Devices(header);
        } else if self.goes_on(&words) {
            self.seen.extend(words.iter().map(|word| (*word).to_owned()));
        } else {
            self.resume(&words);
            self.row(line, &words, at);
        }
    }

    /// Handles an empty line. A second one below the host's line shows that the report since boot was omitted
    /// (`-y`).
    fn empty(&mut self) {
        if let (Some(sheet), Section::None) = (self.sheets.last_mut(), &self.section)
            && sheet.reports.is_empty()
        {
            self.empty += 1;
            sheet.skips_boot = self.empty > 1;
            self.time = Some(String::new());
            return;
        }
        let above = std::mem::replace(&mut self.section, Section::None);
        if !matches!(above, Section::None) {
            self.above = above;
        }
        self.time = self.time.take().filter(|time| clock::is_time(time));
        self.pending.clear();
    }

    /// Takes up the table above an empty line if a line fits it exactly: a page may have put an empty line below each.
    fn resume(&mut self, words: &[&str]) {
        let figures = words.iter().rev().take_while(|word| number(word, None).is_some()).count();
        let fits = match &self.above {
            Section::None => false,
            Section::Cpu(columns) => figures == columns.len() && figures == words.len(),
            Section::Devices(header) => {
                !header.wrapped
                    && !header.name_last
                    && figures == header.keys.len()
                    && figures + 1 == words.len()
            }
        };
        if fits && matches!(self.section, Section::None) {
            self.section = std::mem::replace(&mut self.above, Section::None);
            // Of the empty lines below the host's line, half are the page's too.
            if let Some(sheet) =
                self.sheets.last_mut().filter(|sheet| sheet.reports.len() == 1 && !sheet.said.is_empty())
            {
                sheet.skips_boot = self.empty > 3;
            }
        }
    }

    /// Adds columns to a header that a page has wrapped; returns whether the line continues the header. Below a single
    /// row, the columns and the next row are those of its device.
    fn goes_on(&mut self, words: &[&str]) -> bool {
        let Section::Devices(header) = &mut self.section else { return false };
        let fits = header.keys.len() + words.len() <= COLUMNS_MOST;
        let place = header.rows == 0 || (header.rows == 1 && words.len() > 1 && header.of.is_some());
        let goes_on = fits && place && words.iter().all(|word| column(word).is_some());
        if goes_on {
            (header.wrapped, header.is_below) = (header.rows == 0, header.rows == 1);
            if header.is_below {
                (header.rows, header.keys) = (0, Vec::new());
            }
            header.keys.extend(words.iter().map(|word| (*word).to_owned()));
        }
        goes_on
    }

    /// Begins a report if there is no report yet, or if keys repeat.
    fn begin(&mut self, at: usize, again: bool) {
        if self.sheets.is_empty() || self.command.is_some() {
            // The host's line is missing, and with it the report since boot. Anything above the command is from
            // another call.
            let mut sheet = Sheet::of("text", at);
            sheet.skips_boot = true;
            sheet.command = self.command.take();
            self.sheets.push(sheet);
        }
        let time = self.time.take().unwrap_or_default();
        self.strays = 0;
        if let Some(sheet) = self.sheets.last_mut()
            && (again || sheet.reports.is_empty())
        {
            sheet.begin(time);
            self.seen.clear();
            self.cpu = false;
        }
    }

    fn row(&mut self, line: &str, words: &[&str], at: usize) {
        match &mut self.section {
            Section::None => {
                let row = headless_row(line).map(|figures| (figures, self.text.trouble(at, HEADLESS)));
                self.headless.extend(row.filter(|_| self.headless.len() < HEADLESS_MOST));
                (self.strays, self.empty) = (self.strays + 1, 0);
                self.time = Some(line.trim().to_owned());
            }
            Section::Cpu(columns) if words.iter().all(|word| word.starts_with('%')) => {
                columns.extend(words.iter().map(|word| (*word).to_owned()));
            }
            Section::Cpu(columns) => {
                let Some(sheet) = self.sheets.last_mut() else { return };
                let shares: Vec<f64> = words.iter().map_while(|word| number(word, None)).collect();
                if shares.len() == columns.len() {
                    columns.iter().zip(shares).for_each(|(column, share)| sheet.enter_cpu(column, share));
                } else if words.iter().any(|word| is_cell(word)) {
                    let expected = format!("{} shares of the CPUs", columns.len());
                    self.troubles.push(self.text.trouble(at, expected));
                }
                self.section = Section::None;
            }
            Section::Devices(_) if words.first() == Some(&"--") => {}
            Section::Devices(header) if clock::is_time(line) => {
                let report = self.sheets.last_mut().and_then(|sheet| sheet.reports.last_mut());
                match report.filter(|_| header.rows == 0) {
                    Some(report) => line.trim().clone_into(report),
                    None => self.time = Some(line.trim().to_owned()),
                }
            }
            Section::Devices(_) => {
                // Moved out, so that the header is not copied for each row.
                if let Section::Devices(mut header) = std::mem::replace(&mut self.section, Section::None) {
                    header.rows += 1;
                    self.whole_row(&mut header, words, at);
                    self.section = Section::Devices(header);
                }
            }
        }
    }

    /// Reads a row, or keeps its beginning if the columns are wrapped and the row continues.
    fn whole_row(&mut self, header: &mut Header, words: &[&str], at: usize) {
        if !header.wrapped {
            let name = header.of.take().filter(|_| header.is_below && header.rows == 1);
            let words: Vec<&str> = name.as_deref().into_iter().chain(words.iter().copied()).collect();
            return self.device(header, &words, at);
        }
        let begins = words.first().is_some_and(|word| number(word, None).is_none());
        if begins {
            self.pending.clear();
        }
        self.pending.extend(words.iter().map(|word| (*word).to_owned()));
        if self.pending.len() > header.keys.len() {
            let pending = std::mem::take(&mut self.pending);
            let words: Vec<&str> = pending.iter().map(String::as_str).collect();
            self.device(header, &words, at);
        }
    }

    fn device(&mut self, header: &mut Header, words: &[&str], at: usize) {
        let Some(sheet) = self.sheets.last_mut() else { return };
        let figures = header.keys.len();
        // More words than figures are not a row, but what a page says below it.
        if words.iter().filter(|word| is_cell(word)).count() * 2 < words.len() {
            return;
        }
        // A name may contain blanks; figures never do.
        let Some(names) = words.len().checked_sub(figures).filter(|names| *names > 0) else {
            let expected = format!("a device's name and {figures} figures");
            self.troubles.push(self.text.trouble(at, expected));
            return;
        };
        let (names, cells) = match header.name_last {
            true => (&words[figures..], &words[..figures]),
            false => (&words[..names], &words[names..]),
        };
        let is_figure = |word: &&str| number(word, None).is_some() && word.contains(['.', ',']);
        let of_columns = |word: &&str| number(word, None).is_some() || column(word).is_some();
        if names.first().is_some_and(is_figure) || names.iter().skip(1).any(of_columns) {
            let expected =
                format!("a device's name and {figures} figures; the columns may have been wrapped");
            self.troubles.push(self.text.trouble(at, expected));
            return;
        }
        let name = names.join(" ");
        let mut row = Vec::with_capacity(figures);
        for (key, word) in header.keys.iter().zip(cells) {
            match number(word, column(key)) {
                Some(number) => {
                    let hint = row.last().map_or(0, |(key, _): &(usize, f64)| key + 1);
                    row.extend(sheet.key(key, hint).map(|key| (key, number)));
                }
                None => self.troubles.push(self.text.trouble(at, format!("a number for {key} of {name}"))),
            }
        }
        // With the header once above rows that were picked out ('grep sda'), a report begins with each time, and
        // with each device that comes again.
        let again = row.first().is_some_and(|&(key, _)| sheet.has_row(&name, key));
        if again || self.time.is_some() {
            sheet.begin(self.time.take().unwrap_or_default());
        }
        sheet.enter(&name, &row);
        header.of = Some(name);
    }
}

/// Returns the place of a row such as `sda 1.00 2.00 …` if no header precedes it, which would name its figures.
pub(crate) fn headless(text: &Text) -> Option<Trouble> {
    let is_header =
        |line: &str| header(&line.split_whitespace().take(WORDS_MOST).collect::<Vec<_>>()).is_some();
    let mut above = text.lines().take_while(|(_, line)| !is_header(line));
    above.find(|(_, line)| headless_row(line).is_some()).map(|(start, _)| text.trouble(start, HEADLESS))
}

/// Returns the number of figures if a line is a name and as many of them as `-x` prints.
fn headless_row(line: &str) -> Option<usize> {
    let is_figure = |word: &str| number(word, None).is_some() && word.contains(['.', ',']);
    let words = line.split_whitespace().take(WORDS_MOST);
    let figures = words.clone().skip(1).filter(|word| is_figure(word)).count();
    (figures >= FIGURES_LEAST && figures + 1 == words.count()).then_some(figures)
}

/// Whether a word is a figure in any notation, or what C prints in place of one.
fn is_cell(word: &str) -> bool {
    word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()) || is_no_number(word)
}

/// Returns the words after the name of `program` in a command line, with or without a prompt before it.
pub(super) fn call<'w, 't>(words: &'w [&'t str], program: &str) -> Option<&'w [&'t str]> {
    // A prompt may end at the command, as in `$iostat`; `nfs-iostat` is another program.
    let ends = |before: &str| before.is_empty() || before.ends_with(['/', '$', '#', '%', '>', ']']);
    let at = words.iter().position(|word| word.strip_suffix(program).is_some_and(ends))?;
    Some(&words[at + 1..])
}

/// Reads a command line such as `iostat -x 5 3`, with or without a prompt before it; `None` if it names no interval.
fn command(words: &[&str]) -> Option<Command> {
    let own = call(words, "iostat")?.iter().take_while(|word| !matches!(**word, "|" | ">" | "&&" | ";"));
    let is_number = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut numbers = own.clone().filter(is_number).filter_map(|word| word.parse::<u32>().ok());
    let interval = numbers.next().filter(|seconds| (1..=86_400).contains(seconds))?;
    let clustered = |word: &&str| word.starts_with('-') && !word.starts_with("--") && word.contains('y');
    Some(Command {
        interval_s: f64::from(interval),
        count: numbers.next().map(|count| count as usize),
        skips_boot: own.clone().any(clustered),
    })
}

/// Reads `Linux RELEASE (HOST) DATE _ARCH_ (N CPU)`.
pub(super) fn host(line: &str, at: usize) -> Option<Sheet> {
    let rest = line.trim_start().strip_prefix("Linux ")?;
    let (release, rest) = rest.split_once(" (")?;
    let (name, rest) = rest.split_once(')')?;
    let (date, rest) = rest.split_once(" _").unwrap_or((rest, ""));
    let cpus = rest.split_once('(').and_then(|(_, cpus)| cpus.split_whitespace().next());
    let mut sheet = Sheet::of("text", at);
    let said =
        [("nodename", name), ("release", release), ("number-of-cpus", cpus.unwrap_or("0")), ("date", date)];
    sheet.said = said.map(|(key, words)| (key.to_owned(), words.trim().to_owned())).to_vec();
    Some(sheet)
}

/// Returns the columns of a header: `Device` (with a colon up to 11.5.6) is first, or last with `--pretty`.
fn header(words: &[&str]) -> Option<Header> {
    let is_name = |word: &str| matches!(word, "Device" | "Device:");
    let name_last = words.last().is_some_and(|word| is_name(word));
    let columns = match name_last {
        true => &words[..words.len() - 1],
        false if is_name(words.first()?) => &words[1..],
        false => return None,
    };
    let known = columns.iter().take(COLUMNS_MOST).filter(|word| column(word).is_some()).count();
    let keys = columns.iter().map(|word| (*word).to_owned()).collect();
    (known >= 2 && columns.len() <= COLUMNS_MOST).then_some(Header {
        keys,
        name_last,
        rows: 0,
        wrapped: false,
        of: None,
        is_below: false,
    })
}

/// Parses a figure: many locales use a decimal comma, and `-h` adds a unit to each figure: `1.47k`, `16.6M`,
/// `3.3%`.
fn number(word: &str, of: Option<Column>) -> Option<f64> {
    let plain = word.trim_end_matches('%').replace(',', ".");
    if let Ok(number) = plain.parse::<f64>() {
        return Some(number).filter(|number| number.is_finite());
    }
    let letter = plain.chars().last()?;
    let power = ['B', 'k', 'M', 'G', 'T', 'P'].iter().position(|unit| *unit == letter)?;
    let number: f64 = plain[..plain.len() - letter.len_utf8()].parse().ok()?;
    match of? {
        Column::Throughput(_, worth) | Column::Amount(_, worth) => {
            Some(number * 1024_f64.powi(power as i32) / worth)
        }
        Column::Figure(metric, worth) if metric.unit() == record::Unit::Bytes => {
            Some(number * 1024_f64.powi(power as i32) / worth)
        }
        _ => Some(number * 1000_f64.powi(power as i32)),
    }
}
