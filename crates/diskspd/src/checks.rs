//! Checks of a complete profile: contradictions, and settings that are only worth a warning.

use super::draft::Show;
use super::profile::{Cache, Distribution, DistributionKind, Profile, Target, TimeSpan};

/// Outcome of the checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CheckOutcome {
    /// Contradictions; if there are any, nothing runs.
    pub errors: Vec<String>,
    /// DiskSpd's warnings.
    pub warnings: Vec<String>,
}

impl CheckOutcome {
    fn error(&mut self, holds: bool, text: &str) {
        if holds && !self.errors.iter().any(|known| known == text) {
            self.errors.push(text.to_owned());
        }
    }

    fn warning(&mut self, holds: bool, text: &str) {
        if holds && !self.warnings.iter().any(|known| known == text) {
            self.warnings.push(text.to_owned());
        }
    }
}

/// Checks `profile`. If its targets are `alike`, as on a command line, only the first is checked.
pub(super) fn check(profile: &Profile, alike: bool, show: Show) -> CheckOutcome {
    let mut checked = CheckOutcome::default();
    checked.error(profile.time_spans.is_empty(), "no timespans specified; a profile needs at least one");
    for span in &profile.time_spans {
        let both = span.no_affinity && !span.affinity.is_empty();
        checked.error(both, "-n and -a parameters cannot be used together: pin to the list, or to nothing");
        let targets = if alike { span.targets.get(..1).unwrap_or_default() } else { &span.targets };
        for target in targets {
            threads(&mut checked, span, target);
            pool(&mut checked, span, target);
            pattern(&mut checked, span, target);
            buffers(&mut checked, span, target);
            spread(&mut checked, target);
        }
        if show == Show::Run {
            templates(&mut checked, span);
        }
    }
    checked
}

fn threads(checked: &mut CheckOutcome, span: &TimeSpan, target: &Target) {
    checked.error(
        span.threads > 0 && target.threads > 1,
        "-F and -t parameters cannot be used together: threads in all, or threads of each target",
    );
    checked.warning(
        span.requests > 0 && span.threads == 0,
        "-O is for threads that share all targets and does nothing without -F; -o counts for each target",
    );
    checked.error(
        target.throughput.iops(target.block).is_some() && span.completion_routines,
        "-g throughput control cannot be used with -x completion routines; leave -x out",
    );
    checked.error(
        target.think_ms == 0 && target.burst > 0,
        "need to specify -j<think time> with -i<burst size>: a pause after each burst",
    );
    checked.error(
        target.think_ms > 0 && target.burst == 0,
        "need to specify -i<burst size> with -j<think time>: the I/Os before each pause",
    );
    checked.error(
        target.max > 0 && target.max <= target.base,
        "the end of the target (-f) must lie after its base offset (-B)",
    );
}

fn pool(checked: &mut CheckOutcome, span: &TimeSpan, target: &Target) {
    if !span.is_pool() {
        checked.error(
            !target.thread_targets.is_empty(),
            "ThreadTargets can only be specified when the timespan ThreadCount and RequestCount are specified",
        );
        return;
    }
    let limited = target.throughput.iops(target.block).is_some();
    checked.error(limited, "-g throughput control cannot be used with -O outstanding requests per thread");
    checked
        .error(target.think_ms > 0, "-j think time cannot be used with -O outstanding requests per thread");
    checked.error(target.parallel, "-p parallel IO cannot be used with -O outstanding requests per thread");
    checked.error(target.weight == 0, "a non-zero target Weight must be specified");
    let beyond = target.thread_targets.iter().any(|one| one.thread >= span.threads);
    checked.error(
        beyond,
        "illegal thread specified for ThreadTarget: threads are numbered from 0 to ThreadCount - 1",
    );
}

fn pattern(checked: &mut CheckOutcome, span: &TimeSpan, target: &Target) {
    let several = span.threads > 1 || target.threads > 1;
    if target.random > 0 {
        checked.error(target.thread_stride > 0, "-T conflicts with -r: random places have no start");
        checked.error(target.interlocked, "-si conflicts with -r");
        checked.error(target.parallel, "-p conflicts with -r");
        return;
    }
    checked.error(
        target.distribution.is_some(),
        "random distribution ranges (-rd) do not apply to sequential-only IO patterns; add -r",
    );
    checked.warning(
        target.parallel && target.requests == 1,
        "-p does not have effect unless outstanding I/O count (-o) is > 1",
    );
    if target.interlocked {
        checked.error(target.thread_stride > 0, "-si conflicts with -T: one sequence has one start");
        checked.error(target.parallel, "-si conflicts with -p");
        checked.warning(!several, "single-threaded test, -si ignored");
    } else {
        let together = several && target.thread_stride == 0;
        checked.warning(together, "target access pattern will not be sequential, consider -si");
        checked.error(
            !several && target.thread_stride > 0,
            "-T has no effect unless multiple threads per target are used (-t or -F)",
        );
    }
}

fn buffers(checked: &mut CheckOutcome, span: &TimeSpan, target: &Target) {
    let source = target.write_source_bytes;
    if source > 0 && source < u64::from(target.block) {
        let text = format!(
            "custom write buffer (-Z) is smaller than the block size. Write buffer size: {source} block size: {}",
            target.block
        );
        checked.error(true, &text);
    }
    checked.error(
        target.mapped && span.completion_routines,
        "completion routines (-x) can't be used with memory mapped IO (-Sm)",
    );
    checked.error(
        target.mapped && target.cache == Cache::Off,
        "unbuffered IO (-Su or -Sh) can't be used with memory mapped IO (-Sm)",
    );
    checked.error(
        !target.mapped && target.mapped_flush.is_some(),
        "memory mapped flush mode (-N) can only be specified with memory mapped IO (-Sm)",
    );
}

fn spread(checked: &mut CheckOutcome, target: &Target) {
    if let Some(distribution) = &target.distribution
        && let Err(text) = covers(distribution, target.block)
    {
        checked.error(true, &text);
    }
}

/// Checks that the shares of the I/O reach 100 percent exactly at the end of the target.
fn covers(distribution: &Distribution, block: u32) -> Result<(), String> {
    let percent = distribution.kind == DistributionKind::Percent;
    let last = distribution.ranges.len().saturating_sub(1);
    let (mut io, mut covered) = (0u32, 0u64);
    for (at, range) in distribution.ranges.iter().enumerate() {
        if !percent && range.length < u64::from(block) && !(range.length == 0 && at == last) {
            return Err(format!(
                "invalid random distribution target range {} - must be a minimum of the specified block size ({block} bytes)",
                range.length
            ));
        }
        if io + range.io > 100 {
            return Err(format!(
                "invalid random distribution IO% {}: can be at most {} - total must be <= 100%",
                range.io,
                100 - io
            ));
        }
        if percent && covered + range.length > 100 {
            return Err(format!(
                "invalid random distribution Target% {}: can be at most {} - total must be <= 100%",
                range.length,
                100 - covered
            ));
        }
        io += range.io;
        covered = covered.saturating_add(range.length);
        if percent && covered == 100 && io < 100 {
            let left = 100 - io;
            return Err(format!(
                "invalid random distribution: the target is covered with {left}% IO left to distribute"
            ));
        }
    }
    if percent && covered != 100 {
        return Err(format!("invalid random distribution span: Target% ({covered}%) must total 100%"));
    }
    Ok(())
}

fn templates(checked: &mut CheckOutcome, span: &TimeSpan) {
    for target in span.targets.iter().filter(|target| target.template().is_some()) {
        let text = format!(
            "template target '{}' was not substituted - all template targets must be substituted to run a profile: \
             name a target for each behind -X",
            target.path
        );
        checked.error(true, &text);
    }
}
