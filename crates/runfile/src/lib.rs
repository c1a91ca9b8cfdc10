//! A run and its one SQLite file.
