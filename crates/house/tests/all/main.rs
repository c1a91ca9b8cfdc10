//! The rules of the house, held against its own files.

mod citations;
mod decisions;
mod documents;
mod layers;
mod lengths;
mod places;
mod rules;
mod shapes;
mod skips;
