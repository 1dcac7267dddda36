# What vm/build and vm/run share: the shapes, the cache, and how a machine says that it cannot have the test bed.
# shellcheck shell=bash

bed=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# depmod and iasl's neighbours live here on Debian, also for people who are not root.
PATH=$PATH:/usr/sbin:/sbin

# cannot WHY: ends with 3, which callers take as "skip the test bed".
cannot() {
    echo "$(basename "$0"): $1" >&2
    exit 3
}

# misused WHY: ends with 2.
misused() {
    echo "$(basename "$0"): $1" >&2
    exit 2
}

shapes() {
    local shape
    for shape in "$bed"/shapes/*; do basename "$shape"; done
}

# load_shape NAME: sets architecture, memory_mib, cgroup, modules, built, acpi_tables and machine.
load_shape() {
    built=()
    [ -f "$bed/shapes/$1" ] || misused "there is no shape $1; there are: $(shapes | tr '\n' ' ')"
    # shellcheck source=shapes/x86-numa
    . "$bed/shapes/$1"
    [ "$architecture" != amd64 ] || [ "$(uname -m)" = x86_64 ] ||
        cannot "$1 runs this machine's own programs, and they are not x86-64"
}

# Kernels and initial file systems outlive `cargo clean` and are shared by all checkouts.
cache=${VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/fauxplat-vm}

packages_of() { echo "$cache/packages-$1"; }
modules_of() { echo "$cache/modules-$1"; }

# image_of SHAPE, after load_shape: the folder of its kernel and initial file system, named by what they are made of.
image_of() {
    local folder key
    folder=$(packages_of "$architecture")
    key=$(cd "$bed" && { ls "$folder" ${built:+"$(modules_of "$architecture")"} 2> /dev/null; cat build modules lib.sh "shapes/$1" guest/init acpi/*; } | sha256sum)
    echo "$cache/$1-${key:0:12}"
}
