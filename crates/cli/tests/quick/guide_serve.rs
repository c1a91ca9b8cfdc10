//! The guide on watching a run from a browser: its commands, with a simulated volume in place of its mounted one.
#![allow(clippy::unwrap_used, reason = "a test may unwrap")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;

use crate::machine::*;

fn commands() -> Vec<String> {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/serve.md");
    let guide = fs::read_to_string(guide).unwrap();
    let blocks = guide.split("```sh\n").skip(1);
    blocks.flat_map(|rest| rest.split("```").next().unwrap().lines().map(str::to_owned)).collect()
}

#[test]
fn the_commands_of_the_guide_run_as_printed() {
    let commands = commands();
    let [check, serve, tunnel] = commands.as_slice() else { panic!("{commands:?}") };
    assert!(tunnel.starts_with("ssh -L "), "{tunnel}");
    let folder = Folder::new();
    let words = check.replace("/mnt/vol", "sim:aws-gp3");
    let words: Vec<&str> = words.split_whitespace().skip(1).collect();
    let done = ended(&mut folder.plimsoll(&words));
    assert!(matches!(done.code, Some(0 | 3 | 4)), "{:?} {}", done.code, done.err);
    let address = done.err.lines().find_map(|line| line.strip_prefix("live    http://127.0.0.1:")).unwrap();
    let token = address.split('/').nth(1).unwrap();
    assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{address}");

    let words: Vec<&str> = serve.split_whitespace().skip(1).collect();
    let mut list = folder.plimsoll(&words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(list.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let (host, path) = url.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).unwrap();
    let mut told = String::new();
    stream.read_to_string(&mut told).unwrap();
    // Stopped as by Ctrl-C.
    kernel::send_signal(list.id(), 2).unwrap();
    assert_eq!(list.wait().unwrap().code(), Some(0));
    assert!(told.starts_with("HTTP/1.1 200 OK") && told.contains("check sim:aws-gp3 --serve"), "{told}");
}

#[test]
fn an_address_where_nothing_can_listen_is_refused_before_anything_is_measured() {
    let folder = Folder::new();
    for (word, told) in [
        ("--serve=example.org:80", "is no address to listen on"),
        ("--serve=:8080", "127.0.0.1:8080"),
        ("--serve=192.0.2.1:80", "nothing can listen there"),
    ] {
        let done = ended(&mut folder.plimsoll(&["check", "sim:aws-gp3", word, "--out", "@/runs"]));
        assert_eq!(done.code, Some(2), "{word}: {}", done.err);
        let line = done.err.replace('\n', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(told), "{word}: {line}");
    }
    let done = ended(&mut folder.plimsoll(&["serve", "@/not-there"]));
    assert_eq!(done.code, Some(2), "{}", done.err);
}
