//! What the sites of two documents are to each other, in a byte.

use crate::documents::servers::{foreign, on_one_domain};

/// Which of two documents is foreign to the other, and whether they are on one domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteRelation(pub u8);

impl SiteRelation {
    const SECOND_IS_FOREIGN: u8 = 1;
    const FIRST_IS_FOREIGN: u8 = 2;
    const ON_ONE_DOMAIN: u8 = 4;
    /// Each to the other.
    pub const FOREIGN: Self = Self(Self::SECOND_IS_FOREIGN | Self::FIRST_IS_FOREIGN);

    /// Of documents with these codes of servers.
    pub fn of(first: &[u8], second: &[u8]) -> Self {
        let flag = |bit: u8, set: bool| if set { bit } else { 0 };
        Self(
            flag(Self::SECOND_IS_FOREIGN, foreign(first, second))
                | flag(Self::FIRST_IS_FOREIGN, foreign(second, first))
                | flag(Self::ON_ONE_DOMAIN, on_one_domain(first, second)),
        )
    }

    /// Whether one is foreign to the other, at least.
    pub fn is_foreign(self) -> bool {
        self.0 & Self::FOREIGN.0 != 0
    }

    /// Whether the second is foreign to the first.
    pub fn is_second_foreign(self) -> bool {
        self.0 & Self::SECOND_IS_FOREIGN != 0
    }

    pub fn is_on_one_domain(self) -> bool {
        self.0 & Self::ON_ONE_DOMAIN != 0
    }

    /// The same with the second document as the first.
    pub fn turned(self) -> Self {
        let (second, first) = (self.0 & Self::SECOND_IS_FOREIGN, self.0 & Self::FIRST_IS_FOREIGN);
        Self(self.0 & Self::ON_ONE_DOMAIN | second << 1 | first >> 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::servers::Place;

    #[test]
    fn relations_turn() {
        let code = |servers: &[u64]| {
            let mut code = Vec::new();
            servers.iter().for_each(|&server| Place { server, addresses: &[] }.append_to(&mut code));
            code
        };
        let (here, mirrored, there) = (code(&[1 << 40]), code(&[1 << 40, 2 << 40]), code(&[3 << 40]));
        for (one, other, first, second) in
            [(&here, &there, true, true), (&here, &mirrored, false, true), (&here, &here, false, false)]
        {
            let found = SiteRelation::of(one, other);
            assert_eq!((found.turned().is_second_foreign(), found.is_second_foreign()), (first, second));
            assert_eq!(found.turned(), SiteRelation::of(other, one));
            assert_eq!(found.turned().turned(), found);
            assert_eq!(found.is_foreign(), first || second);
            assert_eq!(found.is_on_one_domain(), one != &there && other != &there);
        }
    }
}
