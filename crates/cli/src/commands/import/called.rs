//! What the run file of a result is called by: its source, its job, and the tool with its version, so that of ten files it
//! is seen which is whose.

use std::path::Path;

use record::{Origin, Run, Scope};
use runfile::stem_of;

/// Characters of a job's name: the rest of it stands in the file.
const JOB_MAX: usize = 40;

/// `SOURCE-JOB-TOOL-VERSION` without what is not known or said already.
pub fn stem(source: &str, run: &Run) -> String {
    let source = Path::new(source)
        .file_stem()
        .map_or_else(|| "import".to_owned(), |stem| stem_of(&stem.to_string_lossy()));
    let mut stem = source;
    for part in [job(run), tool(run)].into_iter().flatten() {
        if !is_said(&stem.to_lowercase(), &part.to_lowercase()) {
            stem = format!("{stem}-{part}");
        }
    }
    stem
}

/// Whether `part` stands in `stem` as a part of its own.
fn is_said(stem: &str, part: &str) -> bool {
    format!("-{stem}-").contains(&format!("-{part}-"))
}

/// The name of the one job; how many there are where there are more.
fn job(run: &Run) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for part in run.reported.iter().filter(|part| part.scope == Scope::Job) {
        if !part.job.is_empty() && !names.contains(&part.job.as_str()) {
            names.push(&part.job);
        }
    }
    match names.as_slice() {
        [] => None,
        // A path is no name of a job: ioping and dd call a request by its file.
        [path] if path.contains('/') || path.starts_with('.') => None,
        [one] => Some(stem_of(&one.chars().take(JOB_MAX).collect::<String>())),
        several => Some(format!("{}-jobs", several.len())),
    }
}

/// The tool with its version: `fio-1.59` for `fio 1.59 text`.
fn tool(run: &Run) -> Option<String> {
    let Origin::Imported { tool, .. } = &run.origin else { return None };
    let mut words = tool.split([' ', ',', ';']).filter(|word| !word.is_empty());
    let name = words.next()?;
    let version =
        words.find(|word| word.starts_with(|c: char| c.is_ascii_digit()) || word.starts_with("fio-"));
    let named = version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
    Some(stem_of(&named))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str) -> Run {
        let mut run = Run::started(Vec::new(), 0);
        run.origin = Origin::Imported { tool: tool.to_owned(), lacks: Vec::new() };
        run
    }

    #[test]
    fn a_name_has_the_tool_with_its_version_once() {
        for (source, tool, stem) in [
            ("do/results.txt", "fio 1.59 text", "results-fio-1.59"),
            ("results.json", "fio 3.33 JSON+", "results-fio-3.33"),
            ("stdin", "dd of BSD or macOS", "stdin-dd"),
            ("old.txt", "fio terse v2", "old-fio"),
            ("yabs.txt", "kubestr with fio-3.20", "yabs-kubestr-fio-3.20"),
            ("fio-3.33.txt", "fio 3.33 text", "fio-3.33"),
            ("a b.txt", "/proc/diskstats", "a-b-diskstats"),
            ("x.xml", "DiskSpd 2.0.21a XML", "x-DiskSpd-2.0.21a"),
        ] {
            assert_eq!(super::stem(source, &of(tool)), stem, "{tool}");
        }
    }
}
