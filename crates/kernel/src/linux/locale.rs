//! Times and decimal points as the user's locale writes them; only the C library knows every installed locale.

use std::ffi::{CStr, CString};

/// The locale of the environment, or the C locale if that one is not installed.
#[derive(Debug)]
pub struct Locale(libc::locale_t);

/// The mask of all POSIX categories: `LC_ALL_MASK` is not declared for every C library.
const ALL: libc::c_int = libc::LC_CTYPE_MASK
    | libc::LC_NUMERIC_MASK
    | libc::LC_TIME_MASK
    | libc::LC_COLLATE_MASK
    | libc::LC_MONETARY_MASK
    | libc::LC_MESSAGES_MASK;

/// Bytes that hold a date and time of any locale.
const ROOM: usize = 256;

impl Locale {
    /// The locale that `LC_ALL`, the `LC_…` variables and `LANG` name.
    pub fn of_environment() -> Locale {
        // SAFETY: both names are NUL-terminated strings that outlive the call; no base locale is given to modify.
        let found = unsafe { libc::newlocale(ALL, c"".as_ptr(), std::ptr::null_mut()) };
        if !found.is_null() {
            return Locale(found);
        }
        // SAFETY: as above; the C locale is always there.
        Locale(unsafe { libc::newlocale(ALL, c"C".as_ptr(), std::ptr::null_mut()) })
    }

    /// Formats the local time `unix_s` seconds after 1970 by the strftime(3) format `form`; empty if it cannot be used.
    pub fn time(&self, unix_s: i64, form: &str) -> String {
        let Ok(form) = CString::new(form) else { return String::new() };
        if self.0.is_null() {
            return String::new();
        }
        // SAFETY: every field of `tm` may be zero, its pointer too.
        let mut parts: libc::tm = unsafe { std::mem::zeroed() };
        let mut text = [0u8; ROOM];
        // SAFETY: both pointers are to values of this frame.
        if unsafe { libc::localtime_r(&unix_s, &mut parts) }.is_null() {
            return String::new();
        }
        // SAFETY: `text` has `ROOM` bytes, the form is NUL-terminated, `parts` was filled in above, and the locale is
        // not null and is freed only when `self` is dropped.
        let length =
            unsafe { libc::strftime_l(text.as_mut_ptr().cast(), ROOM, form.as_ptr(), &parts, self.0) };
        String::from_utf8_lossy(text.get(..length).unwrap_or_default()).into_owned()
    }

    /// The separator between whole numbers and decimals.
    pub fn decimal_point(&self) -> String {
        if self.0.is_null() {
            return ".".to_owned();
        }
        // SAFETY: the locale is not null; the text belongs to it and is copied before anything else can touch it.
        let text = unsafe { CStr::from_ptr(libc::nl_langinfo_l(libc::RADIXCHAR, self.0)) };
        let text = text.to_string_lossy();
        if text.is_empty() { ".".to_owned() } else { text.into_owned() }
    }
}

impl Drop for Locale {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: made by newlocale(3), freed once, and no copy of it is handed out.
            unsafe { libc::freelocale(self.0) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_the_parts_that_the_form_asks_for() {
        let locale = Locale::of_environment();
        assert_eq!(locale.time(0, "%s"), "0");
        assert!(!locale.time(1_700_000_000, "%x").is_empty());
        assert_eq!(locale.time(0, "a\0b"), "");
        assert_eq!(locale.decimal_point().chars().count(), 1);
    }
}
