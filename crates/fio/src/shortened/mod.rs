//! A shortened copy of what a command line asks for, on files of its own, for `--check-against`.

mod cut;

use std::collections::{BTreeMap, BTreeSet};

use super::asked::{FioJob, LaysOut, Request, Surroundings};
use super::commandline::describe;
use super::error::FioError;
use super::files::{Look, OnDiskKind, paths};
use super::row::{Part, Row};
use super::rows::{self, REPORTING};
use super::value::Kind;
pub(crate) use cut::bytes;
use cut::{CLONES, Cut};

/// A command line that does a small part of what another one asks for, and touches none of the files that it names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shortened {
    /// The words, for either tool, in a folder that holds only what follows.
    pub words: Vec<String>,
    /// Files that the jobs expect to hold data, with their lengths.
    pub files: BTreeMap<String, u64>,
    /// What is shorter: `size=100g is 16m`.
    pub shorter: BTreeSet<String>,
    /// Options that are left out.
    pub left_out: BTreeSet<String>,
}

/// Options that a copy leaves out: they run commands, touch other files, or wait for what the volume decides.
#[rustfmt::skip]
const LEFT_OUT: &[&str] = &[
    "directory", "mem", "exec_prerun", "exec_postrun", "verify_state_save", "verify_state_load", "filetype",
    "cgroup", "cgroup_weight", "cgroup_nodelete", "uid", "gid", "ioscheduler", "lockmem",
    "steadystate", "steadystate_duration", "steadystate_ramp_time", "steadystate_check_interval",
    "latency_target", "latency_window", "latency_percentile", "latency_run", "max_latency",
    "rate_min", "rate_iops_min", "rate_cycle",
];
/// Options of jobs that are not shortened: their places and lengths do not scale.
const REFUSED: &[&str] =
    &["read_iolog", "zonemode", "zonesize", "zonerange", "zoneskip", "opendir", "fill_device", "kb_base"];
/// What both tools print: the result as JSON, and a row with place and length for each I/O.
const OUTPUT: [&str; 3] = ["--output-format=json", "--write_lat_log=log", "--log_offset=1"];

/// Returns the shortened copy of what `words` ask for; `look` finds the files of the user.
///
/// # Errors
/// fio would not understand the words, they ask for no jobs, or a job cannot be shortened.
pub fn shortened(words: &[String], around: &Surroundings, look: Look) -> Result<Shortened, FioError> {
    let Request::Run(asked) = describe(words, around)?.request else { return Err(FioError::NoJobs) };
    let mut made = Shortened { words: OUTPUT.map(str::to_owned).into(), ..Shortened::default() };
    made.words.extend((asked.lays_out == LaysOut::Nothing).then(|| "--readonly".to_owned()));
    for clones in asked.jobs.chunk_by(|_, next| next.clone > 0) {
        made.add(clones, look)?;
    }
    Ok(made)
}

impl Shortened {
    /// Adds the job of these clones.
    fn add(&mut self, clones: &[FioJob], look: Look) -> Result<(), FioError> {
        let first = &clones[0];
        let mut options = self.on_own_files(first)?;
        let held = stand_ins(clones, look);
        let (changes, bytes) = Cut::of(&first.options, held.values().copied().max());
        for path in held.into_keys() {
            self.files.entry(path).or_insert(bytes);
        }
        for (name, new) in &changes {
            self.shorter.insert(match options.iter().rfind(|(known, _)| known == name) {
                Some((_, typed)) => format!("{name}={typed} is {new}"),
                None => format!("{name}={new} is added"),
            });
        }
        options.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        options.extend(changes);
        self.words.push(format!("--name={}", own_name(&first.name)));
        self.words.extend(options.iter().map(|(name, value)| match value.as_str() {
            "" => format!("--{name}"),
            value => format!("--{name}={value}"),
        }));
        Ok(())
    }

    /// Returns the options of a job with own names in place of those typed, and without what would touch anything else.
    fn on_own_files(&mut self, job: &FioJob) -> Result<Vec<(&'static str, String)>, FioError> {
        let mut options = Vec::new();
        for (name, typed) in &job.options.typed {
            match *name {
                // The lists of all places where the option is typed are one list.
                "name" | "filename" => {}
                _ if REFUSED.contains(name) || *name == "filesize" && typed.contains('-') => {
                    return Err(FioError::refused(name, "no shortened copy is made of a job with it"));
                }
                "filename_format" | "wait_for" => options.push((*name, own_name(typed))),
                _ if rows::named(name).is_some_and(|row| is_left_out(row, typed)) => {
                    self.left_out.insert((*name).to_owned());
                }
                _ => options.push((*name, typed.clone())),
            }
        }
        options.extend(job.options.filename.iter().map(|list| ("filename", own_name(list))));
        Ok(options)
    }
}

/// Whether a copy goes without an option: both tools print JSON, and no other file is touched, nor one that is quoted.
fn is_left_out(row: &Row, value: &str) -> bool {
    matches!(row.takes, Kind::Path | Kind::Prefix)
        || value.contains('\'')
        || matches!(row.own, Part::Job(REPORTING))
        || LEFT_OUT.contains(&row.name)
}

/// Returns a file for each that a job names and finds, with the length that the named one has now; a device may be on
/// another machine.
fn stand_ins(clones: &[FioJob], look: Look) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for clone in clones.iter().take(CLONES as usize) {
        // The copy of a job is a job of the command line, whose files have its name.
        let mut own = FioJob { section: own_name(&clone.name), ..clone.clone() };
        own.options.directory = None;
        own.options.filename = own.options.filename.as_deref().map(own_name);
        own.options.filename_format = own_name(&own.options.filename_format);
        for (named, path) in paths(clone).iter().zip(paths(&own)) {
            let bytes = match look(named) {
                Some(there) if there.kind != OnDiskKind::Directory => there.bytes,
                None if named.starts_with("/dev") => 0,
                _ => continue,
            };
            found.insert(path.display().to_string(), bytes);
        }
    }
    found
}

/// Returns a name, or a list of names, that leads into no other folder, by a variable neither.
fn own_name(typed: &str) -> String {
    typed.replace("..", "_").replace('/', "_").replace("${", "_")
}
