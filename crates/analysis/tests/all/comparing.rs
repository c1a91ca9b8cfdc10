//! Ratios mean what they say: the same volume twice is seldom called two, and intervals cover the truth.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use analysis::compare::{Basis, Period, Price, RatioAnswer, Sample, Shown, ratio};
use statistics::Stream;

/// A volume: its rate, how much one run differs from the next, and how its seconds scatter and resemble their neighbours.
#[derive(Clone, Copy)]
struct Volume {
    rate: f64,
    between: f64,
    within: f64,
    resemblance: f64,
}

impl Volume {
    const STEADY: Volume = Volume { rate: 3000.0, between: 0.0, within: 0.05, resemblance: 0.0 };

    /// One run of `seconds`.
    fn run(&self, seconds: usize, stream: &mut Stream) -> Sample {
        let level = self.rate * (self.between * stream.normal()).exp();
        let innovation = (1.0 - self.resemblance * self.resemblance).sqrt();
        let mut noise = stream.normal();
        let series: Vec<f64> = (0..seconds)
            .map(|_| {
                noise = self.resemblance * noise + innovation * stream.normal();
                (level * (1.0 + self.within * noise)).max(1.0)
            })
            .collect();
        let value = series.iter().sum::<f64>() / seconds as f64;
        // What the run's own analysis gives; it allows for seconds that resemble each other, which these do not.
        let half = 1.96 * level * self.within / (seconds as f64).sqrt();
        let interval = Some((value - half, value + half));
        Sample { value, seconds: Some(seconds as f64), rounding: 0.0, interval }
    }

    fn runs(&self, runs: usize, seconds: usize, stream: &mut Stream) -> Vec<Sample> {
        (0..runs).map(|_| self.run(seconds, stream)).collect()
    }
}

const SEEDS: u64 = 1000;

/// How many of a thousand pairs of runs of one volume have an interval without 1, and how many are called different.
fn alarms(volume: Volume, runs: usize, seconds: usize) -> (usize, usize) {
    let mut excluded = 0;
    let mut different = 0;
    for seed in 0..SEEDS {
        let mut stream = Stream::new(seed, runs as u64);
        let (a, b) = (volume.runs(runs, seconds, &mut stream), volume.runs(runs, seconds, &mut stream));
        let found = ratio(&a, &b).unwrap();
        let (low, high) = found.interval.unwrap();
        assert!(low <= found.value && found.value <= high, "{found:?}");
        excluded += usize::from(low > 1.0 || high < 1.0);
        different += usize::from(found.answer == RatioAnswer::Differs);
    }
    (excluded, different)
}

#[test]
fn the_same_volume_twice_seldom_differs() {
    for (between, resemblance) in [(0.0, 0.0), (0.02, 0.5), (0.1, 0.8), (0.3, 0.9)] {
        let volume = Volume { between, resemblance, ..Volume::STEADY };
        for runs in [4, 6, 10] {
            let (excluded, different) = alarms(volume, runs, 20);
            println!(
                "{runs} runs, {between} between, {resemblance}: {excluded} without 1, {different} differ"
            );
            // 5 % of a thousand, and three standard errors of that count.
            assert!(excluded <= 70, "{excluded} of {SEEDS} intervals without 1");
            assert!(different <= 50, "{different} of {SEEDS} pairs are called different");
        }
    }
}

#[test]
fn two_runs_of_one_level_cover_one_by_their_own_intervals() {
    for seconds in [10, 30, 120] {
        let (excluded, different) = alarms(Volume::STEADY, 1, seconds);
        println!("{seconds} s: {excluded} without 1");
        assert!((30..=70).contains(&excluded), "{excluded} of {SEEDS}, {seconds} s");
        assert_eq!(different, 0, "one run each is never called different");
    }
}

#[test]
fn a_true_difference_is_found_and_its_size_covered() {
    let (mut covered, mut found_out) = (0, 0);
    for seed in 0..SEEDS {
        let mut stream = Stream::new(seed, 9);
        let volume = Volume { between: 0.02, ..Volume::STEADY };
        let faster = Volume { rate: 3600.0, ..volume };
        let (a, b) = (volume.runs(6, 10, &mut stream), faster.runs(6, 10, &mut stream));
        let found = ratio(&a, &b).unwrap();
        let (low, high) = found.interval.unwrap();
        covered += usize::from(low <= 1.2 && 1.2 <= high);
        found_out += usize::from(found.answer == RatioAnswer::Differs);
    }
    assert!(covered >= 930, "{covered} of {SEEDS} intervals hold 1.2");
    assert!(found_out >= 990, "{found_out} of {SEEDS} differences are found");
}

#[test]
fn metered_volumes_of_one_rate_are_the_same() {
    let metered = |rate: f64| Sample {
        value: rate,
        seconds: Some(30.0),
        rounding: 0.0,
        interval: Some((rate - 0.4, rate + 0.4)),
    };
    let found = ratio(&[metered(5000.0)], &[metered(5000.0)]).unwrap();
    let (low, high) = found.interval.unwrap();
    assert!(low < 1.0 && 1.0 < high && high - low < 1e-3, "{found:?}");
    let four = |rate: f64| vec![metered(rate), metered(rate), metered(rate + 1.0), metered(rate)];
    assert_eq!(ratio(&four(5000.0), &four(5000.0)).unwrap().answer, RatioAnswer::Same);
    assert_eq!(ratio(&four(5000.0), &four(3000.0)).unwrap().answer, RatioAnswer::Differs);
}

#[test]
fn too_little_gives_no_interval_and_says_why() {
    let one = |value: f64| Sample { value, seconds: None, rounding: 0.0, interval: None };
    let found = ratio(&[one(33215.0)], &[one(2257.0)]).unwrap();
    assert_eq!((found.basis, found.interval, found.answer), (Basis::OneEach, None, RatioAnswer::Repeat));
    assert!((found.value - 0.06795).abs() < 1e-4);
    let found = ratio(&[one(1.0), one(1.1), one(1.2)], &[one(2.0), one(2.1)]).unwrap();
    assert_eq!((found.basis, found.interval), (Basis::TooFew { least: 2 }, None));
    let known = Sample { interval: Some((0.9, 1.1)), ..one(1.0) };
    assert_eq!(ratio(std::slice::from_ref(&known), &[one(1.0)]).unwrap().basis, Basis::OneEach);
    let both = ratio(std::slice::from_ref(&known), std::slice::from_ref(&known)).unwrap();
    assert_eq!((both.basis, both.shows()), (Basis::OwnIntervals, Shown::Nothing));
    assert!(ratio(&[], &[one(1.0)]).is_none());
}

#[test]
fn prices_are_read_with_their_currency_and_period() {
    for (words, amount, currency, per, month) in [
        ("5.00/month", 5.0, "", Period::Month, 5.0),
        ("EUR 0.01/hour", 0.01, "EUR", Period::Hour, 7.3),
        ("$0.10/h", 0.10, "$", Period::Hour, 73.0),
        ("12€/year", 12.0, "€", Period::Year, 1.0),
        ("1/day", 1.0, "", Period::Day, 365.0 / 12.0),
    ] {
        let price = Price::parse(words).unwrap();
        assert_eq!((price.amount, price.currency.as_str(), price.per), (amount, currency, per), "{words}");
        assert!((price.a_month() - month).abs() < 1e-9, "{words}");
    }
    for (words, told) in [
        ("", "no price"),
        ("month", "no price"),
        ("5.00", "no period"),
        ("5.00/fortnight", "'fortnight' is no period"),
        ("0/month", "leave --price out"),
        ("-1/month", "leave --price out"),
        ("5,00/month", "no price"),
        ("1.2.3/month", "no price"),
    ] {
        let error = Price::parse(words).unwrap_err().to_string();
        assert!(error.contains(told), "{words}: {error}");
    }
}
