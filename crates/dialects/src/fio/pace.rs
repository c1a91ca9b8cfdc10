//! Rates by direction become one pace and one mix.

use workload::{Access, Iops, Mix, Pace};

use super::data::access;
use super::error::FioError;
use super::options::JobOptions;

/// Pace and access of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Paced {
    /// When the next I/O becomes due.
    pub pace: Pace,
    /// Where it goes, and which way.
    pub access: Access,
    /// Where this is not exactly what was asked.
    pub notes: Vec<String>,
}

/// Works out the pace and the access of `options`.
///
/// # Errors
/// Where one direction of a mix is paced and the other is not.
pub fn of(options: &JobOptions) -> Result<Paced, FioError> {
    let [read, write] = [rate(options, 0), rate(options, 1)];
    let mut notes = Vec::new();
    let pattern = options.pattern;
    let (rate, mix) = match (pattern.reads, pattern.writes) {
        (true, false) => (read, Mix::READ),
        (false, true) if pattern.trims => (write, Mix::TRIM_WRITE),
        (false, true) => (write, Mix::WRITE),
        (false, false) => (rate(options, 2), Mix::TRIM),
        (true, true) => match (read, write) {
            (None, None) => (None, Mix::reads(options.rwmix_read)),
            (Some(read), Some(write)) => (Some(read + write), shares(options, read, write, &mut notes)),
            _ => return Err(one_sided()),
        },
    };
    let pace = match rate {
        None => Pace::Closed,
        Some(rate) if options.poisson => Pace::Poisson(Iops(rate)),
        Some(rate) => Pace::Fixed(Iops(rate)),
    };
    Ok(Paced { pace, access: access(options, mix), notes })
}

/// I/Os a second in one direction; bytes a second are counted in blocks of that direction. Zero is no limit.
fn rate(options: &JobOptions, direction: usize) -> Option<f64> {
    match (options.rate_iops[direction], options.rate[direction]) {
        (0, 0) => None,
        (0, bytes) => Some(bytes as f64 / options.lengths(direction).shortest().0.max(1) as f64),
        (iops, _) => Some(iops as f64),
    }
}

/// Where both directions have a rate, the rates decide the mix, as they do in fio.
fn shares(options: &JobOptions, read: f64, write: f64, notes: &mut Vec<String>) -> Mix {
    let exact = 100.0 * read / (read + write);
    let percent = exact.round().clamp(1.0, 99.0);
    if (exact - percent).abs() > 0.01 {
        notes.push(format!("the rates are {exact:.2} % reads; {percent:.0} % are issued"));
    }
    if options.rwmix_typed && (f64::from(options.rwmix_read) - percent).abs() > 0.5 {
        notes.push(format!("the rates decide the mix: {percent:.0} % reads, not {}", options.rwmix_read));
    }
    Mix::reads(percent as u8)
}

fn one_sided() -> FioError {
    FioError::Refused {
        option: "a rate of one direction of a mix only".to_owned(),
        reason: "give both directions one, for example rate_iops=700,300".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::options::Pattern;
    use workload::Order;

    fn mixed(change: impl FnOnce(&mut JobOptions)) -> JobOptions {
        let mut options = JobOptions { pattern: Pattern::named("randrw"), ..JobOptions::default() };
        change(&mut options);
        options
    }

    #[test]
    fn two_rates_make_one_pace_and_the_mix() {
        let paced = of(&mixed(|o| o.rate_iops = [700, 300, 0])).unwrap();
        assert_eq!(paced.pace, Pace::Fixed(Iops(1000.0)));
        assert_eq!(paced.access.mix, Mix::reads(70));
        assert!(paced.notes.is_empty());
        let uneven = of(&mixed(|o| o.rate_iops = [2, 1, 0])).unwrap();
        assert!(uneven.notes[0].contains("66.67 %"), "{:?}", uneven.notes);
    }

    #[test]
    fn bytes_a_second_are_counted_in_blocks() {
        let options =
            JobOptions { rate: [1 << 20; 3], bs: [8192; 3], poisson: true, ..JobOptions::default() };
        assert_eq!(of(&options).unwrap().pace, Pace::Poisson(Iops(128.0)));
    }

    #[test]
    fn what_cannot_be_expressed_is_refused() {
        assert!(of(&mixed(|o| o.rate_iops = [700, 0, 0])).is_err());
        let half = of(&mixed(|o| o.percentage_random = [50; 3])).unwrap();
        assert_eq!((half.access.order, half.access.random_percent.read), (Order::Sequential, 50));
    }
}
