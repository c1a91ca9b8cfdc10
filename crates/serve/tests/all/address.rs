//! Which addresses are read, and where it listens without one.

use serve::{AddressError, address};

#[test]
fn without_a_word_of_the_user_nobody_else_can_reach_it() {
    for (typed, meant) in [
        ("", "127.0.0.1:0"),
        ("8080", "127.0.0.1:8080"),
        ("localhost", "127.0.0.1:0"),
        ("localhost:81", "127.0.0.1:81"),
        ("10.0.0.5", "10.0.0.5:0"),
        ("0.0.0.0:9100", "0.0.0.0:9100"),
        ("::1", "[::1]:0"),
        ("[::1]", "[::1]:0"),
        ("[::1]:9100", "[::1]:9100"),
    ] {
        assert_eq!(address(typed).map(|address| address.to_string()), Ok(meant.to_owned()), "{typed}");
    }
}

#[test]
fn a_port_alone_behind_a_colon_is_asked_back_and_what_is_none_is_refused() {
    let refused = address(":9100").unwrap_err();
    assert!(matches!(refused, AddressError::NoHost { .. }), "{refused}");
    assert!(refused.to_string().contains("127.0.0.1:9100"), "{refused}");
    for typed in ["70000", "example.org:80", "localhosts:80", "1.2.3.4:x", "[::1", "-1", "/tmp/x"] {
        assert!(matches!(address(typed), Err(AddressError::Unknown { .. })), "{typed}");
    }
}
