//! Refuses to build the kernels where unquilt cannot run, before the compiler stumbles over what such systems lack.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_CFG_UNIX").is_none() {
        println!("cargo::error=unquilt needs Linux or macOS, as it forks processes; on Windows, build it in WSL");
    }
}
