//! `plimsoll serve`: the list of runs, and the page of each, in a browser.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use report::ShelfRow;
use serve::{Answer, Asked, Rules, Site};
use session::failure::Failure;
use session::inputs::Reader;
use session::onlookers::listen;
use session::output;
use session::place::{own_folder, short};
use session::signals::StopFlag;

use super::list::{Listed, look_at, newest_first, when};
use crate::arguments::{ServeArguments, typed};

/// Runs that are listed, the newest: each is read and judged once.
const LISTED_MOST: usize = 200;
/// How often it is looked whether somebody wants to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Serves the runs of a folder until Ctrl-C.
pub fn run(arguments: &ServeArguments) -> Result<u8, Failure> {
    let folder = match &arguments.folder {
        Some(folder) => folder.clone(),
        None => own_folder()?,
    };
    let address =
        serve::address(&arguments.listen).map_err(|error| Failure::refused(format!("--listen {error}")))?;
    let shelf = Shelf { named: arguments.folder.is_some(), folder, known: Mutex::default() };
    // A folder that is none is told here, not in a browser.
    let count = shelf.files()?.len();
    let stop = StopFlag::on_signals(record::PATIENCE);
    let words = format!("{count} runs of {}, until Ctrl-C:", short(&shelf.folder));
    let server = listen((address, "--listen"), Arc::new(shelf))?;
    output::people(&words);
    output::result(&format!("{}\n", server.url()))?;
    while !stop.raised() {
        std::thread::sleep(LOOK);
    }
    Ok(0)
}

/// A folder of run files.
struct Shelf {
    folder: PathBuf,
    /// By the user, and therefore there.
    named: bool,
    /// What was found in a file of this length and time.
    known: Mutex<HashMap<PathBuf, (Stamp, ShelfRow)>>,
}

/// By which a file that has changed is known.
type Stamp = (u64, Option<SystemTime>);

impl Shelf {
    /// The run files, newest first. What is no plain file is left out: a link may lead anywhere.
    fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut files = newest_first(&self.folder, self.named)?;
        files.retain(|path| is_plain(path));
        Ok(files)
    }

    fn list(&self) -> Answer {
        let Ok(files) = self.files() else { return Answer::nothing() };
        let rows: Vec<ShelfRow> = files.iter().take(LISTED_MOST).map(|path| self.row(path)).collect();
        let html = report::shelf_html(&short(&self.folder), &rows, files.len());
        Answer::page(html.into_bytes().into(), Rules::Nothing)
    }

    fn row(&self, path: &Path) -> ShelfRow {
        let about = std::fs::symlink_metadata(path).ok();
        let stamp = about.map_or((0, None), |about| (about.len(), about.modified().ok()));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(path) {
            Some((at, row)) if *at == stamp => row.clone(),
            _ => {
                let row = row_of(look_at(path));
                known.insert(path.to_owned(), (stamp, row.clone()));
                row
            }
        }
    }

    /// The page of the run file of this name, which is looked up in the listing and never made a path of.
    fn page(&self, name: &str) -> Option<Answer> {
        let path = self.files().ok()?.into_iter().find(|path| name_of(path) == name)?;
        let read = Reader { words: typed() }.recordings(&[path]).ok()?;
        let recorded = read.runs.into_iter().next()?;
        let analysis = recorded.analysis().ok()?;
        let html = report::html(&recorded.run, &analysis);
        Some(Answer::page(html.into_bytes().into(), Rules::Report))
    }
}

impl Site for Shelf {
    fn answer(&self, asked: &Asked<'_>) -> Answer {
        match asked.path.strip_prefix("run/") {
            Some(name) => self.page(name).unwrap_or_else(Answer::nothing),
            None if asked.path.is_empty() => self.list(),
            None => Answer::nothing(),
        }
    }
}

fn is_plain(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|about| about.is_file())
}

fn name_of(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

fn row_of(listed: Listed) -> ShelfRow {
    ShelfRow {
        when: when(listed.started_unix_ms),
        command: listed.command,
        answer: listed.answer,
        cut_off: !listed.complete,
        href: format!("run/{}", escaped(&name_of(&listed.path))),
    }
}

/// A name as a part of an address: letters, digits and what means nothing there stay (RFC 3986).
fn escaped(name: &str) -> String {
    let of = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(of).collect()
}
