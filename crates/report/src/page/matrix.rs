//! A run whose loads were each both read and written, as the table in which CrystalDiskMark shows such loads.

use record::Run;

use super::parts::{note, scrolled, section};
use crate::markup::{Markup, markup};
use crate::words::matrix;

/// Returns the tables of such a run; nothing if its loads do not form such a matrix.
pub(super) fn sections(run: &Run) -> Markup {
    let cells = analysis::cells(run);
    let (Some(bandwidths), Some(rates), Some(latencies)) =
        (matrix::bandwidths(&cells), matrix::rates(&cells), matrix::latencies(&cells))
    else {
        return Markup::default();
    };
    let mix = matrix::mix_words(&cells).unwrap_or_default();
    markup![
        section(
            "MB/s",
            markup![
                scrolled(&bandwidths),
                note(format!("1 MB is 1,000,000 bytes. {mix}").trim_end().to_owned())
            ]
        ),
        section("Operations a second", scrolled(&rates)),
        section("Mean latency", scrolled(&latencies)),
    ]
}
