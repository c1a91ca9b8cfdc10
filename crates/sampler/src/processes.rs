//! Processes by their files in `/proc`: state, parent, bytes moved; and those that move the most.

use std::collections::BTreeMap;
use std::io::ErrorKind;

use record::{ProcessLoad, ProcessLoads};
use workload::Nanos;

use crate::Root;
use crate::places::FilePlaces;

/// Fields of a `stat` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatFields {
    /// The letter of the state: `R`, `S`, `D`, …
    pub state: u8,
    pub parent: Option<u32>,
}

/// Reads the state and the parent in `/proc/PID/stat`, or in that of a task (proc(5)). The name before them stands in
/// parentheses, and may contain some.
pub(crate) fn stat_fields(root: &Root, path: &str) -> Option<StatFields> {
    let text = root.text(path)?;
    let mut words = text.rsplit(')').next()?.split_whitespace();
    let state = *words.next()?.as_bytes().first()?;
    Some(StatFields { state, parent: words.next().and_then(|word| word.parse().ok()) })
}

/// Reads the bytes that a process has had read from and written to devices; `None` if this user may not look.
pub(crate) fn io_bytes(root: &Root, pid: u32) -> Option<[u64; 2]> {
    let text = root.text(format!("proc/{pid}/io"))?;
    let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok();
    Some([of("read_bytes:")?, of("write_bytes:")?])
}

/// Least time between two readings of all processes.
const READ_EVERY: Nanos = Nanos::from_secs(1);
/// Multiple of the cost of a reading that passes until the next.
const COST_TIMES: u64 = 200;
/// Most processes that are listed, and that are remembered after their end.
const LISTED: usize = 8;

/// The processes of the machine, and the bytes that each has moved since the first reading.
#[derive(Debug)]
pub(crate) struct ProcessTable {
    root: Root,
    places: FilePlaces,
    there: BTreeMap<u32, Seen>,
    /// Those with most bytes among the ended ones.
    ended: Vec<ProcessLoad>,
    hidden: u32,
    next: Nanos,
}

/// A process with its counters at the last reading.
#[derive(Debug)]
struct Seen {
    bytes: [u64; 2],
    load: ProcessLoad,
    parent: Option<u32>,
}

impl ProcessTable {
    /// Reads the processes that exist now; what they moved before does not count.
    pub(crate) fn new(root: &Root) -> ProcessTable {
        let places = FilePlaces::new(root);
        let mut table = ProcessTable {
            root: root.clone(),
            places,
            there: BTreeMap::new(),
            ended: Vec::new(),
            hidden: 0,
            next: Nanos::ZERO,
        };
        table.take();
        table.there.values_mut().for_each(|seen| (seen.load.read_bytes, seen.load.write_bytes) = (0, 0));
        table
    }

    /// Returns the processes with most bytes; `None` if it is not yet time for another reading, by `now`.
    pub(crate) fn read(&mut self, now: Nanos) -> Option<ProcessLoads> {
        if now < self.next {
            return None;
        }
        let began = kernel::thread_cpu_time();
        self.take();
        let mut most: Vec<ProcessLoad> = self.there.values().map(|seen| seen.load.clone()).collect();
        most.extend(self.ended.iter().cloned());
        keep_most(&mut most);
        for load in &mut most {
            self.describe(load);
        }
        self.next = now + READ_EVERY.max(kernel::thread_cpu_time().since(began).total() * COST_TIMES);
        Some(ProcessLoads { most, hidden: self.hidden })
    }

    fn take(&mut self) {
        let mut before = std::mem::take(&mut self.there);
        self.hidden = 0;
        for pid in kernel::processes(self.root.path()).into_iter().filter(|pid| *pid != std::process::id()) {
            let Some(now) = io_bytes(&self.root, pid) else {
                let io = std::fs::File::open(self.root.join(format!("proc/{pid}/io")));
                self.hidden += u32::from(io.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied));
                continue;
            };
            let known = before.remove(&pid).filter(|seen| seen.bytes[0] <= now[0] && seen.bytes[1] <= now[1]);
            let mut seen = known.unwrap_or_else(|| Seen {
                bytes: [0; 2],
                load: ProcessLoad { pid, ..ProcessLoad::default() },
                parent: stat_fields(&self.root, &format!("proc/{pid}/stat")).and_then(|stat| stat.parent),
            });
            seen.load.read_bytes += now[0] - seen.bytes[0];
            seen.load.write_bytes += now[1] - seen.bytes[1];
            seen.bytes = now;
            self.there.insert(pid, seen);
        }
        for ended in before.values() {
            // The kernel adds the bytes of a child to its parent when it has ended.
            let Some(parent) = ended.parent.and_then(|parent| self.there.get_mut(&parent)) else { continue };
            parent.load.read_bytes = parent.load.read_bytes.saturating_sub(ended.bytes[0]);
            parent.load.write_bytes = parent.load.write_bytes.saturating_sub(ended.bytes[1]);
        }
        self.ended.extend(before.into_values().map(|seen| seen.load));
        keep_most(&mut self.ended);
    }

    /// Adds the name, the group and the devices of a process that still exists, and keeps them.
    fn describe(&mut self, load: &mut ProcessLoad) {
        let Some(seen) = self.there.get_mut(&load.pid) else { return };
        if seen.load.name.is_empty() {
            seen.load.name = kernel::Process::read(self.root.path(), load.pid).name;
            let groups = self.root.text(format!("proc/{}/cgroup", load.pid)).unwrap_or_default();
            let group = |of: &str| groups.lines().find_map(|line| line.split_once(of)).map(|(_, path)| path);
            let found = [group(":blkio:"), group("0::")].into_iter().flatten().find(|path| *path != "/");
            seen.load.group = found.unwrap_or_default().to_owned();
        }
        for place in self.places.of_process(load.pid).places {
            if !seen.load.devices.contains(&place) {
                seen.load.devices.push(place);
            }
        }
        load.clone_from(&seen.load);
    }
}

/// Keeps those with most bytes, in their order.
fn keep_most(loads: &mut Vec<ProcessLoad>) {
    loads.retain(|load| load.read_bytes + load.write_bytes > 0);
    loads.sort_by_key(|load| std::cmp::Reverse(load.read_bytes + load.write_bytes));
    loads.truncate(LISTED);
}
