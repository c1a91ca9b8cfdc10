//! The charts of a measured run against time as data.

use analysis::Analysis;
use record::Run;

use super::packed::{self, Extremes};
use super::{Chart, Line, Panel, PanelUnit, ZoomSeries, level};
use crate::charts::{MeasuredChart, measured_series};

/// Most buckets of a line: with more, the page of a day's load would be larger than that of a day's watch.
const BUCKETS_MAX: usize = 8_000;

/// Returns the series of `run`'s steps; `None` if it has none.
pub(super) fn series(run: &Run, analysis: &Analysis) -> Option<ZoomSeries> {
    let series = measured_series(run, analysis)?;
    let cut = record::thinned(&series.spans, &[], BUCKETS_MAX, &[]);
    let lengths = packed::lengths(&cut, &series.spans);
    Some(ZoomSeries {
        charts: series.charts.iter().map(|(id, drawn)| chart(id, drawn, &lengths)).collect(),
        times: vec![cut.iter().map(|bucket| (bucket.from, bucket.to)).collect()],
        gaps: Vec::new(),
    })
}

fn chart(id: &'static str, drawn: &MeasuredChart, lengths: &[usize]) -> Chart {
    let values: Vec<Extremes> = drawn.lines.iter().map(|line| Extremes::of(&line.values, lengths)).collect();
    let lines = drawn.lines.iter();
    let logarithmic = drawn.unit == record::Unit::Seconds;
    let panel = Panel {
        title: drawn.title.to_owned(),
        unit: drawn.unit,
        written: drawn.written.map(|unit| PanelUnit { name: unit.name, factor: unit.factor }),
        scale: if logarithmic { "logarithmic" } else { "linear" },
        lines: lines.map(|line| Line { name: line.name.clone(), ink: line.ink.name() }).collect(),
        levels: drawn.levels.iter().map(level).collect(),
    };
    Chart { device: String::new(), chart: id, times: 0, panels: vec![panel], values: packed::values(&values) }
}
