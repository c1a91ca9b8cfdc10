//! A table as a Parquet file: one row group, every column optional, and units among the file's keys.

use std::sync::Arc;

use parquet::basic::{Compression, GzipLevel, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::table::{Column, Table, Values};

/// The key that marks a file as plimsoll's; its value is the name of the table.
pub const MARK: &str = "plimsoll.table";

/// Reasons why a table could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the table {table} cannot be written as Parquet: {source}")]
pub struct ExportError {
    /// The name of the table.
    pub table: &'static str,
    /// The library's own error.
    pub source: ParquetError,
}

/// Encodes `table` as a Parquet file, with `version` as the plimsoll version that wrote it.
///
/// # Errors
/// The library refuses the table.
pub fn encoded(table: &Table, version: &str) -> Result<Vec<u8>, ExportError> {
    written(table, version).map_err(|source| ExportError { table: table.name, source })
}

/// Whether these bytes are a file written by plimsoll: Parquet that contains [`MARK`].
pub fn is_ours(bytes: &[u8]) -> bool {
    const MAGIC: &[u8] = b"PAR1";
    let marked = || bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes());
    bytes.starts_with(MAGIC) && bytes.ends_with(MAGIC) && marked()
}

fn written(table: &Table, version: &str) -> Result<Vec<u8>, ParquetError> {
    let fields = table.columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    let schema = Arc::new(Type::group_type_builder(table.name).with_fields(fields).build()?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::GZIP(GzipLevel::default()))
        .set_created_by(format!("plimsoll {version}"))
        .set_key_value_metadata(Some(keys(table, version)))
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties))?;
    if table.rows() > 0 {
        let mut group = writer.next_row_group()?;
        table.columns.iter().try_for_each(|column| write(column, &mut group))?;
        group.close()?;
    }
    writer.close()?;
    Ok(bytes)
}

/// Returns the file's keys: a description of the table, and `plimsoll.unit.COLUMN` for each column with a unit.
fn keys(table: &Table, version: &str) -> Vec<KeyValue> {
    let own = [
        (MARK.to_owned(), table.name),
        ("plimsoll.about".to_owned(), table.about),
        ("plimsoll.version".to_owned(), version),
    ];
    let units = table.columns.iter().filter(|column| !column.unit.is_empty());
    let units = units.map(|column| (format!("plimsoll.unit.{}", column.name), column.unit));
    own.into_iter().chain(units).map(|(key, value)| KeyValue::new(key, value.to_owned())).collect()
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = match &column.values {
        Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Values::Whole(_) => (Physical::INT64, None),
        Values::Figure(_) => (Physical::DOUBLE, None),
        Values::Flag(_) => (Physical::BOOLEAN, None),
    };
    let built = Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()?;
    Ok(Arc::new(built))
}

type Group<'a, 'w> = SerializedRowGroupWriter<'a, &'w mut Vec<u8>>;

fn write(column: &Column, group: &mut Group<'_, '_>) -> Result<(), ParquetError> {
    match &column.values {
        Values::Text(all) => put::<ByteArrayType, _>(all, group, |text| ByteArray::from(text.as_str())),
        Values::Whole(all) => put::<Int64Type, _>(all, group, |value| *value),
        Values::Figure(all) => put::<DoubleType, _>(all, group, |value| *value),
        Values::Flag(all) => put::<BoolType, _>(all, group, |value| *value),
    }
}

/// Writes the next column: for each row whether it has a value, and then the values.
fn put<T: DataType, V>(
    all: &[Option<V>],
    group: &mut Group<'_, '_>,
    of: impl Fn(&V) -> T::T,
) -> Result<(), ParquetError> {
    let there: Vec<i16> = all.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = all.iter().flatten().map(of).collect();
    let mut column = group
        .next_column()?
        .ok_or_else(|| ParquetError::General("fewer columns than the schema has".to_owned()))?;
    column.typed::<T>().write_batch(&values, Some(&there), None)?;
    column.close()
}
