//! What happened, in memory.
