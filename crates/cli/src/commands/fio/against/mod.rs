//! `plimsoll fio --check-against PATH`: a shortened copy of the jobs through the real fio and through plimsoll, each in a
//! folder of its own, and what differs.

mod shown;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use fio::{FioError, Request, Shortened, ToolOutcome, compared, parse, shortened};
use session::failure::{Code, Failure};
use session::files::Scratch;
use session::named_input::NamedInput;
use session::output;
use session::signals::StopFlag;
use workload::{Bytes, Nanos};

use super::{look, surroundings};
use crate::commands::peer;
use shown::first_words;

/// Longest log that is read.
const LOG: Bytes = Bytes(1 << 30);
/// Exit code if something differs, as of a result that falls short.
const DIFFERS: u8 = 3;

/// Compares with the fio at `program`; returns the exit code.
pub fn run(words: &[String], program: &str, patience: Nanos) -> u8 {
    check(words, program, &StopFlag::on_signals(patience)).unwrap_or_else(|failure| {
        output::people(&format!("fio: --check-against={program}: {failure}"));
        failure.code as u8
    })
}

fn check(words: &[String], program: &str, stop: &StopFlag) -> Result<u8, Failure> {
    let wrong = |error: FioError| Failure::failed(error.to_string());
    let copy = shortened(words, &surroundings(), &look).map_err(wrong)?;
    let mut own_words = copy.words.clone();
    // The real fio does not know this word.
    own_words.extend(words.iter().find(|word| *word == "--fio-exact").cloned());
    let Request::Run(asked) = parse(&own_words, &surroundings()).map_err(wrong)? else {
        return Err(wrong(FioError::NoJobs));
    };
    let places = [PathBuf::from("."), std::env::temp_dir()];
    let scratch = places.iter().find_map(|place| Scratch::below(place).ok()).ok_or_else(|| {
        Failure::failed("neither the current folder nor TMPDIR may be written; go to one that may")
    })?;
    let run = CopyRun { copy: &copy, scratch: &scratch, stop };
    // The program is started in another folder; a name is looked up in PATH.
    let program = match program.contains('/') {
        true => Path::new(program).canonicalize().map_err(cannot("there is no such program"))?,
        false => PathBuf::from(program),
    };
    let theirs = run.outcome("fio", Command::new(program).args(&copy.words))?;
    if theirs.document["plimsoll"].is_object() {
        return Err(Failure::failed("that is plimsoll itself; name the real fio"));
    }
    let own = std::env::current_exe().map_err(cannot("plimsoll does not find itself"))?;
    let ours = run.outcome("plimsoll", Command::new(own).arg("fio").args(&own_words))?;
    let outcomes = [&theirs, &ours];
    if outcomes.iter().all(|tool| tool.code != Some(0) && tool.logs.iter().all(String::is_empty)) {
        return Err(Failure::failed(format!("neither runs the copy: {}", first_words(&theirs.said))));
    }
    let (text, differences) = shown::comparison(&asked, &compared(&asked, outcomes), outcomes);
    output::result(&(shown::command(&copy) + &text))?;
    Ok(if differences == 0 { 0 } else { DIFFERS })
}

fn cannot(what: &str) -> impl Fn(io::Error) -> Failure {
    move |error| Failure::failed(format!("{what}: {error}"))
}

/// A shortened copy that is run by one tool after the other.
struct CopyRun<'a> {
    copy: &'a Shortened,
    scratch: &'a Scratch,
    stop: &'a StopFlag,
}

impl CopyRun<'_> {
    /// Runs a tool in a new folder, and returns what it did.
    fn outcome(&self, tool: &str, command: &mut Command) -> Result<ToolOutcome, Failure> {
        let place = self.scratch.folder(tool, &self.copy.files);
        let place = place.map_err(cannot("the files of the copy cannot be made"))?;
        let child = peer::start(command.current_dir(&place), b"").map_err(cannot("it cannot be started"))?;
        let ended = peer::end(child, self.stop)?;
        if self.stop.raised() {
            let message = "stopped; there is no comparison".into();
            return Err(Failure { code: Code::Interrupted, message });
        }
        let printed = String::from_utf8_lossy(&ended.stdout);
        let (before, document) = printed.split_at(printed.find('{').unwrap_or(printed.len()));
        let said = format!("{}{before}", String::from_utf8_lossy(&ended.stderr));
        let mut documents = serde_json::Deserializer::from_str(document).into_iter::<serde_json::Value>();
        let Some(Ok(document)) = documents.next() else {
            let words = format!("that is not fio, or it does not run the copy: {}", first_words(&said));
            return Err(Failure::failed(words));
        };
        let jobs = document["jobs"].as_array().map_or(0, Vec::len);
        let log = |number: usize| NamedInput::plain(place.join(format!("log_lat.{number}.log")), LOG).text();
        Ok(ToolOutcome {
            code: ended.status.code(),
            document,
            logs: (1..=jobs).map(|number| log(number).unwrap_or_default()).collect(),
            files: lengths(&place).map_err(cannot("the files of the copy are lost"))?,
            said,
        })
    }
}

/// Returns the length of each file below `place`, except the logs.
fn lengths(place: &Path) -> io::Result<BTreeMap<String, u64>> {
    let files = super::files_below(place)?.into_iter();
    let named = |path: PathBuf| {
        let name = path.strip_prefix(place).unwrap_or(&path).display().to_string();
        Ok((name, std::fs::symlink_metadata(&path)?.len()))
    };
    files.filter(|path| path.extension().is_none_or(|end| end != "log")).map(named).collect()
}
