# Everything that is run by hand or by CI. `make` alone lists it.
#
# SWIFT_FLAGS are passed to every build: make test SWIFT_FLAGS="--jobs 4"
# TRAITS say which formats are built in that packages leave out unless told: make build TRAITS="--traits AVIF"

SWIFT ?= swift
SWIFT_FLAGS ?=
TRAITS ?= --enable-all-traits
SOURCES = Sources Tests Package.swift

# A test that crashes should say so and end: the backtracer would wait for a debugger.
export SWIFT_BACKTRACE = enable=no
# Hundreds of tests at a time, each with a server, clients and tasks of its own, starve one another on few cores until
# what should answer in milliseconds takes longer than a client waits. Eight keep two cores busy, and end sooner, too.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8

.DEFAULT_GOAL := help
.PHONY: help setup lint build release test crash-test sanitize sanitize-thread sanitize-address demo bench \
	cache-suite clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | \
	while IFS='|' read -r target text; do printf '  make %-11s %s\n' "$$target" "$$text"; done

setup: ## install the system libraries that are missing (Debian and Ubuntu)
	@scripts/setup.sh

lint: ## check the formatting
	$(SWIFT) format lint --strict -r $(SOURCES)

build: setup ## build for debugging, warnings as errors
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -Xswiftc -warnings-as-errors

release: setup ## build calo for use: .build/release/calo
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo

test: setup lint ## lint, build with warnings as errors, and run the tests
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --build-tests -Xswiftc -warnings-as-errors
	$(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --skip-build -Xswiftc -warnings-as-errors

crash-test: setup ## kill processes that write to a store, 200 times, and look at what they leave
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --build-tests
	CALOTYPE_CRASH_ROUNDS=200 $(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --skip-build --filter StoreCrashTests

demo: setup ## scroll a feed of photos by AsyncImage's rules and by Calotype's, and compare
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo
	.build/release/calo demo

# The sanitizers have build folders of their own, so that they and other builds don't undo each other's work.
# CALOTYPE_SANITIZE tells heavy tests to choose smaller runs. One test after another: beside all the others each would take
# longer than its time limit.
sanitize: sanitize-thread sanitize-address ## run the tests with the thread and address sanitizers

sanitize-thread: setup
	CALOTYPE_SANITIZE=1 TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/scripts/tsan-suppressions.txt" \
	$(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --no-parallel --sanitize=thread --scratch-path .build/sanitize-thread \
		-Xswiftc -DCALOTYPE_THREAD_SANITIZER

# Without the leak check: it can't follow the tagged pointers in which Swift keeps the storage of Data, so that values
# which are alive at the end count as leaks, and XCTest keeps 368 bytes of its own. Leaks have tests that count.
sanitize-address: setup
	CALOTYPE_SANITIZE=1 ASAN_OPTIONS=detect_leaks=0 \
	$(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --no-parallel --sanitize=address --scratch-path .build/sanitize-address

bench: ## measure: counts and times of the main operations
	@scripts/setup.sh bench
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo
	.build/release/calo bench

# The suite isn't part of the project: git clone https://github.com/http-tests/cache-tests. It needs node 20.
cache-suite: setup ## run the public HTTP caching suite: CACHE_TESTS_DIR=its checkout
	@test -n "$(CACHE_TESTS_DIR)" || { echo "Say where the suite is: make cache-suite CACHE_TESTS_DIR=..." >&2; exit 2; }
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo
	node --no-warnings scripts/cache-suite.mjs "$(CACHE_TESTS_DIR)" .build/release/calo

clean: ## remove what has been built
	rm -rf .build calo-demo bench-results
