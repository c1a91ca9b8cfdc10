//! Command lines: each with the profile that it stands for, or refused.

use diskspd::{
    Cache, Compat, Cpu, DistributionKind, Etw, Format, MappedFlush, Range, Request, Show, Target, Throughput,
    TimeSpan,
};

use crate::vocabulary::{TICK, asked, expected, line, refusal};

type Change = fn(&mut TimeSpan, &mut Target);

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

#[test]
fn what_is_not_typed_is_what_the_rows_state() {
    let (span, target) = (TimeSpan::untyped(), Target::untyped());
    assert_eq!((span.duration, span.warm_up, span.cool_down, span.bucket_ms), (10, 5, 0, 1000));
    assert!(!span.iops && span.seed == 0);
    assert_eq!((target.block, target.requests, target.threads, target.priority), (64 << 10, 2, 1, 3));
    assert_eq!((target.weight, target.alignment, target.random, target.base), (1, None, 0, 0));
}

/// Lines that are accepted, with what they change from the defaults.
const TAKEN: &[(&str, Change)] = &[
    ("t", |_, _| ()),
    // Base and end.
    ("-B5m t", |_, t| t.base = 5 * MIB),
    ("-B5m:1m t", |_, t| (t.base, t.max) = (5 * MIB, 6 * MIB)),
    ("-B5m -f6m t", |_, t| (t.base, t.max) = (5 * MIB, 6 * MIB)),
    ("-o123 -B512k t", |_, t| (t.requests, t.base) = (123, 512 * KIB)),
    ("-c23 -f4M t", |_, t| (t.create, t.max) = (Some(23), 4 * MIB)),
    // Hints.
    ("-fs t", |_, t| t.sequential_hint = true),
    ("-fr t", |_, t| t.random_hint = true),
    ("-ft t", |_, t| t.temporary_hint = true),
    ("-frst t", |_, t| (t.random_hint, t.sequential_hint, t.temporary_hint) = (true, true, true)),
    // Random and sequential.
    ("-rs50 t", |_, t| t.random = 50),
    ("-rs50 -r8k t", |_, t| (t.random, t.alignment) = (50, Some(8 * KIB))),
    ("-r8k -rs50 t", |_, t| (t.random, t.alignment) = (50, Some(8 * KIB))),
    ("-rs50 -r t", |_, t| (t.random, t.alignment) = (50, Some(64 * KIB))),
    ("-r -rs50 t", |_, t| (t.random, t.alignment) = (50, Some(64 * KIB))),
    ("-rs100 t", |_, t| t.random = 100),
    ("-rs100 -r t", |_, t| (t.random, t.alignment) = (100, Some(64 * KIB))),
    ("-r -rs100 t", |_, t| (t.random, t.alignment) = (100, Some(64 * KIB))),
    ("-rs100 -r8k t", |_, t| (t.random, t.alignment) = (100, Some(8 * KIB))),
    ("-r8k -rs100 t", |_, t| (t.random, t.alignment) = (100, Some(8 * KIB))),
    ("-r t", |_, t| (t.random, t.alignment) = (100, Some(64 * KIB))),
    ("-r23M t", |_, t| (t.random, t.alignment) = (100, Some(23 * MIB))),
    ("-s567K t", |_, t| t.alignment = Some(567 * KIB)),
    ("-s0 t", |_, _| ()),
    ("-si t", |_, t| (t.interlocked, t.alignment) = (true, Some(64 * KIB))),
    ("-si567K t", |_, t| (t.interlocked, t.alignment) = (true, Some(567 * KIB))),
    ("-t23 -T512K t", |_, t| (t.threads, t.thread_stride) = (23, 512 * KIB)),
    ("-F4 -T1b t", |s, t| (s.threads, t.thread_stride) = (4, 64 * KIB)),
    // What is written.
    ("-Z t", |_, t| t.zero = true),
    ("-Zr t", |s, _| s.random_write_data = true),
    ("-Z2M t", |_, t| t.write_source_bytes = 2 * MIB),
    ("-Z3M,x:\\foo\\bar.baz t", |_, t| {
        (t.write_source_bytes, t.write_source) = (3 * MIB, "x:\\foo\\bar.baz".to_owned());
    }),
    ("-Z3M,a,b t", |_, t| (t.write_source_bytes, t.write_source) = (3 * MIB, "a,b".to_owned())),
    ("-Z11332000, t", |_, t| t.write_source_bytes = 11_332_000),
    // Sizes can count blocks wherever -b stands.
    ("-b4K -r2b t", |_, t| (t.block, t.random, t.alignment) = (4096, 100, Some(8192))),
    ("-r2b -b4K t", |_, t| (t.block, t.random, t.alignment) = (4096, 100, Some(8192))),
    ("-f100b -b4K t", |_, t| (t.block, t.max) = (4096, 409_600)),
    ("-b128K t", |_, t| t.block = 131_072),
    ("-b8K -b4K t", |_, t| t.block = 4096),
    // The rest.
    ("-z1234 t", |s, _| s.seed = 1234),
    ("-z t", |s, _| s.seed = TICK),
    ("-C12 -W345 t", |s, _| (s.cool_down, s.warm_up) = (12, 345)),
    ("-d12 t", |s, _| s.duration = 12),
    ("-d10s t", |s, _| s.duration = 10),
    ("-dx t", |s, _| s.duration = 0),
    ("-d5 -d7 t", |s, _| s.duration = 7),
    ("-t4x t", |_, t| t.threads = 4),
    ("-p t", |_, t| t.parallel = true),
    ("-l t", |_, t| t.large_pages = true),
    ("-L t", |s, _| s.latency = true),
    ("-x t", |s, _| s.completion_routines = true),
    ("-n t", |s, _| s.no_affinity = true),
    ("-I1 t", |_, t| t.priority = 1),
    ("-I2 t", |_, t| t.priority = 2),
    ("-I3 t", |_, _| ()),
    ("-i23 -j567 t", |_, t| (t.burst, t.think_ms) = (23, 567)),
    ("-F23 -O8 t", |s, _| (s.threads, s.requests) = (23, 8)),
    ("-D t", |s, _| s.iops = true),
    ("-D0 t", |s, _| s.iops = true),
    ("-Dx t", |s, _| s.iops = true),
    ("-D250 t", |s, _| (s.iops, s.bucket_ms) = (true, 250)),
    ("-w0 t", |_, _| ()),
    ("-w84 t", |_, t| t.write_percent = 84),
    ("-w100 t", |_, t| t.write_percent = 100),
    ("-g1000 t", |_, t| t.throughput = Throughput::BytesPerMs(1000)),
    ("-g1000i t", |_, t| t.throughput = Throughput::Iops(1000)),
    // Caches.
    ("-S t", |_, t| t.cache = Cache::Off),
    ("-Su t", |_, t| t.cache = Cache::Off),
    ("-Sb t", |_, _| ()),
    ("-Sr t", |_, t| t.cache = Cache::RemoteOnly),
    ("-Sw t", |_, t| t.write_through = true),
    ("-Sbw t", |_, t| t.write_through = true),
    ("-Suw t", |_, t| (t.cache, t.write_through) = (Cache::Off, true)),
    ("-Swu t", |_, t| (t.cache, t.write_through) = (Cache::Off, true)),
    ("-Su -Sw t", |_, t| (t.cache, t.write_through) = (Cache::Off, true)),
    ("-Sh t", |_, t| (t.cache, t.write_through) = (Cache::Off, true)),
    ("-h t", |_, t| (t.cache, t.write_through) = (Cache::Off, true)),
    ("-Sm t", |_, t| t.mapped = true),
    ("-Smw t", |_, t| (t.mapped, t.write_through) = (true, true)),
    ("-Sm -Nv t", |_, t| (t.mapped, t.mapped_flush) = (true, Some(MappedFlush::View))),
    ("-Nn -Sm t", |_, t| (t.mapped, t.mapped_flush) = (true, Some(MappedFlush::Memory))),
    ("-Sm -Ni t", |_, t| (t.mapped, t.mapped_flush) = (true, Some(MappedFlush::MemoryNoDrain))),
    // CPUs.
    ("-a t", |_, _| ()),
    ("-ag t", |_, _| ()),
    ("-a0,1,2 t", |s, _| s.affinity = cpus(&[(0, 0), (0, 1), (0, 2)])),
    ("-ag0,0,1,2 t", |s, _| s.affinity = cpus(&[(0, 0), (0, 1), (0, 2)])),
    ("-ag0,0,1,g1,0,1 t", |s, _| s.affinity = cpus(&[(0, 0), (0, 1), (1, 0), (1, 1)])),
    ("-ag0,0,1 -ag1,0,1 t", |s, _| s.affinity = cpus(&[(0, 0), (0, 1), (1, 0), (1, 1)])),
    ("-a5,g3,7 -a1 t", |s, _| s.affinity = cpus(&[(0, 5), (3, 7), (0, 1)])),
    ("-ag65535,255 t", |s, _| s.affinity = cpus(&[(65_535, 255)])),
];

fn cpus(list: &[(u16, u8)]) -> Vec<Cpu> {
    list.iter().map(|&(group, number)| Cpu { group, number }).collect()
}

/// Lines that are refused.
const REFUSED: &[&str] = &[
    // Base and end.
    "-B5m:1m -f6m t",
    "-f6m -B5m:1m t",
    "-B5m -B5m t",
    "-B5m -B6m t",
    "-B5m:1m -B5m t",
    "-f5m -f6m t",
    "-B5mx t",
    "-B5m: t",
    "-B5m:j t",
    "-B5m:1x t",
    "-B5m:1mx t",
    "-B t",
    "-B5m -f5m t",
    "-B5m -f4m t",
    "-f t",
    "-fx t",
    "-frx t",
    "-f5x t",
    // Random and sequential.
    "-s -rs50 t",
    "-rs50 -s t",
    "-s8k -rs50 t",
    "-rs50 -s8k t",
    "-s -r t",
    "-r -s t",
    "-s8k -r t",
    "-r -s8k t",
    "-s -r8k t",
    "-r8k -s t",
    "-s8k -r8k t",
    "-r8k -s8k t",
    "-s -rs50 -r t",
    "-r -s -rs50 t",
    "-r -rs50 -s8k t",
    "-rs50 -r8k -s t",
    "-s -s8k t",
    "-s8k -s t",
    "-s -s t",
    "-s8k -s8k t",
    "-r -r8k t",
    "-r8k -r t",
    "-r -r t",
    "-r8k -r8k t",
    "-r8k -r4k t",
    "-rs0 t",
    "-r -rs0 t",
    "-rs0 -r8k t",
    "-rs t",
    "-rs101 t",
    "-rsx t",
    "-rs50 -rs50 t",
    "-rs50 -rs60 t",
    "-rs100 -r -s t",
    "-rs100 -s t",
    "-r0 t",
    "-r4x t",
    "-s4x t",
    "-six t",
    "-rs50 -r8k -r4k t",
    "-r -T4k -t2 t",
    "-r -p t",
    "-rs50 -p t",
    // Uneven random places.
    "-rdpct90/10 t",
    "-s -rdpct90/10 t",
    "-r -rd t",
    "-r -rdfoo10/10 t",
    "-r -rdpct t",
    "-r -rdpct10 t",
    "-r -rdpct10/ t",
    "-r -rdpct10/0 t",
    "-r -rdpct/10 t",
    "-r -rdpct10/10: t",
    "-r -rdpct10/10x t",
    "-r -rdpct101/10 t",
    "-r -rdpct10/101 t",
    "-r -rdpct60/50:50/50 t",
    "-r -rdpct50/100 t",
    "-r -rdpct100/50 t",
    "-r -rdpct50/50:40/50 t",
    "-r -rdpct10/60:10/60 t",
    "-r -rdabs10/0 t",
    "-r -rdabs10/1K t",
    "-r -rdabs10/1Gx t",
    "-r -rdabs101/1G t",
    "-r -rdabs60/1G:50/1G t",
    "-r -rdabs10/G t",
    // Sequences of several threads.
    "-si -t2 -T4k t",
    "-si -p -t2 t",
    "-T4k t",
    "-T0 -t2 t",
    "-T -t2 t",
    // Threads.
    "-F0 t",
    "-Fx t",
    "-F -t2 t",
    "-t0 t",
    "-t t",
    "-F4 -t2 t",
    "-o0 t",
    "-ox t",
    "-o t",
    "-O0 t",
    "-F4 -O8 -g100 t",
    "-F4 -O8 -i1 -j1 t",
    "-F4 -O8 -p t",
    // Rates and pauses.
    "-g t",
    "-g0 t",
    "-g0i t",
    "-gi t",
    "-gx t",
    "-g10x t",
    "-g10I t",
    "-g100 -x t",
    "-g100i -x t",
    "-i23 t",
    "-j567 t",
    "-i0 -j1 t",
    "-i1 -j0 t",
    "-I0 t",
    "-I4 t",
    "-I t",
    "-Ix t",
    // Writes.
    "-w t",
    "-w101 t",
    "-w-1 t",
    "-Zx t",
    "-Z0 t",
    "-Z4K t",
    "-Z,file t",
    "-Zrx t",
    // Caches.
    "-Sub t",
    "-Sbu t",
    "-Sru t",
    "-Smu t",
    "-Sum t",
    "-Smh t",
    "-Shm t",
    "-Sb -h t",
    "-h -Sb t",
    "-Sm -h t",
    "-h -Sm t",
    "-Suw -h t",
    "-h -Suw t",
    "-S -Su t",
    "-Su -S t",
    "-Sb -Sb t",
    "-Sm -Sm t",
    "-Sw -Sw t",
    "-Sx t",
    "-Sm -x t",
    "-Nv t",
    "-Sm -N t",
    "-Sm -Nx t",
    "-h -h t",
    "-Sh -Sw t",
    // CPUs.
    "-ag0 t",
    "-agg t",
    "-ag,0 t",
    "-a0, t",
    "-a0,g t",
    "-ax t",
    "-a256 t",
    "-ag65536,0 t",
    "-a,0 t",
    "-a0,,1 t",
    "-n -a0 t",
    "-ag0,g t",
    // Times and seeds.
    "-d-1 t",
    "-C-1 t",
    "-W-5 t",
    "-zx t",
    "-z12x t",
    "-z4294967296 t",
    // Results, events, and options that do not exist.
    "-R t",
    "-Rfoo t",
    "-Rpfoo t",
    "-e t",
    "-eFOO t",
    "-Q t",
    "- t",
    "-A123 t",
    "-yrfoo t",
    "-b t",
    "-b4x t",
    "-b0 t",
    "-b4G t",
    "--foo t",
    "-SY t",
    // Order of options and targets.
    "-r",
    "t -r",
    "t1 t2 -r",
    "t1 -r t2",
    // A template without a profile.
    "*1",
];

#[test]
fn a_line_stands_for_its_profile() {
    for (words, change) in TAKEN {
        let asked = asked(words);
        assert_eq!(asked.profile, expected(change), "{words}");
        assert_eq!(asked.show, Show::Run, "{words}");
    }
}

#[test]
fn contradictions_and_misspellings_are_refused() {
    for words in REFUSED {
        assert!(line(words).is_err(), "{words} is taken: {:?}", line(words));
    }
}

#[test]
fn several_targets_get_the_same() {
    let asked = asked("-r -b8K t1 /absolute/t2");
    let targets = &asked.profile.time_spans[0].targets;
    assert_eq!(targets.iter().map(|t| t.path.as_str()).collect::<Vec<_>>(), ["t1", "/absolute/t2"]);
    assert!(targets.iter().all(|t| t.block == 8192 && t.random == 100));
}

#[test]
fn a_leading_slash_is_a_path_but_for_the_help() {
    assert_eq!(line("/?"), Ok(Request::Usage(0)));
    assert_eq!(line("-?"), Ok(Request::Usage(0)));
    assert_eq!(line(""), Ok(Request::Usage(3)));
    assert_eq!(asked("-r /r").profile.time_spans[0].targets[0].path, "/r");
}

#[test]
fn forms_of_the_result() {
    assert_eq!(asked("-Rtext t").profile.format, Format::Text);
    assert_eq!(asked("-Rxml t").profile.format, Format::Xml);
    for (words, format) in [("-Rptext t", Format::Text), ("-Rpxml t", Format::Xml), ("-Rp t", Format::Text)] {
        let asked = asked(words);
        assert_eq!((asked.show, asked.profile.format), (Show::Profile, format), "{words}");
    }
    assert_eq!(asked("-Rsxml").show, Show::System);
    assert_eq!(asked("-Rpxml *1").show, Show::Profile, "a template may be shown");
    assert!(asked("-v t").profile.verbose && asked("-vs t").profile.verbose_stats);
    assert_eq!((asked("-P345 t").profile.progress, asked("-P t").profile.progress), (345, 65_536));
    assert_eq!(asked("--compat=2.0 t").compat, Compat::V20);
    assert_eq!(asked("t").compat, Compat::V22);
}

#[test]
fn every_name_of_an_event_is_accepted_with_a_word() {
    for (at, (_, word)) in Etw::NAMES.iter().enumerate() {
        let asked = asked(&format!("-e{word} t"));
        let flags = asked.profile.etw.map(|etw| etw.flags);
        assert!(
            flags.is_some_and(|flags| flags[at] && flags.iter().filter(|&&flag| flag).count() == 1),
            "{word}"
        );
        assert!(asked.notes.iter().any(|note| note.starts_with("-e is accepted")), "{:?}", asked.notes);
    }
}

#[test]
fn uneven_random_places_end_in_the_rest() {
    let ranges = |words: &str| asked(words).profile.time_spans[0].targets[0].distribution.clone().unwrap();
    let of = |list: &[(u32, u64)]| list.iter().map(|&(io, length)| Range { io, length }).collect::<Vec<_>>();
    let percent = ranges("-r -rdpct10/10:10/10:0/10 t");
    assert_eq!(percent.kind, DistributionKind::Percent);
    assert_eq!(percent.ranges, of(&[(10, 10), (10, 10), (0, 10), (80, 70)]));
    assert_eq!(ranges("-rs50 -rdpct100/100 t").ranges, of(&[(100, 100)]));
    assert_eq!(ranges("-r -rdpct60/10:40/90 t").ranges, of(&[(60, 10), (40, 90)]));
    let gib = 1u64 << 30;
    let absolute = ranges("-r -rdabs10/1G:10/1G:0/100G t");
    assert_eq!(absolute.kind, DistributionKind::Absolute);
    assert_eq!(absolute.ranges, of(&[(10, gib), (10, gib), (0, 100 * gib), (80, 0)]));
    assert_eq!(ranges("-r -rdabs100/1b t").ranges, of(&[(100, 65_536)]));
}

#[test]
fn what_diskspd_warns_of_is_warned_of() {
    let cases = [
        ("-p -o1 t", "-p does not have effect"),
        ("-si t", "-si ignored"),
        ("-t2 t", "consider -si"),
        ("-F2 t", "consider -si"),
    ];
    for (words, warning) in cases {
        assert!(
            asked(words).warnings.iter().any(|w| w.contains(warning)),
            "{words}: {:?}",
            asked(words).warnings
        );
    }
    for quiet in ["t", "-t2 -r t", "-t2 -T4k t", "-t2 -si t", "-p t"] {
        assert!(asked(quiet).warnings.is_empty(), "{quiet}");
    }
}

#[test]
fn lenient_readings_are_told() {
    assert!(asked("-d10s t").notes.iter().any(|note| note.contains("-d10s is read as -d10")));
    assert!(asked("-dx t").notes.iter().any(|note| note.contains("-dx is read as -d0")));
    assert!(asked("-d10 t").notes.is_empty());
}

#[test]
fn a_rate_is_exact_where_diskspd_cuts_it_off() {
    let rate = |words: &str| {
        let target = asked(words).profile.time_spans[0].targets[0].clone();
        target.throughput.iops(target.block)
    };
    assert_eq!(rate("-g10i -b128K t"), Some(10.0));
    assert_eq!(rate("-g8192 -b4K t"), Some(2000.0));
    assert_eq!(rate("-g100000i -b64K t"), Some(100_000.0));
    assert_eq!(rate("t"), None);
}

#[test]
fn options_that_differ_here_say_so() {
    for words in [
        "-I2 t",
        "-l t",
        "-fr t",
        "-x t",
        "-vs t",
        "-ysfoo t",
        "-ac t",
        "-bsn t",
        "-oc4 t",
        "-Sy t",
        "-:1 t",
        "-P t",
        "-ag1,0 t",
        "-Z1M,source t",
    ] {
        let option = words.split(' ').next().unwrap();
        let notes = asked(words).notes;
        assert!(notes.iter().any(|note| note.starts_with(&option[..2])), "{words}: {notes:?}");
    }
    assert!(asked("-u16 t").ring && asked("-un25p t").ring && asked("-u t").ring);
    assert!(refusal("-u101p t").contains("1 to 100") && refusal("-u0p t").contains("at least 1"));
}
