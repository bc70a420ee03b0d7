//! The ground that analyses stand on: what a kernel is, the rows that kernels exchange, and how rows are sorted.

pub mod columns;
pub mod contract;
pub mod fields;
pub mod kernel;
pub mod rows;
pub mod sorter;
pub mod spill;
pub mod tables;
