//! Where run files go when nobody says where, and under which name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The directory for run files of this user: `$XDG_STATE_HOME/plimsoll`, else `~/.local/state/plimsoll`, else
/// `plimsoll` in the system's directory for temporary files. It may not exist yet.
pub fn state_directory() -> PathBuf {
    state_directory_from(std::env::var_os("XDG_STATE_HOME").as_deref(), std::env::var_os("HOME").as_deref())
}

/// As [`state_directory`], with the two variables given. Relative paths do not count, as the XDG base directory
/// specification wants it.
pub fn state_directory_from(state_home: Option<&OsStr>, home: Option<&OsStr>) -> PathBuf {
    let absolute = |path: Option<&OsStr>| path.map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(state_home)
        .or_else(|| absolute(home).map(|home| home.join(".local/state")))
        .unwrap_or_else(std::env::temp_dir)
        .join("plimsoll")
}

/// A file name's stem for a target: `data` for `/mnt/data`, `lab-aws-gp3` for `lab:aws-gp3`, `root` for `/`. Give `.` and
/// other relative paths in their absolute form. Characters that need quoting in a shell become `-`.
pub fn stem_of(target: &str) -> String {
    let schemed = ["lab:", "sim:", "null:"].iter().any(|scheme| target.starts_with(scheme));
    let last = if schemed { target } else { target.trim_end_matches('/').rsplit('/').next().unwrap_or("") };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let safe: String = last.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    match safe.trim_matches(['-', '.']) {
        "" => "root".to_owned(),
        stem => stem.to_owned(),
    }
}

/// A path in `dir` that is free now: `STEM-DATE.plimsoll`, then `STEM-DATE-2.plimsoll` and so on. `date` is written
/// `YYYY-MM-DD`. The [`Writer`](crate::Writer) still refuses a name that somebody else takes in between.
pub fn fresh_name(dir: &Path, stem: &str, date: &str) -> PathBuf {
    let first = dir.join(format!("{stem}-{date}.plimsoll"));
    if !taken(&first) {
        return first;
    }
    let mut n: u64 = 2;
    loop {
        let next = dir.join(format!("{stem}-{date}-{n}.plimsoll"));
        if !taken(&next) {
            return next;
        }
        n += 1;
    }
}

/// A dangling link takes its name too; what cannot be looked at is left for the writer to refuse.
fn taken(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_directory_follows_the_xdg_specification() {
        let from = |state: Option<&str>, home: Option<&str>| {
            state_directory_from(state.map(OsStr::new), home.map(OsStr::new))
        };
        assert_eq!(from(Some("/var/state"), Some("/home/a")), Path::new("/var/state/plimsoll"));
        assert_eq!(from(Some("relative"), Some("/home/a")), Path::new("/home/a/.local/state/plimsoll"));
        assert_eq!(from(None, Some("/home/a")), Path::new("/home/a/.local/state/plimsoll"));
        assert!(from(None, None).ends_with("plimsoll"));
    }

    #[test]
    fn stems_are_short_and_need_no_quoting() {
        for (target, stem) in [
            ("/mnt/data", "data"),
            ("/mnt/data/", "data"),
            ("/", "root"),
            ("/dev/nvme1n1", "nvme1n1"),
            ("lab:do-volumes-pre-burst", "lab-do-volumes-pre-burst"),
            ("sim:aws-gp2,size=100GiB", "sim-aws-gp2-size-100GiB"),
            ("null:", "null"),
            ("/mnt/my disk;rm", "my-disk-rm"),
            ("", "root"),
        ] {
            assert_eq!(stem_of(target), stem, "{target}");
        }
    }

    #[test]
    fn a_taken_name_is_never_given_out_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut seen = Vec::new();
        for _ in 0..3 {
            let path = fresh_name(dir.path(), "data", "2026-11-21");
            std::fs::write(&path, "").unwrap();
            seen.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
        assert_eq!(
            seen,
            ["data-2026-11-21.plimsoll", "data-2026-11-21-2.plimsoll", "data-2026-11-21-3.plimsoll"]
        );
        std::os::unix::fs::symlink("/nowhere", dir.path().join("link-2026-11-21.plimsoll")).unwrap();
        assert!(fresh_name(dir.path(), "link", "2026-11-21").ends_with("link-2026-11-21-2.plimsoll"));
    }
}
