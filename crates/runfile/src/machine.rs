//! The watched machine in its tables: its stacked devices, limits set on it, phases.

use record::{DeviceKind, DeviceNode, LocalLimit, Phase, PhaseKind};
use rusqlite::{Connection, Result};

use crate::cell::{Json, Maybe, Number, Real, Size, Text, Time, Whole, word};
use crate::scan::{Fault, Scan};
use crate::table::{self, Inserts, table};

/// A device with its kind in two columns.
#[derive(Default)]
pub(crate) struct Standing {
    node: DeviceNode,
    kind: String,
    level: Option<String>,
}

table! {
    /// Every block device of a watched machine, with the devices below it.
    Machine, "machine_device" of Standing, Own(position) {
        Text: name = node.facts.name, kind;
        Maybe<Text>: level;
        Json: below = node.below;
        Text: alias = node.alias, mounted = node.mounted, description = node.description;
        Number: timed = node.timed, major = node.facts.number.0, minor = node.facts.number.1;
        Size: size_bytes = node.facts.size;
        Text: model = node.facts.model, serial = node.facts.serial;
        Size: logical_block_bytes = node.facts.logical_block,
            physical_block_bytes = node.facts.physical_block;
        Number: rotational = node.facts.rotational;
        Text: scheduler = node.facts.scheduler;
        Number: queue_requests = node.facts.queue_requests;
        Size: request_max_bytes = node.facts.request_max;
    }
}

table! {
    Limits, "local_limit" of LocalLimit {
        Text: control_group = group, device, what;
        Whole: per_second = value;
    }
}

/// A phase with its kind in four columns.
#[derive(Default)]
pub(crate) struct Stretch {
    phase: Phase,
    kind: String,
    step: Option<String>,
    scale: Option<f64>,
    code: Option<i32>,
}

table! {
    Phases, "phase" of Stretch, Own(phase) {
        Text: name = phase.name, kind;
        Maybe<Text>: step;
        Maybe<Real>: scale;
        Maybe<Number>: code;
        Time: from_ns = phase.from, to_ns = phase.to;
    }
}

/// Stores the devices; replaces those stored before.
pub(crate) fn store_devices(conn: &Connection, devices: &[DeviceNode]) -> Result<()> {
    table::clear::<Machine>(conn)?;
    let mut inserts = Inserts::<Machine>::table(conn)?;
    for (position, node) in devices.iter().enumerate() {
        let (kind, level) = match &node.kind {
            DeviceKind::Md(level) => ("md".to_owned(), Some(level.clone())),
            other => (word(other), None),
        };
        inserts.put(&[Some(position as i64)], &Standing { node: node.clone(), kind, level })?;
    }
    Ok(())
}

/// Stores the phases; replaces those stored before.
pub(crate) fn store_phases(conn: &Connection, phases: &[Phase]) -> Result<()> {
    let rows: Vec<Stretch> = phases.iter().map(stretch).collect();
    table::replace::<Phases>(conn, &rows)
}

fn stretch(phase: &Phase) -> Stretch {
    let row = |kind: &str| Stretch { phase: phase.clone(), kind: kind.to_owned(), ..Stretch::default() };
    match &phase.kind {
        PhaseKind::Idle => row("idle"),
        PhaseKind::Load { step, scale } => Stretch { step: Some(step.clone()), scale: *scale, ..row("load") },
        PhaseKind::Command { code } => Stretch { code: *code, ..row("command") },
    }
}

pub(crate) fn devices(scan: &Scan<'_>) -> Vec<DeviceNode> {
    if !scan.has("machine_device") {
        return Vec::new();
    }
    scan.all(table::select::<Machine>(), |row| {
        let Standing { node, kind, level } = table::taken::<Machine>(row)?;
        let kind = match level {
            Some(level) => DeviceKind::Md(level),
            None => serde_json::from_value(serde_json::Value::String(kind))?,
        };
        Ok(DeviceNode { kind, ..node })
    })
}

pub(crate) fn phases(scan: &Scan<'_>) -> Vec<Phase> {
    if !scan.has("phase") {
        return Vec::new();
    }
    scan.all(table::select::<Phases>(), |row| {
        let Stretch { phase, kind, step, scale, code } = table::taken::<Phases>(row)?;
        let kind = match (kind.as_str(), step) {
            ("idle", _) => PhaseKind::Idle,
            ("load", Some(step)) => PhaseKind::Load { step, scale },
            ("command", _) => PhaseKind::Command { code },
            _ => return Err(Fault::Word { found: kind, expected: "idle, load or command" }),
        };
        Ok(Phase { kind, ..phase })
    })
}
