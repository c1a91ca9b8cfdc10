//! Policies to simulated and kernel-throttled volumes.
