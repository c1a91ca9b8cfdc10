//! The rules of the repository, checked on its own files.

mod citations;
mod decisions;
mod documents;
mod layers;
mod lengths;
mod places;
mod rules;
mod shapes;
mod skips;
mod weight;
