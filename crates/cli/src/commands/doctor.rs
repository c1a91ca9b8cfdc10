//! `plimsoll doctor`: what this machine offers, and what would spoil a measurement here, each with a remedy.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use kernel::Clock;
use record::{CpuCounters, Sample, TargetFacts};
use sampler::{Devices, Root, Sampler, host_facts, target_facts};
use schemars::JsonSchema;
use serde::Serialize;
use session::failure::Failure;
use session::output;
use workload::{BackendKind, Bytes};

use crate::arguments::{DoctorArguments, Format};

/// Length of the observation of other programs' activity.
const LOOK: Duration = Duration::from_secs(1);
/// Share of CPU time used by other programs or stolen by the hypervisor above which all but light loads slow down.
const CPU_IN_USE: f64 = 0.25;
/// Share of time below which a device counts as nearly idle.
const LITTLE: f64 = 0.05;
/// Share of stolen CPU time above which every percentile shows it.
const STOLEN: f64 = 0.02;
/// Maximum nanoseconds for reading the clock if its source is the processor's own counter.
const CLOCK_READ_NS: f64 = 100.0;
/// Free memory below which buffers and the kernel's own needs are at risk.
const MEMORY_LEFT: Bytes = Bytes::mib(512);

/// How much a sign matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Weight {
    /// Good.
    Fine,
    /// Worth knowing: something is not available here.
    Note,
    /// Harmful: would spoil a measurement.
    Spoils,
}

/// What was examined.
#[derive(Serialize, JsonSchema)]
pub(super) struct DoctorDocument<'s> {
    /// Each aspect.
    signs: &'s [Sign],
}

/// One aspect that was examined.
#[derive(Debug, Serialize, JsonSchema)]
struct Sign {
    /// The aspect.
    what: &'static str,
    /// How much it matters.
    weight: Weight,
    /// What was found, in words.
    found: String,
    /// What to do about it, in words; empty if nothing.
    remedy: &'static str,
}

fn fine(what: &'static str, found: impl Into<String>) -> Sign {
    Sign { what, weight: Weight::Fine, found: found.into(), remedy: "" }
}

fn note(what: &'static str, found: impl Into<String>, remedy: &'static str) -> Sign {
    Sign { what, weight: Weight::Note, found: found.into(), remedy }
}

fn spoils(what: &'static str, found: impl Into<String>, remedy: &'static str) -> Sign {
    Sign { what, weight: Weight::Spoils, found: found.into(), remedy }
}

/// Examines the machine and prints the result; returns exit code 1 if something would spoil a measurement.
pub fn run(arguments: &DoctorArguments) -> Result<u8, Failure> {
    let words = arguments.target.display().to_string();
    let target = target_facts(&Root::real(), &arguments.target, &words).map_err(Failure::refused)?;
    let signs = signs(&target);
    match arguments.format {
        Format::Text => output::result(&text(&signs))?,
        Format::Json => output::result(&report::document_json("doctor", &DoctorDocument { signs: &signs }))?,
    }
    Ok(u8::from(signs.iter().any(|sign| sign.weight == Weight::Spoils)))
}

fn signs(target: &TargetFacts) -> Vec<Sign> {
    let mut signs: Vec<Sign> = kernel::probe().into_iter().filter_map(engine).collect();
    signs.push(clock());
    signs.extend(memory());
    signs.push(volume(target));
    signs.extend(target.doubts.iter().map(|doubt| {
        spoils(
            "volume",
            report::target_doubt(doubt),
            "measure a directory or device that is the volume's own",
        )
    }));
    signs.extend(target.devices.first().map(|device| match device.scheduler.as_str() {
        "none" | "" => fine("scheduler", format!("none on {}", device.name)),
        scheduler => note(
            "scheduler",
            format!("{scheduler} on {}: it sorts and may hold I/Os back", device.name),
            "for the volume's own figures: echo none > /sys/block/DEVICE/queue/scheduler",
        ),
    }));
    signs.extend(others(target));
    signs.push(root());
    signs.push(lab());
    signs.extend(swap());
    signs.push(peer());
    signs
}

fn engine((kind, usable): (BackendKind, Result<(), String>)) -> Option<Sign> {
    match (kind, usable) {
        (BackendKind::IoUring, Ok(())) => Some(fine("io_uring", "usable: the fastest way")),
        (BackendKind::IoUring, Err(why)) => Some(note(
            "io_uring",
            format!("not usable: {why}"),
            "libaio serves instead; sysctl kernel.io_uring_disabled=0, or the container's seccomp profile, lets it in",
        )),
        (BackendKind::Libaio, Ok(())) => Some(fine("libaio", "usable")),
        (BackendKind::Libaio, Err(why)) => {
            Some(note("libaio", format!("not usable: {why}"), "raise it: sysctl fs.aio-max-nr=1048576"))
        }
        _ => None,
    }
}

fn clock() -> Sign {
    let host = host_facts(&Root::real());
    let found = format!("{}, {:.0} ns a reading", host.clocksource, host.clock_read_ns);
    match host.clock_read_ns <= CLOCK_READ_NS {
        true => fine("clock", found),
        false => spoils(
            "clock",
            format!("{found}: each I/O pays for two"),
            "choose the processor's own counter: echo tsc > \
             /sys/devices/system/clocksource/clocksource0/current_clocksource",
        ),
    }
}

fn memory() -> Option<Sign> {
    let free = kernel::free_memory(Path::new("/"))?;
    let found = format!("{} left in {}", free.bytes, free.of);
    Some(match free.bytes >= MEMORY_LEFT {
        true => fine("memory", found),
        false => spoils("memory", found, "stop what needs it: a machine that swaps measures its swap"),
    })
}

fn volume(target: &TargetFacts) -> Sign {
    let on = target.devices.first().map_or_else(String::new, |device| format!(" on {}", device.name));
    let filesystem = if target.filesystem.is_empty() { "a device" } else { &target.filesystem };
    let found = format!("{filesystem}{on}, {} free for measuring", target.available);
    match target.available.0 >= Bytes::mib(640).0 || target.filesystem.is_empty() {
        true => fine("volume", found),
        false => note("volume", found, "a check takes a tenth of what is free, 64 MiB at least: make room"),
    }
}

/// Observes for a second how other programs use the device and the CPUs.
fn others(target: &TargetFacts) -> Vec<Sign> {
    let names: Devices = target.devices.iter().take(1).map(|device| device.name.as_str()).collect();
    let clock = Clock::start();
    let Ok(mut sampler) = Sampler::new(&Root::real(), names) else { return Vec::new() };
    let before = sampler.read(clock.now());
    thread::sleep(LOOK);
    let after = sampler.read(clock.now());
    busy_device(&before, &after).into_iter().chain(busy_cpus(before.cpu, after.cpu)).collect()
}

fn busy_device(before: &Sample, after: &Sample) -> Option<Sign> {
    let seen = session::between(before, after)?;
    let found = format!(
        "{} did {:.0} I/Os a second, busy {:.0} % of a second",
        seen.device,
        seen.ops_per_second,
        seen.busy_share * 100.0
    );
    Some(match seen.is_idle() {
        true => fine("others", found),
        false if seen.busy_share < LITTLE => {
            note("others", found, "little, but a check asks for --busy first")
        }
        false => spoils("others", found, "find who uses it (iotop, pidstat -d) and stop it, or expect less"),
    })
}

fn busy_cpus(before: CpuCounters, after: CpuCounters) -> Vec<Sign> {
    let all = |cpu: CpuCounters| {
        cpu.user + cpu.nice + cpu.system + cpu.idle + cpu.iowait + cpu.irq + cpu.softirq + cpu.steal
    };
    let whole = all(after).saturating_sub(all(before));
    if whole == 0 {
        return Vec::new();
    }
    let share = |of: fn(CpuCounters) -> u64| of(after).saturating_sub(of(before)) as f64 / whole as f64;
    let (used, stolen) = (1.0 - share(|cpu| cpu.idle + cpu.iowait), share(|cpu| cpu.steal));
    let found = format!("{:.0} % of the machine in use by others", used * 100.0);
    let mut signs = vec![match used <= CPU_IN_USE {
        true => fine("CPUs", found),
        false => spoils("CPUs", found, "stop what uses them: a load that waits for a CPU measures the wait"),
    }];
    if stolen > STOLEN {
        signs.push(spoils(
            "CPUs",
            format!("the hypervisor takes {:.0} %", stolen * 100.0),
            "a machine of dedicated CPUs, or another hour",
        ));
    }
    signs
}

fn root() -> Sign {
    match kernel::effective_user() {
        0 => fine("rights", "root: block devices and lab volumes can be used"),
        _ => note("rights", "not root: directories alone", "sudo plimsoll ... for block devices and the lab"),
    }
}

fn lab() -> Sign {
    match kernel::lab::throttle_version(Path::new("/")) {
        Some(version) => fine("lab", format!("the kernel throttles by control groups of version {version}")),
        None => note(
            "lab",
            "no control group limits I/O here (blkio of version 1, or io of version 2)",
            "simulated volumes need none: sim:POLICY in place of lab:POLICY",
        ),
    }
}

fn swap() -> Option<Sign> {
    let on = volumes::lab::swap_in_use()?;
    Some(note(
        "swap",
        format!("on {on}"),
        "a lab volume in memory may be swapped out; its own figures are true with swapoff -a",
    ))
}

/// Checks for the fio that `compare --against fio` would run.
fn peer() -> Sign {
    let asked = Command::new("fio").arg("--version").stdin(Stdio::null()).output();
    match asked.ok().filter(|asked| asked.status.success()) {
        Some(asked) => fine("fio", String::from_utf8_lossy(&asked.stdout).trim().to_owned()),
        None => note(
            "fio",
            "not installed, and not needed",
            "plimsoll fio runs its words; compare --against fio wants the real one beside",
        ),
    }
}

fn text(signs: &[Sign]) -> String {
    let mut text = String::new();
    for sign in signs {
        let mark = match sign.weight {
            Weight::Fine => "ok",
            Weight::Note => "note",
            Weight::Spoils => "SPOILS",
        };
        text += &report::wrap(&format!("{mark:<7} {:<10} ", sign.what), &sign.found);
        if !sign.remedy.is_empty() {
            text += &report::wrap(&format!("{:<7} {:<10} ", "", "remedy"), sign.remedy);
        }
    }
    let spoiling = signs.iter().filter(|sign| sign.weight == Weight::Spoils).count();
    let _ = match spoiling {
        0 => writeln!(text, "\nNothing was found that would spoil a measurement here."),
        1 => writeln!(text, "\nOne thing would spoil a measurement here."),
        more => writeln!(text, "\n{more} things would spoil a measurement here."),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(user: u64, idle: u64, steal: u64) -> CpuCounters {
        CpuCounters { user, idle, steal, ..CpuCounters::default() }
    }

    #[test]
    fn a_machine_that_does_other_things_spoils_and_an_idle_one_does_not() {
        let idle = busy_cpus(ticks(0, 0, 0), ticks(4, 196, 0));
        assert!(idle.len() == 1 && idle[0].weight == Weight::Fine, "{idle:?}");
        let busy = busy_cpus(ticks(0, 0, 0), ticks(120, 80, 0));
        assert!(busy[0].weight == Weight::Spoils && busy[0].found.starts_with("60 %"), "{busy:?}");
        let stolen = busy_cpus(ticks(0, 0, 0), ticks(0, 180, 20));
        assert!(stolen.len() == 2 && stolen[1].found.contains("10 %"), "{stolen:?}");
        assert!(busy_cpus(ticks(1, 1, 0), ticks(1, 1, 0)).is_empty(), "no time passed");
    }

    #[test]
    fn every_sign_that_is_not_fine_has_a_remedy_within_80_columns() {
        let refused = (BackendKind::IoUring, Err("denied".to_owned()));
        let signs = vec![engine(refused).unwrap(), lab(), root(), peer(), clock()];
        assert!(
            signs.iter().all(|sign| (sign.weight == Weight::Fine) == sign.remedy.is_empty()),
            "{signs:?}"
        );
        assert!(text(&signs).lines().all(|line| line.chars().count() <= 80), "{}", text(&signs));
    }
}
