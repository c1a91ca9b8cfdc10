//! Predictions of the caps for block sizes between the measured ones: a thin dashed line, labelled as a model.

use analysis::findings::{BandwidthCap, IopsCap};
use analysis::{Analysis, LevelUnit, Meaning, Point};
use workload::Direction;

use super::ink::Ink;
use super::joined::{DOUBLING, Pen};
use super::panel::Line;
use crate::words::sentence::plural;

/// Points in each doubling of the block size: above the corner the rate is a curve.
const STEPS: f64 = 8.0;
/// Relative difference below which the caps of reads and writes are drawn as one line.
const ALIKE: f64 = 0.02;

/// Prediction of the caps of one direction, from its smallest to its largest block size.
struct Model {
    direction: Direction,
    /// Operations a second.
    operations: f64,
    /// Bytes a second.
    bytes: f64,
    blocks: (f64, f64),
}

/// Returns the model lines of a block ladder, one for each direction whose two caps are known, or a single one if
/// both directions have equal caps. `unit` is the size of the drawn unit, in base units.
pub(super) fn by_block(analysis: &Analysis, (counted, unit): (LevelUnit, f64)) -> Vec<Line> {
    let found = [Direction::Read, Direction::Write].map(|direction| model(analysis, direction));
    let models: Vec<&Model> = found.iter().flatten().collect();
    match models.as_slice() {
        [one, other] if one.is_like(other) => {
            let blocks = (one.blocks.0.min(other.blocks.0), one.blocks.1.max(other.blocks.1));
            vec![Model { blocks, ..**one }.line((Ink::Model, "model"), (counted, unit))]
        }
        models => models.iter().map(|model| model.own_line((counted, unit))).collect(),
    }
}

/// Returns the rules for joining points in `direction`. Nothing is joined across the block size at which its caps
/// meet. If both caps are known, only neighbours on a ladder without gaps are joined, because the model shows the
/// values between other points.
pub(super) fn pen(analysis: &Analysis, direction: Direction) -> Pen {
    match caps(analysis, direction) {
        Some((operations, bytes)) => Pen { apart: DOUBLING, corners: vec![bytes / operations] },
        None => Pen::default(),
    }
}

/// Returns the known caps on operations and on bytes in `direction`.
fn caps(analysis: &Analysis, direction: Direction) -> Option<(f64, f64)> {
    let meanings = || analysis.findings.iter().map(|finding| &finding.meaning);
    let operations = meanings().find_map(|meaning| match meaning {
        Meaning::IopsCap(IopsCap { direction: of, cap, .. }) if *of == direction => Some(cap.value),
        _ => None,
    })?;
    let bytes = meanings().find_map(|meaning| match meaning {
        Meaning::BandwidthCap(BandwidthCap { direction: of, cap, .. }) if *of == direction => Some(cap.value),
        _ => None,
    })?;
    (operations > 0.0 && bytes > 0.0).then_some((operations, bytes))
}

/// Returns the model of one direction; `None` if a cap is unknown or fewer than two block sizes were measured.
fn model(analysis: &Analysis, direction: Direction) -> Option<Model> {
    let (operations, bytes) = caps(analysis, direction)?;
    let blocks = analysis.blocks.iter().filter(|point| point.direction == direction);
    let size = |point: &Point| point.block as f64;
    let (low, high) =
        blocks.map(size).fold((f64::INFINITY, 0.0), |(low, high), at| (at.min(low), at.max(high)));
    (low > 0.0 && low < high).then_some(Model { direction, operations, bytes, blocks: (low, high) })
}

impl Model {
    fn is_like(&self, other: &Model) -> bool {
        let alike = |one: f64, other: f64| (one / other - 1.0).abs() < ALIKE;
        alike(self.operations, other.operations) && alike(self.bytes, other.bytes)
    }

    fn own_line(&self, drawn: (LevelUnit, f64)) -> Line {
        let ink = if self.direction == Direction::Read { Ink::ReadModel } else { Ink::WriteModel };
        self.line((ink, &format!("model of {}", plural(self.direction))), drawn)
    }

    fn line(&self, (ink, who): (Ink, &str), (counted, unit): (LevelUnit, f64)) -> Line {
        let value = |block: f64| match counted {
            LevelUnit::Operations => self.operations.min(self.bytes / block),
            LevelUnit::Bytes => (self.operations * block).min(self.bytes) / unit,
        };
        let formula = match counted {
            LevelUnit::Operations => "min(cap, bandwidth / block)",
            LevelUnit::Bytes => "min(cap × block, bandwidth)",
        };
        let places = self.places();
        let points: Vec<(f64, f64)> = places.into_iter().map(|block| (block, value(block))).collect();
        Line::of(&format!("{who}: {formula}"), ink, [points])
    }

    /// Returns the block sizes at which the line has points, in ascending order, including the corner.
    fn places(&self) -> Vec<f64> {
        let (low, high) = self.blocks;
        let steps = ((high / low).log2() * STEPS).ceil().max(1.0);
        let even = (0..=steps as u32).map(|step| low * (high / low).powf(f64::from(step) / steps));
        let corner = Some(self.bytes / self.operations).filter(|corner| low < *corner && *corner < high);
        let mut places: Vec<f64> = even.chain(corner).collect();
        places.sort_by(f64::total_cmp);
        places
    }
}
