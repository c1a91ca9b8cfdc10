//! Levels: spells, cut at the changes within them, and the noise of each level.

use statistics::quantile::{median, robust_deviation};
use statistics::segments::{Change, Rule, Sample, Segment, Segmentation, segments_of_each};

use super::flow::Flow;
use super::spells::Spell;

/// A stretch of a spell at one level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'s> {
    pub spell: &'s Spell,
    pub segment: Segment,
    /// Noise of a cell of its spell around the level, as a share (standard deviation).
    noise: f64,
    /// Whether the stretch begins, and whether it ends, with a change within its spell: the sample next to that may
    /// have a part of either level.
    cut: [bool; 2],
}

impl Stretch<'_> {
    /// Returns the logarithm of the rate: of its median, which a stall or the end of a burst does not move.
    pub fn log(&self) -> f64 {
        self.middle().max(f64::MIN_POSITIVE).ln()
    }

    /// Returns the rates of the samples, without those next to a change if there are others.
    fn values(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.samples().map(|sample| sample.value).collect();
        let [begins, ends] = self.cut;
        if ends && values.len() > 1 {
            values.pop();
        }
        if begins && values.len() > 1 {
            values.remove(0);
        }
        values
    }

    /// Returns the standard error of the logarithm, from the median deviation, for neighbours with a correlation of
    /// 0.8.
    pub fn error(&self) -> f64 {
        let values = self.values();
        let deviation = robust_deviation(&values).unwrap_or(f64::INFINITY);
        let mut share = deviation / self.middle().max(f64::MIN_POSITIVE);
        if values.len() < OWN_LEAST {
            share = share.max(self.noise);
        }
        (DEPENDENT * share / (values.len() as f64).sqrt() + FLOOR).min(ERROR_MOST)
    }

    fn middle(&self) -> f64 {
        median(&self.values()).unwrap_or(self.segment.level)
    }

    /// Returns the stretch as reported: with a few samples of another level in it, at the median.
    pub fn told(&self) -> Segment {
        let middle = self.middle();
        let mixed = (self.segment.level / middle.max(f64::MIN_POSITIVE) - 1.0).abs() > MIXED;
        if mixed { Segment { level: middle, ..self.segment } } else { self.segment }
    }

    /// Returns the total length of the samples in seconds; without samples, the length of the stretch.
    pub fn seconds(&self) -> f64 {
        let seen: f64 = self.samples().map(|sample| sample.to - sample.from).sum();
        if seen > 0.0 { seen } else { self.segment.to - self.segment.from }
    }

    /// Returns the bytes per second.
    pub fn bytes(&self) -> f64 {
        self.middle() * self.spell.bytes_each
    }

    /// Returns the seconds from issue to completion by Little's law, if the queue is kept full.
    pub fn latency(&self) -> f64 {
        self.spell.depth / self.segment.level.max(f64::MIN_POSITIVE)
    }

    /// Returns the samples of the stretch.
    pub fn samples(&self) -> impl DoubleEndedIterator<Item = &Sample> {
        let Segment { from, to, .. } = self.segment;
        self.spell.samples.iter().filter(move |sample| sample.from >= from - 1e-6 && sample.to <= to + 1e-6)
    }
}

/// The square root of (1 + 0.8) / (1 - 0.8): the factor by which such a correlation widens the error of a mean.
const DEPENDENT: f64 = 3.0;
/// Distance within which two steps have one level, in the natural logarithm.
const BESIDE: f64 = 0.1;
/// Share within which mean and median of one level agree.
const MIXED: f64 = 0.03;
/// Fewest samples that show their own noise; with fewer, the noise is at least that of their spell.
const OWN_LEAST: usize = 8;
/// Least standard error of a level, as a share: counts are integers, and a meter works in slices.
const FLOOR: f64 = 0.002;
/// Greatest standard error of a level: an error of half the level leaves the level unknown.
pub(crate) const ERROR_MOST: f64 = 0.5;

/// The stretches of all spells in the order of time, and the changes between two of one spell.
pub(crate) struct Levels<'s> {
    pub spells: &'s [Spell],
    pub flows: Vec<Flow>,
    pub stretches: Vec<Stretch<'s>>,
    /// Changes within a spell, with the index of the stretch that each begins.
    pub within: Vec<(usize, Change)>,
    /// Wandering of the level in a second, as a share (standard deviation).
    pub wander: f64,
    /// Noise of a cell around the level, as a share (standard deviation): that of the noisiest spell.
    pub noise: f64,
}

impl<'s> Levels<'s> {
    /// Cuts `spells` by `rule`; `flows` is all I/O, in the spells and between them.
    pub fn of(spells: &'s [Spell], flows: Vec<Flow>, rule: &Rule) -> Levels<'s> {
        let series: Vec<Vec<Sample>> = spells.iter().map(|spell| spell.samples.clone()).collect();
        let cut = segments_of_each(&series, rule);
        let (stretches, within) = (Vec::new(), Vec::new());
        let mut levels = Levels { spells, flows, stretches, within, wander: 0.0, noise: 0.0 };
        for (spell, cut) in spells.iter().zip(&cut) {
            levels.add(spell, cut);
        }
        levels.corroborated(rule)
    }

    /// Drops levels at the beginning or end of a step that are brief and that no neighbouring step shows: a stall, or a
    /// start, looks like a level there.
    fn corroborated(mut self, rule: &Rule) -> Levels<'s> {
        let alone: Vec<bool> = (0..self.stretches.len()).map(|number| self.is_alone(number, rule)).collect();
        let index = |number: usize| alone[..number].iter().filter(|alone| !**alone).count();
        let seen = |number: &usize| !alone[*number] && !alone[number - 1];
        self.within.retain(|(number, _)| seen(number));
        self.within.iter_mut().for_each(|(number, _)| *number = index(*number));
        let mut number = 0;
        self.stretches.retain(|_| {
            number += 1;
            !alone[number - 1]
        });
        self
    }

    /// Whether a stretch at the edge of its spell is shorter than the least length of a level, and no step on its side
    /// of the change had its level.
    fn is_alone(&self, number: usize, rule: &Rule) -> bool {
        let one = &self.stretches[number];
        let short = one.segment.to - one.segment.from < rule.least - 1e-6;
        let others = match one.cut {
            [false, true] if short => &self.stretches[..number],
            [true, false] if short => &self.stretches[number + 1..],
            _ => return false,
        };
        let near = |rate: f64, other: f64| (rate / other.max(f64::MIN_POSITIVE)).ln().abs() <= BESIDE;
        !others.iter().any(|other| near(one.middle(), other.middle()) || near(one.bytes(), other.bytes()))
    }

    fn add(&mut self, spell: &'s Spell, cut: &Segmentation) {
        let first = self.stretches.len();
        self.wander = self.wander.max(cut.wander);
        self.noise = self.noise.max(cut.noise);
        let last = cut.segments.len().saturating_sub(1);
        let stretch = |(number, segment): (usize, &Segment)| Stretch {
            spell,
            segment: *segment,
            noise: cut.noise,
            cut: [number > 0, number < last],
        };
        self.stretches.extend(cut.segments.iter().enumerate().map(stretch));
        self.within.extend(cut.changes.iter().map(|change| (first + change.segment, *change)));
    }
}
