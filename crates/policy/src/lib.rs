//! Published limits as data, and their evaluator.
