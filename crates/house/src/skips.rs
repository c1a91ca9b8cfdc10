//! The tests skipped in a run, and the skips that continuous integration expects.

/// A test that a machine could not run, as `testbed::skipped` records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// The resource that the machine lacks: `root`, `tool`, `kernel`, `network` or `cpu`.
    pub kind: String,
    /// The test binary and the test.
    pub test: String,
    /// The reason, as the test printed it.
    pub why: String,
}

/// A line of `.ci/expected-skips`: a kind, and, if only one binary or one of its tests may be skipped for it, its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedSkip {
    kind: String,
    test: Option<String>,
}

/// Reads a file of skips, one a line; returns them sorted and without duplicates.
pub fn skips(text: &str) -> Vec<Skip> {
    let mut all: Vec<Skip> = text.lines().filter_map(skip).collect();
    all.sort_by(|a, b| (&a.kind, &a.test, &a.why).cmp(&(&b.kind, &b.test, &b.why)));
    all.dedup();
    all
}

fn skip(line: &str) -> Option<Skip> {
    let mut words = line.splitn(3, '\t').map(str::to_owned);
    Some(Skip { kind: words.next()?, test: words.next()?, why: words.next()? })
}

/// Reads the lines of `.ci/expected-skips`; the text after a `#` is a comment.
pub fn expected(text: &str) -> Vec<ExpectedSkip> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).map(row).collect()
}

fn row(line: &str) -> ExpectedSkip {
    let (kind, test) = line.split_once(' ').map_or((line, None), |(kind, test)| (kind, Some(test)));
    ExpectedSkip { kind: kind.to_owned(), test: test.map(|test| test.trim().to_owned()) }
}

/// Returns the skips that no line expects.
pub fn unexpected(skips: &[Skip], expected: &[ExpectedSkip]) -> Vec<Skip> {
    let among = |skip: &Skip, test: &str| skip.test == test || skip.test.split(' ').next() == Some(test);
    let fits = |skip: &Skip, row: &ExpectedSkip| {
        row.kind == skip.kind && row.test.as_ref().is_none_or(|test| among(skip, test))
    };
    skips.iter().filter(|skip| !expected.iter().any(|row| fits(skip, row))).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_is_expected_by_its_kind_alone_or_by_its_binary_or_its_test() {
        let text = "tool\tbeside fio\tno fio\ncpu\talone rate\tbusy\ncpu\talone rate\tbusy\nkernel\tall a::b\tno FUSE\nkernel\tall c\tx\n";
        let all = skips(text);
        assert_eq!(
            all.iter().map(|skip| skip.kind.as_str()).collect::<Vec<_>>(),
            ["cpu", "kernel", "kernel", "tool"]
        );
        let left = |text: &str| -> Vec<String> {
            unexpected(&all, &expected(text)).into_iter().map(|skip| skip.test).collect()
        };
        assert_eq!(
            left("# what may happen\ncpu # a busy machine\nkernel all a::b\n\n"),
            ["all c", "beside fio"]
        );
        assert_eq!(left("cpu alone\nkernel all\ntool be\n"), ["beside fio"]);
        assert!(unexpected(&[], &[]).is_empty());
    }
}
