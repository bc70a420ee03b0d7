//! Tells the core what it was built with (`built.rs`).

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=UNQUILT_RUSTC={}", rustc_release().unwrap_or_else(|| "unknown".to_owned()));
    for name in ["TARGET", "PROFILE"] {
        println!("cargo::rustc-env=UNQUILT_{name}={}", env::var(name).unwrap_or_else(|_| "unknown".to_owned()));
    }
}

/// The version of the compiler, as `rustc -vV` tells it.
fn rustc_release() -> Option<String> {
    let output = Command::new(env::var_os("RUSTC")?).arg("-vV").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().find_map(|line| line.strip_prefix("release: ")).map(str::to_owned)
}
