//! `burst`, blind, on every policy of the catalogue that has one: at three sizes, from full, half-empty and empty
//! buckets, of operations and of bytes, quiet and noisy; on volumes without a burst; and stopped half-way and
//! continued after a gap.

use std::cell::Cell;
use std::time::Instant;

use analysis::{BurstAnswer, BurstPart, Ends, Estimate, Resource, burst_answer};
use experiments::{Layout, next_burst_step};
use policy::{Bucket, Catalogue, Limit, Limits, Load, Policy};
use record::{Interval, Observer, StepRecord};
use session::{Setup, Wish, conduct, set_up};
use workload::{BurstOf, BurstRequest, Bytes, Direction, Ending, Nanos, PolicyName, Target};

use crate::checked::{Nobody, each, is_full, quarter};
use crate::judge::{Judgement, NEAR};
use crate::table::Table;

/// Sizes in GiB for policies that depend on it.
const SIZES: [u64; 3] = [150, 334, 500];
/// What the buckets hold at the beginning: share, and the words for it.
const STARTS: [(f64, &str); 3] = [(1.0, ""), (0.4, ",credits=40%"), (0.0, ",credits=empty")];
/// Noise of the meters.
const NOISES: [&str; 4] = ["", ",noise=1%,rho=0.3", ",noise=3%", ",noise=1%,slow=1%,slow_over=60s"];
/// Most seconds that a drain takes if there is something to spend.
pub const MOST_S: u64 = 21_600;
/// Most seconds that a drain takes from an empty bucket.
const EMPTY_MOST_S: u64 = 600;
/// Least seconds of burst that a rest must pay for to show it; a shorter burst may go undetected.
const SEEN_S: f64 = 8.0;
/// Most seconds of a rest's burst that are looked at.
const LOOKED_S: f64 = 165.0;
/// Seconds of the rest if nothing fell.
const BLIND_REST_S: f64 = 120.0;
/// Most I/Os of a case in the daily test.
pub const QUICK_MOST: f64 = 7e6;
/// Tolerance of a time in seconds, besides 3 %: a cell on either side.
const CELL_S: f64 = 2.0;

/// A volume, what is drained from it, and its share of credits at the start.
pub struct Case {
    pub words: String,
    pub of: BurstOf,
    pub share: f64,
    pub most_s: u64,
}

/// What is true of the burst under one load.
pub struct Truth {
    pub burst: f64,
    pub base: f64,
    /// Amount beyond the base when the first load begins; `None` for a burst that ends with time.
    pub held: Option<f64>,
    pub lasts_s: f64,
    /// Seconds until the next burst, for a burst that ends with time.
    cool_off_s: Option<f64>,
}

impl Case {
    pub fn asked(&self) -> BurstRequest {
        BurstRequest {
            of: self.of,
            most: Nanos::from_secs(self.most_s),
            small: BurstRequest::SMALL,
            large: BurstRequest::LARGE,
            mix: workload::Mix::READ,
            both_ways: false,
            seed: 1,
            resumed: 0,
        }
    }

    fn command(&self) -> String {
        let of = if self.of == BurstOf::Bytes { "bytes" } else { "operations" };
        format!("plimsoll burst 'sim:{}' --of {of} --time {}s", self.words, self.most_s)
    }

    fn resource(&self) -> Resource {
        if self.of == BurstOf::Bytes { Resource::Bytes } else { Resource::Iops }
    }

    pub fn limits(&self) -> Limits {
        policy::evaluate_with_rest(&PolicyName::parse(&self.words).unwrap()).unwrap().0
    }

    /// Returns the truth; `None` if there is no burst, or if several buckets empty one after another.
    pub fn truth(&self) -> Option<Truth> {
        let limits = self.limits();
        let bytes = self.resource() == Resource::Bytes;
        let block = if bytes { BurstRequest::LARGE } else { BurstRequest::SMALL };
        let each = if bytes { block.0 as f64 } else { 1.0 };
        let phases = limits.overload(&Load::random(Direction::Read, block));
        let [first, last] = phases.as_slice() else { return assumed(&limits, block, each) };
        let rule = &limits.limits[first.bound_by?];
        let lasts = first.end?.as_secs_f64();
        let (burst, base) = (first.iops.0 * each, last.iops.0 * each);
        let cool_off_s = timed(rule).map(|(_, cool_off)| cool_off);
        // What empties may be the bucket of another rule than the one that limits the burst, but it drains at this
        // rate all the same.
        let held = cool_off_s.is_none().then_some((burst - base) * lasts * self.share);
        Some(Truth { burst, base, held, lasts_s: lasts, cool_off_s })
    }
}

/// Returns the seconds of a timed burst, and until the next.
fn timed(rule: &Limit) -> Option<(f64, f64)> {
    match rule.burst?.bucket {
        Bucket::Timed { lasts, cool_off } => {
            let lasts = lasts.unwrap_or(policy::ASSUMED_BURST);
            Some((lasts.as_secs_f64(), cool_off.unwrap_or(lasts).as_secs_f64()))
        }
        Bucket::Unknown => Some((policy::ASSUMED_BURST.as_secs_f64(), policy::ASSUMED_BURST.as_secs_f64())),
        Bucket::Tokens { .. } | Bucket::UnlimitedPaid => None,
    }
}

/// Returns a burst whose length is not published, with the simulator's assumption.
fn assumed(limits: &Limits, block: Bytes, each: f64) -> Option<Truth> {
    let rate = |rule: &Limit, level| rule.rate(level) / rule.charge(block, policy::Locality::Random);
    let least = |level| limits.limits.iter().map(|rule| rate(rule, level)).fold(f64::INFINITY, f64::min);
    let (burst, base) = (least(policy::Level::Burst) * each, least(policy::Level::Baseline) * each);
    let rule = limits.limits.iter().find(|rule| timed(rule).is_some())?;
    let (lasts_s, cool_off) = timed(rule)?;
    (burst > base * 1.01).then_some(Truth { burst, base, held: None, lasts_s, cool_off_s: Some(cool_off) })
}

fn drain(case: &Case) -> BurstAnswer {
    let (asked, begun) = (case.asked(), Instant::now());
    let mut runner = runner(&case.words);
    let next = |done: &[StepRecord]| next_burst_step(&asked, Layout::None, done);
    let (steps, error) = conduct(&next, runner.runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{}: {error:?}", case.words);
    if std::env::var_os("PLIMSOLL_TRUTH_TIMES").is_some() {
        println!("{:.1} s {}", begun.elapsed().as_secs_f64(), case.command());
    }
    burst_answer(&steps, &asked, None)
}

pub fn runner(words: &str) -> Setup {
    let words = format!("sim:{words}");
    let made = set_up(&Target::parse(&words).unwrap(), &words, &Wish::default());
    made.unwrap_or_else(|error| panic!("{words}: {error}"))
}

/// Judges a figure that is reported as certain.
fn figure(told: Option<Estimate>, truth: f64, seen: bool) -> Judgement {
    match told {
        None if seen => Judgement::Missed,
        None => Judgement::Open,
        Some(told) if (told.value / truth - 1.0).abs() <= NEAR => Judgement::Right,
        Some(told) if told.low <= truth && truth <= told.high => Judgement::Right,
        Some(_) => Judgement::SureWrong,
    }
}

fn judge(case: &Case) -> Table {
    let mut table = Table::default();
    let answer = drain(case);
    let command = case.command();
    let part = answer.of(case.resource()).unwrap();
    match case.truth() {
        Some(truth) => judge_burst(case, &truth, part, &mut table),
        None if case.limits().limits.iter().all(|rule| rule.burst.is_none()) => {
            let judged = if part.fell() { Judgement::SureWrong } else { Judgement::Right };
            table.add("no burst, and none told", judged, (&command, &|| format!("{part:?}")));
        }
        None => {}
    }
    table
}

fn judge_burst(case: &Case, truth: &Truth, part: &BurstPart, table: &mut Table) {
    let command = case.command();
    let what = || {
        let BurstPart { burst, base, held, refill, ends, lasted_s, cool_off_s, .. } = part;
        format!(
            "burst {burst:?} of {}, base {base:?} of {}, held {held:?} of {:?}, refill {refill:?}, {ends:?}, lasted \
             {lasted_s:?} of {}, cool-off {cool_off_s:?} of {:?}; {:#?}",
            truth.burst, truth.base, truth.held, truth.lasts_s, truth.cool_off_s, part.drains
        )
    };
    let mut add = |quantity, judged| table.add(quantity, judged, (&command, &what));
    // A burst closer to its base than the smallest detectable fall does not count.
    let visible = truth.burst > 1.06 * truth.base;
    let rested_s = BLIND_REST_S * truth.base / (truth.burst - truth.base);
    let first =
        case.share * truth.lasts_s >= SEEN_S && case.share * truth.lasts_s < 0.95 * case.most_s as f64;
    let seen = visible
        && (first
            || (case.share == 0.0 && (SEEN_S..LOOKED_S).contains(&rested_s))
            || truth.cool_off_s.is_some());
    if !seen && !part.fell() {
        return add("burst", Judgement::Open);
    }
    add("burst", figure(part.burst.filter(|_| part.fell()), truth.burst, seen));
    add("base", figure(part.base, truth.base, seen));
    let ends = if truth.cool_off_s.is_some() { Ends::Time } else { Ends::Usage };
    add(
        "usage or time",
        match part.ends {
            told if told == ends => Judgement::Right,
            Ends::Unknown => Judgement::HeldBack,
            _ => Judgement::SureWrong,
        },
    );
    match (truth.held, truth.cool_off_s) {
        (Some(held), _) => {
            if first {
                let told = part.held.map(|held| held.amount);
                add("bucket", figure(told, held, seen));
                let within = told.is_some_and(|told| told.low <= held && held <= told.high);
                add("interval of the bucket", if within { Judgement::Right } else { Judgement::Open });
            }
            add("refill", figure(part.refill, truth.base, seen));
        }
        (None, Some(cool_off)) => {
            let near = |told: f64, truth: f64| (told - truth).abs() <= CELL_S + NEAR * truth;
            add(
                "length of a timed burst",
                match part.lasted_s {
                    Some(told) if near(told, truth.lasts_s) => Judgement::Right,
                    Some(_) if part.ends == Ends::Time => Judgement::SureWrong,
                    _ => Judgement::HeldBack,
                },
            );
            add(
                "cool-off",
                match part.cool_off_s {
                    Some((least, most)) if least - CELL_S <= cool_off && cool_off <= most + CELL_S => {
                        Judgement::Right
                    }
                    Some(_) => Judgement::SureWrong,
                    None => Judgement::HeldBack,
                },
            );
        }
        (None, None) => {}
    }
}

/// Returns the words for every choice of a policy with a burst.
pub fn choices(policy: &Policy) -> Vec<String> {
    let required = policy.required_parameters();
    let mut all = vec![policy.id.clone()];
    for parameter in policy.parameters.iter().filter(|one| required.contains(&one.name.as_str())) {
        let words: Vec<String> = match (parameter.name.as_str(), parameter.choices.is_empty()) {
            (_, false) => parameter.choices.clone(),
            ("size", true) => SIZES.iter().map(|size| format!("{size}GiB")).collect(),
            (_, true) => vec![parameter.example()],
        };
        let with = |before: &String, word: &String| format!("{before},{}={word}", parameter.name);
        all =
            all.iter().flat_map(|one| words.iter().map(|word| with(one, word)).collect::<Vec<_>>()).collect();
    }
    let bursts = |words: &String| {
        let limits = policy::evaluate(&PolicyName::parse(words).unwrap());
        limits.is_ok_and(|limits| limits.longest_burst() != policy::BurstLength::None)
    };
    all.retain(bursts);
    all
}

impl Case {
    /// Returns the I/Os of its first drain: the daily test leaves out what takes long.
    pub fn ios(&self) -> f64 {
        let each = if self.of == BurstOf::Bytes { BurstRequest::LARGE.0 as f64 } else { 1.0 };
        let truth = self.truth();
        let seconds = truth.as_ref().map_or(self.most_s as f64, |truth| {
            if self.share > 0.0 {
                (truth.lasts_s * self.share).min(self.most_s as f64)
            } else {
                self.most_s as f64
            }
        });
        truth.map_or(3000.0, |truth| if self.share > 0.0 { truth.burst } else { truth.base } / each) * seconds
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let all: Vec<String> = Catalogue::builtin().list().iter().flat_map(choices).collect();
    for (number, words) in all.iter().enumerate() {
        for (which, of) in [BurstOf::Operations, BurstOf::Bytes].into_iter().enumerate() {
            for (start, (share, credits)) in STARTS.into_iter().enumerate() {
                // The daily test has one start and one noise for each policy, another three policies later.
                if !is_full() && start != (number + which) % STARTS.len() {
                    continue;
                }
                let noises: Vec<&str> = match is_full() {
                    true => NOISES.to_vec(),
                    false => vec![NOISES[(number / 3 + which) % NOISES.len()]],
                };
                let most_s = if share == 0.0 { EMPTY_MOST_S } else { MOST_S };
                for noise in noises {
                    cases.push(Case {
                        words: format!("{words}{credits}{noise},seed={}", number + 1),
                        of,
                        share,
                        most_s,
                    });
                }
            }
        }
    }
    for (number, noise) in NOISES.iter().chain(&[",stall=2s,stall_every=60s", ",corner=4"]).enumerate() {
        let words = format!("custom,iops=2000,bandwidth=100MiB/s{noise},seed={}", number + 1);
        for of in [BurstOf::Operations, BurstOf::Bytes] {
            cases.push(Case { words: words.clone(), of, share: 1.0, most_s: 1200 });
        }
    }
    cases
}

#[test]
fn bursts() {
    let mut cases = cases();
    cases.retain(|case| is_full() || case.ios() < QUICK_MOST);
    let cases = quarter(cases);
    let begun = Instant::now();
    let table = Table::of(each(&cases, judge));
    println!("{:.0} s", begun.elapsed().as_secs_f64());
    table.conclude("bursts", cases.len());
}

/// Stops after this many intervals.
pub struct Until(pub Cell<usize>);

impl Observer for Until {
    fn interval(&mut self, _interval: &Interval) {
        self.0.set(self.0.get().saturating_sub(1));
    }

    fn interrupted(&self) -> bool {
        self.0.get() == 0
    }
}

/// A run that is stopped and continued later has the same answer, although the volume earned credits meanwhile.
#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_answer() {
    let words = "aws-gp2,size=100GiB";
    for (intervals, gap_s) in [(3, 5), (600, 30), (1500, 900), (2004, 60), (2100, 60)] {
        let case = Case { words: words.to_owned(), of: BurstOf::Operations, share: 1.0, most_s: MOST_S };
        let mut asked = case.asked();
        let mut setup = runner(words);
        let next = |done: &[StepRecord]| next_burst_step(&asked, Layout::None, done);
        let mut until = Until(Cell::new(intervals));
        let (mut steps, _) = conduct(&next, setup.runner.as_mut(), &mut until);
        assert_eq!(steps.last().unwrap().ending, Ending::Interrupted, "{intervals}");
        let so_far = burst_answer(&steps, &asked, None);
        assert!(so_far.cut_short && !so_far.parts.is_empty(), "{so_far:?}");
        let later = setup.runner.now() + Nanos::from_secs(gap_s);
        setup.runner.rest(later, &mut Nobody);
        asked.resumed = steps.len();
        let first = steps.clone();
        let next =
            |done: &[StepRecord]| next_burst_step(&asked, Layout::None, &[first.as_slice(), done].concat());
        steps.extend(conduct(&next, setup.runner.as_mut(), &mut Nobody).0);
        let answer = burst_answer(&steps, &asked, None);
        let part = answer.of(Resource::Iops).unwrap();
        let near = |told: f64, truth: f64| (told / truth - 1.0).abs() < 0.01;
        let held = part.held.unwrap().amount;
        assert!(near(held.value, 5.4e6), "stopped after {intervals}: {held:?} {:#?}", part.drains);
        assert!(near(part.burst.unwrap().value, 3000.0) && near(part.base.unwrap().value, 300.0));
        assert!(near(part.refill.unwrap().value, 300.0), "{part:#?}");
        assert_eq!(part.ends, Ends::Usage, "stopped after {intervals}: {part:#?}");
    }
}
