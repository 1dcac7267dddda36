#!/bin/sh
# Shields and CPUs that are taken off, by a tuner that ends well or is killed, leave every affinity and cpuset as it was.
# shapes: x86-v1
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

cargo_test cli.kills "who may" || fail "an affinity or a cpuset is not as it was"
