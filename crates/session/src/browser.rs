//! Opens a page in the user's browser on this machine, or says why that is impossible and where the page is.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::output;

/// Program that opens a file with the desktop's default application.
const DESKTOP: &str = "xdg-open";
/// Maximum wait for the program that opens the page to report that it cannot.
const REFUSES_WITHIN: Duration = Duration::from_millis(700);
const LOOK: Duration = Duration::from_millis(10);

/// Opens `page` without waiting for the browser. If that is impossible, says on stderr why, and where the page is.
pub fn open(page: &Path) {
    let page = page.canonicalize().unwrap_or_else(|_| page.to_owned());
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_display = is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
    let browser = std::env::var_os("BROWSER").filter(|browser| !browser.is_empty());
    let refused = match opener(browser, kernel::effective_user() == 0, has_display) {
        Ok(opener) if start(&opener, &page) => return,
        Ok(opener) => format!("{} could not open it", opener.to_string_lossy()),
        Err(why) => why.to_owned(),
    };
    // The path has its own line and is never wrapped, so that it can be copied.
    let why = report::wrap("", &format!("not opened: {refused}"));
    output::people(&format!("{why}page    {}", page.display()));
}

/// Reports on stderr that there is no page to open.
pub fn nothing() {
    output::people("not opened: no page was drawn");
}

/// Returns the program that opens a page: `$BROWSER` or else the desktop's. The error says why no program can.
fn opener(browser: Option<OsString>, is_root: bool, has_display: bool) -> Result<OsString, &'static str> {
    match browser {
        Some(browser) => Ok(browser),
        // Root's browser in another user's desktop session starts silently and shows nothing, or refuses.
        None if is_root => Err("no browser is started as root; open it as yourself, or set BROWSER"),
        None if !has_display => Err(
            "there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set); copy it to where there is one, or set BROWSER",
        ),
        None => Ok(DESKTOP.into()),
    }
}

/// Starts `opener` with the page, detached from this terminal, and returns whether it did not fail at once.
fn start(opener: &OsString, page: &Path) -> bool {
    let mut command = Command::new(opener);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A later Ctrl-C is not meant for the browser.
    let Ok(mut child) = command.process_group(0).spawn() else { return false };
    let began = Instant::now();
    while began.elapsed() < REFUSES_WITHIN {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(LOOK),
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may unwrap")]
mod tests {
    use super::*;

    #[test]
    fn the_desktop_opens_it_unless_browser_names_another() {
        assert_eq!(opener(None, false, true).unwrap(), "xdg-open");
        assert_eq!(opener(Some("firefox".into()), true, false).unwrap(), "firefox");
    }

    #[test]
    fn root_and_whoever_has_no_display_read_why() {
        assert!(opener(None, true, true).unwrap_err().contains("as root"));
        assert!(opener(None, false, false).unwrap_err().contains("no display"));
    }
}
