//! Estimates the remaining burst credits from the I/O: an account for each rule, with an unknown initial balance.
//!
//! Each account is kept three times: as if it had been full at first, and for the least and the greatest balance
//! that agree with the observed rates. A rate above the baseline proves credit; a load that could have gone
//! faster but got the baseline proves that there was none.

use workload::{Bytes, Direction, Nanos};

use crate::{Bucket, Limit, Limits, Locality};

/// Relative difference from a baseline beyond which a rate counts as above it, and within which it counts as
/// the baseline. The smallest burst in a published table is 17 % above its baseline (method 6.1).
const NEAR: f64 = 0.03;
/// Charge, as time at a rate, that proves nothing: rate limiters let I/O run ahead, and intervals cut I/Os at
/// their edges.
const EDGE: Nanos = Nanos::from_millis(10);
/// Time for which a load must be limited to the baseline to prove that it had no credit; less may be a
/// coincidental change within an interval.
const HELD: Nanos = Nanos::from_secs(2);

/// I/Os of one length and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IoGroup {
    /// Direction of the I/Os.
    pub direction: Direction,
    /// Number of I/Os.
    pub ops: f64,
    /// Bytes of each.
    pub block: Bytes,
    /// Order of the I/Os, which determines whether the provider may have merged them.
    pub order: Order,
}

/// Order of the I/Os of an entry, as far as it matters to a provider that merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each I/O lies anywhere: none is merged.
    Random,
    /// Each I/O directly follows the previous one: all are merged.
    Sequential,
    /// Several streams at once: it is unknown which I/Os are merged.
    Unclear,
}

/// Whether a load asked for no more than it got, or would have gone faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExcessDemand {
    /// The load may have asked for no more than it got.
    #[default]
    Perhaps,
    /// The load asked for more than it got.
    More,
}

/// I/O in a span of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Length of the span.
    pub length: Nanos,
    /// I/Os in the span; empty for a pause.
    pub moved: Vec<IoGroup>,
    /// Whether the load asked for more.
    pub asked: ExcessDemand,
}

/// Balance of an account before the first entry, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Opening {
    /// Unknown: anything from empty to full.
    #[default]
    Unknown,
    /// This share of its size, 0 to 1.
    Share(f64),
}

/// The accounts of every rule that has credits of a known size, or a burst of a known length.
#[derive(Clone, Debug)]
pub struct Ledger {
    rules: Vec<Limit>,
    accounts: Vec<Account>,
}

/// Balance of a rule's account. Shares are of its size, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// Index into [`Limits::limits`].
    pub limit: usize,
    /// Size of the account: operations, bytes, or (for a timed burst) seconds.
    pub size: f64,
    /// Share that the account holds if it was full at first.
    pub from_full: f64,
    /// Least share that agrees with the observed rates.
    pub least: f64,
    /// Greatest share that agrees with the observed rates.
    pub most: f64,
    /// Least share that the account held at first: with less, the observed rates would have been impossible.
    pub held_at_least: f64,
}

/// The account of one rule.
#[derive(Clone, Debug)]
struct Account {
    /// Index of the rule.
    limit: usize,
    rule: Limit,
    size: f64,
    full: Purse,
    least: Purse,
    most: Purse,
    /// Amount that the least account has lacked so far, which must therefore have been in the account at first.
    lacked: f64,
    /// Time for which the load has been limited to the baseline without a break.
    held: Nanos,
}

/// Balance in one of the three copies of an account.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Purse {
    /// Operations or bytes.
    Tokens(f64),
    /// A timed burst that may begin.
    Ready,
    /// Seconds left of a timed burst.
    Bursting(f64),
    /// Seconds until a timed burst may begin again.
    Cooling(f64),
}

/// Charge of an entry under a rule, in operations or bytes, for comparison with the baseline.
#[derive(Clone, Copy)]
struct RuleCharge {
    seconds: f64,
    earned: f64,
    least: f64,
    most: f64,
}

impl RuleCharge {
    fn of(rule: &Limit, entry: &Entry) -> RuleCharge {
        let seconds = entry.length.as_secs_f64();
        let mut charged = RuleCharge { seconds, earned: rule.baseline * seconds, least: 0.0, most: 0.0 };
        for moved in &entry.moved {
            let [least, most] = rule.charged(moved);
            charged.least += least;
            charged.most += most;
        }
        charged
    }

    fn middle(&self) -> f64 {
        f64::midpoint(self.least, self.most)
    }

    fn slack(&self) -> f64 {
        if self.seconds > 0.0 { self.earned * (NEAR + EDGE.as_secs_f64() / self.seconds) } else { 0.0 }
    }

    /// Whether `rate` may have been the limit.
    fn is_at(&self, rate: f64) -> bool {
        let (whole, slack) = (rate * self.seconds, rate * (NEAR * self.seconds + EDGE.as_secs_f64()));
        self.most >= whole - slack && self.least <= whole + slack
    }

    fn is_above(&self) -> bool {
        self.least > self.earned + self.slack()
    }
}

impl Limit {
    /// Returns the time for which `rate` operations or bytes a second last from a share of all credits, or of a
    /// burst's time; `None` if that rate spends no credits, or their number is unknown.
    pub fn burst_lasts(&self, share: f64, rate: f64) -> Option<Nanos> {
        let seconds = match self.burst?.bucket {
            Bucket::Tokens { size, .. } => share * size / (rate - self.baseline),
            Bucket::Timed { lasts, .. } => share * lasts?.as_secs_f64(),
            Bucket::UnlimitedPaid | Bucket::Unknown => return None,
        };
        (rate > self.baseline).then(|| Nanos::from_secs_f64(seconds.max(0.0)))
    }

    /// Returns the operations or bytes that each I/O of `moved` is charged, the midpoint if it is unknown
    /// whether they are merged; 0 if this rule does not cover them.
    pub fn mean_charge(&self, moved: &IoGroup) -> f64 {
        let [least, most] = self.charged(&IoGroup { ops: 1.0, ..*moved });
        f64::midpoint(least, most)
    }

    /// Returns the least and the most that `moved` is charged under this rule; 0 if it is not covered.
    fn charged(&self, moved: &IoGroup) -> [f64; 2] {
        if !self.direction.covers(moved.direction) {
            return [0.0; 2];
        }
        let of = |locality| moved.ops * self.charge(moved.block, locality);
        let (random, merged) = (of(Locality::Random), of(Locality::Sequential));
        match moved.order {
            Order::Random => [random; 2],
            Order::Sequential => [merged; 2],
            Order::Unclear => [merged.min(random), merged.max(random)],
        }
    }
}

impl Ledger {
    /// Returns the accounts of `limits` before any I/O.
    pub fn new(limits: &Limits, opening: Opening) -> Ledger {
        let account = |(at, limit): (usize, &Limit)| Account::new(at, limit, opening);
        let accounts = limits.limits.iter().enumerate().filter_map(account).collect();
        Ledger { rules: limits.limits.clone(), accounts }
    }

    /// Enters the I/O of a span; entries come in order of time and include pauses.
    pub fn enter(&mut self, entry: &Entry) {
        let charged: Vec<RuleCharge> = self.rules.iter().map(|rule| RuleCharge::of(rule, entry)).collect();
        // If two rates may have been the limit, the load proves nothing about the credits of either.
        let rates = |rule: &Limit| std::iter::once(rule.baseline).chain(rule.burst.map(|burst| burst.rate));
        let holding =
            |rule: &Limit, charged: &RuleCharge| rates(rule).filter(|rate| charged.is_at(*rate)).count();
        let held: usize = self.rules.iter().zip(&charged).map(|(rule, charged)| holding(rule, charged)).sum();
        for account in &mut self.accounts {
            let charged = charged[account.limit];
            let alone =
                held == 1 && entry.asked == ExcessDemand::More && charged.is_at(account.rule.baseline);
            account.held = if alone { account.held + entry.length } else { Nanos::ZERO };
            account.enter(charged);
        }
    }

    /// Returns the balances of the accounts, in the order of the rules.
    pub fn balances(&self) -> Vec<Balance> {
        self.accounts.iter().map(Account::balance).collect()
    }
}

impl Account {
    fn new(limit: usize, rule: &Limit, opening: Opening) -> Option<Account> {
        let (size, full, empty) = match rule.burst?.bucket {
            Bucket::Tokens { size, .. } => (size, Purse::Tokens(size), Purse::Tokens(0.0)),
            Bucket::Timed { lasts: Some(lasts), cool_off } => {
                let cool_off = cool_off.unwrap_or(lasts).as_secs_f64();
                (lasts.as_secs_f64(), Purse::Ready, Purse::Cooling(cool_off))
            }
            Bucket::Timed { lasts: None, .. } | Bucket::UnlimitedPaid | Bucket::Unknown => return None,
        };
        let (full, least) = match (opening, full) {
            (Opening::Unknown, full) => (full, empty),
            (Opening::Share(share), Purse::Tokens(_)) => {
                let held = Purse::Tokens(share.clamp(0.0, 1.0) * size);
                (held, held)
            }
            (Opening::Share(share), ready) if share > 0.0 => (ready, ready),
            (Opening::Share(_), _) => (empty, empty),
        };
        // A run file may hold any figures.
        let known = size > 0.0 && size.is_finite() && rule.baseline > 0.0;
        let (rule, held) = (rule.clone(), Nanos::ZERO);
        known.then_some(Account { limit, rule, size, full, least, most: full, lacked: 0.0, held })
    }

    fn enter(&mut self, charged: RuleCharge) {
        let lacks = match self.least {
            Purse::Tokens(level) => (charged.most - charged.earned - level).max(0.0),
            _ => 0.0,
        };
        // A surplus that may come from I/Os cut at an interval's edges is no proof of credit.
        self.lacked += if charged.is_above() { lacks } else { 0.0 };
        self.full = self.pass(self.full, charged, charged.middle());
        self.least = self.pass(self.least, charged, charged.most);
        self.most = self.pass(self.most, charged, charged.least);
        if self.held >= HELD {
            self.empty(charged);
        }
    }

    /// Empties the account: the load got only what the baseline earned.
    fn empty(&mut self, charged: RuleCharge) {
        self.most = match self.most {
            Purse::Tokens(level) => Purse::Tokens(level.min(charged.slack())),
            Purse::Ready | Purse::Bursting(_) => self.least,
            cooling @ Purse::Cooling(_) => cooling,
        };
    }

    fn pass(&self, purse: Purse, charged: RuleCharge, most: f64) -> Purse {
        let cool_off = match self.rule.burst.map(|burst| burst.bucket) {
            Some(Bucket::Timed { cool_off: Some(cool_off), .. }) => cool_off.as_secs_f64(),
            _ => self.size,
        };
        let (seconds, above) = (charged.seconds, charged.is_above());
        match purse {
            Purse::Tokens(level) => Purse::Tokens((level + charged.earned - most).clamp(0.0, self.size)),
            Purse::Ready if above => Purse::Bursting((self.size - seconds).max(0.0)),
            Purse::Ready => Purse::Ready,
            Purse::Bursting(left) if left > seconds => Purse::Bursting(left - seconds),
            // The burst has gone on for longer than possible, so it began later than assumed.
            Purse::Bursting(_) if above => Purse::Bursting(0.0),
            Purse::Bursting(left) if cool_off + left > seconds => Purse::Cooling(cool_off + left - seconds),
            Purse::Bursting(_) => Purse::Ready,
            Purse::Cooling(_) if above => Purse::Bursting(0.0),
            Purse::Cooling(left) if left > seconds => Purse::Cooling(left - seconds),
            Purse::Cooling(_) => Purse::Ready,
        }
    }

    fn balance(&self) -> Balance {
        let share = |purse: Purse| match purse {
            Purse::Tokens(level) => level / self.size,
            Purse::Ready => 1.0,
            Purse::Bursting(left) => left / self.size,
            Purse::Cooling(_) => 0.0,
        };
        let (full, least, most) = (share(self.full), share(self.least), share(self.most));
        // Measurement errors can make the proof of no credit contradict the proof of some credit.
        let most = most.max(least);
        assert!((0.0..=1.0).contains(&least) && most <= 1.0, "an account holds {least} to {most} of itself");
        Balance {
            limit: self.limit,
            size: self.size,
            from_full: full,
            least,
            most,
            held_at_least: (self.lacked / self.size).min(1.0),
        }
    }
}
