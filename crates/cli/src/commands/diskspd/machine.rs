//! The machine as DiskSpd describes it: CPUs with their places, and how busy each of them was.

use std::fs;
use std::path::Path;

use diskspd::{CpuPlace, CpuUse, System};

/// This machine, where a run began `started` seconds after 1970.
pub fn machine(started: i64) -> System {
    machine_in(Path::new("/"), started)
}

fn machine_in(root: &Path, started: i64) -> System {
    let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default().trim().to_owned();
    let numbers: Vec<u32> = stat_of(&text("proc/stat")).iter().map(|cpu| cpu.number).collect();
    let raw: Vec<Raw> = numbers.iter().map(|&number| Raw::read(root, number)).collect();
    let mut cores: Vec<(u32, u32)> = raw.iter().map(|cpu| (cpu.place.socket, cpu.place.core)).collect();
    cores.sort_unstable();
    cores.dedup();
    let mut capacities: Vec<u32> = raw.iter().map(|cpu| cpu.capacity).collect();
    capacities.sort_unstable();
    capacities.dedup();
    // Kernels number cores within a socket; here they are counted over the machine.
    let rank = |list: &[u32], value: u32| list.iter().position(|&one| one == value).unwrap_or(0) as u32;
    let place = |cpu: &Raw| CpuPlace {
        core: cores.iter().position(|&core| core == (cpu.place.socket, cpu.place.core)).unwrap_or(0) as u32,
        class: rank(&capacities, cpu.capacity),
        ..cpu.place
    };
    System {
        computer: text("proc/sys/kernel/hostname"),
        started,
        scheme: Some(text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"))
            .filter(|governor| !governor.is_empty())
            .unwrap_or_else(|| "none".to_owned()),
        cpus: raw.iter().map(place).collect(),
    }
}

/// A CPU as the kernel describes it.
struct Raw {
    place: CpuPlace,
    /// 1,024 for the fastest of a machine, less for others; the same where the kernel does not say.
    capacity: u32,
}

impl Raw {
    fn read(root: &Path, number: u32) -> Raw {
        let folder = root.join(format!("sys/devices/system/cpu/cpu{number}"));
        let value = |path: &str| {
            fs::read_to_string(folder.join(path)).ok().and_then(|text| text.trim().parse::<u32>().ok())
        };
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let node = names.filter_map(|name| name.strip_prefix("node")?.parse().ok()).next();
        let place = CpuPlace {
            number,
            socket: value("topology/physical_package_id").unwrap_or(0),
            node: node.unwrap_or(0),
            core: value("topology/core_id").unwrap_or(number),
            class: 0,
        };
        Raw { place, capacity: value("cpu_capacity").unwrap_or(1024) }
    }
}

/// What every CPU has done since the machine started.
pub fn cpu_times() -> Vec<CpuUse> {
    stat_of(&fs::read_to_string("/proc/stat").unwrap_or_default())
}

/// The `cpuN` lines of `/proc/stat`. Waiting for I/O is idle time, and what others took from a virtual machine is the
/// kernel's, since it was not idle.
fn stat_of(text: &str) -> Vec<CpuUse> {
    let line = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let number = words.next()?.strip_prefix("cpu")?.parse().ok()?;
        let ticks: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        let at = |index: usize| ticks.get(index).copied().unwrap_or(0);
        Some(CpuUse {
            number,
            user: at(0) + at(1),
            kernel: at(2) + at(5) + at(6) + at(7),
            idle: at(3) + at(4),
        })
    };
    text.lines().filter_map(line).collect()
}

/// What every CPU did between two readings.
pub fn between(before: &[CpuUse], after: &[CpuUse]) -> Vec<CpuUse> {
    let since = |later: &CpuUse| {
        let earlier = before.iter().find(|cpu| cpu.number == later.number).copied().unwrap_or_default();
        CpuUse {
            number: later.number,
            user: later.user.saturating_sub(earlier.user),
            kernel: later.kernel.saturating_sub(earlier.kernel),
            idle: later.idle.saturating_sub(earlier.idle),
        }
    };
    after.iter().map(since).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cpu_line_is_read_and_waiting_is_idle() {
        let text = "cpu  1 1 1 1\ncpu0 10 1 5 80 3 1 1 2 0 0\ncpu12 1 0 0 9\nintr 5\n";
        let expected = [
            CpuUse { number: 0, user: 11, kernel: 9, idle: 83 },
            CpuUse { number: 12, user: 1, kernel: 0, idle: 9 },
        ];
        assert_eq!(stat_of(text), expected);
    }

    #[test]
    fn a_machine_of_two_sockets_with_two_kinds_of_cores() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("proc/stat", "cpu 1\ncpu0 1 0 0 1\ncpu1 1 0 0 1\ncpu2 1 0 0 1\ncpu3 1 0 0 1\n");
        put("proc/sys/kernel/hostname", "box\n");
        for (cpu, socket, core, capacity) in
            [(0, 0, 0, 1024), (1, 0, 0, 1024), (2, 1, 0, 512), (3, 1, 1, 512)]
        {
            let folder = format!("sys/devices/system/cpu/cpu{cpu}");
            put(&format!("{folder}/topology/physical_package_id"), &socket.to_string());
            put(&format!("{folder}/topology/core_id"), &core.to_string());
            put(&format!("{folder}/cpu_capacity"), &capacity.to_string());
            fs::create_dir_all(root.path().join(format!("{folder}/node{socket}"))).unwrap();
        }
        let system = machine_in(root.path(), 5);
        let places: Vec<_> = system.cpus.iter().map(|c| (c.socket, c.node, c.core, c.class)).collect();
        assert_eq!(places, [(0, 0, 0, 1), (0, 0, 0, 1), (1, 1, 1, 0), (1, 1, 2, 0)]);
        assert_eq!((system.computer.as_str(), system.is_heterogeneous()), ("box", true));
    }
}
