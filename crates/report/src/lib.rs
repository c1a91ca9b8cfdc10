//! Run and findings to text, charts and pages.
