//! The charts of a watched machine as data: the same lines as in the drawings, in finer buckets.

use analysis::Analysis;
use record::Run;
use workload::Nanos;

use super::packed::{self, Extremes};
use super::{Chart, Line, Panel, ZoomSeries, level};
use crate::charts::definitions::{CHARTS, ChartDefinition, LineDefinition};
use crate::charts::{PictureOptions, View, seen, unit_title};
use crate::page::watch::is_watch;

/// Most values of a page: about 2,000 buckets for each line of 20 devices.
const VALUES_MAX: usize = 2_000_000;
/// Most bytes of packed values in a page, which keeps it below eight megabytes with drawings and script.
const PACKED_MAX: usize = 5_500_000;
/// Most values of one series if there are few: a page of one device must not be as large as one of twenty.
const SERIES_MAX: usize = 16_000;
/// Intervals kept on either side of each end of a finding's span if there is no room for the whole span.
const BESIDE: u64 = 60;

/// Returns the series of `run`'s machine; `None` if it was not watched.
pub(super) fn series(run: &Run, analysis: &Analysis) -> Option<ZoomSeries> {
    if !is_watch(run) {
        return None;
    }
    let view = View::of(run, analysis, PictureOptions::default());
    if view.is_empty() {
        return None;
    }
    let lines = CHARTS.iter().map(|chart| chart.lines.len()).sum::<usize>() * view.devices().len().max(1);
    let mut room = (VALUES_MAX / lines).min(SERIES_MAX);
    loop {
        let zoomed = within(&view, analysis, room);
        // Most values repeat and pack well; noise of many devices does not, and is thinned further.
        if zoomed.packed() <= PACKED_MAX || room < 100 {
            return Some(zoomed);
        }
        room /= 2;
    }
}

/// Returns the series with at most about `room` values each.
fn within(view: &View<'_>, analysis: &Analysis, room: usize) -> ZoomSeries {
    let recording = view.recording();
    let usual = recording.usual();
    let keep = detail(analysis, usual, room / 2);
    let kept: u64 = keep.iter().map(|(from, to)| to.since(*from).0 / usual.0.max(1)).sum();
    let buckets = room.saturating_sub(kept as usize) / 2;
    let cut = record::thinned(recording.intervals(), &[], buckets, &keep);
    let lengths = packed::lengths(&cut, recording.intervals());
    let of_cpus = CHARTS.iter().filter(|chart| chart.is_of_cpu()).map(|definition| ("", definition));
    let of_devices = view.devices().iter().flat_map(|&device| {
        CHARTS.iter().filter(|chart| !chart.is_of_cpu()).map(move |definition| (device, definition))
    });
    let drawn = of_cpus.chain(of_devices);
    ZoomSeries {
        charts: drawn.filter_map(|(device, row)| chart(view, device, row, &lengths)).collect(),
        times: vec![cut.iter().map(|bucket| (bucket.from, bucket.to)).collect()],
        gaps: recording.gaps().to_vec(),
    }
}

fn chart(
    view: &View<'_>,
    device: &str,
    definition: &'static ChartDefinition,
    lengths: &[usize],
) -> Option<Chart> {
    let mut values: Vec<Extremes> = Vec::new();
    let mut panels = Vec::new();
    for (unit, lines) in definition.panels() {
        let mut drawn = Vec::new();
        let of = |line: &LineDefinition| {
            let all = line.values(view.recording(), device)?;
            Some((*line, Extremes::of(&all, lengths)))
        };
        let known: Vec<(LineDefinition, Extremes)> = lines.iter().filter_map(of).collect();
        let seen = seen(known, |(_, extremes)| extremes.is_zero());
        for (line, extremes) in seen.into_iter().filter(|(_, extremes)| extremes.says_something()) {
            values.push(extremes);
            drawn.push(Line { name: line.name().to_owned(), ink: line.ink().name() });
        }
        if !drawn.is_empty() {
            let levels = view.levels(definition, unit, device);
            panels.push(Panel {
                title: unit_title(unit).to_owned(),
                unit,
                written: None,
                scale: "linear",
                lines: drawn,
                levels: levels.iter().map(level).collect(),
            });
        }
    }
    let values = (!values.is_empty()).then(|| packed::values(&values))?;
    Some(Chart { device: device.to_owned(), chart: definition.id, times: 0, panels, values })
}

/// Returns the spans in which a page keeps every value: the spans of findings, within `room` intervals in all. Of a
/// span that is too long, both ends are kept, because something begins or ends there.
fn detail(analysis: &Analysis, usual: Nanos, room: usize) -> Vec<(Nanos, Nanos)> {
    let mut left = usual.0.saturating_mul(room as u64);
    let mut kept = Vec::new();
    let spans = analysis.findings.iter().flat_map(|finding| &finding.evidence);
    for (from, to) in spans.map(|evidence| (evidence.from, evidence.to)) {
        let beside = usual.0.saturating_mul(BESIDE);
        let around =
            |time: Nanos| (Nanos(time.0.saturating_sub(beside)), Nanos(time.0.saturating_add(beside)));
        let whole = (around(from).0, around(to).1);
        let parts =
            if whole.1.since(whole.0).0 <= left { vec![whole] } else { vec![around(from), around(to)] };
        for part in parts {
            let length = part.1.since(part.0).0;
            if length <= left && !kept.contains(&part) {
                left -= length;
                kept.push(part);
            }
        }
    }
    kept
}
