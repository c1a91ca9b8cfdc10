//! A profile as the text that is read into it, and the profile of a recorded load.

use std::fmt::Write as _;

use analysis::loads::{Drive, RecordedFlow, RecordedLoad};
use workload::{
    Access, BlockSizes, ByDirection, Bytes, Direction, Flush, Follow, Iops, Job, LengthShare, Lengths, Mix,
    Nanos, Order, Pace, Runs, Spread, Think, Zone, ZoneLength,
};

use super::{Profile, ProfileStep, ProfileTable};

/// Shortest and longest counted time of a step made from a recording: enough for a percentile, and what anyone waits for.
const TIMES: [Nanos; 2] = [Nanos::from_secs(5), Nanos::from_secs(300)];
/// Bytes of buffers that a job with arrivals may have in flight, and the numbers of I/Os between which that leaves it.
const BUFFERS: u64 = 64 << 20;
const IN_FLIGHT: [u64; 2] = [16, 256];
/// Length of a run of I/Os from which a job is sequential.
const SEQUENTIAL: f64 = 1000.0;
/// Length of a run below which I/Os do not follow each other.
const RUN_LEAST: f64 = 1.5;
/// Parts of a share of I/Os, in which a size has its weight.
const PARTS: f64 = 1e5;
/// Largest region that a profile asks for: what a run lays out unless another size is named.
const REGION_MOST: u64 = 4 << 30;

impl ProfileStep {
    /// A step that loads a volume as a recording shows it.
    pub fn of_load(name: &str, load: &RecordedLoad) -> ProfileStep {
        let time = Nanos::from_secs_f64((load.seconds * 10.0).round() / 10.0).clamp(TIMES[0], TIMES[1]);
        let jobs = if load.is_apart() {
            [("reads", Direction::Read), ("writes", Direction::Write)]
                .map(|(name, direction)| job(name, &load.only(direction)))
                .to_vec()
        } else {
            vec![job(name, load)]
        };
        ProfileStep { name: name.to_owned(), time, ramp: Nanos::ZERO, jobs }
    }
}

impl Profile {
    /// The size of the region that a recorded load asks for, if a run would lay out as much.
    pub fn region_of(load: &RecordedLoad) -> Option<Bytes> {
        let size = Bytes(load.size.next_multiple_of(Bytes::MIB.0));
        let is_trace = load.reading_s == 0.0;
        (is_trace && (Bytes::MIB.0..=REGION_MOST).contains(&size.0)).then_some(size)
    }

    /// The text from which this profile is read, after `comments`, a line each.
    pub fn text(&self, comments: &[String]) -> String {
        let mut text: String =
            comments.iter().map(|line| format!("# {line}\n").replace("# \n", "#\n")).collect();
        let _ = writeln!(text, "title = {}", quoted(&self.title));
        for (name, value) in
            [("about", &self.about), ("measures", &self.measures), ("left_out", &self.left_out)]
        {
            if !value.is_empty() {
                let _ = writeln!(text, "{name} = {}", quoted(value));
            }
        }
        if self.table == ProfileTable::CrystalDiskMark {
            text.push_str("table = \"crystaldiskmark\"\n");
        }
        if let Some(size) = self.size {
            let _ = writeln!(text, "size = {}", quoted(&bytes(size)));
        }
        for step in &self.steps {
            let _ = write!(
                text,
                "\n[[step]]\nname = {}\ntime = {}\nramp = {}\n",
                quoted(&step.name),
                quoted(&time(step.time)),
                quoted(&time(step.ramp))
            );
            step.jobs.iter().for_each(|job| write_job(&mut text, job));
        }
        text
    }
}

/// Returns a job that loads a volume as `load` says.
fn job(name: &str, load: &RecordedLoad) -> Job {
    let (reads, writes) = (lengths(&load.reads), lengths(&load.writes));
    let either = reads.clone().or_else(|| writes.clone()).unwrap_or(Lengths::Fixed(Bytes::kib(4)));
    let lengths = ByDirection {
        read: reads.unwrap_or_else(|| either.clone()),
        write: writes.unwrap_or_else(|| either.clone()),
        trim: either,
    };
    let blocks = BlockSizes { lengths, ..BlockSizes::all(Bytes::kib(4)) };
    let longest = blocks.longest().0.max(1);
    let waiting = (BUFFERS / longest).clamp(IN_FLIGHT[0], IN_FLIGHT[1]) as u32;
    let rate = Iops(load.iops());
    let (depth, pace, think) = match load.drive {
        Drive::Closed { depth } => (depth, Pace::Closed, None),
        Drive::Bunches { depth, ios, rest_s } => {
            (depth, Pace::Closed, Some(Think::each(ios, Nanos::from_secs_f64(rest_s).max(Nanos(1)))))
        }
        Drive::Even => (waiting, Pace::Fixed(rate), None),
        Drive::Poisson => (waiting, Pace::Poisson(rate), None),
        Drive::Phases { burst_iops, burst_ios, calm_ios } => {
            let calm_s = (burst_ios + calm_ios) / rate.0 - burst_ios / burst_iops;
            let pace = match calm_s > 0.0 && burst_iops > rate.0 {
                true => Pace::Phases {
                    rates: [Iops(burst_iops), Iops(calm_ios / calm_s)],
                    stays: [burst_ios, calm_ios],
                },
                // Bursts that are no denser than the mean are none.
                false => Pace::Poisson(rate),
            };
            (waiting, pace, None)
        }
    };
    let flush = match load.flush_every {
        Some(writes) => Flush::Every(writes.round().clamp(1.0, f64::from(u32::MAX)) as u32),
        None => Flush::Never,
    };
    Job { access: access(load), blocks, depth, pace, think, flush, ..Job::named(name) }
}

fn access(load: &RecordedLoad) -> Access {
    let mix = Mix::reads(load.read_percent());
    if load.run >= SEQUENTIAL {
        return Access::sequential(mix);
    }
    let follows =
        (load.run >= RUN_LEAST).then(|| Runs { length: load.run.round() as u32, follow: Follow::Next });
    let zone = |zone: &analysis::loads::LoadZone| Zone {
        percent: zone.ios * 100.0,
        length: ZoneLength::Percent(zone.region * 100.0),
    };
    let zones: Vec<Zone> = load.zones.iter().map(zone).collect();
    let spread = match zones.is_empty() {
        true => Spread::Uniform,
        false => Spread::Zoned(ByDirection { read: zones.clone(), write: zones.clone(), trim: zones }),
    };
    Access { spread, runs: follows, ..Access::random(mix) }
}

/// Returns the lengths of a direction; `None` without I/O.
fn lengths(flow: &RecordedFlow) -> Option<Lengths> {
    let weight = |share: f64| (share * PARTS).round().max(1.0) as u32;
    match flow.sizes.as_slice() {
        [] => None,
        [(size, _)] => Some(Lengths::Fixed(Bytes(*size))),
        several => {
            let share =
                |(size, share): &(u64, f64)| LengthShare { length: Bytes(*size), weight: weight(*share) };
            Some(Lengths::Shares(several.iter().map(share).collect()))
        }
    }
}

fn write_job(text: &mut String, job: &Job) {
    let mix = job.access.mix;
    let order = if job.access.order == Order::Sequential { "sequential" } else { "random" };
    let _ = write!(
        text,
        "[[step.job]]\nname = {}\norder = \"{order}\"\nread = {}\n",
        quoted(&job.name),
        mix.read_percent()
    );
    let lengths = &job.blocks.lengths;
    if mix.reads_only() || mix.writes_only() || lengths.read == lengths.write {
        let used = if mix.writes_only() { &lengths.write } else { &lengths.read };
        let _ = writeln!(text, "block = {}", quoted(&sizes(used)));
    } else {
        let [read, write] = [&lengths.read, &lengths.write].map(|lengths| quoted(&sizes(lengths)));
        let _ = writeln!(text, "read_block = {read}\nwrite_block = {write}");
    }
    if let Spread::Zoned(zones) = &job.access.spread {
        let zone = |zone: &Zone| match zone.length {
            ZoneLength::Percent(length) => format!("{}/{}", number(zone.percent), number(length)),
            ZoneLength::Bytes(_) | ZoneLength::Rest => String::new(),
        };
        let zones: Vec<String> = zones.read.iter().map(zone).collect();
        let _ = writeln!(text, "zones = {}", quoted(&zones.join(", ")));
    }
    if let Some(runs) = job.access.runs {
        let _ = writeln!(text, "run = {}", runs.length);
    }
    let _ = writeln!(text, "depth = {}", job.depth);
    if job.clones > 1 {
        let _ = writeln!(text, "workers = {}", job.clones);
    }
    write_pace(text, job);
}

fn write_pace(text: &mut String, job: &Job) {
    if let Some(rate) = job.pace.rate() {
        let _ = writeln!(text, "rate = {}", number(rate.0));
    }
    match job.pace {
        Pace::Poisson(_) => text.push_str("arrivals = \"poisson\"\n"),
        Pace::Phases { rates, stays } => {
            let _ = write!(
                text,
                "arrivals = \"bursts\"\nburst_rate = {}\nburst_ios = {}\ncalm_ios = {}\n",
                number(rates[0].0),
                number(stays[0]),
                number(stays[1])
            );
        }
        Pace::Closed | Pace::Fixed(_) | Pace::Bytes { .. } | Pace::Traced => {}
    }
    if let Some(think) = job.think {
        let _ = writeln!(text, "think = {}\nthink_after = {}", quoted(&time(think.pause)), think.every);
    }
    if let Flush::Every(writes) = job.flush {
        let _ = writeln!(text, "flush_every = {writes}");
    }
}

/// Writes lengths as a profile names them: `4KiB/70, 64KiB/30`.
fn sizes(lengths: &Lengths) -> String {
    match lengths {
        Lengths::Fixed(length) => bytes(*length),
        // A profile has no ranges; the mean is a multiple of nothing, so both ends are named.
        Lengths::Range { least, most, .. } => format!("{}/50, {}/50", bytes(*least), bytes(*most)),
        Lengths::Shares(shares) => {
            let all: f64 = shares.iter().map(|share| f64::from(share.weight)).sum();
            let share = |share: &LengthShare| {
                format!("{}/{}", bytes(share.length), share_of(f64::from(share.weight) / all))
            };
            shares.iter().map(share).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Writes a share in percent, as exactly as it is read.
fn share_of(share: f64) -> String {
    let text = format!("{:.3}", share * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Writes a number with at most three digits after the point, or six below one.
fn number(value: f64) -> String {
    let text = if value < 1.0 { format!("{value:.6}") } else { format!("{value:.3}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Writes bytes in the largest unit that leaves a whole number.
fn bytes(size: Bytes) -> String {
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let whole = units.into_iter().find(|(_, unit)| size.0 > 0 && size.0.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{}B", size.0), |(name, unit)| format!("{}{name}", size.0 / unit))
}

/// Writes a time in the largest unit that leaves a whole number.
fn time(time: Nanos) -> String {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000)];
    let whole = units.into_iter().find(|(_, unit)| time.0.is_multiple_of(*unit));
    whole.map_or_else(|| format!("{}ns", time.0), |(name, unit)| format!("{}{name}", time.0 / unit))
}

/// Writes a string of TOML.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        control if control.is_control() => format!("\\u{:04X}", u32::from(control)),
        letter => letter.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::profile_names;

    #[test]
    fn every_built_in_profile_reads_again_from_its_own_text() {
        for name in profile_names() {
            let profile = Profile::builtin(name).unwrap();
            let again = Profile::read(name, &profile.text(&[])).unwrap();
            assert_eq!(again, profile);
        }
    }

    #[test]
    fn what_a_recording_can_show_reads_again_from_its_text() {
        let flow = |iops, sizes: &[(u64, f64)]| RecordedFlow {
            iops,
            bytes: iops * 4096.0,
            latency_s: None,
            sizes: sizes.to_vec(),
        };
        let zones = [(0.8, 0.1), (0.2, 0.9)].map(|(ios, region)| analysis::loads::LoadZone { ios, region });
        let load = RecordedLoad {
            device: "vdb".into(),
            size: 1 << 30,
            seconds: 20.0,
            reading_s: 0.0,
            reads: flow(700.5, &[(4096, 0.7), (65536, 0.3)]),
            writes: flow(300.25, &[(8192, 1.0)]),
            drive: Drive::Even,
            in_flight: None,
            busy: None,
            burstiness: Vec::new(),
            zones: zones.to_vec(),
            run: 4.0,
            flush_every: Some(8.0),
            unknowns: Vec::new(),
        };
        let drives = [
            Drive::Closed { depth: 7 },
            Drive::Bunches { depth: 3, ios: 50, rest_s: 0.01 },
            Drive::Even,
            Drive::Poisson,
            Drive::Phases { burst_iops: 9000.0, burst_ios: 120.0, calm_ios: 3.5 },
        ];
        for drive in drives {
            let step = ProfileStep::of_load("load", &RecordedLoad { drive, ..load.clone() });
            let profile = Profile {
                name: "mine".into(),
                title: "a \"load\"".into(),
                about: String::new(),
                measures: String::new(),
                left_out: "what\nis not known".into(),
                table: ProfileTable::Lines,
                size: Profile::region_of(&load),
                steps: vec![step],
            };
            let text = profile.text(&["made by hand".into()]);
            let again = Profile::read("mine", &text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(again.text(&["made by hand".into()]), text, "the same text again");
            assert_eq!(again.steps[0].jobs.len(), profile.steps[0].jobs.len());
            for (again, job) in again.steps[0].jobs.iter().zip(&profile.steps[0].jobs) {
                assert_eq!((again.depth, again.think, again.flush), (job.depth, job.think, job.flush));
                let rates = [again, job].map(|job| job.pace.rate().map_or(1.0, |rate| rate.0));
                assert!((rates[0] / rates[1] - 1.0).abs() < 1e-3, "{rates:?}");
            }
        }
    }
}
