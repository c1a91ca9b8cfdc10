//! Reads a profile's TOML into its fields, each with its place; every mistake is reported with line and column.

use toml::de::DeTable;
use workload::{Access, BlockSizes, Bytes, Flush, Iops, Job, Mix, Nanos, Pace, UnitError};

use super::fields::{At, Fields, Source};
use super::{Profile, ProfileError, ProfileStep, ProfileTable};

/// Default counted time of a step.
const TIME: Nanos = Nanos::from_secs(5);
/// Default uncounted time of a step.
const RAMP: Nanos = Nanos::from_millis(500);
/// Longest block accepted; a longer one is taken for a typing error.
const BLOCK_MAX: Bytes = Bytes::mib(64);
/// Greatest queue depth accepted; a greater one is taken for a typing error.
const DEPTH_MAX: u32 = 4096;
/// Most workers of a job accepted; more are taken for a typing error.
const WORKERS_MAX: u32 = 512;

const PROFILE: &[&str] = &["title", "about", "measures", "left_out", "table", "size", "time", "ramp", "step"];
const STEP: &[&str] = &["name", "time", "ramp", "job"];
const JOB: &[&str] = &[
    "name",
    "order",
    "read",
    "block",
    "read_block",
    "write_block",
    "depth",
    "workers",
    "rate",
    "flush_every",
];
const TABLES: &[(&str, ProfileTable)] =
    &[("lines", ProfileTable::Lines), ("crystaldiskmark", ProfileTable::CrystalDiskMark)];

#[derive(Clone, Copy)]
enum Order {
    Random,
    Sequential,
}
const ORDERS: &[(&str, Order)] = &[("random", Order::Random), ("sequential", Order::Sequential)];

/// Reads `text`; `name` is its name in errors: the path, or the name of a built-in profile.
pub(super) fn read(name: &str, text: &str) -> Result<Profile, ProfileError> {
    let source = Source::new(name, text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let at = error.span().map_or(0, |span| span.start);
        source.wrong::<()>(at, error.message().trim().replace('\n', "; ").replace('`', "'"));
    }
    // A text that is not TOML is not examined further.
    let profile =
        source.is_right().then(|| source.profile(name, &Fields::new((table.get_ref(), 0), PROFILE, &source)));
    source.result(profile.flatten())
}

impl Source<'_> {
    fn profile(&self, name: &str, fields: &Fields<'_>) -> Option<Profile> {
        let title = fields.needed("title", fields.text("title"));
        let text = |name: &str| fields.text(name).map(|text| text.value).unwrap_or_default();
        let (about, measures, left_out) = (text("about"), text("measures"), text("left_out"));
        let table = fields.choice("table", TABLES).unwrap_or(ProfileTable::Lines);
        let size = fields.text("size").and_then(|size| self.size(&size));
        let usual = (self.time(fields, TIME), self.ramp(fields, RAMP));
        let steps = self.steps(fields, usual);
        Some(Profile {
            name: name.to_owned(),
            title: title?.value,
            about,
            measures,
            left_out,
            table,
            size,
            steps: steps?,
        })
    }

    fn steps(&self, fields: &Fields<'_>, usual: (Nanos, Nanos)) -> Option<Vec<ProfileStep>> {
        let tables = fields.needed("step", fields.tables("step", "step", STEP))?;
        if tables.is_empty() {
            return self.wrong(0, "it has no step; add [[step]] with a name and a [[step.job]]".into());
        }
        let mut names: Vec<String> = Vec::new();
        let mut steps = Vec::new();
        for step in &tables {
            let read = self.step(step, usual);
            let name = step.text("name").filter(|name| !name.value.trim().is_empty());
            if let Some(name) = name {
                if names.contains(&name.value) {
                    let problem =
                        format!("two steps are called '{}'; give each a name of its own", name.value);
                    self.wrong::<()>(name.at, problem);
                }
                names.push(name.value);
            }
            steps.extend(read);
        }
        Some(steps)
    }

    fn step(&self, fields: &Fields<'_>, usual: (Nanos, Nanos)) -> Option<ProfileStep> {
        let time = self.time(fields, usual.0);
        let ramp = self.ramp(fields, usual.1);
        let name = fields.needed("name", fields.text("name")).and_then(|name| match name.value.trim() {
            "" => self.wrong(name.at, "a step needs a name".into()),
            _ => Some(name.value),
        });
        let called = name.clone().unwrap_or_default();
        let tables = fields.needed("job", fields.tables("job", "step.job", JOB))?;
        if tables.is_empty() {
            let problem = format!("step '{called}' has no job; add a [[step.job]] below it");
            return self.wrong(fields.at, problem);
        }
        let jobs = tables.iter().filter_map(|job| self.job(job, &called)).collect();
        Some(ProfileStep { name: name?, time, ramp, jobs })
    }

    fn job(&self, fields: &Fields<'_>, step: &str) -> Option<Job> {
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
        // If the share of reads is missing, both block sizes may be required.
        let share = read.as_ref().map_or(50, |read| read.value as u8);
        let blocks = self.blocks(fields, share);
        let (_, mix) = (read?, Mix::reads(share));
        let access = match order? {
            Order::Random => Access::random(mix),
            Order::Sequential => Access::sequential(mix),
        };
        Some(Job { access, blocks: blocks?, depth, clones, flush, pace, ..Job::named(&name) })
    }

    fn pace(&self, fields: &Fields<'_>) -> Pace {
        let Some(rate) = fields.number("rate") else { return Pace::Closed };
        let asked = rate.value;
        if !(asked > 0.0 && asked <= 1e9) {
            let problem = format!("a rate of {asked} is not a rate; write I/Os a second, such as 50");
            self.wrong::<()>(rate.at, problem);
        }
        Pace::Fixed(Iops(asked))
    }

    /// Block sizes of a job; `read` is the share of reads in percent.
    fn blocks(&self, fields: &Fields<'_>, read: u8) -> Option<BlockSizes> {
        let size = |name: &str| fields.text(name).map(|size| self.block(&size));
        let (all, reads, writes) = (size("block"), size("read_block"), size("write_block"));
        let of = |own: &Option<Option<Bytes>>| own.or(all);
        let lacks = (read > 0 && of(&reads).is_none()) || (read < 100 && of(&writes).is_none());
        let named = ["block", "read_block", "write_block"].iter().any(|name| fields.is_meant(name));
        if lacks && !named {
            let problem = "the job names no block; write for example block = \"4KiB\"";
            return self.wrong(fields.at, problem.into());
        }
        let (read, write) = (of(&reads).flatten(), of(&writes).flatten());
        let either = read.or(write)?;
        Some(BlockSizes::each(read.unwrap_or(either), write.unwrap_or(either), either))
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

    fn size(&self, word: &At<String>) -> Option<Bytes> {
        match workload::size(&word.value) {
            Ok(size) => Some(size),
            Err(error) => self.unit(word, &error),
        }
    }

    fn time(&self, fields: &Fields<'_>, usual: Nanos) -> Nanos {
        let Some(word) = fields.text("time") else { return usual };
        match self.duration(&word) {
            Some(Nanos(0)) => {
                self.wrong(word.at, "a step of no time measures nothing".into()).unwrap_or(usual)
            }
            time => time.unwrap_or(usual),
        }
    }

    fn ramp(&self, fields: &Fields<'_>, usual: Nanos) -> Nanos {
        fields.text("ramp").and_then(|word| self.duration(&word)).unwrap_or(usual)
    }

    fn duration(&self, word: &At<String>) -> Option<Nanos> {
        match workload::duration(&word.value) {
            Ok(time) => Some(time),
            Err(error) => self.unit(word, &error),
        }
    }

    fn unit<T>(&self, word: &At<String>, error: &UnitError) -> Option<T> {
        self.wrong(word.at, error.to_string())
    }
}
