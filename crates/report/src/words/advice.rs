//! What else could explain a finding, and what to do next.

use analysis::{Finding, Limiter, Meaning};

use crate::words::numbers;
use crate::words::sentence::quoted;
use crate::words::watch_words;
use crate::words::wrap::clean;

/// What else could explain `finding`; `None` where it is counted and leaves no doubt.
pub fn competing(finding: &Finding) -> Option<String> {
    let text = match &finding.meaning {
        Meaning::IopsCap { at_least: true, .. } | Meaning::BandwidthCap { at_least: true, .. } => {
            "plimsoll itself, or this machine's limit for all its volumes, is the limit and not the volume."
        }
        Meaning::IopsCap { limiter: Limiter::Metered, .. }
        | Meaning::BandwidthCap { limiter: Limiter::Metered, .. } => {
            "The meter is that of the machine (instance, network, cgroup) and not that of the volume."
        }
        Meaning::IopsCap { .. } | Meaning::BandwidthCap { .. } => {
            "Neighbours on the same storage share the device, so that another hour shows another level."
        }
        Meaning::Crossover { .. } => {
            "Larger operations may be charged as several, which moves the crossover."
        }
        Meaning::FillingDepth { .. } => {
            "Latency that changes with the hour moves the depth that fills the cap."
        }
        Meaning::Unsteady { .. } => "A burst ran out or neighbours came and went while the step ran.",
        Meaning::LittleMismatch { .. } => {
            "Latencies were timed elsewhere than the rate was counted, as where a queue below was left to drain."
        }
        Meaning::GeneratorBound { .. } => {
            "The volume is fast enough to keep a CPU busy, and still faster than measured."
        }
        Meaning::ForeignLoad { .. } => {
            "It may be this run's own I/O, split or written back by the file system."
        }
        Meaning::CachedReads { .. } => {
            "The file was read a moment ago by somebody else, which warmed the cache."
        }
        Meaning::Unwritten { laid_out: false, .. } | Meaning::ReadsOnly { .. } => {
            "The device keeps every block whether or not it was written, and the figures hold."
        }
        Meaning::StepDown { .. } => {
            "Foreign load began, or the volume was throttled by its provider for another reason."
        }
        Meaning::TooFast { .. } => "The device is a local one and really as fast.",
        Meaning::InsideBurst { .. } => {
            "The volume was made with higher limits than the policy that was named."
        }
        Meaning::TargetDoubt { .. }
        | Meaning::Unwritten { laid_out: true, .. }
        | Meaning::Interrupted { .. }
        | Meaning::Failed { .. } => return None,
        meaning => return watch_words::competing(meaning).map(str::to_owned),
    };
    Some(text.to_owned())
}

/// What to do about `finding`, as one sentence.
pub fn next_step(finding: &Finding) -> String {
    match &finding.meaning {
        Meaning::IopsCap { at_least: true, .. } | Meaning::BandwidthCap { at_least: true, .. } => {
            "Run it from a larger machine, or with more workers.".to_owned()
        }
        Meaning::IopsCap { .. } => {
            "Compare it with the policy of the volume, and with that of the machine for all its volumes."
                .to_owned()
        }
        Meaning::BandwidthCap { .. } => {
            "Compare it with the policy of the volume and with the network limit of the machine.".to_owned()
        }
        Meaning::Crossover { bytes, .. } => format!(
            "Use blocks of {} or more where bandwidth counts, and smaller ones where operations count.",
            numbers::block(*bytes)
        ),
        Meaning::FillingDepth { star, .. } => {
            format!("Set the application's queue depth to about {}.", numbers::count(star.ceil().max(1.0)))
        }
        Meaning::Unsteady { step, .. } => format!("Run step {} longer, or at another hour.", quoted(step)),
        Meaning::LittleMismatch { .. } => {
            "Do not rely on the latencies of that step; run it alone.".to_owned()
        }
        Meaning::GeneratorBound { .. } => {
            "Stop what else uses the CPU, or run it from a machine with more of them.".to_owned()
        }
        Meaning::ForeignLoad { device, .. } => {
            format!("Find who uses {} (iotop, pidstat -d), stop it, and run again.", clean(device))
        }
        meaning => watch_words::next_step(meaning).unwrap_or_else(|| next_step_on_trust(meaning)),
    }
}

/// True for the error numbers of a file system, a quota or a size limit that is used up, which say nothing of the device.
pub fn is_full(errno: i32) -> bool {
    // EFBIG, ENOSPC and EDQUOT of Linux (errno(3)).
    [27, 28, 122].contains(&errno)
}

fn next_step_on_trust(meaning: &Meaning) -> String {
    let text = match meaning {
        Meaning::TargetDoubt { .. } => "Name a directory on the volume itself, or its block device.",
        Meaning::CachedReads { .. } => "Use direct I/O, or a region several times as large as the memory.",
        Meaning::Unwritten { laid_out: true, .. } => "Nothing: the reads were of real data.",
        Meaning::Unwritten { .. } => {
            "Let plimsoll lay out real data first (leave out the option that forbids it)."
        }
        Meaning::ReadsOnly { .. } => {
            "Measure a directory on the volume, or permit its destruction with --allow-destroy DEVICE."
        }
        Meaning::InsideBurst { burst_s, .. } => {
            return format!(
                "Keep it loaded for longer than {}, and see what rate is left.",
                numbers::span(*burst_s)
            );
        }
        Meaning::StepDown { .. } => {
            "Keep it loaded for longer to see what is left, then leave it idle to see how fast it recovers."
        }
        Meaning::TooFast { .. } => "Use a larger region that was written first, and compare.",
        Meaning::Interrupted { .. } => "Run it again to its end; what was measured until then holds.",
        Meaning::Failed { errno, .. } if is_full(*errno) => {
            "Make room on the file system, or measure a smaller region (--size), and run it again."
        }
        Meaning::Failed { .. } => {
            "Look at the kernel's log (dmesg) for the device, and do not trust the volume until it is clear."
        }
        _ => "",
    };
    text.to_owned()
}
