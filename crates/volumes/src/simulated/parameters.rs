//! The parameters of a simulation, one row each: name, range, required parameter, meaning. The reader, the messages and
//! the documentation page are made from the rows.

use workload::{Bytes, Nanos};

use super::values::Takes;

/// A parameter of the simulation.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    /// The parameter without which this one has no meaning.
    pub(super) needs: Option<&'static str>,
    /// Meaning of the parameter, and its default.
    pub(super) meaning: &'static str,
}

const fn row(name: &'static str, takes: Takes, needs: &'static str, meaning: &'static str) -> Row {
    let needs = if needs.is_empty() { None } else { Some(needs) };
    Row { name, takes, needs, meaning }
}

const US: Nanos = Nanos::from_micros(1);
const MS: Nanos = Nanos::from_millis(1);
const SECOND: Nanos = Nanos::SECOND;
const MINUTE: Nanos = Nanos::from_secs(60);
const HOUR: Nanos = Nanos::from_secs(3600);
const DAY: Nanos = Nanos::from_secs(86_400);
/// Least and greatest size of a volume: room for a few blocks of the largest kind, and easily within 64-bit offsets.
const SIZES: (Bytes, Bytes) = (Bytes::mib(64), Bytes(1 << 50));
/// Greatest deviation of noise of one kind, as a share of the rate: at three deviations I/O still goes on.
const SD_MAX: f64 = 0.3;
/// Greatest share of the rate that others take: some is left, otherwise it is a stall.
const TAKEN_MAX: f64 = 0.95;

/// Every parameter, in the order of the documentation; one row a line, so that it reads as a table.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = {
    use Takes::{Credits, Number, Rate, Share, Size, Time, Times as Two, Whole};
    &[
        row("latency", Time(Nanos::ZERO, MINUTE, |s| &mut s.latency), "", "mean latency of one I/O alone; the policy's, else 800 µs"),
        row("write_latency", Time(Nanos::ZERO, MINUTE, |s| &mut s.write_latency), "", "the same of writes and flushes; as of reads"),
        row("jitter", Number(0.0, 2.0, |s| &mut s.jitter), "", "coefficient of variation of the latency, log-normal; 0.1"),
        row("size", Size(SIZES.0, SIZES.1, |s| &mut s.size), "", "size of the volume; the policy's, else 100 GiB"),
        row("seed", Whole(0, u64::MAX, |s| &mut s.seed), "", "seed of everything that is drawn; 1"),
        row("credits", Credits(|s| &mut s.credits), "", "what the buckets hold at the beginning; what a new volume has"),
        row("noise", Share(0.0, SD_MAX, |s| &mut s.noise), "", "deviation of the rate from one step of the noise to the next, of its mean; none"),
        row("rho", Number(0.0, 0.99, |s| &mut s.rho), "noise", "correlation of neighbouring steps of the noise, AR(1); 0"),
        row("noise_every", Time(MS, MINUTE, |s| &mut s.noise_every), "noise", "length of a step of the noise; 1 s"),
        row("slow", Share(0.0, SD_MAX, |s| &mut s.slow), "", "deviation of a slow wandering of the rate, Ornstein-Uhlenbeck; none"),
        row("slow_over", Time(SECOND, DAY, |s| &mut s.slow_over), "slow", "time constant of the wandering; 60 s"),
        row("flicker", Share(0.0, SD_MAX, |s| &mut s.flicker), "", "deviation of 1/f noise of the rate, between time constants of 0.5 s and 512 s; none"),
        row("sway", Share(0.0, 0.5, |s| &mut s.sway), "", "how far the rate sways to either side of its mean, as a sine, up first; not at all"),
        row("sway_over", Time(MINUTE, DAY, |s| &mut s.sway_over), "sway", "length of one such sway; 24 h"),
        row("decline", Share(0.0, 0.9, |s| &mut s.decline), "", "share of the rate that is lost, evenly with time; none"),
        row("decline_over", Time(MINUTE, DAY, |s| &mut s.decline_over), "decline", "time in which it is lost, after which the rest stays; 24 h"),
        row("cap_low", Share(0.05, 1.0, |s| &mut s.cap_low), "wave", "share of the rate that is left while a wave is low"),
        row("wave", Two(MS, DAY, |s| &mut s.wave), "cap_low", "how long the rate is high and low by turns; it begins high"),
        row("wave_phase", Time(Nanos::ZERO, DAY, |s| &mut s.wave_phase), "wave", "how far into its high part a wave begins; 0"),
        row("neighbour", Share(0.0, TAKEN_MAX, |s| &mut s.neighbour), "neighbour_for", "share of the rate that others take for a while"),
        row("neighbour_for", Time(MS, DAY, |s| &mut s.neighbours.length), "neighbour", "how long they take it"),
        row("neighbour_every", Time(MS, DAY, |s| &mut s.neighbours.every), "neighbour_for", "from one such span to the next; once only"),
        row("neighbour_from", Time(Nanos::ZERO, DAY, |s| &mut s.neighbours.from), "neighbour_for", "when the first begins; after one period"),
        row("neighbour_pace", Takes::Regularity(|s| &mut s.neighbours.regularity), "neighbour_every", "whether these spans come evenly or as a Poisson process; even"),
        row("second_iops", Number(0.001, 1e7, |s| &mut s.second_iops), "", "reads a second of a second volume behind the same meters; none"),
        row("second_block", Size(Bytes(512), Bytes::mib(16), |s| &mut s.second_block), "second_iops", "size of each of its reads; 4 KiB"),
        row("second_for", Time(MS, DAY, |s| &mut s.seconds.length), "second_iops", "for how long it reads; always"),
        row("second_every", Time(MS, DAY, |s| &mut s.seconds.every), "second_for", "from one such span to the next; once only"),
        row("second_from", Time(Nanos::ZERO, DAY, |s| &mut s.seconds.from), "second_for", "when the first begins; after one period"),
        row("second_pace", Takes::Regularity(|s| &mut s.seconds.regularity), "second_every", "whether these spans come evenly or as a Poisson process; even"),
        row("slice", Time(MS, SECOND, |s| &mut s.slice), "", "what must wait passes at the end of a slice of so long, in a pulse; no slices"),
        row("corner", Number(1.0, 32.0, |s| &mut s.corner), "", "sharpness p of a soft corner, X = ((n/L)^-p + C^-p)^(-1/p); sharp"),
        row("servers", Whole(1, 1024, |s| &mut s.servers), "service", "servers behind one queue, a volume that saturates without a meter; none"),
        row("service", Time(US, MINUTE, |s| &mut s.service), "servers", "mean time of a server over one I/O"),
        row("service_cv", Number(0.0, 4.0, |s| &mut s.service_cv), "servers", "its coefficient of variation: 0 constant, 1 exponential, else log-normal; 0"),
        row("server_bandwidth", Rate(Bytes::mib(1), Bytes::gib(100), |s| &mut s.server_bandwidth), "servers", "what one server moves beside that; its bytes take no time"),
        row("stall", Time(MS, HOUR, |s| &mut s.stalls.length), "", "how long everything behind the meters stands still; never"),
        row("stall_every", Time(MS, DAY, |s| &mut s.stalls.every), "stall", "from one stall to the next; once only"),
        row("stall_from", Time(Nanos::ZERO, DAY, |s| &mut s.stalls.from), "stall", "when the first begins; after one period"),
        row("stall_pace", Takes::Regularity(|s| &mut s.stalls.regularity), "stall_every", "whether stalls come evenly or as a Poisson process; even"),
        row("tail", Share(0.0, 1.0, |s| &mut s.tail), "tail_latency", "share of I/Os that take longer"),
        row("tail_latency", Time(US, MINUTE, |s| &mut s.tail_latency), "tail", "what these take more"),
        row("mode", Share(0.0, 1.0, |s| &mut s.mode), "mode_factor", "share of I/Os of a second mode of the latency"),
        row("mode_factor", Number(0.01, 1000.0, |s| &mut s.mode_factor), "mode", "by what the latency of these is multiplied"),
        row("errors", Share(0.0, 1.0, |s| &mut s.errors), "", "share of I/Os that fail with EIO; none"),
        row("bad_at", Size(Bytes(0), SIZES.1, |s| &mut s.bad_at), "bad_bytes", "where a place begins that fails with EIO"),
        row("bad_bytes", Size(Bytes(512), SIZES.1, |s| &mut s.bad_bytes), "bad_at", "how long this place is"),
        row("cache", Size(Bytes::mib(1), Bytes::gib(64), |s| &mut s.cache), "", "size of a cache before the meters that keeps what was read or written; none"),
        row("cache_latency", Time(US, SECOND, |s| &mut s.cache_latency), "cache", "latency of a read from it; 100 µs"),
        row("cache_iops", Number(1.0, 1e7, |s| &mut s.cache_iops), "cache", "I/Os a second that pass it, hits and misses together; no limit of its own"),
        row("cache_bandwidth", Rate(Bytes::mib(1), Bytes::gib(100), |s| &mut s.cache_bandwidth), "cache", "bytes a second that pass it; no limit of its own"),
        row("cache_admits", Share(0.01, 1.0, |s| &mut s.cache_admits), "cache", "share of what it lacks that it keeps when that is read; all"),
        row("cache_holds", Size(Bytes(0), Bytes::gib(64), |s| &mut s.cache_holds), "cache", "how much of the volume's beginning lies in it at first; nothing"),
        row("first_touch", Time(US, MINUTE, |s| &mut s.first_touch), "", "what the first read of each MiB takes more; nothing"),
        row("first_touch_from", Size(Bytes(0), SIZES.1, |s| &mut s.first_touch_part.0), "first_touch", "where the part begins of which that is so; at the beginning"),
        row("first_touch_to", Size(Bytes(0), SIZES.1, |s| &mut s.first_touch_part.1), "first_touch", "where this part ends; at the end"),
        row("thin", Time(US, SECOND, |s| &mut s.thin), "", "latency of reads of 64 KiB that were never written, past the meters; every block is written"),
        row("thin_from", Size(Bytes(0), SIZES.1, |s| &mut s.thin_part.0), "thin", "where the part begins that was never written; at the beginning"),
        row("thin_to", Size(Bytes(0), SIZES.1, |s| &mut s.thin_part.1), "thin", "where this part ends; at the end"),
        row("outer", Rate(Bytes::mib(1), Bytes::gib(100), |s| &mut s.outer), "inner", "rate of the medium at its first byte, as of a disk's outer tracks; bytes take no time"),
        row("inner", Rate(Bytes::mib(1), Bytes::gib(100), |s| &mut s.inner), "outer", "its rate at the last byte; in between it falls evenly"),
        row("write_back", Size(Bytes::mib(1), SIZES.1, |s| &mut s.write_back), "drain", "size of a cache that takes writes past the meters; none"),
        row("drain", Rate(Bytes::mib(1), Bytes::gib(100), |s| &mut s.drain), "write_back", "rate at which it drains"),
        row("write_back_latency", Time(US, SECOND, |s| &mut s.write_back_latency), "write_back", "latency of a write into it; 50 µs"),
        row("flush", Time(US, MINUTE, |s| &mut s.flush), "write_back", "what a flush takes when nothing is left to drain; the latency of writes"),
        row("theft", Time(MS, HOUR, |s| &mut s.theft.length), "", "how long plimsoll gets no processor: it neither issues nor notices; never"),
        row("theft_every", Time(MS, DAY, |s| &mut s.theft.every), "theft", "from one such span to the next; once only"),
        row("theft_from", Time(Nanos::ZERO, DAY, |s| &mut s.theft.from), "theft", "when the first begins; after one period"),
        row("theft_pace", Takes::Regularity(|s| &mut s.theft.regularity), "theft_every", "whether these spans come evenly or as a Poisson process; even"),
        row("machine_iops", Number(1.0, 1e9, |s| &mut s.machine_iops), "", "operations a second that the machine in front of this volume and those measured together with it lets through; any"),
        row("machine_bandwidth", Rate(Bytes::kib(1), Bytes::gib(1000), |s| &mut s.machine_bandwidth), "", "bytes a second that it lets through; any"),
        row("machine_noise", Share(0.0, SD_MAX, |s| &mut s.machine_noise), "", "deviation of these from second to second; none"),
        row("machine_share", Share(0.0, TAKEN_MAX, |s| &mut s.machine_share), "", "share of these for which this volume passes before the others; none: first come, first served"),
    ]
};

/// Returns a name in the form in which names are compared: underscores for dashes, and lower case.
pub(super) fn plain(name: &str) -> String {
    name.replace('-', "_").to_ascii_lowercase()
}
