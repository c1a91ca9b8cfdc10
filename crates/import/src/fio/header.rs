//! Lines before fio's figures: the command, the start line, the version, the header of a job.

use std::borrow::Cow;

use record::{PRINTED_AT, ReportedError, ReportedPart, Scope};

use super::super::bounds::PARTS_MOST;
use super::super::pieces::near;
use super::super::quantity::{self, Prefixes};
use super::super::scan::{begins_line, blanks, entries, matched, word_end};
use super::super::text::Text;
use super::walk::{Before, Command, Options, Start, Walk};

/// Returns the facts known before the walk begins: the job names in the text's command lines.
pub(super) fn before(plain: &str) -> Before {
    let named = plain.split("-name=").skip(1);
    let names = named.map(|rest| rest.split(|c: char| c.is_whitespace()).next().unwrap_or_default());
    let names = names.filter(|name| name.len() > 1).take(NAMES_MOST).map(str::to_owned).collect();
    Before { names, ..Before::default() }
}

impl Before {
    /// Takes the options of a command line as those of the next result; returns whether the line has a command.
    pub fn command(&mut self, line: &str) -> bool {
        let is_word = |&at: &usize| !line[..at].ends_with(char::is_alphanumeric);
        let found = line.find("fio -").filter(is_word);
        if let Some(at) = found {
            self.command.options = options_of(near(line, at + "fio ".len(), COMMAND)).options;
        }
        found.is_some()
    }

    /// Forgets what a command line asked of the jobs in `parts`, after which other text stands: a later result of the
    /// same name is another run.
    pub fn served(&mut self, parts: &[ReportedPart]) {
        let is_done = |name: &str| parts.iter().any(|part| part.scope == Scope::Job && part.job == name);
        let (mut is_left, mut any) = (true, false);
        self.command.options.retain(|(option, value)| {
            if option == "name" {
                is_left = !is_done(value);
                any |= is_left;
            }
            is_left
        });
        if !any || parts.iter().all(|part| part.scope != Scope::Job) {
            self.command = Command::default();
        }
    }

    /// Returns the name of a job whose line a page has joined to a word of its own (`Outputbw-test`).
    fn unglued(&self, name: &str) -> Option<String> {
        let ends = |known: &&String| {
            let before = name.strip_suffix(known.as_str());
            before.is_some_and(|word| !word.is_empty() && word.trim().chars().all(char::is_alphabetic))
        };
        self.names.iter().filter(ends).max_by_key(|known| known.len()).cloned()
    }

    /// Returns the start lines of a group, or those of one name in it.
    fn of_group<'b>(&'b self, group: u32, name: Option<&str>) -> Vec<&'b Start> {
        let first = (group, name.unwrap_or_default().to_owned(), Vec::new());
        let is_own = |start: &&Start| start.0 == group && name.is_none_or(|name| start.1 == name);
        self.starts.range(first..).take_while(is_own).take(STARTS_MOST).collect()
    }

    /// Stores the options of a job, or of the jobs of a group, none if the text repeats too much already. Of a sum of
    /// unlike jobs, or of one whose name others have, stores the options that all have. Returns a note that lists the jobs,
    /// or names the command line that was not taken.
    pub fn ask(&self, part: &mut ReportedPart, text: &Text) -> Option<String> {
        let is_group = part.scope == Scope::Group;
        let is_sum = is_group || part.clones > Some(1);
        let jobs = self.of_group(part.group.unwrap_or(0), Some(part.job.as_str()).filter(|_| !is_sum));
        let unlike = jobs.iter().any(|job| job.2 != jobs[0].2);
        let own = jobs.iter().find(|job| unlike || is_group || job.1 == part.job);
        let own = own.map_or(&[][..], |job| &job.2);
        let name = match jobs.as_slice() {
            _ if unlike => None,
            [only] if is_group => Some(only.1.as_str()),
            [] if is_group => self.only().map(|(job, _)| job),
            _ => Some(part.job.as_str()).filter(|_| !is_group),
        };
        let named = name.filter(|_| is_group).map(|name| ("name".to_owned(), name.to_owned()));
        let common = own.iter().filter(|pair| !unlike || jobs.iter().all(|job| job.2.contains(pair)));
        let mut asked: Options = named.into_iter().chain(common.cloned()).collect();
        let mut command: Vec<_> = self.command.of(name).collect();
        let mut note = unlike.then(|| {
            let what = if is_sum { "the sum" } else { "one" };
            format!("'{}' is {what} of unlike jobs: {}", part.job, listed(&jobs))
        });
        if let Some([start, other]) =
            jobs.first().filter(|_| !unlike).and_then(|job| contradiction(&job.2, &command))
        {
            note = Some(format!(
                "the command line above '{}' is not its own and left out: {}={} there, {}={} in its start line",
                part.job, other.0, other.1, start.0, start.1
            ));
            command.clear();
        } else {
            note = note.or_else(|| self.not_taken(name?));
            let is_own = !command.is_empty() || self.command.options.is_empty();
            note = note.or_else(|| self.command.note.clone().filter(|_| is_own));
        }
        for (option, value) in command {
            if own.iter().chain(&asked).all(|(known, _)| known != option) {
                asked.push((option.clone(), value.clone()));
            }
        }
        let bytes = asked.iter().map(|(option, value)| option.len() + value.len() + 48).sum();
        part.asked = if text.may_repeat(bytes) { asked } else { Vec::new() };
        note
    }

    /// Returns a note if two command lines of the job `name` differ and no result stands between them.
    fn not_taken(&self, name: &str) -> Option<String> {
        let named =
            |command: &&Command| command.options.iter().any(|(option, job)| option == "name" && job == name);
        let (own, other) = (Some(&self.command).filter(named)?, Some(&self.other).filter(named)?);
        let beyond = |one: &Command, known: &Command| -> Vec<String> {
            let pairs = one.of(Some(name)).filter(|pair| known.of(Some(name)).all(|known| known != *pair));
            pairs
                .map(|(option, value)| format!("{option}={value}").trim_end_matches('=').to_owned())
                .collect()
        };
        let sides = [beyond(own, other), beyond(other, own)];
        let any = sides.iter().any(|side| !side.is_empty());
        let [taken, left] = sides.map(|side| match side.is_empty() {
            true => "which has no other option".to_owned(),
            false => side.join(", "),
        });
        any.then(|| {
            format!(
                "two command lines of '{name}' stand above its result: that of line {} is taken ({taken}), that of line {} \
                 is not ({left})",
                own.line, other.line
            )
        })
    }

    /// Returns name and group of the only job that start lines, or else a command line, name.
    pub fn only(&self) -> Option<(&str, Option<u32>)> {
        let mut starts = self.starts.iter().map(|(group, job, _)| (job.as_str(), Some(*group)));
        let names = self.command.options.iter().filter(|(option, _)| option == "name");
        let mut names = names.map(|(_, job)| (job.as_str(), None));
        let only = starts.next().or_else(|| names.next().filter(|_| names.next().is_none()));
        only.filter(|_| starts.next().is_none())
    }
}

impl Command {
    /// Returns the options for the job `name`; without a name, those for all jobs, which precede the first name.
    fn of(&self, name: Option<&str>) -> impl Iterator<Item = &(String, String)> {
        let names = || self.options.iter().filter(|(option, _)| option == "name");
        let is_of = move |(_, job): &(String, String)| name == Some(job);
        let mut applies = name.is_none() || names().next().is_none() || names().any(is_of);
        self.options.iter().filter(move |pair| {
            applies = if pair.0 == "name" { is_of(pair) } else { applies };
            applies
        })
    }
}

/// Returns an option of a start line that contradicts those of a command line, followed by the command's.
fn contradiction<'o>(
    start: &'o Options,
    command: &[&'o (String, String)],
) -> Option<[&'o (String, String); 2]> {
    start.iter().find_map(|own| {
        let asked = command.iter().rev().find(|(option, _)| *option == own.0)?;
        let is_unlike = match own.0.as_str() {
            "bs" => {
                size(&own.1).zip(size(&asked.1)).is_some_and(|(one, other)| (one / other).ln().abs() > 0.1)
            }
            "rw" | "ioengine" => word(&own.1).zip(word(&asked.1)).is_some_and(|(one, other)| one != other),
            _ => false,
        };
        is_unlike.then_some([own, asked])
    })
}

/// Returns the block size of reads in `4k`, `4K-4K/4K-4K` or `(R) 4096B-4096B, …`, in bytes.
fn size(value: &str) -> Option<f64> {
    let first = value.trim_start_matches("(R) ").split(['-', ',', '/']).next()?;
    let lower = first.to_ascii_lowercase();
    let size = quantity::bytes(&lower, Prefixes::Binary)?.value;
    (size > 0.0).then_some(size)
}

/// Returns an access pattern or an engine by the name in fio's start line; `None` for a variable of a shell.
fn word(value: &str) -> Option<&str> {
    let word = value.split(':').next()?;
    let is_plain =
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    is_plain.then_some(match word {
        "readwrite" => "rw",
        "aio" | "linuxaio" => "libaio",
        other => other,
    })
}

/// Returns the names and options of unlike jobs, for a note.
fn listed(jobs: &[&Start]) -> String {
    let listed = jobs.iter().take(STARTS_LISTED).map(|(_, name, options)| {
        let options: Vec<_> = options.iter().map(|(option, value)| format!("{option}={value}")).collect();
        format!("{name} ({})", options.join(", "))
    });
    let more = if jobs.len() > STARTS_LISTED { " and others" } else { "" };
    let listed = listed.collect::<Vec<_>>().join(", ");
    format!("{listed}{more}; only the options that all of them have are kept")
}

/// Reads a command line, a start line, a version or the header of a job at `at`; returns its end.
pub(super) fn read(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    job(walk, at).or_else(|| start(walk, at)).or_else(|| version(walk, at)).or_else(|| command(walk, at))
}

/// Longest line of fio, in bytes.
const LINE: usize = 4096;
/// Most job names read from command lines.
const NAMES_MOST: usize = 64;
/// Most options read from one command line.
const OPTIONS_MOST: usize = 512;
/// Most start lines of a group that are compared, and of those that are listed.
const STARTS_MOST: usize = 512;
const STARTS_LISTED: usize = 8;
/// Fewest bytes of options in a line that a terminal wraps: 80 columns less a prompt.
const WIDTH: usize = 64;
/// Longest command line, in bytes.
const COMMAND: usize = 64 << 10;
/// Most colons within a name.
const COLONS: usize = 16;

/// Returns the name and the offset past `marker` if `name: (marker` is at `at`. At the start of a line, a name may
/// contain blanks; behind an open quote, a sentence cites the line.
fn named<'t>(plain: &'t str, at: usize, marker: &str) -> Option<(&'t str, usize)> {
    let fresh = begins_line(plain, at);
    let line = match fresh {
        true => near(plain, at, LINE).split('\n').next().unwrap_or_default(),
        false => near(&plain[..word_end(plain, at)], at, LINE),
    };
    line.match_indices(':').take(COLONS).find_map(|(index, _)| {
        let behind = matched(plain, at + index, marker)?;
        let name = unmarked(&line[..index], fresh);
        // Equals signs among other words are those of figures on the same line.
        let is_list = name.contains('=') && name.contains([' ', ',']);
        let is_quoted = !name.matches(['"', '`']).count().is_multiple_of(2);
        (!name.is_empty() && !is_list && !is_quoted).then_some((name, behind))
    })
}

/// Returns a name without the marks that open a line of code, a quotation or bold text, if it begins its line.
fn unmarked(name: &str, begins: bool) -> &str {
    let name = name.trim();
    if begins { name.trim_start_matches(['"', '`', '*']).trim_start().trim_end_matches('*') } else { name }
}

/// Reads `NAME: (groupid=0, jobs=1): err= 0: pid=2584: Fri Apr 20 17:14:19 2018`.
fn job(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let text = walk.text;
    let (name, behind) = named(&text.plain, at, ": (groupid=")?;
    walk.open_at(at);
    let mut part = ReportedPart::named(
        Scope::Job,
        walk.before.unglued(name).unwrap_or_else(|| name.to_owned()),
        text.line(at),
    );
    if part.job != name
        && let Some(found) = walk.found.last_mut()
    {
        found
            .notes
            .push(format!("the job '{name}' is '{}', as a command line of the text calls it", part.job));
    }
    let (list, mut end) = entries(&text.plain, behind - "groupid=".len());
    for entry in &list {
        match (entry.key, entry.value.parse()) {
            ("groupid", Ok(number)) => part.group = Some(number),
            ("jobs", Ok(number)) => part.clones = Some(number),
            _ => walk.expected(entry, "groupid and jobs as whole numbers"),
        }
    }
    end = matched(&text.plain, end, " ): ").unwrap_or(end);
    end = error(walk.text, end, &mut part);
    end = process(walk.text, end, &mut part);
    let note = walk.before.ask(&mut part, text);
    walk.way = None;
    if let Some(found) = walk.found.last_mut() {
        found.notes.extend(note.filter(|note| !found.notes.contains(note)));
        walk.at_job = found.parts.len();
        text.bounds.add(&mut found.parts, part);
    }
    Some(end)
}

/// Reads `err= 0:` or `err= 2 (file:filesetup.c:643, func=open, error=No such file or directory):`.
fn error(text: &Text, at: usize, part: &mut ReportedPart) -> usize {
    let (list, end) = entries(&text.plain, at);
    let Some(entry) = list.first().filter(|entry| entry.key == "err") else { return at };
    let code: i64 = entry.value.trim_end_matches(':').parse().unwrap_or_default();
    let mut end = if list.len() > 1 { entry.at + entry.value.len() } else { end };
    let mut words = String::new();
    if code != 0
        && let Some(open) = matched(&text.plain, end, " (")
    {
        let line = near(&text.plain, open, LINE).split('\n').next().unwrap_or_default();
        let close = line.find("): ").unwrap_or(line.len());
        words = line[..close].trim_end_matches(':').to_owned();
        end = (open + close + 2).min(open + line.len());
    }
    if code != 0 {
        part.error = Some(ReportedError { code, text: words });
    }
    matched(&text.plain, end, " : ").unwrap_or(end)
}

/// Reads `pid=2584: Fri Apr 20 17:14:19 2018`; the date is printed since fio 2.0.
fn process(text: &Text, at: usize, part: &mut ReportedPart) -> usize {
    let Some(behind) = matched(&text.plain, at, " pid=") else { return at };
    let rest = &text.plain[behind..];
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    part.said.push(("pid".to_owned(), rest[..length].to_owned()));
    let line = near(rest, length, LINE).split('\n').next().unwrap_or_default();
    match line.strip_prefix(": ").and_then(date) {
        Some(date) => {
            part.said.push((PRINTED_AT.to_owned(), date.to_owned()));
            behind + length + 2 + date.len()
        }
        None => behind + length,
    }
}

/// Returns the five words of a date such as `Fri Apr 20 17:14:19 2018`.
fn date(line: &str) -> Option<&str> {
    let mut end = 0;
    for _ in 0..5 {
        end = blanks(line, end);
        end = word_end(line, end);
    }
    let year = line[..end].rsplit(' ').next()?;
    (year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit())).then_some(&line[..end])
}

/// Reads `NAME: (g=0): rw=randrw, bs=4K-4K/4K-4K, ioengine=libaio, iodepth=64`.
fn start(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let text = walk.text;
    let (name, behind) = named(&text.plain, at, ": (g=")?;
    let close = behind + near(&text.plain, behind, 8).find(')')?;
    let group = text.plain[behind..close].trim().parse().unwrap_or(0);
    let mut end = matched(&text.plain, close, "): ")?;
    another(walk);
    // A mail program may have broken the line.
    let mut lines = near(&text.plain, end, LINE).split('\n');
    let own = lines.next().unwrap_or_default();
    let is_rest =
        |next: &&str| next.contains("iodepth=") && !own.contains("iodepth=") && !next.contains("(g=");
    let line_end = end + own.len() + lines.next().filter(is_rest).map_or(0, |rest| 1 + rest.len());
    let mut asked = Vec::new();
    for key in ["rw=", "bs=", "ioengine=", "iodepth="] {
        let Some(from) = text.plain[end..line_end].find(key).map(|found| end + found + key.len()) else {
            continue;
        };
        let next = [", ioengine=", ", iodepth=", ", bs="]
            .iter()
            .filter_map(|next| text.plain[from..line_end].find(next));
        let word = text.plain[from..line_end].find([',', ' ', '\n']);
        let length = if key == "bs=" { next.min() } else { word }.unwrap_or(line_end - from);
        let words: Vec<&str> = text.plain[from..from + length].split_whitespace().collect();
        asked.push((key.trim_end_matches('=').to_owned(), words.join(" ")));
        end = from + length;
    }
    if walk.before.starts.len() < PARTS_MOST {
        walk.before.starts.insert((group, name.to_owned(), asked));
    }
    walk.before.at = at;
    Some(end)
}

/// Reads `fio-3.33` or `fio 1.59`, alone on its line or before `Starting`.
fn version(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let plain = &walk.text.plain;
    let rest = plain[at..].strip_prefix("fio-").or_else(|| plain[at..].strip_prefix("fio "))?;
    rest.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
    let start = plain.len() - rest.len();
    let end = word_end(plain, start);
    let line = near(plain, end, LINE).split('\n').next().unwrap_or_default();
    (line.trim().is_empty() || line.trim_start().starts_with("Starting")).then_some(())?;
    let version = plain[start..end].to_owned();
    another(walk);
    if walk.before.ran.replace(version.clone()).is_some_and(|ran| ran != version) {
        // Another fio ran without this command line.
        walk.before.command = Command::default();
    }
    walk.before.version = Some(version);
    Some(end)
}

/// Closes the current result if its end has been seen, because the following line precedes another result.
fn another(walk: &mut Walk<'_>) {
    if walk.open && walk.closing {
        walk.close();
        walk.before.starts.clear();
    }
}

/// Reads `fio --name=x --rw=read …`, `./fio …` or, where cmd.exe prints its prompt, `C:\>fio.exe …`: the options of the
/// next result.
fn command(walk: &mut Walk<'_>, at: usize) -> Option<usize> {
    let plain = walk.plain();
    let end = word_end(plain, at);
    let program = plain[at..end].strip_suffix(".exe").unwrap_or(&plain[at..end]);
    // What ends in `.fio` is the file of a job.
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    program.strip_suffix("fio").filter(|before| !before.ends_with(is_part))?;
    let (file, start) = job_file(plain, blanks(plain, end));
    plain[start..].starts_with(if file.is_empty() { "-" } else { "--" }).then_some(())?;
    let Listed { mut options, length, mut note } = options_of(near(plain, start, COMMAND));
    let mut files: Vec<&str> = Some(file).filter(|file| !file.is_empty()).into_iter().collect();
    let mut after = start + length;
    loop {
        let blanks = plain[after..].bytes().take_while(|&byte| byte == b' ').count();
        let (file, next) = job_file(plain, after + blanks);
        if file.is_empty() || files.len() >= OPTIONS_MOST {
            break;
        }
        files.extend(Some(file).filter(|file| !files.contains(file)));
        let more = options_of(near(plain, next, COMMAND));
        after = next + more.length;
        options.extend(more.options);
    }
    if let Some((last, above)) = files.split_last() {
        let (files, s) = match above {
            [] => ((*last).to_owned(), ""),
            above => (format!("{} and {last}", above.join(", ")), "s"),
        };
        note = Some(format!(
            "the job file{s} of the command line, {files}, may ask for more, or for something else"
        ));
    }
    settle(&mut options);
    walk.close();
    let line = walk.text.line(at);
    let before = &mut walk.before;
    let is_unused = walk.found.last().is_none_or(|found| found.at < before.at);
    let last = std::mem::replace(&mut before.command, Command { options, line, note });
    before.other = if is_unused { last } else { Command::default() };
    (before.at, before.ran) = (at, None);
    before.starts.clear();
    Some(after)
}

/// Keeps the last value of an option, which is the one that counts, and none of several clients: nothing names the one of
/// a result.
fn settle(options: &mut Options) {
    let mut below = Vec::new();
    let is_one = options.iter().filter(|(option, _)| option == "client").count() < 2;
    options.reverse();
    options.retain(|(option, _)| {
        if option == "name" {
            below.clear();
            return true;
        }
        let is_last = !below.contains(option);
        below.push(option.clone());
        is_last && (is_one || option != "client")
    });
    options.reverse();
}

/// Returns the name of a job file at `at`, empty if there is none, and the start of what follows it on its line.
fn job_file(plain: &str, at: usize) -> (&str, usize) {
    let end = word_end(plain, at);
    let word = &plain[at..end];
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '~' | '_' | '-' | '\\');
    let is_file =
        word.contains(['.', '/']) && word.contains(char::is_alphabetic) && word.chars().all(is_plain);
    let start = end + plain[end..].bytes().take_while(|&byte| byte == b' ').count();
    if is_file && !word.starts_with('-') { (word, start) } else { ("", at) }
}

/// The options of a command line, where they end, and a note if parts of an option were joined.
#[derive(Default)]
struct Listed {
    options: Options,
    length: usize,
    note: Option<String>,
}

/// Returns `--option=value`, `--option value` and `--option` at the start of a text, and where they end, because
/// pages put other text on the same line; a semicolon ends them. Skips the backslashes and list numbers of a command
/// over several lines. A line that begins with `--option` or `-option=` goes on with those above, and so does one with the rest of an
/// option that a terminal has wrapped.
fn options_of(line: &str) -> Listed {
    let mut found = Listed::default();
    let (mut waits, mut last) = (false, 0);
    loop {
        let start = blanks(line, found.length);
        let whole = &line[start..quoted_end(line, start)];
        let mut word = Cow::Borrowed(whole.trim_end_matches(';'));
        let name =
            word.strip_prefix("--").or_else(|| word.strip_prefix('-').filter(|rest| rest.contains('=')));
        let goes_on = name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
        if line[found.length..start].contains('\n') && !goes_on {
            let part = &line[last..found.length];
            let is_cut = &line[found.length..start] == "\n" && !part.contains('\n');
            if !is_cut || !is_rest(line, start) || found.options.is_empty() {
                return found;
            }
            found.note = Some(format!(
                "'{part}' and '{word}' were joined: a terminal has wrapped the command line there"
            ));
            word = Cow::Owned(format!("{part}{word}"));
            match found.options.last_mut().filter(|_| !part.starts_with('-')) {
                Some(option) => option.1.clear(),
                None => drop(found.options.pop()),
            }
            waits = !part.starts_with('-');
        } else {
            last = start;
        }
        let option =
            word.strip_prefix('-').filter(|_| word.len() > 2).map(|rest| rest.trim_start_matches('-'));
        let (name, value) =
            option.map(|option| option.split_once('=').unwrap_or((option, ""))).unwrap_or_default();
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let number = word.strip_suffix('.').is_some_and(|digits| digits.parse::<u8>().is_ok());
        if plain && !name.is_empty() {
            waits = !word.contains('=');
            if found.options.len() >= OPTIONS_MOST {
                return found;
            }
            found.options.push((canonical(name).to_owned(), value.trim_matches(['\'', '"']).to_owned()));
        } else if *word == *"\\" || number {
            waits = false;
        } else if let Some(option) =
            found.options.last_mut().filter(|_| waits && !word.is_empty() && !word.starts_with("--"))
        {
            option.1 = word.into_owned();
            waits = false;
        } else {
            return found;
        }
        found.length = start + whole.len();
        if whole.ends_with(';') {
            return found;
        }
    }
}

/// Whether the line at `at` begins with the rest of an option of the line above: an option follows, or nothing does. Below
/// a line too short for a terminal to wrap, it must be a value.
fn is_rest(text: &str, at: usize) -> bool {
    let mut words = near(text, at, LINE).split('\n').next().unwrap_or_default().split(' ');
    let (first, next) = (words.next().unwrap_or_default(), words.next());
    let is_option =
        next.is_some_and(|word| word.starts_with("--") || word.starts_with('-') && word.contains('='));
    let is_value = first.contains('=') || first.starts_with(|c: char| c.is_ascii_digit());
    let width = text[..at].trim_end().rsplit('\n').next().map_or(0, str::len);
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_=./%KMGTB".contains(c);
    // A single word may be one of a language, unless it is as short as a unit.
    let is_last = next.is_none() && (first.len() <= 2 || !first.chars().all(char::is_alphabetic));
    let is_wrapped = width >= WIDTH && first.chars().all(is_part) && (is_option || is_last);
    let is_word = first.starts_with(char::is_alphanumeric) && !first.ends_with("fio");
    is_word && (is_option && is_value || is_wrapped)
}

/// Returns the end of the word at `at`, with the blanks in a value that is quoted: `--name="a b"`.
fn quoted_end(line: &str, at: usize) -> usize {
    let end = word_end(line, at);
    let Some((name, value)) = line[at..end].split_once('=') else { return end };
    let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '\'' | '"')) else { return end };
    let inside = at + name.len() + 2;
    let rest = near(line, inside, LINE).split('\n').next().unwrap_or_default();
    rest.find(quote).map_or(end, |length| word_end(line, inside + length))
}

/// Returns the name of an option in fio's JSON.
fn canonical(name: &str) -> &str {
    match name {
        "readwrite" => "rw",
        "blocksize" => "bs",
        other => other,
    }
}
