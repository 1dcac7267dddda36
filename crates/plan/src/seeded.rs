//! Random numbers that a plan can draw again from the seed of the experiment and the number of a stream.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub(crate) fn seeded(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    random
}
