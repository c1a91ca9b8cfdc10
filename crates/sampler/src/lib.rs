//! Kernel counters to facts and raw series.
