//! What simple CSS hides: the style of an element, by its `style` attribute and the rules of the page's own `<style>`.
//!
//! Of rules, those of a tag, of classes and of an id are known (`p`, `.a`, `p.a.b`, `#c`), alone or behind `html` and
//! `body`, outside `@` blocks or in one for all screens; others are passed over, and no style sheet is fetched. Linear:
//! of rules that name the same tag, class or id together with others no more than [`MOST_ALIKE`] count, and of the
//! classes of an element no more than [`MOST_CLASSES`].

use std::borrow::Cow;
use std::collections::HashMap;

/// Rules that are looked at for one tag, class or id, beside the one that names nothing else.
const MOST_ALIKE: usize = 16;
/// Classes of an element that are looked at.
const MOST_CLASSES: usize = 16;

const DISPLAY: u16 = 1;
const VISIBILITY: u16 = 1 << 1;
const OPACITY: u16 = 1 << 2;
const FONT: u16 = 1 << 3;
const POSITION: u16 = 1 << 4;
const FAR: u16 = 1 << 5;
const INDENT: u16 = 1 << 6;
const CLIP: u16 = 1 << 7;
const WIDTH: u16 = 1 << 8;
const HEIGHT: u16 = 1 << 9;
const OVERFLOW: u16 = 1 << 10;
const MARGIN: u16 = 1 << 11;
const TRANSFORM: u16 = 1 << 12;
const ZOOM: u16 = 1 << 13;
const CONTENT: u16 = 1 << 14;
const FILTER: u16 = 1 << 15;

/// So many pixels to the left or above is off the screen.
const OFF_SCREEN: f64 = -900.0;
/// Colours that differ by no more than this, in red, green and blue, are the same to a reader.
const SAME: u8 = 8;

/// A colour, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    Colour(u8, u8, u8),
    Transparent,
    /// A picture, or a colour that is not understood.
    Unknown,
}

/// What a style says of the properties that can hide text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Properties that it sets, and those of them that it sets to a value that hides.
    set: u16,
    hiding: u16,
    colour: Option<Paint>,
    background: Option<Paint>,
}

impl Style {
    /// Takes over what a style says that counts more.
    fn add(&mut self, other: Self) {
        self.set |= other.set;
        self.hiding = self.hiding & !other.set | other.hiding;
        self.colour = other.colour.or(self.colour);
        self.background = other.background.or(self.background);
    }

    /// Sets colours that attributes give, where the style gives none.
    pub fn paint(&mut self, colour: Option<Paint>, background: Option<Paint>) {
        self.colour = self.colour.or(colour);
        self.background = self.background.or(background);
    }

    /// Whether an element with this style and all inside it is not seen.
    pub fn conceals(&self) -> bool {
        let all = |bits: u16| self.hiding & bits == bits;
        let alone = DISPLAY | OPACITY | INDENT | CLIP | MARGIN | TRANSFORM | ZOOM | CONTENT | FILTER;
        self.hiding & alone != 0 || all(POSITION | FAR) || all(WIDTH | OVERFLOW) || all(HEIGHT | OVERFLOW)
    }

    fn declare(&mut self, property: &str, value: &str) {
        let value = value.trim();
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        let known = [
            "display",
            "visibility",
            "opacity",
            "font-size",
            "font",
            "transform",
            "zoom",
            "content-visibility",
            "filter",
            "position",
            "left",
            "top",
            "right",
            "bottom",
            "text-indent",
            "clip",
            "clip-path",
            "width",
            "height",
            "max-width",
            "max-height",
            "overflow",
            "color",
            "background",
            "background-color",
            "background-image",
            "margin-left",
            "margin-top",
        ];
        let Some(property) = known.into_iter().find(|name| property.eq_ignore_ascii_case(name)) else { return };
        let (bit, hides) = match property {
            "display" => (DISPLAY, is("none")),
            "visibility" => (VISIBILITY, is("hidden") || is("collapse")),
            "opacity" => (OPACITY, number(value).is_some_and(|(amount, _)| amount <= 0.01)),
            "font-size" => (FONT, is_nothing(value)),
            "font" => {
                // The size is the first number with a unit, or 0: weights have none. Behind a slash is the line height.
                let sizes = value.split_ascii_whitespace().filter_map(|part| part.split('/').next());
                let is_size =
                    |part: &&str| number(part).is_some_and(|(amount, unit)| amount == 0.0 || !unit.is_empty());
                let Some(size) = { sizes }.find(is_size) else { return };
                (FONT, is_nothing(size))
            }
            "transform" => (TRANSFORM, moves_away(value)),
            "zoom" => (ZOOM, number(value).is_some_and(|(amount, _)| amount == 0.0)),
            "content-visibility" => (CONTENT, is("hidden")),
            "filter" => (FILTER, arguments(value, "opacity").is_some_and(|mut sizes| sizes.any(is_zero))),
            "position" => (POSITION, is("absolute") || is("fixed")),
            "margin-left" | "margin-top" => {
                let far = pixels(value).is_some_and(|amount| amount <= OFF_SCREEN);
                if !far && self.hiding & MARGIN != 0 {
                    return; // another side
                }
                (MARGIN, far)
            }
            "left" | "top" | "right" | "bottom" => {
                let far = pixels(value).is_some_and(|amount| amount <= OFF_SCREEN);
                if !far && self.hiding & FAR != 0 {
                    return; // another side
                }
                (FAR, far)
            }
            "text-indent" => (INDENT, pixels(value).is_some_and(|amount| amount <= OFF_SCREEN)),
            "clip" | "clip-path" => (CLIP, clips(value)),
            "width" | "max-width" => (WIDTH, is_nothing(value)),
            "height" | "max-height" => (HEIGHT, is_nothing(value)),
            "overflow" => (OVERFLOW, is("hidden") || is("clip")),
            "color" => {
                self.colour = Some(colour(value).unwrap_or(Paint::Unknown));
                return;
            }
            "background-image" => {
                if !is("none") {
                    self.background = Some(Paint::Unknown);
                }
                return;
            }
            _ => {
                let picture = value.contains('(') && !value.starts_with("rgb");
                let found =
                    if picture { None } else { value.split_ascii_whitespace().find_map(colour).or(colour(value)) };
                match found {
                    Some(Paint::Transparent) => {}
                    Some(paint) => self.background = Some(paint),
                    None if is("none") => {}
                    None => self.background = Some(Paint::Unknown),
                }
                return;
            }
        };
        self.set |= bit;
        self.hiding = self.hiding & !bit | if hides { bit } else { 0 };
    }
}

/// The declarations of a block: those that are ordinary, and those that are important.
fn declarations(block: &str) -> (Style, Style) {
    let (mut usual, mut important) = (Style::default(), Style::default());
    for (property, value) in block.split(';').filter_map(|declaration| declaration.split_once(':')) {
        match value.split_once('!') {
            Some((value, _)) => important.declare(property.trim(), value),
            None => usual.declare(property.trim(), value),
        }
    }
    (usual, important)
}

/// A number and its unit.
fn number(value: &str) -> Option<(f64, &str)> {
    let end = value.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(value.len());
    Some((value[..end].parse().ok()?, value[end..].trim()))
}

/// A length in pixels, as far as it has one.
fn pixels(value: &str) -> Option<f64> {
    let (amount, unit) = number(value)?;
    let size = match unit.to_ascii_lowercase().as_str() {
        "" | "px" => 1.0,
        "em" | "rem" => 16.0,
        "pt" => 1.33,
        "vw" | "vh" | "%" => 10.0,
        "cm" => 37.8,
        "in" => 96.0,
        _ => return None,
    };
    Some(amount * size)
}

/// Whether a length is nothing that a reader sees: none, or a pixel.
fn is_nothing(value: &str) -> bool {
    number(value).is_some_and(|(amount, unit)| amount == 0.0 || amount <= 1.0 && unit == "px")
}

/// The numbers, with their units, that a value gives to a function; none if it does not call it.
fn arguments<'a>(value: &'a str, function: &str) -> Option<impl Iterator<Item = Option<(f64, &'a str)>>> {
    let (name, inside) = value.split_once('(')?;
    let inside = inside.split_once(')').map_or(inside, |(inside, _)| inside);
    let sizes = inside.split([',', ' ']).filter(|part| !part.is_empty()).map(number);
    name.trim().eq_ignore_ascii_case(function).then_some(sizes)
}

fn is_zero(size: Option<(f64, &str)>) -> bool {
    size.is_some_and(|(amount, _)| amount == 0.0)
}

/// Whether a transformation leaves no size, or moves an element off the screen.
fn moves_away(value: &str) -> bool {
    let far = |part: &str| pixels(part.trim()).is_some_and(|amount| amount <= OFF_SCREEN);
    let scales = ["scale", "scalex", "scaley"].into_iter();
    scales.filter_map(|name| arguments(value, name)).any(|mut sizes| sizes.any(is_zero))
        || value.split_once('(').is_some_and(|(name, inside)| {
            let moves =
                ["translate", "translatex", "translatey"].iter().any(|known| name.trim().eq_ignore_ascii_case(known));
            moves && inside.trim_end_matches(')').split(',').any(far)
        })
}

/// Whether a clip leaves nothing to see: a rectangle of nothing, or insets of a half and more.
fn clips(value: &str) -> bool {
    let Some((shape, inside)) = value.split_once('(') else { return false };
    let mut sizes = inside.trim_end_matches(')').split([',', ' ']).filter(|part| !part.is_empty()).map(number);
    match shape.trim().to_ascii_lowercase().as_str() {
        "rect" => sizes.all(|size| size.is_some_and(|(amount, _)| amount <= 1.0)),
        "inset" => sizes.next().flatten().is_some_and(|(amount, unit)| unit == "%" && amount >= 50.0),
        "circle" => sizes.next().flatten().is_some_and(|(amount, _)| amount == 0.0),
        _ => false,
    }
}

const NAMES: &[(&str, (u8, u8, u8))] = &[
    ("white", (255, 255, 255)),
    ("black", (0, 0, 0)),
    ("red", (255, 0, 0)),
    ("green", (0, 128, 0)),
    ("blue", (0, 0, 255)),
    ("yellow", (255, 255, 0)),
    ("silver", (192, 192, 192)),
    ("gray", (128, 128, 128)),
    ("grey", (128, 128, 128)),
    ("navy", (0, 0, 128)),
    ("maroon", (128, 0, 0)),
    ("lime", (0, 255, 0)),
    ("aqua", (0, 255, 255)),
    ("fuchsia", (255, 0, 255)),
    ("purple", (128, 0, 128)),
    ("teal", (0, 128, 128)),
    ("olive", (128, 128, 0)),
    ("orange", (255, 165, 0)),
    ("snow", (255, 250, 250)),
    ("ivory", (255, 255, 240)),
    ("whitesmoke", (245, 245, 245)),
];

/// A colour by its name, in hexadecimal digits, or as rgb().
pub fn colour(value: &str) -> Option<Paint> {
    let value = value.trim().to_ascii_lowercase();
    if value == "transparent" {
        return Some(Paint::Transparent);
    }
    if let Some(&(_, (r, g, b))) = NAMES.iter().find(|(name, _)| *name == value) {
        return Some(Paint::Colour(r, g, b));
    }
    if let Some(digits) = value.strip_prefix('#') {
        let digit =
            |at: usize| digits.as_bytes().get(at).and_then(|&byte| char::from(byte).to_digit(16)).map(|d| d as u8);
        return match digits.len() {
            3 | 4 => {
                let alpha = digits.len() == 4 && digit(3)? == 0;
                let paint = Paint::Colour(17 * digit(0)?, 17 * digit(1)?, 17 * digit(2)?);
                Some(if alpha { Paint::Transparent } else { paint })
            }
            6 | 8 => {
                let pair = |at: usize| Some(16 * digit(at)? + digit(at + 1)?);
                let alpha = digits.len() == 8 && pair(6)? == 0;
                Some(if alpha { Paint::Transparent } else { Paint::Colour(pair(0)?, pair(2)?, pair(4)?) })
            }
            _ => None,
        };
    }
    let inside = value.strip_prefix("rgba(").or(value.strip_prefix("rgb("))?.strip_suffix(')')?;
    let mut parts = inside.split([',', ' ', '/']).filter(|part| !part.is_empty()).map(|part| part.parse::<f64>().ok());
    let mut next = || Some(parts.next()??.clamp(0.0, 255.0) as u8);
    let (r, g, b) = (next()?, next()?, next()?);
    match parts.next() {
        Some(Some(0.0)) => Some(Paint::Transparent),
        _ => Some(Paint::Colour(r, g, b)),
    }
}

/// What elements take over from those around them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    invisible: bool,
    no_size: bool,
    colour: Option<Paint>,
    background: Paint,
}

impl Look {
    /// That of a page; its background is white, unless other sheets may say otherwise.
    pub fn page(linked: bool) -> Self {
        let background = if linked { Paint::Unknown } else { Paint::Colour(255, 255, 255) };
        Self { invisible: false, no_size: false, colour: None, background }
    }

    /// That of an element with this style; `link` if it has a colour of its own without saying so.
    pub fn with(mut self, style: Style, link: bool) -> Self {
        if style.set & VISIBILITY != 0 {
            self.invisible = style.hiding & VISIBILITY != 0;
        }
        if style.set & FONT != 0 {
            self.no_size = style.hiding & FONT != 0;
        }
        self.colour = style.colour.or(self.colour.filter(|_| !link));
        self.background = style.background.unwrap_or(self.background);
        self
    }

    /// The same, but seen, whatever its size and visibility: pages hide all of themselves until their scripts have run.
    pub fn shown(mut self) -> Self {
        (self.invisible, self.no_size) = (false, false);
        self
    }

    /// Whether text that looks so can be read.
    pub fn is_seen(&self) -> bool {
        let same = match (self.colour, self.background) {
            (Some(Paint::Transparent), _) => true,
            (Some(Paint::Colour(r, g, b)), Paint::Colour(x, y, z)) => {
                r.abs_diff(x) <= SAME && g.abs_diff(y) <= SAME && b.abs_diff(z) <= SAME
            }
            _ => false,
        };
        !(self.invisible || self.no_size || same)
    }
}

struct Rule {
    tag: String,
    id: String,
    classes: Vec<String>,
    weight: (u32, usize),
    usual: Style,
    important: Style,
}

/// The rules of a page that can hide text.
#[derive(Default)]
pub struct Sheet {
    rules: Vec<Rule>,
    tags: HashMap<String, Vec<usize>>,
    named: HashMap<String, Vec<usize>>,
    /// Whether a rule that was passed over sets a background, so that nobody knows what is behind a text.
    pub paints_elsewhere: bool,
}

impl Sheet {
    /// Adds the rules of a `<style>`.
    pub fn read(&mut self, source: &str) {
        let source = without_disguise(source);
        let mut rest = &*source;
        loop {
            rest = rest.trim_start();
            rest = rest.strip_prefix("<!--").unwrap_or(rest);
            let Some(end) = rest.find(['{', '}', ';']) else { return };
            let (prelude, mark) = (&rest[..end], rest.as_bytes()[end]);
            rest = &rest[end + 1..];
            if mark != b'{' {
                continue;
            }
            if prelude.trim_start().starts_with('@') {
                if !is_for_all_screens(prelude) {
                    let after = skip_block(rest);
                    self.paints_elsewhere |= rest[..rest.len() - after.len()].contains("background");
                    rest = after;
                }
                continue;
            }
            let after = skip_block(rest);
            let mut block = rest[..rest.len() - after.len()].trim_end_matches('}');
            if let Some(nested) = block.find('{') {
                // Of a rule with rules inside, the declarations before these count.
                self.paints_elsewhere |= block[nested..].contains("background");
                block = block[..nested].rfind(';').map_or("", |last| &block[..last]);
            }
            rest = after;
            let (usual, important) = declarations(block);
            if usual == Style::default() && important == Style::default() {
                continue;
            }
            for selector in prelude.split(',') {
                self.add(selector.trim(), usual, important);
            }
        }
    }

    fn add(&mut self, selector: &str, usual: Style, important: Style) {
        let simple = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '#');
        // Every element of a page is in these two.
        let around = |part: &&str| part.eq_ignore_ascii_case("html") || part.eq_ignore_ascii_case("body");
        let parts: Vec<&str> = selector.split_ascii_whitespace().collect();
        let outer = parts.iter().take_while(|part| around(part)).count().min(parts.len().saturating_sub(1));
        let [selector] = parts[outer..] else {
            self.paints_elsewhere |= usual.background.or(important.background).is_some();
            return;
        };
        if !selector.chars().all(simple) {
            self.paints_elsewhere |= usual.background.or(important.background).is_some();
            return;
        }
        let (mut tag, mut id, mut classes) = (String::new(), String::new(), Vec::new());
        let mut at = 0;
        while at < selector.len() {
            let mark = selector.as_bytes()[at];
            let begin = at + usize::from(matches!(mark, b'.' | b'#'));
            let end = selector[begin..].find(['.', '#']).map_or(selector.len(), |length| begin + length);
            match mark {
                b'.' if classes.len() < MOST_CLASSES => classes.push(String::from(&selector[begin..end])),
                b'.' => return,
                b'#' => id = String::from(&selector[begin..end]),
                _ => tag = selector[begin..end].to_ascii_lowercase(),
            }
            at = end;
        }
        let number = self.rules.len();
        let weight = 10_000 * u32::from(!id.is_empty()) + 100 * classes.len() as u32 + u32::from(!tag.is_empty());
        let alike = match (id.as_str(), classes.first()) {
            ("", None) => self.tags.entry(tag.clone()).or_default(),
            ("", Some(class)) => self.named.entry(class.clone()).or_default(),
            _ => self.named.entry(id.clone()).or_default(),
        };
        // The same selector again: its rules are put together.
        let same = |&at: &usize| {
            let rule = &self.rules[at];
            rule.tag == tag && rule.id == id && rule.classes == classes
        };
        if let Some(same) = alike.iter().copied().find(same) {
            let same = &mut self.rules[same];
            same.usual.add(usual);
            same.important.add(important);
            same.weight.1 = number;
            return;
        }
        let alone = usize::from(!tag.is_empty()) + usize::from(!id.is_empty()) + classes.len() == 1;
        if alone || alike.len() < MOST_ALIKE {
            alike.push(number);
            self.rules.push(Rule { tag, id, classes, weight: (weight, number), usual, important });
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The style of an element.
    pub fn style(&self, tag: &str, id: &str, classes: &str, inline: Option<&str>) -> Style {
        let own = inline.map(|inline| declarations(&without_disguise(inline))).unwrap_or_default();
        let mut style = Style::default();
        if self.rules.is_empty() {
            style.add(own.0);
            style.add(own.1);
            return style;
        }
        let own_classes: Vec<&str> = classes.split_ascii_whitespace().take(MOST_CLASSES).collect();
        let tags = self.tags.get(tag.to_ascii_lowercase().as_str());
        let named = own_classes.iter().chain([&id]).filter_map(|&name| self.named.get(name));
        let fits = |rule: &&Rule| {
            (rule.tag.is_empty() || rule.tag.eq_ignore_ascii_case(tag))
                && (rule.id.is_empty() || rule.id == id)
                && rule.classes.iter().all(|class| own_classes.contains(&class.as_str()))
        };
        let mut found: Vec<&Rule> =
            tags.into_iter().chain(named).flatten().map(|&number| &self.rules[number]).filter(fits).collect();
        found.sort_unstable_by_key(|rule| rule.weight);
        found.iter().for_each(|rule| style.add(rule.usual));
        style.add(own.0);
        found.iter().for_each(|rule| style.add(rule.important));
        style.add(own.1);
        style
    }
}

/// A style without comments and strings, and with its escapes undone (`\64isplay`).
fn without_disguise(source: &str) -> Cow<'_, str> {
    const MARKS: [char; 4] = ['/', '\\', '"', '\''];
    if !source.contains(MARKS) {
        return Cow::Borrowed(source);
    }
    let mut plain = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find(MARKS) {
        plain.push_str(&rest[..at]);
        let mark = rest.as_bytes()[at];
        rest = &rest[at + 1..];
        match mark {
            b'/' if rest.starts_with('*') => {
                plain.push(' ');
                rest = rest[1..].split_once("*/").map_or("", |(_, after)| after);
            }
            b'/' => plain.push('/'),
            b'\\' => {
                let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
                let code = u32::from_str_radix(&rest[..digits], 16).ok();
                let c = if digits > 0 { code.and_then(char::from_u32) } else { rest.chars().next() };
                rest = &rest[if digits > 0 { digits } else { c.map_or(0, char::len_utf8) }..];
                if digits > 0 {
                    rest = rest.strip_prefix([' ', '\n', '\t']).unwrap_or(rest);
                }
                // A mark that is escaped is part of a name, and does not end it.
                let named = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_');
                plain.push(c.filter(named).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            quote => rest = skip_string(rest, char::from(quote)),
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// What follows the end of a string that has been begun; a line feed ends it, too.
fn skip_string(mut rest: &str, quote: char) -> &str {
    while let Some(at) = rest.find([quote, '\\', '\n']) {
        let escape = rest.as_bytes()[at] == b'\\';
        rest = &rest[at + 1..];
        if !escape {
            return rest;
        }
        rest = rest.chars().next().map_or(rest, |c| &rest[c.len_utf8()..]);
    }
    ""
}

/// Whether the rules in an `@` block hold on every screen.
fn is_for_all_screens(prelude: &str) -> bool {
    let prelude = prelude.trim().to_ascii_lowercase();
    let screens = ["", "all", "screen", "only screen"];
    prelude.starts_with("@layer")
        || prelude
            .strip_prefix("@media")
            .is_some_and(|asked| asked.split(',').any(|each| screens.contains(&each.trim())))
}

/// What follows the end of a block that has been begun.
fn skip_block(rest: &str) -> &str {
    let mut depth = 1;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &rest[at + 1..];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(sheet: &str, tag: &str, id: &str, classes: &str, inline: Option<&str>) -> Style {
        let mut found = Sheet::default();
        found.read(sheet);
        found.style(tag, id, classes, inline)
    }

    #[test]
    fn what_conceals() {
        for hidden in [
            "display:none",
            "DISPLAY : None !important",
            "opacity:0",
            "position:absolute;left:-9999px",
            "left:-9999px;top:0;position:absolute",
            "position:fixed; top: -200em",
            "text-indent:-9999px",
            "clip:rect(0 0 0 0)",
            "clip: rect(1px, 1px, 1px, 1px)",
            "clip-path:inset(50%)",
            "height:0;overflow:hidden",
            "width:1px;height:1px;overflow:hidden",
            "margin-left:-9999px",
            "transform: scale(0)",
            "transform:translateX(-9999px)",
            "transform:translate(0, -200em)",
            "zoom:0",
            "content-visibility:hidden",
            "filter:opacity(0%)",
        ] {
            assert!(style("", "p", "", "", Some(hidden)).conceals(), "{hidden}");
        }
        for seen in [
            "",
            "display:none;display:block",
            "opacity:0.5",
            "left:-9999px",
            "position:absolute;left:-10px",
            "height:0",
            "overflow:hidden",
            "clip:auto",
            "clip:rect(0 100px 100px 0)",
            "font-size:12px",
            "x-display:none",
            "margin-left:-20px",
            "transform:scale(1.5) rotate(0)",
            "transform:translate(-50%, -50%)",
            "zoom:1",
            "filter:blur(0)",
        ] {
            assert!(!style("", "p", "", "", Some(seen)).conceals(), "{seen}");
        }
    }

    #[test]
    fn looks() {
        let look = |inline: &str| Look::page(false).with(style("", "p", "", "", Some(inline)), false);
        for hidden in [
            "visibility:hidden",
            "font-size:0",
            "font-size:0px",
            "color:#fff",
            "color:#FEFEFE",
            "color:white;background:white",
            "color:rgb(1, 2, 3);background-color:#010203",
            "color:transparent",
            "color:rgba(9,9,9,0)",
        ] {
            assert!(!look(hidden).is_seen(), "{hidden}");
        }
        for seen in ["color:#ffe", "color:white;background:#000", "color:white;background:url(x.png)", "color:var(--x)"]
        {
            assert!(look(seen).is_seen(), "{seen}");
        }
        assert!(Look::page(true).with(style("", "p", "", "", Some("color:#fff")), false).is_seen());
        let hidden = look("visibility:hidden");
        assert!(hidden.with(style("", "p", "", "", Some("visibility:visible")), false).is_seen());
    }

    #[test]
    fn rules_of_the_page() {
        let sheet = "/* x */ .a, p.b { display: none } @media print { .c { display:none } } @import 'x'; \
            #d{opacity:0}.a.e{display:block}div p{display:none}.f:hover{display:none} .g{display:none}.g{display:block}";
        let hides = |tag, id, classes| style(sheet, tag, id, classes, None).conceals();
        assert!(hides("p", "", "a") && hides("P", "", "x b") && hides("i", "d", ""));
        assert!(!hides("div", "", "b") && !hides("p", "", "c") && !hides("p", "", "a e"));
        assert!(!hides("p", "", "f") && !hides("p", "", "") && !hides("p", "", "g"));
        assert!(!style(sheet, "p", "", "a", Some("display:block")).conceals());
    }
}
