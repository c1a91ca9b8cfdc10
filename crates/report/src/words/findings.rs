//! Words for every kind of finding: its sentence, other possible explanations, what to do next, and the chart that
//! shows the finding.
//!
//! The table has no catch-all row, so a kind of finding without its words does not compile.

use analysis::findings::{ForeignLoad, GeneratorBound, StoppedAnswering, Unwritten};
use analysis::{Finding, Meaning, Place};
use record::{SilenceStage, TargetDoubt};
use workload::Nanos;

use super::bursts;
use super::causes;
use super::changes::{self, between};
use super::numbers::{self, Prefix};
use super::phrases::{capital, error_words, failures, is_full, plural, quoted};
use super::step_names::Steps;
use super::target_doubt::{reads_only, target_doubt};
use super::watch_words::{
    against, bytes, equal_words, limit_words, moved, named_words, next_held, operations, place_words,
    pulled_words, raise, scale_words, took, unless_held, waits,
};
use super::wrap::clean;

/// Returns the duration of a silence, the outstanding I/O, how the silence ended, and how often it occurred.
fn stopped_answering(found: &StoppedAnswering) -> String {
    let seconds = |time: Nanos| numbers::time(time.0 as f64);
    let others = match found.others {
        0 => String::new(),
        others => format!(" and {} more", numbers::count(others as f64)),
    };
    let ending = match found.stage {
        SilenceStage::Over => "then it answered again",
        SilenceStage::GivenUp => "then it was given up; what was measured before stands",
        SilenceStage::Left | SilenceStage::Noticed => "it had not answered when the run was stopped",
    };
    let times = match (found.times, found.period_s) {
        (0 | 1, _) => String::new(),
        (times, None) => format!(" So it did {times} times; this was the longest."),
        (times, Some(period_s)) => {
            format!(" So it did {times} times, one every {}; this was the longest.", numbers::span(period_s))
        }
    };
    format!(
        "The target stopped answering at {} (step {}): for {} nothing came back from {}, of which a {} of {} at byte {}{others} was held; {ending}.{times}",
        seconds(found.since),
        quoted(&found.step),
        seconds(found.lasted),
        clean(&found.path),
        found.direction.name(),
        numbers::size(u64::from(found.bytes)),
        numbers::count(found.offset as f64),
    )
}

/// Returns the counted rates. If blocks are split on the way, operations are not counted; printing 0 IOPS would
/// then be a figure without a measurement.
fn foreign_rates(found: &ForeignLoad) -> String {
    let bytes = numbers::bandwidth(found.bytes_per_second, Prefix::Binary);
    match found.ops_per_second > 0.0 {
        true => format!("{} and {bytes}", numbers::iops(found.ops_per_second)),
        false => bytes,
    }
}

/// Greatest loss that is stated: a bound of half the rate or more tells nobody anything.
const LOST_MOST: f64 = 0.5;

/// Describes a [`GeneratorBound`], leaving out clauses whose figure is 0.
fn short_of_cpu(found: &GeneratorBound, step: &str) -> String {
    let told =
        |share: f64, words: &dyn Fn(&str) -> String| (share > 0.0).then(|| words(&numbers::share(share)));
    let mut text = format!(
        "plimsoll was short of CPU in {step}: its busiest worker ran {} of the time",
        numbers::share(found.own_cpu_share)
    );
    text.extend(told(found.waiting_share, &|figure| format!(" and waited for a CPU {figure} of it")));
    text.extend(told(found.steal_share, &|figure| format!("; the hypervisor took {figure} of the machine")));
    text.push('.');
    if found.late > 0 {
        text += &format!(" {} I/Os were issued over 1 ms late.", numbers::count(found.late as f64));
    }
    text
}

/// Returns a clause on what a shortage of CPU costs. The shortage is counted, its cost is not, so that the sentence whose
/// confidence is stated leaves it out.
fn lost(found: &GeneratorBound) -> String {
    match found.lost_share {
        none if none <= 0.0 => String::new(),
        few if few < LOST_MOST => format!(": up to {} of the rate may have been lost", numbers::share(few)),
        _ => ": how much of the rate was lost is not known".to_owned(),
    }
}

/// Words for one finding.
pub(crate) struct FindingWords<'f> {
    /// The finding in one or two sentences.
    pub sentence: String,
    /// Other possible explanation; `None` if the finding was counted and leaves no doubt.
    pub unless: Option<&'static str>,
    /// Recommended next step, as one sentence.
    pub next: String,
    /// Chart that shows the finding.
    pub shown: FindingChart<'f>,
}

/// A chart that a finding points to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FindingChart<'f> {
    /// No single chart: the ladders show the finding, or nothing does.
    Nowhere,
    /// A chart of the run, by its name in the table of charts.
    OfRun(&'static str),
    /// A chart of a watched device.
    OfDevice(&'f Place, &'static str),
}

use FindingChart::{Nowhere, OfDevice, OfRun};

/// Returns the words for `finding`.
pub(crate) fn told(finding: &Finding) -> FindingWords<'_> {
    let steps = Steps::of(finding);
    match &finding.meaning {
        Meaning::IopsCap(found) => causes::iops_cap(found),
        Meaning::BandwidthCap(found) => causes::bandwidth_cap(found),
        Meaning::AccountingUnit(found) => causes::unit(found),
        Meaning::Saturation(found) => causes::saturation(found),
        Meaning::DepthBound(found) => causes::depth(found),
        Meaning::InFlightBound(found) => causes::in_flight(found),
        Meaning::CpuBound(found) => causes::cpu(found),
        Meaning::LimitExceeded(found) => causes::exceeded(found),
        Meaning::MachineLimit(found) => causes::machine(found),
        Meaning::KernelQueue(found) => causes::queue(found),
        Meaning::SharedBudget(found) => causes::shared(found),
        Meaning::SeparateBudgets(found) => causes::separate(found),
        Meaning::Merging(found) => causes::merging(found),
        Meaning::FirstTouch(found) => causes::first_touch(found),
        Meaning::NotIdentifiable(found) => causes::not_identifiable(found),
        Meaning::Crossover(found) => FindingWords {
            sentence: format!(
                "{}: below {} the cap on operations binds, above it the cap on bandwidth.",
                capital(plural(found.direction)),
                numbers::block(found.bytes)
            ),
            unless: Some("Larger operations may be charged as several, which moves the crossover."),
            next: format!(
                "Use blocks of {} or more where bandwidth counts, and smaller ones where operations count.",
                numbers::block(found.bytes)
            ),
            shown: OfRun("blocks"),
        },
        Meaning::FillingDepth(found) => FindingWords {
            sentence: format!(
                "{} (the cap times {} of base latency); the ladder had 90 % of it at depth {}. A deeper queue only adds waiting.",
                match found.star <= 1.0 {
                    true => format!("One {} in flight fills the cap", found.direction.name()),
                    false => format!("{} {} in flight fill the cap", numbers::figure(found.star), plural(found.direction)),
                },
                numbers::time(found.base_latency_ns),
                numbers::figure(found.ninety)
            ),
            unless: Some("Latency that changes with the hour moves the depth that fills the cap."),
            next: format!(
                "Set the application's queue depth to about {}.",
                numbers::count(found.star.ceil().max(1.0))
            ),
            shown: Nowhere,
        },
        Meaning::Unsteady(found) => FindingWords {
            sentence: format!(
                "The rate did not settle in {}: its 95 % interval is still ± {} wide.",
                steps.worst(&found.step),
                numbers::share(found.half_width)
            ),
            unless: Some("A burst ran out or neighbours came and went while the step ran."),
            next: format!("Run {} longer, or at another hour.", steps.all(&found.step)),
            shown: OfRun("rate"),
        },
        Meaning::LittleMismatch(found) => FindingWords {
            sentence: match steps.several() {
                None => format!(
                    "Step {} asked for {} I/Os in flight, but rate times latency gives {}.",
                    quoted(&found.step),
                    numbers::figure(found.depth),
                    numbers::figure(found.product)
                ),
                Some(_) => format!(
                    "Depth is not rate times latency in {}: it asked for {} I/Os in flight, but the product is {}.",
                    steps.worst(&found.step),
                    numbers::figure(found.depth),
                    numbers::figure(found.product)
                ),
            },
            unless: Some(
                "Latencies were timed elsewhere than the rate was counted, as where a queue below was left to drain.",
            ),
            next: match steps.several() {
                None => "Do not rely on the latencies of that step; run it alone.".to_owned(),
                Some(_) => "Do not rely on the latencies of those steps; run each alone.".to_owned(),
            },
            shown: Nowhere,
        },
        Meaning::GeneratorBound(found) => FindingWords {
            sentence: short_of_cpu(found, &steps.worst(&found.step)),
            unless: Some("The volume is so fast that a whole CPU is not enough to load it."),
            next: format!(
                "Stop what else uses the CPU, or run it from a machine with more of them{}.",
                lost(found)
            ),
            shown: Nowhere,
        },
        Meaning::ForeignLoad(found) => FindingWords {
            sentence: format!(
                "Somebody else used {} meanwhile: {}, {} of all its I/O.",
                clean(&found.device),
                foreign_rates(found),
                numbers::share(found.share)
            ),
            unless: Some("It may be this run's own I/O, split or written back by the file system."),
            next: format!("Find who uses {} (iotop, pidstat -d), stop it, and run again.", clean(&found.device)),
            shown: OfRun("devices"),
        },
        Meaning::TargetDoubt(found) => FindingWords {
            sentence: format!(
                "These figures may not be the volume's: {}.",
                clean(&target_doubt(&found.doubt)).trim_end_matches('.')
            ),
            unless: None,
            next: match &found.doubt {
                TargetDoubt::ThroughPageCache { device } => {
                    format!("Turn direct I/O on (losetup --direct-io=on /dev/{}), and run it again.", clean(device))
                }
                _ => "Name a directory on the volume itself, or its block device.".to_owned(),
            },
            shown: Nowhere,
        },
        Meaning::CachedReads(found) => FindingWords {
            sentence: format!(
                "{} of what was read came from the page cache, not from the volume.",
                numbers::share(found.share)
            ),
            unless: Some("The file was read a moment ago by somebody else, which warmed the cache."),
            next: "Use direct I/O, or a region several times as large as the memory.".to_owned(),
            shown: Nowhere,
        },
        Meaning::Unwritten(Unwritten { share, laid_out: true }) => FindingWords {
            sentence: format!(
                "{} of the region held no data; real data was written there before reads were measured.",
                numbers::share(*share)
            ),
            unless: None,
            next: "Nothing: the reads were of real data.".to_owned(),
            shown: Nowhere,
        },
        Meaning::Unwritten(Unwritten { share, laid_out: false }) => FindingWords {
            sentence: format!(
                "{} of the region holds no data, and was read all the same: a volume may answer such reads from nothing.",
                numbers::share(*share)
            ),
            unless: Some(KEPT),
            next: "Let plimsoll lay out real data first (leave out the option that forbids it).".to_owned(),
            shown: Nowhere,
        },
        Meaning::ReadsOnly(found) => FindingWords {
            sentence: reads_only(found.unwritten_share),
            unless: Some(KEPT),
            next: "Measure a directory on the volume, or permit its destruction with --allow-destroy DEVICE."
                .to_owned(),
            shown: Nowhere,
        },
        Meaning::InsideBurst(found) => bursts::inside(found),
        Meaning::CreditsSpent(found) => bursts::spent(found),
        Meaning::BurstsAlike(found) => bursts::bursts_alike(found),
        Meaning::BucketEmptied(found) => bursts::bucket_emptied(found),
        Meaning::StepDown(found) => FindingWords {
            sentence: format!(
                "The rate fell at {} ({}), from {} to {}{}.",
                numbers::span(found.at.as_secs_f64()),
                between(found.from, found.to),
                changes::level(&found.before, found.moved),
                changes::level(&found.after, found.moved),
                if found.settled { ", and stayed there" } else { "; what it settles at was not seen" }
            ),
            unless: Some("Foreign load began, or the volume was throttled by its provider for another reason."),
            next: "Keep it loaded for longer to see what is left, then leave it idle to see how fast it recovers."
                .to_owned(),
            shown: OfRun("rate"),
        },
        Meaning::StepUp(found) => FindingWords {
            sentence: format!(
                "The rate rose at {} ({}), from {} to {}.",
                numbers::span(found.at.as_secs_f64()),
                between(found.from, found.to),
                changes::level(&found.before, found.moved),
                changes::level(&found.after, found.moved)
            ),
            unless: Some("A cache warmed, a neighbour left, or credits came back; what was before may come again."),
            next: "Run it again: what holds both times is the volume's.".to_owned(),
            shown: OfRun("rate"),
        },
        Meaning::Wave(found) => FindingWords {
            sentence: format!(
                "The rate goes up and down: {} of its mean for {} of the time, and {} for the rest{}.",
                numbers::share(found.low),
                numbers::share(found.low_share),
                numbers::share(found.high),
                found.period_s.map_or(String::new(), |period| format!(", every {}", numbers::span(period)))
            ),
            unless: Some("Credits that run out and are earned again, or others who come and go."),
            next: "Rely on no more than the lower level, or the mean where waiting for it does no harm.".to_owned(),
            shown: OfRun("rate"),
        },
        Meaning::Interrupted(found) => FindingWords {
            sentence: format!("The run was stopped after {}, before its end.", numbers::span(found.after_s)),
            unless: None,
            next: "Run it again to its end; what was measured until then holds.".to_owned(),
            shown: OfRun("rate"),
        },
        Meaning::Failed(found) => FindingWords {
            sentence: format!("{} in step {}: {}.", failures(found.count), quoted(&found.step), error_words(found.errno)),
            unless: None,
            next: match is_full(found.errno) {
                true => "Make room on the file system, or measure a smaller region (--size), and run it again.",
                false => "Look at the kernel's log (dmesg) for the device, and do not trust the volume until it is clear.",
            }
            .to_owned(),
            shown: Nowhere,
        },
        Meaning::StoppedAnswering(found) => FindingWords {
            sentence: stopped_answering(found),
            unless: None,
            next: "Look at the kernel's log (dmesg) for the device and what is below it, and ask its provider about that minute."
                .to_owned(),
            shown: OfRun("rate"),
        },
        Meaning::SerialApplication(found) => FindingWords {
            sentence: format!(
                "{} is used one I/O at a time: {} at {} each{}.",
                place_words(&found.device),
                numbers::iops(found.ops_per_second),
                numbers::time(found.latency_ns),
                found.cap.map_or(String::new(), |cap| format!(", of {} that it can do", numbers::iops(cap)))
            ),
            unless: Some("A cap of this very rate holds it, or the application is paced, or works between its I/Os."),
            next: "Let the application have more I/Os in flight (threads, asynchronous I/O, read-ahead), or lower the latency."
                .to_owned(),
            shown: OfDevice(&found.device, "latency"),
        },
        Meaning::HeldOperations(found) => FindingWords {
            sentence: match found.depth_one {
                true => format!(
                    "{} is held at {}{}, even with one I/O at a time: {}. It is capped, not slow.",
                    place_words(&found.device),
                    operations(&found.level),
                    named_words(&found.level),
                    took(&found.waiting)
                ),
                false => format!(
                    "{} is held at {}{}: with {} waiting, {}.{}",
                    place_words(&found.device),
                    operations(&found.level),
                    named_words(&found.level),
                    numbers::figure(found.waiting.queue),
                    took(&found.waiting),
                    found.one_size.map_or(String::new(), |size| equal_words(found.level.all.value, size))
                ),
            },
            unless: Some(unless_held(&found.level, HELD_OTHERWISE)),
            next: next_held(&found.level, COMPARE),
            shown: OfDevice(&found.device, "iops"),
        },
        Meaning::HeldBytes(found) => FindingWords {
            sentence: format!(
                "{} is held at {}{}, in requests of {}: with {} waiting, {}.",
                place_words(&found.device),
                bytes(&found.level),
                named_words(&found.level),
                numbers::block(found.size),
                numbers::figure(found.waiting.queue),
                took(&found.waiting)
            ),
            unless: Some(unless_held(&found.level, HELD_OTHERWISE)),
            next: next_held(&found.level, COMPARE),
            shown: OfDevice(&found.device, "traffic"),
        },
        Meaning::ThrottledAboveNominal(found) => {
            FindingWords {
                sentence: format!(
                    "Above its nominal rate {} is throttled: from {} on it stays at {}{}{}. The wait moves into the queue: {}.{}",
                    place_words(&found.device),
                    scale_words(found.scale),
                    if found.bytes { bytes(&found.level) } else { operations(&found.level) },
                    named_words(&found.level),
                    against(&found.level, found.claimed),
                    moved(&found.waiting),
                    found.pulled.map_or("", pulled_words)
                ),
                unless: Some(unless_held(
                    &found.level,
                    "The device itself is that fast and no faster; another hour, or another mix, would show another level.",
                )),
                next: next_held(
                    &found.level,
                    "Keep the load below that level or buy a higher one; more I/Os in flight only wait.",
                ),
                shown: OfDevice(&found.device, if found.bytes { "traffic" } else { "iops" }),
            }
        }
        Meaning::ThrottledAboveDevice(found) => FindingWords {
            sentence: format!(
                "The application waits above {}: {}, while the device answers in {} with {} in its queue.{}",
                place_words(&found.device),
                waits(found.waited_ns),
                numbers::time(found.latency_ns),
                numbers::figure(found.queue),
                found.limit.as_ref().map_or(String::new(), |limit| format!(" {}.", limit_words(limit)))
            ),
            unless: Some(match &found.limit {
                Some(_) => "A file system's lock or memory that is written back holds the I/O, and the limit is not reached.",
                None => "A file system's lock, memory that is written back, or a shortage of CPU holds the I/O.",
            }),
            next: match &found.limit {
                Some(limit) => raise(limit),
                None => "Look at io.max and blkio of the control groups, at dirty memory, and at locks of the file system."
                    .to_owned(),
            },
            shown: OfDevice(&found.device, "latency"),
        },
        Meaning::BackendSlow(found) => FindingWords {
            sentence: format!(
                "{} served worse than at other times of this record: at {} and a queue of {}, {}.",
                place_words(&found.device),
                numbers::iops(found.ops_per_second),
                numbers::figure(found.waiting.queue),
                took(&found.waiting)
            ),
            unless: Some("Others used the same storage, or the I/O itself changed (other places, a cache that was cold)."),
            next: "Show the provider these spans, and compare with other hours.".to_owned(),
            shown: OfDevice(&found.device, "latency"),
        },
        Meaning::FlushBound(found) => FindingWords {
            sentence: format!(
                "Programs wait for flushes of {}: {} a second at {} each fill {} of the time{}.",
                place_words(&found.device),
                numbers::figure(found.flushes_per_second),
                numbers::time(found.flush_ns),
                numbers::share(found.share.min(1.0)),
                found.write_ns.map_or(String::new(), |time| format!("; a write takes {}", numbers::time(time)))
            ),
            unless: Some("The flushes belong to another program than the one that waits."),
            next: "Commit in groups, or put the log on a volume that answers flushes sooner.".to_owned(),
            shown: OfDevice(&found.device, "latency"),
        },
        Meaning::CpuStarved(found) => FindingWords {
            sentence: format!(
                "The hypervisor took {} of the CPUs while I/O on {} was slow ({}): the guest was short of CPU.",
                numbers::share(found.steal_share),
                place_words(&found.device),
                took(&found.waiting)
            ),
            unless: Some("The storage became slow at the same time."),
            next: "Use a machine whose CPUs are not shared, and look again.".to_owned(),
            shown: OfDevice(&found.device, "latency"),
        },
        Meaning::QueueFull(found) => FindingWords {
            sentence: format!(
                "The queue of {} is full: {} of {} requests are in use, so what waits beyond it is not in its latency of {}.",
                place_words(&found.device),
                numbers::figure(found.waiting.queue),
                numbers::count(f64::from(found.holds)),
                numbers::time(found.waiting.latency_ns)
            ),
            unless: Some("The application itself asks for exactly so much at a time."),
            next: "Trust the application's own latency here: beyond this queue the device's counters see nothing."
                .to_owned(),
            shown: OfDevice(&found.device, "sizes"),
        },
        Meaning::Untimed(found) => FindingWords {
            sentence: format!(
                "The kernel keeps no times for {} (its queue/iostats is 0): only its counts mean something.",
                place_words(&found.device)
            ),
            unless: None,
            next: format!("Write 1 to /sys/block/{}/queue/iostats, and record again.", clean(&found.device.name)),
            shown: Nowhere,
        },
        Meaning::Saturated(found) => FindingWords {
            sentence: format!(
                "More is asked of {} than it does, and the cause is not known: at {} and {} it is never without work, and with {} waiting {}.{}",
                place_words(&found.device),
                numbers::iops(found.ops_per_second),
                numbers::bandwidth(found.bytes_per_second, Prefix::Binary),
                numbers::figure(found.waiting.queue),
                took(&found.waiting),
                match found.uneven {
                    Some(_) => " Its rate is less even than a meter's.",
                    None => " It was too short to tell whether a meter holds it.",
                }
            ),
            unless: Some("A meter whose level wanders, or that others share, holds it; or the device itself is at its limit."),
            next: "Measure the volume alone (plimsoll check), and compare the rate with its policy and with the machine's."
                .to_owned(),
            shown: OfDevice(&found.device, "latency"),
        },
        Meaning::Stalls(found) => FindingWords {
            sentence: format!(
                "{} did nothing for a while although there was work, {}{}: {}{}, the first at {}.",
                place_words(&found.device),
                match found.count {
                    1 => "once".to_owned(),
                    several => format!("{} times", numbers::count(several as f64)),
                },
                found.period_s.map_or(String::new(), |period| format!(", every {}", numbers::time(period * 1e9))),
                match found.count {
                    1 => numbers::time(found.longest_s * 1e9),
                    _ => format!(
                        "{} in the mean, {} at most",
                        numbers::time(found.mean_s * 1e9),
                        numbers::time(found.longest_s * 1e9)
                    ),
                },
                if found.seen { "" } else { " by what the seconds around them lack" },
                numbers::span(found.first.as_secs_f64())
            ),
            unless: Some("The machine itself stood still then: its hypervisor, or a lack of CPU in the layer below."),
            next: "Sample more often (--every 100ms), and show the provider the times.".to_owned(),
            shown: OfDevice(&found.device, "latency"),
        },
        Meaning::MicroBursts(found) => FindingWords {
            sentence: format!(
                "Work comes to {} in bursts: there is some {} of the time, and then {} wait and {} is served, while the mean is {}. An I/O takes {}.",
                place_words(&found.device),
                numbers::share(found.busy),
                numbers::figure(found.queue),
                numbers::iops(found.inside_per_second),
                numbers::iops(found.ops_per_second),
                numbers::time(found.latency_ns)
            ),
            unless: Some("The device itself serves no faster: what is inside the bursts need not be a limit that was set."),
            next: "Spread the work over the time, or have a higher limit: the means of seconds do not show that it is reached."
                .to_owned(),
            shown: OfDevice(&found.device, "latency"),
        },
        Meaning::WriteBack(found) => FindingWords {
            sentence: format!(
                "What was written waits in memory for {}: {} of it, while {} go to the device and {}.",
                place_words(&found.device),
                numbers::block(found.dirty),
                numbers::bandwidth(found.bytes_per_second, Prefix::Binary),
                took(&found.waiting)
            ),
            unless: Some("The memory that waits is for another device."),
            next: "Lower vm.dirty_bytes so that less piles up, or write no faster than the device takes it.".to_owned(),
            shown: OfDevice(&found.device, "traffic"),
        },
        Meaning::HeldLevelFell(found) => bursts::held_level_fell(found),
    }
}

const KEPT: &str = "The device keeps every block whether or not it was written, and the figures hold.";
const HELD_OTHERWISE: &str =
    "The device itself serves at so even a rate, or the limit is that of the machine for all its volumes.";
const COMPARE: &str = "Compare the level with the policy of the volume and with that of the machine; more depth only adds waiting.";
