//! Rabin fingerprints: bits as a polynomial over GF(2), modulo a primitive polynomial of degree 64.
//!
//! The published fingerprint of bits b is (a 1, b, 64 zeros) mod p: the 1 tells strings apart that differ in leading
//! zeros only. Bits are read as they are written, the highest of a byte or of a 64-bit token first. Two properties make
//! it worth its price: the fingerprint of a string goes on where that of its beginning ended (*extension*), and the
//! beginning of a window of known length can be taken away again (*prefix deletion*).
//!
//! A polynomial of degree 64 is a `u64`, its leading x^64 implied. Everything here comes down to v·x^64 mod p for some
//! 64-bit v. Barrett's reduction has it in two carry-less multiplications, exactly, since polynomials have no carry that
//! could be off by one; where the processor has none, eight table look-ups do, and 16 kB a polynomial.

use std::collections::HashSet;

/// The primes that divide 2^64-1.
const PRIMES: [u64; 7] = [3, 5, 17, 257, 641, 65_537, 6_700_417];

/// Whether the order of x modulo `p` is 2^64-1, as great as it can be.
pub fn is_primitive(p: u64) -> bool {
    let modulus = Modulus::new(p);
    // Irreducible factors of degree d give x an order of at most 2^d-1, and repeated ones an even order: x^(2^64) = x
    // leaves few reducible polynomials, and an order of 2^64-1 none.
    p & 1 == 1
        && (0..64).fold(X, |power, _| modulus.square(power)) == X
        && PRIMES.iter().all(|prime| modulus.power(u64::MAX / prime) != 1)
}

const X: u64 = 2;

/// Distinct primitive polynomials, the same ones for a seed for ever.
pub fn primitives(seed: u64) -> impl Iterator<Item = u64> {
    let mut seen = HashSet::new();
    // Without a constant term x is a factor, with an even number of terms (the leading one is implied) x+1 is.
    let candidates = splitmix(seed).map(|drawn| drawn | 1).filter(|p| p.count_ones().is_multiple_of(2));
    candidates.filter(|&p| is_primitive(p)).filter(move |&p| seen.insert(p))
}

/// Pseudo-random numbers: SplitMix64, a counter and a mixer.
pub fn splitmix(seed: u64) -> impl Iterator<Item = u64> {
    (1_u64..).map(move |count| {
        let z = seed.wrapping_add(count.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// A polynomial of degree 64 to divide by, and what Barrett's reduction needs: x^128 / p, its leading x^64 implied.
#[derive(Clone, Copy)]
pub struct Modulus {
    pub polynomial: u64,
    pub quotient: u64,
}

impl Modulus {
    pub fn new(polynomial: u64) -> Self {
        // Long division: x^128 - x^64·p leaves p's lower terms at x^64, which are divided bit by bit.
        let (mut rest, mut quotient) = (polynomial, 0);
        for _ in 0..64 {
            quotient = quotient << 1 | rest >> 63;
            rest = times_x(rest, polynomial);
        }
        Self { polynomial, quotient }
    }

    /// v·x^64 mod p.
    #[inline]
    pub fn lift(self, v: u64) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if clmul::detected() {
            // SAFETY: the processor has the instruction.
            return unsafe { clmul::lift(self, v) };
        }
        self.lift_bit_by_bit(v)
    }

    fn lift_bit_by_bit(self, v: u64) -> u64 {
        (0..64).fold(v, |rest, _| times_x(rest, self.polynomial))
    }

    /// v² mod p: over GF(2) the terms of a square are the squares of the terms.
    fn square(self, v: u64) -> u64 {
        self.lift(spread(v >> 32)) ^ spread(v & 0xffff_ffff)
    }

    /// x^exponent mod p.
    fn power(self, exponent: u64) -> u64 {
        (0..64).rev().fold(1, |power, bit| {
            let square = self.square(power);
            if exponent >> bit & 1 == 1 {
                times_x(square, self.polynomial)
            } else {
                square
            }
        })
    }
}

#[inline]
fn times_x(v: u64, polynomial: u64) -> u64 {
    v << 1 ^ (polynomial & (v >> 63).wrapping_neg())
}

/// The lower 32 bits with a zero between each two.
fn spread(v: u64) -> u64 {
    let v = (v | v << 16) & 0x0000_ffff_0000_ffff;
    let v = (v | v << 8) & 0x00ff_00ff_00ff_00ff;
    let v = (v | v << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let v = (v | v << 2) & 0x3333_3333_3333_3333;
    (v | v << 1) & 0x5555_5555_5555_5555
}

/// The products of one polynomial with every 64-bit polynomial, mod p, byte by byte: 16 kB.
#[derive(Clone)]
pub struct Products(Box<[[u64; 256]; 8]>);

impl Products {
    pub fn new(factor: u64, polynomial: u64) -> Self {
        let mut tables = Box::new([[0; 256]; 8]);
        let mut power = factor;
        for table in tables.iter_mut() {
            for bit in 0..8 {
                let (done, next) = table.split_at_mut(1 << bit);
                next.iter_mut().zip(done).for_each(|(product, lower)| *product = *lower ^ power);
                power = times_x(power, polynomial);
            }
        }
        Self(tables)
    }

    #[inline]
    pub fn of(&self, v: u64) -> u64 {
        self.0.iter().zip(v.to_le_bytes()).fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)])
    }
}

/// The fingerprints by one polynomial.
#[derive(Clone)]
pub struct Rabin {
    modulus: Modulus,
    /// v·x^64 for every v, where the processor does not multiply without carries.
    products: Option<Products>,
}

impl Rabin {
    pub fn new(polynomial: u64) -> Self {
        if has_clmul() {
            Self { modulus: Modulus::new(polynomial), products: None }
        } else {
            Self::with_tables(polynomial)
        }
    }

    /// The same fingerprints by table look-ups, on any processor.
    pub fn with_tables(polynomial: u64) -> Self {
        let modulus = Modulus::new(polynomial);
        // x^64 is what remains of p without its leading term.
        Self { modulus, products: Some(Products::new(polynomial, polynomial)) }
    }

    /// Of no bits at all: a 1 and 64 zeros.
    pub fn empty(&self) -> u64 {
        self.modulus.polynomial
    }

    #[inline]
    fn lift(&self, v: u64) -> u64 {
        match &self.products {
            Some(products) => products.of(v),
            None => self.modulus.lift(v),
        }
    }

    pub fn fingerprint(&self, bytes: &[u8]) -> u64 {
        self.extend(self.empty(), bytes)
    }

    /// The fingerprint of what `fingerprint` stands for, followed by `bytes`.
    #[inline]
    pub fn extend(&self, fingerprint: u64, bytes: &[u8]) -> u64 {
        let (tokens, rest) = bytes.as_chunks::<8>();
        let whole =
            tokens.iter().fold(fingerprint, |so_far, token| self.extend_token(so_far, u64::from_be_bytes(*token)));
        if rest.is_empty() {
            return whole;
        }
        // With fewer than 64 bits only the highest of the fingerprint are shifted beyond x^63.
        let value = rest.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        let bits = 8 * rest.len();
        whole << bits ^ self.lift(whole >> (64 - bits) ^ value)
    }

    /// The same for a token of 64 bits.
    #[inline]
    pub fn extend_token(&self, fingerprint: u64, token: u64) -> u64 {
        self.lift(fingerprint ^ token)
    }

    /// Lowers `least` to the fingerprint of any of the tokens, each by itself, that has a lower one.
    pub fn lower(&self, least: &mut u64, tokens: &[u64]) {
        match &self.products {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: without tables there is the instruction.
            None => unsafe { clmul::lower(self.modulus, least, tokens) },
            _ => {
                for &token in tokens {
                    *least = (*least).min(self.extend_token(self.empty(), token));
                }
            }
        }
    }
}

/// Slides over tokens of 64 bits: push one, get the fingerprint of the last k, once k are in.
#[derive(Clone)]
pub struct Slide {
    rabin: Rabin,
    /// What the token that leaves, and is k tokens back, adds to a fingerprint.
    leaving: Products,
    /// What puts the 1 in front of the window back in its place when the window moves on by a token.
    ahead: u64,
    window: Vec<u64>,
    next: usize,
    seen: usize,
    fingerprint: u64,
}

impl Slide {
    pub fn new(rabin: Rabin, k: usize) -> Self {
        let polynomial = rabin.modulus.polynomial;
        let before = (0..k).fold(rabin.empty(), |power, _| rabin.lift(power)); // x^(64·(k+1))
        let mut slide = Self {
            leaving: Products::new(before, polynomial),
            ahead: before ^ rabin.lift(before),
            window: vec![0; k],
            next: 0,
            seen: 0,
            fingerprint: 0,
            rabin,
        };
        slide.clear();
        slide
    }

    /// Begins a new document.
    pub fn clear(&mut self) {
        // As if k zeros had been pushed: they leave like any token.
        self.window.fill(0);
        (self.next, self.seen) = (0, 0);
        self.fingerprint = self.window.iter().fold(self.rabin.empty(), |so_far, _| self.rabin.extend_token(so_far, 0));
    }

    #[inline]
    pub fn push(&mut self, token: u64) -> Option<u64> {
        let old = std::mem::replace(&mut self.window[self.next], token);
        self.next = if self.next + 1 == self.window.len() { 0 } else { self.next + 1 };
        self.fingerprint = self.rabin.extend_token(self.fingerprint, token) ^ self.leaving.of(old) ^ self.ahead;
        self.seen += 1;
        (self.seen >= self.window.len()).then_some(self.fingerprint)
    }
}

#[cfg(target_arch = "x86_64")]
fn has_clmul() -> bool {
    clmul::detected()
}

#[cfg(not(target_arch = "x86_64"))]
fn has_clmul() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
mod clmul {
    use super::Modulus;
    use std::arch::x86_64::{
        __m128i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set1_epi64x, _mm_set_epi64x, _mm_xor_si128,
    };

    #[inline]
    pub fn detected() -> bool {
        std::arch::is_x86_feature_detected!("pclmulqdq")
    }

    /// The polynomial above its quotient, as one register.
    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn load(modulus: Modulus) -> __m128i {
        _mm_set_epi64x(modulus.polynomial as i64, modulus.quotient as i64)
    }

    /// v·x^64 mod p of the v in the upper half. The quotient by p is v + v·quotient/x^64; what it takes from v·x^64 is
    /// all but the lower half of its product with p.
    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    fn reduce(modulus: __m128i, v: __m128i) -> u64 {
        let quotient = _mm_xor_si128(v, _mm_clmulepi64_si128::<0x01>(v, modulus));
        _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0x11>(quotient, modulus)) as u64
    }

    #[inline]
    #[target_feature(enable = "pclmulqdq")]
    pub fn lift(modulus: Modulus, v: u64) -> u64 {
        reduce(load(modulus), _mm_set1_epi64x(v as i64))
    }

    #[target_feature(enable = "pclmulqdq")]
    pub fn lower(modulus: Modulus, least: &mut u64, tokens: &[u64]) {
        let (constants, empty) = (load(modulus), _mm_set1_epi64x(modulus.polynomial as i64));
        *least = tokens.iter().fold(*least, |least, &token| {
            least.min(reduce(constants, _mm_xor_si128(_mm_set1_epi64x(token as i64), empty)))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits b as a polynomial, the highest first, behind a 1 and before 64 zeros; divided the long way.
    fn by_definition(bytes: &[u8], p: u64) -> u64 {
        let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| u64::from(byte >> bit & 1)));
        let all = std::iter::once(1).chain(bits).chain(std::iter::repeat_n(0, 64));
        all.fold(0, |rest, bit| times_x(rest, p) ^ bit)
    }

    fn draw(seed: u64, count: usize) -> Vec<u64> {
        primitives(seed).take(count).collect()
    }

    #[test]
    fn primitive_polynomials() {
        // x^64+x^4+x^3+x+1 is the one of the tables; the one of CRC-64 (ECMA) is not even of odd weight.
        assert!(is_primitive(0b11011));
        for p in [0, 1, 0b11010, 0x42f0_e1eb_a9ea_3693, u64::MAX] {
            assert!(!is_primitive(p), "{p:x}");
        }
        // The order of x divides 2^64-1 but is a third of it or less.
        let cyclic = splitmix(1).map(|drawn| drawn | 1).find(|&p| Modulus::new(p).power(u64::MAX / 3) == 1).unwrap();
        assert_eq!(Modulus::new(cyclic).power(u64::MAX), 1);
        assert!(!is_primitive(cyclic));
    }

    #[test]
    fn polynomials_are_distinct_and_depend_on_the_seed_alone() {
        let (one, two) = (draw(1, 86), draw(2, 86));
        assert_eq!(one, draw(1, 86));
        let all: HashSet<u64> = one.iter().chain(&two).copied().collect();
        assert_eq!(all.len(), 172);
        assert!(all.into_iter().all(is_primitive));
    }

    #[test]
    fn hardware_tables_and_long_division_agree() {
        for p in draw(3, 5) {
            let (modulus, tables) = (Modulus::new(p), Rabin::with_tables(p));
            for v in splitmix(p).take(200).chain([0, 1, u64::MAX, 1 << 63]) {
                assert_eq!(modulus.lift(v), modulus.lift_bit_by_bit(v));
                assert_eq!(modulus.lift(v), tables.lift(v));
                assert_eq!(modulus.square(v), Products::new(v, p).of(v));
            }
            let tokens: Vec<u64> = splitmix(9).take(77).collect();
            let (mut fast, mut slow) = (u64::MAX, u64::MAX);
            Rabin::new(p).lower(&mut fast, &tokens);
            tables.lower(&mut slow, &tokens);
            assert_eq!(Some(fast), tokens.iter().map(|token| by_definition(&token.to_be_bytes(), p)).min());
            assert_eq!(fast, slow);
        }
    }

    #[test]
    fn fingerprints_are_those_of_the_definition() {
        let bytes: Vec<u8> = splitmix(5).take(40).map(|v| v as u8).collect();
        for p in draw(4, 3) {
            for rabin in [Rabin::new(p), Rabin::with_tables(p)] {
                for end in 0..bytes.len() {
                    let whole = by_definition(&bytes[..end], p);
                    assert_eq!(rabin.fingerprint(&bytes[..end]), whole, "{end}");
                    for middle in 0..end {
                        let begun = rabin.fingerprint(&bytes[..middle]);
                        assert_eq!(rabin.extend(begun, &bytes[middle..end]), whole);
                    }
                }
                assert_ne!(rabin.fingerprint(b"\0"), rabin.fingerprint(b""));
            }
        }
    }

    #[test]
    fn sliding_equals_starting_anew() {
        let p = draw(6, 1)[0];
        let tokens: Vec<u64> = splitmix(7).take(30).map(|v| if v % 5 == 0 { 0 } else { v }).collect();
        for rabin in [Rabin::new(p), Rabin::with_tables(p)] {
            for k in 1..9 {
                let mut slide = Slide::new(rabin.clone(), k);
                for _ in 0..2 {
                    slide.clear();
                    let slid: Vec<u64> = tokens.iter().filter_map(|&token| slide.push(token)).collect();
                    let bytes =
                        |window: &[u64]| window.iter().flat_map(|token| token.to_be_bytes()).collect::<Vec<u8>>();
                    let anew: Vec<u64> = tokens.windows(k).map(|window| by_definition(&bytes(window), p)).collect();
                    assert_eq!(slid, anew, "{k}");
                }
            }
        }
    }
}
