//! e^x and ln x from additions, multiplications and divisions alone, which are the same to the last bit on every
//! machine; what a system's library returns for them is not. Both are right to about 13 digits.

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// 1 / 12 … 1 / 1: a multiplication takes a fraction of the time of a division.
const INVERSES: [f64; 12] = {
    let mut inverses = [1.0; 12];
    let mut at = 0;
    while at < 12 {
        inverses[at] = 1.0 / (12 - at) as f64;
        at += 1;
    }
    inverses
};

/// e^-x for x >= 0; 0 beyond 700.
#[inline]
pub fn decay(x: f64) -> f64 {
    if x > 700.0 {
        return 0.0;
    }
    let halvings = (x * LOG2_E + 0.5) as u64;
    let rest = halvings as f64 * LN_2 - x; // between -ln 2 / 2 and ln 2 / 2
    let mut sum = 1.0;
    for inverse in INVERSES {
        sum = 1.0 + sum * (rest * inverse);
    }
    sum * f64::from_bits((1023 - halvings) << 52)
}

/// The natural logarithm of a positive, normal number.
#[inline]
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let s = (mantissa - 1.0) / (mantissa + 1.0); // ln m = 2 artanh s
    let square = s * s;
    let mut sum = 0.0;
    for odd in [17_u32, 15, 13, 11, 9, 7, 5, 3, 1] {
        sum = sum * square + 1.0 / f64::from(odd);
    }
    2.0 * s * sum + f64::from(exponent) * LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_library_has_them_but_for_rounding() {
        for i in 1..4000 {
            let x = f64::from(i) * f64::from(i) * 1e-5;
            assert!((decay(x) - (-x).exp()).abs() <= 1e-13 * (-x).exp(), "{x}");
            assert!((ln(x) - x.ln()).abs() < 1e-12, "{x}");
            assert!((ln(1.0 / x) + x.ln()).abs() < 1e-12, "{x}");
        }
        assert_eq!((decay(0.0), decay(1e9), ln(1.0)), (1.0, 0.0, 0.0));
    }
}
