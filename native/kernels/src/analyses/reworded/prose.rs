//! Which sentences are prose: menus, headings, rows of tables and code are not. What is retold is prose, so passages of it
//! come first.

/// Words of the shortest sentence that is prose.
const LEAST: usize = 5;
/// Beside this many words that follow the one before as in prose, one may not.
const IN_FOUR: usize = 3;

/// Whether a sentence with these words, whose places are those of the text in bytes, is prose: it has five words or more,
/// ends with a full stop or the like, and three in four of its words follow the one before as in prose.
pub fn is_prose(text: &str, end: usize, words: &[(u32, u32)]) -> bool {
    let Some(&(_, last)) = words.last().filter(|_| words.len() >= LEAST) else { return false };
    let part = |begin: u32, end: u32| text.get(begin as usize..end as usize).unwrap_or_default();
    if !part(last, end as u32).contains(is_stop) {
        return false;
    }
    let follows = |pair: &&[(u32, u32)]| {
        let number = part(pair[1].0, pair[1].1).chars().all(char::is_numeric);
        !number && is_plain(part(pair[0].1, pair[1].0))
    };
    (IN_FOUR + 1) * words.windows(2).filter(follows).count() >= IN_FOUR * (words.len() - 1)
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '．' | '｡' | '؟' | '।' | '۔')
}

/// Whether what stands between two words is as in prose: white space with marks of sentences, a mark of a script without
/// spaces, a hyphen, an apostrophe, or nothing.
fn is_plain(between: &str) -> bool {
    let mark =
        |c: char| is_stop(c) || matches!(c, ',' | ';' | ':' | '"' | '\'' | '(' | ')' | '[' | ']' | '-' | '’' | '‘');
    let other = |c: char| {
        matches!(
            c,
            '“' | '”' | '„' | '«' | '»' | '–' | '—' | '،' | '؛' | '\u{3000}'
                ..='\u{303f}' | '，' | '；' | '：' | '（' | '）'
        )
    };
    match between {
        "" | "-" | "'" | "’" => true,
        _ if between.is_ascii() && !between.contains(char::is_whitespace) => false,
        _ => between.chars().all(|c| c.is_whitespace() || mark(c) || other(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::fingerprint::Fingerprinter;
    use crate::text::words::words;

    #[test]
    fn prose_is_told_from_menus_tables_and_code() {
        let read = |text: &str| {
            let mut spans = Vec::new();
            words(text, &Fingerprinter::plain(), |begin, end, _| spans.push((begin as u32, end as u32)));
            is_prose(text, text.len(), &spans)
        };
        for prose in [
            "When the keeper retired, nobody wanted his lonely post.",
            "“It's a well-known place (by now),” she said; few came!",
            "1949年，他回到故乡，写了一本书。",
            "كان البحر هادئا، ولم يأت أحد؟",
            "In 1998 and 1999 they met twice, then never again.",
        ] {
            assert!(read(prose), "{prose}");
        }
        for other in [
            "Home News Sport Weather Travel Culture",
            "10.2. Version 4.6.2 10.3. Version 4.6.1.",
            "for (int i = 0; i != argc; ++i) printf(\"arg %i\", argv[i]);",
            "See the manual.",
            "Package: hello-2.9 Depends: libc6 (>= 2.14), dpkg (>= 1.15.4) | install-info.",
            "",
        ] {
            assert!(!read(other), "{other}");
        }
    }
}
