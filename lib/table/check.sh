#!/bin/sh
# Runs what needs a nightly toolchain: Miri and the thread sanitizer. Says what it skips, and why.
set -u
cd "$(dirname "$0")/../.." || exit 1
failed=0

if cargo +nightly miri --version >/dev/null 2>&1; then
    MIRIFLAGS="-Zmiri-disable-isolation" cargo +nightly miri test -p fauxplat-table --lib -- \
        words::history words::plain || failed=1
else
    echo "skipped: Miri (rustup component add miri rust-src --toolchain nightly)"
fi

target=$(rustc -vV | sed -n 's/^host: //p')
if rustup component list --toolchain nightly 2>/dev/null | grep -q '^rust-src.*installed'; then
    RUSTFLAGS="-Zsanitizer=thread" cargo +nightly test -Zbuild-std --target "$target" \
        -p fauxplat-table --lib -- words::history words::plain || failed=1
else
    echo "skipped: thread sanitizer (rustup component add rust-src --toolchain nightly)"
fi
exit $failed
