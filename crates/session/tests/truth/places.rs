//! `where`, blind, on volumes with a cache, lazily loaded or unwritten parts, tracks, several of these, or none:
//! regions and their edges, sizes of caches and their intervals, the rates of a cache and beyond it, and the time
//! taken.

use std::time::Instant;

use analysis::{
    Budget, CacheObservation, Estimate, Joint, PlacesAnswer, ProcedureAnswer, Region, RegionKind,
    TracksObservation, analyse,
};
use experiments::{Layout, PlacesAsk, Writes, next_places_step, places_seconds};
use record::Run;
use session::{Setup, Wish, conduct, set_up};
use workload::{Bytes, PlacesRequest, ProcedureRequest, Target};

use crate::checked::{Nobody, each, numbers};
use crate::judge::{Judgement, NEAR};
use crate::places_drawn::{DrawnVolume, KINDS, Part};
use crate::table::Table;

/// Relative error allowed in the size of a cache and in the rate of an edge track.
const TENTH: f64 = 0.1;
/// Relative error allowed in the forecast.
const FORECAST: f64 = 0.3;
/// Bytes by which an edge may lie outside its interval and count as wrong by little.
const EDGE_NEAR: f64 = (4 << 20) as f64;
const LARGEST: Bytes = Bytes::gib(16);
const SMALL: u64 = 4096;

/// Result of one volume.
struct Outcome {
    table: Table,
    /// Relative errors of the sizes of caches.
    sizes: Vec<f64>,
    /// Whether the interval of each size contains the truth.
    size_held: Vec<bool>,
    /// Whether the interval of each edge contains the truth.
    edge_held: Vec<bool>,
    /// Half-widths of the edges' intervals, in bytes.
    edges: Vec<f64>,
    /// Time taken, divided by the forecast.
    time: f64,
}

fn looked(drawn: &DrawnVolume) -> (PlacesAnswer, f64) {
    let words = format!("sim:{}", drawn.words);
    let target = Target::parse(&words).unwrap();
    let made = set_up(&target, &words, &Wish::default());
    let Setup { facts, mut runner, .. } = made.unwrap_or_else(|error| panic!("{words}: {error}"));
    let asked = PlacesRequest { size: drawn.size, time: drawn.time, largest: LARGEST, seed: 1 };
    let ask = PlacesAsk { asked: asked.clone(), layout: Layout::None, writes: Writes::Measured };
    let (steps, error) = conduct(&|done| next_places_step(&ask, done), runner.as_mut(), &mut Nobody);
    assert!(error.is_none(), "{words}: {error:?}");
    let took = steps.last().unwrap().ended.since(steps[0].started).as_secs_f64();
    let mut run = Run::started(vec!["where".into()], 0);
    (run.steps, run.complete, run.target) = (steps, true, Some(facts));
    run.asked = Some(ProcedureRequest::Places(asked));
    match analyse(&run, None, None).answered {
        Some(ProcedureAnswer::Places(answer)) => (answer, took / places_seconds(&ask)),
        other => panic!("{words}: {other:?}"),
    }
}

/// One volume with what was reported of it.
struct JudgedVolume<'d> {
    drawn: &'d DrawnVolume,
    answer: PlacesAnswer,
    command: String,
    outcome: Outcome,
}

fn judge(number: &usize) -> Outcome {
    let drawn = DrawnVolume::numbered(*number);
    let begun = Instant::now();
    let (answer, time) = looked(&drawn);
    let command =
        format!("plimsoll where 'sim:{}' --time {}s # {number}", drawn.words, drawn.time.as_secs_f64());
    if std::env::var_os("PLIMSOLL_TRUTH_TIMES").is_some() {
        println!("{:.1} s, {time:.2} of the forecast, {command}", begun.elapsed().as_secs_f64());
    }
    let outcome = Outcome {
        table: Table::default(),
        sizes: Vec::new(),
        size_held: Vec::new(),
        edge_held: Vec::new(),
        edges: Vec::new(),
        time,
    };
    let mut judged = JudgedVolume { drawn: &drawn, answer, command, outcome };
    judged.regions();
    judged.cache();
    judged.budgets();
    judged.tracks();
    let near = (time - 1.0).abs() <= FORECAST;
    let forecast = if near { Judgement::Right } else { Judgement::Wrong };
    judged.add("forecast within 30 %", forecast, &|_| format!("{time:.2}"));
    judged.outcome
}

impl JudgedVolume<'_> {
    fn add(&mut self, quantity: &'static str, judged: Judgement, what: &dyn Fn(&PlacesAnswer) -> String) {
        let answer = &self.answer;
        self.outcome.table.add(quantity, judged, (&self.command, &|| what(answer)));
    }

    fn regions(&mut self) {
        let drawn = self.drawn;
        drawn.regions.iter().for_each(|part| self.region(part));
        let told = self.answer.regions.clone();
        let other = |region: &&Region| !matches!(region.kind, RegionKind::Usual);
        let mut false_ones = told.iter().filter(other).filter(|region| !self.is_true(region));
        let judged = match false_ones.next() {
            None => Judgement::Right,
            Some(region) if region.kind == RegionKind::FirstTouchOrCached => Judgement::HeldBack,
            // What lay in a cache at first may be reported only for caches that did hold something.
            Some(region) if region.kind == RegionKind::Cached && self.drawn.words.contains("cache_holds") => {
                Judgement::Right
            }
            Some(_) => Judgement::SureWrong,
        };
        self.add("no region that is not there", judged, &|answer| regions(answer));
    }

    fn is_true(&self, region: &Region) -> bool {
        let middle = (region.from.value + region.to.value) / 2.0;
        let holds = |part: &&Part| (part.from as f64..part.to as f64).contains(&middle);
        // A usual part between two of one kind, or a volume that is a single region.
        let alone = self.answer.regions.len() == 1 && self.drawn.regions.is_empty();
        alone && region.kind != RegionKind::FirstTouch && region.kind != RegionKind::FirstTouchOrCached
            || self.drawn.regions.iter().find(holds).is_some_and(|part| is_kind(part.kind, region.kind))
    }

    fn region(&mut self, part: &Part) {
        let middle = (part.from + part.to) as f64 / 2.0;
        let found = self.answer.regions.iter();
        let found =
            found.clone().find(|region| (region.from.value..region.to.value).contains(&middle)).cloned();
        let short = part.to - part.from < self.answer.resolution;
        let told = found.as_ref().map(|region| region.kind);
        let judged = match told {
            Some(kind) if kind == part.kind => Judgement::Right,
            Some(kind) if is_kind(part.kind, kind) => Judgement::HeldBack,
            None => Judgement::HeldBack,
            Some(_) if short => Judgement::Open,
            Some(_) => Judgement::SureWrong,
        };
        let name = match part.kind {
            RegionKind::FirstTouch if part.to - part.from == self.drawn.size.0 => "loads throughout",
            RegionKind::FirstTouch => "part that loads on touch",
            _ => "part that was never written",
        };
        self.add(name, judged, &|answer| regions(answer));
        if let Some(region) = found.filter(|region| is_kind(part.kind, region.kind)) {
            self.edge(region.from, part.from);
            self.edge(region.to, part.to);
        }
    }

    fn edge(&mut self, told: Estimate, truth: u64) {
        // What is left between it and the end of the volume may be too short to be detected.
        if truth < self.answer.resolution || truth > self.drawn.size.0 - self.answer.resolution {
            return;
        }
        let truth = truth as f64;
        let off = (told.low - truth).max(truth - told.high).max(0.0);
        let judged = match off {
            0.0 => Judgement::Right,
            off if off <= EDGE_NEAR => Judgement::Wrong,
            _ => Judgement::SureWrong,
        };
        self.outcome.edge_held.push(off == 0.0);
        self.outcome.edges.push(told.half_width());
        let what = || format!("{} MiB off {told:?} of {truth}", off / (1 << 20) as f64);
        self.add("edge", judged, &|answer| format!("{}: {}", what(), regions(answer)));
    }

    fn cache(&mut self) {
        let (judged, name) = match (&self.drawn.cache, &self.answer.cache) {
            (None, told) => (without(told), "no cache"),
            (Some(cache), CacheObservation::Seen { size, .. }) => {
                let (size, truth) = (*size, cache.bytes as f64);
                let off = size.value / truth - 1.0;
                let held = size.low <= truth && truth <= size.high;
                self.outcome.sizes.push(off);
                self.outcome.size_held.push(held);
                let near = if off.abs() <= TENTH { Judgement::Right } else { Judgement::Wrong };
                self.add("cache within 10 %", near, &|answer| format!("{:?} of {truth}", answer.cache));
                let judged = match (held, off.abs() <= 2.0 * TENTH) {
                    (true, _) => Judgement::Right,
                    (false, true) => Judgement::Wrong,
                    (false, false) => Judgement::SureWrong,
                };
                (judged, "cache")
            }
            (Some(cache), told) => (left_open(told, cache.bytes as f64), "cache"),
        };
        let truth = self.drawn.cache.as_ref().map(|cache| cache.bytes >> 20);
        self.add(name, judged, &|answer| format!("{:?} of {truth:?} MiB: {}", answer.cache, sets(answer)));
    }

    fn budgets(&mut self) {
        let drawn = self.drawn;
        let Some(cache) = &drawn.cache else { return };
        for budget in self.answer.budgets.clone() {
            let depth = if budget.block == SMALL { 64.0 } else { 16.0 };
            let miss = drawn.miss.at(budget.block, depth);
            let [cached, uncached, written] = match budget.block == SMALL {
                true => ["cached operations", "uncached operations", "written operations"],
                false => ["cached bytes", "uncached bytes", "written bytes"],
            };
            self.rate(cached, budget.cached, cache.hit.at(budget.block, depth));
            self.rate(uncached, budget.uncached, miss);
            self.rate(written, budget.written, miss);
            let Budget { cached, uncached, written, .. } = budget;
            self.joint("one limit over both", budget.joint(), ((cached, uncached), cache.has_limits));
            if budget.block == SMALL {
                let told = Joint::of(cached, written, budget.cached_and_written);
                self.joint("one limit over hits and writes", told, ((cached, written), cache.has_limits));
            }
            // Two queues of this depth move twice as much as one unless a meter stops them.
            let of_both = drawn.miss.at(budget.block, 2.0 * depth);
            if of_both < 1.01 * miss || of_both > 1.99 * miss {
                let told = Joint::of(uncached, written, budget.uncached_and_written);
                let truth = ((uncached, written), of_both < 1.01 * miss);
                self.joint("one limit over misses and writes", told, truth);
            }
        }
    }

    fn rate(&mut self, name: &'static str, told: Option<Estimate>, truth: f64) {
        let strays = self.drawn.strays.max(NEAR);
        let judged = match told {
            None => Judgement::HeldBack,
            Some(told) if (told.value / truth - 1.0).abs() <= strays => Judgement::Right,
            Some(told) if told.low <= truth && truth <= told.high => Judgement::Right,
            Some(_) => Judgement::SureWrong,
        };
        self.add(name, judged, &|_| format!("{told:?} of {truth:.0}"));
    }

    /// Judges what is reported of two loads, with the rates of each alone and whether one limit counts both.
    fn joint(
        &mut self,
        quantity: &'static str,
        told: Option<Joint>,
        ((one, other), is_one): ((Option<Estimate>, Option<Estimate>), bool),
    ) {
        let small = |(one, other): (Estimate, Estimate)| {
            one.value.min(other.value) < TENTH * one.value.max(other.value)
        };
        let judged = match (told, is_one) {
            (Some(Joint::Apart), false) | (Some(Joint::OneOverBoth), true) => Judgement::Right,
            // One of them is too small beside the other.
            (None, _) if one.zip(other).is_some_and(small) => Judgement::Open,
            (None | Some(Joint::Less), _) => Judgement::HeldBack,
            _ => Judgement::SureWrong,
        };
        self.add(quantity, judged, &|answer| format!("{told:?}: {one:?}, {other:?}: {:?}", answer.budgets));
    }

    fn tracks(&mut self) {
        let judged = match (&self.answer.tracks, self.drawn.tracks) {
            (TracksObservation::Falling { outer, inner, .. }, Some(truth)) => {
                let near =
                    |told: f64, truth: f64| (told / truth - 1.0).abs() <= TENTH + 0.5 * self.drawn.strays;
                if near(*outer, truth.0) && near(*inner, truth.1) {
                    Judgement::Right
                } else {
                    Judgement::Wrong
                }
            }
            (TracksObservation::Alike { .. } | TracksObservation::NotLooked, None) => Judgement::Right,
            (
                TracksObservation::NotLooked
                | TracksObservation::Uneven { .. }
                | TracksObservation::Unclear { .. },
                _,
            ) => Judgement::HeldBack,
            _ => Judgement::SureWrong,
        };
        let truth = self.drawn.tracks;
        self.add("tracks", judged, &|answer| format!("{:?} of {truth:?}", answer.tracks));
    }
}

/// Whether a reported region agrees with a true one; "loaded, or kept by a cache" leaves it open.
fn is_kind(truth: RegionKind, told: RegionKind) -> bool {
    told == truth || (truth == RegionKind::FirstTouch && told == RegionKind::FirstTouchOrCached)
}

/// Judges what is reported of a volume without a cache.
fn without(told: &CacheObservation) -> Judgement {
    match told {
        CacheObservation::None { .. } => Judgement::Right,
        CacheObservation::NotLooked
        | CacheObservation::Unconfirmed { .. }
        | CacheObservation::LargerOrFirstTouch { .. } => Judgement::HeldBack,
        CacheObservation::Seen { .. } | CacheObservation::SizeUnclear { .. } => Judgement::SureWrong,
    }
}

/// Judges what is reported of a cache of `truth` bytes, if it is not a size.
fn left_open(told: &CacheObservation, truth: f64) -> Judgement {
    match told {
        CacheObservation::None { up_to } if (*up_to as f64) < truth => Judgement::Open,
        CacheObservation::None { .. } | CacheObservation::Seen { .. } => Judgement::SureWrong,
        CacheObservation::SizeUnclear { holds, less_than, .. } => {
            let within = *holds as f64 <= truth * (1.0 + TENTH) && *less_than as f64 >= truth * (1.0 - TENTH);
            if within { Judgement::HeldBack } else { Judgement::SureWrong }
        }
        CacheObservation::LargerOrFirstTouch { up_to } if *up_to as f64 > truth * (1.0 + TENTH) => {
            Judgement::SureWrong
        }
        CacheObservation::NotLooked
        | CacheObservation::Unconfirmed { .. }
        | CacheObservation::LargerOrFirstTouch { .. } => Judgement::HeldBack,
    }
}

fn regions(answer: &PlacesAnswer) -> String {
    let one = |region: &Region| {
        let mib = |at: Estimate| format!("{:.1}±{:.1}", at.value / 1048576.0, at.half_width() / 1048576.0);
        let Region { kind, first_ns, settled_ns, times, places, .. } = region;
        let times = times.map(|times| (times.low, times.value, times.high));
        format!(
            "{} to {} {kind:?} {first_ns:.0} {settled_ns:?} {times:.2?} {places}",
            mib(region.from),
            mib(region.to)
        )
    };
    answer.regions.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn sets(answer: &PlacesAnswer) -> String {
    let set = |set: &analysis::SetObservation| {
        let hits = set.hits.map(|hits| (hits.low, hits.value, hits.high));
        format!(
            "{} MiB ×{} {:.0} ns {hits:.3?} of {}",
            set.bytes >> 20,
            set.passes,
            set.latency_ns_mean,
            set.reads
        )
    };
    answer.sets.iter().map(set).collect::<Vec<_>>().join(", ")
}

fn share(held: &[bool]) -> String {
    format!("{} of {} hold the truth", held.iter().filter(|held| **held).count(), held.len())
}

fn figures(outcomes: &[Outcome]) -> [(&'static str, String); 3] {
    let sizes: Vec<f64> = outcomes.iter().flat_map(|outcome| outcome.sizes.iter().copied()).collect();
    let held = |of: fn(&Outcome) -> &Vec<bool>| -> Vec<bool> {
        outcomes.iter().flat_map(|outcome| of(outcome).iter().copied()).collect()
    };
    let worst =
        sizes.iter().copied().fold(0.0, |worst: f64, off| if off.abs() > worst.abs() { off } else { worst });
    let mean = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
    let mut widths: Vec<f64> = outcomes.iter().flat_map(|outcome| outcome.edges.iter().copied()).collect();
    widths.sort_by(f64::total_cmp);
    let mib = |bytes: Option<&f64>| bytes.map_or(0.0, |bytes| bytes / 1048576.0);
    let times = || outcomes.iter().map(|outcome| 100.0 * outcome.time);
    [
        (
            "intervals of cache sizes",
            format!(
                "{}; mean {:+.1} %, worst {:+.1} %",
                share(&held(|outcome| &outcome.size_held)),
                100.0 * mean,
                100.0 * worst
            ),
        ),
        (
            "intervals of edges",
            format!(
                "{}; half of them within ± {:.1} MiB, all within ± {:.0} MiB",
                share(&held(|outcome| &outcome.edge_held)),
                mib(widths.get(widths.len() / 2)),
                mib(widths.last())
            ),
        ),
        (
            "time taken",
            format!(
                "{:.0} to {:.0} % of the forecast",
                times().fold(f64::MAX, f64::min),
                times().fold(0.0, f64::max)
            ),
        ),
    ]
}

#[test]
fn places() {
    let begun = Instant::now();
    let cases: Vec<usize> = numbers(2 * KINDS).collect();
    let outcomes = each(&cases, judge);
    let mut all = Table::default();
    all.figures.extend(figures(&outcomes).map(|(what, is)| (what.to_owned(), is)));
    outcomes.into_iter().for_each(|outcome| all.merge(outcome.table));
    println!("{:.0} s", begun.elapsed().as_secs_f64());
    all.conclude("places", cases.len());
}

/// Three sizes and three pairs of limits: the size of the cache within 10 %, each limit within 3 %, and one limit over reads
/// beyond the cache and writes.
#[test]
fn each_limit_of_a_host_cached_volume_is_told() {
    let cases: Vec<usize> = (0..9).collect();
    each(&cases, |number| {
        let drawn = DrawnVolume::hosted(*number);
        let (answer, _) = looked(&drawn);
        let cache = drawn.cache.as_ref().unwrap();
        let CacheObservation::Seen { size, .. } = answer.cache else { panic!("{}: {answer:?}", drawn.words) };
        assert!((size.value / cache.bytes as f64 - 1.0).abs() < TENTH, "{}: {size:?}", drawn.words);
        assert_eq!(answer.budgets.len(), 2, "{}", drawn.words);
        for budget in &answer.budgets {
            let depth = f64::from(budget.depth);
            let beyond = drawn.miss.at(budget.block, depth);
            let hits = cache.hit.at(budget.block, depth);
            for (told, truth) in [(budget.cached, hits), (budget.uncached, beyond), (budget.written, beyond)]
            {
                let value = told.map_or(0.0, |told| told.value);
                assert!((value / truth - 1.0).abs() <= NEAR, "{}: {told:?} of {truth}", drawn.words);
            }
            let joint = Joint::of(budget.uncached, budget.written, budget.uncached_and_written);
            assert_eq!(joint, Some(Joint::OneOverBoth), "{}: {budget:?}", drawn.words);
        }
    });
}
