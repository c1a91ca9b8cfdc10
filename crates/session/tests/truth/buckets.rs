//! Buckets that empty on the way: the fall is told with its time, and the volume is told as what is left.

use workload::{Bytes, Direction};

use crate::checked::{Against, Checked, count, each, is_full, stretches};
use crate::judge::Judgement;
use crate::table::Table;
use crate::told;
use crate::volume::judge_claim;

/// What the time of a fall may be off, seconds, beyond the interval that is told.
const OFF: f64 = 2.0;
/// What the share that is left may be off: a tenth, before its levels are held against theirs.
const AWRY: f64 = 0.1;
/// A level is seen where it was there for so long, seconds.
const SEEN: f64 = 5.0;
/// Sizes of each kind in a whole gate.
const SIZES: usize = 20;

/// A bucket of operations or of bytes.
struct Bucket {
    words: String,
    /// Per second, of what the bucket counts.
    base: f64,
    burst: f64,
    size: f64,
    bytes: bool,
}

impl Bucket {
    /// The bucket that lasts about `seconds` at full load.
    fn new(bytes: bool, number: usize, seconds: f64) -> Bucket {
        let base = [500.0, 300.0, 1000.0][number % 3] * if bytes { 65_536.0 } else { 1.0 };
        let burst = base * [3.0, 2.0, 5.0, 1.5][number % 4];
        let size = ((burst - base) * seconds).round();
        let seed = number + 1;
        let words = if bytes {
            let mib = |rate: f64| rate / Bytes::MIB.0 as f64;
            format!(
                "custom,bandwidth={}MiB/s,burst_bandwidth={}MiB/s,byte_bucket={size},seed={seed}",
                mib(base),
                mib(burst)
            )
        } else {
            format!("custom,iops={base},burst_iops={burst},bucket={size},bandwidth=2GiB/s,seed={seed}")
        };
        Bucket { words, base, burst, size, bytes }
    }

    /// When it was empty first, by what the run took from it: seconds of the run.
    fn emptied(&self, checked: &Checked) -> Option<f64> {
        let (mut level, mut now) = (self.size, 0.0);
        for stretch in stretches(&checked.run) {
            let took = if self.bytes { stretch.bytes } else { stretch.ops };
            level = self.size.min(level + (stretch.from - now).max(0.0) * self.base);
            let rest = level + (stretch.to - stretch.from) * self.base - took;
            // A bucket that is empty lets through the base rate: what is left then is rounding.
            if rest <= (stretch.to - stretch.from) * self.base * 0.02 {
                let rate = took / (stretch.to - stretch.from) - self.base;
                return Some(stretch.from + if rate > 0.0 { level / rate } else { 0.0 });
            }
            (level, now) = (self.size.min(rest), stretch.to);
        }
        None
    }

    /// Saturated seconds before and after a time.
    fn seen(&self, checked: &Checked, at: f64) -> (f64, f64) {
        let stretches = stretches(&checked.run);
        let busy = |stretch: &&crate::checked::Stretch| {
            let took = if self.bytes { stretch.bytes } else { stretch.ops };
            took / (stretch.to - stretch.from) > 0.9 * self.base
        };
        let length = |stretch: &crate::checked::Stretch| stretch.to - stretch.from;
        let before = stretches.iter().filter(busy).filter(|stretch| stretch.to <= at).map(length).sum();
        let after = stretches.iter().filter(busy).filter(|stretch| stretch.from >= at).map(length).sum();
        (before, after)
    }
}

fn judge(bucket: &Bucket) -> Table {
    let mut table = Table::default();
    let checked = Checked::of(&bucket.words, "");
    let found = checked.analysis(&Against::Nothing);
    let command = checked.command(&Against::Nothing);
    let kind = if bucket.bytes { "bytes" } else { "operations" };
    let emptied = bucket.emptied(&checked);
    let seen = emptied.map_or((0.0, 0.0), |at| bucket.seen(&checked, at));
    let sustained = if emptied.is_some() && seen.1 >= SEEN { bucket.base } else { bucket.burst };
    if let Some(at) = emptied.filter(|_| seen.0 >= SEEN && seen.1 >= SEEN) {
        let changes = told::changes(&found);
        let ratio = bucket.base / bucket.burst;
        let near = |change: &&told::Change| {
            let by = change.after / change.before;
            change.at.0 - OFF <= at && at <= change.at.1 + OFF && (by / ratio - 1.0).abs() <= AWRY
        };
        let judged = match (changes.is_empty(), changes.iter().find(near)) {
            (true, _) => Judgement::Missed,
            (false, Some(_)) => Judgement::Right,
            (false, None) => Judgement::SureWrong,
        };
        let what = || format!("{kind}: empty at {at:.1} s, told {changes:?}");
        let quantity = if bucket.bytes { "fall of bytes" } else { "fall of operations" };
        table.add(quantity, judged, (&command, &what));
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
    let sizes = if is_full() { count(SIZES).min(SIZES) } else { 6 };
    let at = |bytes: bool| {
        (0..sizes).map(move |number| {
            // From ten seconds of burst to a hundred: within what a check lasts.
            let seconds = 10.0 * 10f64.powf(number as f64 / (sizes - 1) as f64);
            Bucket::new(bytes, number, seconds)
        })
    };
    let cases: Vec<Bucket> = at(false).chain(at(true)).collect();
    Table::of(each(&cases, judge)).conclude("buckets", cases.len());
}
