//! Parameters that differ between the sides, shown before any figure because they may explain it.

use std::collections::BTreeSet;

use record::Run;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workload::Bytes;

use super::asked::told_elsewhere;
use super::items::{Item, tool};
use super::side::Side;

/// A parameter that is not the same on all sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// Name of the parameter: `tool`, `engine`, `block size`, …
    pub what: String,
    /// Values in words, one per side; empty if not stated.
    pub values: Vec<String>,
}

/// Parameters that the ladders of a check choose by what they find.
pub(super) const FOUND: [&str; 2] = ["depth", "runtime"];

/// Returns the tools that measured the runs of the side, each once.
pub(super) fn tools(side: &Side) -> Vec<String> {
    let all: BTreeSet<String> = side.runs.iter().map(tool).collect();
    all.into_iter().collect()
}

/// Returns all differences, the most important first; parameters that no side states are left out.
pub(super) fn differing(sides: &[Side], measured: &[Vec<Item>]) -> Vec<Difference> {
    let of_runs = |read: &dyn Fn(&Run) -> Vec<String>| -> Vec<String> {
        let words = |side: &Side| side.runs.iter().flat_map(read).collect::<BTreeSet<_>>();
        sides.iter().map(|side| words(side).into_iter().collect::<Vec<_>>().join(", ")).collect()
    };
    let of_items = |read: &dyn Fn(&Item) -> Option<String>| -> Vec<String> {
        let words = |side: &Vec<Item>| side.iter().filter_map(read).collect::<BTreeSet<_>>();
        measured.iter().map(|side| words(side).into_iter().collect::<Vec<_>>().join(", ")).collect()
    };
    let all = [
        ("tool", of_runs(&|run| vec![tool(run)])),
        ("engine", of_runs(&|run| engines(run))),
        ("past the cache", of_runs(&|run| directness(run))),
        ("block size", of_items(&|item| Some(Bytes(item.work.block?).to_string()))),
        ("depth", of_items(&|item| item.work.depth.map(|depth| depth.to_string()))),
        ("mix", of_items(&mix)),
        ("region", of_runs(&|run| regions(run))),
        ("runtime", runtimes(measured)),
        ("host", of_runs(&|run| host(run, |host| host.hostname.clone()))),
        ("machine", machines(sides)),
        ("CPU", of_runs(&|run| host(run, |host| host.cpu_model.clone()))),
        ("kernel", of_runs(&|run| host(run, |host| host.kernel.clone()))),
        (
            "target",
            of_runs(&|run| run.target.as_ref().map(|target| target.words.clone()).into_iter().collect()),
        ),
        ("device", of_runs(&|run| devices(run))),
        ("file system", of_runs(&|run| filesystem(run))),
    ];
    let differs = |values: &[String]| {
        let said: BTreeSet<&String> = values.iter().filter(|value| !value.is_empty()).collect();
        // A value that only one side states is a difference too: the other's value is not known.
        said.len() > 1 || (said.len() == 1 && values.iter().any(String::is_empty))
    };
    let found = all.into_iter().filter(|(_, values)| differs(values));
    let mut found: Vec<Difference> =
        found.map(|(what, values)| Difference { what: what.to_owned(), values }).collect();
    found.extend(options(sides));
    found
}

/// Least length of a name that goes into the joint row.
const NAMED_ALONE: usize = 16;

/// Returns the options that other tools repeat and no row above shows: a row for each that all sides state, with
/// different values, and one joint row for those that only some sides state, or that are whole sentences.
fn options(sides: &[Side]) -> Vec<Difference> {
    let parts = || sides.iter().flat_map(|side| &side.runs).flat_map(|run| &run.reported);
    let names: BTreeSet<&str> = parts()
        .flat_map(|part| &part.asked)
        .map(|(name, _)| name.as_str())
        .filter(|name| !told_elsewhere(name))
        .collect();
    let mut found = Vec::new();
    let mut rest: Vec<Vec<String>> = vec![Vec::new(); sides.len()];
    for name in names {
        let values: Vec<Vec<String>> = sides.iter().map(|side| values(side, name)).collect();
        if values.iter().all(|side| *side == values[0]) {
            continue;
        }
        // DiskSpd's options are sentences, which fit no column.
        if name.len() < NAMED_ALONE && values.iter().all(|side| !side.is_empty()) {
            let values = values.iter().map(|side| side.join(", ")).collect();
            found.push(Difference { what: name.to_owned(), values });
            continue;
        }
        for (words, values) in rest.iter_mut().zip(&values).filter(|(_, values)| !values.is_empty()) {
            let flag = values.iter().all(String::is_empty);
            words.push(if flag { name.to_owned() } else { format!("{name}={}", values.join("|")) });
        }
    }
    if rest.iter().any(|words| !words.is_empty()) {
        let values = rest.iter().map(|words| words.join(", ")).collect();
        found.push(Difference { what: "other options".to_owned(), values });
    }
    found
}

/// Returns each value of the option on one side, once.
fn values(side: &Side, name: &str) -> Vec<String> {
    let all: BTreeSet<String> = side.runs.iter().flat_map(|run| asked(run, &[name])).collect();
    all.into_iter().collect()
}

fn engines(run: &Run) -> Vec<String> {
    let ours =
        run.steps.iter().flat_map(|step| &step.plan.workers).map(|worker| worker.backend.name().to_owned());
    ours.chain(asked(run, &["ioengine"])).collect()
}

fn directness(run: &Run) -> Vec<String> {
    let ours = run.steps.iter().flat_map(|step| &step.plan.workers).map(|worker| worker.direct);
    let yes = |direct: bool| if direct { "yes" } else { "no" }.to_owned();
    let theirs = asked(run, &["direct"]).into_iter().map(|word| yes(word != "0"));
    ours.map(yes).chain(theirs).collect()
}

fn regions(run: &Run) -> Vec<String> {
    let ours = run.steps.iter().flat_map(|step| &step.plan.workers).flat_map(|worker| &worker.files);
    let ours = ours.map(|file| file.size.to_string());
    // ioping uses this name for the length of a request.
    let named = !tool(run).starts_with("ioping");
    let theirs = asked(run, &["size"]).into_iter().filter(|_| named);
    ours.chain(theirs.map(|word| workload::size(&word).map_or(word, |size| size.to_string()))).collect()
}

fn asked(run: &Run, names: &[&str]) -> Vec<String> {
    let words = |name: &&str| {
        run.reported.iter().filter_map(|part| part.asked_for(name).map(str::to_owned)).collect::<Vec<_>>()
    };
    names.iter().flat_map(words).collect()
}

fn mix(item: &Item) -> Option<String> {
    let share = item.work.read_percent?;
    Some(match share {
        100 => "reads".to_owned(),
        0 => "writes".to_owned(),
        share => format!("{share}/{}", 100 - share),
    })
}

/// Formats the shortest and the longest runtime of each side, such as `12 to 118 s`.
fn runtimes(measured: &[Vec<Item>]) -> Vec<String> {
    let range = |side: &Vec<Item>| {
        let seconds = side.iter().filter_map(|item| item.seconds).map(|seconds| seconds.round() as u64);
        let all: BTreeSet<u64> = seconds.collect();
        match (all.first(), all.last()) {
            (Some(first), Some(last)) if first != last => format!("{first} to {last} s"),
            (Some(only), _) => format!("{only} s"),
            _ => String::new(),
        }
    };
    measured.iter().map(range).collect()
}

fn machines(sides: &[Side]) -> Vec<String> {
    let product = |side: &Side| {
        side.runs
            .iter()
            .find_map(|run| run.host.as_ref().map(|host| host.product.clone()))
            .unwrap_or_default()
    };
    sides.iter().map(|side| side.machine.clone().unwrap_or_else(|| product(side))).collect()
}

fn host(run: &Run, read: impl Fn(&record::HostFacts) -> String) -> Vec<String> {
    run.host.as_ref().map(read).into_iter().filter(|word| !word.is_empty()).collect()
}

fn devices(run: &Run) -> Vec<String> {
    let device = run.target.as_ref().and_then(|target| target.devices.first());
    let words = device.map(|device| format!("{} {}", device.model.trim(), device.size).trim().to_owned());
    words.into_iter().collect()
}

fn filesystem(run: &Run) -> Vec<String> {
    let found = run.target.as_ref().map(|target| target.filesystem.clone());
    found.into_iter().filter(|word| !word.is_empty()).collect()
}
