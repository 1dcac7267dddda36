//! Protocol buffers as far as a profile needs them: numbers, bytes, packed numbers
//! (<https://protobuf.dev/programming-guides/encoding/>).

#[derive(Default)]
pub(super) struct Message(pub(super) Vec<u8>);

const NUMBER: u64 = 0;
const BYTES: u64 = 2;

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn key(&mut self, field: u64, kind: u64) {
        self.varint(field << 3 | kind);
    }

    /// Writes a field with a number. Zero is not written, since a missing number means zero.
    pub(super) fn number(&mut self, field: u64, number: u64) {
        if number != 0 {
            self.key(field, NUMBER);
            self.varint(number);
        }
    }

    /// Writes a field with bytes, or with an embedded message.
    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.key(field, BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes a field with packed numbers.
    pub(super) fn numbers(&mut self, field: u64, numbers: &[u64]) {
        let mut packed = Message::default();
        numbers.iter().for_each(|&number| packed.varint(number));
        self.bytes(field, &packed.0);
    }
}
