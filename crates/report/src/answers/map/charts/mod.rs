//! Charts of a map: a heat map of rates, and the two graphs against block size.

mod by_block;
mod heat;

pub(crate) use by_block::by_block;
pub(crate) use heat::heat;
