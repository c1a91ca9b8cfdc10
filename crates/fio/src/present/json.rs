//! The root of the JSON document: version and time, the jobs, the disks, and what plimsoll adds.

use super::group::Group;
use super::json_job::job;
use super::tree::Tree;
use super::unit::Unit;
use super::{DiskFigures, DiskUse, FioReport};
use crate::commands::VERSION;

/// Prints the whole JSON document; `json+` adds the buckets of the histograms.
pub fn json(presented: &FioReport) -> String {
    let units = Unit::all(presented);
    let groups = Group::all(&units);
    let clock = &presented.clock;
    let mut members = Tree::members([
        ("fio version", Tree::text(VERSION)),
        ("timestamp", Tree::Int(clock.unix_ms / 1000)),
        ("timestamp_ms", Tree::Int(clock.unix_ms)),
        ("time", Tree::text(&*clock.words)),
    ]);
    let globals = &presented.asked.globals;
    if !globals.is_empty() {
        members.push(("global options".to_owned(), Tree::texts(globals)));
    }
    let jobs = units.iter().map(|unit| job(unit, &groups, presented)).collect();
    members.push(("jobs".to_owned(), Tree::Array(jobs)));
    let wanted = presented.asked.jobs.iter().any(|job| job.options.disk_util);
    if wanted && !presented.disks.is_empty() {
        let disks = presented.disks.iter().flat_map(|disk| std::iter::once(disk).chain(&disk.members));
        members.push(("disk_util".to_owned(), Tree::Array(disks.map(disk_object).collect())));
    }
    if let Some((idle, asked)) = presented.idleness() {
        members.push(("cpu_idleness".to_owned(), idle.tree(asked)));
    }
    members.push(("plimsoll".to_owned(), own(presented)));
    Tree::Object(members).document()
}

/// Returns plimsoll's additions: its real version, and all text that fio would have mixed into its output.
fn own(presented: &FioReport) -> Tree {
    let failures = presented.steps.iter().flat_map(|step| &step.failures).map(|failure| {
        Tree::object([
            ("file", Tree::text(&*failure.path)),
            ("direction", Tree::text(failure.direction.name())),
            ("offset", Tree::Int(failure.offset)),
            ("bytes", Tree::Int(u64::from(failure.bytes))),
            ("error", Tree::Int(u64::from(failure.errno.unsigned_abs()))),
        ])
    });
    Tree::object([
        ("version", Tree::text(env!("CARGO_PKG_VERSION"))),
        ("notes", Tree::Array(presented.notes().into_iter().map(Tree::Text).collect())),
        ("failures", Tree::Array(failures.collect())),
    ])
}

fn disk_object(disk: &DiskUse) -> Tree {
    let mut members = vec![("name".to_owned(), Tree::text(&*disk.name))];
    members.extend(disk_members("", "write_merges", &disk.figures()));
    if let Some(figures) = disk.member_figures() {
        // fio spells this key without an s.
        members.extend(disk_members("aggr_", "write_merge", &figures));
    }
    Tree::Object(members)
}

fn disk_members(head: &str, write_merges: &str, figures: &DiskFigures) -> Vec<(String, Tree)> {
    [
        ("read_ios", figures.ios[0]),
        ("write_ios", figures.ios[1]),
        ("read_sectors", figures.sectors[0]),
        ("write_sectors", figures.sectors[1]),
        ("read_merges", figures.merges[0]),
        (write_merges, figures.merges[1]),
        ("read_ticks", figures.ticks[0]),
        ("write_ticks", figures.ticks[1]),
        ("in_queue", figures.in_queue),
    ]
    .into_iter()
    .map(|(name, value)| (format!("{head}{name}"), Tree::Int(value)))
    .chain(std::iter::once((format!("{head}util"), Tree::Float(figures.util))))
    .collect()
}
