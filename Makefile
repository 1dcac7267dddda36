# The two commands for newcomers are `make demo` and `make test`; `make help` lists all.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

# rustup puts cargo here, and a shell that was open before does not know it.
export PATH := $(or $(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

PREFIX ?= /usr/local
BINARY := $(or $(CARGO_TARGET_DIR),target)/release/fauxplat
# The program that prints manual pages and completions: one that runs here, where BINARY is for another architecture.
SPEAKER ?= $(BINARY)
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
SHARE := $(DESTDIR)$(PREFIX)/share

.PHONY: demo test test-vm build install install-program dist bench clean help toolchain needs-build needs-demo needs-test

demo: needs-demo toolchain ## install what is missing, build, and compare two real programs
	@cargo build --release --package fauxplat-cli --bin fauxplat
	@demo/run $(BINARY)

test: needs-test toolchain ## install what is missing, and run everything that has to pass
	@.ci/stages

test-vm: needs-build toolchain ## run the tests that need machines of other shapes, in QEMU (see vm/README.md)
	@cargo xtask vm || [ $$? = 77 ]

build: needs-build toolchain ## build the release binary (the default)
	@cargo build --release --package fauxplat-cli

install: build ## install both programs, library, manual pages and completions below PREFIX (/usr/local)
	@$(MAKE) --no-print-directory install-program
	@cargo build --release --package fauxplat-table-c
	install -D -m 644 lib/table-c/include/fauxplat_table.h $(DESTDIR)$(PREFIX)/include/fauxplat_table.h
	install -m 644 lib/region/include/fauxplat_region.h $(DESTDIR)$(PREFIX)/include/
	install -D -m 644 lib/region/python/fauxplat_region.py $(SHARE)/fauxplat/python/fauxplat_region.py
	install -m 644 lib/table-c/python/fauxplat_table.py $(SHARE)/fauxplat/python/
	install -D -m 644 $(dir $(BINARY))libfauxplat_table_c.a $(DESTDIR)$(PREFIX)/lib/libfauxplat_table_c.a
	install -m 755 $(dir $(BINARY))libfauxplat_table_c.so $(DESTDIR)$(PREFIX)/lib/
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' lib/table-c/fauxplat-table.pc.in \
	    > $(DESTDIR)$(PREFIX)/lib/pkgconfig/fauxplat-table.pc

# A binary that was built before, and all but the library; packages are made of it.
install-program:
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/fauxplat
	install -m 755 $(BINARY)-blink $(DESTDIR)$(PREFIX)/bin/fauxplat-blink
	install -d $(SHARE)/fauxplat
	cp -R labs $(SHARE)/fauxplat/
	install -d $(SHARE)/man/man1
	$(SPEAKER) man --output $(SHARE)/man/man1
	$(SPEAKER)-blink --man > $(SHARE)/man/man1/fauxplat-blink.1
	chmod 644 $(SHARE)/man/man1/fauxplat*.1
	$(SPEAKER) doctor --explain all | install -D -m 644 /dev/stdin $(SHARE)/doc/fauxplat/hazards.md
	$(SPEAKER) completions bash | install -D -m 644 /dev/stdin $(SHARE)/bash-completion/completions/fauxplat
	$(SPEAKER) completions zsh | install -D -m 644 /dev/stdin $(SHARE)/zsh/site-functions/_fauxplat
	$(SPEAKER) completions fish | install -D -m 644 /dev/stdin $(SHARE)/fish/vendor_completions.d/fauxplat.fish

dist: needs-build toolchain ## write archives of the static program, a Debian package and a Python wheel into target/dist
	@cargo xtask dist
	@cargo xtask deb || [ $$? = 77 ]
	@cargo xtask wheel || [ $$? = 77 ]

bench: needs-build toolchain ## measure the instrument itself: its cost and its fidelity
	@cargo xtask bench

clean: ## remove everything that was built, and the data of the demo
	cargo clean
	rm -rf demo-data

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

toolchain: needs-build
	@.ci/toolchain

# SQLite is compiled from C, and rustc links with cc.
needs-build:
	@.ci/packages cc=gcc

# Without a C++ compiler and Python the tests of the table's other languages are skipped, and without valgrind that of
# the number of instructions; without PostgreSQL, those of the shared store; without QEMU, the tests that need other
# machines; each says so.
needs-test: needs-build
	@.ci/packages script=bsdutils taskset=util-linux unshare=util-linux
	@.ci/packages c++=g++ python3=python3 valgrind=valgrind || echo "going on without them"
	@.ci/packages curl=curl jq=jq || echo "going on without comments of jobs"
	@.ci/packages initdb=postgresql || echo "going on without a shared store"
	@.ci/packages qemu-system-x86_64=qemu-system-x86 qemu-system-aarch64=qemu-system-arm cpio=cpio depmod=kmod \
		xz=xz-utils iasl=acpica-tools setpriv=util-linux || echo "going on without virtual machines"

needs-demo: needs-build
	@.ci/packages awk=mawk grep=grep md5sum=coreutils sha1sum=coreutils
