//! What two runs of one command line did, side by side, for `--check-against`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use workload::{Act, Nanos, Spread};

use super::asked::{FioJob, FioRequest};
use super::options::JobOptions;
use super::shortened::bytes;

/// What one tool printed and left.
#[derive(Clone, Debug, Default)]
pub struct ToolOutcome {
    /// The exit code; `None` if a signal ended the tool.
    pub code: Option<i32>,
    /// The JSON document.
    pub document: Value,
    /// The log of each clone, in order: a row for each I/O, with its offset.
    pub logs: Vec<String>,
    /// The files with their lengths.
    pub files: BTreeMap<String, u64>,
    /// The messages, without the document.
    pub said: String,
}

/// The outcome of comparing one figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// The tools agree: exactly, or as closely as chance allows.
    Same,
    /// The tools differ.
    Differs,
    /// The figure depends on time or on the volume.
    NotJudged,
}

/// What a figure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aspect {
    Run,
    Amount,
    Flushes,
    Lengths,
    Files,
}

/// A figure of both tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedFigure {
    /// Index of the clone; `None` for the whole run.
    pub job: Option<usize>,
    /// What the figure is.
    pub what: String,
    /// The figure of fio, and that of plimsoll.
    pub values: [String; 2],
    /// Whether they agree.
    pub likeness: Likeness,
    /// The documented reason of a difference.
    pub reason: Option<&'static str>,
}

/// Share by which rates may differ.
const RATE: f64 = 0.05;
/// Standard errors within which shares are the same.
const ERRORS: f64 = 4.0;
/// Mean distances between random places within which the ends of a region are the same: e^-16 by chance.
const GAPS: f64 = 16.0;
/// Share of `runtime` from which a job has ended by time.
const BY_TIME: f64 = 0.95;
/// Lengths of I/Os that have a row of their own.
const LENGTHS: usize = 4;
const DIRECTIONS: [&str; 3] = ["read", "write", "trim"];

/// Compares what both tools did, fio first, by the `asked` jobs.
pub fn compared(asked: &FioRequest, outcomes: [&ToolOutcome; 2]) -> Vec<ComparedFigure> {
    let mut all = Figures { asked: &asked.jobs, job: None, found: Vec::new() };
    let jobs = outcomes.map(|outcome| outcome.document["jobs"].as_array().map_or(0, Vec::len));
    all.judged((Aspect::Run, "jobs"), jobs, Likeness::Differs);
    let mut files = Likeness::Differs;
    for (at, job) in asked.jobs.iter().enumerate() {
        all.job = Some(at);
        // fio puts the clones of a job in the order 0, 3, 2, 1 (docs/reference/fio-faults.md).
        let (clone, clones) = (job.clone as usize, job.options.numjobs as usize);
        let theirs = if clone == 0 { at } else { at - clone + (clones - clone) };
        let sides = [Side::of(outcomes[0], theirs), Side::of(outcomes[1], at)];
        let otherwise = sides[0].unlike(&sides[1], &job.options);
        if job.options.destroys() && otherwise == Likeness::NotJudged {
            files = otherwise;
        }
        amounts(&mut all, &job.options, (&sides, otherwise));
        places(&mut all, &job.options, (&sides, otherwise));
        rates(&mut all, &job.options, &sides);
    }
    all.job = None;
    let codes = outcomes.map(|outcome| outcome.code.map_or("a signal".into(), |code| code.to_string()));
    all.judged((Aspect::Run, "exit code"), codes, Likeness::Differs);
    let names: BTreeSet<_> = outcomes.iter().flat_map(|outcome| outcome.files.keys()).collect();
    for name in names {
        let length = |outcome: &ToolOutcome| outcome.files.get(name).map_or("missing".into(), u64::to_string);
        all.judged((Aspect::Files, name), outcomes.map(length), files);
    }
    all.found
}

/// Figures collected so far.
struct Figures<'a> {
    asked: &'a [FioJob],
    /// Index of the clone that the next figure is about; `None` for all.
    job: Option<usize>,
    found: Vec<ComparedFigure>,
}

impl Figures<'_> {
    /// Adds a figure; `otherwise` is the judgement on values that are not equal.
    fn judged(&mut self, (aspect, what): (Aspect, &str), values: [impl ToString; 2], otherwise: Likeness) {
        let values = values.map(|value| value.to_string());
        let likeness = if values[0] == values[1] { Likeness::Same } else { otherwise };
        let mut reasons = REASONS.iter().filter(|(of, ..)| of.is_empty() || of.contains(&aspect));
        let jobs = self.job.map_or(self.asked, |at| &self.asked[at..=at]);
        let reason = reasons.find(|(_, holds, _)| jobs.iter().any(|job| holds(&job.options)));
        let reason = reason.map(|(.., words)| *words).filter(|_| likeness == Likeness::Differs);
        self.found.push(ComparedFigure { job: self.job, what: what.to_owned(), values, likeness, reason });
    }

    /// Adds parts of counts, which are the same as closely as chance allows.
    fn shares(&mut self, what: &str, parts: [(u64, u64); 2]) {
        let [one, other] = parts.map(|(part, whole)| part as f64 / whole.max(1) as f64);
        let whole: u64 = parts.iter().map(|(_, whole)| whole).sum();
        let mean = parts.iter().map(|(part, _)| part).sum::<u64>() as f64 / whole.max(1) as f64;
        let inverse: f64 = parts.iter().map(|(_, whole)| 1.0 / (*whole).max(1) as f64).sum();
        let error = ERRORS * (mean * (1.0 - mean) * inverse).sqrt();
        let close = (one - other).abs() <= error;
        let words = [one, other].map(|share| format!("{:.1} %", share * 100.0));
        self.judged((Aspect::Lengths, what), words, if close { Likeness::Same } else { Likeness::Differs });
    }
}

/// What one tool did in one clone.
struct Side<'a> {
    job: &'a Value,
    /// Offset and length of each I/O.
    ios: Vec<[u64; 2]>,
}

impl<'a> Side<'a> {
    fn of(outcome: &'a ToolOutcome, at: usize) -> Side<'a> {
        let row = |line: &str| {
            let fields: Vec<u64> = line.split(',').map_while(|field| field.trim().parse().ok()).collect();
            (fields.len() >= 5 && fields[2] <= 2).then(|| [fields[4], fields[3]])
        };
        let ios = outcome.logs.get(at).map_or(Vec::new(), |log| log.lines().filter_map(row).collect());
        Side { job: &outcome.document["jobs"][at], ios }
    }

    fn sum(&self, directions: &[&str], key: &str) -> u64 {
        directions.iter().filter_map(|direction| self.job[direction][key].as_u64()).sum()
    }

    /// Returns the judgement on amounts that are not equal: none if the time decided how much the job did.
    fn unlike(&self, other: &Side, options: &JobOptions) -> Likeness {
        let enough = options.runtime.0 as f64 / 1e6 * BY_TIME;
        let times = DIRECTIONS.iter().flat_map(|direction| {
            [self, other].map(|side| side.job[direction]["runtime"].as_f64().unwrap_or(0.0))
        });
        let by_time = options.runtime > Nanos::ZERO && times.fold(0.0, f64::max) >= enough;
        match by_time || options.ends_by_time() || options.bounds.flow != 0 || options.time.exitall {
            true => Likeness::NotJudged,
            false => Likeness::Differs,
        }
    }
}

/// Compares the error, the I/Os and the bytes; of reads and writes that are mixed, only their sum is exact.
fn amounts(all: &mut Figures, options: &JobOptions, (sides, unlike): (&[Side; 2], Likeness)) {
    let figure = |directions: &[&str], key: &str| [0, 1].map(|at: usize| sides[at].sum(directions, key));
    let errors = [0, 1].map(|at: usize| sides[at].job["error"].as_u64().unwrap_or(0));
    all.judged((Aspect::Run, "error"), errors, Likeness::Differs);
    let mixed = options.pattern.mixed();
    let each = if mixed { Likeness::NotJudged } else { unlike };
    let of_ios = |bytes: Likeness| if has_lengths(options) { Likeness::NotJudged } else { bytes };
    let kinds = DIRECTIONS.iter().map(|name| (*name, std::slice::from_ref(name), each));
    for (name, directions, judgement) in kinds.chain(mixed.then_some(("all", &DIRECTIONS[..], unlike))) {
        let ios = figure(directions, "total_ios");
        let apart = are_far_apart(ios.map(|ios| ios as f64)) && ios[0].max(ios[1]) >= MANY;
        let judgement = if apart && judgement == unlike { Likeness::Differs } else { judgement };
        if ios != [0, 0] {
            all.judged((Aspect::Amount, &format!("{name} I/Os")), ios, of_ios(judgement));
            let bytes = figure(directions, "io_bytes");
            all.judged((Aspect::Amount, &format!("{name} bytes")), bytes, judgement);
        }
    }
    if mixed {
        let (reads, ios) = (figure(&["read"], "total_ios"), figure(&DIRECTIONS, "total_ios"));
        all.shares("reads of all I/Os", [(reads[0], ios[0]), (reads[1], ios[1])]);
    }
    let flushes = figure(&["sync"], "total_ios");
    if flushes != [0, 0] {
        all.judged((Aspect::Flushes, "flushes"), flushes, of_ios(each));
    }
}

/// Compares by the logs the shares of the most frequent lengths, and the ends of the region.
fn places(all: &mut Figures, options: &JobOptions, (sides, unlike): (&[Side; 2], Likeness)) {
    let fewest = sides[0].ios.len().min(sides[1].ios.len()).max(1);
    let mut counts = BTreeMap::<u64, [u64; 2]>::new();
    for (at, side) in sides.iter().enumerate() {
        side.ios.iter().for_each(|[_, length]| counts.entry(*length).or_default()[at] += 1);
    }
    let mut frequent: Vec<_> = counts.into_iter().collect();
    frequent.sort_by_key(|(_, [fio, own])| std::cmp::Reverse(fio + own));
    for (length, counts) in frequent.into_iter().take(LENGTHS) {
        let parts = [0, 1].map(|at: usize| (counts[at], sides[at].ios.len() as u64));
        all.shares(&format!("I/Os of {length} bytes"), parts);
    }
    let of_each = |end: &dyn Fn(&Side) -> Option<u64>| [0, 1].map(|at: usize| end(&sides[at]).unwrap_or(0));
    let lowest = of_each(&|side| side.ios.iter().map(|[offset, _]| *offset).min());
    let highest = of_each(&|side| side.ios.iter().map(|[offset, length]| offset + length).max());
    let gap = GAPS * highest[0].max(highest[1]) as f64 / fewest as f64;
    for (what, [fio, own]) in [("lowest byte", lowest), ("end of the highest", highest)] {
        let likeness = match (options.pattern.random, &options.spread) {
            (true, Spread::Uniform) if fio.abs_diff(own) as f64 <= gap => Likeness::Same,
            (true, Spread::Uniform) | (false, _) => unlike,
            (true, _) => Likeness::NotJudged,
        };
        all.judged((Aspect::Amount, what), [fio, own], likeness);
    }
}

/// Ratio of two rates or amounts above which they differ although nothing limits them: one of them is a cache's, or one tool
/// ended early.
const FAR_APART: f64 = 4.0;
/// Number of I/Os from which on such a ratio is not chance.
const MANY: u64 = 200;
/// Shortest run in milliseconds whose rate says that much.
const LONG_ENOUGH_MS: u64 = 200;

fn are_far_apart(figures: [f64; 2]) -> bool {
    figures[0].max(figures[1]) > FAR_APART * figures[0].min(figures[1])
}

/// Compares the rates where the job limits them; otherwise they stand side by side, unless they are far apart.
fn rates(all: &mut Figures, options: &JobOptions, sides: &[Side; 2]) {
    let limited = options.rate.iter().chain(&options.rate_iops).any(|limit| *limit > 0);
    let rates: [f64; 2] = [0, 1].map(|at: usize| {
        DIRECTIONS.iter().filter_map(|direction| sides[at].job[direction]["iops"].as_f64()).sum()
    });
    let fewest = sides.iter().map(|side| side.sum(&DIRECTIONS, "total_ios")).min().unwrap_or(0).max(1) as f64;
    let lasted = sides.iter().filter_map(|side| side.job["job_runtime"].as_u64()).min().unwrap_or(0);
    let likeness = match (rates[0] - rates[1]).abs() <= (RATE + 1.0 / fewest) * rates[0] {
        // Twice the rate may be the volume's mood; this is not.
        _ if !limited && are_far_apart(rates) && lasted >= LONG_ENOUGH_MS => Likeness::Differs,
        _ if !limited => Likeness::NotJudged,
        true => Likeness::Same,
        false => Likeness::Differs,
    };
    all.judged((Aspect::Run, "I/Os a second"), rates.map(|rate| format!("{rate:.0}")), likeness);
}

/// Whether values that differ are to be expected in a job with these options.
type Holds = fn(&JobOptions) -> bool;

/// Intended differences: the figures, all if none is named; when they are to be expected; and what fio does, as
/// docs/reference/fio.md and fio-faults.md say it.
#[rustfmt::skip]
const REASONS: &[(&[Aspect], Holds, &str)] = &[
    (&[], |o| o.pattern.trims, "trims of a file fail"),
    (&[Aspect::Flushes], |o| o.fsync > 0, "the flush that falls on the last write of a job is left out: 15 for `fsync=1` and 16 writes"),
    (&[Aspect::Flushes], |o| o.fdatasync > 0, "flushes by `fdatasync` are timed under `sync` and not counted: `total_ios` 0, in `issued rwts` and in JSON"),
    (&[Aspect::Lengths, Aspect::Amount], |o| has_lengths(o) && !o.norandommap, "a random pass of several lengths shortens what would overlap, and how many I/Os that gives depends on the order"),
    (&[], |o| o.ramp_time > Nanos::ZERO, "I/Os of the ramp belong to the amount: a job whose `size` is done before `ramp_time` is over reports those"),
    (&[], |o| o.engine.act() != Act::Move, "`filecreate`, `filestat`, `filedelete` and those of directories count an I/O for each block of a file and time one of them"),
    (&[Aspect::Files], |o| !["", "0"].contains(&o.verify.kind), "a job that verifies leaves `local-NAME-NUMBER-verify.state` behind, asked or not"),
    (&[Aspect::Amount, Aspect::Files], |o| has_broken_amount(o), "the last block of an amount may reach beyond it: `bs=3k io_size=400k` does 134 blocks, and `bs=4k size=10000` reads 3 of a longer file, writes 2"),
];

fn has_lengths(options: &JobOptions) -> bool {
    options.bsrange.iter().chain(&options.bssplit).any(Option::is_some)
}

/// Whether the amount is no whole number of blocks.
fn has_broken_amount(options: &JobOptions) -> bool {
    let mut amounts = options.size.into_iter().chain(options.io_size).map(bytes);
    amounts.any(|amount| options.bs.iter().any(|block| !amount.is_multiple_of(*block)))
        || has_lengths(options)
}

/// Returns what fio does in each intended difference, as the reference says it.
pub fn documented() -> impl Iterator<Item = &'static str> {
    REASONS.iter().map(|(.., words)| *words)
}
