//! Artifacts: data too large for a row of figures, compressed and stored under the name of their format.

use rusqlite::{OptionalExtension, Row, params};

use crate::error::at;
use crate::{Experiment, Store, StoreError, schema, sql};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Name and version of the data's format, such as `fauxplat.histogram/1`.
    pub schema: String,
    /// The data of the artifact, uncompressed.
    pub data: Vec<u8>,
}

/// Largest uncompressed size of an artifact, in bytes. A stored size above it is refused, so that a damaged store
/// cannot use up all memory.
const LARGEST_BYTES: usize = 256 << 20;
/// Compression level of zstd: twice as fast as the library's default, with results a tenth larger.
const LEVEL: i32 = 1;

/// Inserts an artifact of an experiment under a number, within the current transaction if there is one.
pub(crate) fn insert(
    experiment: &Experiment,
    number: i64,
    schema: &str,
    data: &[u8],
) -> Result<(), StoreError> {
    let encode = |reason: String| StoreError::Encode { what: "an artifact", reason };
    if data.len() > LARGEST_BYTES {
        return Err(encode(format!("{} bytes are more than {LARGEST_BYTES}", data.len())));
    }
    let packed = zstd::bulk::compress(data, LEVEL).map_err(|error| encode(error.to_string()))?;
    let written = params![experiment.id(), number, schema, data.len() as i64, packed];
    let failed = at(&experiment.path);
    let mut statement = experiment.connection.prepare_cached(sql::INSERT_ARTIFACT).map_err(&failed)?;
    statement.execute(written).map_err(&failed).map(drop)
}

impl Store {
    /// Returns an artifact of an experiment, uncompressed; `None` if there is none with this number.
    ///
    /// # Errors
    /// Returns [`StoreError::Decode`] for a damaged artifact, and the store's error if reading fails.
    pub fn artifact(&self, id: i64, number: i64) -> Result<Option<Artifact>, StoreError> {
        self.fetch(id)?;
        if self.version < schema::WITH_EVIDENCE {
            return Ok(None);
        }
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let read = self.connection.query_row(sql::ARTIFACT, [id, number], row).optional();
        let found: Option<(String, i64, Vec<u8>)> = read.map_err(at(&self.path))?;
        let Some((schema, bytes, packed)) = found else { return Ok(None) };
        let room = usize::try_from(bytes).ok().filter(|&bytes| bytes <= LARGEST_BYTES);
        let room = room.ok_or_else(|| self.undecoded(id, "an artifact", &format!("it has {bytes} bytes")))?;
        let data = zstd::bulk::decompress(&packed, room);
        let data = data.map_err(|error| self.undecoded(id, "an artifact", &error.to_string()))?;
        Ok(Some(Artifact { schema, data }))
    }
}
