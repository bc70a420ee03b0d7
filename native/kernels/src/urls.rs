//! Where a URL leads: its host, and how deep and repetitive its path is. URLs are parsed as browsers do (WHATWG).

use std::collections::HashMap;

use url::{Host, Url};

/// What is asked of a URL.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// In lower case and punycode, an IPv6 address without brackets; None where the URL has none or is none.
    pub host: Option<String>,
    /// Components of the path that are not empty.
    pub components: u32,
    /// How often the most frequent of them occurs.
    pub repeats: u32,
}

/// The location of a URL; that of what is no absolute URL is empty. Linear.
pub fn locate(url: &str) -> Location {
    let Ok(url) = Url::parse(url) else { return Location::default() };
    let host = match url.host() {
        Some(Host::Ipv6(address)) => Some(address.to_string()),
        Some(host) => Some(host.to_string().to_lowercase()),
        None => None,
    };
    let mut counts = HashMap::<&str, u32>::new();
    let components = url.path_segments().into_iter().flatten().filter(|component| !component.is_empty());
    for component in components {
        *counts.entry(component).or_default() += 1;
    }
    let host = host.filter(|host| !host.is_empty());
    Location { host, components: counts.values().sum(), repeats: counts.into_values().max().unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases() {
        for (url, host, components, repeats) in [
            ("http://Example.COM:80/a/b//a/?a/a#a/a", Some("example.com"), 3, 2),
            ("https://u:p@bücher.de", Some("xn--bcher-kva.de"), 0, 0),
            ("http://[2001:DB8::1]/x/../y/./%79", Some("2001:db8::1"), 2, 1),
            ("gopher://Hole.Example/1", Some("hole.example"), 1, 1),
            ("file:///a/a", None, 2, 2),
            ("mailto:a@example.com", None, 0, 0),
            ("/a/b", None, 0, 0),
            ("", None, 0, 0),
        ] {
            let expected = Location { host: host.map(str::to_owned), components, repeats };
            assert_eq!(locate(url), expected, "{url}");
        }
    }
}
