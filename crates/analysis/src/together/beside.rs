//! Which volume starves others: the rates of modest users of the others beside a volume that is filled, and fairness.

use serde::{Deserialize, Serialize};
use workload::TogetherLoad;

use super::loads::{LoadTogether, TogetherLooks};
use super::looks::{Look, Role};

/// Share of its rate alone below which a user is starved.
const STARVED: f64 = 0.5;

/// A modest user of one volume beside another that is filled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// The load of both.
    pub load: TogetherLoad,
    /// Index of the volume that is filled.
    pub greedy: usize,
    /// Index of the modest user's volume.
    pub modest: usize,
    /// Rate of the modest user alone, operations per second.
    pub alone: f64,
    /// Rate of the modest user beside the filled volume, operations per second.
    pub beside: f64,
    /// Mean latency of the modest user's I/Os, alone and beside the filled volume, nanoseconds.
    pub latency_ns: Option<(f64, f64)>,
}

impl Beside {
    /// Returns the rate beside the filled volume as a share of the rate alone.
    pub fn kept(&self) -> f64 {
        self.beside / self.alone
    }

    /// Whether the modest user is starved.
    pub fn starves(&self) -> bool {
        self.kept() < STARVED
    }
}

/// How evenly volumes share their total at once, each under the same load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fairness {
    /// The load.
    pub load: TogetherLoad,
    /// Jain's index: 1 if each volume has its fair rate, 1/n if one of n has all. With x the rate of a volume over its
    /// fair rate, the index is (Σx)² / (n Σx²) (R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness and
    /// Discrimination for Resource Allocation in Shared Computer Systems", DEC-TR-301, 1984). The fair division is the
    /// max-min one of their total at once: no volume gets more than it has alone, and the others share the rest
    /// equally.
    pub index: f64,
    /// Ratio of each volume's rate to its fair rate.
    pub of_fair: Vec<f64>,
}

/// Returns the rates of modest users of the other volumes beside each filled one.
pub(super) fn beside(seen: &TogetherLooks<'_>) -> Vec<Beside> {
    let greedy = seen.looks.iter().filter_map(|look| match look.role {
        Role::Greedy(greedy) => Some((greedy, look)),
        _ => None,
    });
    let pairs = greedy.flat_map(|(greedy, look)| {
        let others = (0..seen.asked.volumes.len()).filter(move |volume| *volume != greedy);
        others.map(move |modest| (greedy, modest, look))
    });
    let of = |(greedy, modest, look): (usize, usize, &Look<'_>)| {
        let role = Role::Shallow(modest);
        let alone = seen.in_role(look.load, &role).next()?;
        let label = &seen.asked.volumes[modest].label;
        Some(Beside {
            load: look.load,
            greedy,
            modest,
            alone: alone.rate(modest).filter(|rate| *rate > 0.0)?,
            beside: look.rate(modest)?,
            latency_ns: alone.latency_ns(label).zip(look.latency_ns(label)),
        })
    };
    pairs.filter_map(of).collect()
}

/// Returns the fairness of a load; `None` if a rate is not known.
pub(super) fn fairness(load: &LoadTogether) -> Option<Fairness> {
    let alone: Vec<f64> =
        load.rows.iter().map(|row| row.alone.map(|level| level.value)).collect::<Option<_>>()?;
    let has: Vec<f64> =
        load.rows.iter().map(|row| row.together.map(|level| level.value)).collect::<Option<_>>()?;
    let fair = max_min(&alone, has.iter().sum());
    let of_fair: Vec<f64> = has.iter().zip(&fair).map(|(has, fair)| has / fair).collect();
    let sound = of_fair.iter().all(|share| share.is_finite());
    sound.then(|| Fairness { load: load.load, index: jain(&of_fair), of_fair })
}

/// Returns Jain's index of these shares.
fn jain(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    if squares > 0.0 { sum * sum / (shares.len() as f64 * squares) } else { 1.0 }
}

/// Returns the max-min fair division of `all` among users who want `wants`.
fn max_min(wants: &[f64], all: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_by(|a, b| wants[*a].total_cmp(&wants[*b]));
    let (mut fair, mut left) = (vec![0.0; wants.len()], all);
    for (done, volume) in order.iter().enumerate() {
        fair[*volume] = wants[*volume].min(left / (wants.len() - done) as f64);
        left -= fair[*volume];
    }
    fair
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_does_not_need_goes_to_the_others_alike() {
        assert_eq!(max_min(&[300.0, 3000.0, 3000.0], 2300.0), [300.0, 1000.0, 1000.0]);
        assert_eq!(max_min(&[100.0, 200.0], 500.0), [100.0, 200.0]);
    }

    #[test]
    fn an_even_division_has_index_one_and_one_who_has_all_of_four_a_quarter() {
        assert!((jain(&[0.5, 0.5, 0.5]) - 1.0).abs() < 1e-12);
        assert!((jain(&[1.0, 0.0, 0.0, 0.0]) - 0.25).abs() < 1e-12);
    }
}
