//! The option table: every job option of fio as a row. Data: an option that becomes supported changes its row here.

use super::engines::canonical;
use super::logging::LOG_VALUES;
use super::number::{KbBase, TimeUnit};
use super::options::{JobOptions, UnifiedReport};
use super::ring::WRITE_MODES;
use super::row::{Part, Row, row, within};
use super::shape::{Shape, ShapeValue};
use super::terms::ExitWhat;
use super::value::{Kind, Value, Word};
use super::verification::{POLICIES, PROOFS};

const RW: &[Word] = &[
    ("read", "Reads in order"),
    ("write", "Writes in order"),
    ("trim", "Trims in order"),
    ("randread", "Reads at random"),
    ("randwrite", "Writes at random"),
    ("randtrim", "Trims at random"),
    ("rw", "Reads and writes in order"),
    ("readwrite", "Reads and writes in order"),
    ("randrw", "Reads and writes at random"),
    ("trimwrite", "Trims, each followed by a write"),
    ("randtrimwrite", "Trims at random, each followed by a write"),
];
const MEMORY: &[Word] = &[
    ("malloc", "Memory of the process"),
    ("shm", "Shared memory"),
    ("shmhuge", "Shared memory in huge pages"),
    ("mmap", "Mapped memory, or the file after a colon"),
    ("mmaphuge", "The same in huge pages"),
    ("mmapshared", "The same, shared"),
];
const PLAIN_MEMORY: &str = "buffers are mapped memory of the worker's own in plain pages, never in a file";
/// Heading of the options of fio's built-in profiles.
pub const PROFILES: &str = "Built-in profiles of fio";
/// Heading of the options that decide what is printed, and not what is done.
pub const REPORTING: &str = "Measurement and reporting";
const YES_NO: &str = "0";
const SECONDS: Kind = Kind::Time(TimeUnit::Seconds);
const MILLISECONDS: Kind = Kind::Time(TimeUnit::Milliseconds);
const MICROSECONDS: Kind = Kind::Time(TimeUnit::Microseconds);
const COUNT: Kind = Kind::Int(0, u32::MAX as i64);
const AT_LEAST_ONE: Kind = Kind::Int(1, u32::MAX as i64);
/// Depth, at most 65,536: more I/Os in flight would only exhaust memory, as would more than a million files.
const DEPTH: Kind = Kind::Int(1, 65_536);
const FILES: Kind = Kind::Int(1, 1_000_000);
const PACKED: &str = "rows of logs are written as they come, and never compressed";
const VERIFY: &str = "blocks are read back in the order of their places";
const DUMPED: &str = "what data without a pattern should be is kept nowhere, so that only patterns and zeros have an .expected file; a job writes 1,000 intervals at most";
const ZONES: &str =
    "only a zoned device has such zones, and only zonemode=zbd asks for them, which is refused: no effect";
const PLACEMENT: &str = "data placement is not supported";
const MERGING: &str = "traces are not merged, by fio 3.33 neither; blkparse -d merges those of one device, and each clone has one of several in read_iolog";
const PROCESS: &str = "workers are threads of one process and keep its name";
const RIGHTS: &str =
    "workers keep the rights of the process; start the command as that user, with sudo -u or setpriv";
const CGROUP: &str = "start the command in the control group instead, with systemd-run --scope or cgexec";

/// Functions that put a row under a heading of the table.
macro_rules! headings {
    ($($name:ident $heading:expr;)+) => {
        $(const fn $name(row: Row) -> Row {
            within(Part::Job($heading), row)
        })+
    };
}

headings! {
    job "Job and process";
    file "Target files";
    access "Pattern";
    block "Block size";
    sync "Flushes";
    depth "Engine and depth";
    buffer "Buffers and memory";
    pace "Rate and think time";
    verify "Verification and trims";
    steady "Steady state";
    zone "Zones and data placement";
    replay "Replay";
    report REPORTING;
    error "Errors";
    profile PROFILES;
}

/// Stores a value of a shape unchanged.
macro_rules! shaped {
    ($($field:ident).+ = $shape:ident) => {
        |options, value| {
            if let Value::Shape(ShapeValue::$shape(shaped)) = value {
                options.$($field).+ = shaped.clone().into();
            }
        }
    };
}

const fn ring(row: Row) -> Row {
    within(Part::Engine(&["io_uring"]), row)
}
const fn prioritised(row: Row) -> Row {
    within(Part::Engine(&["io_uring", "libaio"]), row)
}
const PRIORITY: &str = "give cmdprio_percentage or cmdprio_bssplit, with cmdprio and cmdprio_class";
const COMMANDS: &str = "only commands that io_uring_cmd sends carry it: no effect";
const METADATA: &str =
    "protection information is not sent; leave this out, and format the device without metadata";

/// The row with this name or alias.
pub fn named(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.names().any(|known| known == name))
}

/// Every job option, in the order of the reference; one row a line, so that it reads as a table.
#[rustfmt::skip]
pub static ROWS: &[Row] = &[
    job(row("name", Kind::Text, ""))
        .does("Name of the job. On the command line it starts a new one.", |o, v| {
            o.name = Some(v.text().to_owned());
        }),
    job(row("description", Kind::Text, ""))
        .does("Text that is printed with the result.", |o, v| o.description = Some(v.text().to_owned())),
    job(row("loops", AT_LEAST_ONE, "1")).nearly(
        "the amount is multiplied; at random places each pass takes another order, and end_fsync comes once, after the last",
        "How often the amount is done.",
        |o, v| o.loops = v.natural(),
    ),
    job(row("numjobs", Kind::Int(1, 4096), "1"))
        .does("How many clones of the job run side by side.", |o, v| o.numjobs = v.small()),
    job(row("thread", Kind::Flag, YES_NO))
        .honoured("they run as threads either way, and the text counts them as asked", |o, v| o.thread = v.on())
        .helps("Clones are threads of one process instead of processes."),
    job(row("wait_for", Kind::Text, ""))
        .does("Starts when all clones of the named job have ended.", |o, v| o.time.wait_for = Some(v.text().trim().to_owned())),
    job(row("stonewall", Kind::Flag, YES_NO))
        .also(&["wait_for_previous"])
        .does("Starts when all jobs before it have ended.", |o, v| o.stonewall = v.on()),
    job(row("new_group", Kind::Flag, YES_NO))
        .does("Starts a new group in the report.", |o, v| o.new_group = v.on()),
    job(row("exitall", Kind::Flag, YES_NO)).does("The first job that ends takes others with it.", |o, v| o.time.exitall = v.on()),
    job(row("exit_what", Kind::Choice(&[("group", "Those of its group"), ("stonewall", "Those beside it"), ("all", "All, also later ones")]), "group"))
        .does("Which jobs exitall ends.", |o, v| o.time.exit_what = ExitWhat::named(v.word())),
    job(row("exitall_on_error", Kind::Flag, YES_NO)).does("A job that fails takes others with it.", |o, v| o.time.exitall_on_error = v.on()),
    job(row("startdelay", Kind::Shape(Shape::Times), "0"))
        .does("Time from the start of the run to that of the job; of a range each clone draws its own.", |o, v| o.time.set_startdelay(v)),
    job(row("runtime", SECONDS, "0"))
        .also(&["timeout"])
        .does("Ends the job after this time, at the latest.", |o, v| o.runtime = v.time()),
    job(row("time_based", Kind::Flag, YES_NO))
        .does("Goes on until the run time is over, although the amount is done.", |o, v| o.time_based = v.on()),
    job(row("ramp_time", SECONDS, "0"))
        .does("Time at the start that is run but not counted.", |o, v| o.ramp_time = v.time()),
    job(row("ramp_size", Kind::Size(0), "0")).refused("give ramp_time, the time in which the volume moves these bytes", "Bytes at the start that are not counted."),
    job(row("comm", Kind::Text, "")).nearly(PROCESS, "Name of the process.", |_, _| {}),
    job(row("nice", Kind::Int(-20, 19), "0")).nearly("workers keep the nice value of the process; start it with nice", "Nice value of the process.", |_, _| {}),
    job(row("prio", Kind::Int(0, 7), "")).does("I/O priority within its class, 0 first.", |o, v| o.time.prio = Some(v.small() as u8)),
    job(row("prioclass", Kind::Int(0, 3), ""))
        .does("I/O priority class: 1 real time, 2 best effort, 3 idle.", |o, v| o.time.prioclass = Some(v.small() as u8)),
    job(row("priohint", Kind::Int(0, 1023), "")).refused("give prio and prioclass, which every kernel knows", "I/O priority hint."),
    job(row("cpus_allowed", Kind::Cpus, ""))
        .does("CPUs that the job may run on.", |o, v| o.set_cpus(v)),
    job(row(
        "cpus_allowed_policy",
        Kind::Choice(&[("shared", "All clones share the CPUs"), ("split", "Each clone gets one CPU")]),
        "shared",
    ))
    .does("How clones share the CPUs.", |o, v| o.cpus_split = v.word() == "split"),
    job(row("cpumask", Kind::Int(1, i64::MAX), "")).does("CPUs that the job may run on, a bit each.", |o, v| o.set_cpumask(v.natural())),
    job(row("numa_cpu_nodes", Kind::Text, "")).nearly("jobs run on any node; cpus_allowed says on which CPUs", "NUMA nodes to run on.", |_, _| {}),
    job(row("numa_mem_policy", Kind::Text, "")).nearly("buffers are on the node where the kernel puts them", "NUMA memory policy.", |_, _| {}),
    job(row("cgroup", Kind::Text, "")).refused(CGROUP, "Control group of the job."),
    job(row("cgroup_weight", Kind::Int(100, 1000), "")).refused(CGROUP, "Weight of the control group."),
    job(row("cgroup_nodelete", Kind::Bool, "0")).refused(CGROUP, "Keeps the control group."),
    job(row("uid", COUNT, "")).refused(RIGHTS, "User of the process."),
    job(row("gid", COUNT, "")).refused(RIGHTS, "Group of the process."),
    job(row("exec_prerun", Kind::Text, ""))
        .nearly("commands of jobs that start together run one after the other, before all of them", "Command before the job, also under --readonly; NAME.prerun.txt has what it prints.", |o, v| o.exec_prerun = Some(v.text().to_owned())),
    job(row("exec_postrun", Kind::Text, ""))
        .nearly("commands of jobs that start together run one after the other, after all of them", "Command after the job, also under --readonly; NAME.postrun.txt has what it prints.", |o, v| o.exec_postrun = Some(v.text().to_owned())),
    job(row("profile", Kind::Text, "")).refused("built-in profiles of fio are not supported", "Built-in profile."),
    job(row("flow_id", COUNT, "0")).does("Which flow the job belongs to.", |o, v| o.bounds.flow_id = v.small()),
    job(row("flow", Kind::Int(i32::MIN as i64, 1000), "0")).does("Weight of the job among those of its flow: in that proportion they issue I/Os while they run; 0: none. As in fio, a job with a weight below 0 is free and leaves the others almost nothing.", |o, v| o.bounds.flow = v.wrapped()),
    job(row("flow_sleep", MICROSECONDS, "0")).does("How long a job that is ahead of its flow waits before it looks again.", |o, v| o.bounds.flow_sleep = v.time()),
    job(row("job_start_clock_id", COUNT, "0")).refused("starts are reported on the wall clock", "Clock of the reported start."),
    job(row("gpu_dev_id", COUNT, "0")).refused("memory of graphics cards is not supported", "Graphics card."),
    // Files.
    file(row("filename", Kind::Path, ""))
        .does("Files or devices, separated by colons. Given again, it adds to them.", |o, v| o.add_filename(v.text())),
    file(row("directory", Kind::Path, ""))
        .does("Directory of the files that filename names after it, and of the job's own. Several, separated by colons, are dealt to the clones, but for what filename names.", |o, v| {
            o.directory = Some(v.text().to_owned());
        }),
    file(row("filename_format", Kind::Path, "$jobname.$jobnum.$filenum"))
        .does("How files are named that filename does not name.", |o, v| o.filename_format = v.text().to_owned()),
    file(row("unique_filename", Kind::Bool, "1")).does("Meant for clients on several hosts; no effect here.", |_, _| {}),
    file(row("filetype", Kind::Choice(&[("none", "Look"), ("file", "Regular file"), ("block", "Block device"), ("char", "Character device")]), "none"))
        .nearly("the kind of a file is always looked up", "Kind of the files.", |_, _| {}),
    file(row("opendir", Kind::Path, ""))
        .does("Takes all regular files at any depth below a directory, fio in the order in which it lists them, plimsoll by name.", |o, v| o.opendir = Some(v.text().to_owned())),
    file(row("lockfile", Kind::Choice(&[("none", "None"), ("exclusive", "One at a time"), ("readwrite", "Readers together, a writer alone")]), "none"))
        .nearly("files are not locked: jobs on one file do not wait for each other", "Lock on the files during I/O.", |_, _| {}),
    file(row("nrfiles", FILES, "1")).also(&["nr_files"]).does("Files a clone.", |o, v| o.nrfiles = v.small()),
    file(row("openfiles", COUNT, "")).nearly("files stay open to the end", "Files open at a time: another one follows where one is done.", |o, v| o.openfiles = v.small()),
    file(row("file_service_type", Kind::Shape(Shape::Turn), "roundrobin"))
        .does("Which file comes next. After a colon: how many I/Os go to each.", shaped!(file_turn = Turn)),
    file(row("size", Kind::Amount, ""))
        .does("Bytes of the region, over all files of a clone; also the amount to do.", |o, v| o.size = Some(v.amount())),
    file(row("io_size", Kind::Amount, ""))
        .also(&["io_limit"])
        .does("Bytes to do, where that is not the region's size.", |o, v| o.io_size = Some(v.amount())),
    file(row("filesize", Kind::Shape(Shape::FileSize), ""))
        .does("Where each file ends, whatever offset and size say; size is then only the amount. Of two sizes each file has one drawn between them, in whole blocks, or its own where that lies there.", JobOptions::set_filesize),
    file(row("file_append", Kind::Bool, "0"))
        .does("Begins after the end of the existing data.", |o, v| o.file_append = v.on()),
    file(row("fill_device", Kind::Bool, "0")).also(&["fill_fs"])
        .does("A job that only writes goes on until no space is left, or until size is done.", |o, v| o.fill_device = v.on()),
    file(row("fallocate", Kind::Choice(&[("none", "Not at all"), ("native", "As the file system can"), ("posix", "By posix_fallocate"), ("keep", "Without changing the size"), ("truncate", "By ftruncate"), ("0", "Not at all"), ("1", "By posix_fallocate")]), "native"))
        .does("How space of files to be written is reserved.", |o, v| o.fallocate = v.word()),
    file(row("fadvise_hint", Kind::Choice(&[("0", "None"), ("1", "By the pattern"), ("random", "Random"), ("sequential", "Sequential"), ("noreuse", "Once")]), "1"))
        .nearly("noreuse gives the kernel no hint", "Tells the page cache how the file will be read, so that it reads ahead or does not.", |o, v| o.fadvise_hint = v.word())
        .harmless(&["0", "1", "random", "sequential"]),
    file(row("create_serialize", Kind::Bool, "1")).nearly("files are laid out one after the other, before any job begins", "Lays the files of all jobs out one after the other.", |_, _| {}),
    file(row("create_fsync", Kind::Bool, "1")).nearly("files that were laid out are flushed before a job begins", "Flushes files that were laid out.", |_, _| {}),
    file(row("create_on_open", Kind::Bool, "0"))
        .nearly("files are made before the load starts, so that making them is not measured", "Makes files when they are opened.", |_, _| {}),
    file(row("create_only", Kind::Bool, "0")).does("Lays the files out and does no more.", |o, v| o.create_only = v.on()),
    file(row("allow_file_create", Kind::Bool, "1"))
        .does("Makes files that are missing.", |o, v| o.allow_file_create = v.on()),
    file(row("allow_mounted_write", Kind::Bool, "0"))
        .nearly("a device that is mounted or else in use is never written; no effect on files", "Allows writing to a mounted device.", |_, _| {}),
    file(row("pre_read", Kind::Bool, "0"))
        .does("Reads the files into the page cache before the load.", |o, v| o.pre_read = v.on()),
    file(row("unlink", Kind::Bool, "0")).does("Removes the files at the end.", |o, v| o.unlink = v.on()),
    file(row("unlink_each_loop", Kind::Bool, "0"))
        .nearly("the files stay between passes and are written over", "Removes the files after each pass.", |_, _| {}),
    file(row("ioscheduler", Kind::Text, "")).nearly("the device keeps the scheduler that it has; set it in /sys/block/DEVICE/queue/scheduler before", "Sets the I/O scheduler of the device, or ends the job where the kernel has none of that name; noop is called none since Linux 5.0.", |_, _| {}),
    file(row("overwrite", Kind::Bool, "0"))
        .does("Lays out real data before writing over it.", |o, v| o.overwrite = v.on()),
    file(row("write_hint", Kind::Choice(&[("none", "None"), ("short", "Short"), ("medium", "Medium"), ("long", "Long"), ("extreme", "Extreme")]), "none"))
        .nearly("no lifetime is passed to the kernel; few devices heed one", "Lifetime hint of what is written.", |_, _| {}),
    // Pattern.
    access(row("rw", Kind::Shape(Shape::Direction(RW)), "read"))
        .also(&["readwrite"])
        .does("Direction and order of the I/O. After a colon: bytes added after each I/O in order, or I/Os a random place.", |o, v| o.set_direction(v)),
    access(row("rw_sequencer", Kind::Choice(&[("sequential", "They go on from there"), ("identical", "They stay there")]), "sequential"))
        .does("Where the I/Os of randread:N and its like go after each random place.", |o, v| o.rw_identical = v.word() == "identical"),
    access(row("direct", Kind::Bool, "0")).does("Past the page cache.", |o, v| o.direct = v.on()),
    access(row("buffered", Kind::Bool, "1")).does("Through the page cache.", |o, v| o.direct = !v.on()),
    access(row("atomic", Kind::Bool, "0"))
        .does("A write is stored whole or not at all (RWF_ATOMIC, past the page cache); where the device cannot promise it the write fails.", |o, v| o.calls.atomic = v.on()),
    access(row("rwmixread", Kind::Int(0, 100), "50")).does("Percent of reads in a mix.", |o, v| o.set_mix(v.natural())),
    access(row("rwmixwrite", Kind::Int(0, 100), "50"))
        .does("Percent of writes in a mix.", |o, v| o.set_mix(100 - v.natural().min(100))),
    access(row("percentage_random", Kind::Ints(100), "100"))
        .does("Percent of I/Os of a random job that go to a random place, one a direction; the others go on from there.", |o, v| {
            v.onto(&mut o.percentage_random);
        }),
    access(row("norandommap", Kind::Flag, YES_NO))
        .does("Random places are drawn independently, so that blocks may repeat.", |o, v| o.norandommap = v.on()),
    access(row("softrandommap", Kind::Bool, "0")).does("No map is kept, so there is nothing to fail.", |_, _| {}),
    access(row("random_generator", Kind::Choice(&[("tausworthe", "32 bits"), ("lfsr", "Each block once without a map"), ("tausworthe64", "64 bits")]), "tausworthe"))
        .nearly("plimsoll's own generator; each block once without a map, with lfsr also under norandommap", "Generator of random places.", |o, v| o.lfsr = v.word() == "lfsr"),
    access(row("random_distribution", Kind::Shape(Shape::Spread), "random"))
        .does("Distribution of random places: random, zipf, pareto, normal, zoned, zoned_abs or sequence.", shaped!(spread = Spread)),
    access(row("random_sequence_stride", Kind::Bool, "0")).does("A sequence moves on by its own length each time; behind the end of the region it goes on from the start.", |o, v| o.sequence_advances = v.on()),
    access(row("randrepeat", Kind::Bool, "1"))
        .also(&["allrandrepeat"])
        .does("The same places and the same data in every run.", |o, v| o.randrepeat = v.on()),
    access(row("randseed", Kind::Int(0, i64::MAX), "0x89"))
        .does("Seed of the random places, whatever randrepeat says.", |o, v| o.set_seed(v.natural())),
    access(row("offset", Kind::Amount, "0")).also(&["fileoffset"]).does("Start of the region.", |o, v| o.offset = v.amount()),
    access(row("offset_align", Kind::Size(0), "0"))
        .does("What an offset in percent is rounded up to.", |o, v| o.offset_align = v.natural()),
    access(row("offset_increment", Kind::Amount, "0"))
        .does("Added to the offset for each further clone.", |o, v| o.offset_increment = v.amount()),
    access(row("number_ios", Kind::Int(0, i64::MAX), "0")).does("Ends the job after this many I/Os, unless time_based lets its time end it.", |o, v| o.number_ios = v.natural()),
    access(row("num_range", COUNT, "1")).refused("a trim has one range", "Ranges in one trim."),
    access(row("sprandom", Kind::Bool, "0")).refused("write the device once in order and twice at random before the test, each a job of its own, with stonewall", "Preconditioning for flash in one pass."),
    access(row("spr_num_regions", COUNT, "100")).refused("preconditioning patterns are not supported", "Regions of the preconditioning."),
    access(row("spr_op", Kind::Floats, "0.15")).refused("preconditioning patterns are not supported", "Spare space for the preconditioning."),
    access(row("spr_cs", Kind::Size(0), "0")).refused("preconditioning patterns are not supported", "Cache size for the preconditioning."),
    // Block size.
    block(row("bs", Kind::Sizes(1), "4096"))
        .also(&["blocksize"])
        .does("Length of an I/O. One for reads, one for writes and one for trims, separated by commas.", |o, v| v.onto(&mut o.bs)),
    block(row("bsrange", Kind::Shape(Shape::Range), ""))
        .also(&["blocksize_range"])
        .does("Lengths from the first to the second, in multiples of the first.", |o, v| JobOptions::set_lengths(&mut o.bsrange, v)),
    block(row("bssplit", Kind::Shape(Shape::Split), ""))
        .does("Lengths with their shares, such as 4k/60:64k/40; a list a direction, separated by commas.", |o, v| JobOptions::set_lengths(&mut o.bssplit, v)),
    block(row("bs_unaligned", Kind::Flag, YES_NO))
        .also(&["blocksize_unaligned"])
        .does("Any length within bsrange, not only multiples.", |o, v| o.bs_unaligned = v.on()),
    block(row("bs_is_seq_rand", Kind::Bool, "0"))
        .does("The first length serves I/O in order, the second random I/O, whatever the direction.", |o, v| o.bs_is_seq_rand = v.on()),
    block(row("ba", Kind::Sizes(1), ""))
        .also(&["blockalign"])
        .does("What random places are multiples of, where that is not the shortest block.", |o, v| v.onto(&mut o.ba)),
    // Flushes.
    sync(row("fsync", COUNT, "0")).does("The job waits for a flush after every N writes; with io_uring and posixaio the flush goes into the queue instead.", |o, v| o.fsync = v.small()),
    sync(row("fdatasync", COUNT, "0"))
        .does("As fsync, but a flush of the data alone (fdatasync).", |o, v| o.fdatasync = v.small()),
    sync(row("write_barrier", COUNT, "0")).nearly("no engine heeds it, in fio neither: no effect; fsync flushes", "A barrier after every N writes.", |_, _| {}),
    sync(row("sync_file_range", Kind::Shape(Shape::Pages), ""))
        .does("Writes pages back after every N writes: wait_before, write, wait_after; fio asks for those written since the last call, plimsoll for all of the file's.", |o, v| {
            if let Value::Shape(ShapeValue::Pages(pages, writes)) = v {
                o.calls.pages = Some((*pages, *writes));
            }
        }),
    sync(row("end_fsync", Kind::Bool, "0")).does("The job waits for a flush at its end, with loops after each.", |o, v| o.end_fsync = v.on()),
    sync(row("end_syncfs", Kind::Bool, "0")).nearly("the job's files are flushed, not all of their file system", "A flush of the file system at the end.", |o, v| o.end_fsync |= v.on()),
    sync(row("fsync_on_close", Kind::Bool, "0"))
        .nearly("files are closed once, when the step of the job ends", "A flush when a file is closed.", |o, v| o.fsync_on_close = v.on()),
    sync(row("sync", Kind::Choice(&[("none", "No"), ("0", "No"), ("sync", "Each write with its metadata"), ("1", "Each write with its metadata"), ("dsync", "Each write's data")]), "none"))
        .does("Opens the files so that each write is stable when it is done.", |o, v| o.time.set_sync(v.word()))
        .harmless(&["0"]),
    // Engine and depth.
    depth(row("ioengine", Kind::Text, "psync"))
        .does("How I/O is done: sync, psync, vsync, pvsync, pvsync2, libaio, io_uring or null; posixaio is done by io_uring, mmap by psync. Others work on the names or the space of files.", |o, v| {
            o.engine.name = canonical(v.text().trim()).to_owned();
        }),
    depth(row("iodepth", DEPTH, "1")).does("I/Os in flight a clone.", |o, v| o.iodepth = v.small()),
    depth(row("iodepth_batch", COUNT, ""))
        .also(&["iodepth_batch_submit"])
        .does(
            "I/Os handed over in one call, at most. 0: the depth. Where it is not given, direct I/O with a sequential part goes one by one, and all else that is due in one call.",
            |o, v| o.batch.submit = Some(v.small()),
        ),
    depth(row("iodepth_batch_complete_min", COUNT, "1"))
        .also(&["iodepth_batch_complete"])
        .does("I/Os that a full queue waits for; 0 takes what is done, without waiting.", |o, v| {
            o.batch.least = v.small();
        }),
    depth(row("iodepth_batch_complete_max", COUNT, ""))
        .does("I/Os taken back in one call, at most; where it is not given, as many as the least.", |o, v| {
            o.batch.most = Some(v.small());
        }),
    depth(row("iodepth_low", COUNT, ""))
        .does("I/Os in flight at which a queue that was full is filled again; 0: the depth, so that it is kept full.", |o, v| o.batch.low = Some(v.small())),
    within(Part::Engine(&["filestat"]), row("stat_type", Kind::Choice(&[("stat", "stat, which follows links"), ("lstat", "lstat, which does not"), ("statx", "statx")]), "stat"))
        .refused("files are looked at by stat alone", "The call that looks."),
    depth(row("serialize_overlap", Kind::Bool, "0"))
        .does("An I/O waits, and all after it, while another of its clone on the same bytes is in flight.", |o, v| o.serialize_overlap = v.on()),
    depth(row("io_submit_mode", Kind::Choice(&[("inline", "By the worker"), ("offload", "By threads of its own")]), "inline"))
        .nearly("paced jobs submit on time and by themselves", "Who submits.", |_, _| {}),
    // Buffers.
    buffer(row("mem", Kind::Choice(MEMORY), "malloc"))
        .also(&["iomem"])
        .nearly(PLAIN_MEMORY, "Kind of the buffers' memory.", |_, _| {}),
    buffer(row("iomem_align", Kind::Size(0), "0")).also(&["mem_align"]).nearly("buffers are aligned to pages", "Alignment of the buffers.", |_, _| {}),
    buffer(row("hugepage-size", Kind::Size(0), "")).nearly(PLAIN_MEMORY, "Size of a huge page.", |_, _| {}),
    buffer(row("lockmem", Kind::Size(0), "0")).nearly("no memory is pinned, so that the page cache stays as large as it is", "Memory to pin.", |_, _| {}),
    buffer(row("zero_buffers", Kind::Flag, YES_NO)).does("Writes zeros.", |o, v| o.zero_buffers = v.on()),
    buffer(row("refill_buffers", Kind::Flag, YES_NO)).does("Writes fresh random data each time.", |o, v| o.refill_buffers = v.on()),
    buffer(row("scramble_buffers", Kind::Bool, "1"))
        .does("Changes what is written a little each time, so that no two blocks are equal.", |o, v| o.scramble_buffers = v.on()),
    buffer(row("buffer_pattern", Kind::Shape(Shape::Data), ""))
        .does("Pattern to write: text in double quotes, files in single ones, 0x… and decimal numbers in a row; 128 MiB at most.", shaped!(buffer_pattern = Pattern)),
    buffer(row("buffer_compress_percentage", Kind::Int(0, 100), "0"))
        .does("Percent of each chunk that compresses to nothing: zeros, or the pattern.", |o, v| o.compress_percentage = v.natural() as u8),
    buffer(row("buffer_compress_chunk", Kind::Size(0), "512"))
        .does("Length in which the percentage holds; 0: the whole block.", |o, v| o.compress_chunk = v.natural()),
    buffer(row("dedupe_percentage", Kind::Int(0, 100), "0"))
        .does("Percent of blocks that equal another one.", |o, v| o.dedupe_percentage = v.natural() as u8),
    buffer(row("dedupe_mode", Kind::Choice(&[("repeat", "The one before it"), ("working_set", "Any of a set")]), "repeat"))
        .does("Which block they equal.", |o, v| o.dedupe_set = v.word() == "working_set"),
    buffer(row("dedupe_working_set_percentage", Kind::Int(0, 100), "5"))
        .does("Size of that set in percent of the blocks of size.", |o, v| o.dedupe_set_percentage = v.natural()),
    buffer(row("dedupe_global", Kind::Bool, "0"))
        .does("With dedupe_mode=working_set all jobs draw from one set, so that blocks of different files are equal too.", |o, v| o.dedupe_global = v.on()),
    buffer(row("invalidate", Kind::Bool, "1")).does("Drops the files from the page cache before the job, and before each further pass over them.", |o, v| o.invalidate = v.on()),
    // Pace.
    pace(row("rate", Kind::Sizes(0), "0"))
        .does("Bytes a second a clone, by direction.", |o, v| v.onto(&mut o.rate)),
    pace(row("rate_min", Kind::Sizes(0), "0")).also(&["ratemin"]).does("Least bytes a second, by direction; a job that does less over a rate_cycle ends with EIO, its first two seconds apart.", |o, v| v.onto(&mut o.bounds.rate_min)),
    pace(row("rate_iops", Kind::Ints(i64::MAX), "0"))
        .does("I/Os a second a clone, by direction.", |o, v| v.onto(&mut o.rate_iops)),
    pace(row("rate_iops_min", Kind::Ints(i64::MAX), "0")).does("Least I/Os a second, by direction; a job that does fewer over a rate_cycle ends with EIO, its first two seconds apart.", |o, v| v.onto(&mut o.bounds.rate_iops_min)),
    pace(row("rate_process", Kind::Choice(&[("linear", "Evenly"), ("poisson", "As a Poisson process")]), "linear"))
        .does("How paced I/Os are spaced.", |o, v| o.poisson = v.word() == "poisson"),
    pace(row("rate_cycle", MILLISECONDS, "1000")).also(&["ratecycle"]).does("Time over which the least rates are looked at.", |o, v| o.bounds.rate_cycle = v.time()),
    pace(row("rate_ignore_thinktime", Kind::Bool, "0"))
        .does("A rate does not make up for think time.", |o, v| o.time.rate_ignore_thinktime = v.on()),
    pace(row("thinktime", MICROSECONDS, "0")).does("Pause between I/Os, once the queue has run empty.", |o, v| o.time.thinktime = v.time()),
    pace(row("thinktime_spin", MICROSECONDS, "0")).does("Part of the pause that burns CPU.", |o, v| o.time.thinktime_spin = v.time()),
    pace(row("thinkcycles", COUNT, "0")).refused("give thinktime with thinktime_spin, in microseconds", "CPU cycles between I/Os."),
    pace(row("thinktime_blocks", COUNT, "1")).does("I/Os between pauses.", |o, v| o.time.thinktime_blocks = Some(v.small()).filter(|&blocks| blocks > 1)),
    pace(row("thinktime_blocks_type", Kind::Choice(&[("complete", "Those that are done"), ("issue", "Those that were issued")]), "complete"))
        .does("Which I/Os count.", |o, v| o.time.thinktime_issued = v.word() == "issue"),
    pace(row("thinktime_iotime", MICROSECONDS, "0")).does("Time of work between pauses.", |o, v| o.time.thinktime_iotime = v.time()),
    pace(row("latency_target", MICROSECONDS, "0")).does("Latency to hold: the greatest depth up to iodepth at which it holds is searched for, run for one more latency_window, and reported.", |o, v| o.bounds.latency_target = v.time()),
    pace(row("latency_window", MICROSECONDS, "0")).does("Time for which each depth is tried.", |o, v| o.bounds.latency_window = v.time()),
    pace(row("latency_percentile", Kind::Floats, "100")).does("Percent of the I/Os that must be done within latency_target.", |o, v| o.bounds.set_percentile(v)),
    pace(row("latency_run", Kind::Bool, "0")).does("Goes on when the depth is found, and follows where it moves; all depths count.", |o, v| o.bounds.latency_run = v.on()),
    pace(row("max_latency", Kind::Shape(Shape::EachTime), "0")).does("Ends the job with ETIMEDOUT at the first I/O that takes longer; by direction.", |o, v| o.bounds.set_max_latency(v)),
    // Verification and trims.
    verify(row("verify", Kind::Choice(PROOFS), "0"))
        .does("Checks what is read against what was written.", |o, v| o.verify.kind = v.word()),
    verify(row("do_verify", Kind::Bool, "1")).does("Reads back what was written, once all of it is.", |o, v| o.verify.reads_back = v.on()),
    verify(row("verify_only", Kind::Flag, YES_NO)).does("Writes nothing: checks what an earlier run of the same job wrote.", |o, v| o.verify.only = v.on()),
    verify(row("verify_policy", Kind::Choice(POLICIES), "completed")).does("Which writes a saved state says are there.", |o, v| o.verify.flushed = v.word() == "fsynced"),
    verify(row("verify_offset", Kind::Size(0), "0")).does("Place of the header in each interval.", |o, v| o.verify.offset = v.natural()),
    verify(row("verify_interval", Kind::Size(0), "0")).does("Length that has a header of its own; 0, or one that does not divide every block: the greatest that does.", |o, v| o.verify.interval = v.natural()),
    verify(row("verify_pattern", Kind::Shape(Shape::Pattern), "")).does("Pattern to write and to check, as buffer_pattern; %o is the place of the block. Without verify it stands after a header, as with verify=pattern_hdr.", shaped!(verify.pattern = Pattern)),
    verify(row("verify_pattern_interval", Kind::Size(0), "0"))
        .does("Length after which the pattern begins anew within a block, with %o as the place where it does; 0: only with each block.", |o, v| o.verify.pattern_interval = v.natural()),
    verify(row("verify_fatal", Kind::Bool, "0")).does("The first block that is wrong ends the job; fio 3.33 does that with 0 too, unless continue_on_error=verify.", |o, v| o.verify.fatal = v.on()),
    verify(row("verify_dump", Kind::Bool, "0")).nearly(DUMPED, "Writes each interval that is wrong, with verify=pattern each block, to files named after its file and place: .received, or .hdr_fail where the header is, and .expected.", |o, v| o.verify.dump = v.on()),
    verify(row("verify_async", COUNT, "0")).nearly("each worker checks what it has read itself", "Threads that check.", |_, _| {}),
    verify(row("verify_async_cpus", Kind::Cpus, "")).nearly("each worker checks what it has read itself", "CPUs of the threads that check.", |_, _| {}),
    verify(row("verify_backlog", Kind::Size(0), "0")).does("Writes after which blocks are read back meanwhile.", |o, v| o.verify.backlog = v.small()),
    verify(row("verify_backlog_batch", COUNT, "0")).does("Blocks read back in one round; 0: all.", |o, v| o.verify.batch = v.small()),
    verify(row("verify_state_save", Kind::Bool, "0")).does("Keeps in local-NAME-NUMBER-verify.state how far the job came: fio at its end, plimsoll while it writes, so that a killed run leaves it behind. Here only where it is typed, and in a format of its own, which fio does not read.", |o, v| o.verify.state_save = v.on()),
    verify(row("verify_state_load", Kind::Bool, "0")).does("Checks what the saved state says was written, and no more; with verify_only, or in a job that reads. A state of fio is read too, for a job in order: its random places are its own.", |o, v| o.verify.state_load = v.on()),
    verify(row("experimental_verify", Kind::Bool, "0")).nearly("blocks are always checked against a table of the last writes", "Another way of checking.", |_, _| {}),
    verify(row("verify_write_sequence", Kind::Bool, "1")).nearly("the number of the write is always checked where it is known", "Checks the number of the write.", |_, _| {}),
    verify(row("verify_header_seed", Kind::Bool, "1")).nearly("what an earlier run left is always distinguished if it is known", "Checks the seed in the header.", |_, _| {}),
    verify(row("trim_percentage", Kind::Int(0, 100), "0")).does("Percent of the verified writes that are trimmed again; needs verify and trim_backlog.", |o, v| o.verify.trim_percentage = v.natural() as u8),
    verify(row("trim_verify_zero", Kind::Bool, "1")).does("What was trimmed must read as zeros; 0: it is not read.", |o, v| o.verify.trim_zero = v.on()),
    verify(row("trim_backlog", Kind::Size(0), "0")).does("Writes after which those drawn of them are trimmed.", |o, v| o.verify.trim_backlog = v.small()),
    verify(row("trim_backlog_batch", COUNT, "0")).does("Trims that need no round of their own; a round lasts until no block waits, as in fio, and what is left of the batch follows its writes at once. 0: trim_backlog.", |o, v| o.verify.trim_batch = v.small()),
    // Steady state.
    steady(row("steadystate", Kind::Shape(Shape::Steady), "")).also(&["ss"])
        .does("Ends the step when the rate is steady: iops, iops_slope, bw or bw_slope, and a bound.", shaped!(steady.rule = Steady)),
    steady(row("steadystate_duration", SECONDS, "0")).also(&["ss_dur"]).does("For how long, in whole check intervals; a slope needs two.", |o, v| o.steady.duration = v.time()),
    steady(row("steadystate_ramp_time", SECONDS, "0")).also(&["ss_ramp"]).does("Time before it is looked at.", |o, v| o.steady.ramp = v.time()),
    steady(row("steadystate_check_interval", SECONDS, "1")).also(&["ss_interval"]).does("How often it is looked at.", |o, v| o.steady.every = v.time()),
    // Zones and placement.
    zone(row("zonemode", Kind::Choice(&[("none", "No zones"), ("strided", "Pieces with gaps between them"), ("zbd", "Zones of a zoned device, each written at its write pointer")]), "none"))
        .does("Whether I/O goes to the region piece by piece.", |o, v| {
            o.strided = v.word() == "strided";
            o.zoned_device = v.word() == "zbd";
        }),
    zone(row("zonerange", Kind::Size(0), "0")).does("Length of a piece; 0: zonesize.", |o, v| o.zonerange = v.natural()),
    zone(row("zonesize", Kind::Size(0), "0")).does("Bytes done in a piece.", |o, v| o.zonesize = v.natural()),
    zone(row("zonecapacity", Kind::Size(0), "0")).nearly(ZONES, "Usable bytes of a zone.", |_, _| {}),
    zone(row("zoneskip", Kind::Size(0), "0")).does("Bytes left out between two pieces.", |o, v| o.zoneskip = v.natural()),
    zone(row("read_beyond_wp", Kind::Bool, "0")).nearly(ZONES, "Reads beyond the write pointer.", |_, _| {}),
    zone(row("max_open_zones", COUNT, "0")).nearly(ZONES, "Zones open at a time.", |_, _| {}),
    zone(row("job_max_open_zones", COUNT, "0")).nearly(ZONES, "Zones a job has open at a time.", |_, _| {}),
    zone(row("ignore_zone_limits", Kind::Bool, "0")).nearly(ZONES, "Passes over the device's limit of open zones.", |_, _| {}),
    zone(row("zone_reset_threshold", Kind::Floats, "")).nearly(ZONES, "Share of written blocks at which zones are reset.", |_, _| {}),
    zone(row("zone_reset_frequency", Kind::Floats, "")).nearly(ZONES, "How often zones are reset.", |_, _| {}),
    zone(row("recover_zbd_write_error", Kind::Bool, "0")).nearly(ZONES, "Goes on after a failed write.", |_, _| {}),
    zone(row("write_zone_remainder", Kind::Bool, "0")).nearly(ZONES, "Fills the rest of a zone.", |_, _| {}),
    zone(row("fdp", Kind::Bool, "0")).refused(PLACEMENT, "Flexible data placement."),
    zone(row("dataplacement", Kind::Text, "none")).also(&["data_placement"]).refused(PLACEMENT, "Kind of data placement."),
    zone(row("plid_select", Kind::Text, "roundrobin")).also(&["fdp_pli_select"]).refused(PLACEMENT, "How a placement is chosen."),
    zone(row("plids", Kind::Text, "")).also(&["fdp_pli"]).refused(PLACEMENT, "Placements to use."),
    zone(row("dp_scheme", Kind::Text, "")).refused(PLACEMENT, "File with placements by offset."),
    // Replay.
    replay(row("write_iolog", Kind::Path, ""))
        .does("Records each I/O as it is issued, in a trace of version 3. Clones that name one file stand in it one after the other.", |o, v| o.trace.write = Some(v.text().to_owned())),
    replay(row("read_iolog", Kind::Path, ""))
        .does("Replays a trace: fio's own of version 2 or 3, or the kernel's of blktrace; - is standard input. Of several, separated by colons, each clone has one.", |o, v| o.trace.read = Some(v.text().to_owned())),
    replay(row("read_iolog_chunked", Kind::Bool, "0"))
        .does("Reads the trace piece by piece while it is replayed, after one look at all of it.", |o, v| o.trace.chunked = v.on()),
    replay(row("merge_blktrace_file", Kind::Text, "")).refused(MERGING, "File of merged traces."),
    replay(row("merge_blktrace_scalars", Kind::Floats, "")).refused(MERGING, "Time factors of merged traces."),
    replay(row("merge_blktrace_iters", Kind::Floats, "")).refused(MERGING, "Repeats of merged traces."),
    replay(row("replay_no_stall", Kind::Bool, "0")).does("Replays without the pauses of the trace.", |o, v| o.trace.no_stall = v.on()),
    replay(row("replay_time_scale", AT_LEAST_ONE, "100"))
        .does("Speed of the replay in percent of the recorded one: 50 takes twice the time.", |o, v| o.trace.time_scale = v.natural()),
    replay(row("replay_redirect", Kind::Path, ""))
        .does("File or device that stands for all that the trace names.", |o, v| o.trace.redirect = Some(v.text().to_owned())),
    replay(row("replay_align", Kind::Size(1), "")).does("What offsets are rounded down to, a power of 2.", |o, v| o.trace.align = v.natural()),
    replay(row("replay_scale", COUNT, "1")).does("Divides the offsets, before they are aligned.", |o, v| o.trace.scale = v.natural()),
    replay(row("replay_skip", Kind::Text, ""))
        .does("Kinds of I/O to leave out, separated by commas: read, write, trim, sync; of any trace, where fio heeds it in those of blktrace alone.", |o, v| o.trace.skip = Some(v.text().to_owned())),
    // Measurement and reporting.
    report(row("per_job_logs", Kind::Bool, "1")).does("A log file for each clone, not one for all that share a prefix.", |o, v| o.logs.per_job = v.on()),
    report(row("group_reporting", Kind::Flag, YES_NO)).does("One report a group instead of one a clone.", |o, v| o.group_reporting = v.on()),
    report(row("stats", Kind::Bool, "1")).does("Reports the job.", |o, v| o.stats = v.on()),
    report(row("write_bw_log", Kind::Prefix, ""))
        .does("Log of bandwidth. Without a prefix it has the job's name.", |o, v| o.logs.bandwidth = Some(v.text().to_owned())),
    report(row("write_lat_log", Kind::Prefix, ""))
        .does("Logs of slat, clat and lat, as far as they are measured.", |o, v| o.logs.latency = Some(v.text().to_owned())),
    report(row("write_hist_log", Kind::Prefix, ""))
        .does("Log of histograms of clat; log_hist_msec says how often.", |o, v| o.logs.histogram = Some(v.text().to_owned())),
    report(row("write_iops_log", Kind::Prefix, "")).does("Log of rates.", |o, v| o.logs.iops = Some(v.text().to_owned())),
    report(row("log_entries", Kind::Int(1024, u32::MAX as i64), "1024")).does("Rows to reserve; no effect, since rows are written as they come.", |_, _| {}),
    report(row("log_avg_msec", MILLISECONDS, "0")).does("Length of the windows of logs; 0: a row an I/O.", |o, v| o.logs.window = v.time()),
    report(row("log_hist_msec", MILLISECONDS, "0")).does("Time between two rows of histograms.", |o, v| o.logs.histogram_every = v.time()),
    report(row("log_hist_coarseness", Kind::Int(0, 6), "0"))
        .does("How many times neighbouring buckets of a histogram are put together.", |o, v| o.logs.coarseness = v.small()),
    report(row("log_window_value", Kind::Choice(LOG_VALUES), "avg"))
        .also(&["log_max_value"])
        .does("What a row of a window holds: the mean, the greatest, or both.", |o, v| o.logs.set_value(v)),
    report(row("log_offset", Kind::Bool, "0")).does("A column with the byte offset.", |o, v| o.logs.offset = v.on()),
    report(row("log_prio", Kind::Bool, "0")).does("A column of the logs with the priority, as a hexadecimal number.", |o, v| o.logs.priority = v.on()),
    report(row("log_issue_time", Kind::Bool, "0"))
        .does("A column with the time of issue; needs log_offset and write_lat_log.", |o, v| o.logs.issue_time = v.on()),
    report(row("log_compression", Kind::Size(1024), "")).nearly(PACKED, "Memory at which rows are compressed.", |_, _| {}),
    report(row("log_compression_cpus", Kind::Cpus, "")).nearly(PACKED, "CPUs that compress.", |_, _| {}),
    report(row("log_store_compressed", Kind::Bool, "0")).nearly("log files are plain text, PREFIX_KIND.N.log, not packed ones that end with .fz", "Leaves the files compressed.", |_, _| {}),
    report(row("log_alternate_epoch", Kind::Bool, "0"))
        .also(&["log_unix_epoch"])
        .does("Times in logs since 1970 instead of since the job's start.", |o, v| o.logs.wall_clock = v.on()),
    report(row("log_alternate_epoch_clock_id", COUNT, "0")).nearly("log_alternate_epoch counts from 1970 by the wall clock", "Clock of log_alternate_epoch.", |_, _| {}),
    report(row("block_error_percentiles", Kind::Bool, "0")).nearly("errors of trims are counted with the others, and no histogram of them is printed", "Histogram of trim errors.", |_, _| {}),
    report(row("bwavgtime", MILLISECONDS, "500"))
        .does("Length of the intervals behind the bw and iops lines.", |o, v| o.bwavgtime = v.time()),
    report(row("iopsavgtime", MILLISECONDS, "500")).nearly("bwavgtime is the interval of both lines", "Length of the intervals behind the iops line.", |_, _| {}),
    report(row("disk_util", Kind::Bool, "1")).does("Reports the disks' counters.", |o, v| o.disk_util = v.on()),
    report(row("disable_lat", Kind::Bool, "0")).does("Leaves out the whole latency.", |o, v| o.lat = !v.on()),
    report(row("disable_clat", Kind::Bool, "0")).does("Leaves out the completion latency.", |o, v| o.clat = !v.on()),
    report(row("disable_slat", Kind::Bool, "0")).does("Leaves out the submission latency.", |o, v| o.slat = !v.on()),
    report(row("disable_bw_measurement", Kind::Bool, "0"))
        .also(&["disable_bw"])
        .does("Leaves out rows of single I/Os in a bandwidth log; as in fio the lines of the report stay.", |o, v| o.windows = !v.on()),
    report(row("slat_percentiles", Kind::Bool, "0")).does("Percentiles of submission.", |o, v| o.slat_percentiles = v.on()),
    report(row("clat_percentiles", Kind::Bool, "1")).does("Percentiles of completion.", |o, v| o.clat_percentiles = v.on()),
    report(row("lat_percentiles", Kind::Bool, "0")).does("Percentiles of the whole latency.", |o, v| o.lat_percentiles = v.on()),
    report(row("percentile_list", Kind::Floats, "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99"))
        .does("Percentiles to print, separated by colons.", |o, v| o.set_percentiles(v)),
    report(row("significant_figures", Kind::Int(1, 10), "4"))
        .does("Significant digits of rates in the text.", |o, v| o.significant_figures = v.small()),
    report(row("unified_rw_reporting", Kind::Choice(&[("none", "One block a direction"), ("0", "One block a direction"), ("mixed", "One block"), ("1", "One block"), ("both", "Both"), ("2", "Both")]), "none"))
        .does("Whether directions are reported together.", |o, v| o.unified = UnifiedReport::named(v.word()))
        .harmless(&["0"]),
    report(row("gtod_reduce", Kind::Bool, "0")).does("Leaves out every latency.", |o, v| o.reduce_clock(v)),
    report(row("gtod_cpu", COUNT, "")).nearly("each worker reads the clock itself", "CPU that reads the clock for all.", |_, _| {}),
    report(row("clocksource", Kind::Choice(&[("gettimeofday", "By gettimeofday"), ("clock_gettime", "By clock_gettime"), ("cpu", "The CPU's counter")]), ""))
        .nearly("the monotonic clock of the kernel serves always", "Clock to measure by.", |_, _| {}),
    report(row("kb_base", Kind::Choice(&[("1024", "k is 1024"), ("1000", "k is 1000")]), "1024"))
        .does("What a bare k stands for, and which units come first in the text.", |o, v| {
            o.kb_base = if v.word() == "1000" { KbBase::Decimal } else { KbBase::Binary };
        }),
    report(row("unit_base", Kind::Choice(&[("0", "By the engine"), ("8", "Bytes"), ("1", "Bits")]), "0"))
        .does("Whether rates are printed in bytes or in bits.", |o, v| o.bits = v.word() == "1")
        .harmless(&["8"]),
    // Errors.
    error(row("continue_on_error", Kind::Choice(&[("none", "Never"), ("read", "After reads"), ("write", "After writes"), ("io", "After both"), ("verify", "After failed checks"), ("all", "Always"), ("0", "Never"), ("1", "Always")]), "none"))
        .does("Goes on after EIO and EILSEQ, or after failed checks, which end the job otherwise.", |o, v| o.time.set_continue(v.word())),
    error(row("ignore_error", Kind::Shape(Shape::Errors), ""))
        .does("Goes on after these errors, by name or number: lists for reads, writes and checks.", shaped!(time.ignore_error = Errors)),
    error(row("error_dump", Kind::Bool, "0")).does("Names each error that is passed over, too.", |o, v| o.time.error_dump = v.on()),
    // Former names.
    job(row("percentage_sequential", Kind::Ints(100), "")).refused("fio refuses it too; give percentage_random, 100 less that", "Old name."),
    job(row("verifysort", Kind::Bool, "")).nearly(VERIFY, "Old name.", |_, _| {}),
    job(row("verifysort_nr", COUNT, "")).nearly(VERIFY, "Old name.", |_, _| {}),
    job(row("rwmixcycle", COUNT, "")).refused("fio refuses it too; rwmixread is the share of reads of a mix", "Old name."),
    job(row("flow_watermark", COUNT, "")).nearly("it has no meaning any more, in fio neither: no effect; flow is the weight of a job", "Old name.", |_, _| {}),
    // Options of fio's built-in profiles: fio accepts them in every job, and ignores them.
    profile(row("threads", COUNT, "")).nearly("it belongs to a profile of fio's and has no effect on a job; numjobs or thread is probably meant", "No effect on a job.", |_, _| {}),
    profile(row("numruns", COUNT, "")).nearly("it belongs to a profile of fio's and has no effect on a job; loops is probably meant", "No effect on a job.", |_, _| {}),
    profile(row("block", Kind::Text, "")).nearly("fio passes over it in a job, and so does this: no effect; bs is probably meant", "No effect on a job.", |_, _| {}),
    profile(row("dir", Kind::Text, "")).refused("fio passes over it in a job, whose I/O then goes elsewhere; directory is probably meant", "No effect on a job."),
    profile(row("device-names", Kind::Text, "")).refused("fio passes over it in a job, whose I/O then goes elsewhere; filename is probably meant", "No effect on a job."),
    profile(row("test-duration", Kind::Text, "")).nearly("fio passes over it in a job, and so does this: no effect; runtime is probably meant", "No effect on a job.", |_, _| {}),
    profile(row("threads-per-queue", Kind::Text, "")).nearly("fio passes over it in a job, and so does this: no effect; numjobs is probably meant", "No effect on a job.", |_, _| {}),
    profile(row("load", Kind::Text, "")).nearly("fio passes over it in a job, and so does this: no effect", "No effect on a job.", |_, _| {}),
    profile(row("prep", Kind::Text, "")).nearly("fio passes over it in a job, and so does this: no effect", "No effect on a job.", |_, _| {}),
    profile(row("read-req-num-512-blocks", Kind::Text, "")).nearly("fio passes over it in a job, and so does this: no effect; bs is probably meant", "No effect on a job.", |_, _| {}),
    profile(row("large-block-op-kbytes", Kind::Text, "")).nearly("fio passes over it in a job, and so does this: no effect; bs is probably meant", "No effect on a job.", |_, _| {}),
    // Options of engines.
    within(Part::Engine(&["io_uring", "pvsync2"]), row("hipri", Kind::Flag, YES_NO))
        .nearly("io_uring: ends are looked for without sleeping, the device still interrupts; pvsync2: a call waits as ever", "Polls for completions.", |o, v| o.ring.hipri = v.on()),
    ring(row("fixedbufs", Kind::Flag, YES_NO)).nearly("buffers are registered wherever the kernel can", "Registers the buffers.", |_, _| {}),
    ring(row("registerfiles", Kind::Flag, YES_NO)).nearly("files are registered wherever the kernel can", "Registers the files.", |_, _| {}),
    ring(row("sqthread_poll", Kind::Flag, YES_NO))
        .does("A thread of the kernel submits; to wait, fio looks again and again, and plimsoll makes a call.", |o, v| o.ring.thread = v.on()),
    ring(row("sqthread_poll_cpu", COUNT, "")).does("CPU of that thread.", |o, v| o.ring.cpu = Some(v.small())),
    ring(row("nonvectored", Kind::Int(-1, u32::MAX as i64), "-1")).nearly("commands are never vectored", "Commands without vectors.", |_, _| {}),
    within(Part::Engine(&["io_uring", "libaio", "pvsync2"]), row("nowait", Kind::Bool, "0"))
        .does("Fails I/Os that would have to wait, with EAGAIN.", |o, v| o.calls.nowait = v.on()),
    within(Part::Engine(&["io_uring", "pvsync2"]), row("uncached", COUNT, "0"))
        .does("The page cache forgets at once what went through it.", |o, v| o.calls.uncached = v.natural() > 0),
    ring(row("force_async", COUNT, "0")).does("Hands every Nth I/O to a thread of the kernel at once.", |o, v| o.calls.force_async = v.small()),
    prioritised(row("cmdprio_percentage", Kind::Ints(100), "0")).does("Percent of the I/Os that have a priority of their own, by direction.", |o, v| v.onto(&mut o.time.cmdprio_percentage)),
    prioritised(row("cmdprio_class", Kind::Ints(3), "1")).does("Class of that priority: 1 real time, which needs root, 2 best effort, 3 idle.", |o, v| v.onto(&mut o.time.cmdprio_class)),
    prioritised(row("cmdprio", Kind::Ints(7), "0")).does("Level of that priority within its class, 0 first.", |o, v| v.onto(&mut o.time.cmdprio)),
    prioritised(row("cmdprio_hint", Kind::Text, "")).refused(PRIORITY, "Hint of single commands."),
    prioritised(row("cmdprio_bssplit", Kind::Shape(Shape::Priorities), "")).does("Percent of the I/Os of each length that have a priority of their own: cmdprio_class and cmdprio, or the class and level after it.", |o, v| o.time.set_priorities(v)),
    ring(row("cmd_type", Kind::Choice(&[("nvme", "Of NVMe"), ("bsg", "Of SCSI")]), "nvme")).nearly(COMMANDS, "Kind of the commands that are passed through.", |_, _| {}),
    ring(row("readfua", Kind::Bool, "0")).nearly(COMMANDS, "Reads past the device's cache.", |_, _| {}),
    ring(row("writefua", Kind::Bool, "0")).nearly("only commands that io_uring_cmd sends carry it: no effect; sync=dsync makes each write stable", "Writes through the device's cache.", |_, _| {}),
    ring(row("write_mode", Kind::Shape(Shape::Commands(WRITE_MODES)), "write")).nearly(COMMANDS, "Kind of the device's write command, or several with their percentages.", |_, _| {}),
    ring(row("read_mode", Kind::Choice(&[("read", "Reads"), ("prefetch", "Fetches into the device's cache")]), "read")).nearly(COMMANDS, "Kind of the device's read command.", |_, _| {}),
    ring(row("cdb_len", Kind::Choice(&[("0", "The shortest that will do"), ("10", "10 bytes"), ("16", "16 bytes"), ("32", "32 bytes")]), "0")).nearly(COMMANDS, "Length of a SCSI command.", |_, _| {}),
    ring(row("verify_bytchk", Kind::Choice(&[("0", "The medium"), ("1", "All data"), ("3", "One block of data")]), "0")).nearly(COMMANDS, "What the device compares when it verifies.", |_, _| {}),
    ring(row("verify_mode", Kind::Choice(&[("read", "Reads"), ("compare", "Compares")]), "read")).nearly(COMMANDS, "Kind of the device's command that verifies.", |_, _| {}),
    ring(row("deac", Kind::Bool, "0")).nearly(COMMANDS, "Deallocates what is written as zeros.", |_, _| {}),
    ring(row("md_per_io_size", COUNT, "0")).refused(METADATA, "Bytes of metadata an I/O."),
    ring(row("pi_act", Kind::Bool, "1")).refused(METADATA, "Lets the device make and strip protection information."),
    ring(row("pi_chk", Kind::Text, "")).refused(METADATA, "Which protection information is checked."),
    ring(row("apptag", COUNT, "0x1234")).refused(METADATA, "Application tag of the protection information."),
    ring(row("apptag_mask", COUNT, "0xffff")).refused(METADATA, "Mask of the application tag."),
    within(Part::Engine(&["mmap"]), row("thp", Kind::Bool, "0"))
        .nearly("nothing is mapped, so no huge page either", "Huge pages for the mapping.", |_, _| {}),
    within(Part::Engine(&["libaio"]), row("userspace_reap", Kind::Flag, YES_NO))
        .nearly("completions are taken as the backend sees fit", "Takes completions without a system call.", |_, _| {}),
    within(Part::Engine(&["libaio"]), row("libaio_vectored", Kind::Bool, "0"))
        .nearly("commands are never vectored", "Commands with vectors.", |_, _| {}),
    within(Part::Engine(&["pvsync2"]), row("hipri_percentage", Kind::Int(0, 100), "100"))
        .nearly("a call waits as ever", "Percent of I/Os that are polled.", |_, _| {}),
];
