//! Forecast of `where`, before it starts.

use super::ladder::{SET, SMALLEST};
use super::strip::PACED;
use super::{AGAIN, LADDER, PlacesAsk, STRIP};
use crate::layout::LAYOUT_GUESS;

/// Assumed speed of reading working sets on an unknown volume, in bytes per second.
const GUESS: f64 = 150e6;
/// Bytes of the sequences, both passes together.
const TRACKS: f64 = 400e6;

/// Usual seconds, including the layout.
pub fn places_seconds(ask: &PlacesAsk) -> f64 {
    let time = ask.asked.time.as_secs_f64();
    let layout = ask.layout.bytes().0 as f64 / LAYOUT_GUESS;
    let strips = PACED * (STRIP + AGAIN) * time;
    let tracks = (TRACKS / GUESS).min(super::TRACKS * time);
    layout + strips + tracks + ladder(ask)
}

/// Seconds for as many working sets as fit into the ladder's time at the assumed speed.
fn ladder(ask: &PlacesAsk) -> f64 {
    let (all, one) = (ask.share(LADDER).as_secs_f64(), ask.share(SET).as_secs_f64());
    let most = ask.asked.largest.0.min(ask.asked.size.0);
    let mut bytes = SMALLEST;
    // The smallest set is read and measured twice.
    let mut spent = 2.0 * (SMALLEST as f64 / GUESS + one);
    while bytes < most {
        let more = bytes.min(most - bytes) as f64 / GUESS + one;
        if spent + more > all {
            break;
        }
        spent += more;
        bytes = (2 * bytes).min(most);
    }
    spent
}
