//! Minimising a function of a few variables without derivatives.

/// Finds a local minimum of `cost` near `start` by the simplex method of Nelder and Mead (Computer Journal 7(4), 1965) with their
/// coefficients; `step` is the size of the first simplex. Costs that are not numbers count as infinite. Returns the best
/// place and its cost.
#[must_use]
pub fn minimise(cost: impl Fn(&[f64]) -> f64, start: &[f64], step: f64) -> (Vec<f64>, f64) {
    const ITERATIONS_MAX: usize = 600;
    let evaluate = |place: Vec<f64>| {
        let value = cost(&place);
        Corner { place, cost: if value.is_nan() { f64::INFINITY } else { value } }
    };
    let mut corners = vec![evaluate(start.to_vec())];
    for axis in 0..start.len() {
        let mut place = start.to_vec();
        place[axis] += step;
        corners.push(evaluate(place));
    }
    for _ in 0..ITERATIONS_MAX {
        corners.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let (best, worst) = (&corners[0], &corners[start.len()]);
        if worst.cost - best.cost <= 1e-13 * (1e-3 + best.cost.abs()) && width(&corners) < 1e-9 {
            break;
        }
        advance(&mut corners, &evaluate);
    }
    corners.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let best = corners.swap_remove(0);
    (best.place, best.cost)
}

struct Corner {
    place: Vec<f64>,
    cost: f64,
}

fn width(corners: &[Corner]) -> f64 {
    let far =
        |c: &Corner| c.place.iter().zip(&corners[0].place).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    corners.iter().map(far).fold(0.0, f64::max)
}

/// One step: the worst of the sorted corners is reflected, expanded or contracted, else all shrink towards the best.
fn advance(corners: &mut [Corner], evaluate: &impl Fn(Vec<f64>) -> Corner) {
    let last = corners.len() - 1;
    let dimensions = corners[0].place.len();
    let centre: Vec<f64> = (0..dimensions)
        .map(|axis| corners[..last].iter().map(|c| c.place[axis]).sum::<f64>() / last as f64)
        .collect();
    let towards = |from: &[f64], factor: f64| -> Vec<f64> {
        centre.iter().zip(from).map(|(c, f)| c + factor * (f - c)).collect()
    };
    let reflected = evaluate(towards(&corners[last].place, -1.0));
    if reflected.cost < corners[0].cost {
        let expanded = evaluate(towards(&corners[last].place, -2.0));
        corners[last] = if expanded.cost < reflected.cost { expanded } else { reflected };
        return;
    }
    if last > 0 && reflected.cost < corners[last - 1].cost {
        corners[last] = reflected;
        return;
    }
    let factor = if reflected.cost < corners[last].cost { -0.5 } else { 0.5 };
    let contracted = evaluate(towards(&corners[last].place, factor));
    if contracted.cost < corners[last].cost.min(reflected.cost) {
        corners[last] = contracted;
        return;
    }
    let best = corners[0].place.clone();
    for corner in &mut corners[1..] {
        *corner = evaluate(corner.place.iter().zip(&best).map(|(c, b)| b + 0.5 * (c - b)).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banana_valley_is_followed_to_its_end() {
        let valley = |p: &[f64]| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2);
        let (place, cost) = minimise(valley, &[-1.2, 1.0], 0.5);
        assert!(
            (place[0] - 1.0).abs() < 1e-4 && (place[1] - 1.0).abs() < 1e-4 && cost < 1e-8,
            "{place:?} {cost}"
        );
    }

    #[test]
    fn a_cost_that_is_not_a_number_is_avoided() {
        let (place, _) = minimise(|p| if p[0] < 0.0 { f64::NAN } else { (p[0] - 0.25).abs() }, &[2.0], 1.0);
        assert!((place[0] - 0.25).abs() < 1e-6, "{place:?}");
    }
}
