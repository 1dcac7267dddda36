//! Memory modules, sockets and slots in the firmware's SMBIOS tables (DMTF DSP0134). Structures of type 17, "Memory
//! Device", describe memory.

/// Type of the structures that describe a processor socket.
pub(super) const PROCESSOR: u8 = 4;

/// Type of the structures that describe a memory slot.
pub(super) const MEMORY: u8 = 17;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Module {
    pub(super) size_mib: u64,
    /// Configured speed, or else the module's maximum, in megatransfers per second; `None` where the firmware gives
    /// neither.
    pub(super) speed: Option<u64>,
}

/// The installed modules; empty slots are left out. Damaged tables are read up to the first structure that makes no
/// sense.
pub(super) fn modules(tables: &[u8]) -> Vec<Module> {
    structures(tables).filter(|(kind, _)| *kind == MEMORY).filter_map(|(_, body)| module(body)).collect()
}

/// Number of structures of a kind, which is the number of sockets or slots, occupied or not.
pub(super) fn places(tables: &[u8], of_kind: u8) -> usize {
    structures(tables).filter(|(kind, _)| *kind == of_kind).count()
}

/// The structures of a table, each as its type and its formatted part.
fn structures(tables: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = tables;
    std::iter::from_fn(move || {
        let (kind, length) = (*rest.first()?, usize::from(*rest.get(1)?));
        let body = rest.get(..length).filter(|body| body.len() >= 4)?;
        // The strings of a structure follow the formatted part, and end with two zero bytes.
        let texts = &rest[length..];
        let end = texts.windows(2).position(|pair| pair == [0, 0]).map_or(texts.len(), |at| at + 2);
        rest = &texts[end..];
        // A structure of type 127 marks the end of the table.
        (kind != 127).then_some((kind, body))
    })
}

fn module(body: &[u8]) -> Option<Module> {
    let word = |at: usize| Some(u64::from(u16::from_le_bytes(body.get(at..at + 2)?.try_into().ok()?)));
    let long = |at: usize| Some(u64::from(u32::from_le_bytes(body.get(at..at + 4)?.try_into().ok()?)));
    let size_mib = match word(0x0c)? {
        0 | 0xffff => return None,
        0x7fff => long(0x1c)? & 0x7fff_ffff,
        // The highest bit says that the size is in kibibytes.
        size if size & 0x8000 != 0 => (size & 0x7fff) / 1024,
        size => size,
    };
    // Offset 0x20 holds the configured speed. Older tables have only the module's maximum, at 0x15. Zero means unknown,
    // and 0xffff that the speed is in a field of four bytes further on.
    let known = |short: usize, extended: usize| match word(short)? {
        0 => None,
        0xffff => long(extended).map(|speed| speed & 0x7fff_ffff).filter(|&speed| speed != 0),
        speed => Some(speed),
    };
    let speed = known(0x20, 0x58).or_else(|| known(0x15, 0x54));
    (size_mib > 0).then_some(Module { size_mib, speed })
}

/// All modules as text, the largest first, such as `1 × 64 GiB + 2 × 16 GiB`; `None` without modules.
pub(super) fn described(modules: &[Module]) -> Option<String> {
    let mut sizes: Vec<u64> = modules.iter().map(|module| module.size_mib).collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    let words = sizes.chunk_by(|one, other| one == other).map(|same| match same[0] % 1024 {
        0 => format!("{} × {} GiB", same.len(), same[0] / 1024),
        _ => format!("{} × {} MiB", same.len(), same[0]),
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| words.join(" + "))
}

/// The distinct speeds of the modules as text; `None` where no speed is known.
pub(super) fn speed(modules: &[Module]) -> Option<String> {
    let mut speeds: Vec<u64> = modules.iter().filter_map(|module| module.speed).collect();
    speeds.sort_unstable();
    speeds.dedup();
    let words: Vec<String> = speeds.iter().map(|speed| format!("{speed} MT/s")).collect();
    (!words.is_empty()).then(|| words.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory device structure of SMBIOS 2.8 with the given sizes and speeds, and two strings.
    fn device(size: u16, extended_mib: u32, speed: u16, configured: u16) -> Vec<u8> {
        let mut body = vec![0_u8; 0x28];
        (body[0], body[1]) = (17, 0x28);
        body[0x0c..0x0e].copy_from_slice(&size.to_le_bytes());
        body[0x15..0x17].copy_from_slice(&speed.to_le_bytes());
        body[0x1c..0x20].copy_from_slice(&extended_mib.to_le_bytes());
        body[0x20..0x22].copy_from_slice(&configured.to_le_bytes());
        body.extend(b"DIMM_A1\0Maker\0\0");
        body
    }

    fn tables(parts: &[Vec<u8>]) -> Vec<u8> {
        // A structure without strings ends with two zero bytes as well.
        let bios = [0, 4, 0, 0, 0, 0].to_vec();
        let end = [127, 4, 0, 0, 0, 0].to_vec();
        [&[bios][..], parts, &[end]].concat().concat()
    }

    #[test]
    fn modules_are_counted_and_empty_places_are_not() {
        let full = tables(&[
            device(16384, 0, 3200, 2933),
            device(0, 0, 0, 0),
            device(16384, 0, 3200, 2933),
            device(0x7fff, 65536, 3200, 0),
        ]);
        let modules = modules(&full);
        assert_eq!(described(&modules).unwrap(), "1 × 64 GiB + 2 × 16 GiB");
        assert_eq!(speed(&modules).unwrap(), "2933 MT/s and 3200 MT/s");
        assert_eq!((described(&[]), speed(&[])), (None, None));
        assert_eq!((places(&full, MEMORY), places(&full, PROCESSOR)), (4, 0));
    }

    /// SMBIOS 3.3 has four bytes for speeds that two do not hold.
    #[test]
    fn a_speed_of_four_bytes_is_read_where_two_are_too_few() {
        let fast = |speeds: [u32; 2]| {
            let mut body = device(16384, 0, 0xffff, 0xffff)[..0x28].to_vec();
            body.resize(0x5c, 0);
            body[1] = 0x5c;
            body[0x54..0x58].copy_from_slice(&speeds[0].to_le_bytes());
            body[0x58..0x5c].copy_from_slice(&speeds[1].to_le_bytes());
            body.extend(b"\0\0");
            speed(&modules(&tables(&[body])))
        };
        assert_eq!(fast([80_000, 70_000]).as_deref(), Some("70000 MT/s"));
        assert_eq!(fast([80_000, 0]).as_deref(), Some("80000 MT/s"));
        assert_eq!(
            speed(&modules(&tables(&[device(16384, 0, 0xffff, 0xffff)]))),
            None,
            "an older table has no such field"
        );
    }

    /// Reading tables that are cut off or damaged gives an answer and does not panic.
    #[test]
    fn damaged_tables_end_where_they_stop_making_sense() {
        let full = tables(&[device(16384, 0, 3200, 2933), device(8192, 0, 1, 2)]);
        for length in 0..full.len() {
            assert!(modules(&full[..length]).len() <= 2);
        }
        for at in 0..full.len() {
            let mut damaged = full.clone();
            damaged[at] ^= 0xff;
            let _ = described(&modules(&damaged));
        }
        assert!(modules(&[17, 0, 0, 0]).is_empty() && modules(&[17, 255]).is_empty());
    }
}
