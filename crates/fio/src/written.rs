//! Jobs as a job file of fio's: the same load for those who run fio.

use std::fmt::Write as _;

use workload::{
    Bytes, Direction, Flush, Job, LengthShare, Lengths, Nanos, Order, Pace, Spread, Zone, ZoneLength,
};

/// What a job file cannot say as exactly as the jobs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approximation {
    /// fio has no arrivals in bursts: they come by chance at the mean rate.
    Bursts,
    /// fio's shares are whole percentages: those of sizes or zones are rounded.
    Shares,
}

/// Returns a job file with these jobs side by side for `time`, on `size` bytes, and what it only approximates.
pub fn job_file(jobs: &[Job], time: Nanos, size: Bytes) -> (String, Vec<Approximation>) {
    let mut notes = Vec::new();
    let mut text = format!(
        "[global]\nioengine=libaio\ndirect=1\nthread=1\ntime_based=1\nruntime={}\nsize={}\n",
        time.as_secs_f64().ceil().max(1.0),
        size.0
    );
    for job in jobs {
        let _ = write!(text, "\n[{}]\n", job.name.replace(['[', ']', '\n'], " "));
        for (name, value) in options(job, &mut notes) {
            let _ = writeln!(text, "{name}={value}");
        }
    }
    notes.dedup();
    (text, notes)
}

fn options(job: &Job, notes: &mut Vec<Approximation>) -> Vec<(&'static str, String)> {
    let (access, mix) = (&job.access, job.access.mix);
    let way = match (mix.reads_only(), mix.writes_only()) {
        (true, _) => "read",
        (_, true) => "write",
        _ => "rw",
    };
    let order = if access.order == Order::Sequential { "" } else { "rand" };
    let run = access.runs.map_or(String::new(), |runs| format!(":{}", runs.length));
    let mut options = vec![("rw", format!("{order}{way}{run}"))];
    let mut put = |name, value: String| options.push((name, value));
    if way == "rw" {
        put("rwmixread", mix.read_percent().to_string());
    }
    let lengths = [Direction::Read, Direction::Write].map(|direction| job.blocks.of(direction));
    let used: Vec<&Lengths> = lengths
        .into_iter()
        .zip([!mix.writes_only(), !mix.reads_only()])
        .filter_map(|(lengths, is_used)| is_used.then_some(lengths))
        .collect();
    let fixed: Option<Vec<String>> =
        used.iter().map(|lengths| lengths.fixed().map(|length| length.0.to_string())).collect();
    match fixed {
        Some(fixed) => put("bs", fixed.join(",")),
        None => {
            let splits: Vec<String> = used.iter().map(|lengths| split(lengths, notes)).collect();
            // A single list holds for reads and writes.
            put("bssplit", splits.join(","));
        }
    }
    put("iodepth", job.depth.to_string());
    if job.clones > 1 {
        put("numjobs", job.clones.to_string());
    }
    if let Some(rate) = job.pace.rate() {
        let reads = rate.0 * f64::from(mix.read_percent()) / 100.0;
        let parts = [reads, rate.0 - reads].map(|part| part.round().max(1.0));
        put(
            "rate_iops",
            if way == "rw" {
                format!("{},{}", parts[0], parts[1])
            } else {
                rate.0.round().max(1.0).to_string()
            },
        );
    }
    if matches!(job.pace, Pace::Poisson(_) | Pace::Phases { .. }) {
        put("rate_process", "poisson".to_owned());
    }
    if matches!(job.pace, Pace::Phases { .. }) {
        notes.push(Approximation::Bursts);
    }
    if let Some(think) = job.think {
        put("thinktime", (think.pause.0 / 1000).max(1).to_string());
        put("thinktime_blocks", think.every.to_string());
    }
    if let Spread::Zoned(zones) = &access.spread {
        put("random_distribution", format!("zoned:{}", zoned(&zones.read, notes)));
    }
    if let Flush::Every(writes) = job.flush {
        put("fsync", writes.to_string());
    }
    options
}

fn split(lengths: &Lengths, notes: &mut Vec<Approximation>) -> String {
    let fixed;
    let shares = match lengths {
        Lengths::Shares(shares) => shares.as_slice(),
        other => {
            fixed = [LengthShare { length: Bytes(other.mean() as u64), weight: 1 }];
            &fixed
        }
    };
    let all: f64 = shares.iter().map(|share| f64::from(share.weight)).sum();
    let exact: Vec<f64> = shares.iter().map(|share| f64::from(share.weight) * 100.0 / all).collect();
    let percents = whole(&exact, notes);
    let sizes = shares.iter().zip(percents).filter(|(_, percent)| *percent > 0);
    sizes.map(|(share, percent)| format!("{}/{percent}", share.length.0)).collect::<Vec<_>>().join(":")
}

fn zoned(zones: &[Zone], notes: &mut Vec<Approximation>) -> String {
    let length = |zone: &Zone| if let ZoneLength::Percent(percent) = zone.length { percent } else { 0.0 };
    // A zone needs a percent of the region: shorter ones are joined with what follows.
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for zone in zones {
        match joined.last_mut() {
            Some(last) if last.1 < 1.0 => *last = (last.0 + zone.percent, last.1 + length(zone)),
            _ => joined.push((zone.percent, length(zone))),
        }
    }
    let ios = whole(&joined.iter().map(|zone| zone.0).collect::<Vec<_>>(), notes);
    let lengths = whole(&joined.iter().map(|zone| zone.1).collect::<Vec<_>>(), notes);
    ios.iter().zip(lengths).map(|(ios, length)| format!("{ios}/{length}")).collect::<Vec<_>>().join(":")
}

/// Rounds percentages so that they stay 100 in all: those with the greatest remainders are rounded up.
fn whole(exact: &[f64], notes: &mut Vec<Approximation>) -> Vec<u32> {
    let mut percents: Vec<u32> = exact.iter().map(|percent| percent.floor() as u32).collect();
    let mut by_rest: Vec<usize> = (0..exact.len()).collect();
    by_rest.sort_by(|a, b| exact[*b].fract().total_cmp(&exact[*a].fract()));
    let missing = 100u32.saturating_sub(percents.iter().sum()) as usize;
    by_rest.iter().take(missing).for_each(|at| percents[*at] += 1);
    if exact.iter().zip(&percents).any(|(exact, percent)| (exact - f64::from(*percent)).abs() > 0.05) {
        notes.push(Approximation::Shares);
    }
    percents
}
