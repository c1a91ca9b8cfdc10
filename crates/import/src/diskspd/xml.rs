//! DiskSpd's XML, the same in 2.0 and 2.2: `Results` with their `TimeSpan`s; an incomplete document is read up to
//! its end.

use record::{Along, Figure, LatencyKind, Measure, ReportedPart, ReportedUnit, Scope};
use roxmltree::{Document, Node};
use workload::Direction;

use super::super::found::{ImportedResult, add, latency, percentile, series, way};
use super::super::pieces::shortened;
use super::super::quantity;
use super::super::text::{Anchor, Text, anchors_of, placed};
use super::super::trouble::{Trouble, Troubles};

/// Whether DiskSpd's root element is in the text.
pub(crate) fn is_xml(text: &Text) -> bool {
    text.raw.contains("<Results>") && text.raw.contains("<TimeSpan>")
}

/// Reads every time span as a result.
pub(crate) fn xml(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let raw = &text.raw;
    let mut found = Vec::new();
    for (start, _) in raw.match_indices("<Results>") {
        let rest = &raw[start..];
        let rest = &rest[..rest[1..].find("<Results>").map_or(rest.len(), |at| at + 1)];
        let end = rest.find("</Results>").map_or(rest.len(), |at| at + "</Results>".len());
        let line = text.raw_place(start).0 - 1;
        let mut reading = Reading { text, start, line, anchors: Vec::new(), troubles, found: &mut found };
        reading.results(&rest[..end]);
    }
    found
}

/// Most parameters read: more than any profile has.
const ASKED_MOST: usize = 2048;

struct Reading<'t> {
    text: &'t Text,
    /// Offset at which the document begins.
    start: usize,
    /// Number of lines before the document.
    line: u32,
    /// Known places in the current document, so that no place is counted from its beginning.
    anchors: Vec<Anchor>,
    troubles: &'t mut Troubles,
    found: &'t mut Vec<ImportedResult>,
}

impl Reading<'_> {
    fn results(&mut self, raw: &str) {
        let escaped = escaped(raw);
        let whole = match Document::parse(&escaped) {
            Ok(document) => return self.spans(&document),
            Err(error) => {
                let place = error.pos();
                let words = error.to_string();
                let words = words.split(" at ").next().unwrap_or_default().to_owned();
                let at = offset(&escaped, place.row, place.col);
                self.troubles.push(Trouble {
                    line: self.line + place.row,
                    column: place.col,
                    expected: format!("well-formed XML ({words})"),
                    found: shortened(&escaped[at..]),
                });
                mended(&escaped, at)
            }
        };
        if let Ok(document) = Document::parse(&whole) {
            self.spans(&document);
        }
    }

    fn spans(&mut self, document: &Document<'_>) {
        let root = document.root_element();
        self.anchors = anchors_of(document.input_text());
        let common = (profile(root), system(root));
        if children(root, "TimeSpan").next().is_none() {
            let expected = "an element TimeSpan with the results".to_owned();
            self.troubles.push(Trouble { line: self.line + 1, column: 1, expected, found: String::new() });
        }
        let version =
            child(root, "System").and_then(|node| child(node, "Tool")).and_then(|node| word(node, "Version"));
        let tool = format!("DiskSpd {} XML", version.unwrap_or("of an unknown version"));
        for (index, span) in children(root, "TimeSpan").enumerate() {
            let mut parts = self.span(span, index);
            self.repeat(&common, parts.first_mut());
            let mut found =
                ImportedResult { tool: tool.clone(), parts, at: self.start, ..ImportedResult::default() };
            super::start(&mut found);
            self.text.bounds.begin(self.found, found);
        }
    }

    /// Adds to a time span the parameters and words that all spans share.
    fn repeat(&self, (asked, said): &(Words, Words), whole: Option<&mut ReportedPart>) {
        let bytes = asked.iter().chain(said).map(|(name, value)| name.len() + value.len() + 48).sum();
        if let Some(whole) = whole.filter(|_| self.text.may_repeat(bytes)) {
            whole.asked.clone_from(asked);
            whole.said.clone_from(said);
        }
    }

    /// Returns line and column in the input.
    fn place(&self, node: Node<'_, '_>) -> (u32, u32) {
        let (line, column) = placed(node.document().input_text(), &self.anchors, node.range().start);
        (self.line + line, column)
    }

    fn span(&mut self, span: Node<'_, '_>, index: usize) -> Vec<ReportedPart> {
        let line = self.place(span).0;
        let mut whole = ReportedPart::named(Scope::Whole, format!("timespan {}", index + 1), line);
        whole.runtime = self.number(span, "TestTimeSeconds", 1e9).map(|time| quantity::nanos(&time));
        whole.clones = word(span, "ThreadCount").and_then(|count| count.parse().ok());
        if let Some(node) = child(span, "Latency") {
            self.latency(node, &mut whole);
        }
        if let Some(node) = child(span, "Iops") {
            self.series(node, &mut whole);
        }
        let mut parts = vec![whole];
        for thread in children(span, "Thread") {
            let id = word(thread, "Id").unwrap_or("?").to_owned();
            for target in children(thread, "Target") {
                if self.text.bounds.keeps_part() {
                    parts.push(self.target(&id, target, line));
                }
            }
        }
        let cpus = child(span, "CpuUtilization")
            .into_iter()
            .flat_map(|node| node.children().filter(Node::is_element));
        for cpu in cpus {
            let name = word(cpu, "Id").map_or_else(|| "avg.".to_owned(), str::to_owned);
            let mut part = ReportedPart::named(Scope::Cpu, format!("cpu {name}"), line);
            for (key, name) in [
                ("UsagePercent", "cpu.usage"),
                ("UserPercent", "cpu.user"),
                ("KernelPercent", "cpu.system"),
                ("IdlePercent", "cpu.idle"),
            ] {
                add(&mut part.figures, name, ReportedUnit::Percent, self.number(cpu, key, 1.0));
            }
            self.text.bounds.add(&mut parts, part);
        }
        parts
    }

    /// Reads one thread on one target. Rates are not in the XML, and none are computed here.
    fn target(&mut self, id: &str, target: Node<'_, '_>, line: u32) -> ReportedPart {
        let path = word(target, "Path").unwrap_or_default();
        let mut part = ReportedPart::named(Scope::Thread, format!("thread {id} on {path}"), line);
        let size = self.number(target, "FileSize", 1.0);
        add(&mut part.figures, "file_size", ReportedUnit::Bytes, size);
        for (direction, bytes, ops, mean, deviation) in [
            (None, "BytesCount", "IOCount", "AverageLatencyMilliseconds", "LatencyStdev"),
            (
                Some(Direction::Read),
                "ReadBytes",
                "ReadCount",
                "AverageReadLatencyMilliseconds",
                "ReadLatencyStdev",
            ),
            (
                Some(Direction::Write),
                "WriteBytes",
                "WriteCount",
                "AverageWriteLatencyMilliseconds",
                "WriteLatencyStdev",
            ),
        ] {
            let counted = self.number(target, ops, 1.0).filter(|count| count.value > 0.0);
            if counted.is_none() {
                continue;
            }
            let bytes = self.number(target, bytes, 1.0);
            let (mean, deviation) = (self.number(target, mean, 1e6), self.number(target, deviation, 1e6));
            let way = way(&mut part, direction);
            (way.ops, way.bytes) = (counted, bytes);
            if mean.is_some() {
                let latency = latency(way, LatencyKind::Total);
                (latency.mean, latency.stddev) = (mean, deviation);
            }
        }
        part
    }

    fn latency(&mut self, node: Node<'_, '_>, whole: &mut ReportedPart) {
        for (direction, key, mean, deviation) in [
            (None, "TotalMilliseconds", "AverageTotalMilliseconds", "LatencyStdev"),
            (Some(Direction::Read), "ReadMilliseconds", "AverageReadMilliseconds", "ReadLatencyStdev"),
            (Some(Direction::Write), "WriteMilliseconds", "AverageWriteMilliseconds", "WriteLatencyStdev"),
        ] {
            let buckets: Vec<(f64, Figure)> = children(node, "Bucket")
                .filter_map(|bucket| {
                    let percent = self.number(bucket, "Percentile", 1.0)?;
                    Some((percent.value, self.number(bucket, key, 1e6)?))
                })
                .collect();
            let (mean, deviation) = (self.number(node, mean, 1e6), self.number(node, deviation, 1e6));
            if buckets.is_empty() && mean.is_none() {
                continue;
            }
            let latency = latency(way(whole, direction), LatencyKind::Total);
            (latency.mean, latency.stddev) = (mean, deviation);
            for (percent, figure) in buckets {
                percentile(latency, percent, figure);
            }
        }
    }

    /// Reads the rates by interval (`-D`).
    fn series(&mut self, node: Node<'_, '_>, whole: &mut ReportedPart) {
        for (direction, key, deviation) in [
            (None, "Total", "IopsStdDev"),
            (Some(Direction::Read), "Read", "ReadIopsStdDev"),
            (Some(Direction::Write), "Write", "WriteIopsStdDev"),
        ] {
            let spread = self.number(node, deviation, 1.0);
            if spread.is_some() {
                add(&mut way(whole, direction).figures, "iops.stddev", ReportedUnit::PerSecond, spread);
            }
            let point = |bucket: Node<'_, '_>| {
                let at = quantity::plain(bucket.attribute("SampleMillisecond")?, 1e6)?;
                let rate = quantity::plain(bucket.attribute(key)?, 1.0)?;
                Some((at.value.max(0.0) as u64, rate.value))
            };
            let points: Vec<(u64, f64)> = children(node, "Bucket").filter_map(point).collect();
            if points.iter().any(|&(_, rate)| rate > 0.0) {
                series(&mut whole.series, Measure::Iops, direction, Along::Time).points = points;
            }
        }
    }

    /// Returns the number in the child `key`; adds a trouble if the child contains anything else.
    fn number(&mut self, node: Node<'_, '_>, key: &str, factor: f64) -> Option<Figure> {
        let found = child(node, key)?;
        let words = found.text().unwrap_or_default().trim();
        let figure = quantity::plain(words, factor);
        if figure.is_none() {
            let (line, column) = self.place(found);
            self.troubles.push(Trouble {
                line,
                column,
                expected: format!("a number in {key}"),
                found: shortened(words),
            });
        }
        figure
    }
}

fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn word<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name).and_then(|found| found.text()).map(str::trim)
}

/// Names, each with its value.
type Words = Vec<(String, String)>;

/// Returns the parameters of the profile, named as its elements: those of the first time span and of its targets.
fn profile(root: Node<'_, '_>) -> Words {
    let Some(span) =
        child(root, "Profile").and_then(|node| node.descendants().find(|node| node.has_tag_name("TimeSpan")))
    else {
        return Vec::new();
    };
    let mut asked = Words::new();
    for node in span.descendants().filter(Node::is_element) {
        let plain = node.children().all(|child| child.is_text());
        let (name, value) = (node.tag_name().name(), node.text().unwrap_or_default().trim());
        let pair = (name.to_owned(), value.to_owned());
        if plain && !value.is_empty() && asked.len() < ASKED_MOST && !asked.contains(&pair) {
            asked.push(pair);
        }
    }
    asked
}

fn system(root: Node<'_, '_>) -> Words {
    let Some(system) = child(root, "System") else { return Vec::new() };
    let pairs = [("ComputerName", "host"), ("RunTime", "started")];
    pairs
        .into_iter()
        .filter_map(|(key, name)| Some((name.to_owned(), word(system, key)?.to_owned())))
        .collect()
}

/// Escapes each ampersand that begins no entity: DiskSpd does not escape paths.
fn escaped(raw: &str) -> String {
    let mut parts = raw.split('&');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.split(';').next().unwrap_or_default();
        let entity = part.contains(';')
            && (matches!(name, "lt" | "gt" | "amp" | "quot" | "apos") || name.starts_with('#'));
        text.push_str(if entity { "&" } else { "&amp;" });
        text.push_str(part);
    }
    text
}

/// Returns the offset of a row and column that the XML reader reports, both counted from 1.
fn offset(text: &str, row: u32, column: u32) -> usize {
    let start: usize = text.split_inclusive('\n').take(row.saturating_sub(1) as usize).map(str::len).sum();
    let line = &text[start.min(text.len())..];
    let within: usize = line.chars().take(column.saturating_sub(1) as usize).map(char::len_utf8).sum();
    (start + within).min(text.len())
}

/// Returns the document up to its last complete element before `at`, with its open elements closed.
fn mended(text: &str, at: usize) -> String {
    let (mut open, mut cut): (Vec<&str>, (usize, Vec<&str>)) = (Vec::new(), (0, Vec::new()));
    let mut from = 0;
    while let Some(start) = text[from..at].find('<').map(|start| from + start) {
        let Some(end) = text[start..at].find('>').map(|end| start + end) else { break };
        let tag = &text[start + 1..end];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            if open.last() != Some(&name) {
                break;
            }
            open.pop();
            cut = (end + 1, open.clone());
        } else if !tag.ends_with('/') {
            open.push(name);
        }
        from = end + 1;
    }
    let closing: String = cut.1.iter().rev().map(|name| format!("</{name}>")).collect();
    format!("{}{closing}", &text[..cut.0])
}
