//! Requests that are not let in, and that legitimate clients are served meanwhile.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use proptest::prelude::*;
use serve::CONNECTIONS_MOST;

use crate::small::{Place, place};

/// Returns the first line of an answer.
fn status(told: &str) -> &str {
    told.lines().next().unwrap_or_default()
}

fn request(place: &Place, host: &str, lines: &str) -> String {
    place.told(format!("GET /{}/ HTTP/1.1\r\nHost: {host}\r\n{lines}\r\n", place.token).as_bytes())
}

#[test]
fn a_wrong_token_is_told_nothing() {
    let place = place();
    let port = place.server.address().port();
    let mut wrong = place.token.clone();
    let last = if wrong.pop() == Some('0') { '1' } else { '0' };
    wrong.push(last);
    let answers: Vec<String> = ["", &wrong, &wrong[1..], "x"]
        .iter()
        .map(|guess| {
            place.told(format!("GET /{guess}/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes())
        })
        .chain([place.told(format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").as_bytes())])
        .collect();
    assert!(answers.iter().all(|told| status(told) == "HTTP/1.1 404 Not Found"), "{answers:?}");
    assert!(answers.iter().all(|told| *told == answers[0]), "they are told apart: {answers:?}");
    assert!(!answers[0].contains(&place.token));
    place.still_answers();
}

#[test]
fn a_name_that_was_made_to_lead_here_is_refused_and_this_machines_is_not() {
    let place = place();
    for ours in
        ["127.0.0.1", "127.0.0.1:9", "localhost:9000", "LocalHost", "[::1]:9", "10.1.2.3", "db1:80", "DB1"]
    {
        assert_eq!(status(&request(&place, ours, "")), "HTTP/1.1 200 OK", "{ours}");
    }
    for theirs in [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "[::1",
        "::1",
        "a@127.0.0.1",
        "127.0.0.1:x",
        "",
    ] {
        assert_eq!(status(&request(&place, theirs, "")), "HTTP/1.1 403 Forbidden", "{theirs}");
    }
    let two = request(&place, "localhost", "Host: evil.example\r\n");
    assert_eq!(status(&two), "HTTP/1.1 400 Bad Request");
    let none = place.told(format!("GET /{}/ HTTP/1.1\r\n\r\n", place.token).as_bytes());
    assert_eq!(status(&none), "HTTP/1.1 400 Bad Request");
}

#[test]
fn a_page_of_somebody_elses_may_not_ask() {
    let place = place();
    let of = |origin: &str| request(&place, "localhost:80", &format!("Origin: {origin}\r\n"));
    assert_eq!(status(&of("http://localhost:80")), "HTTP/1.1 200 OK");
    for theirs in [
        "http://evil.example",
        "null",
        "https://localhost:80",
        "http://localhost:81",
        "http://localhost:80.evil.example",
    ] {
        assert_eq!(status(&of(theirs)), "HTTP/1.1 403 Forbidden", "{theirs}");
    }
    let told = of("http://localhost:80");
    assert!(!told.to_lowercase().contains("access-control"), "{told}");
}

#[test]
fn only_reading_is_allowed_and_a_head_has_no_body() {
    let place = place();
    let port = place.server.address().port();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"] {
        let words = format!("{method} /{}/ HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n", place.token);
        assert_eq!(status(&place.told(words.as_bytes())), "HTTP/1.1 405 Method Not Allowed", "{method}");
    }
    let connect = format!("CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    assert_eq!(status(&place.told(connect.as_bytes())), "HTTP/1.1 405 Method Not Allowed");
    let head = place.told(format!("HEAD /{}/ HTTP/1.1\r\nHost: localhost\r\n\r\n", place.token).as_bytes());
    assert!(head.contains("Content-Length: 7\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    for body in ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"] {
        assert_eq!(status(&place.get("", body)), "HTTP/1.1 400 Bad Request");
    }
}

#[test]
fn paths_lead_nowhere_but_where_the_site_has_something() {
    let place = place();
    for path in [
        "../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/etc/passwd",
        "/etc/passwd",
        "//etc/passwd",
        "run/..",
        "large/../large/",
        "....//",
    ] {
        assert_eq!(status(&place.get(path, "")), "HTTP/1.1 404 Not Found", "{path}");
    }
    for path in ["a%00", "%0d%0aX: y", "%zz", "%2", "%ff"] {
        assert_eq!(status(&place.get(path, "")), "HTTP/1.1 400 Bad Request", "{path}");
    }
    let whole = format!("GET http://localhost/{}/ HTTP/1.1\r\nHost: localhost\r\n\r\n", place.token);
    assert_eq!(status(&place.told(whole.as_bytes())), "HTTP/1.1 400 Bad Request");
}

#[test]
fn a_head_has_its_bounds() {
    let place = place();
    let long = format!("X: {}\r\n", "y".repeat(9000));
    assert_eq!(status(&place.get("", &long)), "HTTP/1.1 431 Request Header Fields Too Large");
    assert_eq!(status(&place.get(&"a".repeat(9000), "")), "HTTP/1.1 431 Request Header Fields Too Large");
    assert_eq!(
        status(&place.get("", &"X: y\r\n".repeat(200))),
        "HTTP/1.1 431 Request Header Fields Too Large"
    );
    assert_eq!(status(&place.told(&[0; 100])), "HTTP/1.1 400 Bad Request");
    assert_eq!(
        status(&place.told(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")),
        "HTTP/1.1 400 Bad Request"
    );
    place.still_answers();
}

#[test]
fn every_page_says_what_it_may_do() {
    let place = place();
    let told = place.get("", "");
    for line in [
        "Content-Security-Policy: default-src 'none'; script-src 'self';",
        "frame-ancestors 'none'",
        "Cache-Control: no-store",
        "Referrer-Policy: no-referrer",
        "X-Content-Type-Options: nosniff",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
}

/// Counts the open files of this process, which holds both ends of every connection.
fn files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn a_thousand_slow_connections_take_neither_threads_nor_files_nor_anybodys_place() {
    kernel::allow_open_files();
    let place = place();
    let before = threads();
    let slow: Vec<TcpStream> = (0..1000)
        .map(|number| {
            let mut stream = place.connected();
            // Each sends a part of a head, some none of it. One that was dropped already may find the other end closed.
            let _ = stream.write_all(&b"GET /x HTTP/1.1\r\nHost: lo"[..number % 20]);
            stream
        })
        .collect();
    place.still_answers();
    // Other tests of this process have files and threads too, but not a thousand.
    assert!(files() < 1000 + CONNECTIONS_MOST + 400, "{} files", files());
    assert!(threads() < before + 100, "{} threads, {before} before", threads());
    drop(slow);
    place.still_answers();
}

#[test]
#[ignore = "night: real deadlines of a server"]
fn who_takes_nothing_of_a_large_answer_holds_nobody_up() {
    let place = place();
    let greedy: Vec<TcpStream> = (0..CONNECTIONS_MOST - 4)
        .map(|_| {
            let mut stream = place.connected();
            let words = format!("GET /{}/large HTTP/1.1\r\nHost: localhost\r\n\r\n", place.token);
            stream.write_all(words.as_bytes()).unwrap();
            stream
        })
        .collect();
    place.still_answers();
    drop(greedy);
}

/// Such connections are dropped after ten seconds; the test waits for half of that.
#[test]
#[ignore = "night: real deadlines of a server"]
fn where_everybody_has_asked_and_takes_nothing_the_next_is_let_in_all_the_same() {
    let place = place();
    let _greedy: Vec<TcpStream> = (0..CONNECTIONS_MOST)
        .map(|_| {
            let mut stream = place.connected();
            let words = format!("GET /{}/large HTTP/1.1\r\nHost: localhost\r\n\r\n", place.token);
            stream.write_all(words.as_bytes()).unwrap();
            // Once this much has been received, the answer has begun.
            stream.read_exact(&mut [0; 12]).unwrap();
            stream
        })
        .collect();
    let begun = std::time::Instant::now();
    let answers = std::iter::repeat_with(|| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        status(&place.get("", "")).to_owned()
    });
    let mut answers = answers.take_while(|_| begun.elapsed() < std::time::Duration::from_secs(5));
    assert!(answers.any(|told| told == "HTTP/1.1 200 OK"), "nobody is let in any more");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_bytes_stop_it(bytes in proptest::collection::vec(any::<u8>(), 0..400), with_head in any::<bool>()) {
        thread_local! { static PLACE: Place = place(); }
        PLACE.with(|place| {
            let mut words = if with_head { b"GET /".to_vec() } else { Vec::new() };
            words.extend(&bytes);
            words.extend(b"\r\n\r\n");
            let mut stream = place.connected();
            let _ = stream.write_all(&words);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut told = Vec::new();
            let _ = stream.read_to_end(&mut told);
            assert!(!told.starts_with(b"HTTP/1.1 200"));
            place.still_answers();
        });
    }
}
