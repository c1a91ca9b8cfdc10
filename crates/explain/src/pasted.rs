//! Finds command lines and job files in pasted text.

use super::call::{called, cut, dashed, is_row, is_starter};
use super::file_text::{goes_on, is_known, is_of_fio, without_last_comments};
use super::loops::Loops;
use super::margin::Margin;
use super::standing::{Standing, keeper, settled};
use super::tool::{Tool, names_a_job_file};
use super::variables::{Computed, Variables};
use super::word::{
    BACKSLASH, CUT, DASHES, JOINED, LIST, LOOP, NAMELESS, NUMBER, PROMPT, Piece, QUOTED, Repair, SPLIT,
    is_list_mark, is_star, plain, quoted, several, with_one_kind_of_quotes, without_list, words,
};

/// A command line or job file in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastedCommand {
    /// Whether it is a command line or a job file.
    pub kind: Kind,
    /// The first line of the command or job file, from 1.
    pub line: usize,
    /// Repairs made to the text.
    pub repairs: Vec<Repair>,
    /// For a job file: the line of the text that has each of its own lines.
    pub lines: Vec<usize>,
    /// What the text does with it; `None` if it is nothing but commands and job files.
    pub standing: Option<Standing>,
    /// The variables in it whose values the text computes.
    pub(super) computed: Vec<Computed>,
}

impl PastedCommand {
    /// Its last line in the text, from 1.
    pub(super) fn last_line(&self) -> usize {
        let words = match &self.kind {
            Kind::Command(_, words) => words.iter().map(|piece| piece.line).max(),
            Kind::JobFile(_) => self.lines.iter().copied().max(),
        };
        words.unwrap_or(self.line).max(self.line)
    }

    /// Its words or lines.
    pub(super) fn text(&self) -> String {
        match &self.kind {
            Kind::Command(tool, words) => command_line(*tool, words),
            Kind::JobFile(text) => text.trim_end().to_owned(),
        }
    }
}

/// The words of a command so that a shell splits them again.
pub(super) fn command_line(tool: Tool, words: &[Piece]) -> String {
    let words = words.iter().map(|piece| format!(" {}", quoted(&piece.text)));
    tool.name().to_owned() + &words.collect::<String>()
}

/// A command line or a job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A command line: the tool, and the words after its name.
    Command(Tool, Vec<Piece>),
    /// A job file of fio, one option a line.
    JobFile(String),
}

/// Finds the command lines and job files in `text`, in order.
pub fn find(text: &str) -> Vec<PastedCommand> {
    let mut finder = Finder::default();
    let margin = Margin::of(text);
    let bare: Vec<String> =
        text.lines().map(|line| plain(&margin.without(line), 0, &mut Vec::new())).collect();
    let mut variables = Variables::of(&bare);
    for (index, raw) in text.lines().enumerate() {
        // A line of a command that begins so, but without an option, redirects its output.
        let rest = raw.trim_start_matches(['>', ' ', '\t']);
        let is_redirection =
            finder.open && raw.trim_start().starts_with('>') && !rest.starts_with(['-', '#']);
        let line = if is_redirection { raw.to_owned() } else { margin.without(raw) };
        let line = finder.without_mark(line);
        if line != raw && !finder.open {
            finder.repairs.push(Repair { what: QUOTED, line: index + 1, column: 1 });
        }
        let line = plain(&line, index + 1, &mut finder.repairs);
        let line = variables.read(&line, index + 1, &mut finder.repairs);
        let line = without_list(&with_one_kind_of_quotes(&line), index + 1, &mut finder.repairs);
        finder.raw = raw;
        finder.line(&line, index + 1);
    }
    // A tool's name alone in a list is none of a command if no options followed.
    finder.found.retain(|found| match &found.kind {
        Kind::Command(tool, rest) => !rest.is_empty() || tool.is_called_with(&[]),
        Kind::JobFile(text) => is_of_fio(text),
    });
    finder.found.iter_mut().for_each(without_last_comments);
    finder.found.dedup_by(|next, first| goes_on(first, next));
    for found in &mut finder.found {
        found.computed.extend(variables.computed(&found.text()));
        let kept = bare.get(found.line - 1).and_then(|line| keeper(line));
        found.computed.extend(kept.and_then(|name| variables.changed_below(name, found.line)));
    }
    settled(text, finder.found)
}

/// Finds the only command line in words of the shell; `None` if they call no tool.
pub fn of_words(given: &[String]) -> Option<PastedCommand> {
    let mut repairs = Vec::new();
    let mut column = 1;
    let mut pieces = Vec::new();
    for word in given {
        let text = plain(word, 1, &mut repairs);
        pieces.push(Piece { text, line: 1, column });
        column += word.chars().count() + 1;
    }
    let pieces =
        pieces.into_iter().filter(|piece| !piece.text.trim().is_empty() && piece.text != "\\").collect();
    let (tool, rest) = called(pieces, &mut repairs)?;
    let rest = rest.into_iter().map(|piece| dashed(tool, piece, &mut repairs)).collect();
    Some(PastedCommand {
        kind: Kind::Command(tool, cut(tool, rest, &mut repairs).0),
        line: 1,
        repairs,
        lines: Vec::new(),
        standing: None,
        computed: Vec::new(),
    })
}

/// Lines below a command on which an option may still be one of its own: keys of a manifest may stand between. Chosen by us.
const NEAR: usize = 4;

#[derive(Default)]
struct Finder<'t> {
    found: Vec<PastedCommand>,
    repairs: Vec<Repair>,
    /// The line as typed.
    raw: &'t str,
    /// Whether the last line may continue on the next.
    open: bool,
    /// Whether a mark of code (a backquote) is open, on a line that goes on.
    marked: bool,
    /// Whether the last line, which is none of a command, continues on the next.
    led: bool,
    /// Whether the last non-empty line belongs to a job file.
    in_job_file: bool,
    /// Whether an empty line has followed the last line that can only be part of a job file.
    apart: bool,
    /// The shell's loops that are open.
    loops: Loops,
    /// A list of a program, whose items stand elsewhere, at the beginning of one that may be a command.
    star: Option<Piece>,
    /// Options of fio on the lines before this one, with their numbers: a section below them would make them part of a file.
    before: Vec<(String, usize)>,
}

/// What is known of a line before its words are read.
#[derive(Clone, Copy)]
struct Line {
    number: usize,
    continued: bool,
    looped: bool,
    is_item: bool,
    /// Whether it may go on with the command before it.
    goes_on: bool,
}

impl Finder<'_> {
    fn line(&mut self, line: &str, number: usize) {
        // Two and more mark code, and so does one before a command until the next; otherwise a single one at the end continues
        // a line of PowerShell.
        let marks = line.matches('`').count();
        let is_code = marks > 1 || self.marked && marks > 0 || opens_code(line);
        self.marked = self.marked != (is_code && marks % 2 == 1) && line.trim_end().ends_with('\\');
        let unmarked = if is_code { line.replace("\\`", " ").replace('`', " ") } else { line.to_owned() };
        let line = unmarked.as_str();
        let continued = line.trim_end().ends_with(['\\', '^', '`']);
        if let Some(head) = line.trim_end().strip_suffix(['^', '`']) {
            self.repairs.push(Repair { what: BACKSLASH, line: number, column: head.chars().count() + 1 });
        }
        let line = line.trim_end().trim_end_matches(['^', '`']);
        let mut pieces = words(line, number, &mut self.repairs);
        pieces.retain(|piece| piece.text != "\\");
        let length = pieces.len();
        let pieces = self.without_marks(pieces);
        let is_listed = self.repairs.iter().any(|repair| repair.what == LIST && repair.line == number);
        // fio alone on a line, with its options below.
        let is_head = pieces.len() == 1 && line.trim() == Tool::Fio.name();
        let is_item = pieces.len() == 1 && (length == 2 || is_listed) || is_head;
        let looped = self.loops.follow(&pieces);
        let Some(first) = pieces.first() else {
            self.open = self.open && continued;
            self.apart = true;
            self.repairs.clear();
            return;
        };
        self.in_job_file = self.job_file_line(line, number, &pieces);
        if self.in_job_file {
            return;
        }
        match pieces.as_slice() {
            [only] if is_option_of_a_file(&only.text) => self.before.push((only.text.clone(), number)),
            _ => self.before.clear(),
        }
        let option = |text: &str| {
            let rest = text.trim_start_matches(|c| c == '-' || DASHES.contains(&c));
            rest.len() < text.len() && rest.starts_with(|c: char| c.is_ascii_alphabetic())
        };
        let command_before = matches!(self.found.last(), Some(PastedCommand { kind: Kind::Command(..), .. }));
        let is_near = self.found.last().is_some_and(|last| number <= last.last_line() + NEAR);
        let goes_on = command_before
            && (self.open
                || (option(&first.text) || pieces.len() == 1 && first.text.starts_with("{{")) && is_near
                || is_item && self.takes(&first.text));
        let mut repairs = std::mem::take(&mut self.repairs);
        let line = Line { number, continued, looped, is_item, goes_on };
        if self.calls(pieces.clone(), line, &mut repairs) {
            return;
        }
        match self.found.last_mut() {
            Some(PastedCommand { kind: Kind::Command(tool, words), repairs: known, .. }) if goes_on => {
                known.append(&mut repairs);
                if !self.open {
                    known.push(Repair { what: JOINED, line: number, column: 1 });
                }
                let more = pieces.into_iter().flat_map(|piece| several(piece, known)).collect::<Vec<_>>();
                let more = more.into_iter().map(|piece| dashed(*tool, piece, known)).collect();
                let (more, rest) = cut(*tool, more, known);
                words.extend(more);
                self.open = continued;
                self.behind(rest, line);
            }
            _ => {
                (self.open, self.led) = (false, continued);
                self.star = pieces.into_iter().next().filter(|first| is_star(&first.text));
            }
        }
    }

    /// Whether an item of a list without a dash belongs to the command before it: a job file, or the value of the item before.
    fn takes(&self, item: &str) -> bool {
        let Some(PastedCommand { kind: Kind::Command(tool, words), .. }) = self.found.last() else {
            return false;
        };
        let needs_value = |last: &Piece| last.text.starts_with("--") && !last.text.contains('=');
        is_star(item)
            || *tool == Tool::Fio && (names_a_job_file(item) || words.last().is_some_and(needs_value))
    }

    /// Adds the command that `pieces` call, and those behind it in the same line; returns whether they call one.
    fn calls(&mut self, pieces: Vec<Piece>, line: Line, repairs: &mut Vec<Repair>) -> bool {
        let standing = Some(Standing::of(self.raw, &pieces));
        let Some((tool, rest)) = called(pieces, repairs) else { return false };
        let is_row = is_row(&rest);
        let before = repairs.len();
        let rest = rest.into_iter().map(|piece| dashed(tool, piece, repairs)).collect();
        let (mut words, rest) = cut(tool, rest, repairs);
        words.extend(self.star.take().filter(|_| tool == Tool::Fio));
        let texts: Vec<&str> = words.iter().map(|piece| piece.text.as_str()).collect();
        let nameless = repairs.iter().any(|repair| repair.what == NAMELESS);
        // Its jobs stand in the lines below it.
        let is_document = tool == Tool::Fio && texts.last() == Some(&"-") && self.raw.contains("<<");
        let is_called = tool.is_called_with(&texts)
            || is_document
            || line.continued && rest.is_empty()
            || line.is_item && words.is_empty();
        if !is_called || is_row || nameless && line.goes_on {
            repairs.truncate(before);
            repairs.retain(|repair| repair.what != NAMELESS);
            return false;
        }
        let place = |what| Repair { what, line: line.number, column: 1 };
        repairs.extend(Some(place(PROMPT)).filter(|_| self.led));
        repairs.extend(Some(place(LOOP)).filter(|_| line.looped));
        let (kind, repairs) = (Kind::Command(tool, words), std::mem::take(repairs));
        self.found.push(PastedCommand {
            kind,
            line: line.number,
            repairs,
            lines: Vec::new(),
            standing,
            computed: Vec::new(),
        });
        (self.open, self.led) = (line.continued, false);
        self.behind(rest, line);
        true
    }

    /// Adds the commands that follow the last one in its line.
    fn behind(&mut self, rest: Vec<Piece>, line: Line) {
        let last = self.found.len() - 1;
        // Options alone are no command here.
        if !rest.is_empty() && self.calls(rest, Line { goes_on: true, ..line }, &mut Vec::new()) {
            self.found[last].repairs.retain(|repair| repair.what != CUT || repair.line != line.number);
        }
    }

    /// Returns the line with a blank for the mark of a comment, if it goes on with a command that begins behind one.
    fn without_mark(&self, line: String) -> String {
        let begins = |last: &PastedCommand| matches!(last.standing, Some(Standing::Comment));
        let goes_on = self.found.last().is_some_and(begins)
            && (self.open || line.trim_start_matches(['#', ' ', '\t']).starts_with("--"));
        match line.trim_start().starts_with('#') && goes_on {
            true => line.replacen('#', " ", 1),
            false => line,
        }
    }

    /// Removes the numbers of a list, even within a line whose line breaks were lost.
    fn without_marks(&mut self, pieces: Vec<Piece>) -> Vec<Piece> {
        let mut kept: Vec<Piece> = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            let next = pieces.get(at + 1).map(|next| next.text.as_str()).unwrap_or_default();
            let before_option =
                next.starts_with('-') || next.starts_with(DASHES) || Tool::called(next).is_some();
            let is_bullet = kept.is_empty() && piece.text == "-";
            if is_bullet || is_list_mark(&piece.text) && (kept.is_empty() || before_option) {
                self.repairs.push(Repair { what: NUMBER, line: piece.line, column: piece.column });
            } else {
                kept.push(piece.clone());
            }
        }
        kept
    }

    /// Adds a line to a job file if it belongs to one: a section begins a job file, and options of fio follow.
    fn job_file_line(&mut self, line: &str, number: usize, pieces: &[Piece]) -> bool {
        let section =
            |piece: &Piece| piece.text.starts_with('[') && piece.text.ends_with(']') && piece.text.len() > 2;
        // `[string] $drive` and `[CmdletBinding()]` are PowerShell's.
        let is_foreign =
            pieces[0].text.contains('(') || pieces.get(1).is_some_and(|next| next.text.starts_with('$'));
        // fio knows no comments after two slashes, and refuses the file for them.
        let comment = line.trim_start().starts_with([';', '#']) || line.trim_start().starts_with("//");
        let begins = section(&pieces[0]) && !is_foreign;
        let inside = self.in_job_file;
        // Most lines are neither, and checking one means a look at every known option.
        if !begins && !inside {
            return false;
        }
        let option = |text: &str| {
            // A comment may follow an option that takes no value.
            is_known(text.split(['=', '#', ';']).next().unwrap_or_default().trim())
        };
        let skipped = line.char_indices().nth(pieces[0].column - 1).map_or(0, |(at, _)| at);
        let kept = line[skipped..].trim_end_matches(['\\', ' ']);
        // An empty line may be followed by a script, whose variables are not mistyped options.
        let typed = kept.split_once('=').is_some_and(|(name, value)| {
            is_like_an_option(name) && !(self.apart && value.contains(['$', '`', '\'', '"', '(', '[', '{']))
        });
        let foreign = line.trim_start().starts_with("#!");
        let includes = pieces.len() == 2 && pieces[0].text == "include";
        let goes_on = comment || option(kept) || typed || includes;
        let fits = begins || (!foreign && goes_on);
        if !fits
            || (inside
                && !begins
                && called(pieces.to_vec(), &mut Vec::new()).is_some_and(|(tool, rest)| {
                    tool.is_called_with(&rest.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>())
                }))
        {
            return false;
        }
        self.apart = self.apart && comment && !begins;
        // A word that needs a value is none of an option without one.
        let is_whole = |text: &str| {
            let is_flag = |row: &fio::Row| !row.takes.needs_value() && row.names().any(|known| known == text);
            text.contains('=') || fio::ROWS.iter().any(is_flag)
        };
        let every = pieces.iter().all(|piece| section(piece) || option(&piece.text) && is_whole(&piece.text));
        let mut repairs = std::mem::take(&mut self.repairs);
        repairs.retain(|repair| !comment || repair.what != BACKSLASH);
        let lines = if pieces.len() > 1 && every {
            repairs.push(Repair { what: SPLIT, line: number, column: pieces[1].column });
            pieces.iter().map(|piece| format!("{}\n", piece.text)).collect()
        } else {
            format!("{kept}\n")
        };
        if !inside {
            // fio refuses options above the first section, so that they are shown.
            let (above, places): (Vec<String>, Vec<usize>) =
                std::mem::take(&mut self.before).into_iter().unzip();
            let text = above.iter().map(|line| format!("{line}\n")).collect();
            let line = places.first().copied().unwrap_or(number);
            self.found.push(PastedCommand {
                kind: Kind::JobFile(text),
                line,
                repairs: Vec::new(),
                lines: places,
                standing: Some(Standing::Run),
                computed: Vec::new(),
            });
        }
        if let Some(PastedCommand { kind: Kind::JobFile(text), repairs: known, lines: places, .. }) =
            self.found.last_mut()
        {
            places.extend(std::iter::repeat_n(number, lines.lines().count()));
            text.push_str(&lines);
            known.append(&mut repairs);
        }
        true
    }
}

/// Whether a backquote stands before a command.
fn opens_code(line: &str) -> bool {
    let word = line.split('`').nth(1).and_then(|rest| rest.split([' ', '\t']).next()).unwrap_or_default();
    Tool::called(word).is_some() || is_starter(word)
}

/// Whether `word` sets an option of fio without dashes, to a value that no shell would fill in.
fn is_option_of_a_file(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, value)| is_known(name) && !value.is_empty() && !value.contains('$'))
}

/// Whether the text before an equals sign can be the name of a mistyped option.
fn is_like_an_option(name: &str) -> bool {
    let name = name.trim();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::BACKGROUND;

    fn commands(text: &str) -> Vec<String> {
        let line = |found: PastedCommand| match found.kind {
            Kind::Command(tool, words) => {
                let words: Vec<String> = words.into_iter().map(|piece| piece.text).collect();
                format!("{} {}", tool.name(), words.join(" "))
            }
            Kind::JobFile(text) => text,
        };
        find(text).into_iter().map(line).collect()
    }

    #[test]
    fn a_numbered_list_with_backslashes_is_one_command() {
        let listed =
            "  1. fio --filename=/mnt/a \\\n  2. --direct=1 \\\n  3. --rw=read \\\n\nThis is prose.\n";
        assert_eq!(commands(listed), ["fio --filename=/mnt/a --direct=1 --rw=read"]);
        let lost = "1. fio --filename=/mnt/a \\ 2. --direct=1 \\ 3. --rw=read \\";
        assert_eq!(commands(lost), ["fio --filename=/mnt/a --direct=1 --rw=read"]);
    }

    #[test]
    fn prompts_dashes_and_prose_around_are_understood() {
        assert_eq!(commands("/home/me# fio –name=a –rw=read"), ["fio --name=a --rw=read"]);
        assert_eq!(commands("$ sudo ioping –c 10 ."), ["ioping -c 10 ."]);
        assert_eq!(commands("user@host:~$ iostat -x 1 5 > out.txt"), ["iostat -x 1 5"]);
        assert_eq!(commands("fio 1.59\nfio — a tool that spawns threads"), Vec::<String>::new());
        assert_eq!(commands("fio --name=a\n--rw=read\n--size=1g"), ["fio --name=a --rw=read --size=1g"]);
        assert_eq!(commands("--name=a --rw=read"), ["fio --name=a --rw=read"]);
        assert_eq!(commands("fio --name=a --rw=read | tee log && echo"), ["fio --name=a --rw=read"]);
        assert_eq!(commands("sync;fio --name=a --rw=read &> /dev/null"), ["fio --name=a --rw=read"]);
        assert_eq!(commands("cd /mnt && sudo fio --name=a; rm a"), ["fio --name=a"]);
        assert_eq!(commands("# https://host.example/wiki/Iostat"), Vec::<String>::new());
        assert_eq!(commands("- ```sudo fio --name=a --rw=read```"), ["fio --name=a --rw=read"]);
        assert_eq!(commands("$ fio --name=a \\\n> --rw=read"), ["fio --name=a --rw=read"]);
        let started = [
            "if !",
            "/data #",
            "sudo -u me",
            "$ setsid",
            "taskset -c 0,1",
            "kubectl exec -it fio --",
            "OUT=$(",
            "timeout 60",
            "# nice -n 10",
        ];
        for before in started {
            assert_eq!(
                commands(&format!("{before} fio --name=a --rw=read")),
                ["fio --name=a --rw=read"],
                "{before}"
            );
        }
        assert_eq!(commands("sudo apt-get install -y fio"), Vec::<String>::new());
        assert_eq!(commands("cmd=\"fio --name=a --rw=read\""), ["fio --name=a --rw=read"]);
    }

    #[test]
    fn lists_of_a_container_and_words_of_a_shell_are_commands() {
        let inline = "command: [\"fio\"]\nargs: [\"--name=a\", \"--rw=read\"]\n";
        assert_eq!(commands(inline), ["fio --name=a --rw=read"]);
        assert_eq!(commands("CMD [\"fio\", \"--name=a\", \"--rw=read\"]"), ["fio --name=a --rw=read"]);
        let block = "command:\n- fio\nargs:\n- --name=a\n- \"--rw=read\"\nvolumeMounts:\n- name: data\n";
        assert_eq!(commands(block), ["fio --name=a --rw=read"]);
        let json = "\"args\": [\n  \"fio\",\n  \"--name=a\",\n  \"--rw=read\"\n]";
        assert_eq!(commands(json), ["fio --name=a --rw=read"]);
        assert_eq!(
            commands("command: [\"sh\", \"-c\", \"fio --name=a --rw=read\"]"),
            ["fio --name=a --rw=read"]
        );
        assert_eq!(commands("ssh host 'sync; fio --name=a --rw=read'"), ["fio --name=a --rw=read"]);
        assert_eq!(commands("stats \"$(ioping -R -s 4k /tmp)\""), ["ioping -R -s 4k /tmp"]);
        assert_eq!(commands("- fio\n- ioping\n- a tool"), Vec::<String>::new());
    }

    #[test]
    fn words_before_a_command_and_variables_of_a_script_are_read() {
        for before in ["Command: ", "Run this: ", "# Command: ", "$"] {
            assert_eq!(
                commands(&format!("{before}fio --name=a --rw=read")),
                ["fio --name=a --rw=read"],
                "{before}"
            );
        }
        let script = "DEV=/dev/sdz\nfor bs in 4k 64k; do\n  fio --name=a --filename=$DEV --bs=${bs}\ndone\n";
        assert_eq!(commands(script), ["fio --name=a --filename=/dev/sdz --bs=4k"]);
        assert_eq!(
            commands("for d in a b; do (dd if=/dev/zero of=$d/x bs=1M oflag=direct &) ; done"),
            ["dd if=/dev/zero of=a/x bs=1M oflag=direct"]
        );
    }

    #[test]
    fn a_loop_and_a_command_in_the_background_are_named() {
        let kinds = |text: &str| -> Vec<Vec<&str>> {
            find(text)
                .into_iter()
                .map(|of| of.repairs.into_iter().map(|repair| repair.what).collect())
                .collect()
        };
        let script = "for i in 1 2; do\n  fio --name=a --rw=read &\ndone\nwait\nfio --name=b --rw=read\n";
        let found = kinds(script);
        assert!(found[0].contains(&LOOP) && found[0].contains(&BACKGROUND), "{found:?}");
        assert!(!found[1].contains(&LOOP), "{found:?}");
        assert!(kinds("for i in 1 2; do fio --name=a --rw=read; done")[0].contains(&LOOP));
        assert!(!kinds("for you to do:\nfio --name=a --rw=read")[0].contains(&LOOP));
    }

    #[test]
    fn a_job_file_is_found_also_without_its_line_breaks() {
        let text = "Create it:\n[global]\nsize=30g\ndirect=1\n[writer1]\nrw=randwrite\nNote what follows\nsudo fio --runtime 30 a.ini\n";
        assert_eq!(
            commands(text),
            ["[global]\nsize=30g\ndirect=1\n[writer1]\nrw=randwrite\n", "fio --runtime 30 a.ini"]
        );
        assert_eq!(
            commands("[global] size=30g direct=1 [w] rw=write time_based"),
            ["[global]\nsize=30g\ndirect=1\n[w]\nrw=write\ntime_based\n"]
        );
    }

    #[test]
    fn options_above_the_first_section_belong_to_its_file() {
        assert_eq!(commands("Try:\nrw=read\nbs=4k\n[a]\nsize=1g\n"), ["rw=read\nbs=4k\n[a]\nsize=1g\n"]);
        assert_eq!(commands("size=1g\ncat > f\n[a]\nrw=read\n"), ["[a]\nrw=read\n"]);
    }

    #[test]
    fn a_script_below_a_job_file_is_none_of_it() {
        let page = "[a]\nrw=read\n\nsize=1g\n\n#!/bin/sh\n# named\nrepeat=${repeat:-1}\niostat -x 1\n";
        assert_eq!(commands(page), ["[a]\nrw=read\nsize=1g\n", "iostat -x 1"]);
        assert_eq!(commands("[a]\nrw=read\n\nmask = '*.json'\n"), ["[a]\nrw=read\n"]);
        assert_eq!(commands("[a]\nrw=read\nsiez=1g\n"), ["[a]\nrw=read\nsiez=1g\n"]);
        let lines = find("Text.\n\n[a]\nrw=read\n\nsize=1g\n").remove(0).lines;
        assert_eq!(lines, [3, 4, 6]);
    }

    #[test]
    fn a_row_of_a_table_is_no_command_and_a_pipe_is_none_of_a_table() {
        assert_eq!(commands("iostat  | + | + |\n--------|---|---|\nfio     |   | + |"), Vec::<String>::new());
        assert_eq!(commands("iostat | prints what devices do |"), Vec::<String>::new());
        assert_eq!(commands("iostat -x 1 | grep sda | tee log"), ["iostat -x 1"]);
        assert_eq!(commands("iostat -dxmct 1 ${disk}"), ["iostat -dxmct 1 ${disk}"]);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "(\\PC|[\\n\\\\\"'&;#>–—\\[\\]= ]|fio|dd|--rw=|1\\. ){0,40}") {
            let _ = find(&text);
            let _ = of_words(&text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        }
    }
}
