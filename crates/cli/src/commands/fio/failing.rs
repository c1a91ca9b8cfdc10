//! Jobs that fail before their first I/O: each is named when it happens and ends alone, the others run.

use std::path::{Path, PathBuf};

use fio::{FioError, FioStep};
use workload::Job;

use super::results::Results;
use super::{complain, say};

/// What has been said of failures so far.
#[derive(Default)]
pub struct Failures {
    /// The last hint, which is not given again for each clone.
    hint: Option<String>,
}

impl Failures {
    /// `jobs`, by index into those that were asked for, have failed with `error`.
    pub fn note(&mut self, jobs: &[usize], error: &FioError, results: &mut Results) {
        if results.asked.presentation.is_normal() {
            say(results.asked, &error.stdout());
        }
        let hint = error.hint();
        complain(error, hint.as_deref().filter(|_| hint != self.hint));
        self.hint = hint;
        results.failed.extend(jobs.iter().map(|&job| (job, error.errno())));
    }

    /// The jobs `labels` of `step` have failed with `error` and are left out of it.
    pub fn leave_out(
        &mut self,
        (labels, step): (&[String], &mut FioStep),
        error: &FioError,
        results: &mut Results,
    ) {
        for label in labels {
            self.note(&numbered(label, results), error, results);
            step.leave_out(label);
        }
    }

    /// The jobs that work on one of `paths` have failed with `error` and are left out of `steps`.
    pub fn leave_out_users(
        &mut self,
        (paths, steps): (&[PathBuf], &mut [FioStep]),
        error: &FioError,
        results: &mut Results,
    ) {
        for step in steps {
            let users: Vec<String> = users(paths, step).map(|job| job.name.clone()).collect();
            self.leave_out((&users, step), error, results);
        }
    }
}

/// The jobs of `step` that work on one of `paths`.
fn users<'s>(paths: &[PathBuf], step: &'s FioStep) -> impl Iterator<Item = &'s Job> {
    let on_it = |job: &&Job| job.files.iter().any(|path: &PathBuf| paths.contains(path));
    step.workload.jobs.iter().filter(on_it)
}

/// The job `label` as results number it.
fn numbered(label: &str, results: &Results) -> Vec<usize> {
    results.asked.jobs.iter().position(|job| job.label == label).into_iter().collect()
}

/// Jobs of `step` whose I/O on `path` could not be made safe when it was over. They are not taken back: only their error is.
pub fn fail_users_of(path: &Path, step: &FioStep, error: &FioError, results: &mut Results) {
    let labels: Vec<String> = users(&[path.to_owned()], step).map(|job| job.name.clone()).collect();
    let jobs: Vec<usize> = labels.iter().flat_map(|label| numbered(label, results)).collect();
    Failures::default().note(&jobs, error, results);
}
