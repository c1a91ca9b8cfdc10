//! How often a fall in a series of nights is found, and how often there is an alarm without one.

use statistics::Stream;
use statistics::occasions::{Occasion, Question, Standing, histories};

/// Least fall that matters in these tests: 3 %.
const BY: f64 = 0.0305;
const NIGHTS: usize = 30;

/// What happens to a series besides its noise.
#[derive(Clone, Copy, Debug)]
struct World {
    /// Deviation from night to night.
    noise: f64,
    /// Deviation at the last night, if it is another one.
    grows_to: f64,
    /// Correlation of neighbouring nights.
    rho: f64,
    /// Degrees of freedom of the noise; 0 for normal noise.
    tails: u32,
    /// Share by which Saturday and Sunday are slower.
    weekend: f64,
    /// Change from the first night to the last.
    drift: f64,
    /// Night of a change for good, and its share.
    step: Option<(usize, f64)>,
    /// A single night, and its share.
    odd: Option<(usize, f64)>,
    /// Figures of each run, and the share of the noise that they have in common.
    figures: (usize, f64),
}

const CALM: World = World {
    noise: 0.005,
    grows_to: 0.0,
    rho: 0.0,
    tails: 0,
    weekend: 0.0,
    drift: 0.0,
    step: None,
    odd: None,
    figures: (6, 0.5),
};

/// Standard error of each run's own interval.
const WITHIN: f64 = 0.002;

impl World {
    fn draw(&self, stream: &mut Stream) -> f64 {
        if self.tails == 0 {
            return stream.normal();
        }
        let df = f64::from(self.tails);
        let square: f64 = (0..self.tails).map(|_| stream.normal().powi(2)).sum();
        stream.normal() / (square / df).sqrt() * ((df - 2.0) / df).sqrt()
    }

    /// Returns the noise of a series of nights.
    fn noise(&self, stream: &mut Stream) -> Vec<f64> {
        let mut last = self.draw(stream);
        (0..NIGHTS)
            .map(|_| {
                let this = last;
                last = self.rho * last + (1.0 - self.rho * self.rho).sqrt() * self.draw(stream);
                this
            })
            .collect()
    }

    fn series(&self, seed: u64) -> Vec<Vec<Occasion>> {
        let stream = &mut Stream::new(seed, 7);
        let (common, share) = (self.noise(stream), self.figures.1);
        let figure = |own: Vec<f64>, stream: &mut Stream| -> Vec<Occasion> {
            let night = |at: usize| {
                let noise = common[at] * share.sqrt() + own[at] * (1.0 - share).sqrt();
                let part = at as f64 / (NIGHTS - 1) as f64;
                let deviation = if self.grows_to > 0.0 {
                    self.noise + (self.grows_to - self.noise) * part
                } else {
                    self.noise
                };
                let weekend = if at % 7 >= 5 { self.weekend } else { 0.0 };
                let step = self.step.filter(|(from, _)| at >= *from).map_or(0.0, |(_, share)| share);
                let odd = self.odd.filter(|(night, _)| at == *night).map_or(0.0, |(_, share)| share);
                weekend + step + odd + self.drift * part + deviation * noise
            };
            (0..NIGHTS)
                .map(|at| Occasion { value: night(at) + WITHIN * stream.normal(), error: WITHIN })
                .collect()
        };
        (0..self.figures.0)
            .map(|_| {
                let own = self.noise(stream);
                figure(own, stream)
            })
            .collect()
    }

    /// Returns the conclusions about every night, figure by figure.
    fn standings(&self, seed: u64) -> Vec<Vec<Standing>> {
        let all = self.series(seed);
        let question = Question { least: BY, series: all.len(), known: &[] };
        all.iter().map(|one| histories(one, &question).into_iter().map(|of| of.standing).collect()).collect()
    }

    /// Returns the nights, by index, whose run gave an alarm.
    fn alarms(&self, seed: u64) -> Vec<usize> {
        let all = self.standings(seed);
        (0..NIGHTS).filter(|night| all.iter().any(|one| one[*night].is_worse(BY))).collect()
    }
}

/// Returns how many of `all` series have any alarm.
fn alarmed(world: World, all: u64) -> usize {
    (0..all).filter(|seed| !world.alarms(*seed).is_empty()).count()
}

/// Returns in how many of 100 series the first alarm comes in the three nights of a fall by 3 %, at a night from the 11th
/// to the 27th.
fn found(world: World) -> usize {
    let is_found = |seed: &u64| {
        let night = 10 + *seed as usize % 17;
        let alarms = World { step: Some((night, 0.97f64.ln())), ..world }.alarms(1000 + *seed);
        alarms.first().is_some_and(|first| (night..night + 3).contains(first))
    };
    (0..100).filter(is_found).count()
}

#[test]
fn a_fall_of_3_per_cent_is_found_within_three_nights_and_calm_series_stay_silent() {
    let one = World { figures: (1, 0.0), ..CALM };
    for (words, world, [most, least]) in [
        ("one exact figure", World { noise: 0.0, ..one }, [0, 100]),
        ("one figure, noise 0.3 %", World { noise: 0.003, ..one }, [0, 98]),
        ("one figure, noise 0.5 %", one, [0, 95]),
        ("one figure, noise 1 %", World { noise: 0.01, ..one }, [2, 52]),
        ("six figures, noise 0.5 %", CALM, [0, 98]),
        ("six figures, noise 0.75 %", World { noise: 0.0075, ..CALM }, [1, 96]),
        ("six figures, noise 1 %", World { noise: 0.01, ..CALM }, [2, 80]),
        ("six figures, noise 2 %", World { noise: 0.02, ..CALM }, [5, 0]),
    ] {
        let (alarms, found) = (alarmed(world, 300), found(world));
        println!("{words}: {alarms} alarms in 300 without a fall, {found} of 100 falls found");
        assert!(alarms <= most && found >= least, "{words}: {alarms} alarms, {found} found");
    }
}

#[test]
fn hostile_nights_seldom_alarm() {
    for (words, world, most) in [
        ("weekends slower by 2 %", World { weekend: -0.02, ..CALM }, 2),
        ("weekends slower by 4 %", World { weekend: -0.04, ..CALM }, 4),
        ("neighbours alike, 0.5", World { rho: 0.5, ..CALM }, 2),
        ("neighbours alike, 0.5, noise 1 %", World { rho: 0.5, noise: 0.01, ..CALM }, 11),
        ("neighbours alike, 0.8, noise 1 %", World { rho: 0.8, noise: 0.01, ..CALM }, 26),
        ("heavy tails", World { tails: 3, ..CALM }, 1),
        ("heavy tails, noise 1 %", World { tails: 3, noise: 0.01, ..CALM }, 5),
        ("an odd night of 4 %", World { odd: Some((17, -0.04)), ..CALM }, 2),
        ("an odd night of 8 %, noise 1 %", World { odd: Some((17, -0.08)), noise: 0.01, ..CALM }, 12),
        ("noise that grows from 0.3 to 1.5 %", World { noise: 0.003, grows_to: 0.015, ..CALM }, 9),
        ("a rise of 5 %", World { step: Some((15, 0.05)), ..CALM }, 0),
    ] {
        let alarms = alarmed(world, 100);
        println!("{words}: {alarms} alarms in 100 series");
        assert!(alarms <= most, "{words}: {alarms}");
    }
}

/// Returns in how many of 100 series any figure's newest night is as `is` says.
fn told(world: World, is: fn(&Standing) -> bool) -> usize {
    let any = |seed: &u64| world.standings(*seed).iter().any(|one| is(&one[NIGHTS - 1]));
    (0..100).filter(any).count()
}

#[test]
fn drifts_rises_and_odd_nights_are_called_what_they_are() {
    let drifts =
        told(World { drift: -0.03, ..CALM }, |of| matches!(of, Standing::Drifts(slope) if slope.total < 0.0));
    let rises = told(
        World { step: Some((15, 0.05)), ..CALM },
        |of| matches!(of, Standing::Moved { by, .. } if *by > 0.0),
    );
    let odd = told(
        World { odd: Some((29, -0.04)), ..CALM },
        |of| matches!(of, Standing::Odd { by, from: 29, .. } if *by < 0.0),
    );
    println!("of 100: {drifts} drifts of 3 %, {rises} rises of 5 %, {odd} odd nights of 4 %");
    assert!(drifts >= 95 && rises >= 98 && odd >= 90, "{drifts} {rises} {odd}");
}

#[test]
fn a_single_night_is_no_level_however_far_it_lies_and_a_second_one_makes_it_one() {
    let world = |night| World { step: Some((night, -0.3)), ..CALM };
    let count =
        |night, nights: &[usize]| (0..100).filter(|seed| world(night).alarms(*seed) == nights).count();
    assert_eq!((count(29, &[]), count(28, &[29])), (100, 100));
    let last =
        |of: &Standing| matches!(of, Standing::Odd { by, half_width, from: 29 } if by + half_width < -0.2);
    assert_eq!(told(world(29), last), 100);
}

#[test]
fn fewer_than_eight_nights_are_too_few() {
    let all = World { step: Some((5, -0.3)), ..CALM }.standings(1);
    assert!(all.iter().all(|one| one[..7].iter().all(|of| *of == Standing::TooFew)), "{all:?}");
}

#[test]
fn a_spell_that_ends_is_no_level() {
    let mut values: Vec<f64> = (0..NIGHTS).map(|at| if at % 2 == 0 { 0.002 } else { -0.002 }).collect();
    values[15..18].iter_mut().for_each(|value| *value -= 0.05);
    let night = |value: &f64| Occasion { value: *value, error: 0.001 };
    let all: Vec<Occasion> = values.iter().map(night).collect();
    let histories = histories(&all, &Question { least: BY, series: 1, known: &[] });
    assert!(histories[16].standing.is_worse(BY), "{:?}", histories[16]);
    let last = histories.last().unwrap();
    assert_eq!((&last.standing, last.stretches.len()), (&Standing::Steady, 1), "{last:?}");
    assert_eq!(last.stretches[0].odd, [15, 16, 17]);
}

#[test]
fn a_change_at_the_time_of_anothers_needs_less_evidence() {
    let before = [0.008, -0.013, 0.011, -0.006, 0.014, -0.011, 0.002, -0.005];
    let all: Vec<Occasion> =
        before.into_iter().chain([-0.042, -0.038]).map(|value| Occasion { value, error: 0.002 }).collect();
    let moved = |known: &[usize]| {
        let question = Question { least: BY, series: 6, known };
        matches!(histories(&all, &question).last().unwrap().standing, Standing::Moved { by, .. } if by < -0.03)
    };
    assert_eq!([&[][..], &[8], &[7]].map(moved), [false, true, false]);
}
