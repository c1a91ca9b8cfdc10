//! `plimsoll serve`: the list of runs, and the page of each, in a browser.

use std::collections::{HashMap, VecDeque};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use report::ShelfRow;
use serve::{Answer, Rules, Site, SiteRequest};
use session::failure::Failure;
use session::inputs::Reader;
use session::onlookers::listen;
use session::output;
use session::place::{own_folder, short};
use session::signals::StopFlag;

use super::list::{RunEntry, look_at, newest_first, when};
use crate::arguments::{ServeArguments, typed};

/// Most runs listed, the newest; each is read and judged once.
const LISTED_MOST: usize = 200;
/// Time between checks for a stop request.
const LOOK: Duration = Duration::from_millis(100);

/// Serves the runs of a folder until Ctrl-C.
pub fn run(arguments: &ServeArguments) -> Result<u8, Failure> {
    let folder = match &arguments.folder {
        Some(folder) => folder.clone(),
        None => own_folder()?,
    };
    let shelf =
        Shelf { named: arguments.folder.is_some(), folder, known: Mutex::default(), pages: Mutex::default() };
    // A folder that cannot be listed is reported here, not in a browser.
    let count = shelf.files()?.len();
    let stop = StopFlag::on_signals(record::PATIENCE);
    let runs = if count == 1 { "run" } else { "runs" };
    let words = format!("{count} {runs} of {}, until Ctrl-C:", short(&shelf.folder));
    let server = listen((arguments.listen, "--listen"), Arc::new(shelf))?;
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
    /// Whether the user named the folder, so that it must exist.
    named: bool,
    /// The row of each file, with the state of the file for which it was made.
    known: Mutex<HashMap<PathBuf, (Stamp, ShelfRow)>>,
    /// The latest pages, the newest last: drawing one takes a second, and there is only one thread.
    pages: Mutex<VecDeque<Page>>,
}

/// A page drawn from a file in a certain state.
struct Page {
    path: PathBuf,
    stamp: Stamp,
    html: Arc<[u8]>,
}

/// Most pages kept, and most bytes of them in total. Connections that send the same page share it.
const PAGES_MOST: usize = 16;
const PAGES_BYTES_MOST: usize = 32 << 20;

/// The state of a run file, by which a change, or the end of its run, is noticed.
#[derive(Clone, PartialEq)]
struct Stamp {
    /// Identity, length and time of change of the file and of its write-ahead log.
    files: [Option<FileStamp>; 2],
    goes_on: bool,
}

#[derive(Clone, PartialEq)]
struct FileStamp {
    inode: u64,
    length: u64,
    changed: Option<SystemTime>,
}

impl Stamp {
    fn of(path: &Path) -> Stamp {
        let mut beside = path.as_os_str().to_owned();
        beside.push("-wal");
        let about = |path: &Path| {
            let about = std::fs::symlink_metadata(path).ok()?;
            Some(FileStamp { inode: about.ino(), length: about.len(), changed: about.modified().ok() })
        };
        Stamp { files: [about(path), about(Path::new(&beside))], goes_on: kernel::is_alive(path) }
    }
}

impl Shelf {
    /// Returns the run files, newest first. Only plain files are listed, because a link may lead anywhere.
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
        let stamp = Stamp::of(path);
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

    /// Returns the page of the run file with this name, which is looked up in the listing and never used as a path.
    fn page(&self, name: &str) -> Option<Answer> {
        let path = self.files().ok()?.into_iter().find(|path| name_of(path) == name)?;
        let stamp = Stamp::of(&path);
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = pages.iter().find(|page| page.path == path && page.stamp == stamp) {
            return Some(Answer::page(Arc::clone(&page.html), Rules::Report));
        }
        let read = Reader::of(typed()).recordings(std::slice::from_ref(&path)).ok()?;
        let recorded = read.runs.into_iter().next()?;
        let analysis = recorded.analysis().ok()?;
        let html: Arc<[u8]> = report::html(&recorded.run, &analysis).into_bytes().into();
        pages.retain(|page| page.path != path);
        pages.push_back(Page { path, stamp, html: Arc::clone(&html) });
        let bytes = |pages: &VecDeque<Page>| pages.iter().map(|page| page.html.len()).sum::<usize>();
        while pages.len() > PAGES_MOST || bytes(&pages) > PAGES_BYTES_MOST {
            pages.pop_front();
        }
        Some(Answer::page(html, Rules::Report))
    }
}

impl Site for Shelf {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
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

fn row_of(listed: RunEntry) -> ShelfRow {
    ShelfRow {
        when: when(listed.started_unix_ms),
        command: listed.command,
        answer: listed.answer,
        state: listed.state,
        href: format!("run/{}", escaped(&name_of(&listed.path))),
    }
}

/// Percent-encodes a name for a URL; unreserved characters stay as they are (RFC 3986).
fn escaped(name: &str) -> String {
    let of = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(of).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may unwrap")]
mod tests {
    use super::*;
    use record::{Event, EventKind, Run};
    use workload::Nanos;

    #[test]
    fn a_page_is_drawn_once_and_anew_where_its_file_has_changed() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf {
            folder: dir.path().to_owned(),
            named: true,
            known: Mutex::default(),
            pages: Mutex::default(),
        };
        let path = dir.path().join("a.plimsoll");
        let store = |text: &str| {
            let event = Event { at: Nanos::ZERO, kind: EventKind::Note, text: text.to_owned() };
            let run = Run { events: vec![event], complete: true, ..Run::started(Vec::new(), 1) };
            let _ = std::fs::remove_file(&path);
            runfile::write(runfile::at(&path), &run).unwrap();
        };
        let page = || {
            assert!(shelf.page("a.plimsoll").is_some() && shelf.page("b.plimsoll").is_none());
            let pages = shelf.pages.lock().unwrap();
            assert_eq!(pages.len(), 1);
            Arc::clone(&pages[0].html)
        };
        store("before");
        let (first, again) = (page(), page());
        assert!(Arc::ptr_eq(&first, &again), "it was drawn twice");
        store("behind it all");
        assert!(String::from_utf8_lossy(&page()).contains("behind it all"));
    }
}
