//! The languages of other tools, in and out.
