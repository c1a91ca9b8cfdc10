//! Run to findings and verdict, purely.
