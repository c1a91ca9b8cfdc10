//! A watched command: what its tasks do at frequent looks, the bytes its processes move, and where its files lie.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use record::CommandCounters;
use workload::Nanos;

use crate::Root;
use crate::places::{FileKind, FilePlaces, numbers};
use crate::processes::{io_bytes, stat_fields};
use crate::waits::{CallWait, call_wait};

/// Usual time between two looks.
const LOOK_EVERY: Nanos = Nanos::from_millis(25);
/// Least time between two examinations of open files.
const EXAMINE_EVERY: Nanos = Nanos::from_millis(500);
/// Multiple of the cost of a look that passes until the next, so that looking takes at most a hundredth of a CPU.
const COST_TIMES: u64 = 100;

/// A command that is followed from its start to the end of its last process.
#[derive(Debug)]
pub(crate) struct FollowedCommand {
    root: Root,
    /// The processes of the command that existed at the last look.
    members: BTreeMap<u32, Member>,
    /// Processes that are none of the command's.
    strangers: BTreeSet<u32>,
    /// Run time and run delay of tasks seen running.
    ran: HashMap<u32, [u64; 2]>,
    counters: CommandCounters,
    places: FilePlaces,
    looked: Nanos,
    next: Nanos,
    /// When the open files are to be examined again.
    examine: Nanos,
}

/// A process of the command.
#[derive(Clone, Copy, Debug, Default)]
struct Member {
    /// Bytes read and written that are counted already, of itself and of children that have ended.
    bytes: [u64; 2],
    parent: Option<u32>,
    has_sockets: bool,
}

/// What a task does at one look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Doing {
    Runs,
    /// Waits for storage, through this descriptor if it is known.
    Storage(Option<u64>),
    Lock,
    Network,
    Sleeps,
    Other,
    /// Waits for a child, or is no more.
    Nothing,
}

impl FollowedCommand {
    /// Follows the process `pid` and everything that it starts, from `now` on.
    pub(crate) fn new(root: &Root, pid: u32, now: Nanos) -> FollowedCommand {
        FollowedCommand {
            root: root.clone(),
            members: BTreeMap::from([(pid, Member::default())]),
            strangers: BTreeSet::new(),
            ran: HashMap::new(),
            counters: CommandCounters::default(),
            places: FilePlaces::new(root),
            looked: now,
            next: now,
            examine: now,
        }
    }

    /// Returns the time of the next look.
    pub(crate) fn next(&self) -> Nanos {
        self.next
    }

    /// Looks at every task, and sometimes at where the open files lie.
    pub(crate) fn look(&mut self, clock: &impl Fn() -> Nanos) {
        let (now, began) = (clock(), kernel::thread_cpu_time());
        let since = now.since(self.looked).0;
        self.looked = now;
        self.find_members();
        let mut doing: Vec<(u32, Doing)> = Vec::new();
        let members: Vec<u32> = self.members.keys().copied().collect();
        for pid in members {
            for task in numbers(&self.root, &format!("proc/{pid}/task")) {
                doing.push((pid, self.doing(pid, task)));
            }
        }
        doing.retain(|(_, doing)| *doing != Doing::Nothing);
        if !doing.is_empty() {
            self.counters.looks += 1;
            self.share(since, &doing);
        }
        if now >= self.examine {
            self.examine_files();
            self.examine = now + EXAMINE_EVERY.max(cost(began) * COST_TIMES);
        }
        // By its own CPU time: what it waits for a CPU costs nobody anything, and looks must not become rare then.
        let pause = LOOK_EVERY.max(cost(began) * COST_TIMES).0;
        // Steps of the golden ratio keep the looks from falling in step with a program that does something regularly.
        let turn = self.counters.looks as f64 * 0.618_034 % 1.0;
        self.next = clock() + Nanos((pause as f64 * (0.5 + turn)) as u64);
    }

    /// Divides the time since the last look among the tasks.
    fn share(&mut self, since: u64, doing: &[(u32, Doing)]) {
        let active: Vec<&(u32, Doing)> =
            doing.iter().filter(|(_, doing)| matches!(doing, Doing::Runs | Doing::Storage(_))).collect();
        let shared = if active.is_empty() { doing.iter().collect() } else { active };
        let each = since / shared.len() as u64;
        for &&(pid, doing) in &shared {
            *match doing {
                Doing::Runs => &mut self.counters.running_ns,
                Doing::Storage(descriptor) => {
                    let place = descriptor.and_then(|descriptor| self.places.of_descriptor(pid, descriptor));
                    if let Some(place) = place {
                        *self.waited_for(&place) += each;
                    }
                    &mut self.counters.storage_ns
                }
                Doing::Lock => &mut self.counters.lock_ns,
                Doing::Network => &mut self.counters.network_ns,
                Doing::Sleeps => &mut self.counters.sleep_ns,
                Doing::Other | Doing::Nothing => &mut self.counters.other_ns,
            } += each;
        }
    }

    fn waited_for(&mut self, place: &str) -> &mut u64 {
        let places = &mut self.counters.places;
        let at = places.iter().position(|(known, _)| known == place).unwrap_or_else(|| {
            places.push((place.to_owned(), 0));
            places.len() - 1
        });
        &mut places[at].1
    }

    /// Finds processes that members have started since the last look, and drops those that have ended.
    fn find_members(&mut self) {
        let all: BTreeSet<u32> = numbers(&self.root, "proc").into_iter().collect();
        self.forget_ended(&all);
        self.strangers.retain(|pid| all.contains(pid));
        let new = all.iter().filter(|pid| !self.members.contains_key(pid) && !self.strangers.contains(pid));
        let parent = |pid: &u32| stat_fields(&self.root, &format!("proc/{pid}/stat"))?.parent;
        let mut new: Vec<(u32, Option<u32>)> = new.map(|pid| (*pid, parent(pid))).collect();
        while let Some(at) =
            new.iter().position(|(_, parent)| parent.is_some_and(|parent| self.members.contains_key(&parent)))
        {
            let (pid, parent) = new.swap_remove(at);
            self.members.insert(pid, Member { parent, ..Member::default() });
        }
        self.strangers.extend(new.into_iter().map(|(pid, _)| pid));
    }

    /// Drops members that are not among `all` processes. The kernel adds the bytes of a child that has ended to its parent:
    /// those are counted already.
    fn forget_ended(&mut self, all: &BTreeSet<u32>) {
        let before = std::mem::take(&mut self.members);
        self.members.extend(before.iter().filter(|(pid, _)| all.contains(pid)).map(|(pid, at)| (*pid, *at)));
        for ended in before.iter().filter(|(pid, _)| !all.contains(pid)).map(|(_, ended)| ended) {
            let parents = std::iter::successors(ended.parent, |pid| before.get(pid)?.parent);
            let heir = parents.take(before.len()).find(|pid| self.members.contains_key(pid));
            if let Some(heir) = heir.and_then(|pid| self.members.get_mut(&pid)) {
                heir.bytes[0] += ended.bytes[0];
                heir.bytes[1] += ended.bytes[1];
            }
        }
    }

    fn doing(&mut self, pid: u32, task: u32) -> Doing {
        let folder = format!("proc/{pid}/task/{task}");
        match stat_fields(&self.root, &format!("{folder}/stat")).map(|stat| stat.state) {
            Some(b'R') => {
                self.add_run_time(task, &folder);
                Doing::Runs
            }
            Some(b'D') => self.waiting(pid, &folder, true),
            Some(b'S') => self.waiting(pid, &folder, false),
            Some(b'T' | b't') => Doing::Other,
            _ => Doing::Nothing,
        }
    }

    /// Returns what a task waits for, by its system call: its number, or `-1` outside any, and its arguments in
    /// hexadecimal (proc(5)). A wait that no signal ends is one for storage, except for a child that shares memory.
    fn waiting(&self, pid: u32, folder: &str, uninterruptible: bool) -> Doing {
        let call = self.root.text(format!("{folder}/syscall")).unwrap_or_default();
        let mut words = call.split_whitespace();
        let number = words.next().and_then(|word| word.parse::<i64>().ok());
        let wait = number.map_or(CallWait::Other, call_wait);
        let descriptor =
            words.next().and_then(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok());
        let descriptor = descriptor.filter(|_| wait == CallWait::Descriptor);
        match wait {
            CallWait::Child => Doing::Nothing,
            _ if uninterruptible => Doing::Storage(descriptor),
            CallWait::Descriptor => match descriptor.and_then(|number| self.places.kind_of(pid, number)) {
                Some(FileKind::Socket) => Doing::Network,
                Some(FileKind::File) => Doing::Storage(descriptor),
                _ => Doing::Other,
            },
            CallWait::Storage => Doing::Storage(None),
            CallWait::Lock => Doing::Lock,
            CallWait::Time => Doing::Sleeps,
            CallWait::Events if self.members.get(&pid).is_some_and(|member| member.has_sockets) => {
                Doing::Network
            }
            CallWait::Events | CallWait::Other if call.is_empty() || number.is_some() => Doing::Other,
            CallWait::Events | CallWait::Other => Doing::Runs,
        }
    }

    /// Adds what a task ran, and waited for a CPU, since it was last seen running.
    fn add_run_time(&mut self, task: u32, folder: &str) {
        let Some(text) = self.root.text(format!("{folder}/schedstat")) else { return };
        let mut words = text.split_whitespace().map_while(|word| word.parse::<u64>().ok());
        let (Some(run), Some(delay)) = (words.next(), words.next()) else { return };
        let before = self.ran.insert(task, [run, delay]).unwrap_or_default();
        self.counters.run_ns += run.saturating_sub(before[0]);
        self.counters.run_delay_ns += delay.saturating_sub(before[1]);
    }

    /// Returns the counters so far, after reading the bytes of each process.
    pub(crate) fn read(&mut self) -> CommandCounters {
        self.find_members();
        for (pid, member) in &mut self.members {
            if let Some(now) = io_bytes(&self.root, *pid) {
                self.counters.read_bytes += now[0].saturating_sub(member.bytes[0]);
                self.counters.write_bytes += now[1].saturating_sub(member.bytes[1]);
                member.bytes = now;
            }
        }
        self.counters.clone()
    }

    fn examine_files(&mut self) {
        let members: Vec<u32> = self.members.keys().copied().collect();
        for pid in members {
            let open = self.places.of_process(pid);
            open.places.iter().for_each(|place| {
                self.waited_for(place);
            });
            self.members.entry(pid).or_default().has_sockets = open.has_sockets;
        }
    }

    /// Returns the devices on which files of the command have been found since the last call, with all below them.
    pub(crate) fn new_devices(&mut self) -> Vec<String> {
        self.places.take_devices()
    }
}

fn cost(began: kernel::CpuTime) -> Nanos {
    kernel::thread_cpu_time().since(began).total()
}
