//! The strip over a volume, the ladder of working sets, and sequential reads by place.

use analysis::{Analysis, Estimate, PlacesAnswer, Region, SetObservation, StripPoint};

use record::Unit;

use super::{answer, name, set_table};
use crate::charts::axis::Axis;
use crate::charts::chart::Chart;
use crate::charts::engineering;
use crate::charts::ink::Ink;
use crate::charts::ladders::doubling_axis;
use crate::charts::over_time::{range, time_axis};
use crate::charts::panel::{Band, Dots, Line, Marker, Panel, Segment, Shade, Shape, Side};
use crate::words::Table;
use crate::words::numbers::{self, Prefix};

/// Number of intervals between ticks along the volume.
const TICKS: u32 = 8;

/// Returns the axis along the volume.
fn along(answer: &PlacesAnswer) -> Side {
    let size = answer.size as f64;
    let tick = |at: u32| {
        let place = size * f64::from(at) / f64::from(TICKS);
        (place, if at == 0 { "0".to_owned() } else { numbers::size(place as u64) })
    };
    // Leaves room for the label of the last tick.
    Side::new("place on the volume", Axis::with_ticks(0.0, 1.02 * size, (0..=TICKS).map(tick).collect()))
}

/// Returns each region as a band with its name.
fn bands(regions: &[Region]) -> Vec<Band> {
    let band = |(number, region): (usize, &Region)| Band {
        from: region.from.value,
        to: region.to.value,
        label: name(region.kind).to_owned(),
        shade: if number % 2 == 0 { Shade::Clear } else { Shade::Filled },
        parts: Vec::new(),
    };
    if regions.len() > 1 { regions.iter().enumerate().map(band).collect() } else { Vec::new() }
}

/// Returns the latency of the first and of later readings over the volume, with its regions; `None` if no place
/// was read.
pub(crate) fn strip(analysis: &Analysis) -> Option<Chart> {
    let answer = answer(analysis)?;
    let middle = |point: &StripPoint| (point.from + point.to) as f64 / 2.0;
    let first: Vec<(f64, f64)> = answer.strip.iter().map(|point| (middle(point), point.first_ns)).collect();
    let later: Vec<(f64, f64)> =
        answer.strip.iter().filter_map(|point| Some((middle(point), point.settled_ns?))).collect();
    let (low, high) = range(first.iter().chain(&later).map(|point| point.1))?;
    let lines = vec![
        Line { dots: Dots::Along(Shape::Square), ..Line::of("first reading", Ink::Write, [first]) },
        Line { dots: Dots::Along(Shape::Circle), ..Line::of("later readings", Ink::Read, [later]) },
    ];
    let panel = Panel {
        bands: bands(&answer.regions),
        ..Panel::of(along(answer), Side::new("median latency of a 4 KiB read", time_axis(low, high)), lines)
    };
    let title = "Latency by place";
    Some(Chart::drawn(title, 300, &[panel], strip_table(answer)))
}

fn strip_table(answer: &PlacesAnswer) -> Table {
    let mut table = Table::headed(&["from", "to", "first reading", "later readings"]);
    for point in &answer.strip {
        table.rows.push(vec![
            numbers::size(point.from),
            numbers::size(point.to),
            numbers::time(point.first_ns),
            point.settled_ns.map_or(String::new(), numbers::time),
        ]);
    }
    table
}

/// Returns mean latency and share of hits by the size of the working set; `None` with fewer than two sizes.
pub(crate) fn working_sets(analysis: &Analysis) -> Option<Chart> {
    let answer = answer(analysis)?;
    let mut sets: Vec<&SetObservation> = answer.sets.iter().collect();
    sets.sort_by_key(|set| (set.bytes, set.passes));
    // If a set was read several times, the observation with the most passes counts.
    let sets: Vec<&SetObservation> =
        sets.chunk_by(|a, b| a.bytes == b.bytes).filter_map(|same| same.last().copied()).collect();
    let x = doubling_axis(sets.iter().map(|set| set.bytes as f64), |bytes| numbers::size(bytes as u64))?;
    let means: Vec<(f64, f64)> = sets.iter().map(|set| (set.bytes as f64, set.latency_ns_mean)).collect();
    let (low, high) = range(means.iter().map(|point| point.1))?;
    let latency = Line { dots: Dots::Each(Shape::Circle), ..Line::of("", Ink::Read, [means]) };
    let markers = size_of(answer);
    let mut panels = vec![Panel {
        markers: markers.iter().map(|size| Marker { at: size.value, label: String::new() }).collect(),
        ..Panel::of(
            Side::new("working set", x.clone()),
            Side::new("mean latency of a 4 KiB read", time_axis(low, high)),
            vec![latency],
        )
    }];
    if let Some(hits) = hits(&sets) {
        let label = |size: &Estimate| format!("the cache: {}", numbers::size(size.value as u64));
        let ticks = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, numbers::share(share))).to_vec();
        panels.push(Panel {
            markers: markers.iter().map(|size| Marker { at: size.value, label: label(size) }).collect(),
            ..Panel::of(
                Side::new("working set", x),
                Side::new("share of reads from the cache", Axis::with_ticks(0.0, 1.05, ticks)),
                vec![hits],
            )
        });
    }
    let title = "Working sets: what a cache holds";
    Some(Chart::drawn(title, 260, &panels, set_table(answer)))
}

fn size_of(answer: &PlacesAnswer) -> Vec<Estimate> {
    match &answer.cache {
        analysis::CacheObservation::Seen { size, .. } => vec![*size],
        _ => Vec::new(),
    }
}

fn hits(sets: &[&SetObservation]) -> Option<Line> {
    let known: Vec<(f64, Estimate)> =
        sets.iter().filter_map(|set| Some((set.bytes as f64, set.hits?))).collect();
    let points: Vec<(f64, f64)> = known.iter().map(|(at, hits)| (*at, hits.value)).collect();
    let whiskers = known.iter().map(|(at, hits)| (*at, hits.low, hits.high)).collect();
    let line = Line { dots: Dots::Each(Shape::Circle), whiskers, ..Line::of("", Ink::Flush, [points]) };
    (!known.is_empty()).then_some(line)
}

/// Returns the rate of sequential reads over the volume; `None` if there were none.
pub(crate) fn tracks(analysis: &Analysis) -> Option<Chart> {
    let answer = answer(analysis)?;
    let points: Vec<(f64, f64)> =
        answer.windows.iter().map(|window| (window.offset as f64, window.bytes_per_second)).collect();
    let top = points.iter().map(|point| point.1).reduce(f64::max)?;
    let height = engineering::axis(Unit::BytesPerSecond, top * 1.08, 5);
    let line = Line { dots: Dots::Each(Shape::Circle), ..Line::of("", Ink::Read, [Segment::from(points)]) };
    let panel = Panel::of(along(answer), Side::new("sequential reads, one at a time", height), vec![line]);
    let mut table = Table::headed(&["place", "rate"]);
    for window in &answer.windows {
        table.rows.push(vec![
            numbers::size(window.offset),
            numbers::bandwidth(window.bytes_per_second, Prefix::Binary),
        ]);
    }
    let title = "Sequences by place";
    Some(Chart::drawn(title, 240, &[panel], table))
}
