//! Interleaved lines of several containers, as `docker compose logs` and `kubectl logs --prefix` print them.

/// Fewest lines of each container.
const LINES_LEAST: usize = 2;
/// Fewest containers.
const CONTAINERS_LEAST: usize = 2;
/// Most containers.
const CONTAINERS_MOST: usize = 64;
/// Longest name, in bytes.
const NAME_LONGEST: usize = 96;

/// Returns `text` with the lines of each container together and without their names, the containers in the
/// order of their first lines; `None` unless the lines of several containers are interleaved.
pub(crate) fn apart(text: &str) -> Option<String> {
    let mut containers: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut changes = 0;
    let mut before = "";
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let (name, rest) = named(line)?;
        changes += usize::from(name != before);
        before = name;
        match containers.iter().position(|(known, _)| *known == name) {
            Some(place) => containers[place].1.push(rest),
            None if containers.len() < CONTAINERS_MOST => containers.push((name, vec![rest])),
            None => return None,
        }
    }
    let are_several = containers.len() >= CONTAINERS_LEAST
        && containers.iter().all(|(_, lines)| lines.len() >= LINES_LEAST);
    // Containers that already stand one after the other need not be separated.
    (are_several && changes > containers.len()).then(|| {
        let lines = containers.iter().flat_map(|(_, lines)| lines.iter().chain(&[""]));
        lines.flat_map(|line| [*line, "\n"]).collect()
    })
}

/// Splits `fio-1  | line` or `[pod/fio-x/fio] line` into the container's name and the line. A name has a letter and no blank.
fn named(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = match line.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?,
        None => {
            let (name, rest) = line.split_once('|')?;
            (name.trim_end(), rest)
        }
    };
    let is_name = !name.is_empty()
        && name.len() <= NAME_LONGEST
        && !name.contains(char::is_whitespace)
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    is_name.then(|| (name, rest.strip_prefix(' ').unwrap_or(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_two_containers_come_together() {
        assert_eq!(apart("a-0  | x\na-1  | y\na-0  |   x2\na-1  | y2\n").unwrap(), "x\n  x2\n\ny\ny2\n\n");
        assert_eq!(
            apart("[pod/a/f] x\n[pod/b/f] y\n[pod/a/f] x2\n[pod/b/f] y2\n").unwrap(),
            "x\nx2\n\ny\ny2\n\n"
        );
        assert_eq!(apart("a-0 | x\na-0 | y\na-1 | z\na-1 | z\n"), None, "one behind the other");
        assert_eq!(apart("Read | 1\nWrite | 2\nTotal | 3\nRead | 1\n"), None, "a table");
    }
}
