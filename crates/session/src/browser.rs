//! Opens a page in the browser of whoever sits at this machine, or says why that cannot be and where the page lies.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::files::{PAGE, Shelf};
use crate::output;
use crate::place::short;

/// What opens a file with the program that the desktop has for it.
const DESKTOP: &str = "xdg-open";
/// Where programs that were packed as a snap are called from.
const SNAPS: &str = "/snap/bin";
const TEMPORARY: &str = "/tmp";
/// Browsers that are packed as snaps: these see no hidden folder of the home directory, and a `/tmp` of their own.
const SNAP_BROWSERS: [&str; 4] = ["firefox", "chromium", "brave", "opera"];
/// A program that cannot open the page says so within this time; it is not waited for any longer.
const REFUSES_WITHIN: Duration = Duration::from_millis(700);
const LOOK: Duration = Duration::from_millis(10);

/// Opens `page` and does not wait for the browser. Where that cannot be, people are told why, and where the page lies.
pub fn open(page: &Path) {
    let page = page.canonicalize().unwrap_or_else(|_| page.to_owned());
    let seat = Seat::of_this_process();
    let opened = seat.openers().and_then(|openers| {
        let seen = seat.seen_by_browsers(&page);
        let through = openers.iter().find(|opener| start(opener, seen.as_deref().unwrap_or(&page)));
        let refused = || {
            let tried: Vec<String> =
                openers.iter().map(|opener| opener.to_string_lossy().into_owned()).collect();
            format!("{} could not open it", tried.join(", "))
        };
        through.map(|_| seen).ok_or_else(refused)
    });
    // Paths stand on lines of their own and are never broken, so that they can be copied.
    match opened {
        Ok(None) => {}
        Ok(Some(copy)) => {
            let why = "opened a copy of the page: a browser that is packed as a snap sees neither hidden folders nor /tmp";
            output::people(&format!("{}copy    {}", report::wrap("", why), short(&copy)));
        }
        Err(why) => {
            let why = report::wrap("", &format!("not opened: {why}"));
            output::people(&format!("{why}page    {}", page.display()));
        }
    }
}

/// Says that there is nothing to open.
pub fn nothing() {
    output::people("not opened: no page was drawn");
}

/// Where somebody sits, as the environment tells.
struct Seat {
    root: bool,
    /// `$BROWSER`: commands, with a colon between them.
    browser: Option<OsString>,
    has_display: bool,
    home: Option<PathBuf>,
    /// `$XDG_DOWNLOAD_DIR`.
    downloads: Option<PathBuf>,
    snaps: PathBuf,
    /// What a snap has one of its own of.
    temporary: PathBuf,
}

impl Seat {
    fn of_this_process() -> Seat {
        let said = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = |name: &str| said(name).map(PathBuf::from).filter(|path| path.is_absolute());
        Seat {
            root: kernel::effective_user() == 0,
            browser: said("BROWSER"),
            has_display: said("DISPLAY").is_some() || said("WAYLAND_DISPLAY").is_some(),
            home: folder("HOME"),
            downloads: folder("XDG_DOWNLOAD_DIR"),
            snaps: PathBuf::from(SNAPS),
            temporary: PathBuf::from(TEMPORARY),
        }
    }

    /// What to try, in this order; why there is nothing.
    fn openers(&self) -> Result<Vec<OsString>, String> {
        if let Some(browser) = &self.browser {
            let words = browser.to_string_lossy();
            let each = words.split(':').map(str::trim).filter(|command| !command.is_empty());
            return Ok(each.map(OsString::from).collect());
        }
        if self.root {
            // A browser of root's in the session of another user starts without a word and shows nothing, or refuses.
            return Err("no browser is started as root; open it as yourself, or set BROWSER".to_owned());
        }
        if !self.has_display {
            return Err(
                "there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set); copy it to where there is one, or set \
                 BROWSER"
                    .to_owned(),
            );
        }
        Ok(vec![DESKTOP.into()])
    }

    /// A copy of `page` where browsers can see it; `None` where they see the page itself, or nothing can be done.
    fn seen_by_browsers(&self, page: &Path) -> Option<PathBuf> {
        let is_hidden = page
            .components()
            .any(|part| matches!(part, Component::Normal(name) if name.to_string_lossy().starts_with('.')));
        if self.browser.is_some()
            || !(is_hidden || page.starts_with(&self.temporary))
            || !self.has_snap_browser()
        {
            return None;
        }
        let text = std::fs::read(page).ok()?;
        let name = page.file_name()?.to_string_lossy().into_owned();
        let shelf = Shelf::named(&self.visible_folder()?).ok()?;
        shelf.put(&name, &text, PAGE).ok()?;
        Some(shelf.path_of(&name))
    }

    fn has_snap_browser(&self) -> bool {
        SNAP_BROWSERS.iter().any(|browser| self.snaps.join(browser).exists())
    }

    /// Where downloads go; the home directory where there is no such folder.
    fn visible_folder(&self) -> Option<PathBuf> {
        let usual = self.home.as_ref().map(|home| home.join("Downloads"));
        let there = [self.downloads.clone(), usual].into_iter().flatten().find(|folder| folder.is_dir());
        there.or_else(|| self.home.clone())
    }
}

/// Starts `opener` with the page, away from this terminal, and gives back whether it has not refused.
fn start(opener: &OsStr, page: &Path) -> bool {
    let words = words_of(&opener.to_string_lossy(), page);
    let [program, rest @ ..] = words.as_slice() else { return false };
    let mut command = Command::new(program);
    command.args(rest).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A Ctrl-C that comes later is not for the browser.
    let Ok(mut child) = command.process_group(0).spawn() else { return false };
    let begun = Instant::now();
    while begun.elapsed() < REFUSES_WITHIN {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(LOOK),
            Err(_) => return false,
        }
    }
    true
}

/// The words of a command of `$BROWSER`, with the page in the place of `%s`, or behind them.
fn words_of(command: &str, page: &Path) -> Vec<OsString> {
    let mut named = false;
    let mut words: Vec<OsString> = Vec::new();
    for word in command.split_whitespace() {
        named |= word == "%s";
        words.push(if word == "%s" { page.into() } else { word.into() });
    }
    if !named && !words.is_empty() {
        words.push(page.into());
    }
    words
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may unwrap")]
mod tests {
    use super::*;

    fn seat(home: &Path) -> Seat {
        Seat {
            root: false,
            browser: None,
            has_display: true,
            home: Some(home.to_owned()),
            downloads: None,
            snaps: home.join("snap-bin"),
            temporary: home.join("tmp"),
        }
    }

    #[test]
    fn the_desktop_opens_it_and_what_browser_says_comes_before_everything() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(seat(home.path()).openers().unwrap(), ["xdg-open"]);
        let named = Seat {
            browser: Some("one %s --new:two".into()),
            root: true,
            has_display: false,
            ..seat(home.path())
        };
        assert_eq!(named.openers().unwrap(), ["one %s --new", "two"]);
    }

    #[test]
    fn root_and_whoever_has_no_display_are_told() {
        let home = tempfile::tempdir().unwrap();
        let root = Seat { root: true, ..seat(home.path()) };
        assert!(root.openers().unwrap_err().contains("as root"));
        let far = Seat { has_display: false, ..seat(home.path()) };
        assert!(far.openers().unwrap_err().contains("no display"));
    }

    #[test]
    fn the_page_stands_where_the_command_wants_it() {
        let words = |command: &str| {
            let words = words_of(command, Path::new("/a b.html"));
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words("firefox"), ["firefox", "/a b.html"]);
        assert_eq!(words("chromium %s --new-window"), ["chromium", "/a b.html", "--new-window"]);
        assert!(words(" ").is_empty());
    }

    #[test]
    fn a_page_in_a_hidden_folder_is_copied_for_a_browser_that_is_a_snap_and_only_for_it() {
        let home = tempfile::Builder::new().prefix("home-").tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        std::fs::create_dir_all(at(".local")).unwrap();
        std::fs::create_dir_all(at("Downloads")).unwrap();
        let page = at(".local/vol.html");
        std::fs::write(&page, "<!DOCTYPE html><footer>plimsoll 0.2").unwrap();
        let seat = seat(home.path());
        assert_eq!(seat.seen_by_browsers(&page), None, "other browsers see it where it is");
        std::fs::create_dir_all(at("snap-bin")).unwrap();
        std::fs::write(at("snap-bin/firefox"), "").unwrap();
        let copy = seat.seen_by_browsers(&page).unwrap();
        assert_eq!(
            (copy.as_path(), std::fs::read(&copy).unwrap()),
            (at("Downloads/vol.html").as_path(), std::fs::read(&page).unwrap())
        );
        // What is there and no page of ours is left as it is.
        std::fs::write(&copy, "precious").unwrap();
        assert_eq!(seat.seen_by_browsers(&page), None);
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), "precious");
        std::fs::write(at("visible.html"), "").unwrap();
        assert_eq!(seat.seen_by_browsers(&at("visible.html")), None, "nothing hidden");
    }
}
