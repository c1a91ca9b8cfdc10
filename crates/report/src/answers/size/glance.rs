//! The answer at a glance: the tiles of a device.

use analysis::size::{SizedSetting, Sizing};

use super::{amount, short, wait};
use crate::words::numbers;
use crate::words::tiles::{Tile, TileFigure};
use crate::words::wrap::clean;

/// Returns the tiles of a device.
pub(super) fn tiles(sizing: &Sizing) -> Vec<Tile> {
    let best = best(sizing);
    let now = sizing.present.as_ref();
    let prices = [(best, "cheapest that carries it"), (now, "what it has now")];
    let price = |(setting, what): (Option<&SizedSetting>, &str)| {
        let setting = setting?;
        let price = setting.price.as_ref()?;
        let what = format!("{what}: {}", short(&setting.policy));
        let figure = TileFigure::plain(amount(price.amount), what);
        Some(TileFigure { unit: clean(&price.currency), ..figure })
    };
    let load = [(sizing.load.iops_peak, "in the busiest reading"), (sizing.load.iops_mean, "in the mean")];
    let load = load.map(|(rate, what)| TileFigure::plain(numbers::count(rate), what.to_owned()));
    let spare = best.and_then(|best| best.headroom).map(|factor| {
        TileFigure::plain(numbers::share(factor - 1.0), "by which the load may grow".to_owned())
    });
    let cheaper = sizing.cheaper.and_then(|at| sizing.settings.get(at));
    let waits = cheaper.and_then(|cheaper| {
        let longest = cheaper.added?.longest_s[1];
        let what = format!("longest wait with {}", short(&cheaper.policy));
        Some(TileFigure::plain(format!("+{}", wait(longest)), what))
    });
    let tiles = [
        Tile::of("Price a month", prices.into_iter().filter_map(price).collect()),
        Tile::of("IOPS", load.to_vec()),
        Tile::of("To spare", spare.into_iter().collect()),
        Tile::of("The next cheaper", waits.into_iter().collect()),
    ];
    tiles.into_iter().flatten().collect()
}

fn best(sizing: &Sizing) -> Option<&SizedSetting> {
    sizing.cheapest.and_then(|at| sizing.settings.get(at))
}
