//! ioping's text: its requests and its closing statistics, wherever they occur.

use std::ops::Range;

use record::{Along, Figure, LatencyKind, Measure, RateBasis, ReportedPart, ReportedUnit, Scope};
use workload::Direction;

use super::super::found::{ImportedResult, add, latency, series, way};
use super::super::pieces::{near, unquoted};
use super::super::quantity::{self, Prefixes};
use super::super::scan::blanks;
use super::super::text::Text;
use super::super::trouble::Troubles;

/// The words that close a run.
const HEAD: &str = "ioping statistics";
const COMPLETED: &str = "requests completed in";
/// Most bytes after the head that belong to the closing statistics.
const CLOSING: usize = 600;

/// Longest line of ioping, in bytes.
const LINE: usize = 8192;

/// Returns the end of `text`, at most `most` bytes of it.
fn last(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

/// One request line.
struct Request<'t> {
    at: usize,
    number: u64,
    ns: f64,
    direction: Option<Direction>,
    size: &'t str,
    place: &'t str,
    warm_up: bool,
}

/// Reads every result in `text`.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let plain = text.plain.as_str();
    let requests = requests(text, troubles);
    let mut rest = requests.as_slice();
    let mut found = Vec::new();
    for head in heads(plain) {
        let (mine, behind) = rest.split_at(rest.partition_point(|request| request.at < head.at));
        rest = behind;
        text.bounds.begin(&mut found, closed(text, head, mine, troubles));
    }
    note_raw(text, &mut found);
    if !rest.is_empty() {
        found.push(unclosed(text, rest));
    }
    found
}

/// The beginning of a run's closing statistics, and the range of their text.
struct Head {
    at: usize,
    body: Range<usize>,
}

/// Returns the closing statistics of every run. If their head is missing, as after 'tail', the line with counts
/// begins them.
fn heads(plain: &str) -> Vec<Head> {
    let mut starts: Vec<_> = plain.match_indices(HEAD).map(|(at, head)| at..at + head.len()).collect();
    let (words, mut since) = (starts.len(), 0);
    for (at, _) in plain.match_indices(COMPLETED) {
        let own =
            starts[..words].partition_point(|head| head.end <= at).checked_sub(1).map(|own| &starts[own]);
        let has_head = own.is_some_and(|head| head.start >= since && at <= head.end + CLOSING);
        since = at;
        let line = near(plain, at, LINE).split('\n').next().unwrap_or_default();
        if !has_head && line.contains(" iops, ") {
            let start = plain[..at].rfind('\n').map_or(0, |end| end + 1);
            starts.push(start..start);
        }
    }
    starts.sort_by_key(|head| head.start);
    starts.dedup();
    let nexts = starts.iter().skip(1).map(|next| next.start).chain([plain.len()]);
    let body = |(head, next): (&Range<usize>, usize)| {
        let length = near(&plain[..next], head.end, CLOSING).len();
        Head { at: head.start, body: head.end..head.end + length }
    };
    starts.iter().zip(nexts).map(body).collect()
}

/// Adds a note on raw statistics between requests (`-p`, `-P`), which are ignored because they repeat the requests.
fn note_raw(text: &Text, found: &mut [ImportedResult]) {
    let is_raw = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().take(11).collect();
        matches!(words.len(), 4 | 8 | 10) && words.iter().all(|word| word.parse::<u64>().is_ok())
    };
    if let Some(first) = found.first_mut().filter(|_| text.plain.lines().any(|line| is_raw(&line))) {
        first.notes.push("lines of raw statistics (-p, -P) stand there too; they were left out".to_owned());
    }
}

/// Reads every `request=2 time=347 us`, with the text before it on its line.
fn requests<'t>(text: &'t Text, troubles: &mut Troubles) -> Vec<Request<'t>> {
    let plain = text.plain.as_str();
    let mut found: Vec<Request<'_>> = Vec::new();
    let mut from = 0;
    for (at, mark) in plain.match_indices(": request=") {
        let before = &plain[from..at];
        let before = last(before, LINE);
        let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        match request(plain, at + mark.len(), at, line) {
            Some((request, end)) => {
                from = end;
                found.push(request);
            }
            None => troubles
                .push(text.trouble(at + mark.len(), "a number and a time like 'request=2 time=347 us'")),
        }
    }
    found
}

fn request<'t>(plain: &'t str, at: usize, start: usize, line: &'t str) -> Option<(Request<'t>, usize)> {
    let rest = &plain[at..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = rest[..digits].parse().ok()?;
    let time = rest[digits..].trim_start().strip_prefix("time=")?;
    let begin = plain.len() - time.len();
    let value = time.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))?;
    let unit_at = blanks(plain, begin + value);
    let near = near(plain, unit_at, 32);
    let unit = near.find(|c: char| !c.is_alphabetic()).unwrap_or(near.len());
    let end = unit_at + unit;
    let figure = quantity::time(&plain[begin..end])?;
    let note = plain[end..].trim_start_matches(' ');
    let (size, direction, place) = subject(line)?;
    let request = Request {
        at: start,
        number,
        ns: figure.value,
        direction,
        size,
        place,
        warm_up: note.starts_with("(warmup)"),
    };
    Some((request, end))
}

/// Returns size, direction and place from `4.0 KiB from . (ext4 /dev/vda)`.
fn subject(line: &str) -> Option<(&str, Option<Direction>, &str)> {
    let words = [
        (" from ", Direction::Read),
        (" <<< ", Direction::Read),
        (" to ", Direction::Write),
        (" >>> ", Direction::Write),
    ];
    words.into_iter().find_map(|(word, direction)| {
        let (size, place) = line.split_once(word)?;
        // On a collapsed line, the time of the last request precedes the size.
        let foreign = |(_, c): &(usize, char)| !(c.is_ascii_digit() || ". KkMmGgiBbytes".contains(*c));
        let before = size.char_indices().rev().find(foreign).map_or(0, |(at, c)| at + c.len_utf8());
        let size = size[before..].trim();
        size.starts_with(|c: char| c.is_ascii_digit()).then_some((size, Some(direction), place.trim()))
    })
}

/// Reads a run with its closing statistics.
fn closed(text: &Text, head: Head, requests: &[Request<'_>], troubles: &mut Troubles) -> ImportedResult {
    let plain = text.plain.as_str();
    let before = last(&plain[..head.at], LINE);
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let begin = line.rfind("---").map(|at| at + 3).or_else(|| line.rfind('—').map(|at| at + '—'.len_utf8()));
    let place = line[begin.unwrap_or(0)..].trim().trim_end_matches(['-', '—']).trim();
    let start = requests.first().map_or(head.at, |request| request.at);
    let mut part = part_of(text, start, place, requests);
    let closing = Closing { text, body: &plain[head.body.clone()], offset: head.body.start };
    let generation = closing.completed(&mut part, requests, troubles);
    closing.generated(&mut part, troubles);
    closing.extremes(&mut part, troubles);
    let size = requests.first().map(|request| request.size);
    let tool = format!("ioping {} text", version(size, place, generation));
    found(tool, start, part, requests)
}

/// Reads requests whose closing statistics are missing.
fn unclosed(text: &Text, requests: &[Request<'_>]) -> ImportedResult {
    let (at, place) = requests.first().map_or((0, ""), |request| (request.at, request.place));
    let part = part_of(text, at, place, requests);
    let size = requests.first().map(|request| request.size);
    let tool = format!("ioping {} text", version(size, place, Generation::Unknown));
    let mut found = found(tool, at, part, requests);
    found.notes.push("the closing lines '--- … ioping statistics ---' are cut off".to_owned());
    found
}

fn found(tool: String, at: usize, part: ReportedPart, requests: &[Request<'_>]) -> ImportedResult {
    let mut found = ImportedResult { tool, at, ..ImportedResult::default() };
    let warm_ups = requests.iter().filter(|request| request.warm_up).count();
    if warm_ups > 0 {
        found.notes.push(format!("requests marked (warmup): {warm_ups}; the statistics leave them out"));
    }
    found.parts.push(part);
    found
}

/// Returns the part with its place and its requests.
fn part_of(text: &Text, at: usize, place: &str, requests: &[Request<'_>]) -> ReportedPart {
    let (path, inside) = place.rsplit_once(" (").unwrap_or((place, ""));
    let name = if path.trim().is_empty() { "unnamed" } else { path.trim() };
    let mut part = ReportedPart::named(Scope::Job, name, text.line(at));
    // Words before a colon are not ioping's.
    let inside =
        Some(inside.trim_end_matches(')')).filter(|inside| !inside.contains(": ")).unwrap_or_default();
    // A device itself has no file system: `block device 5.51 GiB`, `device 10.0 GiB` before 1.0.
    let device = inside.strip_prefix("block ").unwrap_or(inside).strip_prefix("device ");
    let names = ["file system", "device", "device size"];
    let names = if device.is_some() { &names[2..] } else { &names };
    let mut words = device.unwrap_or(inside).splitn(names.len(), ' ');
    for &name in names {
        if let Some(word) = words.next().filter(|word| !word.is_empty()) {
            part.said.push((name.to_owned(), word.to_owned()));
        }
    }
    if let Some(first) = requests.first() {
        part.asked.push(("size".to_owned(), first.size.to_owned()));
    }
    if let Some(command) = command(&text.plain[..at]) {
        part.asked.push(("command".to_owned(), command.to_owned()));
    }
    for direction in [Some(Direction::Read), Some(Direction::Write)] {
        let mine = requests.iter().filter(|request| request.direction == direction);
        let points: Vec<(u64, f64)> = mine.map(|request| (request.number, request.ns)).collect();
        if !points.is_empty() {
            series(&mut part.series, Measure::TotalLatency, direction, Along::Request).points = points;
        }
    }
    part
}

/// Returns a command line such as `ioping -c 10 .` just above, without a prompt or a page's marks of code.
fn command(before: &str) -> Option<&str> {
    let lines = before.rsplit('\n').filter(|line| !line.trim().is_empty());
    // The first line is the beginning of the request's own line, if that has one.
    lines.take(3).find_map(|line| {
        let at = line.find("ioping ")?;
        let command = unquoted(&line[at..]).trim();
        let is_option = |word: &str| word.len() > 1 && !word.starts_with("--") && word.starts_with('-');
        // Options may follow the place, or be missing; without them first, only a prompt tells a command from a sentence.
        let is_prompt =
            line[..at].trim_end().is_empty() || line[..at].trim_end().ends_with(['$', '#', '>', '%', '`']);
        let (_, words) = command.split_once(' ')?;
        let is_place = !words.contains(' ') && words.contains(['.', '/']);
        let is_command = words.split(' ').next().is_some_and(is_option)
            || is_prompt && (is_place || words.split(' ').any(is_option));
        is_command.then_some(command)
    })
}

/// Version that the first closing line indicates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Generation {
    /// Up to 0.9: the line has the elapsed time.
    Elapsed,
    /// Since 1.0: the line has the summed latencies, and a second line has the generated requests.
    Summed,
    /// There is no such line.
    Unknown,
}

fn version(size: Option<&str>, place: &str, generation: Generation) -> &'static str {
    let sized = place.ends_with("B)");
    match (size, generation) {
        (_, Generation::Summed) if place.is_empty() => "1.0 or later",
        (_, Generation::Summed) if sized => "1.2 or later",
        (_, Generation::Summed) => "1.0 or 1.1",
        (Some(size), _) if size.ends_with("bytes") => "0.6",
        (Some(size), _) if size.contains('.') => "0.7 or 0.8",
        (Some(_), Generation::Elapsed) => "0.9",
        _ => "of an unknown version",
    }
}

/// The closing lines of a run: `body`, which begins at `offset` of `text`.
struct Closing<'t> {
    text: &'t Text,
    body: &'t str,
    offset: usize,
}

impl Closing<'_> {
    /// Returns the line that holds `mark`, split at its commas, with the offsets of the line and of the mark.
    fn pieces(&self, mark: &str) -> Option<(Vec<&str>, usize, usize)> {
        let Closing { body, offset, .. } = *self;
        let at = body.find(mark)?;
        let start = body[..at].rfind('\n').map_or(0, |end| end + 1);
        // On collapsed lines, the next statement follows without a line end.
        let rest = &body[at..];
        let stops = ["\n", " generated ", " min/avg/max"].iter().filter_map(|stop| rest.find(stop));
        let end = at + stops.min().unwrap_or(rest.len());
        Some((body[start..end].split(", ").map(str::trim).collect(), offset + start, offset + at))
    }

    /// Reads `10 requests completed in 9005.3 ms, 3318 iops, 13.0 mb/s`; since 1.0, with `36 KiB read,` and the
    /// summed time.
    fn completed(
        &self,
        part: &mut ReportedPart,
        requests: &[Request<'_>],
        troubles: &mut Troubles,
    ) -> Generation {
        let Some((pieces, start, _)) = self.pieces(COMPLETED) else { return Generation::Unknown };
        let summed = pieces.len() > 3 || self.body.contains("generated ");
        let said = pieces.iter().find_map(|piece| match piece.rsplit(' ').next() {
            Some("read") => Some(Direction::Read),
            Some("written") => Some(Direction::Write),
            _ => None,
        });
        let all =
            |wanted| !requests.is_empty() && requests.iter().all(|request| request.direction == Some(wanted));
        let seen = [Direction::Read, Direction::Write].into_iter().find(|&wanted| all(wanted));
        let way = way(part, said.or(seen));
        way.basis = RateBasis::Latency;
        let (mut elapsed, mut place) = (None, start);
        for piece in pieces.iter().map(|piece| piece.trim_matches('*')) {
            if let Some((count, time)) = piece.split_once(" requests completed in ") {
                way.ops = count_in(count).map(|count| exact(count, requests));
                elapsed = quantity::time(time);
            } else if let Some(rate) = piece.strip_suffix(" iops") {
                way.iops = quantity::scaled(rate, 1.0);
            } else if piece.ends_with("/s") {
                way.bytes_per_second = quantity::byte_rate(piece, Prefixes::Binary);
            } else {
                let size = piece.trim_end_matches(" read").trim_end_matches(" written");
                match quantity::bytes(size, Prefixes::Binary) {
                    Some(bytes) => way.bytes = Some(bytes),
                    None => place = piece.as_ptr() as usize - self.text.plain.as_ptr() as usize,
                }
            }
        }
        if [&way.ops, &way.iops, &way.bytes_per_second, &elapsed].iter().any(|figure| figure.is_none()) {
            troubles.push(self.text.trouble(
                place,
                "requests, time, iops and rate like '10 requests completed in 9.0 s, 2.7 k iops, \
                                           10.7 MiB/s'",
            ));
        }
        if summed {
            way.runtime = elapsed;
            return Generation::Summed;
        }
        part.runtime = elapsed.as_ref().map(quantity::nanos);
        Generation::Elapsed
    }

    /// Reads `generated 10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s`, printed since 1.0.
    fn generated(&self, part: &mut ReportedPart, troubles: &mut Troubles) {
        let Some((pieces, _, at)) = self.pieces("generated ") else { return };
        let mut whole = 0;
        for piece in &pieces {
            let words = piece.strip_prefix("generated ").and_then(|rest| rest.split_once(" requests in "));
            let (name, unit, figure) = if let Some((count, time)) = words {
                part.runtime = quantity::time(time).as_ref().map(quantity::nanos);
                ("generated.requests", ReportedUnit::Count, quantity::scaled(count, 1.0))
            } else if let Some((name, count)) = left_out(piece) {
                (name, ReportedUnit::Count, quantity::scaled(count, 1.0))
            } else if let Some(rate) = piece.strip_suffix(" iops") {
                ("generated.iops", ReportedUnit::PerSecond, quantity::scaled(rate, 1.0))
            } else if piece.ends_with("/s") {
                let rate = quantity::byte_rate(piece, Prefixes::Binary);
                ("generated.bandwidth", ReportedUnit::BytesPerSecond, rate)
            } else {
                ("generated.bytes", ReportedUnit::Bytes, quantity::bytes(piece, Prefixes::Binary))
            };
            whole += usize::from(figure.is_some());
            add(&mut part.figures, name, unit, figure);
        }
        if whole < pieces.len() || part.runtime.is_none() {
            let expected = "a line like 'generated 10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s'";
            troubles.push(self.text.trouble(at, expected));
        }
    }

    /// Reads `min/avg/max/mdev = 0.2/0.3/0.6/0.1 ms` or `= 294 us / 365 us / 710 us / 116 us`.
    fn extremes(&self, part: &mut ReportedPart, troubles: &mut Troubles) {
        let Closing { text, body, offset } = *self;
        let mark = "min/avg/max/mdev =";
        let Some(at) = body.find(mark) else { return };
        let line = body[at + mark.len()..].split('\n').next().unwrap_or_default();
        let values: Vec<&str> = line.split('/').map(str::trim).collect();
        let last = values.get(3).map(|word| tail(word)).unwrap_or_default();
        let unit = last.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').trim();
        let read = |word: &&str| {
            let one = tail(word);
            let printed = if one.ends_with(|c: char| c.is_ascii_digit()) {
                format!("{one} {unit}")
            } else {
                one.to_owned()
            };
            quantity::time(&printed)
        };
        let figures: Vec<_> = values.iter().take(4).map(read).collect();
        if figures.len() < 4 || figures.iter().any(Option::is_none) {
            troubles.push(
                text.trouble(
                    offset + at,
                    "a line like 'min/avg/max/mdev = 294 us / 365 us / 710 us / 116 us'",
                ),
            );
        }
        let direction = part.directions.first().and_then(|way| way.direction);
        let latency = latency(way(part, direction), LatencyKind::Total);
        let mut figures = figures.into_iter();
        [latency.min, latency.mean, latency.max, latency.stddev] =
            std::array::from_fn(|_| figures.next().flatten());
    }
}

/// Returns the name and the count of requests that the statistics leave out: `3 too slow`.
fn left_out(piece: &str) -> Option<(&'static str, &str)> {
    let kinds = [("too_fast", " too fast"), ("too_slow", " too slow"), ("generated.failed", " failed")];
    kinds.into_iter().find_map(|(name, words)| Some((name, piece.strip_suffix(words)?)))
}

/// Returns the count that ends `text`, such as `10` or `70.7 k`; on a collapsed line, other text precedes it.
fn count_in(text: &str) -> Option<Figure> {
    let mut words = text.rsplit(' ').map(|word| word.trim_start_matches(['-', '—', '*']));
    let last = words.next()?;
    match last.starts_with(|c: char| c.is_ascii_digit()) {
        true => quantity::scaled(last, 1.0),
        false => quantity::scaled(&format!("{} {last}", words.next()?), 1.0),
    }
}

/// Returns a rounded count with the number of listed requests as its value, if that is what was rounded.
fn exact(printed: Figure, requests: &[Request<'_>]) -> Figure {
    let listed = requests.iter().filter(|request| !request.warm_up).count() as f64;
    let is_rounded = printed.step > 1.0 && (printed.value - listed).abs() <= printed.step;
    if is_rounded { Figure { value: listed, step: 1.0, ..printed } } else { printed }
}

/// Returns the first number with its unit; on a collapsed line, other text may follow.
fn tail(word: &str) -> &str {
    let digits = word.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(word.len());
    let unit_at = word.len() - word[digits..].trim_start().len();
    let unit = word[unit_at..].find(|c: char| !c.is_alphabetic()).unwrap_or(word.len() - unit_at);
    word[..unit_at + unit].trim_end()
}
