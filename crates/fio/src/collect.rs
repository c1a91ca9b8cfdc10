//! Turns sections of options into jobs: reads and applies values, refuses contradictions, numbers and groups clones.

use std::collections::HashSet;

use options::Support;
use options::near::nearest;
use workload::Act;

use super::asked::{About, FioJob, FioRequest, LaysOut, Presentation, Remark, Surroundings};
use super::commands::Commands;
use super::engines::{ANOTHER, instead, is_known};
use super::error::{FioError, RefusedOption};
use super::flushing;
use super::options::JobOptions;
use super::pace;
use super::pattern;
use super::reader::{Reader, Reading};
use super::replaying;
use super::row::{Part, Row};
use super::rows::{PROFILES, ROWS};
use super::section::{Section, Setting};
use super::shape::Shape;
use super::untaken::RefusalHandling;
use super::value::{Amount, Kind, Value, ValueError};
use super::verify;

/// Most jobs of one call, clones included: fio's own limit (`REAL_MAX_JOBS`).
const MOST_JOBS: usize = 4096;

/// Adds to the error of an unknown option the known name that was probably meant.
fn with_near(error: FioError) -> FioError {
    let FioError::BadOption { typed, .. } = error else { return error };
    let name = typed.text.split('=').next().unwrap_or_default().trim_end();
    let near = nearest(name.trim_start_matches('-'), ROWS.iter().flat_map(Row::names));
    FioError::BadOption { typed, near }
}

/// The longest I/O, 1 GiB, in bytes: the kernel moves just under 2 GiB in one call.
const BLOCK_MAX: u64 = 1 << 30;

/// Options that were typed, by canonical name, with the last value of each.
type Echo = Vec<(String, String)>;

/// Options of a job while they are being collected.
#[derive(Clone)]
struct Draft {
    options: JobOptions,
    echo: Echo,
    /// Options of individual engines, checked once the engine is known.
    for_engines: Vec<Setting>,
}

impl Default for Draft {
    fn default() -> Self {
        Draft { options: JobOptions::untyped(), echo: Echo::new(), for_engines: Vec::new() }
    }
}

/// Collects jobs from the command line and from job files.
pub(crate) struct Collector<'a> {
    around: &'a Surroundings<'a>,
    untaken: RefusalHandling,
    lays_out: LaysOut,
    reading: Reading,
    notes_are_fatal: bool,
    state_folder: Option<String>,
    defaults: Draft,
    files: usize,
    jobs: Vec<FioJob>,
    labels: HashSet<String>,
    notes: Vec<Remark>,
    globals: Echo,
    group: u32,
    step: usize,
}

impl<'a> Collector<'a> {
    /// Returns a collector without jobs.
    pub fn new(around: &'a Surroundings<'a>, commands: &Commands) -> Collector<'a> {
        let note = |words: &String| Remark { about: About::Difference, words: words.clone() };
        Collector {
            around,
            untaken: RefusalHandling::default(),
            lays_out: commands.lays_out(),
            reading: commands.reading,
            notes_are_fatal: commands.notes_are_fatal,
            state_folder: commands.state_folder.clone(),
            defaults: Draft::default(),
            files: 0,
            jobs: Vec::new(),
            labels: HashSet::new(),
            notes: commands.notes.iter().map(note).collect(),
            globals: Vec::new(),
            group: 0,
            step: 0,
        }
    }

    /// Sets how refused words are handled.
    pub fn treating(self, untaken: RefusalHandling) -> Collector<'a> {
        Collector { untaken, ..self }
    }

    /// Takes out the words refused so far.
    pub fn untaken(&mut self) -> RefusalHandling {
        std::mem::take(&mut self.untaken)
    }

    /// Adds sections in order.
    ///
    /// # Errors
    /// The first option or job that is refused.
    pub fn take(&mut self, sections: &[Section]) -> Result<(), FioError> {
        for section in sections {
            if section.is_global {
                let mut defaults = std::mem::take(&mut self.defaults);
                let taken = self.apply(section, &mut defaults);
                merge_echo(&mut self.globals, &defaults.echo);
                defaults.echo.clear();
                // A job is named by its heading unless its own section sets a name.
                defaults.options.name = None;
                let known = self.refuse_unknown(section, &defaults.options);
                self.defaults = defaults;
                taken.and(known)?;
            } else {
                let mut draft = self.defaults.clone();
                self.apply(section, &mut draft)?;
                self.refuse_unknown(section, &draft.options)?;
                self.add(section, draft)?;
            }
        }
        Ok(())
    }

    /// Adds the sections of a job file. Defaults of the command line apply to the first file only; each further file
    /// starts afresh, after a stonewall.
    ///
    /// # Errors
    /// The first option or job that is refused.
    pub fn take_file(&mut self, mut sections: Vec<Section>, notes: Vec<String>) -> Result<(), FioError> {
        if self.files > 0 {
            self.defaults = Draft::default();
        }
        self.files += 1;
        notes.into_iter().for_each(|note| self.note(note));
        if self.files > 1
            && let Some(first) = sections.iter_mut().find(|section| !section.is_global)
            && let Some(row) = super::rows::ROWS.iter().find(|row| row.name == "stonewall")
        {
            first.settings.push(Setting::typed(row, "stonewall", String::new()));
        }
        self.take(&sections)
    }

    /// Returns the complete request.
    ///
    /// # Errors
    /// If there is no job, or if jobs that are reported together ask for different reports.
    pub fn finish(self, words: &[String], presentation: Presentation) -> Result<FioRequest, FioError> {
        if self.jobs.is_empty() {
            return Err(FioError::NoJobs);
        }
        if let (Some(note), true) = (self.notes.first(), self.notes_are_fatal) {
            return Err(FioError::Warned(note.words.clone()));
        }
        let asked = FioRequest {
            words: words.to_vec(),
            jobs: self.jobs,
            globals: self.globals,
            presentation,
            lays_out: self.lays_out,
            notes: self.notes,
        };
        for unit in asked.units() {
            let first = &asked.jobs[unit[0]].options;
            let differs = |&&at: &&usize| asked.jobs[at].options.lat_percentiles != first.lat_percentiles;
            if let Some(&at) = unit.iter().find(differs) {
                return Err(FioError::DiffersFromGroup(asked.jobs[at].name.clone()));
            }
        }
        Ok(asked)
    }

    fn note(&mut self, words: String) {
        self.remark(Remark { about: About::Other, words });
    }

    fn remark(&mut self, remark: Remark) {
        if !self.notes.contains(&remark) {
            self.notes.push(remark);
        }
    }

    fn apply(&mut self, section: &Section, draft: &mut Draft) -> Result<(), FioError> {
        // fio sorts the options of a section of a file, and those of a command line it takes one by one.
        let is_first = |setting: &Setting| setting.row.name == "directory" && setting.typed.within.is_some();
        for setting in section.settings.iter().filter(|setting| is_first(setting)) {
            self.apply_one(setting, draft)?;
        }
        for setting in &section.settings {
            // A heading on the command line: fio lists it among the options, but it names no job.
            let heading = section.is_global && setting.row.name == "name" && setting.value == section.name;
            if !heading && !is_first(setting) {
                self.apply_one(setting, draft)?;
            }
            merge_echo(&mut draft.echo, &[(setting.row.name.to_owned(), setting.value.clone())]);
            draft.options.typed.push((setting.row.name, setting.value.clone()));
        }
        Ok(())
    }

    /// Refuses an unknown option. An engine without a stand-in here may know it, and is refused instead.
    fn refuse_unknown(&mut self, section: &Section, options: &JobOptions) -> Result<(), FioError> {
        match section.unknown.first() {
            None => Ok(()),
            Some(error) => match check_engine(options, &[]) {
                Ok(()) => Err(with_near(error.clone())),
                lacks => {
                    let typed = section.unknown.iter().filter_map(FioError::typed);
                    typed.for_each(|typed| self.untaken.of_engine(&typed));
                    self.untaken.pass(lacks)
                }
            },
        }
    }

    fn apply_one(&mut self, setting: &Setting, draft: &mut Draft) -> Result<(), FioError> {
        let row = setting.row;
        if matches!(row.own, Part::Engine(_)) {
            draft.for_engines.push(setting.clone());
        }
        let files = match row.takes {
            Kind::Shape(Shape::Pattern | Shape::Data) => pattern::files(&setting.value, self.around.bytes),
            _ => Vec::new(),
        };
        let (base, reading) = (draft.options.kb_base, self.reading);
        let mut reader = Reader { base, reading, files, remarks: Vec::new() };
        if self.reading == Reading::Exact && row.own == Part::Job(PROFILES) {
            return Ok(());
        }
        if let Support::Refused(reason) = row.support {
            return self.untaken.pass(refuse_unless_harmless(setting, &mut reader, reason));
        }
        let value = reader.read(row.takes, &setting.value).map_err(|error| unread(setting, &error))?;
        if let Value::Choice(word, Some(_)) = &value {
            let reason = format!("only {}={word} without what follows it", row.name);
            return self.untaken.pass(Err(setting.refused(&reason)));
        }
        if let Support::Approximated(difference) = row.support
            && !row.harmless.contains(&setting.value.trim())
            && reader.read(row.takes, row.default).as_ref() != Ok(&value)
        {
            let words = format!("{}: {difference}", setting.typed.text);
            self.remark(Remark { about: About::Difference, words });
        }
        if row.name == "directory" && draft.options.filename.is_some() {
            self.note(format!(
                "{}: it comes after filename, and has no effect on what that names, as in fio; give it before",
                setting.typed.text
            ));
        }
        reader.remarks.into_iter().for_each(|remark| self.note(format!("{}: {remark}", setting.name)));
        (row.apply)(&mut draft.options, &value);
        Ok(())
    }

    fn add(&mut self, section: &Section, draft: Draft) -> Result<(), FioError> {
        let Draft { mut options, echo, for_engines } = draft;
        let name = options.name.clone().unwrap_or_else(|| section.name.clone());
        let found = self.find_files(&mut options);
        self.untaken.pass(found)?;
        self.untaken.pass(check_engine(&options, &for_engines))?;
        let checked = self.check(&name, &mut options);
        self.untaken.pass(checked)?;
        options.cut_patterns();
        self.settle(&name, &mut options);
        options.verify.state_folder.clone_from(&self.state_folder);
        self.place(&options);
        if self.jobs.len() + options.numjobs as usize > MOST_JOBS {
            let reason = format!(
                "{name} would make it more than {MOST_JOBS} jobs in all, and fio takes no more either"
            );
            return Err(FioError::refused("numjobs", &reason));
        }
        for clone in 0..options.numjobs {
            let number = self.jobs.len() as u32;
            let label = self.label(&name, number);
            let (seed, run) = (self.seed(&options, number), self.around.entropy);
            let (options, echo, name) = (options.clone(), echo.clone(), name.clone());
            let (group, step) = (self.group, self.step);
            let section = section.name.clone();
            let job = FioJob {
                name,
                section,
                label,
                clone,
                number,
                group,
                step,
                options,
                echo,
                seed,
                run,
                trace: None,
            };
            self.jobs.push(job);
        }
        Ok(())
    }

    /// Finds the files below `opendir`, which replace those that would otherwise be used.
    fn find_files(&self, options: &mut JobOptions) -> Result<(), FioError> {
        let Some(place) = &options.opendir else { return Ok(()) };
        options.found = (self.around.below)(place).map_err(|error| {
            let errno = error.raw_os_error().unwrap_or_default();
            FioError::Setup { call: "opendir", errno, why: format!("{place} cannot be looked through") }
        })?;
        Ok(())
    }

    /// Begins a new group at a stonewall or `new_group`, and a new step at a stonewall.
    fn place(&mut self, options: &JobOptions) {
        if self.jobs.is_empty() {
            return;
        }
        if options.stonewall || options.new_group {
            self.group += 1;
        }
        if options.stonewall {
            self.step += 1;
        }
    }

    fn label(&mut self, name: &str, number: u32) -> String {
        let mut label = name.to_owned();
        while !self.labels.insert(label.clone()) {
            label.push_str(&format!(".{number}"));
        }
        label
    }

    /// Seed of a clone: the same in every run with `randrepeat` or a typed seed, otherwise new; clones always differ.
    fn seed(&self, options: &JobOptions, number: u32) -> u64 {
        let repeats = options.repeats();
        let base = if repeats { options.randseed } else { self.around.entropy };
        // Weyl's sequence with the golden ratio keeps neighbouring clones far apart.
        base.wrapping_add(u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn check(&mut self, name: &str, options: &mut JobOptions) -> Result<(), FioError> {
        let refused = |option: &str, reason: &str| Err(FioError::refused(option, reason));
        if self.lays_out == LaysOut::Nothing && options.destroys() {
            return Err(FioError::Readonly);
        }
        if self.lays_out == LaysOut::Nothing && std::mem::take(&mut options.unlink) {
            self.note(format!("{name}: unlink=1 under --readonly: nothing is removed"));
        }
        if options.engine.act() != Act::Move && options.verify.is_on() {
            let both = format!("verify with ioengine={}", options.engine.name);
            return refused(&both, "it writes no data that could be checked; leave verify out");
        }
        options.read_what_was_written();
        if let Some((what, remedy)) = options.verify.wrong() {
            return refused(what, remedy);
        }
        if options.verify.flushed && options.verify.state_save && options.fsync.max(options.fdatasync) == 0 {
            return refused(
                "verify_policy=fsynced without flushes",
                "give fsync or fdatasync, writes between flushes",
            );
        }
        for remark in [verify::remark(options), verify::trims_remark(options)].into_iter().flatten() {
            self.note(format!("{name}: {remark}"));
        }
        check_zones(options)?;
        self.settle_trace(name, options)?;
        if options.issued_blocks().any(|block| block > BLOCK_MAX) {
            return refused("a block above 1 GiB", "take a smaller bs");
        }
        let logs = &options.logs;
        if logs.issue_time && !(logs.offset && logs.latency.is_some()) {
            return refused("log_issue_time alone", "it needs log_offset=1 and write_lat_log");
        }
        if logs.histogram.is_some() && !logs.keeps_histograms() {
            self.note(format!("{name}: write_hist_log writes nothing without log_hist_msec"));
        }
        if logs.priority && options.time.has_urgent() {
            let words = format!(
                "{name}: log_prio shows the job's priority; which I/Os had that of cmdprio is not recorded"
            );
            self.remark(Remark { about: About::Difference, words });
        }
        if options.steady.left_out() {
            self.note(format!("{name}: steadystate needs steadystate_duration; it is left out"));
        }
        if let Some(fault) = options.steady.fault() {
            return refused("this use of steadystate", fault);
        }
        if let Some(both) = flushing::contradiction(options) {
            return refused(both, "give one of them");
        }
        if options.time.urgent_twice() {
            return refused(
                "cmdprio_percentage together with cmdprio_bssplit",
                "give one of the two, as fio asks too",
            );
        }
        if let Some((what, remedy)) = options.bounds.wrong().or_else(|| super::data::wrong(options)) {
            return refused(what, remedy);
        }
        let typed = |rates: &[u64; 3]| rates.iter().any(|&rate| rate > 0);
        let bounds = &options.bounds;
        let both = |bytes: &[u64; 3], iops: &[u64; 3]| typed(bytes) && typed(iops);
        if both(&options.rate, &options.rate_iops) || both(&bounds.rate_min, &bounds.rate_iops_min) {
            return Err(FioError::RateTwice);
        }
        let above = bounds.above(&options.rate, &options.rate_iops);
        if !above.is_empty() {
            return Err(FioError::RateBelowLeast(above));
        }
        if let Some(share) = options.percentile_list.values.iter().find(|share| **share > 100.0) {
            return refused(&format!("percentile_list with {share}"), "a percentile is at most 100");
        }
        if let Some(Amount::Bytes(size)) = options.size
            && (1..options.shortest_block()).contains(&size)
        {
            return Err(FioError::SizeBelowBlock { size, block: options.shortest_block() });
        }
        if let Some(cpu) = options.cpus.iter().find(|&&cpu| cpu >= self.around.cpus) {
            let most = self.around.cpus.saturating_sub(1);
            return Err(FioError::Parsing {
                typed: Box::new(RefusedOption { text: format!("cpus_allowed={cpu}"), within: None }),
                detail: format!("fio: CPU {cpu} too large (max={most})\n"),
                words: &[],
                meant: String::new(),
            });
        }
        Ok(())
    }

    /// Drops options that have no effect in combination with others, with a remark on each.
    fn settle(&mut self, name: &str, options: &mut JobOptions) {
        if options.time_based && options.runtime.0 == 0 {
            options.time_based = false;
            let words = format!("{name}: time_based requires a runtime/timeout setting; it is left out");
            self.remark(Remark { about: About::Time, words });
        }
        if options.file_append && (options.loops > 1 || options.io_size.is_some() || options.time_based) {
            let words = format!(
                "{name}: file_append: fio may end after one pass; here loops, io_size and time_based hold"
            );
            self.remark(Remark { about: About::Difference, words });
        }
        self.settle_engine(name, options);
        let paced = pace::of(options);
        paced.notes.into_iter().for_each(|note| self.note(format!("{name}: {note}")));
    }

    /// Settles the options of a job that replays a trace.
    fn settle_trace(&mut self, name: &str, options: &mut JobOptions) -> Result<(), FioError> {
        let settled = replaying::settle(options)?;
        settled.into_iter().for_each(|note| self.note(format!("{name}: {note}")));
        Ok(())
    }

    /// Settles the options that depend on the engine, with remarks on how it differs from fio's.
    fn settle_engine(&mut self, name: &str, options: &mut JobOptions) {
        if let Some(difference) = options.engine.difference() {
            let words = format!("{name}: ioengine={}: {difference}", options.engine.name);
            self.remark(Remark { about: About::Difference, words });
        }
        if let Some(difference) = flushing::difference(options) {
            self.remark(Remark { about: About::Difference, words: format!("{name}: {difference}") });
        }
        options.direct |= options.calls.atomic;
        options.direct &= !options.engine.maps_files() && !options.engine.act().is_of_names();
        if options.engine.is_synchronous() && options.iodepth > 1 {
            let words = format!("{name}: {}", super::opening::CAPPED_DEPTH);
            self.remark(Remark { about: About::Depth, words });
        }
    }
}

/// Checks that strided zones have both `zonemode` and a length.
fn check_zones(options: &JobOptions) -> Result<(), FioError> {
    let (what, remedy) = match (options.strided, options.zonesize) {
        _ if options.zoned_device => ("zonemode=zbd", "zoned devices are not supported; zonemode=strided is"),
        (false, 1..) => ("zonesize without zonemode", "fio takes it with zonemode=strided alone; give that"),
        (true, 0) => ("zonemode=strided without zonesize", "give zonesize, the bytes done in each piece"),
        _ => return Ok(()),
    };
    Err(FioError::refused(what, remedy))
}

/// Merges typed options into `echo`; a later value replaces an earlier value in place.
fn merge_echo(echo: &mut Echo, typed: &[(String, String)]) {
    for (name, value) in typed {
        match echo.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => old.clone_from(value),
            None => echo.push((name.clone(), value.clone())),
        }
    }
}

/// Accepts an unsupported option if its value is the default, because it then changes nothing.
fn refuse_unless_harmless(setting: &Setting, reader: &mut Reader, reason: &str) -> Result<(), FioError> {
    let row = setting.row;
    let asks_nothing = !row.default.is_empty()
        && (setting.value == row.default
            || row.harmless.contains(&setting.value.as_str())
            || matches!((reader.read(row.takes, &setting.value), reader.read(row.takes, row.default)),
                        (Ok(value), Ok(default)) if value == default));
    if asks_nothing {
        return Ok(());
    }
    Err(setting.refused(reason))
}

fn check_engine(options: &JobOptions, for_engines: &[Setting]) -> Result<(), FioError> {
    let engine = &options.engine;
    let name = engine.name.split(':').next().unwrap_or_default();
    if engine.backend().is_none() {
        return Err(match instead(name) {
            Some(reason) => FioError::refused(&format!("ioengine={}", engine.name), reason),
            // fio has an engine with that name.
            None if is_known(name) => FioError::refused(&format!("ioengine={}", engine.name), ANOTHER),
            None => FioError::UnknownEngine(engine.name.clone()),
        });
    }
    for setting in for_engines {
        let Part::Engine(engines) = setting.row.own else { continue };
        if engines.contains(&engine.name.as_str()) {
            continue;
        }
        return Err(match setting.typed.within {
            Some(_) => FioError::BadOption { typed: Box::new(setting.typed.clone()), near: None },
            None => FioError::UnrecognizedOption { word: format!("--{}", setting.typed.text), near: None },
        });
    }
    Ok(())
}

/// Turns a value that could not be read into an error, in fio's words if fio has any.
fn unread(setting: &Setting, error: &ValueError) -> FioError {
    let (detail, words) = match error {
        ValueError::Choice { words, .. } => (String::new(), *words),
        ValueError::Below { .. } | ValueError::Above { .. } => {
            let named = !matches!(setting.row.takes, Kind::Bool | Kind::Flag);
            let name = if named { format!("{}: ", setting.row.name) } else { String::new() };
            (format!("{name}{error}\n"), &[][..])
        }
        ValueError::Float(_) => (format!("{error}\n"), &[][..]),
        _ => (String::new(), &[][..]),
    };
    let meant = super::meant::value(setting, error);
    FioError::Parsing { typed: Box::new(setting.typed.clone()), detail, words, meant }
}
