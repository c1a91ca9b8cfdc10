//! Several explanations on one page. Anything explained earlier is not repeated, and a command that is much like an
//! earlier one is described by the differences.

use std::collections::HashSet;

use super::explanation::{ExplainedWord, Explanation, Form};
use super::page::{Above, Style, text_below};
use super::risk::Level;
use super::tool::Tool;
use super::words::first_sentence;

/// Returns the page of each explanation, in order.
pub fn pages(all: &[Explanation], style: Style<'_>) -> Vec<String> {
    let mut known = ExplainedParts::default();
    all.iter()
        .enumerate()
        .map(|(at, one)| {
            let (rest, mut above) = known.take(one);
            above.like = like(&all[..at], one);
            if at == 0 { text_below(one, &Above::default(), style) } else { text_below(&rest, &above, style) }
        })
        .collect()
}

/// The parts explained so far.
#[derive(Default)]
struct ExplainedParts {
    words: HashSet<(Tool, String, String)>,
    risks: HashSet<String>,
    kinds: HashSet<(&'static str, String)>,
    natives: HashSet<String>,
}

impl ExplainedParts {
    /// Splits `one` into new parts and parts explained earlier.
    fn take(&mut self, one: &Explanation) -> (Explanation, Above) {
        let mut rest = one.clone();
        let mut above = Above::default();
        let options = options(one);
        let is_new: Vec<bool> =
            options.iter().map(|option| self.words.insert(key(one.tool, option))).collect();
        rest.words = options
            .iter()
            .zip(&is_new)
            .filter(|(_, new)| **new)
            .flat_map(|(option, _)| option.typed())
            .collect();
        above.words = is_new.iter().filter(|new| !**new).count();
        rest.risks.retain(|told| !self.risks.contains(&told.text));
        let gone = one.risks.iter().filter(|told| !rest.risks.contains(told));
        above.risks = gone.map(|told| clause(&told.text)).collect();
        for told in &mut rest.risks {
            self.risks.insert(told.text.clone());
            // Of a risk that differs from an earlier one in its first sentence alone, which has the figures, that is enough.
            let rest = told.text[first_sentence(&told.text).len()..].to_owned();
            if !self.kinds.insert((told.id, rest)) && told.level != Level::Danger {
                told.text = first_sentence(&told.text).to_owned();
                told.source = "";
            }
        }
        // The sentence below a command appears only once, and so does a command that repeats an earlier one.
        rest.native.retain(|native| native.command.is_empty() || self.natives.insert(native.command.clone()));
        for native in &mut rest.native {
            if !self.natives.insert(native.says.clone()) && !native.command.is_empty() {
                native.says.clear();
            }
        }
        (rest, above)
    }
}

/// An option with its value, as one word or as two, and its meaning.
struct ExplainedOption<'a> {
    word: &'a str,
    value: Option<&'a ExplainedWord>,
    meaning: &'a str,
}

impl ExplainedOption<'_> {
    fn typed(&self) -> Vec<ExplainedWord> {
        let own = ExplainedWord::by_itself(self.word, self.meaning.to_owned());
        [own].into_iter().chain(self.value.cloned()).collect()
    }

    /// The option as typed.
    fn whole(&self) -> String {
        match self.value {
            Some(value) => format!("{} {}", self.word, value.word),
            None => self.word.to_owned(),
        }
    }

    /// The name of the option without its value.
    fn name(&self) -> &str {
        let bare = self.word.trim_start_matches('-');
        bare.split_once('=').map_or(bare, |(name, _)| name)
    }
}

fn options(one: &Explanation) -> Vec<ExplainedOption<'_>> {
    let mut options: Vec<ExplainedOption<'_>> = Vec::new();
    for entry in &one.words {
        match options.last_mut() {
            Some(last) if entry.is_value => last.value = Some(entry),
            _ => options.push(ExplainedOption { word: &entry.word, value: None, meaning: &entry.meaning }),
        }
    }
    options
}

/// Key of an option: its name and its meaning.
fn key(tool: Tool, option: &ExplainedOption<'_>) -> (Tool, String, String) {
    (tool, option.name().to_owned(), option.meaning.to_owned())
}

/// The first clause of a text, which identifies it.
fn clause(text: &str) -> String {
    // The names of jobs say nothing by themselves.
    let is_names = |names: &str| names.split(", ").all(|name| !name.contains(' '));
    if let Some((names, rest)) = text.split_once(": ").filter(|(names, _)| is_names(names)) {
        return format!("{names}: {}", clause(rest));
    }
    let end = [": ", "; ", ". "].iter().filter_map(|end| text.find(end)).min();
    format!("{}.", text[..end.unwrap_or(text.len())].trim_end_matches('.'))
}

/// Most differences that one sentence lists.
const FEW: usize = 6;

/// Names the earlier command that is most like `one`, with the differences, if there are only a few.
fn like(earlier: &[Explanation], one: &Explanation) -> Option<String> {
    let own = words(one)?;
    let candidates = earlier.iter().filter(|other| other.tool == one.tool);
    let (other, there) = candidates
        .filter_map(|other| Some((other, words(other)?)))
        .min_by_key(|(_, there)| differing(&own, there).count())?;
    let with: Vec<&str> = differing(&own, &there).collect();
    let is_replaced = |word: &str| own.iter().any(|(name, _)| Some(name.as_str()) == name_of(&there, word));
    let without: Vec<&str> = differing(&there, &own).filter(|word| !is_replaced(word)).collect();
    let (count, all) = (with.len() + without.len(), own.len());
    if count > FEW || count * 2 > all {
        return None;
    }
    let part = |lead: &str, words: &[&str]| match words {
        [] => None,
        some => Some(format!("{lead} {}", some.join(" "))),
    };
    let parts: Vec<String> = [part("with", &with), part("without", &without)].into_iter().flatten().collect();
    Some(match parts.is_empty() {
        true if other.command == one.command => format!("(The same as in line {}.)", other.line),
        true => format!("(That of line {} under another name.)", other.line),
        false => format!("(That of line {}, {}.)", other.line, parts.join(", ")),
    })
}

/// The options of a command by name and as typed, without the job's name; `None` if the command runs a job file.
fn words(one: &Explanation) -> Option<Vec<(String, String)>> {
    if one.kind == Form::JobFile || one.job_file.is_some() {
        return None;
    }
    let options = options(one);
    let named = options.iter().filter(|option| !(one.tool == Tool::Fio && option.name() == "name"));
    Some(named.map(|option| (option.name().to_owned(), option.whole())).collect())
}

/// The words of the first list that the second lacks.
fn differing<'a>(of: &'a [(String, String)], among: &'a [(String, String)]) -> impl Iterator<Item = &'a str> {
    let bare = |word: &str| word.trim_start_matches('-').replace(' ', "=");
    of.iter()
        .filter(move |(_, word)| !among.iter().any(|(_, other)| bare(other) == bare(word)))
        .map(|(_, word)| word.as_str())
}

fn name_of<'a>(words: &'a [(String, String)], word: &str) -> Option<&'a str> {
    words.iter().find(|(_, typed)| typed == word).map(|(name, _)| name.as_str())
}
