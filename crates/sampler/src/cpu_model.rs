//! The name of the CPU, which each architecture writes in its own way.

/// Returns the CPU model from `/proc/cpuinfo`; empty if it has none.
pub(crate) fn cpu_model(cpuinfo: &str) -> String {
    let value = |key: &str| {
        let mut lines = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
    };
    // x86 and s390 write `model name`, POWER `cpu`, RISC-V `uarch`; arm64 writes only numbers.
    ["model name", "cpu", "uarch", "Processor"]
        .into_iter()
        .find_map(value)
        .or_else(|| arm(&value("CPU implementer")?, &value("CPU part")?))
        .unwrap_or_default()
}

/// Returns the name of a core used in clouds, by ARM's implementer and part numbers (MIDR_EL1); of any other core, its numbers.
fn arm(implementer: &str, part: &str) -> Option<String> {
    const KNOWN: [(&str, &str, &str); 9] = [
        ("0x41", "0xd08", "ARM Cortex-A72"),
        ("0x41", "0xd0c", "ARM Neoverse-N1"),
        ("0x41", "0xd40", "ARM Neoverse-V1"),
        ("0x41", "0xd49", "ARM Neoverse-N2"),
        ("0x41", "0xd4f", "ARM Neoverse-V2"),
        ("0x41", "0xd83", "ARM Neoverse-V3"),
        ("0x41", "0xd8e", "ARM Neoverse-N3"),
        ("0xc0", "0xac3", "Ampere-1"),
        ("0xc0", "0xac4", "Ampere-1a"),
    ];
    let known = KNOWN.iter().find(|(maker, number, _)| *maker == implementer && *number == part);
    Some(known.map_or_else(|| format!("ARM part {implementer}:{part}"), |(_, _, name)| (*name).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_architecture_is_read_in_its_own_way() {
        assert_eq!(cpu_model("processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n"), "AMD EPYC");
        assert_eq!(cpu_model("CPU implementer\t: 0x41\nCPU part\t: 0xd40\n"), "ARM Neoverse-V1");
        assert_eq!(cpu_model("CPU implementer\t: 0x61\nCPU part\t: 0x022\n"), "ARM part 0x61:0x022");
        assert_eq!(cpu_model("cpu\t\t: POWER9 (architected)\n"), "POWER9 (architected)");
        assert_eq!(cpu_model(""), "");
    }
}
