//! Opens a page in the browser of whoever sits at this machine, or says why that cannot be and where the page lies.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::output;

/// What opens a file with the program that the desktop has for it.
const DESKTOP: &str = "xdg-open";
/// A program that cannot open the page says so within this time; it is not waited for any longer.
const REFUSES_WITHIN: Duration = Duration::from_millis(700);
const LOOK: Duration = Duration::from_millis(10);

/// Opens `page` and does not wait for the browser. Where that cannot be, people read why, and where the page lies.
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
    // A path stands on a line of its own and is never broken, so that it can be copied.
    let why = report::wrap("", &format!("not opened: {refused}"));
    output::people(&format!("{why}page    {}", page.display()));
}

/// Says that there is nothing to open.
pub fn nothing() {
    output::people("not opened: no page was drawn");
}

/// The program that opens a page: `$BROWSER`, else what the desktop has; why there is none.
fn opener(browser: Option<OsString>, is_root: bool, has_display: bool) -> Result<OsString, &'static str> {
    match browser {
        Some(browser) => Ok(browser),
        // A browser of root's in the session of another user starts without a word and shows nothing, or refuses.
        None if is_root => Err("no browser is started as root; open it as yourself, or set BROWSER"),
        None if !has_display => Err(
            "there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set); copy it to where there is one, or set BROWSER",
        ),
        None => Ok(DESKTOP.into()),
    }
}

/// Starts `opener` with the page, away from this terminal, and gives back whether it has not refused.
fn start(opener: &OsString, page: &Path) -> bool {
    let mut command = Command::new(opener);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A Ctrl-C that comes later is not for the browser.
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
