//! Compares the JSON of fio with that of plimsoll: the same keys of the same types in the same order.

use serde_json::Value;

/// Keys that fio has since 3.36 or 3.42, and plimsoll's own keys.
const NEWER: [&str; 6] =
    ["job_start", "latency_target_ns", "latency_window_us", "read_sectors", "write_sectors", "plimsoll"];

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "text",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Asserts that every key of `theirs` is in `ours`, of the same type and in the same order, and that `ours` has
/// no other keys except newer ones. `at` is the path to both values.
///
/// # Panics
/// If they differ.
pub fn same_shape(at: &str, theirs: &Value, ours: &Value) {
    assert_eq!(kind(theirs), kind(ours), "{at}");
    match (theirs, ours) {
        // Options are compared by value elsewhere.
        _ if at.ends_with(" options") => {}
        // The counts of each latency depend on the measurement.
        (Value::Object(theirs), Value::Object(ours)) if at.ends_with("/bins") => {
            for (key, value) in theirs.iter().chain(ours) {
                assert!(key.parse::<u64>().is_ok() && kind(value) == "int", "{at}/{key}");
            }
        }
        (Value::Object(theirs), Value::Object(ours)) => {
            let known: Vec<&String> = ours.keys().filter(|key| theirs.contains_key(*key)).collect();
            assert_eq!(theirs.keys().collect::<Vec<_>>(), known, "{at}");
            for (key, value) in ours {
                match theirs.get(key) {
                    Some(theirs) => same_shape(&format!("{at}/{key}"), theirs, value),
                    None => assert!(NEWER.contains(&key.as_str()), "{at}/{key} is not fio's"),
                }
            }
        }
        (Value::Array(theirs), Value::Array(ours)) => {
            assert_eq!(theirs.len(), ours.len(), "{at}");
            theirs.iter().zip(ours).for_each(|(theirs, ours)| same_shape(&format!("{at}[]"), theirs, ours));
        }
        _ => {}
    }
}
