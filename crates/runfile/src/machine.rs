//! The machine that was watched, in its tables: its devices as they stand on each other, limits set on it, phases.

use record::{DeviceFacts, DeviceKind, DeviceNode, LocalLimit, Phase, PhaseKind};
use rusqlite::{Connection, Result, params};
use workload::Bytes;

use crate::rows::{array, whole, word};
use crate::scan::{Fault, Query, Scan};
use crate::tables;

/// Stores the devices; replaces what was stored before.
pub(crate) fn insert_devices(conn: &Connection, devices: &[DeviceNode]) -> Result<()> {
    conn.execute("DELETE FROM machine_device", [])?;
    let mut insert = conn.prepare_cached(
        "INSERT INTO machine_device VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    for (position, node) in devices.iter().enumerate() {
        let (kind, level) = match &node.kind {
            DeviceKind::Md(level) => ("md".to_owned(), Some(level)),
            other => (word(other), None),
        };
        let facts = &node.facts;
        insert.execute(params![
            position as i64,
            facts.name,
            kind,
            level,
            array(&node.below),
            node.alias,
            node.mounted,
            node.description,
            node.timed,
            facts.number.0,
            facts.number.1,
            whole(facts.size.0),
            facts.model,
            facts.serial,
            whole(facts.logical_block.0),
            whole(facts.physical_block.0),
            facts.rotational,
            facts.scheduler,
            facts.queue_requests,
            whole(facts.request_max.0)
        ])?;
    }
    Ok(())
}

/// Stores the limits; replaces what was stored before.
pub(crate) fn insert_limits(conn: &Connection, limits: &[LocalLimit]) -> Result<()> {
    conn.execute("DELETE FROM local_limit", [])?;
    let mut insert = conn.prepare_cached("INSERT INTO local_limit VALUES (?, ?, ?, ?)")?;
    limits.iter().try_for_each(|limit| {
        insert.execute(params![limit.group, limit.device, limit.what, whole(limit.value)]).map(drop)
    })
}

/// Stores the phases; replaces what was stored before.
pub(crate) fn insert_phases(conn: &Connection, phases: &[Phase]) -> Result<()> {
    conn.execute("DELETE FROM phase", [])?;
    let mut insert = conn.prepare_cached("INSERT INTO phase VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)")?;
    for phase in phases {
        let (kind, step, scale, code) = match &phase.kind {
            PhaseKind::Idle => ("idle", None, None, None),
            PhaseKind::Load { step, scale } => ("load", Some(step), *scale, None),
            PhaseKind::Command { code } => ("command", None, None, *code),
        };
        let (from, to) = (whole(phase.from.0), whole(phase.to.0));
        insert.execute(params![phase.name, kind, step, scale, code, from, to])?;
    }
    Ok(())
}

pub(crate) fn devices(scan: &Scan<'_>) -> Vec<DeviceNode> {
    if !scan.has("machine_device") {
        return Vec::new();
    }
    let columns = "name, kind, level, below, alias, mounted, description, timed, major, minor, size_bytes, model, serial, \
                   logical_block_bytes, physical_block_bytes, rotational, scheduler, queue_requests, request_max_bytes";
    scan.all(Query::of("machine_device", columns), |row| {
        let bytes = |column| tables::whole(row, column).map(Bytes);
        let level: Option<String> = row.get(2)?;
        let facts = DeviceFacts {
            name: row.get(0)?,
            number: (row.get(8)?, row.get(9)?),
            size: bytes(10)?,
            model: row.get(11)?,
            serial: row.get(12)?,
            logical_block: bytes(13)?,
            physical_block: bytes(14)?,
            rotational: row.get(15)?,
            scheduler: row.get(16)?,
            queue_requests: row.get(17)?,
            request_max: bytes(18)?,
        };
        Ok(DeviceNode {
            facts,
            kind: match level {
                Some(level) => DeviceKind::Md(level),
                None => tables::word(row, 1)?,
            },
            below: tables::json(row, 3)?,
            alias: row.get(4)?,
            mounted: row.get(5)?,
            description: row.get(6)?,
            timed: row.get(7)?,
        })
    })
}

pub(crate) fn limits(scan: &Scan<'_>) -> Vec<LocalLimit> {
    if !scan.has("local_limit") {
        return Vec::new();
    }
    scan.all(Query::of("local_limit", "control_group, device, what, per_second"), |row| {
        Ok(LocalLimit {
            group: row.get(0)?,
            device: row.get(1)?,
            what: row.get(2)?,
            value: tables::whole(row, 3)?,
        })
    })
}

pub(crate) fn phases(scan: &Scan<'_>) -> Vec<Phase> {
    if !scan.has("phase") {
        return Vec::new();
    }
    let columns = "name, kind, step, scale, code, from_ns, to_ns";
    scan.all(Query::of("phase", columns), |row| {
        let kind: String = row.get(1)?;
        let kind = match kind.as_str() {
            "idle" => PhaseKind::Idle,
            "load" => PhaseKind::Load { step: row.get(2)?, scale: row.get(3)? },
            "command" => PhaseKind::Command { code: row.get(4)? },
            _ => return Err(Fault::Word { found: kind, expected: "idle, load or command" }),
        };
        let nanos = |column| tables::nanos(row, column);
        Ok(Phase { name: row.get(0)?, kind, from: nanos(5)?, to: nanos(6)? })
    })
}
