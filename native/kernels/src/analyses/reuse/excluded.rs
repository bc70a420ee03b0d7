//! Sites whose documents are not looked at, such as our own and those of partners.

/// Names of sites, and beginnings of URLs.
#[derive(Default)]
pub struct ExcludedSites {
    sites: Vec<Vec<u8>>,
    beginnings: Vec<Vec<u8>>,
}

impl ExcludedSites {
    /// From lines: one with a slash is how URLs begin, without the scheme; others are hosts, or names that hosts end with.
    pub fn new(lines: &[u8]) -> Self {
        let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec);
        let (beginnings, sites) = lines.partition(|line| line.contains(&b'/'));
        Self { sites, beginnings }
    }

    /// Whether a document of this host, domain and URL is of one of them.
    pub fn have(&self, host: Option<&[u8]>, domain: Option<&[u8]>, url: Option<&[u8]>) -> bool {
        let below = |host: &[u8], site: &[u8]| {
            host.strip_suffix(site).is_some_and(|before| before.is_empty() || before.ends_with(b"."))
        };
        let sited = self.sites.iter().any(|site| {
            host.is_some_and(|host| below(host, site)) || domain.is_some_and(|domain| domain == site.as_slice())
        });
        sited
            || url.filter(|_| !self.beginnings.is_empty()).is_some_and(|url| {
                let url = without_scheme(url);
                self.beginnings.iter().any(|beginning| url.starts_with(beginning))
            })
    }
}

/// A URL from its host on, which is in lower case.
fn without_scheme(url: &[u8]) -> Vec<u8> {
    let scheme = url.windows(3).position(|three| three == b"://").map_or(0, |at| at + 3);
    let mut url = url[scheme..].to_vec();
    let host = url.iter().position(|byte| *byte == b'/').unwrap_or(url.len());
    url[..host].make_ascii_lowercase();
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_and_beginnings() {
        let excluded = ExcludedSites::new(b"ours.example\n\npartner.example/news/");
        let have = |url: &str| {
            let host = url.split('/').nth(2).map(str::as_bytes);
            excluded.have(host, None, Some(url.as_bytes()))
        };
        assert!(have("http://ours.example/") && have("https://www.ours.example/x") && !have("http://yours.example/"));
        assert!(have("http://PARTNER.example/news/1") && !have("http://partner.example/other/"));
        assert!(!excluded.have(None, None, None) && excluded.have(None, Some(b"ours.example"), None));
        assert!(!ExcludedSites::default().have(Some(b"ours.example"), None, Some(b"http://ours.example/")));
    }
}
