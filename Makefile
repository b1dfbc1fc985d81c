# Everything that is run by hand or by CI. `make` alone lists it.
#
# SWIFT_FLAGS are passed to every build: make test SWIFT_FLAGS="--jobs 4"
# TRAITS say which formats are built in that packages leave out unless told: make build TRAITS="--traits AVIF"

SWIFT ?= swift
SWIFT_FLAGS ?=
TRAITS ?= --enable-all-traits
SOURCES = Sources Tests Support Examples Package.swift scripts/check-docs.swift

# A test that crashes should say so and end: the backtracer would wait for a debugger.
export SWIFT_BACKTRACE = enable=no
# Hundreds of tests at a time, each with a server, clients and tasks of its own, starve one another on few cores until
# what should answer in milliseconds takes longer than a client waits. Eight keep two cores busy, and end sooner, too.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8

.DEFAULT_GOAL := help
.PHONY: help setup lint lint-workflows build release test test-macos test-ios view-test view-soak test-thumbor \
	test-recorder typecheck-apple api api-check crash-test soak sanitize sanitize-thread sanitize-address sanitize-views \
	fuzz golden docs demo bench bench-gate bench-decode cache-suite clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | \
	while IFS='|' read -r target text; do printf '  make %-15s %s\n' "$$target" "$$text"; done

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
	$(MAKE) view-test api-check

# The views, against a module named SwiftUI that stands for Apple's. A build folder of its own keeps it from others.
VIEW_FLAGS = --scratch-path .build/view-host -Xswiftc -warnings-as-errors

view-test: setup ## run the views and their tests in a host that stands for SwiftUI
	CALOTYPE_VIEW_HOST=1 $(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) $(VIEW_FLAGS) --build-tests
	CALOTYPE_VIEW_HOST=1 $(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) $(VIEW_FLAGS) --skip-build

view-soak: setup ## a feed at 10,000 random interleavings of what comes and what is done
	CALOTYPE_VIEW_HOST=1 $(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) $(VIEW_FLAGS) --build-tests
	CALOTYPE_VIEW_HOST=1 CALOTYPE_INTERLEAVINGS=10000 $(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) $(VIEW_FLAGS) --skip-build \
		--filter InterleavingTests

test-thumbor: setup ## test server-made thumbnails against a Thumbor from PyPI (skipped where there is none)
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --build-tests
	scripts/test-thumbor.sh $(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --skip-build --filter ThumborTests

# It needs the corpus of images beside the package. Every line that changed is to be looked at before it is committed.
golden: setup ## record anew what each file of the corpus becomes
	@test -z "$(CI)" || { echo "What CI records would be what CI compares with: run make golden by hand." >&2; exit 2; }
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --build-tests
	CALOTYPE_RECORD_GOLDEN=1 $(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --skip-build --filter CorpusTests/record
	git --no-pager diff --stat -- Tests/CalotypeTests/Fixtures/corpus.tsv

typecheck-apple: setup ## type-check what only Apple's platforms compile, against declarations of their modules
	@scripts/typecheck-apple.sh

# Both read the modules of that build, and those that stand for Apple's platforms. A second or two beside those.
api: build typecheck-apple ## write the public interface anew: API/*.txt
	@scripts/api.py write

api-check: build typecheck-apple ## compare the public interface with API/*.txt
	@cd scripts && python3 -m unittest -q test_api
	@scripts/api.py check

# What `make test` runs on Linux, with Apple's own SwiftUI and Image I/O.
test-macos: lint ## on a Mac: build with warnings as errors, and run the tests, views in a window included
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --build-tests -Xswiftc -warnings-as-errors
	$(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --skip-build -Xswiftc -warnings-as-errors

test-ios: ## on a Mac: run the tests in an iOS simulator
	@scripts/test-ios.sh

lint-workflows: ## check the workflows of continuous integration
	@scripts/lint-workflows.sh

# Symbols come from the modules that view-test and typecheck-apple make. HOSTING_BASE_PATH=calotype for a site below a path.
docs: setup ## build the documentation of every product as a static site: .build/docs
	CALOTYPE_VIEW_HOST=1 $(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) $(VIEW_FLAGS)
	scripts/typecheck-apple.sh
	scripts/docs.sh

crash-test: setup ## kill processes that write to a store, 200 times, and look at what they leave
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --build-tests
	CALOTYPE_CRASH_ROUNDS=200 $(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --skip-build --filter StoreCrashTests

# SCREENSHOTS=DIR keeps pictures of the pages, to be looked at.
RECORDER_PAGES = .build/recorder-pages

test-recorder: ## open the recorder's pages in a browser: what they show, filters, keyboard, no network
	@scripts/setup.sh recorder
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) --build-tests
	rm -rf $(RECORDER_PAGES) && mkdir -p $(RECORDER_PAGES)
	CALOTYPE_RECORDER_PAGES=$(CURDIR)/$(RECORDER_PAGES) $(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --skip-build \
		--filter RecorderPageFiles
	node scripts/test-recorder.mjs $(RECORDER_PAGES) $(SCREENSHOTS)

# SEED=1 says what happens when; without it that is drawn by lot, and printed.
MINUTES ?= 10
soak: setup ## use one pipeline for MINUTES=10, badly served; then nothing may be left and every count must agree
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo
	.build/release/calo soak --seconds $$(($(MINUTES) * 60)) $(if $(SEED),--seed $(SEED))

demo: setup ## see what becomes of images: a feed, launches, a change, no network, a sign-out
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo
	.build/release/calo demo

# The sanitizers have build folders of their own, so that they and other builds don't undo each other's work.
# CALOTYPE_SANITIZE tells heavy tests to choose smaller runs. One test after another: beside all the others each would take
# longer than its time limit.
sanitize: sanitize-thread sanitize-address sanitize-views ## run the tests with the thread and address sanitizers

sanitize-thread: setup
	CALOTYPE_SANITIZE=1 TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/scripts/tsan-suppressions.txt" \
	$(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --no-parallel --sanitize=thread --scratch-path .build/sanitize-thread \
		-Xswiftc -DCALOTYPE_THREAD_SANITIZER

# Without the leak check: it can't follow the tagged pointers in which Swift keeps the storage of Data, so that values
# which are alive at the end count as leaks, and XCTest keeps 368 bytes of its own. Leaks have tests that count.
sanitize-address: setup
	CALOTYPE_SANITIZE=1 ASAN_OPTIONS=detect_leaks=0 \
	$(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --no-parallel --sanitize=address --scratch-path .build/sanitize-address

sanitize-views: setup
	CALOTYPE_VIEW_HOST=1 CALOTYPE_SANITIZE=1 \
	TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/scripts/tsan-suppressions.txt" \
	$(SWIFT) test $(TRAITS) $(SWIFT_FLAGS) --no-parallel --sanitize=thread --scratch-path .build/sanitize-views \
		-Xswiftc -DCALOTYPE_THREAD_SANITIZER

# libFuzzer needs lld, and code that counts its branches. FORMAT may also be header, fields, head, url or thumbhash.
FUZZ_FLAGS = -c release --product CalotypeFuzz --scratch-path .build/fuzz --sanitize=address \
	-Xswiftc -sanitize=fuzzer -Xswiftc -parse-as-library -Xswiftc -enable-testing -Xswiftc -use-ld=lld \
	-Xcc -fsanitize=fuzzer-no-link
FORMAT ?= all
SECONDS ?= 60
FUZZ_TARGETS = jpeg png gif webp avif heic jxl profile header fields head url thumbhash

fuzz: setup ## fuzz a decoder or a parser: FORMAT=png SECONDS=60
	CALOTYPE_FUZZ=1 $(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) $(FUZZ_FLAGS)
	@for target in $(if $(filter all,$(FORMAT)),$(FUZZ_TARGETS),$(FORMAT)); do \
		echo "fuzz $$target for $(SECONDS) s" && scripts/fuzz.sh $$target $(SECONDS) || exit 1; \
	done

bench: .build/bench/pipeline-peer ## measure: counts and times of the main operations
	@scripts/setup.sh bench
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo
	.build/release/calo bench

# What an image takes without a pipeline.
.build/bench/pipeline-peer: Benchmarks/Pipeline/peer.c
	@scripts/setup.sh bench
	@mkdir -p $(@D)
	cc -O2 -Wall -Wextra -Werror -std=gnu11 $< -o $@ $$(pkg-config --cflags --libs libcurl libjpeg)

# Counts don't depend on what else the machine does. RECORD=1 writes them anew: look at every line before it is committed.
bench-gate: ## compare instruction counts with those that are checked in
	@scripts/setup.sh bench
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo
	.build/release/calo bench --gate Benchmarks/gate.tsv $(if $(RECORD),--record)

# CASES="jpeg png-12mp" takes those whose names begin so; QUALITY=fast the other quality.
bench-decode: ## measure decoding beside libvips, Pillow and the libraries themselves
	@scripts/setup.sh bench-decode
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo
	Benchmarks/Decoding/run.sh $(CASES) $(if $(QUALITY),--quality $(QUALITY))

# The suite isn't part of the project: git clone https://github.com/http-tests/cache-tests. It needs node 20.
cache-suite: setup ## run the public HTTP caching suite: CACHE_TESTS_DIR=its checkout
	@test -n "$(CACHE_TESTS_DIR)" || { echo "Say where the suite is: make cache-suite CACHE_TESTS_DIR=..." >&2; exit 2; }
	$(SWIFT) build $(TRAITS) $(SWIFT_FLAGS) -c release --product calo
	node --no-warnings scripts/cache-suite.mjs "$(CACHE_TESTS_DIR)" .build/release/calo

clean: ## remove what has been built
	rm -rf .build calo-demo bench-results
