//! The links of a Markdown page that lead to other files of the repository.

/// A link to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The number of its line, from one.
    pub line: usize,
    /// The file it leads to, as written, without the part after `#`.
    pub to: String,
}

/// Returns every link `[words](file)` outside fenced code that names a file, not an address or a heading of the same page.
pub fn links(page: &str) -> Vec<Link> {
    prose(page).flat_map(|(line, text)| in_line(text).map(move |to| Link { line, to })).collect()
}

/// A link to a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The number of its line, from one.
    pub line: usize,
    /// The page it leads to, as written; empty for the same page.
    pub to: String,
    /// The part after `#`.
    pub place: String,
}

/// Returns every link outside fenced code that names a heading of a page of the repository, `page` included.
pub fn anchors(page: &str) -> Vec<Anchor> {
    let of = |(line, text): (usize, &str)| {
        let named = targets(text).filter_map(|target| {
            let (to, place) = target.split_once('#')?;
            let is_ours = to.is_empty() || to.ends_with(".md") && !to.contains("://");
            is_ours.then(|| Anchor { line, to: to.to_owned(), place: place.to_owned() })
        });
        named.collect::<Vec<_>>()
    };
    prose(page).flat_map(of).collect()
}

/// Returns the anchors of `page`, which may follow `#` in a link: its headings as Git forges derive them, in lower
/// case, without punctuation, with hyphens for blanks, and numbered if a heading occurs again.
pub fn places(page: &str) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    let headings = prose(page).filter_map(|(_, text)| {
        text.trim_start_matches('#').strip_prefix(' ').filter(|_| text.starts_with('#'))
    });
    for heading in headings {
        let kept =
            heading.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        let place: String =
            kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect::<String>().to_lowercase();
        let again = places.iter().filter(|known| **known == place).count();
        places.push(if again == 0 { place } else { format!("{place}-{again}") });
    }
    places
}

/// Returns the lines of `page` outside fenced code, numbered from one.
pub(crate) fn prose(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    page.lines().enumerate().filter_map(move |(index, text)| {
        let is_fence = text.trim_start().starts_with("```");
        fenced ^= is_fence;
        (!fenced && !is_fence).then_some((index + 1, text))
    })
}

fn targets(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    ends.map(|(target, _)| target.trim())
}

fn in_line(text: &str) -> impl Iterator<Item = String> {
    targets(text)
        .map(|target| target.split('#').next().unwrap_or_default().to_owned())
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
    #[test]
    fn headings_are_found_as_forges_write_them() {
        let page = "# A\n## A level and its ±\n```\n# no\n```\n### `x`: y, z\n# A\n#no\n";
        assert_eq!(places(page), ["a", "a-level-and-its-", "x-y-z", "a-1"]);
        let page = "[a](b.md#c) [d](#e)\n[f](https://example.org/#g) [h](i.md)\n";
        let found: Vec<_> = anchors(page).into_iter().map(|found| (found.to, found.place)).collect();
        assert_eq!(found, [("b.md".into(), "c".into()), (String::new(), "e".into())]);
    }
}
