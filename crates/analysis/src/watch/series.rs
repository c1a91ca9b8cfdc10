//! A load at several shares of its nominal rate: one row per share.

use record::StepRecord;

use super::load::load_figures;
use super::shape::{LoadFigures, SeriesRow};
use super::ticks::known;
use super::watched_run::{Span, WatchedRun};

/// Returns the load phases by rising share of the nominal rate, repeats taken together.
pub(crate) fn rows(watch: &WatchedRun<'_>, bound_ns: Option<u64>) -> Vec<SeriesRow> {
    let scale = |span: &Span<'_>| span.load.as_ref().and_then(|load| load.scale);
    let mut scales: Vec<f64> = watch.spans.iter().filter_map(scale).collect();
    scales.sort_by(f64::total_cmp);
    scales.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let of = |wanted: f64| {
        let spans = || {
            watch.spans.iter().filter(move |span| scale(span).is_some_and(|is| (is - wanted).abs() < 1e-9))
        };
        let steps: Vec<&StepRecord> = spans().filter_map(|span| span.step).collect();
        let load = load_figures(&steps, Some(wanted), bound_ns)?;
        let phases = spans().map(|span| span.name.to_owned()).collect();
        Some(SeriesRow {
            scale: wanted,
            phases,
            load,
            queue: None,
            await_ns: None,
            queue_growth: None,
            latency_growth: None,
        })
    };
    let mut rows: Vec<SeriesRow> = scales.into_iter().filter_map(of).collect();
    if let Some(nominal) = rows.iter().find(|row| (row.scale - 1.0).abs() < 1e-9).map(|row| row.load.clone())
    {
        for row in &mut rows {
            row.queue_growth = ratio(row.load.in_flight, nominal.in_flight);
            let mean = |load: &LoadFigures| load.all.issued.mean_ns.unwrap_or(f64::NAN);
            row.latency_growth = ratio(mean(&row.load), mean(&nominal));
        }
    }
    rows
}

fn ratio(now: f64, then: f64) -> Option<f64> {
    known(now / then).filter(|_| then > 0.0)
}
