//! The text that CrystalDiskMark copies: rows of reads, writes and mixes, of versions 3 to 9.

use record::{Figure, LatencyKind, PRINTED_AT, ReportedPart, ReportedUnit, Scope};
use workload::Direction;

use super::found::{ImportedResult, add, latency, set, way};
use super::quantity::{self, Prefixes};
use super::text::Text;
use super::trouble::{Trouble, Troubles};

/// Reads every result in `text`.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut walk = Walk { text, troubles, found: Vec::new(), program: PROGRAMS[0], section: None, cut: None };
    for (start, line) in text.lines() {
        walk.line(line.trim(), start);
    }
    walk.found
}

struct Walk<'t> {
    text: &'t Text,
    troubles: &'t mut Troubles,
    found: Vec<ImportedResult>,
    /// One of [`PROGRAMS`].
    program: &'static str,
    /// Direction of the rows below, if a separate line states it (since version 7).
    section: Option<Section>,
    /// The line above, if it is the end of a row.
    cut: Option<Trouble>,
}

/// Programs with this text: KDiskMark imitates CrystalDiskMark.
const PROGRAMS: [&str; 2] = ["CrystalDiskMark ", "KDiskMark "];
/// Share within which a rate is that of its I/Os; the two units differ by 2.4 %.
const NEAR: f64 = 0.01;
/// Words with which a row begins.
const ROWS: [&str; 4] = ["SEQ", "RND", "Sequential ", "Random "];
const FIGURES: &str = "a rate like 557.213 MB/s, with [ 136038.3 IOPS] and < 234.1 us> where they stand";

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Read,
    Write,
    Mix,
}

/// Labels of the lines below the rows, and their names in a run.
const SAID: [(&str, &str); 7] = [
    ("Test", "test size"),
    ("Profile", "profile"),
    ("Mode", "mode"),
    ("Time", "times"),
    ("Date", PRINTED_AT),
    ("OS", "system"),
    ("Comment", "comment"),
];

impl Walk<'_> {
    fn line(&mut self, line: &str, start: usize) {
        let above = self.cut.take();
        let name = PROGRAMS.into_iter().find(|name| line.starts_with(name));
        if let Some(name) = name {
            let version = line[name.len()..].split_whitespace().next().unwrap_or_default();
            let version = version.trim_matches(['(', ')', ':']);
            let is_version = version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
            if is_version {
                self.section = None;
                self.program = name;
                self.begin(&format!("{name}{version} text"), start);
            }
        } else if line.starts_with("[Read]") {
            self.section = Some(Section::Read);
        } else if line.starts_with("[Write]") {
            self.section = Some(Section::Write);
        } else if line.starts_with("[Mix]") {
            self.section = Some(Section::Mix);
        } else if let Some(row) = Row::of(line) {
            above.into_iter().for_each(|cut| self.troubles.push(cut));
            self.row(&row, start);
        } else if split(line).is_some_and(|(label, _)| ends_label(label)) {
            let expected = "a row like 'SEQ 1MiB (Q= 8, T= 1): 3558.093 MB/s' from its beginning on";
            self.cut = Some(self.text.trouble(start, expected));
        } else if Row::is_cut(line) {
            self.troubles.push(self.text.trouble(start, FIGURES));
        } else if let Some((name, words)) = line.split_once(':') {
            self.said(name.trim(), words.trim());
        }
    }

    fn begin(&mut self, tool: &str, start: usize) {
        self.text.bounds.begin(&mut self.found, ImportedResult::begun(tool, start));
    }

    fn row(&mut self, row: &Row<'_>, start: usize) {
        let direction = match (row.direction, self.section) {
            (Some(direction), _) => Some(direction),
            (None, Some(Section::Read)) => Some(Direction::Read),
            (None, Some(Section::Write)) => Some(Direction::Write),
            (None, _) => None,
        };
        let Some(mut figures) = row.figures() else {
            return self.troubles.push(self.text.trouble(start, FIGURES));
        };
        let mixed = self.section == Some(Section::Mix) && row.direction.is_none();
        let name = if mixed { format!("{} mix", row.label) } else { row.label.clone() };
        // A row that comes again is that of another drive, whose banner is missing.
        let again = |part: &ReportedPart| part.job == name && part.of(direction).is_some();
        if self.found.last().is_none_or(|found| found.parts.iter().any(again)) {
            // CrystalDiskMark writes the unit next to the block size.
            self.program = PROGRAMS[usize::from(row.is_apart)];
            self.begin(&format!("{}of an unknown version text", self.program), start);
        }
        // KDiskMark divides fio's KiB by 1,000.
        if self.program == PROGRAMS[1] && !row.is_decimal(&figures) {
            figures.rate.value *= 1.024;
        }
        let is_cut = |open: char, figure: &Option<Figure>| {
            let inside = row.behind.split_once(open).map_or("", |(_, inside)| inside.trim_start());
            figure.is_none() && inside.starts_with(|c: char| c.is_ascii_digit())
        };
        if is_cut('[', &figures.iops) || is_cut('<', &figures.mean) {
            self.troubles.push(self.text.trouble(start, FIGURES));
        }
        if ["/s", "[", "<"].into_iter().any(|sign| row.behind.matches(sign).count() > 1) {
            let expected = "a single column of figures; only the first is read";
            self.troubles.push(self.text.trouble(start, expected));
        }
        let Some(found) = self.found.last_mut() else { return };
        let known = found.parts.iter().position(|part| part.job == name);
        if known.is_none() && !self.text.bounds.keeps_part() {
            return;
        }
        let place = known.unwrap_or_else(|| {
            let mut part = ReportedPart::named(Scope::Job, name, self.text.line(start));
            part.asked.clone_from(&row.asked);
            found.parts.push(part);
            found.parts.len() - 1
        });
        let way = way(&mut found.parts[place], direction);
        set(&mut way.bytes_per_second, Some(figures.rate));
        set(&mut way.iops, figures.iops);
        if figures.mean.is_some() {
            set(&mut latency(way, LatencyKind::Total).mean, figures.mean);
        }
    }

    /// Reads a line below the rows, such as `Test: 1 GiB (x5) [C: 50% (100/200GiB)]`.
    fn said(&mut self, name: &str, words: &str) {
        let known = SAID.iter().find(|(known, _)| *known == name);
        let Some(whole) = self.found.last_mut().and_then(|found| found.parts.first_mut()) else { return };
        if let Some((_, called)) =
            known.filter(|(_, called)| whole.said.iter().all(|(name, _)| name != called))
        {
            whole.said.push(((*called).to_owned(), words.to_owned()));
            let used =
                words.split('[').nth(1).and_then(|used| used.split('%').next()).filter(|_| name == "Test");
            let share = used.and_then(|used| used.rsplit(' ').next()).and_then(quantity::percent);
            add(&mut whole.figures, "volume.used", ReportedUnit::Percent, share);
        }
    }
}

/// One row: its label and the figures after it.
struct Row<'t> {
    label: String,
    /// Block size, queue depth and threads, as written in the label.
    asked: Vec<(String, String)>,
    direction: Option<Direction>,
    /// Whether a blank stands between the block size and its unit.
    is_apart: bool,
    behind: &'t str,
}

struct Figures {
    rate: Figure,
    iops: Option<Figure>,
    mean: Option<Figure>,
}

impl<'t> Row<'t> {
    /// Splits `SEQ    1MiB (Q=  8, T= 1):  3558.093 MB/s [   3393.3 IOPS] <  2356.01 us>` or, before version
    /// 7, ` Random Write 4KiB (Q= 32,T= 1) :   321.975 MB/s [  78607.2 IOPS]`.
    fn of(line: &'t str) -> Option<Row<'t>> {
        let (label, behind) = split(line).filter(|_| ROWS.iter().any(|word| line.starts_with(word)))?;
        let (words, loads) = label.split_once('(').unwrap_or((label, ""));
        let mut words: Vec<&str> = words.split_whitespace().collect();
        let direction = words.iter().find_map(|word| match *word {
            "Read" => Some(Direction::Read),
            "Write" => Some(Direction::Write),
            _ => None,
        });
        words.retain(|word| !matches!(*word, "Read" | "Write"));
        let loads: Vec<(String, String)> = loads
            .trim_end()
            .trim_end_matches(')')
            .split(',')
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
            .collect();
        let at = words.iter().skip(1).position(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let unit = |at: usize| words.get(at + 2).filter(|word| matches!(**word, "B" | "KiB" | "MiB"));
        let block = at.map(|at| format!("{}{}", words[at + 1], unit(at).unwrap_or(&"")));
        let is_apart = at.is_some_and(|at| unit(at).is_some());
        let said: String = loads.iter().map(|(name, value)| format!(" {name}{value}")).collect();
        let label = words.join(" ") + &said;
        let asked = block.map(|block| ("block".to_owned(), block)).into_iter().chain(loads);
        Some(Row { label, asked: asked.collect(), direction, is_apart, behind })
    }

    /// Whether I/Os and block size say that the rate counts megabytes of 1,000,000 bytes.
    fn is_decimal(&self, figures: &Figures) -> bool {
        let block = self.asked.iter().find(|(name, _)| name == "block");
        let block = block.and_then(|(_, block)| workload::size(block).ok());
        let moved = block.zip(figures.iops.as_ref()).map(|(block, iops)| block.0 as f64 * iops.value);
        moved.is_some_and(|moved| (moved / figures.rate.value - 1.0).abs() < NEAR)
    }

    /// Whether a line is a row whose end is missing, from within its rate on or from before it.
    fn is_cut(line: &str) -> bool {
        let (label, behind) = line.split_once(':').unwrap_or_default();
        let rest =
            behind.trim_start().trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
        let is_row =
            ROWS.iter().any(|word| line.starts_with(word)) && (label.contains("T=") || ends_label(label));
        is_row && (rest.len() < behind.trim_start().len() || label.contains("T=")) && " MB/".starts_with(rest)
    }

    fn figures(&self) -> Option<Figures> {
        let end = self.behind.find("/s")? + 2;
        let printed = self.behind[..end].trim();
        let rate = quantity::byte_rate(&pointed(printed), Prefixes::Named)?;
        let rate = Figure { printed: printed.to_owned(), ..rate };
        let rest = &self.behind[end..];
        let between = |open: char, unit: &str| {
            let (_, inside) = rest.split_once(open)?;
            let (number, _) = inside.split_once(unit)?;
            Some(number.trim())
        };
        let figure = |number: &str, worth| {
            quantity::plain(&pointed(number), worth)
                .map(|found| Figure { printed: number.to_owned(), ..found })
        };
        let iops = between('[', " IOPS").and_then(|number| figure(number, 1.0));
        let mean = between('<', " us").and_then(|number| figure(number, 1e3));
        Some(Figures { rate, iops, mean })
    }
}

/// Splits a row into its label and its figures, whether or not the label is whole.
fn split(line: &str) -> Option<(&str, &str)> {
    let (label, behind) = line.split_once(':').filter(|(label, _)| label.len() < 80)?;
    let behind = behind.trim_start();
    // A slash in the label marks a table with reads and writes in one row.
    let is_row = behind.starts_with(|c: char| c.is_ascii_digit()) && behind.contains("/s");
    (is_row && !label.contains('/')).then_some((label, behind))
}

/// Whether the words before any bracket end as those of a label do: in a block size, or in `Read` or `Write`.
fn ends_label(label: &str) -> bool {
    let last = label.split('(').next().unwrap_or_default().split_whitespace().last().unwrap_or_default();
    let is_size = last.ends_with('B') && last.starts_with(|c: char| c.is_ascii_digit());
    is_size || matches!(last, "Read" | "Write")
}

/// Returns `number` with a point before its decimals and no other separator. These figures always have decimals, so
/// the last separator is the decimal one in any locale.
fn pointed(number: &str) -> String {
    let last = number.rfind([',', '.']);
    let kept = number.char_indices().filter(|(at, c)| Some(*at) == last || !matches!(c, ',' | '.'));
    kept.map(|(_, c)| if c == ',' { '.' } else { c }).collect()
}
