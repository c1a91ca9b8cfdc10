//! The address to listen on, as typed: this machine alone unless another address is given.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Reasons why there is no address to listen on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// A colon and a port, which other programs take to mean every network.
    #[error(
        "{word}: on which address? Say 127.0.0.1{word} for this machine alone, or 0.0.0.0{word} for every network it is on"
    )]
    NoHost {
        /// The word as typed.
        word: String,
    },
    /// A word that is not an address.
    #[error(
        "{word}: is no address to listen on; give one of this machine as a number, with or without a port, e.g. 127.0.0.1:8080, \
         [::1]:8080, or a port alone, which this machine alone can reach"
    )]
    Unknown {
        /// The word as typed.
        word: String,
    },
}

/// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, `10.0.0.5`, `8080`, or nothing. The default address is
/// the loopback address; the default port is 0, for which the kernel picks a free one.
///
/// # Errors
/// [`AddressError`].
pub fn address(word: &str) -> Result<SocketAddr, AddressError> {
    let own = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let typed = word.to_owned();
    if word.starts_with(':') && !word.starts_with("::") {
        return Err(AddressError::NoHost { word: typed });
    }
    if word.is_empty() {
        return Ok(SocketAddr::new(own, 0));
    }
    if let Ok(port) = word.parse::<u16>() {
        return Ok(SocketAddr::new(own, port));
    }
    let number = match word.strip_prefix("localhost") {
        Some(rest) if rest.is_empty() || rest.starts_with(':') => format!("{own}{rest}"),
        _ => typed.clone(),
    };
    let alone = number.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(&number);
    let parsed = number.parse().or_else(|_| alone.parse().map(|host| SocketAddr::new(host, 0)));
    parsed.map_err(|_| AddressError::Unknown { word: typed })
}
