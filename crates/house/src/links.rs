//! The links of a Markdown page that lead to other files of the repository.

/// One link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The line it stands on, from one.
    pub line: usize,
    /// The file it leads to, as written, without the part behind `#`.
    pub to: String,
}

/// Every link `[words](file)` outside fenced code that names a file, not an address or a place in the same page.
pub fn links(page: &str) -> Vec<Link> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (index, text) in page.lines().enumerate() {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if !fenced {
            found.extend(in_line(text).map(|to| Link { line: index + 1, to }));
        }
    }
    found
}

fn in_line(text: &str) -> impl Iterator<Item = String> {
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    ends.map(|(target, _)| target.split('#').next().unwrap_or_default().trim().to_owned())
        .filter(|target| !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_and_addresses_are_not() {
        let page = "See [a](docs/a.md#top), ![b](b.svg) and [c](https://example.org/c).\n[top](#here)\n```\n[no](no.md)\n```\n";
        let to: Vec<_> = links(page).into_iter().map(|link| (link.line, link.to)).collect();
        assert_eq!(to, [(1, "docs/a.md".to_owned()), (1, "b.svg".to_owned())]);
    }
}
