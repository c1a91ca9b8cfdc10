//! The exact method: command line, target, machine, choices with their reasons, parameters of every step.

use analysis::Analysis;
use record::{HostFacts, Origin, Run, StepRecord, TargetFacts, TargetKind};
use workload::{
    Access, Buffers, Bytes, Direction, Flush, LengthShare, Lengths, Mix, Order, Pace, Repeats, Spread, Start,
    StopRule, WorkerPlan,
};

use super::parts::{section, titled};
use crate::markup::{Markup, element, markup};
use crate::words::Table;
use crate::words::imported::either;
use crate::words::numbers;
use crate::words::progress::ending;
use crate::words::provenance::started;
use crate::words::shell::shell_word;
use crate::words::step_kind::kind_words;
use crate::words::steps::note;
use crate::words::target_doubt::target_doubt;

/// Returns the section on the method, the last of the page.
pub(super) fn method(run: &Run, analysis: &Analysis) -> Markup {
    let (target, host) = (run.target.as_ref(), run.host.as_ref());
    let all = markup![
        element("pre").with("tabindex", 0).line(command_line(&run.words)),
        facts("The run", &run_facts(run, analysis)),
        target.map(|target| facts("The target", &target_facts(target))),
        target.map(devices),
        host.map(|host| facts("The machine", &host_facts(host))),
        titled("Choices and why", &choices(run)),
        steps_html(run),
        titled("What happened beside the load", &events(run)),
        titled("I/O that failed", &failures(run)),
    ];
    section("Method and exact parameters", all)
}

fn facts(title: &str, pairs: &[(&str, String)]) -> Markup {
    let row =
        |(name, value): &(&str, String)| markup![element("dt").holding(*name), element("dd").holding(value)];
    let rows: Markup = pairs.iter().filter(|(_, value)| !value.is_empty()).map(row).collect();
    let facts = markup!["\n", element("h3").line(title), element("dl").line(rows)];
    element("div").with("class", "facts").line(facts)
}

/// Returns the arguments, quoted so that they can be typed into a shell.
fn command_line(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word.as_bytes())).collect::<Vec<_>>().join(" ")
}

fn complete(run: &Run) -> String {
    match crate::words::running::state(run) {
        None => "yes".to_owned(),
        Some(state) => format!("no, {state}"),
    }
}

fn run_facts(run: &Run, analysis: &Analysis) -> Vec<(&'static str, String)> {
    if crate::words::imported::origin(run).is_some() {
        return vec![("started", started(run)), ("recorded by", recorded_by(run))];
    }
    let spent = &analysis.spent;
    let loaded = !run.steps.is_empty();
    let ours = |words: String| if loaded { words } else { String::new() };
    vec![
        ("started", started(run)),
        ("recorded by", recorded_by(run)),
        ("complete", complete(run)),
        ("policy", run.policy.clone().unwrap_or_default()),
        ("expectation", run.expectation.clone().unwrap_or_default()),
        ("under load", ours(numbers::span(spent.loaded_s))),
        ("read", ours(numbers::size(spent.bytes_read))),
        ("written", ours(numbers::size(spent.bytes_written))),
        ("charged operations", ours(numbers::count(spent.charged_ops))),
        ("share of the burst", spent.credit_share.map(numbers::share).unwrap_or_default()),
        ("no change within", ours(numbers::span(analysis.horizon.as_secs_f64()))),
    ]
}

fn recorded_by(run: &Run) -> String {
    match &run.origin {
        Origin::Measured => format!("plimsoll {}", run.version),
        Origin::Imported { tool, lacks } if lacks.is_empty() => {
            format!("{tool}, read by plimsoll {}", run.version)
        }
        Origin::Imported { tool, lacks } => {
            format!("{tool}, read by plimsoll {}; it does not hold {}", run.version, either(lacks))
        }
    }
}

fn target_facts(target: &TargetFacts) -> Vec<(&'static str, String)> {
    let kind = match target.kind {
        TargetKind::Directory => "a directory, measured in an unnamed file of plimsoll's own",
        TargetKind::File => "an existing file, only read",
        TargetKind::BlockDevice => "a block device",
        TargetKind::Lab => "a volume throttled by this kernel",
        TargetKind::Simulated => "a volume simulated in virtual time",
        TargetKind::Null => "nothing: every I/O succeeds at once",
    };
    let alignment = match target.direct_alignment.0 {
        0 => "not possible".to_owned(),
        bytes => format!("aligned to {}", numbers::block(bytes as f64)),
    };
    vec![
        ("target", target.words.clone()),
        ("kind", kind.to_owned()),
        ("file system", target.filesystem.clone()),
        ("mounted at", target.mount_point.clone()),
        ("available", numbers::size(target.available.0)),
        ("direct I/O", alignment),
        ("doubts", target.doubts.iter().map(target_doubt).collect::<Vec<_>>().join("; ")),
    ]
}

fn devices(target: &TargetFacts) -> Markup {
    let heads = [
        "device",
        "size",
        "model",
        "serial",
        "logical block",
        "physical block",
        "rotates",
        "scheduler",
        "queue",
        "longest request",
    ];
    let mut table = Table::headed(&heads);
    for device in &target.devices {
        table.rows.push(vec![
            format!("{} ({}:{})", device.name, device.number.0, device.number.1),
            numbers::size(device.size.0),
            device.model.clone(),
            device.serial.clone(),
            numbers::block(device.logical_block.0 as f64),
            numbers::block(device.physical_block.0 as f64),
            if device.rotational { "yes" } else { "no" }.to_owned(),
            device.scheduler.clone(),
            device.queue_requests.to_string(),
            numbers::block(device.request_max.0 as f64),
        ]);
    }
    titled("Devices below it", &table)
}

fn host_facts(host: &HostFacts) -> Vec<(&'static str, String)> {
    vec![
        ("host", host.hostname.clone()),
        ("product", host.product.clone()),
        ("system", host.distribution.clone()),
        ("kernel", host.kernel.clone()),
        ("CPUs", cpus(host)),
        ("memory", if host.memory.0 == 0 { String::new() } else { numbers::size(host.memory.0) }),
        ("clock", clock(host)),
    ]
}

/// Returns the number and model of the CPUs; omits what is unknown, because other tools print little about the
/// machine.
fn cpus(host: &HostFacts) -> String {
    match (host.cpus, host.cpu_model.as_str()) {
        (0, model) => model.to_owned(),
        (count, "") => count.to_string(),
        (count, model) => format!("{count} of {model}"),
    }
}

fn clock(host: &HostFacts) -> String {
    match host.clock_read_ns > 0.0 && !host.clocksource.is_empty() {
        true => format!("{}, {} a reading", host.clocksource, numbers::time(host.clock_read_ns)),
        false => host.clocksource.clone(),
    }
}

/// Returns the choices. Every step carries them all; each is listed once.
fn choices(run: &Run) -> Table {
    let mut table = Table::headed(&["what", "chosen", "why"]);
    for choice in run.steps.iter().flat_map(|step| &step.plan.choices) {
        let row = vec![choice.what.clone(), choice.value.clone(), choice.reason.clone()];
        if !table.rows.contains(&row) {
            table.rows.push(row);
        }
    }
    for words in run.steps.iter().flat_map(|step| &step.notes).map(note) {
        let row = vec!["engine".to_owned(), words, String::new()];
        if !table.rows.contains(&row) {
            table.rows.push(row);
        }
    }
    table
}

/// Returns the table of steps in short form: values that most steps share are given once above it.
fn steps_html(run: &Run) -> Option<Markup> {
    let (shared, table) = without_shared(steps(run));
    let pairs: Vec<(&str, String)> =
        shared.iter().map(|(head, value)| (head.as_str(), value.clone())).collect();
    let head = "Every step, where the table below has no other entry";
    (!table.rows.is_empty()).then(|| markup![facts(head, &pairs), titled("Steps", &table)])
}

/// Removes from each column of `table` but the first the value that more than half of its cells have; removes a
/// column left empty. Returns the removed values by column.
fn without_shared(mut table: Table) -> (Vec<(String, String)>, Table) {
    let mut shared = Vec::new();
    for column in (1..table.head.len()).rev() {
        let Some(value) = majority(&table, column) else { continue };
        table.rows.iter_mut().filter(|row| row[column] == value).for_each(|row| row[column].clear());
        shared.push((table.head[column].clone(), value));
        if table.rows.iter().all(|row| row[column].is_empty()) {
            table.head.remove(column);
            table.rows.iter_mut().for_each(|row| drop(row.remove(column)));
        }
    }
    shared.reverse();
    (shared, table)
}

fn majority(table: &Table, column: usize) -> Option<String> {
    let times = |value: &str| table.rows.iter().filter(|row| row[column] == value).count();
    let found = table.rows.iter().map(|row| &row[column]).find(|value| 2 * times(value) > table.rows.len());
    found.filter(|value| !value.is_empty()).cloned()
}

fn steps(run: &Run) -> Table {
    let heads = [
        "step",
        "for",
        "workers",
        "access",
        "block",
        "depth each",
        "pace",
        "by",
        "written data",
        "region",
        "until",
        "ended",
    ];
    let mut table = Table::headed(&heads);
    for step in &run.steps {
        for (worker, count) in alike(&step.plan.workers) {
            table.rows.push(step_row(step, worker, count));
        }
    }
    table
}

/// Groups consecutive workers that differ only in seed and CPU, and counts each group.
fn alike(workers: &[WorkerPlan]) -> Vec<(&WorkerPlan, usize)> {
    let same = |a: &WorkerPlan, b: &WorkerPlan| *a == WorkerPlan { seed: a.seed, cpu: a.cpu, ..b.clone() };
    workers.chunk_by(same).filter_map(|group| group.first().map(|first| (first, group.len()))).collect()
}

fn step_row(step: &StepRecord, worker: &WorkerPlan, count: usize) -> Vec<String> {
    let region = worker.files.first().map_or_else(String::new, |file| {
        format!(
            "{} from {} of {}",
            numbers::size(file.size.0),
            numbers::size(file.offset.0),
            file.path.display()
        )
    });
    vec![
        step.plan.name.clone(),
        kind_words(step.plan.kind).to_owned(),
        count.to_string(),
        access_words(&worker.access),
        block_words(worker),
        worker.depth.to_string(),
        when_words(worker),
        format!(
            "{}{}",
            worker.backend.name(),
            if worker.direct { ", direct" } else { ", through the page cache" }
        ),
        data_words(worker),
        region,
        until_words(step, worker),
        ending(step.ending).to_owned(),
    ]
}

fn access_words(access: &Access) -> String {
    if let Some(replay) = &access.replay {
        return format!("the trace {}", replay.name);
    }
    let percent = access.random_percent.read.max(access.random_percent.write);
    let order = match access.order {
        Order::Sequential if percent > 0 => format!("sequential, {percent} % random"),
        Order::Sequential if access.stride != 0 => "sequential, with gaps".to_owned(),
        Order::Sequential => "sequential".to_owned(),
        Order::Random(_) if access.spread != Spread::Uniform => {
            format!("random, {}", spread_words(&access.spread))
        }
        Order::Random(Repeats::Without) => "random, each block once a pass".to_owned(),
        Order::Random(Repeats::With) => "random with repeats".to_owned(),
    };
    let mix = match access.mix {
        mix if mix.reads_only() => "reads".to_owned(),
        Mix::TRIM => "trims".to_owned(),
        Mix::TRIM_WRITE => "trims and writes".to_owned(),
        mix if mix.writes_only() => "writes".to_owned(),
        mix => format!("{} % reads", mix.read_percent()),
    };
    format!("{mix}, {order}")
}

fn spread_words(spread: &Spread) -> String {
    match spread {
        Spread::Uniform => "uniform".to_owned(),
        Spread::Zipf { theta, .. } => format!("Zipf {theta}"),
        Spread::Pareto { h, .. } => format!("Pareto {h}"),
        Spread::Normal { percent, .. } => format!("normal, {percent} % deviation"),
        Spread::Zoned(_) => "by zones".to_owned(),
        Spread::Listed(_) | Spread::Advancing(_) => "from a list of blocks".to_owned(),
    }
}

fn block_words(worker: &WorkerPlan) -> String {
    let words = |direction| length_words(worker.blocks.of(direction));
    let (read, write) = (words(Direction::Read), words(Direction::Write));
    match worker.access.mix {
        mix if mix.reads_only() => read,
        Mix::TRIM => words(Direction::Trim),
        mix if mix.writes_only() => write,
        _ if read == write => read,
        _ => format!("reads {read}, writes {write}"),
    }
}

fn length_words(lengths: &Lengths) -> String {
    let bytes = |length: Bytes| numbers::block(length.0 as f64);
    match lengths {
        Lengths::Fixed(length) => bytes(*length),
        Lengths::Range { least, most, .. } => format!("{} to {}", bytes(*least), bytes(*most)),
        Lengths::Shares(shares) => {
            let share = |share: &LengthShare| format!("{} ({})", bytes(share.length), share.weight);
            shares.iter().map(share).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns the paces, and the pauses between requests.
fn when_words(worker: &WorkerPlan) -> String {
    let terms = &worker.terms;
    let mut words = match terms.write_pace {
        None => pace_words(worker.pace),
        Some(writes) => format!("reads: {}; writes: {}", pace_words(worker.pace), pace_words(writes)),
    };
    if let Some(think) = terms.think {
        words.push_str(&format!("; rests of {}", numbers::span(think.pause.as_secs_f64())));
    }
    words
}

fn pace_words(pace: Pace) -> String {
    match pace {
        Pace::Closed => "queue kept full".to_owned(),
        Pace::Fixed(rate) => format!("{}, evenly", numbers::iops(rate.0)),
        Pace::Bytes { rate, length } => {
            let rate = numbers::bandwidth(rate.0 * length.0 as f64, numbers::Prefix::Binary);
            format!("{rate}, evenly")
        }
        Pace::Poisson(rate) => format!("{}, Poisson", numbers::iops(rate.0)),
        Pace::Phases { .. } => {
            format!("{}, in bursts", numbers::iops(pace.rate().map_or(f64::NAN, |rate| rate.0)))
        }
        Pace::Traced => "as the trace says".to_owned(),
    }
}

fn data_words(worker: &WorkerPlan) -> String {
    let buffers = match &worker.buffers {
        Buffers::Pattern(_) => "a pattern",
        Buffers::Shaped(_) => "compressible or repeated as asked",
        Buffers::Unique => "unique",
        Buffers::Stamped => "stamped",
        Buffers::Repeated => "repeated",
        Buffers::Zero => "zeros",
    };
    match worker.flush {
        Flush::Never => buffers.to_owned(),
        Flush::Every(writes) => format!("{buffers}, a flush every {writes}"),
    }
}

fn until_words(step: &StepRecord, worker: &WorkerPlan) -> String {
    let seconds = |time: workload::Nanos| numbers::span(time.as_secs_f64());
    let rule = |rule: &StopRule| match rule {
        StopRule::Time(time) => seconds(*time),
        StopRule::BytesEach(bytes) => format!("{} each", numbers::size(bytes.0)),
        StopRule::BytesInAll(bytes) => format!("{} each, the ramp included", numbers::size(bytes.0)),
        StopRule::WrittenEach(bytes) => format!("{} written each", numbers::size(bytes.0)),
        StopRule::OpsEach(ops) => format!("{} I/Os each", numbers::count(*ops as f64)),
        StopRule::Late { than, ios } => {
            format!("{} longer than {}", numbers::count(*ios as f64), numbers::time(than.0 as f64))
        }
        StopRule::Certain { half_width, least, most } => {
            format!("± {} known, {} to {}", numbers::share(*half_width), seconds(*least), seconds(*most))
        }
        StopRule::Fallen { share, most, .. } => {
            format!("fallen by {} or more, at most {}", numbers::share(*share), seconds(*most))
        }
    };
    let terms = &worker.terms;
    let rules: Vec<String> = step.plan.stop.iter().chain(&terms.stop).map(rule).collect();
    let mut words = vec![rules.join(" or ")];
    match terms.ramp.unwrap_or(step.plan.ramp) {
        workload::Nanos::ZERO => {}
        ramp => words.push(format!("after a ramp of {}", seconds(ramp))),
    }
    if let Start::After(jobs) = &terms.start {
        words.push(format!("from the end of {}", jobs.join(", ")));
    }
    if terms.delay > workload::Nanos::ZERO {
        words.push(format!("{} after the start of the step at the earliest", seconds(terms.delay)));
    }
    words.join(", ")
}

fn events(run: &Run) -> Table {
    let mut table = Table::headed(&["at", "what"]);
    for event in &run.events {
        table.rows.push(vec![format!("{} s", numbers::fixed(event.at.as_secs_f64(), 1)), event.text.clone()]);
    }
    table
}

fn failures(run: &Run) -> Table {
    let mut table = Table::headed(&["at", "step", "direction", "file", "offset", "length", "error"]);
    for step in &run.steps {
        for failure in &step.failures {
            table.rows.push(vec![
                format!("{} s", numbers::fixed(failure.at.as_secs_f64(), 1)),
                step.plan.name.clone(),
                failure.direction.name().to_owned(),
                failure.path.clone(),
                numbers::count(failure.offset as f64),
                numbers::block(f64::from(failure.bytes)),
                crate::words::sentence::error_words(failure.errno),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_steps_share_is_told_once() {
        let rows = [["a", "1", "x"], ["b", "1", "x"], ["c", "2", "x"]];
        let table = Table {
            head: ["step", "depth", "by"].map(str::to_owned).to_vec(),
            rows: rows.map(|row| row.map(str::to_owned).to_vec()).to_vec(),
        };
        let (shared, short) = without_shared(table);
        assert_eq!(shared, [("depth".to_owned(), "1".to_owned()), ("by".to_owned(), "x".to_owned())]);
        assert_eq!(short.head, ["step", "depth"]);
        assert_eq!(short.rows, [["a", ""], ["b", ""], ["c", "2"]]);
    }

    #[test]
    fn a_command_line_can_be_typed_again() {
        let words = ["plimsoll", "check", "/mnt/my data", "--expect", "it's", ""].map(str::to_owned);
        assert_eq!(command_line(&words), "plimsoll check '/mnt/my data' --expect 'it'\\''s' ''");
    }
}
