//! Tiles: the main figures, each with a bar that compares the measured with the promised value.

use super::class_of;
use super::parts::prose;
use crate::markup::{Markup, element, markup};
use crate::words::tiles::{PromiseWords, Tile, TileFigure};

/// Greatest length of a bar, as a share of the promised value; longer bars are cut off.
const BAR_MAX: f64 = 1.25;

/// Returns the row of tiles; `None` if there are no tiles.
pub(super) fn tiles(tiles: &[Tile]) -> Option<Markup> {
    let all: Markup = tiles.iter().map(tile).collect();
    (!all.is_empty()).then(|| element("dl").with("class", "tiles").line(markup!["\n", all]))
}

fn tile(tile: &Tile) -> Markup {
    let figures: Markup = tile.figures.iter().map(figure).collect();
    element("div").line(markup![element("dt").holding(&tile.name), figures])
}

fn figure(figure: &TileFigure) -> Markup {
    let unit = (!figure.unit.is_empty()).then(|| markup![" ", element("small").holding(&figure.unit)]);
    let value = element("b").holding(markup![prose(&figure.value), unit]);
    let what = element("span").holding(prose(&figure.what));
    element("dd").holding(markup![value, " ", what, figure.promised.as_ref().map(promised)])
}

/// Returns the promise in words, and a bar with a mark at the promised value; the words say all that the bar shows.
fn promised(promise: &PromiseWords) -> Markup {
    let words = element("em").holding(prose(&promise.words));
    match promise.share.is_finite() {
        true => markup![" ", words, bar(promise)],
        // A share that is not finite has no length.
        false => markup![" ", words],
    }
}

fn bar(promise: &PromiseWords) -> Markup {
    let full = promise.share.clamp(1.0, BAR_MAX);
    let percent = |share: f64| format!("{:.1}%", 100.0 * (share / full).clamp(0.0, 1.0));
    let measured = element("i").with("class", class_of(promise.answer));
    let measured = measured.with("style", format_args!("width:{}", percent(promise.share))).holding("");
    let mark = element("u").with("style", format_args!("left:{}", percent(1.0))).holding("");
    let bar = element("span").with("class", "bar").with("aria-hidden", "true");
    bar.holding(markup![measured, mark])
}
