//! plimsoll: how much load a volume really bears, which limit stops it, and whether that will last.

fn main() {}
