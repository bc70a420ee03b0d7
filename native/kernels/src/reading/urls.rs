//! Where a URL leads: its host, how deep and repetitive its path is, and whether another leads to the same page. URLs
//! are parsed as browsers do (WHATWG).

use std::collections::HashMap;

use url::{Host, Position, Url};

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

/// An absolute URL, parsed: what it has in common with others of the same page or site.
pub struct LinkTarget(Url);

impl LinkTarget {
    /// None for what is no absolute URL.
    pub fn parse(url: &str) -> Option<Self> {
        Url::parse(url).ok().map(Self)
    }

    /// The URL without what makes no other page: the fragment, the `s` of https, a slash at the end of the path.
    pub fn page(&self) -> String {
        let url = &self.0;
        let begin =
            if matches!(url.scheme(), "http" | "https") { Position::AfterScheme } else { Position::BeforeScheme };
        let path = &url[begin..Position::AfterPath];
        let query = &url[Position::AfterPath..Position::AfterQuery];
        [path.strip_suffix('/').unwrap_or(path), query].concat()
    }

    /// The host as it is written.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The host and the domains it lies under, longest first, as registered domains are spelled: `a.b.c`, `b.c`, `c` for
    /// `a.b.c`; an address lies under nothing.
    pub fn hosts(&self) -> Vec<String> {
        let name = match self.0.host() {
            Some(Host::Domain(name)) => name.trim_end_matches('.').to_lowercase(),
            Some(Host::Ipv4(address)) => return vec![address.to_string()],
            Some(Host::Ipv6(address)) => {
                return vec![address.to_ipv4_mapped().map_or_else(|| address.to_string(), |short| short.to_string())];
            }
            None => return Vec::new(),
        };
        if name.is_empty() || name.len() > LONGEST_HOST {
            return Vec::new();
        }
        let shorter = name.match_indices('.').map(|(dot, _)| name[dot + 1..].to_owned());
        std::iter::once(name.clone()).chain(shorter).collect()
    }
}

/// Characters of the longest name that DNS can hold: longer ones are no hosts.
const LONGEST_HOST: usize = 253;

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str) -> Option<String> {
        LinkTarget::parse(url).map(|url| url.page())
    }

    fn hosts(url: &str) -> Vec<String> {
        LinkTarget::parse(url).map(|url| url.hosts()).unwrap_or_default()
    }

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

    #[test]
    fn the_same_page() {
        let same =
            ["http://Example.org:80/a/./b?q=1#top", "https://example.org/a/b/?q=1", "HTTPS://example.org/a//../b?q=1"];
        assert!(same.iter().all(|url| page(url) == Some("://example.org/a/b?q=1".to_owned())));
        assert_eq!(page("http://example.org"), page("https://example.org/#x"));
        let others = ["http://example.org/a/b", "http://example.org/a/b?q=2", "http://www.example.org/a/b?q=1"];
        assert!(others.iter().all(|url| page(url) != page(same[0])));
        assert_ne!(page("http://example.org/A"), page("http://example.org/a"));
        assert_ne!(page("ftp://example.org/a"), page("http://example.org/a"));
        assert_eq!(page("/a/b"), None);
    }

    #[test]
    fn what_a_host_lies_under() {
        for (url, expected) in [
            ("https://News.BBC.co.uk.:8443/x", vec!["news.bbc.co.uk", "bbc.co.uk", "co.uk", "uk"]),
            ("http://bücher.de", vec!["xn--bcher-kva.de", "de"]),
            ("http://localhost/", vec!["localhost"]),
            ("http://127.1/", vec!["127.0.0.1"]),
            ("http://[2001:DB8:0::1]/", vec!["2001:db8::1"]),
            ("http://[::ffff:1.2.3.4]/", vec!["1.2.3.4"]),
            ("mailto:a@example.com", vec![]),
            ("nonsense", vec![]),
        ] {
            assert_eq!(hosts(url), expected, "{url}");
        }
        assert!(hosts(&format!("http://{}com/", "a.".repeat(130))).is_empty());
    }
}
