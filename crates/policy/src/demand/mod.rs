//! A recorded load as demand on a volume: what each rule would charge it, and how much of it any rule delays.

mod curve;
mod fit;
mod hull;
mod replay;
mod waits;

use std::cell::RefCell;
use std::rc::Rc;

use workload::Direction;

use curve::BLOCK;

use crate::{Accounting, Covers, Limit, Resource};

pub use curve::{ChargedSpan, Curve};
pub use fit::{Asked, Headroom};
pub use replay::{Arrivals, Conditions, Program, Replay, RuleState, Traced};
pub use waits::Waits;

/// Least length of an I/O: a sector of the kernel's counters.
const SECTOR: f64 = 512.0;

/// Load in a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Offer {
    /// Length of the span, in seconds.
    pub seconds: f64,
    /// Reads, and writes.
    pub ops: [f64; 2],
    /// Bytes read, and written.
    pub bytes: [f64; 2],
    /// Flushes, which some throttles charge as writes without bytes.
    pub flushes: f64,
    /// Seconds of the span in which I/O was in flight; the whole span if that is not known.
    pub busy_s: f64,
    /// I/Os in flight, the mean over the span; 0 if that is not known.
    pub in_flight: f64,
    /// The least load as a multiple of what was recorded: above 1 if the recorded volume itself held the load back.
    pub least: f64,
    /// The greatest load as a multiple of what was recorded; infinite if nothing bounds it.
    pub most: f64,
}

/// End of the interval within which the demand lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The least charge that agrees with the recording.
    Least,
    /// The greatest charge of what was recorded, without what more was wanted.
    Recorded,
    /// The greatest charge that agrees with the recording.
    Most,
}

/// How often the load comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horizon {
    /// Once, as recorded.
    Once,
    /// Again and again, as from day to day.
    Repeated,
}

/// What a rule counts: rules that count alike share a series of charges.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counting {
    resource: Resource,
    covers: Covers,
    accounting: Option<Accounting>,
    bound: Bound,
}

/// Load over time. Spans follow each other without gaps.
#[derive(Debug)]
pub struct Demand {
    offers: Vec<Offer>,
    /// Seconds and I/Os of each block of spans.
    blocks: Vec<(f64, f64)>,
    seconds: f64,
    bounded: bool,
    held: bool,
    curves: RefCell<Vec<(Counting, Rc<Curve>)>>,
}

impl Offer {
    /// Returns the load of `bound` as a multiple of what was recorded.
    fn factor(&self, bound: Bound) -> f64 {
        match bound {
            Bound::Least | Bound::Recorded => self.least,
            Bound::Most => self.most,
        }
    }

    /// Returns the I/Os and bytes of the span that a rule covers.
    fn covered(&self, covers: Covers) -> (f64, f64) {
        let ways = [Direction::Read, Direction::Write].into_iter().zip(self.ops.into_iter().zip(self.bytes));
        let of = ways.filter(|(way, _)| covers.covers(*way)).map(|(_, amounts)| amounts);
        of.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    }
}

impl Counting {
    fn of(rule: &Limit, bound: Bound) -> Counting {
        let (resource, covers, accounting) = (rule.resource, rule.direction, rule.accounting);
        Counting { resource, covers, accounting, bound }
    }

    /// Returns the charge of a span. Lengths of single I/Os are not known: of `n` I/Os with `b` bytes, at least
    /// `max(n, b / unit)` units are charged, and at most `n + (b - 512 n) / unit`, because each I/O rounds up at most
    /// one unit. That a provider may merge I/Os is left out: it only ever lowers a charge. The kernel counts a flush without data
    /// as a write too, and whether a provider charges flushes is not published: the least charge has none of them, the greatest
    /// has each beside the writes.
    fn charge(&self, offer: &Offer) -> f64 {
        let (ops, bytes) = offer.covered(self.covers);
        let factor = offer.factor(self.bound);
        let flushes = if self.covers.covers(Direction::Write) { offer.flushes } else { 0.0 };
        let (ops, flushes) = match (self.bound, self.resource) {
            (Bound::Least, _) => (f64::max(ops - flushes, 0.0), 0.0),
            (Bound::Recorded | Bound::Most, Resource::Iops) => (ops, flushes),
            (Bound::Recorded | Bound::Most, Resource::Bytes) => (ops, 0.0),
        };
        if ops <= 0.0 && bytes <= 0.0 && flushes <= 0.0 {
            return 0.0;
        }
        let recorded = match (self.resource, self.accounting) {
            (Resource::Iops, None) => ops,
            (Resource::Bytes, None) => bytes,
            (resource, Some(accounting)) => {
                let unit = accounting.unit.0 as f64;
                let units = match self.bound {
                    Bound::Least => ops.max(bytes / unit),
                    Bound::Recorded | Bound::Most => ops + (bytes - SECTOR * ops).max(0.0) / unit,
                };
                units * if resource == Resource::Bytes { unit } else { 1.0 }
            }
        };
        (recorded + flushes) * factor
    }
}

impl Demand {
    /// Takes the load of spans that follow each other.
    pub fn new(offers: Vec<Offer>) -> Demand {
        assert!(offers.iter().all(|offer| offer.seconds > 0.0), "a span of demand has a length");
        let block = |offers: &[Offer]| {
            let ops = |offer: &Offer| offer.ops[0] + offer.ops[1];
            (offers.iter().map(|offer| offer.seconds).sum(), offers.iter().map(ops).sum())
        };
        Demand {
            blocks: offers.chunks(BLOCK).map(block).collect(),
            seconds: offers.iter().map(|offer| offer.seconds).sum(),
            bounded: offers.iter().all(|offer| offer.most.is_finite()),
            held: offers.iter().any(|offer| offer.most > 1.0),
            offers,
            curves: RefCell::default(),
        }
    }

    /// Returns the spans.
    pub fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// Returns the greatest end that is known: where nothing bounds what more was wanted, that of what was recorded.
    pub fn greatest(&self) -> Bound {
        if self.bounded { Bound::Most } else { Bound::Recorded }
    }

    /// Whether more may have been wanted than was recorded: a limit of the recorded volume held some of it, or who made the load
    /// waited for the volume.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Returns the length of all spans, in seconds.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns what `rule` charges, over time.
    pub fn curve(&self, rule: &Limit, bound: Bound) -> Rc<Curve> {
        let counting = Counting::of(rule, bound);
        if let Some((_, known)) = self.curves.borrow().iter().find(|(known, _)| *known == counting) {
            return Rc::clone(known);
        }
        let span = |offer: &Offer| ChargedSpan {
            seconds: offer.seconds,
            busy_s: offer.busy_s,
            charge: counting.charge(offer),
        };
        let spans: Vec<ChargedSpan> = self.offers.iter().map(span).collect();
        let same = self
            .curves
            .borrow()
            .iter()
            .find(|(_, known)| known.is_of(&spans))
            .map(|(_, known)| Rc::clone(known));
        let curve = same.unwrap_or_else(|| Rc::new(Curve::new(&spans)));
        self.curves.borrow_mut().push((counting, Rc::clone(&curve)));
        curve
    }
}
