//! Prints how often a level's interval holds its long-run mean, how wide it is, and how large the bias of the mean is.
#![allow(clippy::print_stdout)]

mod turns;
mod volume;

use statistics::level::{Basis, Level};
use turns::levels;
use volume::{Looks, MEAN, Strays, one};

const RUNS: u64 = 200;

fn cell(looks: Looks, strays: Strays) -> String {
    told(&(0..RUNS).filter_map(|run| one(looks, strays, run)).collect::<Vec<_>>())
}

/// The first of four levels that a check measures in turn.
fn in_turn(strays: Strays) -> String {
    told(&(0..RUNS).filter_map(|run| levels(strays, run).into_iter().next()).collect::<Vec<_>>())
}

fn told(found: &[Level]) -> String {
    let share = |of: &dyn Fn(&Level) -> bool| {
        100.0 * found.iter().filter(|level| of(level)).count() as f64 / found.len().max(1) as f64
    };
    let mean = |of: &dyn Fn(&Level) -> f64| {
        100.0 * found.iter().map(of).sum::<f64>() / (found.len().max(1) as f64 * MEAN)
    };
    format!(
        "{:.1} (±{:.2}, {:+.2}, {:.0})",
        share(&|level| (level.mean - MEAN).abs() <= level.half_width),
        mean(&|level| level.half_width),
        mean(&|level| level.mean - MEAN),
        share(&|level| level.basis == Basis::Wandering)
    )
}

fn main() {
    let looks = |moments, values, span| Looks { moments, values, span };
    let all = [
        looks(1, 5, 3.0),
        looks(1, 14, 7.0),
        looks(5, 8, 60.0),
        looks(8, 5, 100.0),
        looks(15, 5, 120.0),
        looks(12, 12, 180.0),
    ];
    let mut noises = Vec::new();
    for cv in [0.0005, 0.01, 0.1] {
        noises.extend([0.0, 0.3, 0.6, 0.8].map(|rho| Strays { cv, rho, slow: 0.0, memory: 1.0 }));
    }
    for (slow, memory) in [(0.02, 60.0), (0.02, 300.0), (0.05, 60.0), (0.05, 300.0)] {
        noises.extend([(0.0005, 0.0), (0.01, 0.3), (0.05, 0.6)].map(|(cv, rho)| Strays {
            cv,
            rho,
            slow,
            memory,
        }));
    }
    let head: Vec<String> =
        all.iter().map(|l| format!("{} × {} in {:.0} s", l.moments, l.values, l.span)).collect();
    println!("| CV, rho, slow | {} | in turn |", head.join(" | "));
    for strays in noises {
        let slow = if strays.slow > 0.0 {
            format!(", {} % {} s", 100.0 * strays.slow, strays.memory)
        } else {
            String::new()
        };
        let cells: Vec<String> = all.iter().map(|looks| cell(*looks, strays)).collect();
        println!(
            "| {} %, {}{slow} | {} | {} |",
            100.0 * strays.cv,
            strays.rho,
            cells.join(" | "),
            in_turn(strays)
        );
    }
}
