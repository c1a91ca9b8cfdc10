//! Message texts and symbolic names of the system's error numbers.

/// Returns the C library's text for an errno, without its number.
pub fn errno_text(errno: i32) -> String {
    let text = std::io::Error::from_raw_os_error(errno).to_string();
    match text.rfind(" (os error") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// Names of the errors that I/O can return, with their numbers on Linux.
#[rustfmt::skip]
const NAMES: [(&str, i32); 26] = [
    ("EPERM", 1), ("ENOENT", 2), ("EINTR", 4), ("EIO", 5), ("ENXIO", 6), ("EBADF", 9), ("EAGAIN", 11), ("ENOMEM", 12),
    ("EACCES", 13), ("EFAULT", 14), ("EBUSY", 16), ("ENODEV", 19), ("EINVAL", 22), ("EFBIG", 27), ("ENOSPC", 28),
    ("EROFS", 30), ("ENODATA", 61), ("ETIME", 62), ("ENOLINK", 67), ("EOVERFLOW", 75), ("EILSEQ", 84),
    ("EOPNOTSUPP", 95), ("ETIMEDOUT", 110), ("ESTALE", 116), ("EREMOTEIO", 121), ("EDQUOT", 122),
];

/// Returns the number of a symbolic name such as `EIO`.
pub fn errno_named(name: &str) -> Option<i32> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, errno)| *errno)
}

/// Returns the symbolic name of a number, such as `EIO` for 5, or `errno 5` if the table lacks it.
pub fn errno_name(errno: i32) -> String {
    let known = NAMES.iter().find(|(_, number)| *number == errno);
    known.map_or_else(|| format!("errno {errno}"), |(name, _)| (*name).to_owned())
}
