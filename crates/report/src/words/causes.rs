//! Words for the causes of a level: caps, units, budgets, a busy device, plimsoll or the machine itself; and for
//! limits that are not identified.

use analysis::findings::{
    AccountingUnit, BandwidthCap, CpuBound, DepthBound, FirstTouch, InFlightBound, IopsCap, KernelQueue,
    LimitExceeded, MachineLimit, Merging, NotIdentifiable, Question, Saturation, SeparateBudgets,
    SharedBudget, WhoseLimit,
};
use analysis::{CacheShare, Charge, Estimate, LevelUnit, Metering, Scales, Tells};
use workload::Direction;

use super::doubt::COUNT_ON;
use super::findings::{FindingChart, FindingWords};
use super::numbers::{self, IOPS, Prefix, Unit};
use super::phrases::{capital, plural, quoted};
use super::watch_words::{limit_words, raise};
use super::wrap::clean;

use FindingChart::{Nowhere, OfRun};

const OTHERS: &str =
    "The limiter is that of the machine (instance, network, cgroup) and not that of the volume.";
const VARIES: &str = "A limiter whose own rate varies, or neighbours on the same storage, look alike; another hour may show another level.";

fn sentence(sentence: String, unless: Option<&'static str>, next: &str) -> FindingWords<'static> {
    FindingWords { sentence, unless, next: next.to_owned(), shown: Nowhere }
}

fn rate_of_operations(cap: &Estimate) -> String {
    numbers::estimate_in(cap, IOPS)
}

fn rate_of_bytes(cap: &Estimate) -> String {
    let unit = Unit::of_bandwidth(cap.value, Prefix::Binary);
    numbers::estimate_in(cap, unit)
}

/// Formats a rate with its interval.
pub(super) fn rate(counted: LevelUnit, level: &Estimate) -> String {
    match counted {
        LevelUnit::Operations => rate_of_operations(level),
        LevelUnit::Bytes => rate_of_bytes(level),
    }
}

fn who(direction: Direction) -> String {
    capital(plural(direction))
}

/// Returns a clause on how clearly the measurement shows a rate limiter.
fn seen(scales: &Scales) -> &'static str {
    match scales.answer {
        Metering::Metered => {
            " by a rate limiter: a moment above that rate is followed by one as far below it"
        }
        Metering::NotMetered | Metering::Unclear => {
            ", level and round as by a cap, though too briefly to see a meter"
        }
    }
}

/// Words for a cap on operations.
pub(super) fn iops_cap(found: &IopsCap) -> FindingWords<'static> {
    let rate = rate_of_operations(&found.cap);
    sentence(
        format!("{} are held at {rate}{}.", who(found.direction), seen(&found.scales)),
        Some(OTHERS),
        "Compare it with the policy of the volume, and with that of the machine for all its volumes.",
    )
}

/// Words for a cap on bytes.
pub(super) fn bandwidth_cap(found: &BandwidthCap) -> FindingWords<'static> {
    let (rate, from) = (rate_of_bytes(&found.cap), numbers::block(found.from as f64));
    sentence(
        format!("{} of {from} and more are held at {rate}{}.", who(found.direction), seen(&found.scales)),
        Some(OTHERS),
        "Compare it with the policy of the volume and with the network limit of the machine.",
    )
}

/// Words for an accounting unit.
pub(super) fn unit(found: &AccountingUnit) -> FindingWords<'static> {
    let unit = numbers::block(found.unit as f64);
    let (operations, bytes) =
        (numbers::count(found.operations.value), numbers::bandwidth(found.bytes, Prefix::Binary));
    let what = format!("{} are held at {operations} operations of {unit} a second", who(found.direction));
    match found.charge {
        Charge::Ceil => sentence(
            format!(
                "{what}: every {unit} that is begun counts as one, so that long ones reach up to {bytes}."
            ),
            Some("The kernel splits requests of that size before they are counted."),
            "Use blocks of that size or a little less: longer ones cost several operations.",
        ),
        Charge::Proportional => sentence(
            format!(
                "{what}, longer ones charged by their size, or at {operations} operations and {bytes}: I/Os of one size do not tell these apart."
            ),
            Some("Two caps whose ratio happens to be a power of two."),
            "Ask how the volume charges operations longer than that.",
        ),
        Charge::Unknown => sentence(
            format!("{what}, longer ones charged as several, or at {operations} operations and {bytes}."),
            Some("Two caps whose ratio happens to be a power of two."),
            "Measure blocks just above that size: at half the rate the unit counts whole.",
        ),
    }
}

/// Words for a busy device.
pub(super) fn saturation(found: &Saturation) -> FindingWords<'static> {
    let (who, rate) = (who(found.direction), rate(found.counted, &found.level));
    if let Some(cache) = &found.cache {
        return FindingWords {
            sentence: format!("{who} reach {rate}: {}.", behind_cache(cache)),
            unless: Some(VARIES),
            next: COUNT_ON.to_owned(),
            shown: OfRun("rate"),
        };
    }
    let more = match found.counted {
        LevelUnit::Operations => "more depth only waits",
        LevelUnit::Bytes => "longer blocks bring no more",
    };
    FindingWords {
        sentence: format!("{who} are saturated at up to {rate}: {more}, and no meter was seen."),
        unless: Some(VARIES),
        next: "Expect this of a device, not of a limit: measure at other hours, and with the load that it will have.".to_owned(),
        shown: OfRun("rate"),
    }
}

/// Describes what a cache adds to a rate: `3,003 IOPS beyond a cache of 959 MiB, which answers 5.9 % of the reads`.
pub(super) fn behind_cache(cache: &CacheShare) -> String {
    let size = cache.size.map_or(String::new(), |size| format!(" of {}", numbers::size(size.value as u64)));
    format!(
        "{} beyond a cache{size}, which answers {} of the reads",
        numbers::iops(cache.beyond.value),
        numbers::share(cache.share)
    )
}

/// Words for a queue depth that is too small.
pub(super) fn depth(found: &DepthBound) -> FindingWords<'static> {
    let (rate, latency) = (rate_of_operations(&found.level), numbers::time(found.latency_ns));
    sentence(
        format!(
            "{} reach at least {rate}: at depth {}, with {latency} an I/O, the rate still rises. The depth holds it, not the volume.",
            who(found.direction),
            found.depth
        ),
        Some("A limit lies just above what was reached."),
        "Measure it deeper, or from several machines, if the application goes deeper.",
    )
}

/// Words for too few bytes in flight.
pub(super) fn in_flight(found: &InFlightBound) -> FindingWords<'static> {
    let (rate, flight) = (rate_of_bytes(&found.level), numbers::size(found.in_flight));
    sentence(
        format!(
            "{} reach at least {rate}: with {flight} in flight, and {} of it with half as much. What plimsoll keeps in flight holds it, not the volume.",
            who(found.direction),
            numbers::share(found.half)
        ),
        Some("The latency of the volume is what the bytes in flight meet."),
        "Lower the latency, or use more in flight from several machines.",
    )
}

/// Words for a worker limited by its CPU.
pub(super) fn cpu(found: &CpuBound) -> FindingWords<'static> {
    sentence(
        format!(
            "{} reach at least {}: in {} a worker of plimsoll ran {} of the time. Its CPU holds it, not the volume.",
            who(found.direction),
            rate(found.counted, &found.level),
            quoted(&found.step),
            numbers::share(found.share)
        ),
        Some("The device's driver works on the same CPU."),
        "Run it from a machine with more or faster CPUs.",
    )
}

/// Words for a limit of this machine.
pub(super) fn machine(found: &MachineLimit) -> FindingWords<'static> {
    let rate = rate(found.counted, &found.level);
    sentence(
        format!(
            "{} are held at {rate} by this machine. {}.",
            who(found.direction),
            limit_words(&found.limit)
        ),
        Some("The volume below has a limit of the same figure."),
        &raise(&found.limit),
    )
}

/// Words for a limit that the provider's own counter shows as exceeded.
pub(super) fn exceeded(found: &LimitExceeded) -> FindingWords<'static> {
    let what = match found.counted {
        LevelUnit::Operations => "operations",
        LevelUnit::Bytes => "bytes",
    };
    let (whose, next) = match found.whose {
        WhoseLimit::Volume => ("the volume's own limit", "Buy more of the volume, or ask less of it."),
        WhoseLimit::Instance => (
            "the instance's limit for all its volumes together",
            "A faster volume changes nothing here: take a larger instance, or ask less of all its volumes.",
        ),
    };
    sentence(
        format!(
            "{} counted itself that {whose} of {what} a second was exceeded for {} of this run ({}).",
            clean(&found.device),
            numbers::span(found.seconds),
            numbers::share(found.share)
        ),
        None,
        next,
    )
}

/// Words for a queue of the kernel that is full.
pub(super) fn queue(found: &KernelQueue) -> FindingWords<'static> {
    let device = clean(&found.device);
    sentence(
        format!(
            "{} level off at {}: the kernel's queue of {device} holds {} requests, and more wait above it.",
            who(found.direction),
            rate_of_operations(&found.level),
            found.requests
        ),
        Some("The volume has a limit of the same figure."),
        &format!("Write a larger number to /sys/block/{device}/queue/nr_requests, and measure again."),
    )
}

/// Words for one budget that reads and writes share.
pub(super) fn shared(found: &SharedBudget) -> FindingWords<'static> {
    sentence(
        format!(
            "Reads and writes of {} share one budget of {}: mixed they reach no more than either alone.",
            numbers::block(found.block as f64),
            match found.counted {
                LevelUnit::Operations => rate_of_operations(&found.total),
                LevelUnit::Bytes => rate_of_bytes(&found.total.times(found.block as f64)),
            }
        ),
        Some("The device is busy with both, which no rule counts."),
        "Count reads and writes together against the limit.",
    )
}

/// Words for separate budgets of reads and writes.
pub(super) fn separate(found: &SeparateBudgets) -> FindingWords<'static> {
    let block = found.block;
    let of = |rate: f64| total(found.counted, block, rate);
    sentence(
        format!(
            "Reads and writes of {} have a budget each ({} and {}): mixed they reach up to {} together.",
            numbers::block(block as f64),
            of(found.read),
            of(found.write),
            of(found.total.value)
        ),
        Some("A budget for both, above what the mixes reached."),
        "Count reads and writes each against its own limit.",
    )
}

fn total(counted: LevelUnit, block: u64, rate: f64) -> String {
    match counted {
        LevelUnit::Operations => numbers::iops(rate),
        LevelUnit::Bytes => numbers::bandwidth(rate * block as f64, Prefix::Binary),
    }
}

/// Words for sequential I/Os that are merged.
pub(super) fn merging(found: &Merging) -> FindingWords<'static> {
    sentence(
        format!(
            "{} of {} in order reach {}, {} what they reach at random: neighbours are merged before they are counted.",
            who(found.direction),
            numbers::block(found.block as f64),
            numbers::iops(found.sequential),
            numbers::factor(found.sequential / found.random)
        ),
        Some("A cache or read-ahead answers what lies in order."),
        "Do not expect this rate of I/O at random.",
    )
}

/// Words for blocks that were slower when read for the first time.
pub(super) fn first_touch(found: &FirstTouch) -> FindingWords<'static> {
    sentence(
        format!(
            "Blocks that were read for the first time took {}, and {} when they were read again.",
            numbers::time(found.first_ns),
            numbers::time(found.second_ns)
        ),
        Some(
            "A cache kept what was just read; or blocks of a snapshot are fetched when they are first touched.",
        ),
        "Read the whole volume once before it is measured or used, and compare.",
    )
}

/// Words for a limit that is not identified.
pub(super) fn not_identifiable(found: &NotIdentifiable) -> FindingWords<'static> {
    let rate = rate(found.counted, &found.level);
    let who = found.direction.map_or("Reads and writes", |direction| match direction {
        Direction::Write => "Writes",
        _ => "Reads",
    });
    let what = match found.question {
        Question::Holds if found.at_least => {
            format!("{who} reach at least {rate}. This run does not show what limits them.")
        }
        Question::Holds => {
            format!("{who} level off at {rate}. This run does not show what limits them.")
        }
        Question::Below => format!(
            "{who} of the smallest block are limited in bytes. This run does not show how many smaller operations are possible."
        ),
        Question::Charged => {
            format!("{who}: this run does not show how operations longer than the unit are charged.")
        }
        Question::Shared => {
            let of =
                found.block.map_or(String::new(), |block| format!(" of {}", numbers::block(block as f64)));
            format!("{who}{of} at once reach {rate}. This run does not show whether they share one budget.")
        }
    };
    let tells: Vec<String> = found.tells.iter().map(tell).collect();
    FindingWords {
        sentence: what,
        unless: None,
        next: format!("To find out: {}.", tells.join("; ")),
        shown: Nowhere,
    }
}

fn tell(tells: &Tells) -> String {
    match tells {
        Tells::MoreSeconds => "measure for longer, e.g. with --time 10m".to_owned(),
        Tells::SmallerBlocks => "measure blocks of 512 B and 1 KiB".to_owned(),
        Tells::LargerBlocks => "measure two larger blocks, and compare their bytes per second".to_owned(),
        Tells::HalfInFlight => "measure the largest block with half as many in flight".to_owned(),
        Tells::AroundUnit { unit } => {
            format!("measure blocks of {} and of a quarter more", numbers::block((unit + 4096) as f64))
        }
        Tells::InOrder => "measure small sequential blocks with a deeper queue".to_owned(),
        Tells::Mix => {
            "measure mixes of 70/30 and 50/50 with a deeper queue, when nothing else runs".to_owned()
        }
    }
}
