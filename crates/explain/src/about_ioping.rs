//! What an ioping command asks for, in words.

use super::figures::{bytes, count, seconds};
use ioping::{Asked, Mix, Order, ROWS};

/// What it asks for.
pub fn asks(asked: &Asked) -> Vec<String> {
    let size = bytes(asked.request_bytes().0);
    let what = match asked.mix() {
        Mix::Read => format!("Reads {size}"),
        Mix::Write => format!("Writes {size} and waits until it is stored (fdatasync)"),
        Mix::Alternate => format!("Writes and reads {size} in turns"),
    };
    let places = match asked.order {
        Order::Random => "at a random place",
        Order::Linear => "where the last one ended",
    };
    let pause = asked.pause().as_secs_f64();
    let pace = if pause > 0.0 { format!("every {}", seconds(pause)) } else { "without a pause".to_owned() };
    let end = match (asked.count, asked.most_time()) {
        (0, None) => "until it is stopped".to_owned(),
        (0, Some(time)) => format!("for {}", seconds(time.as_secs_f64())),
        (1, _) => "once".to_owned(),
        (requests, _) => format!("{} times", count(requests)),
    };
    let mut said = vec![format!("{what} {places}, {end}, {pace}: one request at a time, each timed.")];
    said.push(match asked.target.as_str() {
        "." => "On the current directory: ioping makes a file there, writes it full and takes it away at the end.".to_owned(),
        target => format!(
            "On {target}. In a directory ioping makes a file of its own, writes it full and takes it away at the \
             end; of a file or device it uses what is there."
        ),
    });
    said.push(cache(asked).to_owned());
    if asked.warmup > 0 {
        said.push(match asked.warmup {
            1 => "ioping 1.0 and later do not count the first request.".to_owned(),
            requests => format!("ioping 1.0 and later do not count the first {} requests.", count(requests)),
        });
    }
    said
}

fn cache(asked: &Asked) -> &'static str {
    match (asked.direct, asked.cached) {
        (true, _) => "Past the page cache (O_DIRECT).",
        (false, true) => "Through the page cache, which is left as it is.",
        (false, false) => "The page cache is asked to forget each place before it is read.",
    }
}

/// What a word means.
pub fn meaning(word: &str) -> String {
    let bare = word.trim_start_matches('-');
    if !word.starts_with('-') {
        return "The target, or the value of the word before it.".to_owned();
    }
    let name = bare.split('=').next().unwrap_or_default();
    let by_name = ROWS.iter().find(|row| row.name == name);
    let by_letter = || ROWS.iter().find(|row| bare.starts_with(row.own.short));
    by_name.or_else(by_letter).map_or_else(|| "Not known.".to_owned(), |row| sentence(row.help))
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str())).unwrap_or_default()
}
