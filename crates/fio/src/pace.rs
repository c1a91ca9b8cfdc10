//! Turns rates by direction into paces, and the shares of the directions into a mix.

use workload::{Access, Bytes, Iops, Mix, Nanos, Pace};

use super::asked::FioJob;
use super::data::access;
use super::options::JobOptions;

/// Pace and access of a job.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PacedAccess {
    /// When the next I/O is due; with `write_pace`, the next one that is not a write.
    pub pace: Pace,
    /// When the next write is due, if reads and writes are mixed and have a rate.
    pub write_pace: Option<Pace>,
    /// Offsets and directions.
    pub access: Access,
    /// Remarks on differences from the request.
    pub notes: Vec<String>,
}

impl PacedAccess {
    /// The same with reads and writes in the order in which fio draws them for `job`.
    pub fn drawn_for(mut self, job: &FioJob) -> PacedAccess {
        if job.options.pattern.mixed() {
            self.access.mix = self.access.mix.drawn(direction_seed(job));
        }
        self
    }
}

/// The seed from which fio draws the directions of `job`: of the seeds that it derives from `randseed` the fifth, from
/// which only the low 32 bits are used.
fn direction_seed(job: &FioJob) -> u32 {
    const FACTOR: u32 = 0x9E37_0001;
    let seed = if job.options.repeats() { job.options.randseed } else { job.seed };
    (seed as u32).wrapping_mul(FACTOR.wrapping_pow(8)).wrapping_mul(job.number + 1).wrapping_add(4)
}

/// Works out pace and access of `options`.
pub fn of(options: &JobOptions) -> PacedAccess {
    let [read, write, trim] = [0, 1, 2].map(|direction| pace(options, direction));
    let pattern = options.pattern;
    // The slower direction holds back the other, and a pair is two I/Os.
    let each_s = |pace: &Pace| pace.rate().map_or(0.0, |rate| 1.0 / rate.0);
    let slower = if each_s(&trim) > each_s(&write) { trim } else { write };
    let (pace, mix) = match (pattern.reads, pattern.writes) {
        (true, true) => (read, Mix::reads(options.rwmix_read)),
        (true, false) => (read, Mix::READ),
        (false, true) if pattern.trims => (slower.times(2.0), Mix::TRIM_WRITE),
        (false, true) => (write, Mix::WRITE),
        (false, false) => (trim, Mix::TRIM),
    };
    let apart = pattern.mixed() && (read, write) != (Pace::Closed, Pace::Closed);
    PacedAccess {
        pace,
        write_pace: apart.then_some(write),
        access: access(options, mix),
        notes: notes(options, apart),
    }
}

fn pace(options: &JobOptions, direction: usize) -> Pace {
    let Some(rate) = rate(options, direction) else { return Pace::Closed };
    if options.poisson {
        return Pace::Poisson(Iops(rate));
    }
    if options.rate_iops[direction] == 0 && has_lengths(options, direction) {
        let length = Bytes(options.lengths(direction).mean().round() as u64);
        let rate = Iops(options.rate[direction] as f64 / length.0 as f64);
        return Pace::Bytes { rate, length };
    }
    Pace::Fixed(Iops(rate))
}

/// Whether the I/Os of a direction have several lengths.
fn has_lengths(options: &JobOptions, direction: usize) -> bool {
    let lengths = options.lengths(direction);
    lengths.shortest() < lengths.longest()
}

/// I/Os a second in one direction; bytes a second are converted with its shortest block, as fio does for arrivals by chance.
/// Zero means no limit.
fn rate(options: &JobOptions, direction: usize) -> Option<f64> {
    match (options.rate_iops[direction], options.rate[direction]) {
        (0, 0) => None,
        (0, bytes) => Some(bytes as f64 / options.lengths(direction).shortest().0.max(1) as f64),
        (iops, _) => Some(iops as f64),
    }
}

/// Remarks on a rate of I/Os of several lengths, and on a mix in which both directions have a rate: as in fio, the rates then
/// decide the mix.
fn notes(options: &JobOptions, apart: bool) -> Vec<String> {
    let pattern = options.pattern;
    let is_bent = [pattern.reads, pattern.writes, pattern.trims].iter().enumerate().any(|(way, issued)| {
        *issued && options.rate_iops[way] > 0 && !options.poisson && has_lengths(options, way)
    });
    let by_count = "rate_iops is held in I/Os; fio holds the bytes of that many of the shortest blocks";
    let mut notes = if is_bent { vec![by_count.to_owned()] } else { Vec::new() };
    notes.extend(decided_mix(options, apart));
    notes
}

fn decided_mix(options: &JobOptions, apart: bool) -> Option<String> {
    let [read, write] = [0, 1].map(|way| pace(options, way).rate());
    let (read, write) = (read?.0, write?.0);
    let percent = 100.0 * read / (read + write);
    // A mix of 0 or 100 % stays one, whatever the rates.
    let other =
        (1..100).contains(&options.rwmix_read) && (f64::from(options.rwmix_read) - percent).abs() > 0.5;
    let note = format!(
        "where the volume bears both rates they decide the mix: {percent:.0} % reads, not {}",
        options.rwmix_read
    );
    // Rests may keep the job below both.
    let rests = options.time.thinktime > Nanos::ZERO;
    (apart && options.rwmix_typed && other && !rests).then_some(note)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Pattern;
    use workload::{Lengths, Order};

    fn mixed(change: impl FnOnce(&mut JobOptions)) -> JobOptions {
        let mut options = JobOptions { pattern: Pattern::named("randrw"), ..JobOptions::untyped() };
        change(&mut options);
        options
    }

    #[test]
    fn each_direction_of_a_mix_keeps_its_own_rate() {
        let paced = of(&mixed(|o| o.rate_iops = [700, 300, 0]));
        assert_eq!(paced.pace, Pace::Fixed(Iops(700.0)));
        assert_eq!(paced.write_pace, Some(Pace::Fixed(Iops(300.0))));
        assert!(paced.notes.is_empty());
        let one = of(&mixed(|o| o.rate_iops = [0, 300, 0]));
        assert_eq!((one.pace, one.write_pace), (Pace::Closed, Some(Pace::Fixed(Iops(300.0)))));
        assert_eq!(of(&mixed(|_| {})).write_pace, None);
        let typed = of(&mixed(|o| (o.rate_iops, o.rwmix_typed) = ([900, 100, 0], true)));
        assert!(typed.notes[0].contains("90 % reads, not 50"), "{:?}", typed.notes);
    }

    #[test]
    fn a_rate_in_bytes_of_several_lengths_is_kept_in_bytes() {
        let pattern = Pattern::named("write");
        let mut options = JobOptions { pattern, rate: [0, 1 << 20, 0], ..JobOptions::untyped() };
        assert_eq!(of(&options).pace, Pace::Fixed(Iops(256.0)));
        let step = Bytes::kib(4);
        options.bsrange[1] = Some(Lengths::Range { least: step, most: Bytes::kib(12), step });
        let length = Bytes::kib(8);
        assert_eq!(of(&options).pace, Pace::Bytes { rate: Iops(128.0), length });
        options.poisson = true;
        assert_eq!(of(&options).pace, Pace::Poisson(Iops(256.0)), "as fio");
    }

    #[test]
    fn a_rate_of_trims_and_writes_by_turns_is_that_of_each() {
        let pattern = Pattern::named("trimwrite");
        let options = |rate_iops| JobOptions { pattern, rate_iops, ..JobOptions::untyped() };
        assert_eq!(of(&options([500; 3])).pace, Pace::Fixed(Iops(1000.0)));
        assert_eq!(of(&options([0, 500, 200])).pace, Pace::Fixed(Iops(400.0)));
        assert_eq!(of(&options([500, 0, 0])).pace, Pace::Closed);
        let mut mixed = JobOptions { rate: [0, 1 << 20, 1 << 20], ..options([0; 3]) };
        let step = Bytes::kib(4);
        // A write is as long as its trim.
        mixed.bsrange[2] = Some(Lengths::Range { least: step, most: Bytes::kib(12), step });
        assert_eq!(of(&mixed).pace, Pace::Bytes { rate: Iops(256.0), length: Bytes::kib(8) });
    }

    #[test]
    fn bytes_a_second_are_counted_in_blocks() {
        let options =
            JobOptions { rate: [1 << 20; 3], bs: [8192; 3], poisson: true, ..JobOptions::untyped() };
        assert_eq!(of(&options).pace, Pace::Poisson(Iops(128.0)));
    }

    #[test]
    fn a_share_of_random_places_is_one_of_a_sequence() {
        let half = of(&mixed(|o| o.percentage_random = [50; 3]));
        assert_eq!((half.access.order, half.access.random_percent.read), (Order::Sequential, 50));
    }
}
