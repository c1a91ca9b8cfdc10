//! A small site, and requests to it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use serve::{Answer, Door, Feed, Rules, Server, Site, SiteRequest, Token};

/// Far longer than any answer takes.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A site with one page, its news, and nothing else.
#[derive(Default)]
pub struct Small {
    pub feed: Feed,
}

impl Site for Small {
    fn answer(&self, asked: &SiteRequest<'_>) -> Answer {
        match asked.path {
            "" => Answer::page(Arc::from(b"<p>here".as_slice()), Rules::Own),
            "large" => Answer::page(vec![b'x'; 20 << 20].into(), Rules::Report),
            "news" => Answer::news(),
            _ => Answer::nothing(),
        }
    }

    fn feed(&self) -> Option<&Feed> {
        Some(&self.feed)
    }
}

/// The site with its server, on a port of its own.
pub struct Place {
    pub site: Arc<Small>,
    pub token: String,
    pub server: Server,
}

pub fn place() -> Place {
    let token = Token::fresh().unwrap();
    let site = Arc::new(Small::default());
    let door = Door::with_token(token.clone(), "db1");
    let server = Server::start("127.0.0.1:0".parse().unwrap(), door, Arc::<Small>::clone(&site)).unwrap();
    Place { site, token: token.word().to_owned(), server }
}

impl Place {
    pub fn connected(&self) -> TcpStream {
        let stream = TcpStream::connect(self.server.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends `words` and returns all that comes back.
    pub fn told(&self, words: &[u8]) -> String {
        let mut stream = self.connected();
        // A request that is refused early may find the connection closed before it is written whole.
        let _ = stream.write_all(words);
        let mut told = Vec::new();
        let _ = stream.read_to_end(&mut told);
        String::from_utf8_lossy(&told).into_owned()
    }

    /// Returns the answer to a GET of `path` below the token, with these additional header lines.
    pub fn get(&self, path: &str, lines: &str) -> String {
        self.told(
            format!("GET /{}/{path} HTTP/1.1\r\nHost: {}\r\n{lines}\r\n", self.token, self.server.address())
                .as_bytes(),
        )
    }

    /// Asserts that a browser that connects now is answered.
    pub fn still_answers(&self) {
        let told = self.get("", "");
        assert!(told.starts_with("HTTP/1.1 200 OK\r\n") && told.ends_with("<p>here"), "{told}");
    }
}
