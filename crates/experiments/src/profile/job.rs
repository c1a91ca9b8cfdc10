//! A job of a profile: its table read into what runs.

use workload::{
    Access, BlockSizes, ByDirection, Bytes, Flush, Follow, Iops, Job, LengthShare, Lengths, Mix, Nanos, Pace,
    Runs, Spread, Think, Zone, ZoneLength,
};

use super::fields::{At, Fields, Source};

/// Longest block accepted; a longer one is taken for a typing error.
const BLOCK_MAX: Bytes = Bytes::mib(64);
/// Greatest queue depth accepted; a greater one is taken for a typing error.
const DEPTH_MAX: u32 = 4096;
/// Most workers of a job accepted; more are taken for a typing error.
const WORKERS_MAX: u32 = 512;
/// Greatest rate accepted, I/Os a second; a greater one is taken for a typing error.
const RATE_MAX: f64 = 1e9;
/// Parts of a share: shares in percent keep three decimals.
const SHARE_PARTS: f64 = 1e3;

/// The fields of a job.
pub(super) const JOB: &[&str] = &[
    "name",
    "order",
    "read",
    "block",
    "read_block",
    "write_block",
    "depth",
    "workers",
    "rate",
    "arrivals",
    "burst_rate",
    "burst_ios",
    "calm_ios",
    "think",
    "think_after",
    "zones",
    "run",
    "flush_every",
];

#[derive(Clone, Copy)]
enum Order {
    Random,
    Sequential,
}
const ORDERS: &[(&str, Order)] = &[("random", Order::Random), ("sequential", Order::Sequential)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrivals {
    Even,
    Poisson,
    Bursts,
}
const ARRIVALS: &[(&str, Arrivals)] =
    &[("even", Arrivals::Even), ("poisson", Arrivals::Poisson), ("bursts", Arrivals::Bursts)];
/// The fields of arrivals in bursts.
const BURSTS: [&str; 3] = ["burst_rate", "burst_ios", "calm_ios"];

impl Source<'_> {
    pub(super) fn job(&self, fields: &Fields<'_>, step: &str) -> Option<Job> {
        let read = fields.needed("read", fields.count("read", (0, 100), "percent of reads"));
        let order = fields.needed("order", fields.choice("order", ORDERS));
        let depth = fields.count("depth", (1, DEPTH_MAX), "depth").map_or(1, |depth| depth.value);
        let clones =
            fields.count("workers", (1, WORKERS_MAX), "number of workers").map_or(1, |count| count.value);
        let flush = match fields.count("flush_every", (1, u32::MAX), "number of writes") {
            Some(writes) => Flush::Every(writes.value),
            None => Flush::Never,
        };
        let name = fields.text("name").map_or(step.to_owned(), |name| name.value);
        let pace = self.pace(fields);
        let think = self.think(fields);
        let (spread, runs) = (self.zones(fields), self.runs(fields));
        // If the share of reads is missing, both block sizes may be required.
        let share = read.as_ref().map_or(50, |read| read.value as u8);
        let blocks = self.blocks(fields, share);
        let (_, mix) = (read?, Mix::reads(share));
        let access = match order? {
            Order::Random => Access { spread, runs, ..Access::random(mix) },
            Order::Sequential => {
                for field in ["zones", "run"].iter().filter_map(|name| fields.place(name)) {
                    self.wrong::<()>(field, "a sequential job visits one block after the other; write order = \"random\" beside zones and run".into());
                }
                Access::sequential(mix)
            }
        };
        Some(Job { access, blocks: blocks?, depth, clones, flush, pace, think, ..Job::named(&name) })
    }

    fn pace(&self, fields: &Fields<'_>) -> Pace {
        let arrivals = fields.choice("arrivals", ARRIVALS);
        let of_bursts = BURSTS.iter().filter_map(|name| fields.place(name));
        if arrivals != Some(Arrivals::Bursts) {
            of_bursts.for_each(|at| {
                self.wrong::<()>(at, "this is of bursts; write arrivals = \"bursts\" beside it".into());
            });
        }
        let Some(rate) = self.rate(fields, "rate") else {
            if let Some(at) = fields.place("arrivals").filter(|_| fields.place("rate").is_none()) {
                self.wrong::<()>(at, "arrivals need a rate; write for example rate = 50".into());
            }
            return Pace::Closed;
        };
        match arrivals {
            None | Some(Arrivals::Even) => Pace::Fixed(Iops(rate.value)),
            Some(Arrivals::Poisson) => Pace::Poisson(Iops(rate.value)),
            Some(Arrivals::Bursts) => self.bursts(fields, &rate).unwrap_or(Pace::Closed),
        }
    }

    fn rate(&self, fields: &Fields<'_>, name: &str) -> Option<At<f64>> {
        let rate = fields.number(name)?;
        if rate.value > 0.0 && rate.value <= RATE_MAX {
            return Some(rate);
        }
        let problem = format!("a rate of {} is not a rate; write I/Os a second, such as 50", rate.value);
        self.wrong(rate.at, problem)
    }

    /// Returns arrivals of which `burst_ios` come at `burst_rate`, the next `calm_ios` more slowly, and all at `rate`.
    fn bursts(&self, fields: &Fields<'_>, rate: &At<f64>) -> Option<Pace> {
        let dense = fields.needed("burst_rate", self.rate(fields, "burst_rate"));
        let ios = |name: &'static str| {
            let count = fields.needed(name, fields.number(name))?;
            if (1.0..=RATE_MAX).contains(&count.value) {
                return Some(count.value);
            }
            self.wrong(count.at, format!("{name} of {} is not a number of I/Os, 1 or more", count.value))
        };
        let stays = [ios("burst_ios"), ios("calm_ios")];
        let (dense, stays) = (dense?, [stays[0]?, stays[1]?]);
        // The calm phase lasts as long as the mean rate leaves it.
        let calm_s = (stays[0] + stays[1]) / rate.value - stays[0] / dense.value;
        if dense.value <= rate.value || calm_s <= 0.0 {
            let problem = format!(
                "a burst of {} a second does not stand out from a rate of {}; write a greater burst_rate",
                dense.value, rate.value
            );
            return self.wrong(dense.at, problem);
        }
        Some(Pace::Phases { rates: [Iops(dense.value), Iops(stays[1] / calm_s)], stays })
    }

    fn think(&self, fields: &Fields<'_>) -> Option<Think> {
        let after = fields.count("think_after", (1, u32::MAX - 1), "number of I/Os between rests");
        let Some(word) = fields.text("think") else {
            if let Some(after) = after.filter(|_| fields.place("think").is_none()) {
                self.wrong::<()>(after.at, "how long is the rest? write for example think = \"5ms\"".into());
            }
            return None;
        };
        match self.duration(&word)? {
            Nanos(0) => self.wrong(word.at, "a rest of no time is none; leave think out".into()),
            pause => Some(Think::each(after.map_or(1, |after| after.value), pause)),
        }
    }

    /// Returns zones, written as percent of the I/O over percent of the region: `"80/10, 20/90"`.
    fn zones(&self, fields: &Fields<'_>) -> Spread {
        let Some(word) = fields.text("zones") else { return Spread::Uniform };
        let percent =
            |text: &str| text.trim().parse::<f64>().ok().filter(|percent| (0.0..=100.0).contains(percent));
        let zone = |part: &str| {
            let (ios, region) = part.split_once('/')?;
            Some(Zone { percent: percent(ios)?, length: ZoneLength::Percent(percent(region)?) })
        };
        let zones: Option<Vec<Zone>> = word.value.split(',').map(zone).collect();
        let length = |zone: &Zone| if let ZoneLength::Percent(percent) = zone.length { percent } else { 0.0 };
        let whole = |sum: f64| (sum - 100.0).abs() < 0.1;
        let fits = |zones: &Vec<Zone>| {
            whole(zones.iter().map(|zone| zone.percent).sum()) && whole(zones.iter().map(length).sum())
        };
        match zones.filter(fits) {
            Some(zones) => {
                let each = ByDirection { read: zones.clone(), write: zones.clone(), trim: zones };
                Spread::Zoned(each)
            }
            None => {
                let problem = format!(
                    "'{}' are no zones; write percent of the I/O over percent of the region, each 100 in all, such as \"80/10, 20/90\"",
                    word.value
                );
                self.wrong(word.at, problem).unwrap_or_default()
            }
        }
    }

    fn runs(&self, fields: &Fields<'_>) -> Option<Runs> {
        let length = fields.count("run", (1, u32::MAX), "number of I/Os in a run")?;
        (length.value > 1).then_some(Runs { length: length.value, follow: Follow::Next })
    }

    /// Block sizes of a job; `read` is the share of reads in percent.
    fn blocks(&self, fields: &Fields<'_>, read: u8) -> Option<BlockSizes> {
        let size = |name: &str| fields.text(name).map(|size| self.lengths(&size));
        let (all, reads, writes) = (size("block"), size("read_block"), size("write_block"));
        let of = |own: Option<Option<Lengths>>| own.or_else(|| all.clone());
        let (reads, writes) = (of(reads), of(writes));
        let lacks = (read > 0 && reads.is_none()) || (read < 100 && writes.is_none());
        let named = ["block", "read_block", "write_block"].iter().any(|name| fields.is_meant(name));
        if lacks && !named {
            let problem = "the job names no block; write for example block = \"4KiB\"";
            return self.wrong(fields.at, problem.into());
        }
        let (read, write) = (reads.flatten(), writes.flatten());
        let either = read.clone().or_else(|| write.clone())?;
        let lengths = ByDirection {
            read: read.unwrap_or_else(|| either.clone()),
            write: write.unwrap_or_else(|| either.clone()),
            trim: either,
        };
        Some(BlockSizes { lengths, ..BlockSizes::all(Bytes::kib(4)) })
    }

    /// One length, or several with their shares: `"4KiB/70, 64KiB/30"`.
    fn lengths(&self, word: &At<String>) -> Option<Lengths> {
        let parts: Vec<&str> = word.value.split(',').collect();
        if let [only] = parts.as_slice()
            && !only.contains('/')
        {
            return self.block(word).map(Lengths::Fixed);
        }
        let share = |part: &&str| {
            let (size, share) = part.split_once('/').unwrap_or((part, ""));
            let length = self.block(&At { value: size.trim().to_owned(), at: word.at })?;
            match share.trim().parse::<f64>() {
                Ok(share) if (0.0..=1e6).contains(&share) => {
                    Some(LengthShare { length, weight: (share * SHARE_PARTS).round() as u32 })
                }
                _ => self.wrong(
                    word.at,
                    format!(
                        "'{part}' has no share; write sizes with their shares, such as \"4KiB/70, 64KiB/30\""
                    ),
                ),
            }
        };
        let shares: Vec<LengthShare> = parts.iter().filter_map(share).collect();
        if shares.len() == parts.len() && shares.iter().all(|share| share.weight == 0) {
            return self.wrong(word.at, "no size has a share above 0".into());
        }
        (shares.len() == parts.len()).then_some(Lengths::Shares(shares))
    }

    fn block(&self, size: &At<String>) -> Option<Bytes> {
        match self.size(size)? {
            bytes if bytes > BLOCK_MAX => {
                self.wrong(size.at, format!("a block of {bytes} is longer than {BLOCK_MAX}"))
            }
            bytes if bytes.0 == 0 || !bytes.0.is_multiple_of(512) => {
                let problem =
                    format!("a block of {bytes} is not a multiple of 512 B, which every device needs");
                self.wrong(size.at, problem)
            }
            bytes => Some(bytes),
        }
    }
}
