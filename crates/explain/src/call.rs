//! Finds the tool that a line of a shell, a script or a manifest calls, and the words that belong to the call.

use super::tool::{Tool, names_a_job_file};
use super::word::{
    BACKGROUND, BACKSLASH, CUT, DASH, DASHES, LIST, NAMELESS, PROMPT, Piece, Repair, is_list_mark, words,
};

/// Whether the words after a tool's name are cells of a table rather than a pipe with a command after it.
pub(super) fn is_row(rest: &[Piece]) -> bool {
    let bars = rest.iter().filter(|piece| piece.text == "|").count();
    let closed = bars > 1 && rest.last().is_some_and(|last| last.text == "|");
    let command = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic() || "./~$({\\".contains(c));
    let cell = rest.windows(2).any(|pair| pair[0].text == "|" && !command(&pair[1].text));
    closed || cell
}

/// Whether `word` belongs to a prompt or a list, or sets a variable.
pub(super) fn is_of_a_prompt(word: &str) -> bool {
    let is_variable = |name: &str| name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    matches!(word, "/" | "~")
        || word.ends_with(['$', '#', '%', '>', '❯', '➜', '»', ':'])
        || word.contains('@')
        || word.starts_with('#')
        || is_list_mark(word)
        || word.split_once('=').is_some_and(|(name, _)| is_variable(name))
}

/// Commands that run the command after their own words.
const STARTERS: &str = "sudo time nice ionice exec env setsid nohup timeout taskset numactl chrt cgexec systemd-run strace perf \
                        stdbuf unshare kubectl oc docker podman nerdctl ssh doas chroot nsenter watch xargs eval \
                        invoke-expression iex if while until ! then do else";

/// Whether `word` runs the command behind it, by whatever path.
pub(super) fn is_starter(word: &str) -> bool {
    let base = word.rsplit('/').next().unwrap_or(word).to_ascii_lowercase();
    STARTERS.split(' ').any(|starter| starter == base)
}

/// Marks of a shell after which the next command begins.
pub(super) const BETWEEN: [&str; 7] = [";", "&&", "||", "|", "&", "do", "{"];

/// Finds the tool that is called, and the words after its name. Prompts, `sudo` and variables may precede it.
pub(super) fn called(pieces: Vec<Piece>, repairs: &mut Vec<Repair>) -> Option<(Tool, Vec<Piece>)> {
    let before = |word: &str| {
        matches!(word, "sudo" | "time" | "nice" | "ionice" | "exec" | "plimsoll" | "env" | "PS" | "&")
            || is_of_a_prompt(word)
    };
    // The prompt of a small shell: a path and its mark.
    let is_mark = |piece: &Piece| matches!(piece.text.as_str(), "#" | "$" | "%");
    let is_prompted = pieces.get(1).is_some_and(is_mark) && !pieces[0].text.contains(' ');
    let pieces = if is_prompted { pieces[1..].to_vec() } else { pieces };
    let pieces = match in_quotes(&pieces, repairs) {
        Some(inner) => {
            repairs.push(Repair { what: PROMPT, line: inner[0].line, column: inner[0].column });
            inner
        }
        None => pieces,
    };
    if let Some(at) = behind_an_image(&pieces) {
        let Piece { line, column, .. } = pieces[at];
        repairs.extend([PROMPT, NAMELESS].map(|what| Repair { what, line, column }));
        return Some((Tool::Fio, pieces[at..].to_vec()));
    }
    let (line, column) = pieces.first().map_or((1, 1), |first| (first.line, first.column));
    let typed = pieces.first().cloned();
    let pieces = behind_other_commands(pieces);
    if pieces.first() != typed.as_ref() {
        repairs.push(Repair { what: PROMPT, line, column });
    }
    let at = pieces.iter().position(|piece| !before(&piece.text))?;
    if let Some(tool) = Tool::called(&pieces[at].text) {
        if at > 0 {
            repairs.push(Repair { what: PROMPT, line: pieces[0].line, column: pieces[0].column });
        }
        return Some((tool, pieces[at + 1..].to_vec()));
    }
    let texts: Vec<String> =
        pieces[at..].iter().map(|piece| dashed(Tool::Fio, piece.clone(), &mut Vec::new()).text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let begins = |first: &&str| first.starts_with("--") || first.contains("f=") || names_a_job_file(first);
    let is_listed = repairs.iter().any(|repair| repair.what == LIST);
    let first_is_option = texts.first().is_some_and(begins);
    let tool = Tool::of_options(&texts).filter(|_| first_is_option && (texts.len() > 1 || is_listed))?;
    repairs.push(Repair { what: NAMELESS, line: pieces[at].line, column: pieces[at].column });
    Some((tool, pieces[at..].to_vec()))
}

/// Where the options of fio begin that a container's image of it is run with (`docker run org/fio --name=a`).
fn behind_an_image(pieces: &[Piece]) -> Option<usize> {
    let runs = |pair: &[Piece]| is_starter(&pair[0].text) && pair[1].text == "run";
    let from = pieces.windows(2).position(runs)? + 2;
    let is_image = |pair: &[Piece]| {
        let image = pair[0].text.rsplit_once('/').map_or("", |(_, name)| name);
        !pair[0].text.starts_with('-') && image.contains(Tool::Fio.name()) && pair[1].text.starts_with("--")
    };
    Some(from + pieces[from..].windows(2).position(is_image)? + 1)
}

/// The word without the name of the variable or setting that keeps it (`cmd=fio`, `ExecStart=/usr/bin/fio`).
fn without_a_name(word: &str) -> &str {
    let is_name = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    word.split_once('=').filter(|(name, _)| is_name(name)).map_or(word, |(_, value)| value)
}

/// The tool's name at the end of a word (`$(ioping`, `$fio` after a prompt).
fn glued_call(word: &str) -> Option<&str> {
    let (_, last) = word.rsplit_once(['(', '{', '$', '#', '>'])?;
    Tool::called(last).map(|_| last)
}

/// The words of a command that is one word of another (`sh -c 'fio …'`, `cmd="fio …"`).
fn in_quotes(pieces: &[Piece], repairs: &mut Vec<Repair>) -> Option<Vec<Piece>> {
    let is_tool = |word: &str| Tool::called(word).is_some() || glued_call(word).is_some();
    let is_first = |word: &str| word.starts_with(['-', '$', '{']) || names_a_job_file(word);
    let calls = |pair: &[Piece]| is_tool(&pair[0].text) && is_first(&pair[1].text);
    let begins = |pair: &[Piece]| calls(pair) || is_tool(&pair[0].text) && pair[1].text.contains('=');
    let called = pieces.windows(2).position(begins).unwrap_or(pieces.len());
    let quoted = pieces[..called].iter().filter(|piece| piece.text.contains(' '));
    let mut inner = quoted.map(|piece| {
        let command = without_a_name(&piece.text);
        let column = piece.column + piece.text.chars().count() - command.chars().count();
        let moved = |of: Piece| Piece { column: of.column + column, ..of };
        words(command, piece.line, repairs).into_iter().map(moved).collect::<Vec<Piece>>()
    });
    inner.find_map(|inner| match inner.windows(2).any(calls) {
        true => Some(inner),
        // `shout "Now run 'fio …'"`; what stands in quotation marks is shorter than what has it, so that this ends.
        false if inner.len() > 1 => in_quotes(&inner, &mut Vec::new()),
        false => None,
    })
}

/// The pieces from the first tool that is called after another command (`sync; fio …`, `cd d && fio …`); all pieces if
/// there is none.
fn behind_other_commands(pieces: Vec<Piece>) -> Vec<Piece> {
    let options_follow = pieces.get(1).is_some_and(|next| next.text.starts_with('-'));
    let glued = |at: usize| {
        let set = |word| Some(without_a_name(word)).filter(|_| at == 0 && options_follow);
        let text = &pieces[at].text;
        let called = glued_call(text).or_else(|| set(text).filter(|value| Tool::called(value).is_some()))?;
        Some(Piece { text: called.to_owned(), ..pieces[at].clone() })
    };
    let is_call = |at: &usize| glued(*at).is_some() || Tool::called(&pieces[*at].text).is_some();
    // A sentence may name the tool before the call, and `kubectl exec fio -- fio` a container.
    let is_option = |piece: &Piece| {
        piece.text.starts_with(['-', '$']) || piece.text.contains('=') || names_a_job_file(&piece.text)
    };
    let begins = |at: &usize| is_call(at) && pieces.get(at + 1).is_some_and(is_option);
    let behind_dashes =
        pieces.windows(2).position(|pair| pair[0].text == "--" && Tool::called(&pair[1].text).is_some());
    let calls = || (0..pieces.len()).find(begins).or_else(|| (0..pieces.len()).find(is_call));
    let Some(at) = behind_dashes.map(|at| at + 1).or_else(calls) else {
        return pieces;
    };
    if let Some(first) = glued(at) {
        return [&[first][..], &pieces[at + 1..]].concat();
    }
    let options_at = |at: usize| pieces.get(at).is_some_and(|next| next.text.starts_with("--"));
    let runs_another = |piece: &Piece| is_starter(&piece.text);
    // What a log says before a command (`Executing command: oc exec …`) ends as a prompt does.
    // PowerShell's dot runs a command as its `&` does.
    let is_between = |piece: &Piece| {
        BETWEEN.contains(&piece.text.as_str())
            || piece.text.ends_with([':', '('])
            || matches!(piece.text.as_str(), "." | "(.")
    };
    let from = pieces[..at].iter().rposition(is_between).map_or(0, |mark| mark + 1);
    let first = pieces[from..at].iter().find(|piece| !is_of_a_prompt(&piece.text));
    let before = pieces[from..at].iter().rev().find(|piece| !runs_another(piece));
    // `command -v iostat` and `systemctl stop iostat` run nothing of it.
    let asks = |piece: &Piece| {
        matches!(piece.text.as_str(), "-v" | "-V" | "which" | "hash" | "type" | "start" | "stop")
    };
    let is_asked = at > from && asks(&pieces[at - 1]);
    // What a log says of a command that it runs (`fio_cmd is /usr/bin/fio --name=a`).
    let is_by_path = pieces[at].text.starts_with('/') && options_at(at + 1);
    let is_run = (first.map_or(from > 0, runs_another) || is_by_path) && !is_asked;
    match is_run || before.is_some_and(|piece| piece.text.ends_with([':', '='])) {
        true => pieces[at..].to_vec(),
        false => pieces,
    }
}

/// Returns the word with the dashes that the tool's options have.
pub(super) fn dashed(tool: Tool, mut piece: Piece, repairs: &mut Vec<Repair>) -> Piece {
    // Bold letters of a page.
    if let Some(bold) = piece.text.strip_prefix("**-").and_then(|text| text.strip_suffix("**")) {
        piece.text = format!("-{bold}");
    }
    let rest = piece.text.trim_start_matches(|c| c == '-' || DASHES.contains(&c));
    let head = &piece.text[..piece.text.len() - rest.len()];
    if rest.is_empty() || !head.contains(|c| DASHES.contains(&c)) {
        return piece;
    }
    repairs.push(Repair { what: DASH, line: piece.line, column: piece.column });
    Piece { text: format!("{}{rest}", tool.dashes(rest)), ..piece }
}

/// Returns the words before a pipe, a redirection or the next command, and the words after it.
pub(super) fn cut(tool: Tool, mut pieces: Vec<Piece>, repairs: &mut Vec<Repair>) -> (Vec<Piece>, Vec<Piece>) {
    let ends = |word: &str| {
        BETWEEN[..5].contains(&word)
            || matches!(word, "&)" | "<" | "2>&1" | "#" | "}" | ")")
            // A remark: no word of fio's begins so.
            || tool == Tool::Fio && word.starts_with('(')
            || word.starts_with('>')
            || word.starts_with("<<")
            || ["1>", "2>", "&>"].iter().any(|redirection| word.starts_with(redirection))
    };
    // The end of `$(…)` or of a script block around the command.
    let closes = |piece: &Piece| {
        let is_end = |(begin, end)| piece.text.ends_with::<char>(end) && !piece.text.contains::<char>(begin);
        piece.text.len() > 1 && [('(', ')'), ('{', '}')].into_iter().any(is_end)
    };
    let at = pieces.iter().position(|piece| ends(&piece.text)).unwrap_or(pieces.len());
    let close = pieces[..at].iter().position(closes);
    let mut rest = pieces.split_off(close.map_or(at, |close| close + 1));
    if close.is_some() {
        pieces.iter_mut().rev().take(1).for_each(|last| last.text.truncate(last.text.len() - 1));
    }
    if let Some(piece) = rest.first().filter(|piece| rest.len() > 1 || piece.text != ";") {
        let mut marks = rest.iter().map(|piece| piece.text.as_str());
        let end = marks.find(|mark| matches!(*mark, ";" | "&&" | "||" | "&" | "&)"));
        let what = if matches!(end, Some("&" | "&)")) { BACKGROUND } else { CUT };
        repairs.push(Repair { what, line: piece.line, column: piece.column });
    }
    // Nothing in a comment is run.
    rest.truncate(rest.iter().position(|piece| piece.text == "#").unwrap_or(rest.len()));
    // A backslash that was directly attached to a word; one at the end of the line does what it should.
    let last = pieces.len().saturating_sub(1);
    for (at, piece) in pieces.iter_mut().enumerate() {
        if piece.text.ends_with('\\') && piece.text.len() > 1 {
            piece.text.pop();
            let left_over = Repair { what: BACKSLASH, line: piece.line, column: piece.column };
            repairs.extend(Some(left_over).filter(|_| at < last));
        }
    }
    (pieces, rest.into_iter().skip_while(|piece| ends(&piece.text)).collect())
}
