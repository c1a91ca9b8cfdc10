//! Results of DiskSpd: text of 2.0 to 2.3, and XML.

mod table;
mod text;
mod xml;

pub(crate) use text::human;
pub(crate) use xml::{is_xml, xml};
