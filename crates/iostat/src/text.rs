//! Reports as text.

use super::asked::IostatRequest;
use super::cells::Style;
use super::columns::{Column, EXTENDED, Form, PLAIN, PLAIN_SHORT, SHORT};
use super::reading::Host;
use super::report::{Line, Report};

/// Width of a percentage of the CPUs.
const SHARE: usize = 7;
/// Width of a device's name at the start of a line.
const NAME: usize = 13;

pub(super) fn opening(host: &Host, first_is_skipped: bool) -> String {
    let Host { system, release, node, machine, cpus, date, .. } = host;
    // If the first report is left out, only its last line, which is empty, remains.
    let blank = if first_is_skipped { "\n" } else { "" };
    format!("{system} {release} ({node}) \t{date} \t_{machine}_\t({cpus} CPU)\n\n{blank}")
}

pub(super) fn report(asked: &IostatRequest, host: &Host, report: &Report) -> String {
    let style = Style {
        human: asked.human,
        decimals: asked.decimals,
        units: asked.units(),
        point: if host.decimal_point.is_empty() { "." } else { &host.decimal_point },
        palette: host.palette.as_ref(),
    };
    let mut text = String::new();
    if asked.timestamp {
        text.push_str(&format!("{}\n", report.timestamp));
    }
    if asked.cpu {
        text.push_str("avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n       ");
        report.cpu.iter().for_each(|&share| text.push_str(&style.share(share, SHARE)));
        text.push_str("\n\n");
    }
    if asked.devices {
        tables(asked).iter().for_each(|columns| text.push_str(&table(asked, style, (columns, report))));
    } else {
        text.push('\n');
    }
    text.push('\n');
    text
}

/// The tables of one report, each a list of columns.
fn tables(asked: &IostatRequest) -> Vec<Vec<&'static Column>> {
    let parts: &[&[Column]] = match (asked.extended, asked.short) {
        (true, true) => &[SHORT],
        (true, false) => &EXTENDED,
        (false, true) => &[PLAIN_SHORT],
        (false, false) => &[PLAIN],
    };
    if asked.pretty && !asked.compact {
        parts.iter().map(|part| part.iter().collect()).collect()
    } else {
        vec![parts.iter().flat_map(|part| part.iter()).collect()]
    }
}

fn table(asked: &IostatRequest, style: Style<'_>, (columns, report): (&[&Column], &Report)) -> String {
    let header: String = columns.iter().map(|column| header(column, style)).collect();
    let plain = Style { palette: None, ..style };
    let mut text = named(asked, plain, ("Device", &header));
    for line in &report.lines {
        let cells = cells(columns, style, (line, report.seconds));
        text.push_str(&named(asked, style, (&line.name, &cells)));
    }
    text.push('\n');
    text
}

fn named(asked: &IostatRequest, style: Style<'_>, (name, cells): (&str, &str)) -> String {
    match asked.pretty {
        true => format!("{cells}{}\n", style.item(&format!(" {name}"))),
        false => format!("{}{cells}\n", style.item(&format!("{name:<NAME$}"))),
    }
}

fn header(column: &Column, style: Style<'_>) -> String {
    let stem = column.header.starts_with("@_");
    let text = column.header.replace('@', style.units.name(stem));
    format!(" {text:>width$}", width = column.width)
}

fn cells(columns: &[&Column], style: Style<'_>, (line, seconds): (&Line, f64)) -> String {
    let cell = |column: &&Column| {
        let value = (column.value)(&line.differences, seconds);
        // sysstat has no symbol for an unknown value; blanks keep the columns aligned.
        let form = if column.form == Form::Whole && value.is_none() { Form::Number } else { column.form };
        style.cell(form, column.width, value)
    };
    columns.iter().map(cell).collect()
}
