//! Levels: spells cut at the changes within them, and what each level was of.

use statistics::segments::{Change, Rule, Sample, Segment, Segmentation, segments_of_each};

use super::spells::Spell;

/// A stretch of a spell at one level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch<'s> {
    pub spell: &'s Spell,
    pub segment: Segment,
}

impl Stretch<'_> {
    /// Logarithm of the rate.
    pub fn log(&self) -> f64 {
        self.segment.level.max(f64::MIN_POSITIVE).ln()
    }

    /// Standard error of the logarithm.
    pub fn error(&self) -> f64 {
        let share = self.segment.half_width / self.segment.level.max(f64::MIN_POSITIVE);
        (share / Z95).min(ERROR_MOST)
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

/// Half-width of a 95 % interval in standard errors.
const Z95: f64 = 1.96;
/// Of two values the interval may be infinite; as a standard error that is as good as a half.
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
