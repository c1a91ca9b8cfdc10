//! How a comparison with the real fio is printed.

use std::collections::BTreeSet;

use fio::{ComparedFigure, FioRequest, Likeness, Shortened, ToolOutcome, quoted};
use workload::grouped;

/// Columns of the name of a figure.
const NAME: usize = 36;
const UNKNOWN: &str = "A difference that is not documented may be a fault of plimsoll's fio: please report it with all of this.";

/// Returns the first line of what a tool says.
pub fn first_words(said: &str) -> &str {
    said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it says nothing")
}

/// Returns the command line, and what was done to shorten it.
pub fn command(copy: &Shortened) -> String {
    let words: Vec<String> = copy.words.iter().map(|word| quoted(word)).collect();
    let mut text = format!("The shortened copy, for an empty folder:\n\n  fio {}\n\n", words.join(" "));
    let files = copy.files.iter().map(|(path, bytes)| format!("{path} with {} bytes", grouped(*bytes)));
    let files = files.collect();
    for (head, items) in [("in it", &files), ("shorter", &copy.shorter), ("left out", &copy.left_out)] {
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        if !items.is_empty() {
            text += &report::wrap(&format!("{head:10}"), &items.join("; "));
        }
    }
    text
}

/// Returns the figures of both tools, fio first, and the verdict, with the number of differences.
pub fn comparison(
    asked: &FioRequest,
    figures: &[ComparedFigure],
    outcomes: [&ToolOutcome; 2],
) -> (String, usize) {
    let named = |figure: &ComparedFigure| match figure.job {
        Some(job) => format!("{}: {}", asked.jobs[job].label, figure.what),
        None => figure.what.clone(),
    };
    let mut text = format!("\n{:NAME$}{:>17}{:>17}\n", "", "fio", "plimsoll");
    for figure in figures {
        let likeness = match figure.likeness {
            Likeness::Differs => "differs",
            _ if figure.job.is_some_and(|job| asked.jobs[job].clone > 0) => continue,
            Likeness::Same => "same",
            Likeness::NotJudged => "not judged",
        };
        let [fio, own] =
            figure.values.each_ref().map(|value| value.parse::<u64>().map_or(value.clone(), grouped));
        text += &format!("{:NAME$}{fio:>17}{own:>17}  {likeness}\n", named(figure));
    }
    let differ: Vec<&ComparedFigure> =
        figures.iter().filter(|figure| figure.likeness == Likeness::Differs).collect();
    let mut wrapped = |head: &str, words: &str| text += &format!("\n{}", report::wrap(head, words));
    for reason in differ.iter().filter_map(|figure| figure.reason).collect::<BTreeSet<_>>() {
        wrapped("Documented, of fio: ", reason);
    }
    for (head, outcome) in ["fio says: ", "plimsoll says: "].into_iter().zip(outcomes) {
        if outcome.code != Some(0) {
            wrapped(head, first_words(&outcome.said));
        }
    }
    if differ.iter().any(|figure| figure.reason.is_none()) {
        wrapped("", UNKNOWN);
    }
    let judged = figures.iter().filter(|figure| figure.likeness != Likeness::NotJudged).count();
    let names = differ.iter().map(|figure| {
        let known = if figure.reason.is_some() { " (documented)" } else { "" };
        format!("{}{known}", named(figure))
    });
    match names.collect::<Vec<_>>().join("; ") {
        none if none.is_empty() => wrapped("", &format!("No difference in {judged} figures.")),
        names => wrapped("", &format!("Differs: {names}.")),
    }
    (text, differ.len())
}
