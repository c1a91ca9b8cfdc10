//! The answer of `plimsoll map` in a page: for each direction its caps, what to run and the grid; the charts stand
//! below.

use analysis::MapAnswer;
use analysis::map::DirectionMap;

use crate::markup::{Markup, element, markup};
use crate::page::parts::{note, prose, section, titled};
use crate::words::mapped::{Shows, cost_words, grid, lines, of_direction, rows, rows_heading, together};
use crate::words::sentence::capital;

/// Returns the sections of the answer.
pub(super) fn sections(answer: &MapAnswer) -> Markup {
    let of_way = |map: &DirectionMap| section(&capital(&of_direction(map.direction)), direction(answer, map));
    let rest = together(answer);
    let list = (!rest.is_empty()).then(|| items(&rest));
    markup![
        answer.directions.iter().map(of_way).collect::<Markup>(),
        section("Reads beside writes, and order", list.into()),
        answer.cost.as_ref().map(|cost| note(cost_words(cost))),
    ]
}

fn direction(answer: &MapAnswer, map: &DirectionMap) -> Markup {
    markup![
        items(&lines(map)),
        titled(&rows_heading(answer), &rows(map)),
        titled("I/Os a second by queue depth", &grid(answer, map, Shows::Rate)),
        titled("Mean latency by queue depth", &grid(answer, map, Shows::Latency)),
        note("~ follows from the cells that were measured; - is not known."),
    ]
}

fn items(sentences: &[String]) -> Markup {
    let items: Markup = sentences.iter().map(|line| element("li").holding(prose(line))).collect();
    element("ul").line(items)
}
