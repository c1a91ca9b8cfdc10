//! Charts of a bucket's contents against time, for a run that drained the bucket on purpose.

use analysis::{BurstPart, Resource};

use super::{answer, drains};
use crate::charts::axis::Axis;
use crate::charts::chart::Chart;
use crate::charts::ink::Ink;
use crate::charts::over_time::{Clock, TimeChart};
use crate::charts::panel::{Line, Panel, Segment, Side};
use crate::charts::table::Source;
use crate::words::numbers;

/// Returns the bucket of operations against time; `None` if no such bucket was drained.
pub(crate) fn operations(of: &Source<'_>) -> Option<Chart> {
    bucket(of, Resource::Iops)
}

/// Returns the bucket of bytes against time; `None` if no such bucket was drained.
pub(crate) fn bytes(of: &Source<'_>) -> Option<Chart> {
    bucket(of, Resource::Bytes)
}

fn bucket(of: &Source<'_>, resource: Resource) -> Option<Chart> {
    let part = answer(of.analysis)?.of(resource).filter(|part| part.level.len() > 1)?;
    let (title, side, factor) = words(part);
    let clock = Clock::of(of.run);
    let points: Vec<(f64, f64)> =
        part.level.iter().map(|(at, level)| (clock.place(*at), level / factor)).collect();
    let lines = vec![Line::of("held", Ink::Read, vec![Segment::from(points)])];
    let y = Side::new(side, Axis::linear(0.0, Panel::top(&lines) * 1.06, 5, numbers::figure));
    let description = format!(
        "{title}: loads spend what comes through beyond what is left when it is empty, rests earn. The table below has the \
         drains."
    );
    let timed = TimeChart { title: &title, description, y, lines, levels: Vec::new(), height: 230 };
    timed.chart(of.run, drains(part))
}

/// Returns the chart's title, the label of the axis, and the operations or bytes in one unit of the axis.
fn words(part: &BurstPart) -> (String, String, f64) {
    match part.resource {
        Resource::Iops => {
            let title = "What the bucket of operations held against time";
            (title.to_owned(), "thousands of operations".to_owned(), 1e3)
        }
        Resource::Bytes => {
            let title = "What the bucket of bytes held against time";
            (title.to_owned(), "held (GiB)".to_owned(), (1u64 << 30) as f64)
        }
    }
}
