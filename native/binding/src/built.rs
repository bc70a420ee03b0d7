//! What this core was built with, and the instructions of this machine's processor that it takes advantage of.

use pyo3::prelude::*;

/// Pairs of a label and a value, for `unquilt --version`. The labels stay as they are: programs read them.
#[pyfunction]
pub fn build() -> Vec<(&'static str, String)> {
    vec![
        ("rustc", env!("UNQUILT_RUSTC").to_owned()),
        ("target", env!("UNQUILT_TARGET").to_owned()),
        ("profile", env!("UNQUILT_PROFILE").to_owned()),
        ("processor", features().join(" ")),
    ]
}

/// The instructions that kernels, or the libraries under them, look for when they run.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let found = [
        ("avx2", is_x86_feature_detected!("avx2")),
        ("pclmulqdq", is_x86_feature_detected!("pclmulqdq")),
        ("sha", is_x86_feature_detected!("sha")),
    ];
    found.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect()
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    let found = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("crc", std::arch::is_aarch64_feature_detected!("crc")),
        ("sha2", std::arch::is_aarch64_feature_detected!("sha2")),
    ];
    found.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}
