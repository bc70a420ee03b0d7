//! From the bytes of a file to text: compressed members, HTTP chunks, charsets, HTML, paragraphs and URLs.

pub mod charset;
pub mod gzip;
pub mod html;
pub mod inflate;
pub mod members;
pub mod paragraphs;
pub mod transfer;
pub mod urls;
pub mod zstd;
