//! News reaches its listeners, and nobody else is kept waiting.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::small::{PATIENCE, Place, place};

fn listener(place: &Place) -> BufReader<TcpStream> {
    let mut stream = place.connected();
    let words = format!("GET /{}/news HTTP/1.1\r\nHost: localhost\r\n\r\n", place.token);
    stream.write_all(words.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while line.trim() != "retry: 1000" {
        line.clear();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the stream did not begin");
    }
    reader
}

/// Returns the next event of the stream as `what: data`.
fn next(reader: &mut BufReader<TcpStream>) -> String {
    let mut field = |name: &str| loop {
        let mut line = String::new();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "the stream has ended");
        if let Some(value) = line.strip_prefix(name) {
            return value.trim_end().to_owned();
        }
    };
    let what = field("event: ");
    format!("{what}: {}", field("data: "))
}

#[test]
fn a_listener_hears_the_latest_of_each_kind_and_then_what_comes() {
    let place = place();
    place.site.feed.say("now", "1");
    place.site.feed.say("page", "one\nline");
    place.site.feed.say("now", "2");
    let mut reader = listener(&place);
    assert_eq!(next(&mut reader), "page: one line");
    assert_eq!(next(&mut reader), "now: 2");
    place.site.feed.say("now", "3");
    assert_eq!(next(&mut reader), "now: 3");
}

#[test]
fn whether_anybody_listens_is_known_and_so_is_that_they_left() {
    let place = place();
    assert!(!place.site.feed.is_heard());
    let reader = listener(&place);
    let until = |is_heard: bool| {
        let begun = Instant::now();
        while place.site.feed.is_heard() != is_heard {
            assert!(begun.elapsed() < PATIENCE, "is heard: {}", !is_heard);
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    until(true);
    drop(reader);
    until(false);
    place.still_answers();
}

#[test]
fn the_end_waits_for_who_listens_but_not_for_ever() {
    let quiet = place();
    quiet.server.finish(PATIENCE);
    let place = place();
    let mut reader = listener(&place);
    place.site.feed.say("over", "x");
    // Half a second is long enough for the message, and no listener has to have left by then.
    place.server.finish(Duration::from_millis(500));
    assert_eq!(next(&mut reader), "over: x");
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).unwrap();
    assert!(rest.trim_ascii().is_empty(), "{rest:?}");
}
