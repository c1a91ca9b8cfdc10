//! Keys of the terminal, read one by one and without echo.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

const STDIN: c_int = libc::STDIN_FILENO;

/// The terminal's settings before [`take_keys`] changed them; `None` while they are unchanged.
static BEFORE: Mutex<Option<libc::termios>> = Mutex::new(None);

/// Switches the terminal on stdin to single keys without echo; keys that send signals still do. Returns whether it is
/// switched: not if stdin is not a terminal, nor in the background, where the terminal belongs to the shell.
pub fn take_keys() -> bool {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if before.is_some() {
        return true;
    }
    if !in_foreground() {
        return false;
    }
    let mut now = MaybeUninit::<libc::termios>::uninit();
    // SAFETY: `now` is valid for writing the result.
    if unsafe { libc::tcgetattr(STDIN, now.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: the call above has succeeded, so it has written all of it.
    let was = unsafe { now.assume_init() };
    let mut one_by_one = was;
    one_by_one.c_lflag &= !(libc::ICANON | libc::ECHO);
    // A read returns at once, with the keys typed so far.
    one_by_one.c_cc[libc::VMIN] = 0;
    one_by_one.c_cc[libc::VTIME] = 0;
    let taken = set(&one_by_one);
    if taken {
        *before = Some(was);
    }
    taken
}

/// Restores the terminal's settings. In the background the terminal belongs to the shell, and nothing is changed.
pub fn give_keys_back() {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(was) = before.take().filter(|_| in_foreground()) {
        set(&was);
    }
}

/// Returns the next key, if [`take_keys`] is in effect and one was pressed; does not wait.
pub fn next_key() -> Option<u8> {
    let taken = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).is_some();
    // In the background a read would stop the process.
    if !taken || !in_foreground() {
        return None;
    }
    let mut asked = libc::pollfd { fd: STDIN, events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid entry is given, and the length says one.
    let ready = unsafe { libc::poll(&raw mut asked, 1, 0) };
    if ready != 1 || asked.revents & libc::POLLIN == 0 {
        return None;
    }
    let mut key = 0_u8;
    // SAFETY: `key` is valid for writing the one byte that is read.
    let read = unsafe { libc::read(STDIN, (&raw mut key).cast(), 1) };
    (read == 1).then_some(key)
}

fn set(attributes: &libc::termios) -> bool {
    // SAFETY: `attributes` is a valid `termios`, which the call only reads.
    unsafe { libc::tcsetattr(STDIN, libc::TCSANOW, attributes) == 0 }
}

/// Whether stdin is a terminal whose foreground group is this process's group.
fn in_foreground() -> bool {
    // SAFETY: neither call takes a pointer; if stdin is not a terminal, the first fails with -1, which is no group's id.
    unsafe { libc::tcgetpgrp(STDIN) == libc::getpgrp() }
}
