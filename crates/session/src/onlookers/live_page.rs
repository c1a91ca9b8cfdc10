//! The page of a run in a browser while it goes on, which ends as the file that the run leaves.
//!
//! The run says what goes on and waits for nobody. A thread of its own, which lets every other go first, reads the run file as
//! far as it has come and draws the page of it, where somebody looks and no more often than so much of the time allows.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kernel::thread_cpu_time;
use serve::{Answer, Asked, Feed, Rules, Server, Site};

use super::listen;
use crate::failure::Failure;
use crate::inputs::Recorded;
use crate::output;

/// Drawing the page takes at most this part of a processor's time, and what it has done by a second thread as much again.
const DRAWS: u32 = 200;
/// How often it is looked whether there is something to draw.
const LOOK: Duration = Duration::from_millis(200);
/// How long the end waits for browsers to fetch the last page.
const LAST_PAGE_PATIENCE: Duration = Duration::from_secs(3);

/// The live page of a run, and whoever looks at it.
pub(super) struct LivePage {
    server: Server,
    board: Arc<Board>,
}

/// What a browser is shown.
pub(super) struct Board {
    feed: Feed,
    shell: Arc<[u8]>,
    report: Mutex<Report>,
    /// The run is over; nothing is drawn any more.
    is_over: AtomicBool,
}

/// The newest page.
#[derive(Default)]
struct Report {
    /// 0 where there is none yet.
    number: u64,
    page: Arc<[u8]>,
}

impl Report {
    /// Takes `page` as the newest; its number.
    fn renew(&mut self, page: &str) -> u64 {
        *self = Report { number: self.number + 1, page: page.as_bytes().into() };
        self.number
    }
}

impl LivePage {
    /// Serves the page of a run of this `name` on `address`, and says where.
    ///
    /// # Errors
    /// Nothing can listen there.
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

    /// What a browser is shown.
    pub(super) fn board(&self) -> Arc<Board> {
        Arc::clone(&self.board)
    }

    /// Draws the run file at `run` from now on.
    pub(super) fn follow(&self, run: PathBuf) {
        let board = Arc::clone(&self.board);
        // Without the thread the page says what runs now, and shows the report at the end.
        let _ = std::thread::Builder::new().name("live page".to_owned()).spawn(move || board.draw_on(&run));
    }

    /// Shows the page as it was written to `file`, gives those who look the time to fetch it, and ends.
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
    /// Whether anybody looks.
    pub(super) fn is_looked_at(&self) -> bool {
        self.feed.is_heard()
    }

    /// Says these lines in the place of those before.
    pub(super) fn say(&self, lines: &[String]) {
        self.feed.say("now", &serde_json::json!(lines).to_string());
    }

    /// Draws whenever somebody looks, until the run is over.
    fn draw_on(&self, run: &Path) {
        // Where that is not allowed it is drawn all the same.
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
        // Asked with the page in hand: the last one is not to be replaced.
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
    fn answer(&self, asked: &Asked<'_>) -> Answer {
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

/// The page of the run as far as its file has come; `None` where nothing can be read yet.
fn drawn(run: &Path) -> Option<String> {
    let mut run = Recorded { path: run.to_owned(), which: 0, run: runfile::read(run).ok()? };
    // Neither the run nor the step that runs was cut off: they go on, and are as long as they are by now.
    run.run.complete = true;
    crate::running::not_cut(&mut run.run);
    let analysis = run.analysis().ok()?;
    Some(report::html(&run.run, &analysis))
}
