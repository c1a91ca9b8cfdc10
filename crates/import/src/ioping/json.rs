//! ioping's JSON (since 1.2): requests, statistics and load as objects of one array.

use record::{Along, LatencyKind, Measure, RateBasis, ReportedPart, ReportedSeries, ReportedUnit, Scope};
use serde_json::Value;
use workload::Direction;

use super::super::documents::Document;
use super::super::fields::Fields;
use super::super::found::{ImportedResult, add, latency, series, way};
use super::super::quantity;
use super::super::text::Text;
use super::super::trouble::Troubles;

/// Whether a document is ioping's: an array of objects with `io` or `stat`.
pub(crate) fn is_ioping(document: &Document) -> bool {
    let items = document.value.as_array().map_or(&[][..], Vec::as_slice);
    items.iter().any(|item| item.get("io").is_some() || item.get("stat").is_some())
}

/// Reads one document as a result: requests as a series, each statistics object as a part.
pub(crate) fn json(document: &Document, text: &Text, troubles: &mut Troubles) -> ImportedResult {
    let mut found = ImportedResult {
        tool: "ioping 1.2 or later JSON".to_owned(),
        at: document.at,
        ..ImportedResult::default()
    };
    let mut root = serde_json::Map::new();
    root.insert("requests".to_owned(), document.value.clone());
    let root = Value::Object(root);
    let items = Fields::root(&root, text, document.at).map_or_else(Vec::new, |root| root.objects("requests"));
    let mut pending = Pending::default();
    for item in &items {
        if let Some(io) = item.object("io") {
            pending.request(item, &io, troubles);
        }
        if item.map.contains_key("stat") || item.map.contains_key("load") {
            let part = period(item, std::mem::take(&mut pending), troubles);
            text.bounds.add(&mut found.parts, part);
        }
    }
    if let Some(part) = pending.left_over(items.last()) {
        let expected = "an object with 'stat' after the requests";
        troubles.push(text.raw_trouble(document.at, expected, ""));
        found.parts.push(part);
    }
    if found.parts.len() > 1 {
        let parts = found.parts.iter_mut().zip(1..);
        parts.for_each(|(part, number)| part.job += &format!(", period {number}"));
    }
    let first = items.first().and_then(|item| item.number("timestamp", 1e3, &mut Troubles::default()));
    found.started_unix_ms = first.map_or(0, |first| first.value as u64);
    found
}

/// Requests whose statistics have not been read yet.
#[derive(Default)]
struct Pending {
    series: Vec<ReportedSeries>,
    size: Option<String>,
    ignored: u32,
}

impl Pending {
    fn request(&mut self, item: &Fields<'_>, io: &Fields<'_>, troubles: &mut Troubles) {
        let time = io.number("time", 1.0, troubles);
        let when = item.number("timestamp", 1e9, troubles);
        let (Some(time), Some(when)) = (time, when) else { return };
        let direction = match io.word("operation") {
            Some("read") => Some(Direction::Read),
            Some("write") => Some(Direction::Write),
            _ => None,
        };
        if self.size.is_none() {
            self.size = io.number("size", 1.0, troubles).map(|size| size.printed);
        }
        self.ignored += u32::from(io.map.get("ignored") == Some(&Value::Bool(true)));
        let series = series(&mut self.series, Measure::TotalLatency, direction, Along::UnixTime);
        series.points.push((when.value.max(0.0) as u64, time.value));
    }

    fn left_over(self, last: Option<&Fields<'_>>) -> Option<ReportedPart> {
        (!self.series.is_empty()).then(|| {
            let mut part = named(last);
            part.series = self.series;
            part
        })
    }
}

/// Returns a part with the facts about the target.
fn named(item: Option<&Fields<'_>>) -> ReportedPart {
    let target = item.and_then(|item| item.object("target"));
    let word = |key| target.as_ref().and_then(|target| target.word(key)).unwrap_or_default();
    let mut part = ReportedPart::named(Scope::Job, word("path"), item.map_or(1, Fields::line));
    for (key, name) in [("fstype", "file system"), ("device", "device")] {
        if !word(key).is_empty() {
            part.said.push((name.to_owned(), word(key).to_owned()));
        }
    }
    part
}

fn period(item: &Fields<'_>, pending: Pending, troubles: &mut Troubles) -> ReportedPart {
    let mut part = named(Some(item));
    let size = item.object("target").and_then(|target| target.number("device_size", 1.0, troubles));
    add(&mut part.figures, "device_size", ReportedUnit::Bytes, size);
    part.asked.extend(pending.size.map(|size| ("size".to_owned(), size)));
    let direction = match pending.series.as_slice() {
        [only] => only.direction,
        _ => None,
    };
    let ignored = f64::from(pending.ignored);
    if ignored > 0.0 {
        let figure = record::Figure::exact(ignored, pending.ignored.to_string());
        add(&mut part.figures, "ignored", ReportedUnit::Count, Some(figure));
    }
    part.series = pending.series;
    if let Some(stat) = item.object("stat") {
        let way = way(&mut part, direction);
        way.basis = RateBasis::Latency;
        let mut number = |key| stat.number(key, 1.0, troubles);
        [way.ops, way.bytes, way.runtime] = ["count", "size", "time"].map(&mut number);
        [way.iops, way.bytes_per_second] = ["iops", "bps"].map(&mut number);
        let latency = latency(way, LatencyKind::Total);
        [latency.min, latency.mean, latency.max, latency.stddev] =
            ["min", "avg", "max", "mdev"].map(&mut number);
    }
    if let Some(load) = item.object("load") {
        for (key, name, unit) in [
            ("count", "generated.requests", ReportedUnit::Count),
            ("size", "generated.bytes", ReportedUnit::Bytes),
            ("iops", "generated.iops", ReportedUnit::PerSecond),
            ("bps", "generated.bandwidth", ReportedUnit::BytesPerSecond),
            ("failed", "generated.failed", ReportedUnit::Count),
        ] {
            add(&mut part.figures, name, unit, load.number(key, 1.0, troubles));
        }
        part.runtime = load.number("time", 1.0, troubles).map(|time| quantity::nanos(&time));
    }
    part
}
