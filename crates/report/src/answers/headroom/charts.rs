//! Latency against the rate of arrivals: percentiles of open loads, the bound as a line, the answer as a marker.

use analysis::{Analysis, Estimate, Greatest, HeadroomAnswer, OpenLoad};

use super::{bound_words, loads_table};
use crate::charts::axis::Axis;
use crate::charts::chart::Chart;
use crate::charts::ink::Ink;
use crate::charts::over_time::{range, time_axis, with_levels};
use crate::charts::panel::{Dots, Level, Line, Marker, Panel, Shape, Side};
use crate::words::numbers::{self, IOPS};

/// Ink and shape of each percentile.
const STYLES: [(&str, Ink, Shape); 4] = [
    ("p50", Ink::Read, Shape::Circle),
    ("p90", Ink::Write, Shape::Square),
    ("p99", Ink::Discard, Shape::Triangle),
    ("p99.9", Ink::Queue, Shape::Cross),
];
/// Multiple of the answer up to which loads are drawn: beyond it, the queue grows for as long as the load lasts.
const BEYOND: f64 = 1.25;

/// Returns the curve of a search; `None` if there was no search, or if fewer than two loads ran.
pub(crate) fn latency_by_rate(analysis: &Analysis) -> Option<Chart> {
    let answer = super::answer(analysis)?;
    let drawn: Vec<&OpenLoad> = answer.loads.iter().filter(|load| is_drawn(load, answer)).collect();
    if drawn.len() < 2 {
        return None;
    }
    let mut lines: Vec<Line> = (0..STYLES.len()).map(|at| line(&drawn, at)).collect();
    if answer.bounds.iter().any(|bound| bound.percent.is_none()) {
        lines.insert(0, mean(&drawn));
    }
    let levels: Vec<Level> = answer
        .bounds
        .iter()
        .map(|bound| Level { value: bound.most.0 as f64, label: bound_words(*bound), ink: Ink::Claim })
        .collect();
    let (low, high) = range(lines.iter().flat_map(Line::points).map(|point| point.1))?;
    let (low, high) = with_levels((low, high), &levels);
    let most = drawn.iter().map(|load| load.rate).fold(0.0, f64::max);
    let panel = Panel {
        levels,
        markers: mark(answer),
        ..Panel::of(
            Side::new("arrivals a second", Axis::linear(0.0, most * 1.04, 6, numbers::figure)),
            Side::new("latency, from due to done", time_axis(low, high)),
            lines,
        )
    };
    let title = "Latency against the rate of arrivals";
    Some(Chart::drawn(title, 320, &[panel], loads_table(answer)))
}

/// Whether a load ran to its end and is not far beyond the answer.
fn is_drawn(load: &OpenLoad, answer: &HeadroomAnswer) -> bool {
    let most = place(answer).map_or(f64::INFINITY, |at| BEYOND * at);
    !load.cut_short && load.rate <= most
}

fn place(answer: &HeadroomAnswer) -> Option<f64> {
    greatest(answer).map(|rate| rate.value)
}

fn greatest(answer: &HeadroomAnswer) -> Option<Estimate> {
    match answer.greatest? {
        Greatest::Found(rate) | Greatest::Between(rate) => Some(rate),
        Greatest::AtLeast(_) | Greatest::AtMost(_) => None,
    }
}

fn line(loads: &[&OpenLoad], at: usize) -> Line {
    let (name, ink, shape) = STYLES[at];
    let point = |load: &&OpenLoad| Some((load.rate, load.percentiles_ns.get(at)?.1 as f64));
    let points: Vec<(f64, f64)> = loads.iter().filter_map(point).collect();
    Line { dots: Dots::Each(shape), ..Line::of(name, ink, [points]) }
}

fn mean(loads: &[&OpenLoad]) -> Line {
    let points: Vec<(f64, f64)> = loads.iter().map(|load| (load.rate, load.mean_ns)).collect();
    Line { dots: Dots::Each(Shape::Ring), ..Line::of("mean", Ink::Flush, [points]) }
}

fn mark(answer: &HeadroomAnswer) -> Vec<Marker> {
    // Same digits as in the title: one quantity must not appear with two figures.
    let label = |rate: &Estimate| format!("holds up to {} IOPS", numbers::level(rate, IOPS));
    greatest(answer).map(|rate| Marker { at: rate.value, label: label(&rate) }).into_iter().collect()
}
