# `make try` plays, `make test` tests; both install what they need into .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

ROOTS ?= build/roots

.PHONY: firmware install uninstall kills power-cut soak fuzz ghosts test-resolve test-install try test lint bench campaign faults messages goldens hardware enclosure clean venv help mutants mutants-sample
.PHONY: test-fast coverage docs docs-pages release test-wheel deb repository image test-deb
.PHONY: club-campaign club-load test-home-assistant

help:
	@echo "make try          a box without hardware, to play with"
	@echo "make test         all tests"
	@echo "make test-fast    the tests for every save: a minute"
	@echo "make coverage     all tests, and which lines they never reach: build/coverage/html"
	@echo "make lint         ruff and the type checker"
	@echo "make docs         the documentation as a site, into build/site"
	@echo "make docs-pages   the pages that are made from the program: docs/settings.md, docs/commands.md, docs/sizes.md"
	@echo "make release      checks, then everything that a release is into dist/, with its sums; SKIP_TESTS=1: without lint and tests"
	@echo "make deb          the Debian package for trixie and later, into dist/ (apt install debhelper dh-python)"
	@echo "make repository   a signed apt repository of it, into dist/repository; KEY=: whose key signs"
	@echo "make image        as root: the image of a card for Pi 3, 4, 400 and Zero 2 W, into dist/; most of an hour"
	@echo "make test-wheel   the wheel in dist/, installed by itself and run"
	@echo "make bench        figures, as JSON"
	@echo "make install      on a Raspberry Pi, as root: the service; PAGE=1: with the table page; BROKER=1: for an MQTT broker"
	@echo "make uninstall    removes it; PURGE=1: settings and games too"
	@echo "make firmware     the card reader's files, image and UF2, into firmware/build"
	@echo "make hardware     tables, diagrams, labels, parts list and enclosure, made anew (graphviz: apt install graphviz)"
	@echo "make enclosure    only the printed parts"
	@echo "make board        as root: the carrier board, routed and checked by KiCad; board-check: only its check"
	@echo "make messages     the catalogues of the four languages, renewed from the sources"
	@echo "make goldens      the golden pictures of every screen, drawn anew: look at them"
	@echo "make clean        removes what was installed and built in this folder"
	@echo ""
	@echo "make campaign     10,000 games each of perfect teams at 2, 3 and 4 players; long evenings of bad readers"
	@echo "make ghosts       whole games of simulated persons and ghosts at the table, 4,000 a cell (docs/ghosts.md)"
	@echo "make faults       20,000 random faults of buttons, lamps, screens, disk and every kind of reader during games"
	@echo "make kills        kill -9 at 300 random moments of games"
	@echo "make club-campaign 3,000 results of 20 boxes while boxes, broker and hub are killed; both databases"
	@echo "make club-load    1,000 simulated boxes on one broker, and a cluster with one node killed (docs/scale.md)"
	@echo "make test-home-assistant  the box in Home Assistant's own integration; Python 3.13, 630 MB"
	@echo "make power-cut    the power cut at every system call of the journal"
	@echo "make soak         8 hours of play in virtual time: memory, files and threads must not grow"
	@echo "make fuzz         ten minutes of spoiled input at every door"
	@echo "make mutants      200 mutants of each area, drawn by SEED: a test has to notice each (docs/mutants.md)"
	@echo "make mutants-sample three minutes of them, drawn by the commit"
	@echo "make test-resolve where each Python package comes from on a Pi"
	@echo "make test-install as root: the installer on a new bookworm and a new trixie"
	@echo "make test-deb     as root: the Debian package on a new trixie"
	@echo "make vm           a Pi in a virtual machine, built (docs/vm.md)"
	@echo "make vm-test      its tests; vm-test-quick: those that take few minutes"

$(BIN)/python:
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "mind-box needs Python 3.11 or newer with its venv module (Debian: apt install python3-venv)."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Each target installs only what it needs: on a Raspberry Pi there is no wheel for everything that the tests take.
$(VENV)/.playable: EXTRAS := page
$(VENV)/.firmware: EXTRAS := firmware
$(VENV)/.hardware: EXTRAS := hardware,labels
$(VENV)/.docs: EXTRAS := docs
$(VENV)/.package: EXTRAS := package
$(VENV)/.mutants: EXTRAS := test,mutants
$(VENV)/.installed: EXTRAS := page,broker,club,labels,hardware,firmware,update,docs,package,test
PARTS := $(VENV)/.playable $(VENV)/.firmware $(VENV)/.hardware $(VENV)/.docs $(VENV)/.package
$(VENV)/.installed: WITH := $(PARTS)

$(PARTS) $(VENV)/.mutants $(VENV)/.installed: pyproject.toml constraints.txt mind_box/__init__.py | $(BIN)/python
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$(EXTRAS)]"
	@touch $@ $(WITH)

venv: $(VENV)/.installed

try: $(VENV)/.playable
	$(BIN)/mind-box try

test: venv
	$(BIN)/python -m pytest -q -n 2

test-fast: venv
	$(BIN)/python -m pytest -q -n 2 -m fast --durations=5 --durations-min=2

coverage: venv
	$(BIN)/python -m pytest -q --cov --cov-report=term:skip-covered --cov-report=html

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: venv
	$(BIN)/python -m benchmarks

messages: venv
	$(BIN)/python tests/show/make_messages.py

goldens: venv
	$(BIN)/python tests/show/make_goldens.py

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --quiet --strict --site-dir build/site
	@echo build/site/index.html

docs-pages: venv
	$(BIN)/python -m docs.make_settings
	$(BIN)/python -m docs.make_commands
	$(BIN)/python -m docs.make_sizes
	$(BIN)/python -m docs.make_first_start

release: venv
	$(BIN)/python .ci/release.py
	$(if $(SKIP_TESTS),,$(MAKE) lint test)
	$(BIN)/python -m package.release

deb: $(VENV)/.package
	$(BIN)/python -m package.deb

repository: $(VENV)/.package
	$(BIN)/python -m package.repository $(if $(KEY),--key $(KEY))

image: $(VENV)/.package
	$(BIN)/python -m package.card.image

test-wheel: venv
	$(BIN)/python .ci/release.py --try

campaign: venv
	$(BIN)/python -m benchmarks.players 10000
	MIND_BOX_CAMPAIGN=15 $(BIN)/python -m pytest -q tests/readers/test_campaign.py tests/firmware/test_board.py

ghosts: venv
	nice -n 10 $(BIN)/python -m benchmarks.ghosts 4000

firmware: $(VENV)/.firmware
	$(BIN)/python firmware/build.py

faults: venv
	MIND_BOX_FAULTS=20000 MIND_BOX_STALLS=50 $(BIN)/python -m pytest -q -s tests/devices/test_faults.py tests/box/test_stalls.py

hardware: $(VENV)/.hardware
	$(BIN)/python hardware/build.py

enclosure: $(VENV)/.hardware
	$(BIN)/python hardware/build.py enclosure

# KiCad comes in a Debian of its own, some minutes the first time (hardware/board/root.sh).
.PHONY: board board-check
board: $(VENV)/.hardware
	$(BIN)/python hardware/board/make.py

board-check: $(VENV)/.hardware
	$(BIN)/python hardware/board/make.py check

# -- on a Raspberry Pi (docs/install.md)

install:
	sh systemd/install.sh install $(if $(PAGE),--page) $(if $(BROKER),--broker)

uninstall:
	sh systemd/install.sh uninstall $(if $(PURGE),--purge)

# -- long forms of tests that are short in `make test` (docs/power.md)

kills: venv
	MIND_BOX_KILLS=300 $(BIN)/python -m pytest -q -s tests/service/test_kills.py

club-campaign: venv
	$(BIN)/python -m tests.club.campaign 3000 20 40

club-load: venv
	$(BIN)/python -m benchmarks.club_load

HOME_ASSISTANT := build/home-assistant
test-home-assistant: venv
	python3.13 -m venv $(HOME_ASSISTANT)
	$(HOME_ASSISTANT)/bin/pip install --quiet -r tests/home_assistant/requirements.txt
	$(BIN)/python -m tests.home_assistant.payload > $(HOME_ASSISTANT)/device.json
	MIND_BOX_DEVICE=$(CURDIR)/$(HOME_ASSISTANT)/device.json $(HOME_ASSISTANT)/bin/python -m pytest -q -c tests/home_assistant/pytest.ini tests/home_assistant

power-cut: venv
	MIND_BOX_EVERY_CALL=1 MIND_BOX_POWER_CUT_SAMPLES=60 $(BIN)/python -m pytest -q -s tests/journal/test_power_cut.py tests/journal/test_crashes.py

soak: venv
	TMPDIR=/dev/shm $(BIN)/python -m tests.service.soak 8

fuzz: venv
	$(BIN)/pip install --quiet atheris || echo "without atheris: at random"
	$(BIN)/python -m tests.fuzz.long 600

MUTANTS := nice -n 10 $(BIN)/python -m tests.mutants
SEED ?= $(shell git rev-parse HEAD)

mutants: $(VENV)/.mutants
	status=0; for area in game table journal referee codecs cards buttons screens evening; do \
		$(MUTANTS) --seed $(SEED) --area $$area --count 200 || status=1; done; exit $$status

mutants-sample: $(VENV)/.mutants
	$(MUTANTS) --seed $(SEED) --seconds 120 --count 1000

test-resolve: venv
	$(BIN)/python -m tests.install.resolve

test-install: venv
	$(BIN)/python -m tests.install.in_root bookworm $(ROOTS)
	$(BIN)/python -m tests.install.in_root trixie $(ROOTS)

test-deb: venv
	$(BIN)/python -m tests.install.deb_in_root $(ROOTS)

# -- a Pi in a virtual machine (docs/vm.md); MIND_BOX_VM_ARCH=amd64 is the one that is built fast

.PHONY: vm vm-test vm-test-quick
vm: venv
	bash tests/vm/build.sh

vm-test: vm
	MIND_BOX_VM=1 $(BIN)/python -m pytest -v tests/vm

vm-test-quick: vm
	MIND_BOX_VM=1 $(BIN)/python -m pytest -v -m quick tests/vm

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
