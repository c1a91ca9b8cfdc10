//! Facts about the machine.

use record::HostFacts;
use workload::Bytes;

use crate::Root;
use crate::cpu_model::cpu_model;
use crate::parse::memory_counters;

/// Returns facts about the machine under `root`. What cannot be determined stays empty; the cost of reading
/// the clock is measured, so it is 0 for a captured machine.
pub fn host_facts(root: &Root) -> HostFacts {
    let text = |path: &str| root.text(path).unwrap_or_default();
    let cpuinfo = text("proc/cpuinfo");
    HostFacts {
        hostname: text("proc/sys/kernel/hostname"),
        kernel: text("proc/sys/kernel/osrelease"),
        distribution: distribution(root),
        cpu_model: cpu_model(&cpuinfo),
        cpus: allowed_cpus(&text("proc/self/status")).unwrap_or_else(|| listed_cpus(&cpuinfo)),
        memory: Bytes(memory_counters(text("proc/meminfo").as_bytes()).total),
        clocksource: kernel::clocksource(root.path()).unwrap_or_default(),
        clock_read_ns: if root.is_real() { kernel::Clock::start().cost_per_read_ns() } else { 0.0 },
        product: product(root),
    }
}

/// Returns `PRETTY_NAME` of os-release(5).
fn distribution(root: &Root) -> String {
    let text = ["etc/os-release", "usr/lib/os-release"].into_iter().find_map(|path| root.text(path));
    let text = text.unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    value.unwrap_or_default().trim_matches(['"', '\'']).to_owned()
}

/// Returns the number of CPUs in `Cpus_allowed_list`, for example `0-3,8`.
fn allowed_cpus(status: &str) -> Option<u32> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        last.checked_sub(first)?.checked_add(1)
    };
    list.trim().split(',').map(count).sum()
}

fn listed_cpus(cpuinfo: &str) -> u32 {
    cpuinfo.lines().filter(|line| line.starts_with("processor")).count() as u32
}

/// Returns vendor and product according to the firmware; a vendor with which the product begins is not repeated.
fn product(root: &Root) -> String {
    let vendor = root.text("sys/class/dmi/id/sys_vendor").unwrap_or_default();
    let product = root
        .text("sys/class/dmi/id/product_name")
        .or_else(|| root.text("sys/firmware/devicetree/base/model"))
        .unwrap_or_default();
    if product.starts_with(&vendor) { product } else { format!("{vendor} {product}").trim_end().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_cpus_are_counted_from_ranges() {
        let status = |list: &str| format!("Name:\tx\nCpus_allowed_list:\t{list}\n");
        assert_eq!(allowed_cpus(&status("0-3,8,10-11")), Some(7));
        assert_eq!(allowed_cpus(&status("0")), Some(1));
        assert_eq!(allowed_cpus(&status("3-1")), None);
        assert_eq!(allowed_cpus("Name:\tx\n"), None);
    }
}
