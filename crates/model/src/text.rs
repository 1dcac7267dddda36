//! Serialisation of types as the word that the command line uses for them.

/// Serialises the listed types by their `Display` and parses them by their `FromStr`. A number in the input is parsed
/// as its digits.
macro_rules! as_text {
    ($($kind:ty),+) => {$(
        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::text::word(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

pub(crate) use as_text;

/// Deserialises a word, or a number as its digits: `cpu = 3` means the same as `cpu = "3"`.
pub(crate) fn word<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    struct Word;
    impl serde::de::Visitor<'_> for Word {
        type Value = String;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a word or a number")
        }

        fn visit_str<E>(self, text: &str) -> Result<String, E> {
            Ok(text.to_owned())
        }

        fn visit_u64<E>(self, number: u64) -> Result<String, E> {
            Ok(number.to_string())
        }

        fn visit_i64<E>(self, number: i64) -> Result<String, E> {
            Ok(number.to_string())
        }

        fn visit_f64<E>(self, number: f64) -> Result<String, E> {
            Ok(number.to_string())
        }
    }
    deserializer.deserialize_any(Word)
}
