# keydebounce: what to build, and how. Every target installs what it needs and says what it is doing; what takes more than
# three lines is a script in Tools or packaging.

SWIFT ?= swift
BUILD := .build
# Where `make install` puts things. Packagers set PREFIX=/usr and DESTDIR; packaging/install says what else may be set.
PREFIX ?= /usr/local
DESTDIR ?=
export BUILD SWIFT PREFIX DESTDIR SETUP ARCHITECTURE EMULATOR EXHAUSTIVE_STREAMS SOAK_SECONDS

# What Debian calls what we need to build, and besides to run the virtual machine for the tests and the demonstration, and
# to hold recordings against evemu.
BUILD_PACKAGES := pkg-config libevdev-dev libudev-dev libtomlplusplus-dev g++ jq man-db
PACKAGES := $(BUILD_PACKAGES) qemu-system-x86 mmdebstrap python3 uidmap e2fsprogs xz-utils zstd evemu-tools \
	libxkbcommon0 xkb-data zsh fish

MACHINE := Tools/VirtualMachine

# So that `make && sudo make install` builds nothing as root.
.DEFAULT_GOAL := all
.PHONY: $(shell sed -n 's/^\([a-z][a-z0-9-]*\):.*/\1/p' Makefile)

## demo: a keyboard that chatters, debounced on a real kernel in a virtual machine
demo: setup build; @$(MACHINE)/show demo
## pictures: those of status, monitor and top for the README, made from a real run in the virtual machine
pictures: setup build; @$(MACHINE)/show pictures

## test: all tests; those that need a real kernel run in the virtual machine
test: built-tests
	@$(SIDE_BY_SIDE) --old-file=built-tests unit-tests manuals completions
	@$(SIDE_BY_SIDE) --old-file=built-tests --old-file=build image end-to-end-payload installed-payload
	@$(MAKE) --no-print-directory --old-file=end-to-end-payload --old-file=installed-payload machine-tests

## endurance: the same at length, with what takes too long for every time (two hours)
endurance: export KEYDEBOUNCE_ENDURANCE := 1
endurance: property-tests test

# Two targets at a time; each prints all it has to say when it has ended. One that fails does not keep the others from going on.
SIDE_BY_SIDE = $(MAKE) --no-print-directory --keep-going --output-sync=target -j2

## build: the program, as it is installed
build: setup-build; @packaging/build program
## completions: for bash, zsh and fish, from the program's own options
completions: build; @packaging/build completions
## manuals: keydebounce(1), from the program's own options, keydebounce.toml(5) and keydebounce-remappers(7)
manuals: build; @packaging/build manuals

## all: the program, its manual pages and its completions: everything that is installed
all: build manuals completions

# With sudo, what is missing is built by the person who called it, not by root.
AS_PERSON = $(if $(SUDO_USER),sudo -H -u $(SUDO_USER) env PATH="$$PATH")

## install: on this machine (with sudo), or into DESTDIR; builds what is missing, and starts the service
install:
	@packaging/built || $(AS_PERSON) $(MAKE) --no-print-directory all
	@packaging/install put

## uninstall: takes away what `make install` put there, but not the configuration
uninstall: ; @packaging/install remove
## install-initramfs: has the keyboards debounced before a passphrase is asked for when the machine starts; after `make install`
install-initramfs: ; @packaging/install put-initramfs
## uninstall-initramfs: takes it out of the initial RAM disk again
uninstall-initramfs: ; @packaging/install remove-initramfs

## deb: a Debian package in .build/deb, made of what is built
deb:
	@packaging/built || $(AS_PERSON) $(MAKE) --no-print-directory all
	@Tools/setup debhelper dpkg-dev lintian systemd
	@packaging/deb

## source: a tarball with everything that the program is built of, for machines without a network
source: setup-build; @packaging/source

## offline: what the source tarball builds, installs and packs in a network namespace without interfaces
offline: source
	@Tools/setup debhelper dpkg-dev util-linux iproute2 systemd
	@packaging/offline

## packages: what is built as .deb, .rpm, Arch's and a tarball, in .build, compared file by file
packages: all source deb
	@Tools/setup rpm debugedit elfutils cpio makepkg pacman-package-manager libarchive-tools fakeroot binutils
	@packaging/packages

## release: everything that a release consists of, in .build/release-VERSION
release: packages
	@Tools/setup librsvg2-bin fonts-dejavu-core
	@packaging/release

# What is built for arm64 is a build of its own, in which the same targets do the rest. The program runs there emulated.
FOR_ARM64 = $(MAKE) --no-print-directory --old-file=build --old-file=source BUILD=$(BUILD)/arm64 ARCHITECTURE=aarch64 \
	EMULATOR="$$(command -v qemu-aarch64 qemu-aarch64-static | head -n 1) -L $(CURDIR)/$(BUILD)/arm64/root"

## arm64: the program for arm64, compiled here by Debian's own Swift, with its manual pages and completions, in .build/arm64
arm64: setup-build
	@Tools/setup mmdebstrap python3 binutils qemu-user arch-test
	@packaging/arm64 program
	@$(FOR_ARM64) manuals completions

## arm64-packages: the same as packages, in .build/arm64
arm64-packages: arm64 source
	@Tools/setup binutils-aarch64-linux-gnu
	@ln -sfn ../source $(BUILD)/arm64/source
	@$(FOR_ARM64) packages

arm64-payload: arm64
	@Tools/setup qemu-system-arm qemu-user-binfmt device-tree-compiler uidmap e2fsprogs xz-utils
	@packaging/arm64 tests
	@$(MACHINE)/arm64 payload

## arm64-demo: the demonstration on an emulated arm64 machine
arm64-demo: arm64-payload; @$(MACHINE)/arm64 demo
## pins: a button on a pin of an emulated arm64 machine: its bounces, what the kernel leaves of them, and what they mean
pins: arm64-payload; @$(MACHINE)/arm64 pins
## arm64-tests: the end-to-end tests on an emulated arm64 machine (an hour; FILTER=ChatterTests for some)
arm64-tests: arm64-payload; @$(MACHINE)/arm64 tests $(FILTER)
## docs: the documentation of the libraries Debounce and DebounceAsync, as folders for a web server
docs: setup; @Tools/documentation

## library: a package of somebody else's with the libraries, where the headers of the daemon's C libraries are not
library: setup; @Tools/Library/check
## score: every strategy on a model of human typing with labelled chatter, as a table and as docs/score.svg
score: setup
	@Tools/setup gnuplot-nox
	@mkdir -p $(BUILD)/score
	@Tools/score score --tables $(BUILD)/score
	@gnuplot -c Tools/Score/picture.gnuplot $(BUILD)/score docs/score.svg

## score-calibration: how often calibrate is right, on simulated switches, as a table
score-calibration: setup; @Tools/score score-calibration

## bench: the engine alone, and keydebounce beside bare C, keyd and interception-tools on a real kernel, as tables
bench: setup build
	@Tools/setup valgrind
	@Tools/Benchmark/run $(BENCH)

## setup: installs the Debian packages that are missing, for the program and for its tests
setup: setup-build; @Tools/setup $(PACKAGES)

# The program alone needs less. Debian's own Swift, where there is no other and it is new enough.
setup-build:
	@command -v $(SWIFT) >/dev/null || Tools/setup-swift
	@Tools/setup $(BUILD_PACKAGES)

built-tests: setup; @Tools/test build
## unit-tests: those that need no device (FILTER=DebounceTests for some)
unit-tests: built-tests; @Tools/test unit '$(FILTER)'
property-tests: setup; @Tools/test properties
## exhaustive: all short streams of one key and of two, for every strategy, with every property (some minutes)
exhaustive: setup; @Tools/test exhaustive
## mutants: which changes of an operator, a constant or a condition no unit test notices (MUTANTS=--scope=lifecycle for some)
mutants: setup; @Tools/test mutants $(MUTANTS)

# The virtual machines do not run beside a build: either would slow the other. Three run beside each other, because their tests
# mostly wait for something.
MACHINES_SIDE_BY_SIDE = $(SIDE_BY_SIDE) -j3
END_TO_END_PARTS := in-machine-1 in-machine-2 in-machine-3 in-machine-4

machine-tests: end-to-end-payload installed-payload
	@echo "test: end to end and the installed service, in virtual machines, three at a time (six minutes where they are emulated)"
	@$(MACHINES_SIDE_BY_SIDE) in-machine-installed $(END_TO_END_PARTS)

# FILTER=ChatterTests is for one suite.
end-to-end-tests: end-to-end-payload
	@echo "test: end to end, in virtual machines, three at a time (five minutes where they are emulated)"
	@$(if $(FILTER),$(MACHINE)/tests only '$(FILTER)',$(MACHINES_SIDE_BY_SIDE) $(END_TO_END_PARTS))

installed-tests: installed-payload; @$(MACHINE)/tests installed
## upgrade-tests: an upgrade from another version's package while somebody types (BEFORE=keydebounce_0.3.0-1_amd64.deb)
upgrade-tests: installed-payload; @$(MACHINE)/tests upgrade '$(BEFORE)'

end-to-end-payload: build built-tests; @$(MACHINE)/tests payload
installed-payload: deb built-tests; @$(MACHINE)/tests installed-payload
image: setup; @$(MACHINE)/image >/dev/null
in-machine-%: ; @$(MACHINE)/tests part $*
in-machine-installed: ; @$(MACHINE)/tests installed
## without-systemd: the program on a machine with runit and without libsystemd, in the virtual machine
without-systemd: setup all; @Tools/WithoutSystemd/check $(BUILD)/payload

## passphrase: an encrypted disk's passphrase typed on a worn keyboard, before the system starts (a quarter of an hour)
passphrase: setup deb
	@Tools/setup qemu-utils cpio
	@$(MACHINE)/passphrase $(if $(GUEST),--release $(GUEST)) $(if $(DRACUT),--dracut) $(SCENES)

# KEYDEBOUNCE_REPLUGS says how often the keyboard is plugged in again in each order (10), and KEYDEBOUNCE_PLUGS how often to see
# who is first (10).
## compatibility: the installed tests on later releases of Debian, and the table beside remappers (an hour and more)
compatibility: installed-payload; @$(MACHINE)/compatibility $(BUILD)/payload-installed $(GUESTS)

## soak: an hour of typing, plugging, reloads, overruns, stalls and jumps of the clock at random, and what became of each press
soak: end-to-end-payload; @$(MACHINE)/tests soak

## sanitize: the unit tests with the sanitizers: for addresses and undefined behaviour, and for threads
sanitize: setup; @Tools/test sanitize

# For how long each subject is fuzzed.
FUZZ_SECONDS ?= 600

## fuzz: configuration, recordings, evtest's text and the engine, ten minutes each (FUZZ_SECONDS=20 for less)
fuzz: setup; @Tools/Fuzz/run $(FUZZ_SECONDS)
## fuzz-corpora: takes into the corpora what `make fuzz` found that reaches anything new
fuzz-corpora: ; @Tools/Fuzz/run merge

format: ; $(SWIFT) format --in-place --recursive Sources Tests Tools Package.swift

lint:
	@$(SWIFT) format lint --strict --recursive Sources Tests Tools Package.swift
	@Tools/named

clean: ; rm -rf $(BUILD)
