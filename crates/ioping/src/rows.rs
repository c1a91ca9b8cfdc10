//! The option table: every option of ioping as a row. Data.

use super::asked::{Engine, Keeping, Order, Sync};
use super::row::Part::{Options, Output, Parameters};
use super::row::{Ends, Row, Takes, ends, later, row};

const fn switch(short: char, long: &'static str) -> Row {
    row((short, long), Takes::Nothing, Options)
}
const fn count(short: char, long: &'static str) -> Row {
    row((short, long), Takes::Count, Parameters)
}
const fn size(short: char, long: &'static str) -> Row {
    row((short, long), Takes::Size, Parameters)
}
const fn time(short: char, long: &'static str) -> Row {
    row((short, long), Takes::Time, Parameters)
}
const fn output(short: char, long: &'static str, takes: Takes) -> Row {
    row((short, long), takes, Output)
}

const CALLS_ALONE: &str = "refused together with -A or -U, whose queues carry no such wish";

/// Every option, in the order of the help; one row a line, so that it reads as a table.
#[rustfmt::skip]
pub static ROWS: &[Row] = &[
    switch('A', "async").does("go through Linux asynchronous I/O", |a, _| a.engine = Engine::Libaio),
    later(switch('U', "uring")).does("go through io_uring", |a, _| a.engine = Engine::IoUring),
    switch('C', "cached").does("leave the page cache as it is, flush nothing", |a, _| a.cached = true),
    switch('D', "direct").does("go past the page cache (O_DIRECT)", |a, _| a.direct = true),
    switch('G', "read-write").does("write and read in turns", |a, _| a.alternate = true),
    switch('L', "linear").does("one place after the other", |a, _| a.order = Order::Linear),
    switch('N', "nowait").nearly(CALLS_ALONE, "fail rather than wait (RWF_NOWAIT)", |a, _| a.nowait = true),
    switch('H', "hipri").nearly(CALLS_ALONE, "poll for the end (RWF_HIPRI)", |a, _| a.hipri = true),
    switch('W', "write").does("write; over a file or device only as -WWW", |a, _| a.writes = a.writes.saturating_add(1)),
    switch('Y', "sync").does("open with O_SYNC", |a, _| a.sync = Sync::All),
    switch('y', "dsync").does("open with O_DSYNC", |a, _| if a.sync == Sync::None { a.sync = Sync::Data }),
    switch('R', "rapid").does("fast, for 3 s (-q -i 0 -w 3; directory: -S 64m)", |a, _| a.rapid = true),
    switch('k', "keep").does("keep the file in the directory (ioping.tmp)", |a, _| a.keeping = Keeping::Kept),
    later(switch('E', "ignore-error")).does("go on after a request that failed", |a, _| a.ignore_errors = true),

    count('a', "warmup").by_default("1").does("requests at the start that do not count", |a, g| a.warmup = g.number()),
    count('b', "burst").by_default("0").does("requests without a pause between them", |a, g| a.burst = g.number()),
    count('c', "count").does("stop after N requests", |a, g| a.count = g.number()),
    row(('e', "entropy"), Takes::Seed, Parameters).by_default("0")
        .nearly("the same seed gives the same places and data, but not those of ioping", "seed of places and data, 0: from the clock", |a, g| a.seed = g.number()),
    time('i', "interval").by_default("1s").does("time from one start to the next", |a, g| a.interval = Some(g.nanos())),
    size('s', "size").by_default("4k").does("bytes of a request (256k with -L)", |a, g| a.size = Some(g.bytes())),
    size('S', "work-size").by_default("1m").does("bytes that are used (of a file: all)", |a, g| a.work_size = Some(g.bytes())),
    size('o', "work-offset").by_default("0").does("where they begin", |a, g| a.work_offset = g.bytes()),
    time('w', "work-time").does("stop after this time", |a, g| a.work_time = Some(g.nanos())),
    size('l', "speed-limit").does("bytes a second at most", |a, g| a.speed_limit = g.number()),
    count('r', "rate-limit").does("requests a second at most", |a, g| a.rate_limit = g.number()),
    time('t', "min-time").by_default("0").does("faster requests do not count", |a, g| a.min_time = g.nanos()),
    time('T', "max-time").does("slower requests do not count", |a, g| a.max_time = Some(g.nanos())),

    output('B', "batch", Takes::Nothing).does("only the statistics, as one raw line", |a, _| a.batch = true),
    output('I', "time", Takes::MaybeText).by_default("%b %d %T")
        .does("time of day before each line", |a, g| a.clock_format = Some(g.text().unwrap_or("%b %d %T").to_owned())),
    output('J', "json", Takes::Nothing).does("everything as JSON", |a, _| a.json = true),
    output('p', "print-count", Takes::Count).does("a raw line every N requests", |a, g| a.print_count = g.number()),
    output('P', "print-interval", Takes::Time).does("a raw line every so often", |a, g| a.print_interval = g.nanos()),
    output('q', "quiet", Takes::Nothing).does("no line a request", |a, _| a.quiet = true),
    ends(Ends::Help, output('h', "help", Takes::Nothing)).does("this text", |_, _| {}),
    ends(Ends::Version, output('v', "version", Takes::Nothing)).does("the version", |_, _| {}),
];
