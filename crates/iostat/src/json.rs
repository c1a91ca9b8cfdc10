//! Reports as JSON, indented with tabs, with one device a line.

use super::asked::IostatRequest;
use super::columns::{Column, EXTENDED, EXTENDED_KEYS, Form, PLAIN, SHORT};
use super::reading::Host;
use super::report::{Line, Report};

pub(super) fn opening(host: &Host, first_is_skipped: bool) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = String::from("{\"sysstat\": {\n\t\"hosts\": [\n\t\t{\n");
    let rows = [
        ("nodename", quoted(&host.node)),
        ("sysname", quoted(&host.system)),
        ("release", quoted(&host.release)),
        ("machine", quoted(&host.machine)),
        ("number-of-cpus", host.cpus.to_string()),
        ("date", quoted(&host.date)),
    ];
    rows.iter().for_each(|(key, value)| text.push_str(&format!("\t\t\t\"{key}\": {value},\n")));
    text.push_str("\t\t\t\"statistics\": [\n");
    if first_is_skipped {
        text.push('\n');
    }
    text
}

pub(super) fn report(asked: &IostatRequest, report: &Report, first: bool) -> String {
    let mut parts = Vec::new();
    if asked.timestamp {
        parts
            .push(format!("\t\t\t\t\t\"timestamp\": {}", serde_json::Value::from(report.timestamp.as_str())));
    }
    if asked.cpu {
        let names = ["user", "nice", "system", "iowait", "steal", "idle"];
        let shares: Vec<String> =
            names.iter().zip(report.cpu).map(|(name, share)| format!("\"{name}\": {share:.2}")).collect();
        parts.push(format!("\t\t\t\t\t\"avg-cpu\":  {{{}}}", shares.join(", ")));
    }
    if asked.devices {
        let columns = columns(asked);
        let lines: Vec<String> =
            report.lines.iter().map(|one| line(asked, &columns, (one, report.seconds))).collect();
        parts.push(format!("\t\t\t\t\t\"disk\": [\n{}\n\t\t\t\t\t]", lines.join(",\n")));
    }
    let comma = if first { "" } else { ",\n" };
    format!("{comma}\t\t\t\t{{\n{}\n\t\t\t\t}}", parts.join(",\n"))
}

/// Closes all open brackets, even if nothing was reported.
pub(super) fn closing(printed: u64) -> String {
    let newline = if printed > 0 { "\n" } else { "" };
    format!("{newline}\t\t\t]\n\t\t}}\n\t]\n}}}}\n")
}

/// Columns of a report; the plain report has no short form in JSON.
fn columns(asked: &IostatRequest) -> Vec<&'static Column> {
    match (asked.extended, asked.short) {
        (false, _) => PLAIN.iter().collect(),
        (true, true) => SHORT.iter().collect(),
        (true, false) => {
            let all = || EXTENDED.iter().flat_map(|part| part.iter());
            EXTENDED_KEYS.iter().filter_map(|key| all().find(|column| column.key() == *key)).collect()
        }
    }
}

fn line(asked: &IostatRequest, columns: &[&Column], (line, seconds): (&Line, f64)) -> String {
    let units = asked.units();
    let value = |column: &&Column| {
        let key = column.key().replace('@', units.name(column.key().starts_with("@_")));
        let value = (column.value)(&line.differences, seconds);
        let value =
            value.map_or_else(|| "null".to_owned(), |value| number(column.form, value, units.sectors()));
        format!("\"{key}\": {value}")
    };
    let name = serde_json::Value::from(line.name.as_str());
    let values: Vec<String> = columns.iter().map(value).collect();
    format!("\t\t\t\t\t\t{{\"disk_device\": {name}, {}}}", values.join(", "))
}

fn number(form: Form, value: f64, sectors: f64) -> String {
    match form {
        Form::Number | Form::Percent => format!("{value:.2}"),
        Form::Amount => format!("{:.2}", value / sectors),
        Form::Whole => format!("{:.0}", (value / sectors).floor()),
        Form::Kilobytes => format!("{:.2}", value / 2.0),
    }
}
