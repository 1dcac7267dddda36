//! Object files that contain only padding. Linked before other objects, they displace them with any linker.

use object::write::{Object, StandardSection};
use object::{Architecture, BinaryFormat, Endianness, SectionKind};

/// Amounts of padding in one object, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amounts {
    pub(crate) code_bytes: u64,
    pub(crate) constants_bytes: u64,
    pub(crate) data_bytes: u64,
    pub(crate) zeroes_bytes: u64,
}

/// Filling byte: `nop` on x86. Padding is never executed, so its content does not matter on other architectures.
const FILL: u8 = 0x90;
/// Alignment of padding, in bytes. With a larger alignment the linker would round the padding up.
const ALIGN_BYTES: u64 = 16;

/// Returns an object file of padding for the architecture of this machine.
pub(crate) fn object(amounts: Amounts) -> Vec<u8> {
    let architecture = match cfg!(target_arch = "aarch64") {
        true => Architecture::Aarch64,
        false => Architecture::X86_64,
    };
    let mut object = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    let mut fill = |section: StandardSection, bytes: u64| {
        let id = object.section_id(section);
        object.append_section_data(id, &vec![FILL; bytes as usize], ALIGN_BYTES);
    };
    fill(StandardSection::Text, amounts.code_bytes);
    fill(StandardSection::ReadOnlyData, amounts.constants_bytes);
    fill(StandardSection::Data, amounts.data_bytes);
    let zeroes = object.section_id(StandardSection::UninitializedData);
    object.append_section_bss(zeroes, amounts.zeroes_bytes, ALIGN_BYTES);
    // Without this section GNU ld gives the program an executable stack, as for objects of old compilers, so that the
    // variant would differ in more than its layout.
    object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    object.write().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_grows_by_what_it_holds() {
        let empty = object(Amounts::default());
        assert!(empty.starts_with(b"\x7fELF"));
        let code = object(Amounts { code_bytes: 4096, ..Amounts::default() });
        assert!((4096..4096 + 64).contains(&(code.len() - empty.len())));
        let zeroes = object(Amounts { zeroes_bytes: 1 << 20, ..Amounts::default() });
        assert!(zeroes.len() < empty.len() + 64, "zeroes take no room in the file");
    }
}
