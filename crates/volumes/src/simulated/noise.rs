//! Noise of a rate: seeded series of factors, constant within their steps, with a long-term mean of one.

use statistics::Stream;
use workload::Nanos;

/// Greatest distance of a factor from one: a rate near zero would be a stall, which has a separate parameter.
const SWING_MAX: f64 = 0.95;
/// Steps per time constant of a slow process: the deviation of one step's change is then 31 % of the process's own.
const STEPS_A_TIME_CONSTANT: u64 = 20;
/// Longest step of a slow process, so that it also changes within a step of a check.
const SLOW_STEP_MAX: Nanos = Nanos::SECOND;
/// Step of flicker noise, and the time constant of its fastest part.
const FLICKER_STEP: Nanos = Nanos::from_millis(500);
/// Parts of flicker noise, two octaves apart: time constants of 0.5 s to 512 s. Equal variances at time constants
/// in geometric progression make a spectrum of 1/f between them (Milotti, "1/f noise: a pedagogical review", 2002).
const FLICKER_PARTS: u32 = 6;

/// A stationary Gaussian series with lag-one correlation `keep`: AR(1), or a sampled Ornstein-Uhlenbeck
/// process if `keep` is the exponential of its step.
#[derive(Clone, Debug)]
pub(super) struct Noise {
    step: Nanos,
    sd: f64,
    keep: f64,
    random: Stream,
    /// Present value, of unit variance.
    now: f64,
    /// Number of the step that `now` belongs to.
    at: u64,
}

impl Noise {
    /// Returns noise with this step, relative deviation `sd`, and correlation `keep` between adjacent steps.
    pub(super) fn new(step: Nanos, sd: f64, keep: f64, mut random: Stream) -> Noise {
        assert!(step > Nanos::ZERO && (0.0..1.0).contains(&keep), "a series of {step} and {keep}");
        let now = random.normal();
        Noise { step, sd, keep, random, now, at: 0 }
    }

    /// Returns noise whose correlation decays with the time constant `constant`.
    pub(super) fn slow(constant: Nanos, sd: f64, random: Stream) -> Noise {
        let step = Nanos((constant.0 / STEPS_A_TIME_CONSTANT).clamp(1, SLOW_STEP_MAX.0));
        Noise::forgetting(step, constant, sd, random)
    }

    /// Returns noise with equal shares of all time constants, of deviation `sd` together.
    pub(super) fn flicker(sd: f64, seed: u64, stream: u64) -> Vec<Noise> {
        let part = sd / f64::from(FLICKER_PARTS).sqrt();
        let of = |octave: u32| {
            let constant = Nanos(FLICKER_STEP.0 << (2 * octave));
            Noise::forgetting(FLICKER_STEP, constant, part, Stream::new(seed, stream + u64::from(octave)))
        };
        (0..FLICKER_PARTS).map(of).collect()
    }

    fn forgetting(step: Nanos, constant: Nanos, sd: f64, random: Stream) -> Noise {
        let keep = (-(step.0 as f64) / constant.0 as f64).exp();
        Noise::new(step, sd, keep, random)
    }

    /// Returns the factor at `time`, which never goes back, and the end of its step.
    pub(super) fn at(&mut self, time: Nanos) -> (f64, Nanos) {
        let number = time.0 / self.step.0;
        let fresh = (1.0 - self.keep * self.keep).sqrt();
        while self.at < number {
            self.at += 1;
            self.now = self.keep * self.now + fresh * self.random.normal();
        }
        let factor = 1.0 + (self.sd * self.now).clamp(-SWING_MAX, SWING_MAX);
        (factor, Nanos((number + 1) * self.step.0))
    }
}

#[cfg(test)]
mod tests {
    use statistics::dependence::lag_one;
    use statistics::moments::Moments;

    use super::*;

    fn series(mut noise: Noise, steps: u64) -> Vec<f64> {
        let step = noise.step.0;
        (0..steps).map(|number| noise.at(Nanos(number * step)).0).collect()
    }

    fn moments(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|&value| moments.push(value));
        moments
    }

    #[test]
    fn mean_deviation_and_correlation_are_as_asked() {
        for (sd, rho) in [(0.01, 0.0), (0.05, 0.3), (0.1, 0.6), (0.1, 0.8)] {
            let values = series(Noise::new(Nanos::SECOND, sd, rho, Stream::new(3, 9)), 200_000);
            let found = moments(&values);
            let of_mean = sd * ((1.0 + rho) / (1.0 - rho) / 200_000.0).sqrt();
            assert!((found.mean() - 1.0).abs() < 4.0 * of_mean, "{sd} {rho}: mean {}", found.mean());
            assert!((found.sd() / sd - 1.0).abs() < 0.03, "{sd} {rho}: {}", found.sd());
            assert!((lag_one(&values) - rho).abs() < 0.01, "{sd} {rho}: {}", lag_one(&values));
        }
    }

    #[test]
    fn slow_noise_forgets_over_its_time_constant() {
        let values = series(Noise::slow(Nanos::from_secs(60), 0.05, Stream::new(1, 9)), 400_000);
        let minute: Vec<f64> = values.iter().copied().step_by(60).collect();
        assert!((lag_one(&minute) - (-1.0f64).exp()).abs() < 0.05, "{}", lag_one(&minute));
        assert!((moments(&values).sd() / 0.05 - 1.0).abs() < 0.05);
    }

    #[test]
    fn flicker_has_the_same_deviation_on_every_scale() {
        let parts = Noise::flicker(0.06, 1, 40);
        let together: f64 = parts.iter().map(|part| part.sd * part.sd).sum();
        assert!((together.sqrt() - 0.06).abs() < 1e-12);
        let constants: Vec<f64> = parts.iter().map(|part| -0.5 / part.keep.ln()).collect();
        assert!(constants.windows(2).all(|pair| (pair[1] / pair[0] - 4.0).abs() < 1e-6), "{constants:?}");
    }
}
