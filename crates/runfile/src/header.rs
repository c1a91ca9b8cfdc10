//! The run as a whole in its tables: its beginning, the host, the target and the devices below it.

use record::{DeviceFacts, ExceededWhile, HostFacts, Origin, ProcessLoads, Run, TargetFacts};
use rusqlite::{Connection, Result};
use workload::{Nanos, ProcedureRequest};

use crate::cell::{Doubts, Json, Maybe, Number, Real, Size, Text, Time, Whole, Word};
use crate::machine;
use crate::scan::{Fault, Place, Scan};
use crate::table::{self, Inserts, table};

/// Description of the run as a whole.
#[derive(Default)]
pub(crate) struct Head {
    version: String,
    words: Vec<String>,
    started_unix_ms: u64,
    started_unix_ns: Option<u64>,
    origin: String,
    tool: Option<String>,
    lacks: Vec<String>,
    policy: Option<String>,
    expectation: Option<String>,
    own_policies: Option<Vec<(String, String)>>,
    exceeded: Option<Vec<ExceededWhile>>,
    processes: Option<ProcessLoads>,
    asked: Option<ProcedureRequest>,
    forecast: Option<Nanos>,
    complete: bool,
}

table! {
    Runs, "run" of Head {
        Text: version;
        Json: words;
        Whole: started_unix_ms;
        Text: origin;
        Maybe<Text>: tool;
        Json: lacks;
        Maybe<Text>: policy, expectation;
        Maybe<Json>: own_policies, exceeded, processes, asked;
        Maybe<Time>: forecast_ns = forecast;
        Maybe<Whole>: started_unix_ns;
        Number: complete;
    }
}

table! {
    Hosts, "host" of HostFacts {
        Text: hostname, kernel, distribution, cpu_model;
        Number: cpus;
        Size: memory_bytes = memory;
        Text: clocksource;
        Real: clock_read_ns;
        Text: product;
    }
}

table! {
    Targets, "target" of TargetFacts {
        Text: words;
        Word: kind;
        Text: filesystem, mount_point;
        Size: available_bytes = available, direct_alignment_bytes = direct_alignment;
        Doubts: doubts;
        Number: reads_only;
        Maybe<Real>: unwritten_share, cached_share;
    }
}

table! {
    Devices, "device" of DeviceFacts, Own(position) {
        Text: name;
        Number: major = number.0, minor = number.1;
        Size: size_bytes = size;
        Text: model, serial;
        Size: logical_block_bytes = logical_block, physical_block_bytes = physical_block;
        Number: rotational;
        Text: scheduler;
        Number: queue_requests;
        Size: request_max_bytes = request_max;
    }
}

/// Origin of a run that plimsoll measured.
const MEASURED: &str = "measured";

impl Head {
    fn of(run: &Run) -> Head {
        let (origin, tool, lacks) = match &run.origin {
            Origin::Measured => (MEASURED, None, Vec::new()),
            Origin::Imported { tool, lacks } => ("imported", Some(tool.clone()), lacks.clone()),
        };
        Head {
            version: run.version.clone(),
            words: run.words.clone(),
            started_unix_ms: run.started_unix_ms,
            started_unix_ns: run.started_unix_ns,
            origin: origin.to_owned(),
            tool,
            lacks,
            policy: run.policy.clone(),
            expectation: run.expectation.clone(),
            own_policies: (!run.own_policies.is_empty()).then(|| run.own_policies.clone()),
            exceeded: (!run.exceeded.is_empty()).then(|| run.exceeded.clone()),
            processes: (run.processes != ProcessLoads::default()).then(|| run.processes.clone()),
            asked: run.asked.clone(),
            forecast: run.forecast,
            complete: false,
        }
    }

    fn into_run(self) -> Run {
        Run {
            version: self.version,
            origin: match self.tool {
                Some(tool) if self.origin != MEASURED => Origin::Imported { tool, lacks: self.lacks },
                _ => Origin::Measured,
            },
            policy: self.policy,
            expectation: self.expectation,
            own_policies: self.own_policies.unwrap_or_default(),
            exceeded: self.exceeded.unwrap_or_default(),
            processes: self.processes.unwrap_or_default(),
            asked: self.asked,
            forecast: self.forecast,
            started_unix_ns: self.started_unix_ns,
            complete: self.complete,
            ..Run::started(self.words, self.started_unix_ms)
        }
    }
}

/// Stores the description of `run` as a whole; replaces the one stored before.
pub(crate) fn store(conn: &Connection, run: &Run) -> Result<()> {
    table::replace::<Runs>(conn, [&Head::of(run)])?;
    table::replace::<Hosts>(conn, &run.host)?;
    table::replace::<Targets>(conn, &run.target)?;
    table::clear::<Devices>(conn)?;
    let mut inserts = Inserts::<Devices>::table(conn)?;
    let devices = run.target.iter().flat_map(|target| &target.devices);
    for (position, device) in devices.enumerate() {
        inserts.put(&[Some(position as i64)], device)?;
    }
    machine::store_devices(conn, &run.devices)?;
    table::replace::<machine::Limits>(conn, &run.limits)?;
    machine::store_phases(conn, &run.phases)
}

/// Columns of `run` that files of earlier versions lack.
const LATER: [&str; 6] = ["own_policies", "exceeded", "asked", "forecast_ns", "processes", "started_unix_ns"];

/// Reads the description of the run, without the contents of other tables.
pub(crate) fn read(scan: &Scan<'_>) -> Run {
    let query = table::select_of_any_version::<Runs>(scan, &LATER);
    let head = scan.all(query, table::taken::<Runs>).into_iter().next();
    let mut run = head.map_or_else(
        || {
            scan.note("run", Place::Table, Fault::Empty);
            Run::started(Vec::new(), 0)
        },
        Head::into_run,
    );
    run.host = table::all::<Hosts>(scan).into_iter().next();
    run.target = table::all::<Targets>(scan).into_iter().next();
    let devices = table::all::<Devices>(scan);
    run.target.iter_mut().for_each(|target| target.devices.clone_from(&devices));
    run.devices = machine::devices(scan);
    run.limits = table::all_if_there::<machine::Limits>(scan);
    run.phases = machine::phases(scan);
    run
}
