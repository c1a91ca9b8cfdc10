//! Plain mathematics that knows no storage.
