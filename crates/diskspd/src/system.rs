//! The machine as DiskSpd shows it: its name, the start of the run, and the topology of its CPUs.

use std::collections::BTreeSet;

use record::CpuFacts;

/// The machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// Name of the machine.
    pub computer: String,
    /// Start of the run, in seconds since 1970, UTC.
    pub started: i64,
    /// The frequency governor of the CPUs, in place of Windows' power scheme; empty if unknown.
    pub scheme: String,
    /// CPUs in the order of their numbers.
    pub cpus: Vec<CpuPlace>,
}

/// Place of a CPU in the topology.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuPlace {
    /// Number of the CPU.
    pub number: u32,
    /// Socket of the CPU.
    pub socket: u32,
    /// NUMA node of the CPU.
    pub node: u32,
    /// Core of the CPU, numbered over the whole machine.
    pub core: u32,
    /// Capacity class of the CPU, ascending from 0.
    pub class: u32,
}

impl CpuPlace {
    /// DiskSpd's group of 64 CPUs to which the CPU belongs.
    pub fn group(&self) -> u32 {
        self.number / 64
    }

    /// Bit of the CPU in the mask of its group.
    pub fn bit(&self) -> u64 {
        1 << (self.number % 64)
    }
}

impl System {
    /// Returns the machine of this name with these CPUs and their frequency governor. The kernel numbers cores within a
    /// socket; here they are numbered over the whole machine.
    pub fn new(computer: String, governor: Option<String>, cpus: &[CpuFacts]) -> System {
        let cores: BTreeSet<(u32, u32)> = cpus.iter().map(|cpu| (cpu.socket, cpu.core)).collect();
        let capacities: BTreeSet<u32> = cpus.iter().map(|cpu| cpu.capacity).collect();
        let place = |cpu: &CpuFacts| CpuPlace {
            number: cpu.number,
            socket: cpu.socket,
            node: cpu.node,
            core: cores.range(..(cpu.socket, cpu.core)).count() as u32,
            class: capacities.range(..cpu.capacity).count() as u32,
        };
        let scheme = governor.unwrap_or_else(|| "none".to_owned());
        System { computer, started: 0, scheme, cpus: cpus.iter().map(place).collect() }
    }

    /// Number of distinct values of `of`.
    pub fn count(&self, of: fn(&CpuPlace) -> u32) -> usize {
        self.values(of).len()
    }

    /// Distinct values of `of`, in ascending order.
    pub fn values(&self, of: fn(&CpuPlace) -> u32) -> Vec<u32> {
        let mut values: Vec<u32> = self.cpus.iter().map(of).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Whether the machine has cores of several kinds.
    pub fn is_heterogeneous(&self) -> bool {
        self.count(|cpu| cpu.class) > 1
    }

    /// Groups with the masks of the CPUs for which `belongs` is true; groups without such CPUs are left out.
    pub fn masks(&self, belongs: impl Fn(&CpuPlace) -> bool) -> Vec<(u32, u64)> {
        let of_group = |group: u32| {
            let members = self.cpus.iter().filter(|cpu| cpu.group() == group && belongs(cpu));
            (group, members.fold(0, |mask, cpu| mask | cpu.bit()))
        };
        self.values(CpuPlace::group).into_iter().map(of_group).filter(|&(_, mask)| mask != 0).collect()
    }

    /// Prints the start of the run as `2026/11/21 13:05:09 UTC`.
    pub fn start_time(&self) -> String {
        let time = jiff::Timestamp::from_second(self.started).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let time = time.to_zoned(jiff::tz::TimeZone::UTC);
        format!(
            "{}/{:02}/{:02} {:02}:{:02}:{:02} UTC",
            time.year(),
            time.month(),
            time.day(),
            time.hour(),
            time.minute(),
            time.second()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_counted_over_the_machine_and_classes_rise_with_their_capacity() {
        let cpu = |(number, socket, core, capacity): (u32, u32, u32, u32)| CpuFacts {
            number,
            socket,
            node: socket,
            core,
            capacity,
        };
        let cpus = [(0, 0, 0, 1024), (1, 0, 0, 1024), (2, 1, 0, 512), (3, 1, 1, 512)].map(cpu);
        let system = System::new("box".to_owned(), None, &cpus);
        let places: Vec<_> = system.cpus.iter().map(|c| (c.socket, c.node, c.core, c.class)).collect();
        assert_eq!(places, [(0, 0, 0, 1), (0, 0, 0, 1), (1, 1, 1, 0), (1, 1, 2, 0)]);
        assert_eq!((system.scheme.as_str(), system.is_heterogeneous()), ("none", true));
    }
}
