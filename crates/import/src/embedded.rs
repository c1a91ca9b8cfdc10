//! Text within JSON strings: logs of containers and services line by line, and output that a program collected.

use serde_json::Value;

/// Keys that hold a line of a log.
const LOGGED: [&str; 14] = [
    "log",
    "message",
    "msg",
    "MESSAGE",
    "Output",
    "output",
    "line",
    "text",
    "textPayload",
    "@message",
    "stdout",
    "stderr",
    "content",
    "_raw",
];

/// Bytes below which a string of several lines cannot hold a result.
const SHORTEST: usize = 40;

/// Returns the texts within the JSON in `text`, one below the other; `None` if it is not JSON or has none.
pub(crate) fn texts(text: &str) -> Option<String> {
    text.trim_start().starts_with(['{', '[']).then_some(())?;
    let mut found = String::new();
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let Ok(document) = document else { break };
        gather(&document, "", &mut found);
        if found.len() > text.len() {
            break;
        }
    }
    (!found.trim().is_empty()).then_some(found)
}

fn gather(value: &Value, key: &str, found: &mut String) {
    match value {
        Value::String(words)
            if LOGGED.contains(&key) || (words.contains('\n') && words.len() >= SHORTEST) =>
        {
            found.push_str(words);
            if !words.ends_with('\n') {
                found.push('\n');
            }
        }
        Value::Array(items) if items.iter().all(Value::is_string) && items.len() > 1 => {
            items.iter().for_each(|item| gather(item, LOGGED[0], found));
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, key, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                // The same text again, split into lines.
                let again = name.strip_suffix("_lines").is_some_and(|stem| fields.contains_key(stem));
                if !again {
                    gather(value, name, found);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_log_and_a_collected_output_are_texts() {
        let docker = "{\"log\":\"a\\n\",\"stream\":\"stdout\"}\n{\"log\":\"  b\\n\",\"stream\":\"stdout\"}\n";
        assert_eq!(texts(docker).unwrap(), "a\n  b\n");
        let long = "x".repeat(40);
        let collected = format!(
            "{{\"rc\": 0, \"stdout\": \"a\\nb\", \"stdout_lines\": [\"a\", \"b\"], \"note\": \"{long}\\n\"}}"
        );
        assert_eq!(texts(&collected).unwrap(), format!("a\nb\n{long}\n"));
        assert_eq!(texts("{\"jobs\": [{\"read\": 1}]}"), None);
        assert_eq!(texts("plain {}"), None);
    }
}
