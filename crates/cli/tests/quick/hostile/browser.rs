//! Pages in a real browser: whether a script from a file ran there.

use std::path::Path;
use std::process::Command;

/// A script that leaves a trace if it runs.
pub const SCRIPT: &str = "document.documentElement.setAttribute('data-pwned','1')";

fn dom(page: &Path) -> String {
    let profile = page.with_extension("profile");
    let output = Command::new("timeout")
        .args([
            "-k",
            "5",
            "60",
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        dom.contains("</html>"),
        "{}: no page came: {}",
        page.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    dom
}

fn is_touched(dom: &str) -> bool {
    let root = dom.find("<html").map_or("", |at| &dom[at..]);
    root.split('>').next().unwrap_or("").contains("data-pwned")
}

/// Checks the method itself: a page that does run the script must show it.
pub fn assert_that_a_script_would_show(dir: &Path) {
    let page = dir.join("control.html");
    std::fs::write(&page, format!("<!doctype html><html><body><script>{SCRIPT}</script></body></html>"))
        .unwrap();
    assert!(is_touched(&dom(&page)), "the browser ran no script at all");
}

pub fn assert_untouched(page: &Path) {
    assert!(!is_touched(&dom(page)), "{}: a script of the file ran", page.display());
}
