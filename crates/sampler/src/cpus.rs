//! The CPUs: the place of each, its capacity, and what it has done since the machine started.

use std::fs;

use record::{CpuCounters, CpuFacts};

use crate::Root;
use crate::parse::each_cpu;

/// Returns the counters of every CPU with the CPU's number, in the order in which the kernel lists them.
pub fn cpu_times(root: &Root) -> Vec<(u32, CpuCounters)> {
    each_cpu(root.text("proc/stat").unwrap_or_default().as_bytes())
}

/// Returns the facts of every CPU that has counters.
pub fn cpus(root: &Root) -> Vec<CpuFacts> {
    cpu_times(root).into_iter().map(|(number, _)| cpu(root, number)).collect()
}

fn cpu(root: &Root, number: u32) -> CpuFacts {
    let folder = format!("sys/devices/system/cpu/cpu{number}");
    let value = |path: &str| root.text(format!("{folder}/{path}")).and_then(|text| text.parse().ok());
    let entries = fs::read_dir(root.join(&folder)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let node = names.filter_map(|name| name.strip_prefix("node")?.parse().ok()).next();
    CpuFacts {
        number,
        socket: value("topology/physical_package_id").unwrap_or(0),
        node: node.unwrap_or(0),
        core: value("topology/core_id").unwrap_or(number),
        capacity: value("cpu_capacity").unwrap_or(1024),
    }
}

/// Returns the frequency governor of the CPUs; `None` if the kernel does not report one.
pub fn cpu_governor(root: &Root) -> Option<String> {
    root.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cpu_has_its_place_and_one_of_which_nothing_is_said_has_the_usual_one() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("proc/stat", "cpu 1\ncpu0 1 0 0 1\ncpu3 1 0 0 1\n");
        let folder = "sys/devices/system/cpu/cpu3";
        put(&format!("{folder}/topology/physical_package_id"), "1\n");
        put(&format!("{folder}/topology/core_id"), "2\n");
        put(&format!("{folder}/cpu_capacity"), "512\n");
        fs::create_dir_all(root.path().join(format!("{folder}/node1"))).unwrap();
        let root = Root::at(root.path());
        let usual = CpuFacts { number: 0, socket: 0, node: 0, core: 0, capacity: 1024 };
        let named = CpuFacts { number: 3, socket: 1, node: 1, core: 2, capacity: 512 };
        assert_eq!(cpus(&root), [usual, named]);
        assert_eq!(cpu_governor(&root), None);
    }
}
