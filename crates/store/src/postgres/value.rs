//! Converts values to the types of the server, and back.

use std::error::Error;

use bytes::BytesMut;
use rusqlite::types::Value;
use tokio_postgres::Row;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::engine::Values;

#[derive(Debug)]
pub(super) struct Sent<'a>(pub(super) &'a Value);

impl ToSql for Sent<'_> {
    fn to_sql(&self, column: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self.0, column) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(number), &Type::INT8) => number.to_sql(column, out),
            (Value::Text(text), &Type::TEXT) if text.contains('\0') => {
                Err("a text has the character NUL, which PostgreSQL cannot hold".into())
            }
            (Value::Text(text), &Type::TEXT) => text.to_sql(column, out),
            (Value::Blob(bytes), &Type::BYTEA) => bytes.to_sql(column, out),
            // SQLite accepts any type in any column; rows that fauxplat wrote have the declared types.
            (value, _) => {
                Err(format!("a value of type {} stands where {column} belongs", value.data_type()).into())
            }
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

pub(super) fn received(row: &Row) -> Result<Values, tokio_postgres::Error> {
    let value = |(number, column): (usize, &tokio_postgres::Column)| {
        Ok(match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(number)?.map_or(Value::Null, Value::Integer),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(number)?.map_or(Value::Null, Value::Blob),
            _ => row.try_get::<_, Option<String>>(number)?.map_or(Value::Null, Value::Text),
        })
    };
    row.columns().iter().enumerate().map(value).collect()
}
