//! XML profiles: read, written, refused, and round trips.

use diskspd::{
    Cache, Compat, Cpu, DistributionKind, MappedFlush, Precreate, Range, Request, ThreadTarget, Throughput,
    profile_xml, read_profile,
};
use proptest::prelude::*;

use crate::vocabulary::{asked, line, line_with, target_of, with_target, with_targets};

#[test]
fn a_default_profile_is_written_in_the_order_of_diskspd() {
    let mut text = profile_xml(&asked("t").profile);
    let expected = "\
<Profile>
  <Progress>0</Progress>
  <ResultFormat>text</ResultFormat>
  <Verbose>false</Verbose>
  <TimeSpans>
    <TimeSpan>
      <CompletionRoutines>false</CompletionRoutines>
      <MeasureLatency>false</MeasureLatency>
      <CalculateIopsStdDev>false</CalculateIopsStdDev>
      <DisableAffinity>false</DisableAffinity>
      <Duration>10</Duration>
      <Warmup>5</Warmup>
      <Cooldown>0</Cooldown>
      <ThreadCount>0</ThreadCount>
      <RequestCount>0</RequestCount>
      <IoBucketDuration>1000</IoBucketDuration>
      <RandSeed>0</RandSeed>
      <Targets>
        <Target>
          <Path>t</Path>
          <BlockSize>65536</BlockSize>
          <BaseFileOffset>0</BaseFileOffset>
          <SequentialScan>false</SequentialScan>
          <RandomAccess>false</RandomAccess>
          <TemporaryFile>false</TemporaryFile>
          <UseLargePages>false</UseLargePages>
          <WriteBufferContent>
            <Pattern>sequential</Pattern>
          </WriteBufferContent>
          <ParallelAsyncIO>false</ParallelAsyncIO>
          <StrideSize>65536</StrideSize>
          <InterlockedSequential>false</InterlockedSequential>
          <ThreadStride>0</ThreadStride>
          <MaxFileSize>0</MaxFileSize>
          <RequestCount>2</RequestCount>
          <WriteRatio>0</WriteRatio>
          <Throughput>0</Throughput>
          <ThreadsPerFile>1</ThreadsPerFile>
          <IOPriority>3</IOPriority>
          <Weight>1</Weight>
        </Target>
      </Targets>
    </TimeSpan>
  </TimeSpans>
</Profile>
";
    assert_eq!(text, expected);
    text = profile_xml(&asked("-Sh -g1000i -r -L -a0,g1,3 -Z2M,a&b -c1G -rdpct90/10 t").profile);
    for part in [
        "<UseLargePages>false</UseLargePages>\n          <DisableOSCache>true</DisableOSCache>\n          <WriteThrough>true</WriteThrough>\n          <WriteBufferContent>",
        "<Throughput unit=\"IOPS\">1000</Throughput>",
        "<FileSize>1073741824</FileSize>\n          <Random>65536</Random>\n          <Distribution>\n            <Percent>\n              <Range IO=\"90\">10</Range>\n              <Range IO=\"10\">90</Range>\n            </Percent>\n          </Distribution>\n          <ThreadStride>",
        "<Affinity>\n        <AffinityGroupAssignment Group=\"0\" Processor=\"0\"/>\n        <AffinityGroupAssignment Group=\"1\" Processor=\"3\"/>\n      </Affinity>\n      <Targets>",
        "<FilePath>a&amp;b</FilePath>",
    ] {
        assert!(text.contains(part), "{part}\nis missing in\n{text}");
    }
}

#[test]
fn a_profile_without_timespans_is_written_but_not_run() {
    let profile = read_profile("<Profile><TimeSpans></TimeSpans></Profile>").unwrap();
    assert_eq!(
        profile_xml(&profile),
        "<Profile>\n  <Progress>0</Progress>\n  <ResultFormat>text</ResultFormat>\n  <Verbose>false</Verbose>\n  \
         <TimeSpans>\n  </TimeSpans>\n</Profile>\n"
    );
    assert!(line_with("-Xp", "<Profile><TimeSpans></TimeSpans></Profile>").is_err());
}

#[test]
fn elements_of_a_target_are_read() {
    assert_eq!(target_of("<Throughput unit=\"IOPS\">10</Throughput>").throughput, Throughput::Iops(10));
    assert_eq!(
        target_of("<Throughput unit=\"BPMS\">1500</Throughput>").throughput,
        Throughput::BytesPerMs(1500)
    );
    assert_eq!(target_of("<Throughput>1024</Throughput>").throughput, Throughput::BytesPerMs(1024));
    assert_eq!(target_of("<RandomRatio>50</RandomRatio>").random, 50);
    let mixed = target_of("<Random>8192</Random><RandomRatio>50</RandomRatio>");
    assert_eq!((mixed.random, mixed.alignment), (50, Some(8192)));
    assert_eq!(target_of("<Random>8192</Random>").random, 100);
    assert_eq!(target_of("<StrideSize>2222</StrideSize>").step(), 2222);
    assert!(target_of("<InterlockedSequential>1</InterlockedSequential>").interlocked);
    let both = target_of("<DisableAllCache>true</DisableAllCache>");
    assert_eq!((both.cache, both.write_through), (Cache::Off, true));
    assert_eq!(target_of("<DisableLocalCache>true</DisableLocalCache>").cache, Cache::RemoteOnly);
    assert_eq!(target_of("<DisableOSCache>false</DisableOSCache>").cache, Cache::Used);
    let mapped =
        target_of("<MemoryMappedIo>true</MemoryMappedIo><FlushType>NonVolatileMemoryNoDrain</FlushType>");
    assert_eq!((mapped.mapped, mapped.mapped_flush), (true, Some(MappedFlush::MemoryNoDrain)));
    let source = target_of(
        "<WriteBufferContent><Pattern>random</Pattern><RandomDataSource><SizeInBytes>223311</SizeInBytes>\
         <FilePath>x:\\foo</FilePath></RandomDataSource></WriteBufferContent>",
    );
    assert_eq!((source.write_source_bytes, source.write_source.as_str()), (223_311, "x:\\foo"));
    assert!(target_of("<WriteBufferContent><Pattern>zero</Pattern></WriteBufferContent>").zero);
    let weighted = target_of(
        "<Weight>7</Weight><ThreadTargets><ThreadTarget><Thread>1</Thread><Weight>3</Weight></ThreadTarget></ThreadTargets>",
    );
    assert_eq!((weighted.weight, weighted.thread_targets), (7, vec![ThreadTarget { thread: 1, weight: 3 }]));
}

#[test]
fn elements_of_a_timespan_and_of_a_profile_are_read() {
    let target = "<Target><Path></Path></Target>";
    let text = with_targets(
        target,
        "<Affinity><AffinityGroupAssignment Group=\"0\" Processor =\"2\"/><AffinityGroupAssignment Group=\"1\" \
         Processor =\"32\"/><AffinityAssignment>5</AffinityAssignment></Affinity><GroupAffinity>true</GroupAffinity>\
         <RandomWriteData>true</RandomWriteData>",
    );
    let span = &read_profile(&text).unwrap().time_spans[0];
    let list = [(0, 2), (1, 32), (0, 5)].map(|(group, number)| Cpu { group, number });
    assert_eq!((span.affinity.as_slice(), span.random_write_data), (list.as_slice(), true));
    for (word, precreate) in [
        ("UseMaxSize", Precreate::UseMaxSize),
        ("CreateOnlyFilesWithConstantSizes", Precreate::ConstantSizes),
        ("CreateOnlyFilesWithConstantOrZeroSizes", Precreate::ConstantOrZeroSizes),
    ] {
        let text = with_targets(target, "")
            .replace("</Profile>", &format!("<PrecreateFiles>{word}</PrecreateFiles></Profile>"));
        assert_eq!(
            read_profile(&format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n{text}")).unwrap().precreate,
            Some(precreate)
        );
    }
}

/// Profiles that cannot be read, and a word of the message.
const UNREADABLE: &[(&str, &str)] = &[
    ("<Throughput unit=\"FRUIT\">10</Throughput>", "FRUIT"),
    ("<Throughput>FRUIT</Throughput>", "FRUIT"),
    ("<Throughput unit=\"IOPS\">FRUIT</Throughput>", "FRUIT"),
    ("<Throughput unit=\"BPMS\">FRUIT</Throughput>", "FRUIT"),
    ("<RandomRatio>0</RandomRatio>", "1 to 99"),
    ("<RandomRatio>100</RandomRatio>", "1 to 99"),
    ("<RandomRatio>200</RandomRatio>", "1 to 99"),
    ("<RandomRatio>-100</RandomRatio>", "1 to 99"),
    ("<RandomRatio>FRUIT</RandomRatio>", "FRUIT"),
    ("<RandomRatio>50</RandomRatio><StrideSize>8192</StrideSize>", "StrideSize"),
    ("<Random>8192</Random><StrideSize>8192</StrideSize>", "StrideSize"),
    ("<Distribution><Percent><Range IO=\"10\">0</Range></Percent></Distribution>", "1 to 100"),
    (
        "<Distribution><Percent><Range IO=\"10\">10</Range><Range IO=\"10\">0</Range></Percent></Distribution>",
        "1 to 100",
    ),
    ("<Distribution><Percent><Range IO=\"101\">10</Range></Percent></Distribution>", "IO"),
    ("<Distribution><Percent><Range>10</Range></Percent></Distribution>", "IO"),
    ("<Distribution></Distribution>", "Percent"),
    ("<Distribution><Percent></Percent></Distribution>", "Range"),
    ("<BlockSize>64K</BlockSize>", "64K"),
    ("<BlockSize>1</BlockSize><BlockSize>1</BlockSize>", "second time"),
    ("<Blocksize>1</Blocksize>", "<BlockSize>"),
    ("<Nonsense/>", "no element <Nonsense>"),
    ("<WriteRatio>101</WriteRatio>", "0 to 100"),
    ("<ParallelAsyncIO>yes</ParallelAsyncIO>", "true or false"),
    ("<FlushType>Toilet</FlushType>", "ViewOfFile"),
    ("text", "no text"),
    ("<BlockSize><Path/></BlockSize>", "no elements"),
    ("<BlockSize a=\"1\">1</BlockSize>", "no attribute a"),
    ("<WriteBufferContent><Pattern>random</Pattern></WriteBufferContent>", "RandomDataSource"),
];

#[test]
fn what_is_wrong_in_a_profile_is_told_with_its_place() {
    for (inside, part) in UNREADABLE {
        let error = read_profile(&with_target(inside)).unwrap_err();
        assert!(error.why.contains(part) && error.place.is_some(), "{inside}: {error:?}");
    }
    let error = read_profile(
        "<Profile>\n <TimeSpans>\n  <TimeSpan>\n   <Target/>\n  </TimeSpan></TimeSpans></Profile>",
    )
    .unwrap_err();
    assert_eq!(error.place, Some((4, 4)), "{error:?}");
    assert!(error.why.contains("<Targets> may be meant"), "{error:?}");
    let error = read_profile("<Profile>\n<TimeSpans></Profile>").unwrap_err();
    assert_eq!(error.place.map(|place| place.0), Some(2), "{error:?}");
    for text in ["", "<Foo/>", "<Profile/>", "<Profile><TimeSpans><TimeSpan/></TimeSpans></Profile>"] {
        assert!(read_profile(text).is_err(), "{text}");
    }
    for cpu in
        ["Group=\"0\" Processor=\"300\"", "Group=\"65536\" Processor=\"1\"", "Group=\"0\"", "Processor=\"0\""]
    {
        let text = with_targets(
            "<Target><Path>t</Path></Target>",
            &format!("<Affinity><AffinityGroupAssignment {cpu}/></Affinity>"),
        );
        assert!(read_profile(&text).is_err(), "{cpu}");
    }
}

#[test]
fn what_contradicts_itself_is_read_but_not_taken() {
    for inside in [
        "<Random>4096</Random><ThreadStride>4096</ThreadStride>",
        "<Random>4096</Random><InterlockedSequential>true</InterlockedSequential>",
        "<BurstSize>5</BurstSize>",
        "<Random>65536</Random><Distribution><Percent><Range IO=\"60\">50</Range><Range IO=\"60\">50</Range></Percent></Distribution>",
        "<Random>65536</Random><Distribution><Percent><Range IO=\"100\">50</Range></Percent></Distribution>",
        "<Random>65536</Random><Distribution><Percent><Range IO=\"50\">100</Range></Percent></Distribution>",
        "<Random>65536</Random><Distribution><Absolute><Range IO=\"50\">0</Range><Range IO=\"50\">65536</Range></Absolute></Distribution>",
        "<Distribution><Percent><Range IO=\"90\">10</Range></Percent></Distribution>",
    ] {
        let text = with_target(inside);
        assert!(read_profile(&text).is_ok(), "{inside}");
        assert!(line_with("-Xp", &text).is_err(), "{inside}");
    }
    let open = target_of(
        "<Random>4096</Random><Distribution><Absolute><Range IO=\"50\">65536</Range></Absolute></Distribution>",
    );
    let distribution = open.distribution.unwrap();
    assert_eq!(
        (distribution.kind, distribution.ranges.last()),
        (DistributionKind::Absolute, Some(&Range { io: 50, length: 0 }))
    );
}

#[test]
fn templates_are_filled_from_the_line() {
    let two = with_targets("<Target><Path>*1</Path></Target><Target><Path>*1</Path></Target>", "");
    for path in ["*", "*foo", "*1foo", "**1", "*-1", "*0"] {
        let text = with_targets(&format!("<Target><Path>{path}</Path></Target>"), "");
        assert!(read_profile(&text).is_err(), "{path}");
    }
    let Ok(Request::Do(asked)) = line_with("-Xp a.dat", &two) else {
        panic!("{:?}", line_with("-Xp a.dat", &two))
    };
    assert!(asked.profile.time_spans[0].targets.iter().all(|target| target.path == "a.dat"));
    assert!(line_with("-Xp", &two).unwrap_err().to_string().contains("not substituted"));
    assert!(line_with("-Xp -Rp", &two).is_ok(), "a template may be shown");
    let numbered = with_targets("<Target><Path>*1</Path></Target><Target><Path>*2</Path></Target>", "");
    for words in ["-Xp a", "-Xp -Rp a"] {
        let few = line_with(words, &numbered).unwrap_err().to_string();
        assert!(few.contains("'*2' has no target") && few.contains("there is one"), "{words}: {few}");
    }
    assert!(line_with("-Xp -Rp", &numbered).is_ok() && line_with("-Xp a b", &numbered).is_ok());
    let more = line_with("-Xp a b", &two).unwrap_err().to_string();
    assert!(more.contains("'b'") && more.contains("*2"), "{more}");
}

#[test]
fn options_beside_a_profile_change_it() {
    let text = with_target("");
    let Ok(Request::Do(asked)) = line_with("-Xp -d1 -W2 -C3 -z4 -Rxml -v", &text) else { panic!("refused") };
    let span = &asked.profile.time_spans[0];
    assert_eq!((span.duration, span.warm_up, span.cool_down, span.seed), (1, 2, 3, 4));
    assert!(asked.profile.verbose && asked.profile.format == diskspd::Format::Xml);
    assert_eq!(asked.compat, Compat::V22);
}

#[test]
fn what_a_profile_uses_that_differs_here_is_told() {
    let Ok(Request::Do(asked)) = line_with("-Xp", &with_target("<IOPriority>1</IOPriority>")) else {
        panic!("refused")
    };
    assert!(asked.notes.iter().any(|note| note.starts_with("-I:")), "{:?}", asked.notes);
}

/// Options that go together in any choice of one from each group, with the ways to write each.
fn valid_line() -> impl Strategy<Value = String> {
    let one = |list: &'static [&'static str]| proptest::sample::select(list);
    let pattern = one(&[
        "",
        "-r",
        "-r4K",
        "-rs30",
        "-rs30 -r8K",
        "-s",
        "-s32K",
        "-si -t2",
        "-t2 -T1M",
        "-p",
        "-r -rdpct90/10:0/5",
        "-r -rdabs10/1G:20/2G",
        "-rs50 -rdpct50/50",
    ]);
    let load = one(&["", "-w30", "-w100", "-o8", "-o1 -w5", "-g100", "-g77i", "-i5 -j10"]);
    let caches = one(&["", "-Sh", "-Su", "-Sw", "-Sb", "-Sr", "-h", "-Sm", "-Smw -Nv"]);
    let data = one(&["", "-Z", "-Zr", "-Z2M", "-Z1M,some&file", "-l", "-fr", "-fst"]);
    let place = one(&["", "-B1M", "-B1M:64M", "-f1G", "-c2G", "-c1G -f512M", "-b4K -B4b"]);
    let span = one(&[
        "",
        "-d3 -W1 -C2",
        "-L",
        "-D",
        "-D250 -L",
        "-n",
        "-a0,1",
        "-ag1,2,3",
        "-z42",
        "-x",
        "-P10 -v",
        "-vs -:1",
        "-eDISK_IO -eq",
        "-I1",
    ]);
    let targets = one(&["t", "a b", "/abs/t x<y"]);
    (pattern, load, caches, data, place, span, targets)
        .prop_map(|(a, b, c, d, e, f, g)| [a, b, c, d, e, f, g].join(" "))
}

proptest! {
    #[test]
    fn a_line_shown_as_xml_and_read_back_is_the_same(words in valid_line()) {
        // Some choices contradict each other: -g and -x, -Sm and -x.
        if let Ok(Request::Do(asked)) = line(&words) {
            let text = profile_xml(&asked.profile);
            let mut back = read_profile(&text).map_err(|error| TestCaseError::fail(format!("{error:?}\n{text}")))?;
            prop_assert_eq!(&profile_xml(&back), &text, "{}", words);
            // A stride equal to the block is written out; everything else is the same value.
            let mut sent = asked.profile.clone();
            for target in sent.time_spans.iter_mut().chain(&mut back.time_spans).flat_map(|span| &mut span.targets) {
                target.alignment = Some(target.step());
            }
            prop_assert_eq!(back, sent, "{}", words);
        }
    }
}
