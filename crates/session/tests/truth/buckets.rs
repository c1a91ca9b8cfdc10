//! Buckets that empty during a run, and bursts that end with time: the fall is reported with its time, and the
//! volume's rate as what is left.

use std::time::Instant;

use analysis::Confidence;
use workload::{Bytes, Direction};

use crate::checked::{Against, CheckedVolume, Stretch, each, quarter, stretches};
use crate::judge::Judgement;
use crate::table::Table;
use crate::told;
use crate::volume::judge_claim;

/// How far off the likeliest time of a fall may be, in seconds; its interval must contain the true time.
const OFF: f64 = 2.0;
/// Tolerance for edges of intervals, which are whole I/Os and slices of a meter, in seconds.
const EDGE: f64 = 0.1;
/// Relative error allowed in the share that is left, before its levels are compared.
const AWRY: f64 = 0.1;
/// Seconds that a level must last to be detected.
const SEEN: f64 = 5.0;
/// Number of sizes of each kind.
const SIZES: usize = 20;
/// Lengths of a hypervisor's bursts in seconds: its bucket holds as much as the burst rate lets through in them.
const LENGTHS: [f64; 3] = [15.0, 30.0, 60.0];

/// What ends a burst.
#[derive(Clone, Copy)]
enum Ends {
    /// A bucket of this size, filled at the base rate.
    Credits(f64),
    /// This many seconds after it began.
    Time(f64),
}

/// A volume with a burst of operations or of bytes.
struct Bucket {
    words: String,
    /// Rate per second, in the resource that the bucket counts.
    base: f64,
    burst: f64,
    ends: Ends,
    bytes: bool,
}

impl Bucket {
    /// Returns the rates of volume `number`; its burst ends as `ends` says for them.
    fn new(bytes: bool, number: usize, ends: impl Fn(f64, f64) -> Ends) -> Bucket {
        let base = [500.0, 300.0, 1000.0][number % 3] * if bytes { 65_536.0 } else { 1.0 };
        let burst = base * [3.0, 2.0, 5.0, 1.5][number % 4];
        let ends = ends(base, burst);
        let mib = |rate: f64| rate / Bytes::MIB.0 as f64;
        let rates = match bytes {
            true => format!("bandwidth={}MiB/s,burst_bandwidth={}MiB/s", mib(base), mib(burst)),
            false => format!("iops={base},burst_iops={burst},bandwidth=2GiB/s"),
        };
        let pays = match ends {
            Ends::Credits(size) => format!("{}bucket={size}", if bytes { "byte_" } else { "" }),
            Ends::Time(seconds) => format!("burst={seconds}s,cool_off=1h"),
        };
        let words = format!("custom,{rates},{pays},seed={}", number + 1);
        Bucket { words, base, burst, ends, bytes }
    }

    fn took(&self, stretch: &Stretch) -> f64 {
        if self.bytes { stretch.bytes } else { stretch.ops }
    }

    /// Returns when the bursts of the run ended, in seconds, computed from what the load took.
    fn emptied(&self, checked: &CheckedVolume) -> Vec<f64> {
        let stretches = stretches(&checked.run);
        match self.ends {
            Ends::Credits(size) => self.drained(&stretches, size),
            Ends::Time(seconds) => {
                let above =
                    |s: &&Stretch| s.to - s.from > 0.05 && self.took(s) > 1.02 * self.base * (s.to - s.from);
                let begun = stretches.iter().find(above).map(|stretch| stretch.from + seconds);
                begun.filter(|end| stretches.last().is_some_and(|last| last.to > *end)).into_iter().collect()
            }
        }
    }

    /// Returns when a bucket of this size ran dry.
    fn drained(&self, stretches: &[Stretch], size: f64) -> Vec<f64> {
        let (mut level, mut now, mut before, mut times) = (size, 0.0, 0.0f64, Vec::new());
        let mut was_dry = false;
        for stretch in stretches {
            let (length, took) = (stretch.to - stretch.from, self.took(stretch));
            // A pause earns credits, and after it the rate of the burst is unknown.
            if stretch.from > now + 1e-6 {
                (level, before) = (size.min(level + (stretch.from - now) * self.base), 0.0);
            }
            let rest = level + length * self.base - took;
            // An empty bucket lets the base rate through: what is left then is rounding, and the I/Os at the
            // edges.
            let each = 2.0 * took / stretch.ops.max(1.0) + 0.001 * size;
            let dry = rest <= length * self.base * 0.02 + each;
            if dry && !was_dry {
                let rate = before.max(took / length).min(self.burst) - self.base;
                times.push(stretch.from + (level / rate.max(1.0)).min(length));
            }
            level = if dry { 0.0 } else { size.min(rest) };
            was_dry = dry || (was_dry && level < 0.3 * self.base + each);
            (now, before) = (stretch.to, took / length);
        }
        times
    }

    /// Returns the ratio of the load's mean rates in the seconds after and before `at`.
    fn around(&self, checked: &CheckedVolume, at: f64) -> f64 {
        let stretches = stretches(&checked.run);
        let rates = |from: f64, to: f64| {
            let inside = stretches.iter().filter(|s| s.from >= from && s.to <= to && s.to - s.from > 0.05);
            let rates: Vec<f64> = inside.map(|s| self.took(s) / (s.to - s.from)).collect();
            rates.iter().sum::<f64>() / rates.len().max(1) as f64
        };
        rates(at + 0.5, at + 1.5) / rates(at - 1.5, at)
    }

    /// Returns the saturated seconds before and after `at`.
    fn seen(&self, checked: &CheckedVolume, at: f64) -> (f64, f64) {
        let stretches = stretches(&checked.run);
        let busy = |stretch: &&Stretch| self.took(stretch) / (stretch.to - stretch.from) > 0.9 * self.base;
        let length = |stretch: &Stretch| stretch.to - stretch.from;
        let before = stretches.iter().filter(busy).filter(|stretch| stretch.to <= at).map(length).sum();
        let after = stretches.iter().filter(busy).filter(|stretch| stretch.from >= at).map(length).sum();
        (before, after)
    }
}

fn judge(bucket: &Bucket) -> Table {
    let mut table = Table::default();
    let checked = CheckedVolume::of(&bucket.words, "");
    let found = checked.analysis(&Against::Nothing);
    let command = checked.command(&Against::Nothing);
    let kind = if bucket.bytes { "bytes" } else { "operations" };
    let all = bucket.emptied(&checked);
    let emptied = all.first().copied();
    let seen = emptied.map_or((0.0, 0.0), |at| bucket.seen(&checked, at));
    let sustained = if emptied.is_some() && seen.1 >= SEEN { bucket.base } else { bucket.burst };
    if let Some(at) = emptied.filter(|_| seen.0 >= SEEN && seen.1 >= SEEN) {
        let changes = told::changes(&found);
        let ratio = bucket.base / bucket.burst;
        // A load that could not use the burst showed less of it.
        let near = |change: &&told::Change| {
            let by = change.after / change.before;
            let as_far = |ratio: f64| (by / ratio - 1.0).abs() <= AWRY;
            let holds = change.at.0 - EDGE <= at && at <= change.at.1 + EDGE;
            holds
                && (change.likeliest - at).abs() <= OFF
                && (as_far(ratio) || as_far(bucket.around(&checked, at)))
        };
        let judged = match (changes.is_empty(), changes.iter().find(near)) {
            (true, _) => Judgement::Missed,
            (false, Some(_)) => Judgement::Right,
            (false, None) => Judgement::SureWrong,
        };
        let what = || format!("{kind}: empty at {all:.1?} s, told {changes:?}");
        let quantity = if bucket.bytes { "fall of bytes" } else { "fall of operations" };
        table.add(quantity, judged, (&command, &what));
        for change in &changes {
            let near = |at: &f64| change.at.0 - EDGE <= *at && *at <= change.at.1 + EDGE;
            let judged = match all.iter().any(near) {
                true => Judgement::Right,
                false if change.confidence >= Confidence::Likely => Judgement::SureWrong,
                false => Judgement::Wrong,
            };
            table.add("every change that is told", judged, (&command, &what));
        }
        let claim = match bucket.bytes {
            true => format!("read {:.0} MB/s", bucket.burst / 1e6),
            false => format!("read {:.0} iops", bucket.burst),
        };
        judge_claim(&checked, &claim, bucket.base / bucket.burst, &mut table);
    }
    for direction in [Direction::Read, Direction::Write] {
        let told =
            if bucket.bytes { told::bytes(&found, direction) } else { told::operations(&found, direction) };
        let judged = match told.filter(|told| !told.at_least) {
            None => Judgement::HeldBack,
            Some(told) if told.agrees(sustained) => Judgement::Right,
            Some(told) if told.is_sure() => Judgement::SureWrong,
            Some(_) => Judgement::Wrong,
        };
        let what = || format!("{kind}: {direction:?} {told:?} for {sustained}, empty at {emptied:?}");
        table.add("cap is what is left", judged, (&command, &what));
    }
    table
}

#[test]
fn buckets() {
    let sizes = |bytes: bool| {
        (0..SIZES).map(move |number| {
            // From ten seconds of burst to a hundred, which is within the length of a check.
            let seconds = 10.0 * 10f64.powf(number as f64 / (SIZES - 1) as f64);
            Bucket::new(bytes, number, move |base, burst| Ends::Credits(((burst - base) * seconds).round()))
        })
    };
    let lengths = |bytes: bool| {
        let each = move |(number, length): (usize, f64)| {
            let leaky = Bucket::new(bytes, number, move |_, burst| Ends::Credits((burst * length).round()));
            [leaky, Bucket::new(bytes, number + 2, move |_, _| Ends::Time(length))]
        };
        LENGTHS.into_iter().enumerate().flat_map(each)
    };
    let ways = [false, true];
    let cases = ways.into_iter().flat_map(|bytes| sizes(bytes).chain(lengths(bytes)));
    let cases: Vec<Bucket> = quarter(cases.collect());
    let begun = Instant::now();
    let table = Table::of(each(&cases, judge));
    println!("{:.0} s", begun.elapsed().as_secs_f64());
    table.conclude("buckets", cases.len());
}
