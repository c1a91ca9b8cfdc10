//! Check as a procedure: given what is known, the next step or done.
