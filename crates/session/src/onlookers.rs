//! Those who look at a run while it goes on: a live page in a browser, which ends as the file that the run leaves.
//!
//! The run says what goes on and waits for nobody. A thread of its own, which lets every other go first, reads the run file as
//! far as it has come and draws the page of it, where somebody looks and no more often than so much of the time allows.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kernel::thread_cpu_time;
use serve::{Answer, Asked, Door, Feed, Rules, Server, Site, Token};
use workload::Ending;

use crate::failure::Failure;
use crate::inputs::Recorded;
use crate::output;

/// Drawing the page takes at most this part of a processor's time, and what it has done by a second thread as much again.
const DRAWS: u32 = 200;
/// How often it is looked whether there is something to draw.
const LOOK: Duration = Duration::from_millis(200);
/// How long the end waits for browsers to fetch the last page.
const LAST_PAGE_PATIENCE: Duration = Duration::from_secs(3);
/// What runs now is told in lines of so many columns.
pub(crate) const COLUMNS: usize = 96;

/// The live page of a run, and whoever looks at it.
pub struct Onlookers {
    server: Server,
    board: Arc<Board>,
}

/// What a browser is shown.
struct Board {
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

impl Onlookers {
    /// Serves the page of a run of this `name` on `address`, and says where.
    ///
    /// # Errors
    /// Nothing can listen there.
    pub fn at(address: SocketAddr, name: &str) -> Result<Onlookers, Failure> {
        let board = Arc::new(Board {
            feed: Feed::default(),
            shell: report::live_html(name).into_bytes().into(),
            report: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let server = listen((address, "--serve"), Arc::<Board>::clone(&board))?;
        output::people(&format!("live    {}", server.url()));
        Ok(Onlookers { server, board })
    }

    /// What is said to those who look.
    pub(crate) fn audience(&self) -> Audience {
        Audience(Arc::clone(&self.board))
    }

    /// Draws the run file at `run` from now on.
    pub(crate) fn follow(&self, run: PathBuf) {
        let board = Arc::clone(&self.board);
        // Without the thread the page says what runs now, and shows the report at the end.
        let _ = std::thread::Builder::new().name("live page".to_owned()).spawn(move || board.draw_on(&run));
    }

    /// Shows the page as it was written to `file`, gives those who look the time to fetch it, and ends.
    pub(crate) fn end(self, page: &str, file: &Path) {
        self.board.is_over.store(true, Ordering::Relaxed);
        let number = self.board.put(page);
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

/// Says what goes on to those who look.
#[derive(Clone)]
pub(crate) struct Audience(Arc<Board>);

impl Audience {
    /// Whether anybody looks.
    pub(crate) fn is_there(&self) -> bool {
        self.0.feed.is_heard()
    }

    /// Says these lines in the place of those before.
    pub(crate) fn say(&self, lines: &[String]) {
        self.0.feed.say("now", &serde_json::json!(lines).to_string());
    }
}

impl Board {
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
        if !self.is_over.load(Ordering::Relaxed) {
            let number = self.put(page);
            self.feed.say("report", &number.to_string());
        }
    }

    /// Takes `page` as the newest; its number.
    fn put(&self, page: &str) -> u64 {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        *report = Report { number: report.number + 1, page: page.as_bytes().into() };
        report.number
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
    if let Some(last) = run.run.steps.last_mut().filter(|last| last.ending == Ending::Interrupted) {
        last.ending = Ending::Time;
    }
    let analysis = run.analysis().ok()?;
    Some(report::html(&run.run, &analysis))
}

/// Listens where the option `(address, option)` says, and answers what `site` has to whom knows the address.
///
/// # Errors
/// Nothing can listen there.
pub fn listen((address, option): (SocketAddr, &str), site: Arc<dyn Site>) -> Result<Server, Failure> {
    let own_name = sampler::host_facts(&sampler::Root::real()).hostname;
    let token = Token::fresh().map_err(Failure::failed)?;
    let door = Door::with_token(token, &own_name);
    Server::start(address, door, site).map_err(|error| {
        Failure::refused(format!(
            "{option} {address}: nothing can listen there: {error}; name another address, or none for a free port"
        ))
    })
}
