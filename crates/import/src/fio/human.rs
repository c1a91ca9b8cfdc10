//! fio's text for people: a walk over the words that recognises fio's labels, so that lost line breaks and blanks
//! do no harm.

use record::LatencyKind;
use workload::Direction;

use super::super::found::ImportedResult;
use super::super::scan::{blanks, matched, word_end};
use super::super::text::Text;
use super::super::trouble::Troubles;
use super::walk::{Kind, Label, Walk};
use super::{groups, header, headless, lines};

/// The labels; a longer label precedes a shorter one with the same beginning. A blank matches any number of blanks.
const LABELS: [(&str, Label); 33] = [
    ("slat percentiles (", Label::Percentiles(Kind::Io(LatencyKind::Submission))),
    ("clat percentiles (", Label::Percentiles(Kind::Io(LatencyKind::Completion))),
    ("lat percentiles (", Label::Percentiles(Kind::Io(LatencyKind::Total))),
    ("sync percentiles (", Label::Percentiles(Kind::Sync)),
    ("clat prio ", Label::PriorityPercentiles),
    ("lat prio ", Label::PriorityPercentiles),
    ("slat (", Label::Latency(Kind::Io(LatencyKind::Submission))),
    ("clat (", Label::Latency(Kind::Io(LatencyKind::Completion))),
    ("lat (", Label::Latency(Kind::Io(LatencyKind::Total))),
    ("sync (", Label::Latency(Kind::Sync)),
    ("bw ( ", Label::Bandwidth),
    ("iops : ", Label::IopsSamples),
    ("cpu : ", Label::Cpu),
    ("IO depths : ", Label::Shares("depth")),
    ("submit : ", Label::Shares("submit")),
    ("complete : ", Label::Shares("complete")),
    ("issued ", Label::Issued),
    ("errors : ", Label::Errors),
    ("latency : ", Label::Target),
    ("fsync/fdatasync/sync_file_range", Label::SyncHead),
    ("steadystate : ", Label::Steady),
    ("Description : ", Label::Description),
    ("Run status group ", Label::Group),
    ("Disk stats (read/write):", Label::Disks),
    ("Jobs: ", Label::Eta),
    ("read : ", Label::Way(Some(Direction::Read))),
    ("write : ", Label::Way(Some(Direction::Write))),
    ("trim : ", Label::Way(Some(Direction::Trim))),
    ("mixed : ", Label::Way(None)),
    ("READ: ", Label::GroupWay(Some(Direction::Read))),
    ("WRITE: ", Label::GroupWay(Some(Direction::Write))),
    ("TRIM: ", Label::GroupWay(Some(Direction::Trim))),
    ("MIXED: ", Label::GroupWay(None)),
];

/// Reads every result of fio's text form in `text`.
pub(crate) fn human(text: &Text, troubles: &mut Troubles) -> Vec<ImportedResult> {
    let mut walk = Walk {
        text,
        troubles,
        found: Vec::new(),
        open: false,
        closing: false,
        style: None,
        way: None,
        before: header::before(&text.plain),
        served: 0,
        is_below: false,
        last_line: 0,
        prose: false,
        at_job: 0,
        named: 0,
    };
    walk.run();
    walk.close();
    walk.found
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut at = blanks(self.plain(), 0);
        while at < self.plain().len() {
            let end = match self.known(at) {
                Some(end) => {
                    self.last_line = self.text.line(end.saturating_sub(1).max(at));
                    self.prose = false;
                    end.max(at + 1)
                }
                None => self.pass(at),
            };
            at = blanks(self.plain(), self.plain().ceil_char_boundary(end));
        }
    }

    /// Reads the text at `at` if it is fio's; returns its end.
    fn known(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        // A page may have set the line in bold.
        let bold = text.plain[at..].bytes().take_while(|&byte| byte == b'*').count();
        let label =
            LABELS.iter().find_map(|&(words, label)| Some((label, matched(&text.plain, at + bold, words)?)));
        if let Some((label, behind)) = label
            && let Some(end) = self.labelled(label, behind)
        {
            return Some(end);
        }
        header::read(self, at).or_else(|| groups::disk(self, at))
    }

    fn labelled(&mut self, label: Label, behind: usize) -> Option<usize> {
        match label {
            Label::Eta => lines::eta(self, behind),
            _ if (!self.open || self.repeats(label, behind)) && !headless::opens(self, label, behind) => None,
            Label::Group => groups::group(self, behind),
            Label::GroupWay(direction) => groups::way(self, direction, behind),
            Label::Disks => {
                self.closing = true;
                Some(behind)
            }
            other => lines::read(self, other, behind),
        }
    }

    /// Skips a word that is not fio's; within a result, adds a trouble if the word looks like a figure.
    fn pass(&mut self, at: usize) -> usize {
        let text = self.text;
        let end = word_end(&text.plain, at);
        let word = &text.plain[at..end];
        let line = text.line(at);
        let beside = self.open && line <= self.last_line + 1;
        let figure = word.split_once('=').is_some_and(|(key, value)| {
            !key.is_empty() && !key.starts_with('-') && value.contains(|c: char| c.is_ascii_digit())
        });
        // A percentile has its figure in brackets, often after a blank: `1.00th=[  130]`.
        let percentile = word.contains("th=[");
        if beside && (figure || percentile) && self.named != line {
            self.named = line;
            self.troubles.push(text.trouble(at, "a line of fio's result"));
        }
        if beside && percentile {
            // The rows below belong to it, and are lost too.
            self.last_line = line;
        }
        // Words on or just below the line of a known label may be its unread end; prose is further down.
        self.prose |= line > self.last_line + 1;
        if (self.closing || self.prose) && line > self.last_line && word.contains(char::is_alphanumeric) {
            self.served();
        }
        end
    }
}
