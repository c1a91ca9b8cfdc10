//! A run as Markdown for a ticket: the verdict, the claims, one picture, the findings, and the facts that support
//! asks for.

use std::fmt::Write as _;

use analysis::{Analysis, Finding, Verdict};
use record::{HostFacts, Run, TargetFacts};

use crate::answers;
use crate::words::claims::{claim_words, p99_head};
use crate::words::numbers;
use crate::words::running::state;
use crate::words::sentence::{evidence, next_step, sentence};
use crate::words::shell::shell_word;
use crate::words::steps::part_words;
use crate::words::terminal::kind_words;
use crate::words::verdict::verdict_words;
use crate::words::watch;
use crate::words::wrap::{clean, clean_lines};

/// Most findings listed; the run file has all.
const FINDINGS: usize = 8;

/// The files attached to the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachments {
    /// Title of the picture, and name of its file.
    pub picture: Option<(String, String)>,
    /// Name of the run file.
    pub run: String,
}

/// Returns the run as Markdown, in the form that GitHub, GitLab and Jira's new editor read.
pub fn ticket(run: &Run, analysis: &Analysis, attached: &Attachments) -> String {
    let verdict = verdict_words(run, analysis);
    let mut text = format!("**{}**{}\n\n", verdict.word, plain(&verdict.rest));
    if !verdict.stops.is_empty() {
        let _ = writeln!(text, "{}\n", plain(&verdict.stops));
    }
    text += &claims(&analysis.verdict);
    text += &steps(run, analysis);
    text += &table(run, analysis);
    if let Some((title, file)) = &attached.picture {
        let _ = writeln!(text, "![{}]({})\n", plain(title), file);
    }
    text += &findings(&analysis.findings);
    text + &particulars(run, attached)
}

/// Escapes text, so that strings from a file or a device do not become Markdown.
fn plain(words: &str) -> String {
    let mut text = String::new();
    for letter in clean(words).chars() {
        match letter {
            '|' | '*' | '_' | '`' | '<' | '[' | '#' | '~' | '\\' => text.extend(['\\', letter]),
            '\n' | '\r' => text.push(' '),
            _ => text.push(letter),
        }
    }
    text
}

/// Formats a word as code, whatever characters it contains.
fn typed(words: &str) -> String {
    let words = clean(words).replace(['\n', '\r'], " ");
    if words.contains('`') { format!("`` {words} ``") } else { format!("`{words}`") }
}

fn row(text: &mut String, cells: &[String]) {
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

fn rule(text: &mut String, columns: usize) {
    let _ = writeln!(text, "|{}", "---|".repeat(columns));
}

fn claims(verdict: &Verdict) -> String {
    let rows = claim_words(verdict);
    if rows.is_empty() {
        return String::new();
    }
    let claimed = rows.iter().any(|row| !row.claimed.is_empty());
    let timed = rows.iter().any(|row| !row.p99.is_empty());
    let wanted = [true, claimed, true, timed, claimed];
    let kept = |cells: [String; 5]| -> Vec<String> {
        cells.into_iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(cell, _)| cell).collect()
    };
    let heads = ["what", "claimed", "measured", p99_head(verdict), "answer"].map(str::to_owned);
    let mut text = String::new();
    row(&mut text, &kept(heads));
    rule(&mut text, wanted.iter().filter(|wanted| **wanted).count());
    for words in rows {
        let answer = words.answer.to_owned();
        row(
            &mut text,
            &kept([words.what, words.claimed, words.measured, words.p99, answer].map(|cell| plain(&cell))),
        );
    }
    text + "\n"
}

fn steps(run: &Run, analysis: &Analysis) -> String {
    let parts = part_words(run, analysis);
    if parts.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    row(&mut text, &["step", "load", "result"].map(str::to_owned));
    rule(&mut text, 3);
    for part in parts {
        row(&mut text, &[part.part, part.what, part.result].map(|cell| plain(&cell)));
    }
    text + "\n"
}

/// Returns the answer of a procedure or the figures of a watch, as in a terminal.
fn table(run: &Run, analysis: &Analysis) -> String {
    let lines = match (&analysis.watched, &analysis.answered) {
        (Some(watched), _) => {
            let [table, ..] = watch::sections(run, analysis, watched);
            table
        }
        (None, Some(answered)) => answers::text(analysis, answered),
        (None, None) => String::new(),
    };
    let lines = clean_lines(&lines).replace("```", "");
    if lines.trim().is_empty() { String::new() } else { format!("```\n{}\n```\n\n", lines.trim_end()) }
}

fn findings(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let mut text = "**What was found**\n\n".to_owned();
    for (at, finding) in findings.iter().take(FINDINGS).enumerate() {
        let seen = evidence(&finding.evidence);
        let seen = if seen.is_empty() { seen } else { format!(" Seen in {seen}.") };
        let said = format!("{}{seen} Next: {}", sentence(finding), next_step(finding));
        let _ = writeln!(text, "{}. {}", at + 1, plain(&said));
    }
    if findings.len() > FINDINGS {
        let _ = writeln!(text, "\n{} more stand in the run file.", findings.len() - FINDINGS);
    }
    text + "\n"
}

/// Returns the facts that support first asks for.
fn particulars(run: &Run, attached: &Attachments) -> String {
    let mut lines = vec![("when", when(run)), ("command", typed(&command(&run.words)))];
    lines.extend(run.policy.iter().map(|policy| ("held against", typed(policy))));
    lines.extend(run.expectation.iter().map(|words| ("expected", plain(words))));
    lines.extend(run.target.iter().map(|target| ("volume", volume(target))));
    lines.extend(run.target.iter().flat_map(devices));
    lines.extend(run.host.iter().map(|host| ("machine", plain(&machine(host)))));
    lines.retain(|(_, told)| !told.is_empty());
    lines.push(("measured by", format!("plimsoll {}", plain(&run.version))));
    lines.push((
        "run file, to attach",
        format!("{}: every figure again with `plimsoll report`", typed(&attached.run)),
    ));
    let mut text = "**Particulars**\n\n".to_owned();
    for (what, told) in lines {
        let _ = writeln!(text, "- {what}: {told}");
    }
    text
}

/// Returns the command line as typed, without the path of the program.
pub(super) fn command(words: &[String]) -> String {
    let Some((program, rest)) = words.split_first() else { return String::new() };
    let name = program.rsplit('/').next().unwrap_or(program);
    let rest = rest.iter().map(|word| shell_word(word.as_bytes()));
    std::iter::once(name.to_owned()).chain(rest).collect::<Vec<_>>().join(" ")
}

/// Returns the start of the run in UTC, because the reader may be anywhere.
fn when(run: &Run) -> String {
    let ms = i64::try_from(run.started_unix_ms).ok().filter(|ms| *ms > 0);
    let instant = ms.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    let cut = state(run).map(|state| format!(", {state}")).unwrap_or_default();
    match instant {
        Some(instant) => format!("{} UTC{cut}", instant.strftime("%Y-%m-%d %H:%M:%S")),
        None => format!("not known{cut}"),
    }
}

fn volume(target: &TargetFacts) -> String {
    plain(&format!("{}: {}", target.words.trim_end_matches(':'), kind_words(target)))
}

/// Returns the measured devices, with the serial number by which the provider identifies them.
fn devices(target: &TargetFacts) -> Vec<(&'static str, String)> {
    let told = |device: &record::DeviceFacts| {
        let mut words = vec![device.name.clone(), numbers::size(device.size.0)];
        words.extend((!device.model.trim().is_empty()).then(|| device.model.trim().to_owned()));
        words.extend((!device.serial.trim().is_empty()).then(|| format!("serial {}", device.serial.trim())));
        words.push(format!(
            "scheduler {}",
            if device.scheduler.is_empty() { "none" } else { &device.scheduler }
        ));
        words.push(format!("queue of {}", device.queue_requests));
        ("device", plain(&words.join(", ")))
    };
    target.devices.iter().map(told).collect()
}

/// Describes the machine; omits what is unknown, because other tools print little about the machine.
pub(super) fn machine(host: &HostFacts) -> String {
    let known = |words: &str, told: String| if words.trim().is_empty() { String::new() } else { told };
    let model = known(&host.cpu_model, format!(" ({})", host.cpu_model));
    let words = [
        host.product.clone(),
        if host.cpus == 0 { String::new() } else { format!("{} CPUs{model}", host.cpus) },
        if host.memory.0 == 0 { String::new() } else { numbers::size(host.memory.0) },
        known(&host.kernel, format!("Linux {}", host.kernel)),
        host.distribution.clone(),
    ];
    clean(&words.into_iter().filter(|word| !word.trim().is_empty()).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_is_called_does_not_become_markdown() {
        assert_eq!(plain("a|b*c_d`e<f[g#\nh"), "a\\|b\\*c\\_d\\`e\\<f\\[g\\#?h");
        assert_eq!(typed("a `b` c"), "`` a `b` c ``");
    }
}
