//! The width of the terminal.

use std::ffi::c_int;

/// Columns of the terminal on stderr; `None` if it is not a terminal or does not say.
pub fn columns_of_stderr() -> Option<usize> {
    columns_of(libc::STDERR_FILENO)
}

/// Columns of the terminal on stdout; `None` if it is not a terminal or does not say.
pub fn columns_of_stdout() -> Option<usize> {
    columns_of(libc::STDOUT_FILENO)
}

fn columns_of(descriptor: c_int) -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: `size` is a valid place for the result, which is read only if the call succeeded.
    let told = unsafe { libc::ioctl(descriptor, libc::TIOCGWINSZ, &mut size) };
    (told == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
}
