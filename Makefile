# `make demo` and `make test` need nothing installed but the Swift toolchain: `setup` brings the rest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT    ?= swift
BUILD    ?= .build
PACKAGES := libuv1-dev liblmdb-dev libbson-dev libsqlite3-dev zlib1g-dev libssl-dev openssl libsodium-dev pkg-config iso-codes python3
# The standard library inside the binaries: a third less resident memory, and nothing to install where they go.
RELEASE  := -c release --static-swift-stdlib --scratch-path $(BUILD)
FUZZ     ?= query frames changeset merge sync
SANITIZE ?= thread address
# What runs in the tests' own process: a child that is to trap is none the wiser for a sanitizer.
SANITIZE_TESTS ?= ^(Model|Query|Merge|Store|Wire|EventLoop|Agent|ClientKit|Compatibility)Tests
PREFIX   ?= /usr/local
COMPLETIONS := bash-completion/completions/reeve zsh/vendor-completions/_reeve fish/vendor_completions.d/reeve.fish
# What `install` puts below PREFIX.
INSTALLED := bin/reeve lib/systemd/user/reeve-agent.socket lib/systemd/user/reeve-agent.service \
    lib/systemd/system/reeve-server.service share/man/man1/reeve.1.gz share/doc/reeve/copyright \
    $(addprefix share/,$(COMPLETIONS))
SOURCES  := Package.swift Sources Tests Benchmarks Examples Fuzz

# The crash reporter of the Swift runtime can hang on processes that the tests kill on purpose.
export SWIFT_BACKTRACE := enable=no

help: ## Show the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install the system packages (as root, or prints the line to run)
	@missing=(); \
	for package in $(PACKAGES); do \
	    dpkg-query -W -f='$${Status}' "$$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$$package"); \
	done; \
	if (( $${#missing[@]} )); then \
	    line="apt-get update && apt-get install -y --no-install-recommends $${missing[*]}"; \
	    if (( EUID == 0 )); then \
	        echo "installing $${missing[*]}"; \
	        export DEBIAN_FRONTEND=noninteractive; \
	        apt-get update -qq && apt-get install -y -qq --no-install-recommends "$${missing[@]}" >/dev/null; \
	    else \
	        echo "Missing packages. Run: sudo sh -c '$$line'" >&2; exit 1; \
	    fi; \
	fi
	@command -v $(SWIFT) >/dev/null || { echo "No Swift toolchain in PATH; 6.2 or later is needed (swift.org/install)." >&2; exit 1; }

build: setup ## Build everything for release
	$(SWIFT) build $(RELEASE)

demo: setup ## Build, start an agent and several client processes, kill some, check that nothing was lost
	$(SWIFT) build $(RELEASE) --product reeve
	$(SWIFT) build $(RELEASE) --product demo-client
	Examples/demo.sh "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

test: setup lint ## Run every test that belongs to a commit
	$(SWIFT) build --build-tests --scratch-path $(BUILD)
	$(SWIFT) test --skip-build --no-parallel --scratch-path $(BUILD)
	$(MAKE) smoke

smoke: setup ## Build for release, and use the command as people do
	$(SWIFT) build $(RELEASE) --product reeve
	Tests/release-smoke.sh "$$($(SWIFT) build $(RELEASE) --show-bin-path)"
	Tests/package-smoke.sh "$$($(SWIFT) build $(RELEASE) --show-bin-path)"

vectors: setup ## Run the tests against the golden data alone
	$(SWIFT) test --scratch-path $(BUILD) --filter 'Recorded|Golden'

soak: setup ## The long random, crash and fuzz runs (SOAK=n multiplies them)
	$(SWIFT) build --build-tests --scratch-path $(BUILD)
	REEVE_SOAK=$${SOAK:-20} $(SWIFT) test --skip-build --no-parallel --scratch-path $(BUILD)

sanitize: setup ## Run the tests under the sanitizers in SANITIZE (thread address); SANITIZE_TESTS is a filter
	for sanitizer in $(SANITIZE); do \
	    $(SWIFT) build --build-tests --sanitize=$$sanitizer --scratch-path $(BUILD)/$$sanitizer; \
	    TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/Tests/thread-sanitizer.supp" \
	    ASAN_OPTIONS="detect_leaks=0 use_sigaltstack=0" \
	        $(SWIFT) test --skip-build --no-parallel --sanitize=$$sanitizer --scratch-path $(BUILD)/$$sanitizer \
	        --filter '$(SANITIZE_TESTS)'; \
	done

fuzz: setup ## Let libFuzzer loose on the decoders in FUZZ (all), FUZZ_SECONDS (600) each
	for target in $(FUZZ); do \
	    REEVE_FUZZ=1 $(SWIFT) build -c release --sanitize=fuzzer --scratch-path $(BUILD)/fuzz --product fuzz-$$target; \
	    mkdir -p $(BUILD)/fuzz/corpus/$$target $(BUILD)/fuzz/found; \
	    nice -n 15 $(BUILD)/fuzz/release/fuzz-$$target $(BUILD)/fuzz/corpus/$$target Fuzz/Corpus/$$target \
	        $$(test -f Fuzz/Corpus/$$target.dict && echo -dict=Fuzz/Corpus/$$target.dict) \
	        -artifact_prefix=$(BUILD)/fuzz/found/$$target- -max_total_time=$${FUZZ_SECONDS:-600} -timeout=10 \
	        -print_final_stats=1; \
	done

bench: setup ## Measure against SQLite and a C libuv echo, in one run; writes .build/bench.json
	$(SWIFT) build $(RELEASE) --product reeve
	$(SWIFT) build $(RELEASE) --product reeve-bench
	"$$($(SWIFT) build $(RELEASE) --show-bin-path)/reeve-bench" --output $(BUILD)/bench.json

lint: ## Check the format
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

format: ## Apply the format
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

# The tools are the toolchain's own: no plugin, and no network. A link that leads nowhere is an error.
docs: setup ## Write the API's documentation as a web site into .build/docs
	$(SWIFT) build --scratch-path $(BUILD) --target ClientKit
	rm -rf "$(BUILD)/docs" "$(BUILD)/symbol-graphs"
	mkdir -p "$(BUILD)/symbol-graphs"
	built="$$($(SWIFT) build --scratch-path $(BUILD) --show-bin-path)"; \
	target="$$($(SWIFT) -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -1)"; \
	tools="$$(dirname "$$(readlink -f "$$(command -v $(SWIFT))")")"; \
	"$$tools/swift-symbolgraph-extract" -module-name ClientKit -target "$$target" -minimum-access-level public \
	    -I "$$built/Modules" -Xcc -fmodule-map-file="$$built/CPlatform.build/module.modulemap" \
	    $(foreach module,CLMDB CBSON CSodium,-I Sources/$(module)) \
	    $$(pkg-config --cflags-only-I lmdb libbson-1.0 libsodium | sed 's/-I/-Xcc -I/g') \
	    -output-dir "$(BUILD)/symbol-graphs"; \
	"$$tools/docc" convert docs/Documentation.docc --additional-symbol-graph-dir "$(BUILD)/symbol-graphs" \
	    --fallback-display-name RealmSwift --fallback-bundle-identifier reeve.RealmSwift \
	    --transform-for-static-hosting --output-path "$(BUILD)/docs" \
	    >"$(BUILD)/docs.log" 2>&1 || { cat "$(BUILD)/docs.log"; exit 1; }
	@! grep -A 1 "doesn't exist at" "$(BUILD)/docs.log"
	@echo "Serve it, for example with python3 -m http.server -d $(BUILD)/docs, and see /documentation/clientkit"

install: build ## Install command, units, manual and completions below PREFIX (/usr/local), for packages below DESTDIR
	$(MAKE) install-files BINARY="$$($(SWIFT) build $(RELEASE) --show-bin-path)/reeve"

# What `install` does with a command that is there.
install-files:
	install -D -m 755 "$(BINARY)" "$(DESTDIR)$(PREFIX)/bin/reeve"
	for unit in user/reeve-agent.socket user/reeve-agent.service system/reeve-server.service; do \
	    install -d "$(DESTDIR)$(PREFIX)/lib/systemd/$${unit%/*}"; \
	    sed 's|/usr/local/bin/reeve|$(PREFIX)/bin/reeve|' contrib/systemd/$${unit#*/} \
	        > "$(DESTDIR)$(PREFIX)/lib/systemd/$$unit"; \
	    chmod 644 "$(DESTDIR)$(PREFIX)/lib/systemd/$$unit"; \
	done
	install -d "$(DESTDIR)$(PREFIX)/share/man/man1"
	gzip -9n < contrib/man/reeve.1 > "$(DESTDIR)$(PREFIX)/share/man/man1/reeve.1.gz"
	install -d $(foreach file,$(COMPLETIONS),"$(DESTDIR)$(PREFIX)/share/$(dir $(file))")
	"$(BINARY)" completion bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/reeve"
	"$(BINARY)" completion zsh > "$(DESTDIR)$(PREFIX)/share/zsh/vendor-completions/_reeve"
	"$(BINARY)" completion fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/reeve.fish"
	install -D -m 644 LICENSE "$(DESTDIR)$(PREFIX)/share/doc/reeve/copyright"

uninstall: ## Remove what install put below PREFIX; realms and settings stay
	rm -f $(foreach file,$(INSTALLED),"$(DESTDIR)$(PREFIX)/$(file)")
	-rmdir "$(DESTDIR)$(PREFIX)/share/doc/reeve"

deb: build ## Make a Debian package of the command in .build
	$(MAKE) deb-files BINARY="$$($(SWIFT) build $(RELEASE) --show-bin-path)/reeve"

# What `deb` does with a command that is there.
deb-files:
	rm -rf "$(BUILD)/debian"
	$(MAKE) install-files BINARY="$(BINARY)" DESTDIR="$(abspath $(BUILD))/debian" PREFIX=/usr
	strip --strip-unneeded "$(BUILD)/debian/usr/bin/reeve"
	version=$$("$(BINARY)" --version | cut -d' ' -f2); \
	contrib/debian/build-package.sh "$(BUILD)/debian" "$$version" \
	    "$(BUILD)/reeve_$${version}_$$(dpkg --print-architecture).deb"

clean: ## Remove what was built
	rm -rf $(BUILD)

.PHONY: help setup build demo test smoke vectors soak sanitize fuzz bench lint format docs install install-files uninstall deb \
    deb-files clean
