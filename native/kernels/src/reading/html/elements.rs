//! What each HTML element means for the text of a page, and which elements are open.
//!
//! Much simpler than the tree construction of the WHATWG standard, and linear for any input: each open element knows
//! where the one before it with the same name is, so that finding what an end tag ends costs the same however deep the
//! stack is.

use std::collections::HashMap;

use crate::reading::html::css::Look;

/// A chunk ends where the element begins, and where it ends.
pub const BLOCK: u16 = 1;
/// Has no content and no end tag.
pub const VOID: u16 = 1 << 1;
/// Its content is not seen.
pub const UNSEEN: u16 = 1 << 2;
/// Keeps its lines as they are.
pub const PRE: u16 = 1 << 3;
/// Ends an open paragraph.
pub const ENDS_P: u16 = 1 << 4;
/// Cannot stand in `<svg>` or `<math>`: its start tag ends these.
pub const LEAVES: u16 = 1 << 5;
/// Inside `<svg>` or `<math>`, holds HTML again.
pub const RETURNS: u16 = 1 << 6;
/// Unseen inside `<svg>` only.
pub const UNSEEN_IN_SVG: u16 = 1 << 7;
/// No end tag reaches out of it but its own.
pub const WALL: u16 = 1 << 8;
/// A box within the line: its text is separate from the words around it.
pub const BOX: u16 = 1 << 9;

const FLOW: u16 = BLOCK | ENDS_P;

macro_rules! elements {
    ($($variant:ident $name:literal $flags:expr;)*) => {
        /// The elements that are treated in a way of their own. All others are [`Element::Other`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Element { $($variant,)* Other }

        const TABLE: &[(&str, Element, u16)] = &[$(($name, Element::$variant, $flags),)*];
    };
}

elements! {
    A "a" 0;
    Address "address" FLOW;
    Annotation "annotation" UNSEEN;
    AnnotationXml "annotation-xml" UNSEEN | RETURNS;
    Applet "applet" WALL;
    Area "area" VOID;
    Article "article" FLOW;
    Aside "aside" FLOW;
    Audio "audio" UNSEEN;
    B "b" LEAVES;
    Base "base" VOID;
    Basefont "basefont" VOID;
    Bgsound "bgsound" VOID;
    Big "big" LEAVES;
    Blockquote "blockquote" FLOW | LEAVES;
    Body "body" BLOCK | LEAVES;
    Br "br" VOID | LEAVES;
    Button "button" BOX;
    Canvas "canvas" UNSEEN;
    Caption "caption" BLOCK | WALL;
    Center "center" FLOW | LEAVES;
    Code "code" LEAVES;
    Col "col" VOID;
    Colgroup "colgroup" 0;
    Datalist "datalist" UNSEEN;
    Dd "dd" FLOW | LEAVES;
    Desc "desc" UNSEEN_IN_SVG | RETURNS;
    Details "details" FLOW;
    Dialog "dialog" FLOW;
    Dir "dir" FLOW;
    Div "div" FLOW | LEAVES;
    Dl "dl" FLOW | LEAVES;
    Dt "dt" FLOW | LEAVES;
    Em "em" LEAVES;
    Embed "embed" VOID | LEAVES;
    Fieldset "fieldset" FLOW;
    Figcaption "figcaption" FLOW;
    Figure "figure" FLOW;
    Footer "footer" FLOW;
    ForeignObject "foreignobject" RETURNS | WALL;
    Form "form" FLOW;
    Frame "frame" VOID;
    Frameset "frameset" BLOCK;
    H1 "h1" FLOW | LEAVES;
    H2 "h2" FLOW | LEAVES;
    H3 "h3" FLOW | LEAVES;
    H4 "h4" FLOW | LEAVES;
    H5 "h5" FLOW | LEAVES;
    H6 "h6" FLOW | LEAVES;
    Head "head" LEAVES;
    Header "header" FLOW;
    Hgroup "hgroup" FLOW;
    Hr "hr" FLOW | VOID | LEAVES;
    Html "html" BLOCK;
    I "i" LEAVES;
    Iframe "iframe" UNSEEN;
    Img "img" VOID | LEAVES;
    Input "input" VOID | BOX;
    Keygen "keygen" VOID;
    Legend "legend" BLOCK;
    Li "li" FLOW | LEAVES;
    Link "link" VOID;
    Listing "listing" FLOW | PRE | LEAVES;
    Main "main" FLOW;
    Marquee "marquee" WALL;
    Math "math" 0;
    Menu "menu" FLOW | LEAVES;
    Meta "meta" VOID | LEAVES;
    Metadata "metadata" UNSEEN_IN_SVG;
    Mi "mi" RETURNS;
    Mn "mn" RETURNS;
    Mo "mo" RETURNS;
    Ms "ms" RETURNS;
    Mtext "mtext" RETURNS;
    Nav "nav" FLOW;
    Nobr "nobr" LEAVES;
    Noembed "noembed" UNSEEN;
    Noframes "noframes" UNSEEN;
    Noscript "noscript" UNSEEN;
    Object "object" UNSEEN | WALL;
    Ol "ol" FLOW | LEAVES;
    Optgroup "optgroup" BLOCK;
    Option "option" BLOCK;
    P "p" FLOW | LEAVES;
    Param "param" VOID;
    Plaintext "plaintext" FLOW | PRE;
    Pre "pre" FLOW | PRE | LEAVES;
    Ruby "ruby" LEAVES;
    S "s" LEAVES;
    Script "script" UNSEEN;
    Search "search" FLOW;
    Section "section" FLOW;
    Select "select" UNSEEN | BOX;
    Small "small" LEAVES;
    Source "source" VOID;
    Span "span" LEAVES;
    Strike "strike" LEAVES;
    Strong "strong" LEAVES;
    Style "style" UNSEEN;
    Sub "sub" LEAVES;
    Summary "summary" FLOW;
    Sup "sup" LEAVES;
    Svg "svg" 0;
    Table "table" FLOW | LEAVES | WALL;
    Tbody "tbody" BLOCK;
    Td "td" BLOCK | WALL;
    Template "template" UNSEEN | WALL;
    Textarea "textarea" UNSEEN | BOX;
    Tfoot "tfoot" BLOCK;
    Th "th" BLOCK | WALL;
    Thead "thead" BLOCK;
    Title "title" UNSEEN | RETURNS;
    Tr "tr" BLOCK;
    Track "track" VOID;
    Tt "tt" LEAVES;
    U "u" LEAVES;
    Ul "ul" FLOW | LEAVES;
    Var "var" LEAVES;
    Video "video" UNSEEN;
    Wbr "wbr" VOID;
    Xmp "xmp" FLOW | PRE;
}

use Element::{
    Caption, Colgroup, Datalist, Dd, Dir, Dl, Dt, Li, Math, Menu, Ol, Optgroup, Option as Choice, Other, Select, Svg,
    Table, Tbody, Td, Template, Tfoot, Th, Thead, Tr, Ul, P,
};

const KNOWN: usize = Other as usize;
const SLOTS: usize = 256;

/// Four bytes as a number, ASCII letters in lower case.
#[inline]
const fn four(name: &[u8], at: usize) -> u128 {
    (u32::from_le_bytes([name[at], name[at + 1], name[at + 2], name[at + 3]]) | 0x2020_2020) as u128
}

/// A tag name as a number, in lower case. Different names of the same length, made of letters and digits, have
/// different numbers if they have up to 16 bytes; of longer names, only both ends count.
#[inline]
const fn pack(name: &[u8]) -> u128 {
    let length = name.len();
    match length {
        0 => 0,
        1..=3 => {
            ((name[0] as u32 | (name[length / 2] as u32) << 8 | (name[length - 1] as u32) << 16) | 0x20_2020) as u128
        }
        4..=8 => four(name, 0) | four(name, length - 4) << 32,
        _ => four(name, 0) | four(name, 4) << 32 | four(name, length - 8) << 64 | four(name, length - 4) << 96,
    }
}

/// Where the search for a name begins in [`NAMES`].
#[inline]
const fn slot(packed: u128, length: usize) -> usize {
    let folded = packed as u64 ^ (packed >> 64) as u64 ^ length as u64;
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize
}

/// [`TABLE`] by name, packed and with its length: open-addressed; a length of 0 is a free place.
static NAMES: [(u128, u8, Element, u16); SLOTS] = {
    let mut slots = [(0, 0, Other, 0); SLOTS];
    let mut row = 0;
    while row < TABLE.len() {
        let (name, element, flags) = TABLE[row];
        let packed = pack(name.as_bytes());
        let mut at = slot(packed, name.len());
        while slots[at].1 != 0 {
            at = (at + 1) % SLOTS;
        }
        slots[at] = (packed, name.len() as u8, element, flags);
        row += 1;
    }
    slots
};

/// The element of this name, in any case, and what it is.
#[inline]
pub fn look_up(name: &str) -> (Element, u16) {
    let packed = pack(name.as_bytes());
    let mut at = slot(packed, name.len());
    loop {
        let (other, length, element, flags) = NAMES[at];
        if length == 0 || other == packed && usize::from(length) == name.len() {
            return (element, flags);
        }
        at = (at + 1) % SLOTS;
    }
}

/// An element that is open: its flags (with those that its attributes and surroundings add), and the place of the one
/// before it with the same name, counted from 1.
struct Open {
    name: usize,
    flags: u16,
    before: usize,
    look: Look,
}

/// Beside the flags of the table: it belongs to SVG or MathML.
const FOREIGN: u16 = 1 << 15;
/// Beside them: its style or an attribute hides all of it.
const CONCEALED: u16 = 1 << 14;

/// The elements that are open.
pub struct Stack {
    open: Vec<Open>,
    /// For each name, where it was opened last, counted from 1; 0 if it is not open.
    latest: Vec<usize>,
    /// Numbers for the names that are not in the table, by packed name and length.
    others: HashMap<(u128, usize), usize>,
    blocks: Vec<usize>,
    walls: Vec<usize>,
    unseen: usize,
    concealed: usize,
    pre: usize,
    pub deepest: usize,
    page: Look,
}

impl Stack {
    /// Nothing is open; the page looks so.
    pub fn new(page: Look) -> Self {
        Self {
            open: Vec::new(),
            latest: vec![0; KNOWN],
            others: HashMap::new(),
            blocks: Vec::new(),
            walls: Vec::new(),
            unseen: 0,
            concealed: 0,
            pre: 0,
            deepest: 0,
            page,
        }
    }

    /// Whether text is seen here.
    #[inline]
    pub fn seen(&self) -> bool {
        self.is_laid_out() && self.look().is_seen()
    }

    /// Whether text takes room here, seen or not.
    #[inline]
    pub fn is_laid_out(&self) -> bool {
        self.unseen + self.concealed == 0
    }

    /// Whether text would be seen here, if no style or attribute hid it.
    #[inline]
    pub fn hidden(&self) -> bool {
        self.unseen == 0 && !self.seen()
    }

    /// How text looks here.
    #[inline]
    pub fn look(&self) -> Look {
        self.open.last().map_or(self.page, |top| top.look)
    }

    /// Whether lines are kept as they are here.
    #[inline]
    pub fn pre(&self) -> bool {
        self.pre > 0
    }

    /// Whether tags that come here belong to SVG or MathML.
    #[inline]
    pub fn foreign(&self) -> bool {
        self.open.last().is_some_and(|top| top.flags & (FOREIGN | RETURNS) == FOREIGN)
    }

    /// Ends the open elements that cannot contain this one, as its start tag does (a paragraph in a paragraph, a list
    /// item in an item of the same list). Returns whether one of them was a block that was seen.
    #[inline]
    pub fn make_room(&mut self, element: Element, flags: u16) -> bool {
        let mut ended = false;
        if flags & LEAVES != 0 && self.foreign() {
            let floor = self.open.iter().rposition(|open| open.flags & (FOREIGN | RETURNS) != FOREIGN);
            ended |= self.close_to(floor.map_or(0, |last| last + 1));
        }
        const CELLS: &[Element] = &[Td, Th, Caption, Colgroup];
        const ROWS: &[Element] = &[Tr, Td, Th, Caption, Colgroup];
        const GROUPS: &[Element] = &[Tbody, Thead, Tfoot, Tr, Td, Th, Caption, Colgroup];
        const TABLES: &[Element] = &[Table, Template];
        ended |= match element {
            Li => self.close_any(&[Li], &[Ul, Ol, Menu, Dir], true),
            Dd | Dt => self.close_any(&[Dd, Dt], &[Dl], true),
            Choice => self.close_any(&[Choice], &[Optgroup, Select, Datalist], true),
            Optgroup => self.close_any(&[Optgroup, Choice], &[Select, Datalist], true),
            Td | Th => self.close_any(CELLS, TABLES, false),
            Tr => self.close_any(ROWS, TABLES, false),
            Tbody | Thead | Tfoot | Caption | Colgroup => self.close_any(GROUPS, TABLES, false),
            _ => false,
        };
        if flags & ENDS_P != 0 {
            ended |= self.close_any(&[P], &[], true);
        }
        ended
    }

    /// Ends the outermost of `elements` that is open inside all of `around` (and inside the last wall).
    #[inline]
    fn close_any(&mut self, elements: &[Element], around: &[Element], walls: bool) -> bool {
        let floor = around.iter().map(|&element| self.latest[element as usize]).max().unwrap_or(0);
        let floor = if walls { floor.max(self.walls.last().copied().unwrap_or(0)) } else { floor };
        let inside = elements.iter().map(|&element| self.latest[element as usize]).filter(|&at| at > floor).min();
        inside.is_some_and(|at| self.close_to(at - 1))
    }

    /// Opens an element that looks so; `concealed` if its style or an attribute hides all of it. Returns whether it
    /// takes room.
    #[inline]
    pub fn push(&mut self, name: &str, element: Element, flags: u16, concealed: bool, look: Look) -> bool {
        let mut flags = flags & !UNSEEN_IN_SVG | if self.is_unseen(flags) { UNSEEN } else { 0 };
        flags |= if concealed { CONCEALED } else { 0 };
        if matches!(element, Svg | Math) || self.foreign() {
            flags |= FOREIGN;
        }
        let name = self.number(name, element);
        self.open.push(Open { name, flags, before: self.latest[name], look });
        let at = self.open.len();
        self.latest[name] = at;
        self.deepest = self.deepest.max(at);
        self.unseen += usize::from(flags & UNSEEN != 0);
        self.concealed += usize::from(concealed);
        self.pre += usize::from(flags & PRE != 0);
        if flags & BLOCK != 0 {
            self.blocks.push(at);
        }
        if flags & WALL != 0 {
            self.walls.push(at);
        }
        self.is_laid_out()
    }

    fn is_unseen(&self, flags: u16) -> bool {
        flags & UNSEEN != 0 || flags & UNSEEN_IN_SVG != 0 && self.foreign()
    }

    fn number(&mut self, name: &str, element: Element) -> usize {
        if element != Other {
            return element as usize;
        }
        let next = self.latest.len();
        let number = *self.others.entry((pack(name.as_bytes()), name.len())).or_insert(next);
        if number == next {
            self.latest.push(0);
        }
        number
    }

    /// Ends the element that an end tag ends, with all that was opened inside it. An end tag has no effect on elements
    /// outside the innermost wall (such as a table cell). There are three exceptions: those of tables and templates
    /// reach through walls, those of parts of a table reach as far as their table, and that of an element that is
    /// neither a block nor unseen does not even reach out of the innermost block. Returns whether a block was ended
    /// that was seen; none if there was nothing to end.
    #[inline]
    pub fn close(&mut self, name: &str, element: Element) -> Option<bool> {
        let number =
            if element == Other { *self.others.get(&(pack(name.as_bytes()), name.len()))? } else { element as usize };
        let at = self.latest[number];
        if at == 0 {
            return None;
        }
        let floor = match element {
            Table | Template => 0,
            Td | Th | Tr | Tbody | Thead | Tfoot | Caption | Colgroup => {
                self.latest[Table as usize].max(self.latest[Template as usize])
            }
            _ if self.open[at - 1].flags & (BLOCK | UNSEEN | CONCEALED) == 0 => {
                self.blocks.last().copied().unwrap_or(0)
            }
            _ => self.walls.last().copied().unwrap_or(0),
        };
        (at >= floor).then(|| self.close_to(at - 1))
    }

    /// Ends all but the outermost `depth` elements.
    fn close_to(&mut self, depth: usize) -> bool {
        let mut ended = false;
        while self.open.len() > depth {
            let at = self.open.len();
            let Some(Open { name, flags, before, .. }) = self.open.pop() else { break };
            self.latest[name] = before;
            if flags & WALL != 0 {
                self.walls.pop();
            }
            if flags & BLOCK != 0 {
                debug_assert_eq!(self.blocks.last(), Some(&at));
                self.blocks.pop();
                ended |= self.is_laid_out();
            }
            self.unseen -= usize::from(flags & UNSEEN != 0);
            self.concealed -= usize::from(flags & CONCEALED != 0);
            self.pre -= usize::from(flags & PRE != 0);
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_found_in_any_case() {
        for &(name, element, flags) in TABLE {
            assert_eq!(look_up(name), (element, flags));
            assert_eq!(look_up(&name.to_uppercase()), (element, flags));
            assert_eq!(look_up(&format!("{name}x")), (Other, 0));
        }
        for name in ["", "x", "font", "my-element", "averyveryverylongname", "é"] {
            assert_eq!(look_up(name), (Other, 0));
        }
    }
}
