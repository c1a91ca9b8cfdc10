//! Reads a profile's TOML into its fields, each with its place; every mistake is reported with line and column.

use toml::de::DeTable;
use workload::{Bytes, Nanos, UnitError};

use super::fields::{At, Fields, Source};
use super::job::JOB;
use super::{Profile, ProfileError, ProfileStep, ProfileTable};

/// Default counted time of a step.
const TIME: Nanos = Nanos::from_secs(5);
/// Default uncounted time of a step.
const RAMP: Nanos = Nanos::from_millis(500);

const PROFILE: &[&str] = &["title", "about", "measures", "left_out", "table", "size", "time", "ramp", "step"];
const STEP: &[&str] = &["name", "time", "ramp", "job"];
const TABLES: &[(&str, ProfileTable)] =
    &[("lines", ProfileTable::Lines), ("crystaldiskmark", ProfileTable::CrystalDiskMark)];

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

    pub(super) fn size(&self, word: &At<String>) -> Option<Bytes> {
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

    pub(super) fn duration(&self, word: &At<String>) -> Option<Nanos> {
        match workload::duration(&word.value) {
            Ok(time) => Some(time),
            Err(error) => self.unit(word, &error),
        }
    }

    pub(super) fn unit<T>(&self, word: &At<String>, error: &UnitError) -> Option<T> {
        self.wrong(word.at, error.to_string())
    }
}
