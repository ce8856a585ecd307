# Short commands. The build itself is CMake's (CMakeLists.txt, CMakePresets.json); `make help` lists what there is.

PREFIX ?= /usr/local

.PHONY: all setup setup-demo setup-test setup-targets setup-site setup-all test test-all test-slow test-sanitizers test-long test-python test-targets web test-site trust trust-long check-all demo tasks tasks-own reproduce site bench mutants coverage lint format fuzz install uninstall clean help
.NOTPARALLEL:

all: setup ## the library and the command, build/hardnet (the default)
	@scripts/build --target product release

test: setup-test ## the release build and its tests, in less than five minutes
	@scripts/build --test release

test-all: setup-all setup-targets setup-site ## everything: lint, slow and long tests, sanitizers, Python, other processors, the site; CI runs it
	@scripts/test-all

test-slow: setup-test ## the release tests that `make test` leaves out
	@scripts/build --target all release
	@ctest --preset slow -j $$(nproc)

test-sanitizers: setup-test ## all tests under AddressSanitizer and UBSan
	@scripts/build --test dev

test-long: setup-test ## every model through the compilers, more random problems, layers under ThreadSanitizer
	@scripts/build --target all release
	@scripts/build --target long_tests release
	@ctest --test-dir build -C Long -R '^long/' --output-on-failure -j $$(nproc)

test-python: setup-test ## the Python tests with torch and jax, which it installs into build/venv
	@scripts/python all

test-targets: setup-targets ## emitted files on other processors: cross compilers and emulators, which it installs
	@scripts/build --target product release
	@ctest --test-dir build -C Targets -R '^targets/' --output-on-failure -V

web: setup-site ## the library as WebAssembly and the playground, one page that works from disk: build/web
	@scripts/web

test-site: setup-test setup-site all ## the WebAssembly module in Node, playground and site in Chromium, every block of the documents
	@scripts/python wheel
	@scripts/site
	@scripts/web --test
	@scripts/site --test

trust: setup-all setup-targets ## the promises of docs/reliability.md, one line each: figure, limit, passed or FAILED
	@scripts/trust

trust-long: setup-all setup-targets ## the same, with those that take hours
	@scripts/trust --long

check-all: setup-all ## everything: lint, coverage, fuzzing minutes, and the tests with gcc, clang and three sanitizers
	@scripts/lint
	@scripts/coverage
	@scripts/fuzz
	@scripts/build --test release dev clang memory
	@ctest --preset slow -j $$(nproc)

demo: setup-demo all ## train controllers, judge them, drive them, draw them: the paper's table with ours beside it
	@scripts/demo

tasks: all ## train on the published tasks of others and print ours beside theirs; one with TASK=dc3
	@scripts/tasks $(TASK)

tasks-own: setup-test all ## train on models/tasks with the defaults, judge against IPOPT, in closed loop, too; one with TASK=arm
	@scripts/own-tasks $(TASK)

reproduce: setup-test all ## the paper's experiment with its full settings, in the background for about an hour
	@scripts/reproduce

site: setup-site ## the documents as a site that works from disk, the playground with them: build/site/index.html
	@scripts/site

bench: setup-test ## run the benchmarks, build/bench/*
	@scripts/build --target benches release
	@scripts/bench

mutants: setup-test ## do the tests notice 120 small mistakes in the code?
	@scripts/mutants

coverage: setup-all ## line and branch coverage of src/
	@scripts/coverage

lint: setup-all ## formatting, static analysis and the house rules
	@scripts/lint

format: setup-all ## let clang-format rewrite what it would complain about
	@scripts/lint --format

fuzz: setup-all ## a minute of fuzzing for every fuzz/*.c
	@scripts/fuzz

install: all ## install to PREFIX (/usr/local), under DESTDIR if given
	@cmake --install build --prefix "$(PREFIX)" --strip

uninstall: ## remove what the last `make install` copied, under the same DESTDIR
	@cmake -D manifest=build/install_manifest.txt -P cmake/uninstall.cmake

clean: ## remove all builds
	rm -rf build build-dev build-coverage build-clang build-memory build-fuzz build-bits build-platforms build-mutants

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 12

setup:
	@scripts/setup

setup-demo:
	@scripts/setup --demo

setup-test:
	@scripts/setup --test

setup-targets:
	@scripts/setup --targets

setup-site:
	@scripts/setup --site

setup-all:
	@scripts/setup --all
