//! The default place of run files, and their names.

use std::ffi::OsStr;
use std::path::PathBuf;

/// Parent of root's run files if there is no home, as under a service manager or cron: only root can write there.
const OF_ROOT: &str = "/var/lib";

/// Owner of the run files in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Root's.
    Root,
    /// Another user's.
    User,
}

/// Returns the directory for run files of this user: `$XDG_STATE_HOME/plimsoll`, else `~/.local/state/plimsoll`,
/// else root's `/var/lib/plimsoll`. `None` if no place is the user's own. The directory may not exist yet.
pub fn state_directory(whose: Whose) -> Option<PathBuf> {
    let (state, home) = (std::env::var_os("XDG_STATE_HOME"), std::env::var_os("HOME"));
    state_directory_from(state.as_deref(), home.as_deref(), whose)
}

/// Returns the directory of [`state_directory`] from the two variables. Relative paths do not count, as the
/// XDG base directory specification demands.
pub fn state_directory_from(
    state_home: Option<&OsStr>,
    home: Option<&OsStr>,
    whose: Whose,
) -> Option<PathBuf> {
    let absolute = |path: Option<&OsStr>| path.map(PathBuf::from).filter(|path| path.is_absolute());
    let of_root = || (whose == Whose::Root).then(|| PathBuf::from(OF_ROOT));
    let state = absolute(state_home)
        .or_else(|| absolute(home).map(|home| home.join(".local/state")))
        .or_else(of_root)?;
    Some(state.join("plimsoll"))
}

/// Most bytes of a stem, which leaves room for command, time, number, extension and SQLite's suffixes within the
/// 255 bytes that file systems allow.
const STEM_MAX: usize = 160;

/// Returns a file name's stem for a target: `data` for `/mnt/data`, `lab-aws-gp3` for `lab:aws-gp3`, `root`
/// for `/`. Relative paths such as `.` must be given in their absolute form. Characters that need quoting in
/// a shell become `-`; long names are cut at the end.
pub fn stem_of(target: &str) -> String {
    let schemed = ["lab:", "sim:", "null:"].iter().any(|scheme| target.starts_with(scheme));
    let last = if schemed { target } else { target.trim_end_matches('/').rsplit('/').next().unwrap_or("") };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let safe: String = last.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let least = safe.trim_matches(['-', '.']);
    let begin = &least[..least.floor_char_boundary(STEM_MAX)];
    match begin.trim_end_matches(['-', '.']) {
        "" => "root".to_owned(),
        stem => stem.to_owned(),
    }
}

/// Most bytes of a command in a name.
const COMMAND_MAX: usize = 40;

/// Returns the start of the names of a run's files: the target and the command, such as `vol-check`; without a
/// target, the command alone.
pub fn stem_of_run(target: &str, command: &str) -> String {
    let command = stem_of(command);
    let command = command[..command.floor_char_boundary(COMMAND_MAX)].trim_end_matches(['-', '.']);
    match target {
        "" => command.to_owned(),
        target => format!("{}-{command}", stem_of(target)),
    }
}

/// Returns the names that the files of a run may have, in the order in which to try them: `STEM-TIME`, then
/// `STEM-TIME-2` and so on. `time` is `YYYY-MM-DD-HHMM`, or `YYYY-MM-DD` if the time of day is unknown.
pub fn names(stem: &str, time: &str) -> impl Iterator<Item = String> {
    let base = format!("{stem}-{time}");
    (1_u64..).map(move |number| match number {
        1 => base.clone(),
        number => format!("{base}-{number}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_directory_follows_the_xdg_specification() {
        let from = |state: Option<&str>, home: Option<&str>, whose: Whose| {
            let found = state_directory_from(state.map(OsStr::new), home.map(OsStr::new), whose);
            found.map(|path| path.display().to_string())
        };
        for whose in [Whose::Root, Whose::User] {
            assert_eq!(from(Some("/var/state"), Some("/home/a"), whose).unwrap(), "/var/state/plimsoll");
            assert_eq!(
                from(Some("relative"), Some("/home/a"), whose).unwrap(),
                "/home/a/.local/state/plimsoll"
            );
            assert_eq!(from(None, Some("/home/a"), whose).unwrap(), "/home/a/.local/state/plimsoll");
        }
        // Never a place where others may have put files before.
        assert_eq!(from(None, None, Whose::Root).unwrap(), "/var/lib/plimsoll");
        assert_eq!(from(None, None, Whose::User), None);
        assert_eq!(from(None, Some("relative"), Whose::User), None);
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
    fn names_of_one_minute_are_numbered() {
        let tried: Vec<String> = names("data-check", "2026-11-21-2345").take(3).collect();
        let expected =
            ["data-check-2026-11-21-2345", "data-check-2026-11-21-2345-2", "data-check-2026-11-21-2345-3"];
        assert_eq!(tried, expected);
    }

    #[test]
    fn a_name_says_what_was_measured_by_which_command() {
        assert_eq!(stem_of_run("/mnt/vol", "check"), "vol-check");
        assert_eq!(stem_of_run("/", "quick"), "root-quick");
        assert_eq!(stem_of_run("", "watch"), "watch");
        assert_eq!(stem_of_run("sim:aws-gp3", "run my own/profile.toml"), "sim-aws-gp3-profile.toml");
        assert_eq!(stem_of_run("/mnt/vol", "run crystaldiskmark"), "vol-run-crystaldiskmark");
    }

    #[test]
    fn a_name_is_never_too_long_for_a_file_system() {
        let long = stem_of(&format!("sim:custom,{}", "read_iops=3000,".repeat(40)));
        assert!(long.starts_with("sim-custom-read_iops-3000") && long.len() <= STEM_MAX, "{long}");
        assert!(stem_of(&format!("/mnt/{}", "\u{e4}".repeat(120))).len() <= STEM_MAX);
        let both = stem_of_run(&"v".repeat(300), &"c".repeat(300));
        assert_eq!(both.len(), STEM_MAX + 1 + COMMAND_MAX);
    }
}
