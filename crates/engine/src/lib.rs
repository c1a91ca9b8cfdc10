//! Workload and facts to plan to recorded run.
