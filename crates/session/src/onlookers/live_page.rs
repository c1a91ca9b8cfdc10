//! Live page of a run in a browser; at the end of the run it shows the page that is written to a file.
//!
//! The run never waits for a browser. A separate low-priority thread reads what the run file holds so far and draws
//! the page, only while a browser is connected, and within a share of the CPU time.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kernel::thread_cpu_time;
use serve::{Answer, Feed, Rules, Server, Site, SiteRequest};

use super::listen;
use crate::failure::Failure;
use crate::inputs::InputRun;
use crate::output;

/// Divisor of a CPU's time: drawing the page takes at most this part of it, and as much again in a second thread.
const DRAWS: u32 = 200;
/// Time between checks whether there is anything to draw.
const LOOK: Duration = Duration::from_millis(200);
/// Maximum time that the end of the run waits for browsers to fetch the last page.
const LAST_PAGE_PATIENCE: Duration = Duration::from_secs(3);

/// The live page of a run, with its server.
pub(super) struct LivePage {
    server: Server,
    board: Arc<Board>,
}

/// Content served to browsers.
pub(super) struct Board {
    feed: Feed,
    shell: Arc<[u8]>,
    report: Mutex<Report>,
    /// Whether the run is over, after which nothing is drawn.
    is_over: AtomicBool,
}

/// The newest page.
#[derive(Default)]
struct Report {
    /// Sequence number of the page; 0 before the first page.
    number: u64,
    page: Arc<[u8]>,
}

impl Report {
    /// Stores `page` as the newest and returns its number.
    fn renew(&mut self, page: &str) -> u64 {
        *self = Report { number: self.number + 1, page: page.as_bytes().into() };
        self.number
    }
}

impl LivePage {
    /// Serves the page of the run `name` on `address`, and prints the URL.
    ///
    /// # Errors
    /// The server cannot listen on the address.
    pub(super) fn at(address: SocketAddr, name: &str) -> Result<LivePage, Failure> {
        let board = Arc::new(Board {
            feed: Feed::default(),
            shell: report::live_html(name).into_bytes().into(),
            report: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let server = listen((address, "--serve"), Arc::<Board>::clone(&board))?;
        output::people(&format!("live    {}", server.url()));
        Ok(LivePage { server, board })
    }

    /// Content served to browsers.
    pub(super) fn board(&self) -> Arc<Board> {
        Arc::clone(&self.board)
    }

    /// Draws the run file at `run` from now on.
    pub(super) fn follow(&self, run: PathBuf) {
        let board = Arc::clone(&self.board);
        // Without the thread, the page says what runs now and shows the report only at the end.
        let _ = std::thread::Builder::new().name("live page".to_owned()).spawn(move || board.draw_on(&run));
    }

    /// Shows the page as it was written to `file`, gives onlookers time to fetch it, and ends.
    pub(super) fn end(self, page: &str, file: &Path) {
        self.board.is_over.store(true, Ordering::Relaxed);
        let number = self.board.report.lock().unwrap_or_else(PoisonError::into_inner).renew(page);
        let file = crate::place::short(file);
        self.board.feed.say("over", &serde_json::json!({ "report": number, "file": file }).to_string());
        if self.board.feed.is_heard() {
            self.server.finish(LAST_PAGE_PATIENCE);
        }
        output::people(
            "live    the page has ended with the run; plimsoll serve shows it again, and earlier runs",
        );
    }
}

impl Board {
    /// Whether anyone is looking.
    pub(super) fn is_looked_at(&self) -> bool {
        self.feed.is_heard()
    }

    /// Replaces the lines shown by these.
    pub(super) fn say(&self, lines: &[String]) {
        self.feed.say("now", &serde_json::json!(lines).to_string());
    }

    /// Draws whenever anyone is looking, until the run is over.
    fn draw_on(&self, run: &Path) {
        // If the low priority is not permitted, the thread draws at normal priority.
        let _ = kernel::let_others_first();
        let mut next = Instant::now();
        while !self.is_over.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
            if !self.feed.is_heard() || Instant::now() < next {
                continue;
            }
            let before = thread_cpu_time().total();
            if let Some(page) = drawn(run) {
                self.put_unless_over(&page);
            }
            let spent = thread_cpu_time().total().since(before);
            next = Instant::now() + Duration::from_nanos(spent.0) * DRAWS;
        }
    }

    fn put_unless_over(&self, page: &str) {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        // Checked while holding the lock: the last page must not be replaced.
        if !self.is_over.load(Ordering::Relaxed) {
            let number = report.renew(page);
            self.feed.say("report", &number.to_string());
        }
    }

    fn page(&self) -> Answer {
        let report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        let page = match report.number {
            0 => report::live_nothing_yet().into_bytes().into(),
            _ => Arc::clone(&report.page),
        };
        Answer::page(page, Rules::Report)
    }
}

impl Site for Board {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        match asked.path {
            "" => Answer::page(Arc::clone(&self.shell), Rules::Own),
            "live.js" => Answer::of("text/javascript; charset=utf-8", report::LIVE_SCRIPT.as_bytes().into()),
            "live.css" => Answer::of("text/css; charset=utf-8", report::LIVE_STYLE.as_bytes().into()),
            "page" => self.page(),
            "news" => Answer::news(),
            _ => Answer::nothing(),
        }
    }

    fn feed(&self) -> Option<&Feed> {
        Some(&self.feed)
    }
}

/// Returns a page of what the run file holds so far; `None` if nothing can be read yet.
fn drawn(run: &Path) -> Option<String> {
    let mut run = InputRun { path: run.to_owned(), which: 0, run: runfile::read(run).ok()? };
    // Neither the run nor its running step was cut off: both are in progress, and as long as recorded so far.
    run.run.complete = true;
    crate::running::not_cut(&mut run.run);
    let analysis = run.analysis().ok()?;
    Some(report::html(&run.run, &analysis))
}
