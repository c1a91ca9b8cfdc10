//! Profiles: the built-in ones are read and run, and errors in a text are reported with line and column.

use experiments::{Layout, Profile, ProfileTable, Writes, profile_names, profile_text};
use record::{Interval, Observer, Sample};
use session::{VirtualRunner, conduct};
use volumes::SimulatedVolume;
use workload::{Bytes, Direction, Nanos, PolicyName};

struct Nobody;

impl Observer for Nobody {
    fn interval(&mut self, _: &Interval) {}
    fn sample(&mut self, _: &Sample) {}
    fn interrupted(&self) -> bool {
        false
    }
}

#[test]
fn every_built_in_profile_runs_to_its_end_on_a_simulated_volume() {
    for name in profile_names() {
        let profile = Profile::builtin(name).unwrap();
        assert!(!profile.about.is_empty() && !profile.measures.is_empty() && !profile.left_out.is_empty());
        let volume = SimulatedVolume::new(&PolicyName::parse("aws-gp3").unwrap()).unwrap();
        let mut runner = VirtualRunner::new(volume);
        let next = |done: &[_]| profile.next_step((Writes::Measured, Layout::None), done);
        let (records, failed) = conduct(&next, &mut runner, &mut Nobody);
        assert!(failed.is_none(), "{name}: {failed:?}");
        assert_eq!(records.len(), profile.steps.len(), "{name}");
        for (record, step) in records.iter().zip(&profile.steps) {
            let (reads, writes) = (record.tally(Direction::Read).ops, record.tally(Direction::Write).ops);
            assert!(reads + writes > 100, "{name}, {}: {reads} reads, {writes} writes", step.name);
            assert_eq!(writes > 0, step.writes(), "{name}, {}", step.name);
        }
    }
}

#[test]
fn crystaldiskmark_has_the_four_cells_in_three_ways() {
    let profile = Profile::builtin("CrystalDiskMark").unwrap();
    assert_eq!(profile.table, ProfileTable::CrystalDiskMark);
    let cells: Vec<_> = profile
        .steps
        .iter()
        .map(|step| {
            (step.jobs[0].access.mix.read_percent(), step.jobs[0].blocks.longest(), step.jobs[0].depth)
        })
        .collect();
    let four = [(Bytes::MIB, 8), (Bytes::MIB, 1), (Bytes::kib(4), 32), (Bytes::kib(4), 1)];
    let wanted: Vec<_> =
        [100, 0, 70].iter().flat_map(|&share| four.map(|(block, depth)| (share, block, depth))).collect();
    assert_eq!(cells, wanted);
    assert!(profile.steps.iter().all(|step| step.time == Nanos::from_secs(5)));
}

#[test]
fn only_what_reads_is_left_where_nothing_may_be_written() {
    let profile = Profile::builtin("crystaldiskmark").unwrap();
    assert_eq!(profile.permitted(Writes::LeftOut).count(), 4);
    assert_eq!(Profile::builtin("database").unwrap().permitted(Writes::LeftOut).count(), 0);
}

const RIGHT: &str = "title = \"mine\"\n[[step]]\nname = \"one\"\ntime = \"1s\"\n[[step.job]]\norder = \"random\"\nread = 70\nblock = \"4KiB\"\ndepth = 8\n";

#[test]
fn what_is_left_open_has_a_default_and_what_is_written_holds() {
    let profile = Profile::read("mine.toml", RIGHT).unwrap();
    let job = &profile.steps[0].jobs[0];
    assert_eq!((job.depth, job.clones, job.blocks.longest_of(Direction::Write)), (8, 1, Bytes::kib(4)));
    assert_eq!(job.name, "one");
    assert_eq!(profile.lasting(Nanos::from_secs(3)).steps[0].time, Nanos::from_secs(3));
    let both = RIGHT.replace("block = \"4KiB\"", "read_block = \"8KiB\"\nwrite_block = \"64KiB\"");
    let profile = Profile::read("mine.toml", &both).unwrap();
    let lengths =
        [Direction::Read, Direction::Write].map(|way| profile.steps[0].jobs[0].blocks.longest_of(way));
    assert_eq!(lengths, [Bytes::kib(8), Bytes::kib(64)]);
}

/// Errors in a profile: the text replaced, its replacement, where the error is reported, and words of the message.
const WRONG: &[(&str, &str, &str, &[&str])] = &[
    ("title = \"mine\"\n", "", "line 1, column 1", &["missing field 'title'"]),
    ("read = 70", "read = 170", "line 7, column 8", &["170", "between 0 and 100"]),
    ("read = 70", "read = \"70\"", "line 7, column 8", &["invalid type"]),
    ("read = 70", "read = 700", "line 7, column 8", &["invalid value"]),
    ("read = 70\n", "", "line 5, column 1", &["missing field 'read'"]),
    ("\"random\"", "\"randon\"", "line 6, column 9", &["unknown variant 'randon'", "did you mean 'random'?"]),
    ("block", "blok", "line 8, column 1", &["unknown field 'blok'", "did you mean 'block'?"]),
    ("block = \"4KiB\"\n", "", "line 5, column 1", &["names no block", "block = \"4KiB\""]),
    ("\"4KiB\"", "\"4KB!\"", "line 8, column 9", &["4KB!"]),
    ("\"4KiB\"", "\"100\"", "line 8, column 9", &["multiple of 512 B"]),
    ("\"4KiB\"", "\"1GiB\"", "line 8, column 9", &["longer than 64 MiB"]),
    ("depth = 8", "depth = 0", "line 9, column 9", &["depth of 0", "between 1 and 4096"]),
    ("depth = 8", "depth = 8\nworkers = 9999", "line 10, column 11", &["workers of 9999"]),
    ("depth = 8", "rate = -5.0", "line 9, column 8", &["rate of -5", "I/Os a second"]),
    ("depth = 8", "flush_every = 0", "line 9, column 15", &["number of writes of 0"]),
    ("time = \"1s\"", "time = \"soon\"", "line 4, column 8", &["soon"]),
    ("time = \"1s\"", "time = \"0s\"", "line 4, column 8", &["no time"]),
    ("[[step.job]]", "[[step.jobs]]", "line 5, column 8", &["unknown field 'jobs'", "did you mean 'job'?"]),
    ("name = \"one\"", "name = \" \"", "line 3, column 8", &["needs a name"]),
    ("name = \"one\"", "name = one", "line 3, column 8", &["string"]),
    ("[[step]]", "[[step]", "line 2, column 8", &["]"]),
    ("depth = 8", "depth = 8\n[[step]]\nname = \"one\"\njob = []", "line 10, column 1", &["no job"]),
];

#[test]
fn a_wrong_profile_is_told_with_line_and_column() {
    for (right, wrong, place, words) in WRONG {
        let text = RIGHT.replacen(right, wrong, 1);
        assert_ne!(text, RIGHT, "'{right}' is in the text");
        let told = Profile::read("mine.toml", &text).unwrap_err().to_string();
        assert!(told.starts_with(&format!("mine.toml, {place}: ")), "{wrong}: {told}, not {place}");
        for word in *words {
            assert!(told.contains(word), "{wrong}: {told}, without '{word}'");
        }
    }
    let twice = format!("{RIGHT}{}", RIGHT.split_once('\n').unwrap().1);
    let told = Profile::read("mine.toml", &twice).unwrap_err().to_string();
    assert!(told.contains("line 11") && told.contains("two steps are called 'one'"), "{told}");
}

#[test]
fn all_mistakes_of_a_profile_are_told_at_once() {
    let wrong = RIGHT
        .replace("title = \"mine\"", "titel = \"mine\"")
        .replace("\"random\"", "\"randon\"")
        .replace("read = 70", "read = 170")
        .replace("depth = 8", "depht = 8\nrate = -5");
    let told = Profile::read("mine.toml", &wrong).unwrap_err().to_string();
    for words in [
        "line 1, column 1: unknown field 'titel'; did you mean 'title'?",
        "line 6, column 9: unknown variant 'randon'",
        "line 7, column 8: invalid value: a percent of reads of 170",
        "line 9, column 1: unknown field 'depht'; did you mean 'depth'?",
        "line 10, column 8: a rate of -5",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("missing field"), "{told}");
    assert_eq!(told.matches("line ").count(), 5, "{told}");
    let twice = Profile::read("mine.toml", "title = mine\n[[step]\n").unwrap_err().to_string();
    assert!(twice.contains("line 1, ") && twice.contains("line 2, "), "{twice}");
}

#[test]
fn single_brackets_are_told_with_the_two_that_are_meant() {
    for (typed, meant) in [
        ("[step]\nname = \"a\"\n", "write [[step]]"),
        ("[[step]]\nname = \"a\"\n[step.job]\nread = 5\n", "write [[step.job]]"),
    ] {
        let told = Profile::read("mine.toml", &format!("title = \"t\"\n{typed}")).unwrap_err().to_string();
        assert!(told.contains(meant), "{typed}: {told}");
    }
}

/// Reads a thousand texts with bytes left out, doubled or changed: always an answer, never a panic.
#[test]
fn mutated_profiles_are_answered() {
    let mut stream = statistics::Stream::new(7, 0);
    for _ in 0..1000 {
        let mut text: Vec<u8> = profile_text("database").unwrap().bytes().collect();
        for _ in 0..3 {
            let at = stream.below(text.len() as u64) as usize;
            match stream.below(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, text[at]),
                _ => text[at] = b' ' + (stream.below(94) as u8),
            }
        }
        if let Ok(text) = String::from_utf8(text)
            && let Err(error) = Profile::read("mutated", &text)
        {
            assert!(error.to_string().contains("line "), "{error}");
        }
    }
}

#[test]
fn an_unknown_name_is_told_with_the_nearest() {
    let told = Profile::builtin("crystaldisk").unwrap_err().to_string();
    assert!(told.contains("did you mean 'crystaldiskmark'?") && told.contains("web-server"), "{told}");
}
