//! Levels: spells cut at the changes within them, and what each level was of.

use statistics::quantile::{median, median_absolute_deviation};
use statistics::segments::{Change, Rule, Sample, Segment, Segmentation, segments_of_each};

use super::spells::Spell;

/// A stretch of a spell at one level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'s> {
    pub spell: &'s Spell,
    pub segment: Segment,
}

impl Stretch<'_> {
    /// Logarithm of the rate: of the median, which a stall or the end of a burst does not move.
    pub fn log(&self) -> f64 {
        self.middle().max(f64::MIN_POSITIVE).ln()
    }

    /// Standard error of the logarithm, by the median deviation, as wide as a correlation of 0.8 between neighbours makes it.
    pub fn error(&self) -> f64 {
        let values: Vec<f64> = self.samples().map(|sample| sample.value).collect();
        let deviation = median_absolute_deviation(&values).unwrap_or(f64::INFINITY);
        let share = DEVIATION * deviation / self.middle().max(f64::MIN_POSITIVE);
        (DEPENDENT * share / (values.len() as f64).sqrt() + FLOOR).min(ERROR_MOST)
    }

    fn middle(&self) -> f64 {
        let values: Vec<f64> = self.samples().map(|sample| sample.value).collect();
        median(&values).unwrap_or(self.segment.level)
    }

    /// Bytes a second.
    pub fn bytes(&self) -> f64 {
        self.segment.level * self.spell.bytes_each
    }

    /// Seconds from issue to completion by Little's law, where the queue is kept full.
    pub fn latency(&self) -> f64 {
        self.spell.depth / self.segment.level.max(f64::MIN_POSITIVE)
    }

    /// Its samples.
    pub fn samples(&self) -> impl DoubleEndedIterator<Item = &Sample> {
        let Segment { from, to, .. } = self.segment;
        self.spell.samples.iter().filter(move |sample| sample.from >= from - 1e-6 && sample.to <= to + 1e-6)
    }
}

/// Standard deviations in a median absolute deviation of normal values.
const DEVIATION: f64 = 1.4826;
/// The square root of (1 + 0.8) / (1 - 0.8): a mean of values so correlated is known so much worse.
const DEPENDENT: f64 = 3.0;
/// Counts are whole, and a meter works in slices: no level is known better.
const FLOOR: f64 = 0.002;
/// A standard error of half the level says nothing any more.
const ERROR_MOST: f64 = 0.5;

/// The stretches of all spells in the order of time, and the changes between two of one spell.
pub(crate) struct Levels<'s> {
    pub stretches: Vec<Stretch<'s>>,
    /// With the number of the stretch that each begins.
    pub within: Vec<(usize, Change)>,
    /// By how much, as a share, the level wanders in a second (standard deviation).
    pub wander: f64,
}

impl<'s> Levels<'s> {
    /// Cuts `spells` by `rule`.
    pub fn of(spells: &'s [Spell], rule: &Rule) -> Levels<'s> {
        let series: Vec<Vec<Sample>> = spells.iter().map(|spell| spell.samples.clone()).collect();
        let cut = segments_of_each(&series, rule);
        let mut levels = Levels { stretches: Vec::new(), within: Vec::new(), wander: 0.0 };
        for (spell, cut) in spells.iter().zip(&cut) {
            levels.add(spell, cut);
        }
        levels
    }

    fn add(&mut self, spell: &'s Spell, cut: &Segmentation) {
        let first = self.stretches.len();
        self.wander = self.wander.max(cut.wander);
        self.stretches.extend(cut.segments.iter().map(|segment| Stretch { spell, segment: *segment }));
        self.within.extend(cut.changes.iter().map(|change| (first + change.segment, *change)));
    }
}
