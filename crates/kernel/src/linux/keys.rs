//! Keys of the terminal, one by one and without their echo, for as long as somebody wants them.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

const STDIN: c_int = libc::STDIN_FILENO;

/// How the terminal was before its keys were taken; `None` while they are its own.
static BEFORE: Mutex<Option<libc::termios>> = Mutex::new(None);

/// Takes the keys of the terminal that stdin is: they come without a line end, and are not shown. Those that send signals still
/// do. Gives back whether they are taken; not where stdin is no terminal, nor in the background, where the shell has them.
pub fn take_keys() -> bool {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if before.is_some() {
        return true;
    }
    if !in_foreground() {
        return false;
    }
    let mut now = MaybeUninit::<libc::termios>::uninit();
    // SAFETY: `now` is a valid place for the result.
    if unsafe { libc::tcgetattr(STDIN, now.as_mut_ptr()) } != 0 {
        return false;
    }
    // SAFETY: the call above has succeeded, and then it has written all of it.
    let was = unsafe { now.assume_init() };
    let mut one_by_one = was;
    one_by_one.c_lflag &= !(libc::ICANON | libc::ECHO);
    // A read comes back at once, with what there is.
    one_by_one.c_cc[libc::VMIN] = 0;
    one_by_one.c_cc[libc::VTIME] = 0;
    let taken = set(&one_by_one);
    if taken {
        *before = Some(was);
    }
    taken
}

/// Lets the terminal be as it was. In the background that is left to the shell, which has the terminal then.
pub fn give_keys_back() {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(was) = before.take().filter(|_| in_foreground()) {
        set(&was);
    }
}

/// The next key, where the keys are taken and one was pressed; does not wait.
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
    // SAFETY: `key` is a valid place for the one byte that is asked for.
    let read = unsafe { libc::read(STDIN, (&raw mut key).cast(), 1) };
    (read == 1).then_some(key)
}

fn set(attributes: &libc::termios) -> bool {
    // SAFETY: `attributes` is a valid `termios`, which the call only reads.
    unsafe { libc::tcsetattr(STDIN, libc::TCSANOW, attributes) == 0 }
}

/// Whether stdin is a terminal whose foreground group is that of this process.
fn in_foreground() -> bool {
    // SAFETY: neither call takes a pointer; on what is no terminal the first fails with -1, which is nobody's group.
    unsafe { libc::tcgetpgrp(STDIN) == libc::getpgrp() }
}
