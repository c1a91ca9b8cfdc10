//! Date, commit and target of this build.

/// The date of the commit in release builds; in other builds the day on which work on this version began.
pub const DATE: &str = match option_env!("PLIMSOLL_DATE") {
    Some(date) => date,
    None => "2026-11-23",
};

/// Returns the text of `--version` after the number: the commit if one was given at build time, the target machine,
/// and the I/O backends.
pub fn long_version() -> String {
    let commit = option_env!("PLIMSOLL_COMMIT")
        .map_or_else(|| "development build".to_owned(), |commit| format!("commit {commit}, {DATE}"));
    let libc = if cfg!(target_env = "musl") { "static, musl" } else { "glibc" };
    format!(
        "{}\n{commit}\n{} Linux, {libc}\nI/O by io_uring, libaio, pread and preadv2\nspeaks fio 3.42, DiskSpd 2.2, ioping 1.3, iostat 12.6",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
    )
}
