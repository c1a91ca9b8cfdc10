//! Whose turn it is: a test that measures has the machine for itself, all others share it.

use std::cell::RefCell;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static MACHINE: RwLock<()> = RwLock::new(());

thread_local! {
    /// What the test on this thread holds, at most until the thread ends.
    static PART: RefCell<Part> = const { RefCell::new(Part::Nothing) };
}

#[expect(dead_code, reason = "held, never read")]
enum Part {
    Nothing,
    Share(RwLockReadGuard<'static, ()>),
    Whole(RwLockWriteGuard<'static, ()>),
}

/// The machine belongs to this test until the value is dropped.
pub struct Turn(());

/// Waits until no other test of the binary runs, and keeps them waiting: two programs that measure at the same moment would
/// measure each other.
#[must_use]
pub fn turn() -> Turn {
    PART.replace(Part::Nothing);
    PART.replace(Part::Whole(MACHINE.write().unwrap_or_else(PoisonError::into_inner)));
    Turn(())
}

impl Drop for Turn {
    fn drop(&mut self) {
        PART.replace(Part::Nothing);
    }
}

/// Waits until no test has the machine for itself. Whoever makes a folder does.
pub fn share() {
    if PART.with_borrow(|part| matches!(part, Part::Nothing)) {
        PART.replace(Part::Share(MACHINE.read().unwrap_or_else(PoisonError::into_inner)));
    }
}
