//! A profile's TOML into its fields, each with the place where it stands; what is wrong is named with line and column.

use serde::Deserialize;
use toml::Spanned;
use workload::{Access, BlockSizes, Bytes, Flush, Iops, Job, Mix, Nanos, Pace, UnitError};

use super::{Profile, ProfileError, ProfileStep, ProfileTable};

/// Counted time of a step that names none.
const TIME: Nanos = Nanos::from_secs(5);
/// Uncounted time of a step that names none.
const RAMP: Nanos = Nanos::from_millis(500);
/// The longest block that is not a slip.
const BLOCK_MAX: Bytes = Bytes::mib(64);
/// The deepest queue that is not a slip.
const DEPTH_MAX: u32 = 4096;
/// The most workers of a job that are not a slip.
const WORKERS_MAX: u32 = 512;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileText {
    title: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    measures: String,
    #[serde(default)]
    left_out: String,
    #[serde(default)]
    table: TableText,
    size: Option<Spanned<String>>,
    time: Option<Spanned<String>>,
    ramp: Option<Spanned<String>>,
    step: Vec<Spanned<StepText>>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TableText {
    #[default]
    Lines,
    CrystalDiskMark,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepText {
    name: Spanned<String>,
    time: Option<Spanned<String>>,
    ramp: Option<Spanned<String>>,
    job: Vec<Spanned<JobText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JobText {
    name: Option<String>,
    order: OrderText,
    read: Spanned<u8>,
    block: Option<Spanned<String>>,
    read_block: Option<Spanned<String>>,
    write_block: Option<Spanned<String>>,
    depth: Option<Spanned<u32>>,
    workers: Option<Spanned<u32>>,
    rate: Option<Spanned<f64>>,
    flush_every: Option<Spanned<u32>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OrderText {
    Random,
    Sequential,
}

/// The text of a profile and what to call it in messages.
struct Source<'a> {
    name: &'a str,
    text: &'a str,
}

/// Reads `text`; `name` is what errors call it: the path, or the name of a built-in profile.
pub(super) fn read(name: &str, text: &str) -> Result<Profile, ProfileError> {
    let source = Source { name, text };
    let read: ProfileText = toml::from_str(text).map_err(|error| source.syntax(&error))?;
    source.profile(read)
}

impl Source<'_> {
    fn profile(&self, text: ProfileText) -> Result<Profile, ProfileError> {
        let time = self.time(text.time.as_ref(), TIME)?;
        let ramp = self.ramp(text.ramp.as_ref(), RAMP)?;
        let mut steps: Vec<ProfileStep> = Vec::new();
        for step in &text.step {
            let read = self.step(step, (time, ramp))?;
            if steps.iter().any(|other| other.name == read.name) {
                let problem = format!("two steps are called '{}'; give each a name of its own", read.name);
                return Err(self.wrong(step.get_ref().name.span().start, problem));
            }
            steps.push(read);
        }
        if steps.is_empty() {
            return Err(self.wrong(0, "it has no step; add [[step]] with a name and a [[step.job]]".into()));
        }
        let size = text.size.as_ref().map(|size| self.size(size)).transpose()?;
        Ok(Profile {
            name: self.name.to_owned(),
            title: text.title,
            about: text.about,
            measures: text.measures,
            left_out: text.left_out,
            table: match text.table {
                TableText::Lines => ProfileTable::Lines,
                TableText::CrystalDiskMark => ProfileTable::CrystalDiskMark,
            },
            size,
            steps,
        })
    }

    fn step(&self, step: &Spanned<StepText>, usual: (Nanos, Nanos)) -> Result<ProfileStep, ProfileError> {
        let text = step.get_ref();
        let time = self.time(text.time.as_ref(), usual.0)?;
        let ramp = self.ramp(text.ramp.as_ref(), usual.1)?;
        let name = text.name.get_ref().clone();
        if name.trim().is_empty() {
            return Err(self.wrong(text.name.span().start, "a step needs a name".into()));
        }
        if text.job.is_empty() {
            let problem = format!("step '{name}' has no job; add a [[step.job]] below it");
            return Err(self.wrong(step.span().start, problem));
        }
        let jobs = text.job.iter().map(|job| self.job(job, &name)).collect::<Result<Vec<_>, _>>()?;
        Ok(ProfileStep { name, time, ramp, jobs })
    }

    fn job(&self, job: &Spanned<JobText>, step: &str) -> Result<Job, ProfileError> {
        let text = job.get_ref();
        let read = self.within(&text.read, (0, 100), "percent of reads")?;
        let mix = Mix::reads(read);
        let access = match text.order {
            OrderText::Random => Access::random(mix),
            OrderText::Sequential => Access::sequential(mix),
        };
        let count = |value: &Option<Spanned<u32>>, most: u32, what: &str| match value {
            Some(value) => self.within(value, (1, most), what),
            None => Ok(1),
        };
        let depth = count(&text.depth, DEPTH_MAX, "depth")?;
        let clones = count(&text.workers, WORKERS_MAX, "number of workers")?;
        let flush = match &text.flush_every {
            Some(writes) => Flush::Every(self.within(writes, (1, u32::MAX), "number of writes")?),
            None => Flush::Never,
        };
        let name = text.name.as_deref().unwrap_or(step);
        let blocks = self.blocks(job)?;
        Ok(Job { access, blocks, depth, clones, flush, pace: self.pace(text)?, ..Job::named(name) })
    }

    fn pace(&self, text: &JobText) -> Result<Pace, ProfileError> {
        let Some(rate) = &text.rate else { return Ok(Pace::Closed) };
        let asked = *rate.get_ref();
        if asked > 0.0 && asked <= 1e9 {
            return Ok(Pace::Fixed(Iops(asked)));
        }
        Err(self
            .wrong(rate.span().start, format!("a rate of {asked} is none; write I/Os a second, such as 50")))
    }

    fn blocks(&self, job: &Spanned<JobText>) -> Result<BlockSizes, ProfileError> {
        let text = job.get_ref();
        let of = |own: &Option<Spanned<String>>, read: bool| {
            let used = if read { *text.read.get_ref() > 0 } else { *text.read.get_ref() < 100 };
            match own.as_ref().or(text.block.as_ref()) {
                Some(size) => self.block(size).map(Some),
                None if used => Err(self.wrong(
                    job.span().start,
                    "the job names no block; write for example block = \"4KiB\"".into(),
                )),
                None => Ok(None),
            }
        };
        let (read, write) = (of(&text.read_block, true)?, of(&text.write_block, false)?);
        // One of the two is named: a job that neither reads nor writes cannot be written.
        let either = read.or(write).unwrap_or(Bytes::kib(4));
        Ok(BlockSizes::each(read.unwrap_or(either), write.unwrap_or(either), either))
    }

    fn block(&self, size: &Spanned<String>) -> Result<Bytes, ProfileError> {
        let bytes = self.size(size)?;
        match bytes {
            bytes if bytes > BLOCK_MAX => {
                Err(self.wrong(size.span().start, format!("a block of {bytes} is longer than {BLOCK_MAX}")))
            }
            bytes if bytes.0 == 0 || !bytes.0.is_multiple_of(512) => {
                let problem =
                    format!("a block of {bytes} is not a multiple of 512 B, which every device needs");
                Err(self.wrong(size.span().start, problem))
            }
            bytes => Ok(bytes),
        }
    }

    fn size(&self, word: &Spanned<String>) -> Result<Bytes, ProfileError> {
        workload::size(word.get_ref()).map_err(|error| self.unit(word, &error))
    }

    fn time(&self, word: Option<&Spanned<String>>, usual: Nanos) -> Result<Nanos, ProfileError> {
        let Some(word) = word else { return Ok(usual) };
        match self.ramp(Some(word), usual)? {
            Nanos(0) => Err(self.wrong(word.span().start, "a step of no time measures nothing".into())),
            time => Ok(time),
        }
    }

    fn ramp(&self, word: Option<&Spanned<String>>, usual: Nanos) -> Result<Nanos, ProfileError> {
        let Some(word) = word else { return Ok(usual) };
        workload::duration(word.get_ref()).map_err(|error| self.unit(word, &error))
    }

    fn within<T: Copy + PartialOrd + std::fmt::Display>(
        &self,
        value: &Spanned<T>,
        (least, most): (T, T),
        what: &str,
    ) -> Result<T, ProfileError> {
        let found = *value.get_ref();
        if found >= least && found <= most {
            return Ok(found);
        }
        Err(self.wrong(value.span().start, format!("a {what} of {found} is not between {least} and {most}")))
    }

    fn unit(&self, word: &Spanned<String>, error: &UnitError) -> ProfileError {
        self.wrong(word.span().start, error.to_string())
    }

    fn syntax(&self, error: &toml::de::Error) -> ProfileError {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().trim().replace('\n', "; ");
        self.wrong(at, with_near_word(&message))
    }

    /// The error at byte `at` of the text.
    fn wrong(&self, at: usize, problem: String) -> ProfileError {
        let before = self.text.get(..at.min(self.text.len())).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        ProfileError::Text { name: self.name.to_owned(), line, column, problem }
    }
}

/// Adds the nearest of the words that the parser would have taken to its message about one it does not know.
fn with_near_word(message: &str) -> String {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let near = match words.split_first() {
        Some((wrong, known)) if message.starts_with("unknown ") => {
            policy::nearest(wrong, known.iter().copied())
        }
        _ => None,
    };
    let message = message.replace('`', "'");
    near.map_or(message.clone(), |near| format!("{message}; did you mean '{near}'?"))
}
