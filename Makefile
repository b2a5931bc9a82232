# keydebounce: what to build, and how. Every target installs what it needs and says what it is doing.

SWIFT ?= swift
BUILD := .build
RELEASE := $(BUILD)/release/keydebounce
PAYLOAD := $(BUILD)/payload
MACHINE := Tools/VirtualMachine

# What Debian calls what we need to build, and besides to run the virtual machine for the tests and the demonstration, and
# to hold recordings against evemu.
BUILD_PACKAGES := pkg-config libevdev-dev libudev-dev libsystemd-dev libtomlplusplus-dev g++ jq man-db
PACKAGES := $(BUILD_PACKAGES) qemu-system-x86 mmdebstrap python3 uidmap e2fsprogs xz-utils zstd evemu-tools \
	dbus-daemon libxkbcommon0 xkb-data zsh fish

# The installed program needs libc, libevdev and libudev, and to be reached over the bus libsystemd: Swift's libraries are
# linked in, and with them the C++ library that they and the parser of TOML use. The linker takes the one from our folder,
# in which there is only the archive.
# What is called for every event is in several modules: without looking across them, a frame costs twice as much.
# What is filled in at the start is unwritable from then on, if the linker can do that.
# It looks for libraries in the system's folders alone, and not beside itself (RUNPATH).
RELEASE_FLAGS := -c release --product keydebounce --static-swift-stdlib --disable-local-rpath \
	-Xswiftc -cross-module-optimization \
	-Xswiftc -Xclang-linker -Xswiftc -static-libgcc \
	-Xlinker --gc-sections -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
	-Xlinker -Map=$(BUILD)/linked.map $(MORE_RELEASE_FLAGS)

CHECK_RUNPATH = ! readelf -d $(1) | grep -E 'R(UN)?PATH' || { echo "build: $(1) looks for libraries there" >&2; exit 65; }

# Where `make install` puts things. Packagers set PREFIX=/usr and DESTDIR; packaging/install says what else may be set.
PREFIX ?= /usr/local
DESTDIR ?=
export BUILD SWIFT PREFIX DESTDIR SETUP ARCHITECTURE

# Debian's Swift lacks the library in which Testing learns of Foundation's types, and links no test that imports both. Ours
# do without it.
BESIDE_TESTING = $(shell $(SWIFT) -print-target-info | jq -r .paths.runtimeResourcePath)/linux/lib_Testing_Foundation.so
TESTING = $(if $(wildcard $(BESIDE_TESTING)),,-Xswiftc -Xfrontend -Xswiftc -disable-cross-import-overlays)
BUILD_TESTS = $(SWIFT) build --build-tests $(TESTING)

# A release build with a place of its own, whose tests and tools may look inside.
LOOKING_INSIDE = --scratch-path $(BUILD)/optimised -c release -Xswiftc -enable-testing $(TESTING)
OPTIMISED = $(SWIFT) build $(LOOKING_INSIDE)

# The suites of the end-to-end tests by their first letters, about as long each; the last part has all that the others
# do not have.
SUITES := A-F G-M ^A-M
END_TO_END_PARTS := in-machine-1 in-machine-2 in-machine-3

# So that `make && sudo make install` builds nothing as root.
.DEFAULT_GOAL := all
.PHONY: all demo pictures test build completions manuals install uninstall install-initramfs uninstall-initramfs passphrase deb packages \
	release docs library score score-calibration setup setup-build source offline arm64 arm64-packages arm64-payload arm64-demo arm64-tests pins unit-tests property-tests exhaustive mutants \
	end-to-end-tests installed-tests without-systemd \
	compatibility soak bench fuzz fuzz-corpora sanitize format lint clean

## demo: a keyboard that chatters, debounced on a real kernel in a virtual machine
demo: setup build
	@echo "demo: building what plays the worn keyboard"
	@$(SWIFT) build --product demo
	@rm -rf $(PAYLOAD) && $(MACHINE)/payload $(PAYLOAD) $(RELEASE) $(BUILD)/debug/demo
	@if [ -t 1 ] && [ -z "$$NO_COLOR" ]; then colour=yes; fi; \
	$(MACHINE)/run --timeout 300 --env LD_LIBRARY_PATH=/payload/lib --env KEYDEBOUNCE_PROGRAM=/payload/keydebounce \
		--env DEMO_COLOUR="$$colour" $(PAYLOAD) ./demo

## pictures: those of status, monitor and top for the README, made from a real run in the virtual machine
pictures: setup build
	@$(SWIFT) build --product scene && $(SWIFT) build --product picture
	@rm -rf $(PAYLOAD) && $(MACHINE)/payload $(PAYLOAD) $(RELEASE) $(BUILD)/debug/scene
	@cp -r Tests/Fixtures packaging/dbus $(PAYLOAD)/
	@$(MACHINE)/run --timeout 600 --env LD_LIBRARY_PATH=/payload/lib --env KEYDEBOUNCE_PROGRAM=/payload/keydebounce \
		$(PAYLOAD) ./scene >$(BUILD)/scene
	@for name in status monitor top; do \
		sed -n "/^scene: sudo keydebounce $$name/,/^scene: /{/^scene: /!p}" $(BUILD)/scene | \
			$(BUILD)/debug/picture --title "sudo keydebounce $$name" --columns 80 >docs/$$name.svg; \
	done

## test: all tests; those that need a real kernel run in the virtual machine
test: unit-tests property-tests docs manuals completions machine-tests

## build: the program, as it is installed
build: setup-build
	@echo "build: the program (two minutes the first time)"
	@mkdir -p $(BUILD)/archives && ln -sf "$$(g++ -print-file-name=libstdc++.a)" $(BUILD)/archives/
	@$(SWIFT) build $(RELEASE_FLAGS) -Xlinker -L$(CURDIR)/$(BUILD)/archives
	@$(call CHECK_RUNPATH,$(RELEASE))
	@touch $(BUILD)/built

# The day of the last change, so that the same sources give the same pages.
DATE := $(shell date --utc --date "@$$(packaging/date)" +%F)

## completions: for bash, zsh and fish, from the program's own options
completions: build
	@echo "completions: writing $(BUILD)/completions"
	@mkdir -p $(BUILD)/completions
	@$(EMULATOR) $(RELEASE) --generate-completion-script bash >$(BUILD)/completions/keydebounce
	@$(EMULATOR) $(RELEASE) --generate-completion-script zsh >$(BUILD)/completions/_keydebounce
	@$(EMULATOR) $(RELEASE) --generate-completion-script fish >$(BUILD)/completions/keydebounce.fish
	@bash -n $(BUILD)/completions/keydebounce

## manuals: keydebounce(1), from the program's own options, keydebounce.toml(5) and keydebounce-remappers(7)
manuals: build
	@echo "manuals: writing $(BUILD)/manuals"
	@mkdir -p $(BUILD)/manuals
	@packaging/manual "$(EMULATOR) $(RELEASE)" docs/keydebounce.1.mdoc $(DATE) >$(BUILD)/manuals/keydebounce.1
	@cp docs/keydebounce.toml.5 docs/keydebounce-remappers.7 $(BUILD)/manuals/
	@! for page in $(BUILD)/manuals/*; do man --warnings -E UTF-8 -l -Tutf8 -Z $$page 2>&1 >/dev/null; done | grep .

## all: the program, its manual pages and its completions: everything that is installed
all: build manuals completions

# With sudo, what is missing is built by the person who called it, not by root.
AS_PERSON = $(if $(SUDO_USER),sudo -H -u $(SUDO_USER) env PATH="$$PATH")

## install: on this machine (with sudo), or into DESTDIR; builds what is missing, and starts the service
install:
	@packaging/built || $(AS_PERSON) $(MAKE) --no-print-directory all
	@packaging/install put

## uninstall: takes away what `make install` put there, but not the configuration
uninstall:
	@packaging/install remove

## install-initramfs: has the keyboards debounced before a passphrase is asked for when the machine starts; after `make install`
install-initramfs:
	@packaging/install put-initramfs

## uninstall-initramfs: takes it out of the initial RAM disk again
uninstall-initramfs:
	@packaging/install remove-initramfs

## deb: a Debian package in .build/deb, made of what is built
deb:
	@packaging/built || $(AS_PERSON) $(MAKE) --no-print-directory all
	@Tools/setup debhelper dpkg-dev lintian systemd
	@packaging/deb

## source: a tarball with everything that the program is built of, for machines without a network
source: setup-build
	@packaging/source

## offline: what the source tarball builds, installs and packs in a network namespace without interfaces
offline: source
	@Tools/setup debhelper dpkg-dev util-linux systemd
	@packaging/offline

## packages: what is built as .deb, .rpm, Arch's and a tarball, in .build, compared file by file
packages: all source deb
	@Tools/setup rpm debugedit elfutils cpio makepkg pacman-package-manager libarchive-tools fakeroot binutils
	@rm -rf $(BUILD)/packages && mkdir -p $(BUILD)/packages
	@packaging/deb --source
	@packaging/binary
	@packaging/rpm/build
	@packaging/arch/build
	@packaging/compare

## release: everything that a release consists of, in .build/release-VERSION
release: packages
	@Tools/setup librsvg2-bin fonts-dejavu-core
	@packaging/release

# What is built for arm64 is a build of its own, in which the same targets do the rest. The program runs there emulated.
ARM64 := $(BUILD)/arm64
FOR_ARM64 = $(MAKE) --no-print-directory --old-file=build --old-file=source BUILD=$(ARM64) ARCHITECTURE=aarch64 \
	EMULATOR="$$(command -v qemu-aarch64 qemu-aarch64-static | head -n 1) -L $(CURDIR)/$(ARM64)/root"

## arm64: the program for arm64, compiled here by Debian's own Swift, with its manual pages and completions, in .build/arm64
arm64: setup-build
	@Tools/setup mmdebstrap binutils qemu-user arch-test
	@echo "arm64: building the program (three minutes the first time)"
	@packaging/arm64 $(RELEASE_FLAGS)
	@packaging/glibc $(ARM64)/release/keydebounce
	@$(call CHECK_RUNPATH,$(ARM64)/release/keydebounce)
	@touch $(ARM64)/built
	@$(FOR_ARM64) manuals completions
	@echo "arm64: runs, emulated: $$(qemu-aarch64 -L $(ARM64)/root $(ARM64)/release/keydebounce --version)"

## arm64-packages: the same as packages, in .build/arm64
arm64-packages: arm64 source
	@Tools/setup binutils-aarch64-linux-gnu
	@ln -sfn ../source $(ARM64)/source
	@$(FOR_ARM64) packages

## docs: the documentation of the libraries Debounce and DebounceAsync, as folders for a web server
docs: setup
	@echo "docs: writing $(BUILD)/docs and $(BUILD)/docs-async"
	@KEYDEBOUNCE_DOCS=1 $(SWIFT) package --scratch-path $(BUILD)/documentation \
		--allow-writing-to-directory $(BUILD)/docs generate-documentation --target Debounce \
		--output-path $(BUILD)/docs --warnings-as-errors
	@KEYDEBOUNCE_DOCS=1 $(SWIFT) package --scratch-path $(BUILD)/documentation \
		--allow-writing-to-directory $(BUILD)/docs-async generate-documentation --target DebounceAsync \
		--output-path $(BUILD)/docs-async --warnings-as-errors

## library: a package of somebody else's with the libraries, where the headers of the daemon's C libraries are not
library: setup
	@echo "library: building a program with a button (a minute)"
	@Tools/Library/check

## score: every strategy on a model of human typing with labelled chatter, as a table and as docs/score.svg
score: setup
	@echo "score: building (two minutes the first time), then scoring (a minute or two)"
	@$(SWIFT) run $(LOOKING_INSIDE) score --svg docs/score.svg

## score-calibration: how often calibrate is right, on simulated switches, as a table
score-calibration: setup
	@echo "score-calibration: building (three minutes the first time), then scoring (a few minutes)"
	@$(SWIFT) run $(LOOKING_INSIDE) score-calibration

## bench: the engine alone, and keydebounce beside bare C, keyd and interception-tools on a real kernel, as tables
bench: setup build
	@Tools/setup valgrind
	@echo "bench: building (two minutes the first time)"
	@for part in engine floor devices; do $(OPTIMISED) --product benchmark-$$part || exit; done
	@$(BUILD)/optimised/release/benchmark-engine
	@$(MACHINE)/../Benchmark/instructions $(BUILD)/optimised/release/benchmark-engine
	@rm -rf $(PAYLOAD) && $(MACHINE)/payload $(PAYLOAD) $(RELEASE) \
		$(BUILD)/optimised/release/benchmark-floor $(BUILD)/optimised/release/benchmark-devices
	@$(MACHINE)/../Benchmark/devices $(PAYLOAD) $(BUILD)/others $(BENCH)

## setup: installs the Debian packages that are missing, for the program and for its tests
setup: setup-build
	@Tools/setup $(PACKAGES)

# The program alone needs less. Debian's own Swift, where there is no other and it is new enough.
setup-build:
	@command -v $(SWIFT) >/dev/null || Tools/setup-swift
	@Tools/setup $(BUILD_PACKAGES)

unit-tests: setup
	@echo "test: building the tests (two minutes the first time)"
	@$(BUILD_TESTS)
	@$(SWIFT) test --skip-build --skip EndToEndTests --skip InstalledTests

# The engine and its tests alone, in a release build, for the number of streams. Otherwise memory goes to the kernel and back
# with every stream.
TEST_ENGINE = KEYDEBOUNCE_ENGINE_ALONE=1 MALLOC_TRIM_THRESHOLD_=1000000000 MALLOC_MMAP_THRESHOLD_=1000000000 \
	$(SWIFT) test --scratch-path $(BUILD)/engine -c release -Xswiftc -enable-testing $(TESTING)

# 6000 random streams for each property, for every strategy.
property-tests: setup
	@echo "test: properties on 100 000 random streams per strategy (two minutes the first time)"
	@KEYDEBOUNCE_STREAMS=6000 $(TEST_ENGINE) --filter PropertyTests

# How many streams of each strategy are looked at, at most.
EXHAUSTIVE_STREAMS ?= 2000000

## exhaustive: all short streams of one key and of two, for every strategy, with every property (some minutes)
exhaustive: setup
	@echo "exhaustive: at most $(EXHAUSTIVE_STREAMS) streams of each strategy (EXHAUSTIVE_STREAMS=100000 for less, 100000000 for a night)"
	@KEYDEBOUNCE_EXHAUSTIVE=$(EXHAUSTIVE_STREAMS) $(TEST_ENGINE) --filter ExhaustiveTests

## mutants: which changes of an operator, a constant or a condition no unit test notices (MUTANTS=--scope=lifecycle for some)
mutants: setup
	@echo "mutants: building a copy with all of them in it (a few minutes the first time)"
	@$(SWIFT) build --product mutants
	@$(BUILD)/debug/mutants write $(BUILD)/mutants
	@$(BUILD_TESTS) --package-path $(BUILD)/mutants
	@echo "mutants: running the tests that reach each (an hour; what is stopped goes on the next time)"
	@nice -n 10 $(BUILD)/debug/mutants run $(BUILD)/mutants \
		--tests $(BUILD)/mutants/.build/debug/keydebouncePackageTests.xctest $(MUTANTS)

# What may be set for the end-to-end tests: how long those of endurance are, which calls fail, and what a random one begins
# with.
VARIABLES = $(foreach name,KEYDEBOUNCE_CALLS KEYDEBOUNCE_CYCLES KEYDEBOUNCE_EVENTS KEYDEBOUNCE_FAULTS \
	KEYDEBOUNCE_FAULT_SEED KEYDEBOUNCE_LONG KEYDEBOUNCE_SEED KEYDEBOUNCE_SOAK,\
	$(if $($(name)),--env $(name)=$($(name))))

# The virtual machines do not run beside a build: either would slow the other. Beside each other they do, because their
# tests mostly wait for something; each prints all it has to say when it has ended. One that fails does not keep the
# others from going on.
SIDE_BY_SIDE = $(MAKE) --no-print-directory --keep-going --output-sync=target -j2
machine-tests: end-to-end-payload installed-payload
	@echo "test: end to end and the installed service, in virtual machines, two at a time (twenty minutes where they are emulated)"
	@$(SIDE_BY_SIDE) in-machine-installed $(END_TO_END_PARTS)

# KEYDEBOUNCE_CYCLES=1000 and KEYDEBOUNCE_EVENTS=5000000 make the tests of endurance as long as they are meant to be, and
# half an hour longer.
end-to-end-tests: end-to-end-payload
	@echo "test: end to end, in virtual machines, two at a time (a quarter of an hour where they are emulated)"
	@$(SIDE_BY_SIDE) $(END_TO_END_PARTS)

# The whole system: booted with systemd, with the package installed.
installed-tests: installed-payload
	@echo "test: the installed service, in the virtual machine (ten minutes where it is emulated)"
	@$(MAKE) --no-print-directory in-machine-installed

end-to-end-payload: build unit-tests
	@rm -rf $(PAYLOAD) && $(MACHINE)/payload $(PAYLOAD) $(RELEASE) $(BUILD)/debug/keydebouncePackageTests.xctest
	@cp -r Tests/Fixtures packaging/dbus packaging/configuration udev-rules $(PAYLOAD)/
	@cc -std=gnu11 -Wall -Wextra -O1 -shared -fPIC $$(pkg-config --cflags libevdev libudev libsystemd) \
		-o $(PAYLOAD)/faults.so Tests/FaultInjection/Faults.c

installed-payload: deb unit-tests
	@rm -rf $(PAYLOAD)-installed
	@$(MACHINE)/payload $(PAYLOAD)-installed $(BUILD)/debug/keydebouncePackageTests.xctest
	@$(MACHINE)/installation $(PAYLOAD)-installed

.PHONY: machine-tests end-to-end-payload installed-payload $(END_TO_END_PARTS) in-machine-installed
$(END_TO_END_PARTS): in-machine-%:
	@Tools/repeat-failures $(MACHINE)/run --timeout 7200 --env LD_LIBRARY_PATH=/payload/lib \
		--env KEYDEBOUNCE_PROGRAM=/payload/keydebounce $(VARIABLES) $(PAYLOAD) \
		./keydebouncePackageTests.xctest --testing-library swift-testing \
		--filter 'EndToEndTests\.EndToEnd/[$(word $*,$(SUITES))]'

in-machine-installed:
	@Tools/repeat-failures $(MACHINE)/run --timeout 3000 --boot ./prepare-installed --env LD_LIBRARY_PATH=/payload/lib \
		--env KEYDEBOUNCE_PROGRAM=/usr/bin/keydebounce --env KEYDEBOUNCE_INSTALLED=1 $(PAYLOAD)-installed \
		./keydebouncePackageTests.xctest --testing-library swift-testing --filter InstalledTests

## without-systemd: the program on a machine with runit and without libsystemd, in the virtual machine
without-systemd: setup all
	@Tools/WithoutSystemd/check $(PAYLOAD)

## passphrase: an encrypted disk's passphrase typed on a worn keyboard, before the system starts (a quarter of an hour)
passphrase: setup deb
	@Tools/setup qemu-utils cpio
	@$(MACHINE)/passphrase $(if $(GUEST),--release $(GUEST)) $(if $(DRACUT),--dracut) $(SCENES)

# KEYDEBOUNCE_REPLUGS says how often the keyboard is plugged in again in each order (10), and KEYDEBOUNCE_PLUGS how often to see
# who is first (10).
## compatibility: the installed tests on later releases of Debian, and the table beside remappers (an hour and more)
compatibility: setup deb
	@echo "compatibility: building the tests"
	@$(BUILD_TESTS)
	@rm -rf $(PAYLOAD) && $(MACHINE)/payload $(PAYLOAD) $(BUILD)/debug/keydebouncePackageTests.xctest
	@$(MACHINE)/installation $(PAYLOAD)
	@$(MACHINE)/compatibility $(PAYLOAD) $(GUESTS)

# A machine for arm64, emulated, of a release whose kernel has pins that can be pulled from within.
ARM64_GUEST = KEYDEBOUNCE_ARCH=arm64 KEYDEBOUNCE_GUEST=forky $(MACHINE)/run --env LD_LIBRARY_PATH=/payload/lib \
	--env KEYDEBOUNCE_PROGRAM=/payload/keydebounce --env KEYDEBOUNCE_PATIENCE=300
ARM64_TESTS = $(ARM64)/payload ./keydebouncePackageTests.xctest --testing-library swift-testing --filter

arm64-payload: arm64
	@Tools/setup qemu-system-arm qemu-user-binfmt device-tree-compiler uidmap e2fsprogs xz-utils
	@echo "arm64: building the tests (some minutes the first time)"
	@packaging/arm64 --build-tests -debug-info-format none $(TESTING)
	@rm -rf $(ARM64)/payload
	@LIBRARIES=$(ARM64)/root/usr/lib/swift/linux $(MACHINE)/payload $(ARM64)/payload $(ARM64)/release/keydebounce \
		$(ARM64)/debug/keydebouncePackageTests.xctest $(ARM64)/debug/demo
	@cp -r Tests/Fixtures packaging/dbus packaging/configuration udev-rules $(ARM64)/payload/
	@root=$$(realpath $(ARM64)/root) && export PKG_CONFIG_PATH=$$root/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$$root && \
		"$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")/clang" --target=aarch64-linux-gnu --sysroot="$$root" -fuse-ld=lld \
		-std=gnu11 -Wall -Wextra -O1 -shared -fPIC $$(pkg-config --cflags libevdev libudev libsystemd) \
		-o $(ARM64)/payload/faults.so Tests/FaultInjection/Faults.c

## arm64-demo: the demonstration on an emulated arm64 machine
arm64-demo: arm64-payload
	@$(ARM64_GUEST) --timeout 900 $(ARM64)/payload ./demo

## pins: a button on a pin of an emulated arm64 machine: its bounces, what the kernel leaves of them, and what they mean
pins: arm64-payload
	@KEYDEBOUNCE_ICOUNT=1 $(ARM64_GUEST) --timeout 900 --overlay $(MACHINE)/pins.dts --env KEYDEBOUNCE_PINS=1 $(ARM64_TESTS) PinTests

## arm64-tests: the end-to-end tests on an emulated arm64 machine (an hour)
arm64-tests: arm64-payload
	@$(ARM64_GUEST) --timeout 7200 $(ARM64_TESTS) '$(or $(FILTER),EndToEndTests)'

# For how long it goes on.
SOAK_SECONDS ?= 3600

## soak: an hour of typing, plugging, reloads, floods, stalls and jumps of the clock at random, and what became of each press
soak: KEYDEBOUNCE_SOAK := $(SOAK_SECONDS)
soak: setup build
	@echo "soak: building the tests (two minutes the first time)"
	@$(BUILD_TESTS)
	@rm -rf $(PAYLOAD) && $(MACHINE)/payload $(PAYLOAD) $(RELEASE) $(BUILD)/debug/keydebouncePackageTests.xctest
	@cp -r Tests/Fixtures packaging/dbus $(PAYLOAD)/
	@echo "soak: $(SOAK_SECONDS) seconds in the virtual machine (SOAK_SECONDS=600 for less, KEYDEBOUNCE_SEED=N to repeat one)"
	@$(MACHINE)/run --timeout $$(($(SOAK_SECONDS) + 900)) --env LD_LIBRARY_PATH=/payload/lib \
		--env KEYDEBOUNCE_PROGRAM=/payload/keydebounce $(VARIABLES) $(PAYLOAD) \
		./keydebouncePackageTests.xctest --testing-library swift-testing --filter SoakTests

# In C and C++, undefined behaviour ends the program: what would report it is not part of the toolchain. Swift has no such
# sanitizer.
UNDEFINED := -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined
# What the program is made of. The models that it is tried on are Swift and nothing else, and would take hours.
SANITIZED := --filter 'DebounceTests|RecordingTests|ConfigurationTests|CommandTests|ServiceTests|EventDevicesTests|FuzzTests' --skip PropertyTests

## sanitize: the unit tests with the sanitizers: for addresses and undefined behaviour, and for threads
sanitize: setup
	@echo "sanitize: addresses, and what C leaves undefined (ten minutes)"
	@ASAN_OPTIONS=detect_leaks=0 $(SWIFT) test --scratch-path $(BUILD)/address --sanitize address $(UNDEFINED) \
		$(SANITIZED) --skip ReplayCommandTests/memory
	@echo "sanitize: threads (ten minutes)"
	@TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.suppressions $(SWIFT) test \
		--scratch-path $(BUILD)/thread --sanitize thread $(SANITIZED) --skip ReplayCommandTests/memory

# For how long each subject is fuzzed.
FUZZ_SECONDS ?= 600
# Optimised, because what counts is how much is tried; with the sanitizers for the C++ that parses TOML.
FUZZER_FLAGS := -c release --scratch-path $(BUILD)/fuzz --sanitize fuzzer --sanitize address $(UNDEFINED) --product fuzzer

## fuzz: configuration, recordings, evtest's text and the engine, ten minutes each (FUZZ_SECONDS=20 for less)
fuzz: setup
	@echo "fuzz: building (two minutes the first time), then 4 times $(FUZZ_SECONDS) seconds"
	@KEYDEBOUNCE_FUZZER=1 $(SWIFT) build $(FUZZER_FLAGS)
	@Tools/Fuzz/run $(FUZZ_SECONDS)

## fuzz-corpora: takes into the corpora what `make fuzz` found that reaches anything new
fuzz-corpora:
	@Tools/Fuzz/run merge

format:
	$(SWIFT) format --in-place --recursive Sources Tests Tools Package.swift

lint:
	$(SWIFT) format lint --strict --recursive Sources Tests Tools Package.swift

clean:
	rm -rf $(BUILD)
