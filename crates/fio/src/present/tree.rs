//! A JSON document as fio writes one: integers stay integers, floats have six decimals, and the order is kept.

/// A node of the document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    /// A whole number.
    Int(u64),
    /// A number with six decimals.
    Float(f64),
    /// Text.
    Text(String),
    /// Named nodes in order.
    Object(Vec<(String, Tree)>),
    /// Nodes in order.
    Array(Vec<Tree>),
}

impl Tree {
    /// An object.
    pub fn object<const N: usize>(members: [(&str, Tree); N]) -> Tree {
        Tree::Object(Tree::members(members))
    }

    /// Named nodes, to which more can be added.
    pub fn members<const N: usize>(members: [(&str, Tree); N]) -> Vec<(String, Tree)> {
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Text.
    pub fn text(text: impl Into<String>) -> Tree {
        Tree::Text(text.into())
    }

    /// An object of texts.
    pub fn texts(members: &[(String, String)]) -> Tree {
        Tree::Object(members.iter().map(|(name, value)| (name.clone(), Tree::text(value))).collect())
    }

    /// Prints the whole document, with a line end.
    pub fn document(&self) -> String {
        let mut text = String::new();
        self.write(&mut text, 0);
        text.push('\n');
        text
    }

    fn write(&self, out: &mut String, depth: usize) {
        match self {
            Tree::Int(value) => out.push_str(&value.to_string()),
            // JSON cannot express NaN and infinity; fio never prints either.
            Tree::Float(value) if !value.is_finite() => out.push_str("0.000000"),
            Tree::Float(value) => out.push_str(&format!("{value:.6}")),
            Tree::Text(text) => quote(out, text),
            Tree::Object(members) => {
                let named = members.iter().map(|(name, value)| (Some(name.as_str()), value));
                block(out, depth, ['{', '}'], named);
            }
            Tree::Array(items) => block(out, depth, ['[', ']'], items.iter().map(|item| (None, item))),
        }
    }
}

fn block<'t>(
    out: &mut String,
    depth: usize,
    ends: [char; 2],
    nodes: impl Iterator<Item = (Option<&'t str>, &'t Tree)>,
) {
    out.push(ends[0]);
    for (at, (name, value)) in nodes.enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(depth + 1));
        if let Some(name) = name {
            quote(out, name);
            out.push_str(" : ");
        }
        value.write(out, depth + 1);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push(ends[1]);
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if (control as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_document_looks_as_fio_writes_it() {
        let tree = Tree::object([
            ("a", Tree::Int(1)),
            ("b", Tree::Array(vec![Tree::Float(0.5)])),
            ("c", Tree::Object(vec![])),
        ]);
        assert_eq!(
            tree.document(),
            "{\n  \"a\" : 1,\n  \"b\" : [\n    0.500000\n  ],\n  \"c\" : {\n  }\n}\n"
        );
    }

    proptest! {
        #[test]
        fn any_text_comes_back_from_a_reader_of_json(text in "\\PC*", control in 0u8..32) {
            let text = format!("{text}{}", control as char);
            let document = Tree::object([("t", Tree::text(text.clone()))]).document();
            let read: serde_json::Value = serde_json::from_str(&document).unwrap();
            prop_assert_eq!(read["t"].as_str(), Some(text.as_str()));
        }
    }
}
