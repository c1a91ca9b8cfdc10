//! A rate that did not settle within its step.

use record::Run;
use serde::{Deserialize, Serialize};
use workload::Direction;

use crate::figures::Figures;
use crate::finding::{Confidence, FindingOf, Kind, Nature};
use crate::plateaus::{PLATEAU, evidence};
use crate::step_figures::Point;

/// Half-width, as a share of the rate, above which a rate is not settled: a verdict at ±3 % could not rest on it.
const UNSETTLED: f64 = 0.03;

/// The rate did not settle within the step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unsteady {
    pub step: String,
    pub half_width: f64,
}

impl Kind for Unsteady {
    fn nature(&self) -> Nature<'_> {
        Nature { weight: 7, device: None, badness: Some(self.half_width), doubt: None, level: false }
    }
}

/// Returns the plateaus whose best step had not settled when it ended. Lower rungs need not settle.
pub(super) fn rule(run: &Run, figures: &Figures) -> Vec<FindingOf<Unsteady>> {
    let values: [fn(&Point) -> f64; 2] = [|point| point.iops.value, |point| point.bytes_per_second.value];
    let points: Vec<&Point> = figures.ladders().collect();
    let mut found: Vec<FindingOf<Unsteady>> = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        for value in values {
            let best = best_of_plateau(&points, direction, value);
            let finding = best.filter(|point| width(point) > UNSETTLED).map(|point| unsettled(run, point));
            found.extend(finding.filter(|finding| !found.contains(finding)));
        }
    }
    found
}

fn width(point: &Point) -> f64 {
    point.iops.half_width() / point.iops.value
}

fn best_of_plateau<'p>(
    points: &[&'p Point],
    direction: Direction,
    value: fn(&Point) -> f64,
) -> Option<&'p Point> {
    let of_direction = || points.iter().copied().filter(move |point| point.direction == direction);
    let best = of_direction().map(value).fold(0.0, f64::max);
    of_direction()
        .filter(|point| value(point) >= (1.0 - PLATEAU) * best)
        .min_by(|a, b| width(a).total_cmp(&width(b)))
}

fn unsettled(run: &Run, point: &Point) -> FindingOf<Unsteady> {
    FindingOf {
        meaning: Unsteady { step: point.step.clone(), half_width: width(point) },
        evidence: evidence(run, &[point]),
        confidence: Confidence::Certain,
    }
}
