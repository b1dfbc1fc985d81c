#!/usr/bin/env bash
# Starts a Thumbor on a free port of this machine, and tests server-made thumbnails against it.
#
#   scripts/test-thumbor.sh COMMAND...      runs COMMAND with CALOTYPE_THUMBOR_URL and CALOTYPE_THUMBOR_KEY set
#
# Thumbor comes from PyPI, into .build/thumbor. Where it can't be installed, this says so, and ends well.
set -euo pipefail
cd "$(dirname "$0")/.."

environment=.build/thumbor
skip() {
    echo "test-thumbor: skipped: $1."
    exit 0
}

if [ ! -x "$environment/bin/thumbor" ]; then
    command -v python3 >/dev/null || skip "there is no python3"
    rm -rf "$environment"
    log=$(mktemp)
    if ! { python3 -m venv "$environment" && "$environment/bin/pip" install --quiet 'thumbor>=7.7,<8'; } >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        rm -f "$log"
        rm -rf "$environment"
        skip "Thumbor couldn't be installed from PyPI"
    fi
    rm -f "$log"
fi

key="key of a test"
port=$("$environment/bin/python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
folder=$(mktemp -d)
cat >"$folder/thumbor.conf" <<CONF
SECURITY_KEY = "$key"
ALLOW_UNSAFE_URL = False
ALLOWED_SOURCES = ["127.0.0.1"]
STORAGE = "thumbor.storages.no_storage"
RESULT_STORAGE = None
CONF
"$environment/bin/thumbor" --ip 127.0.0.1 --port "$port" --conf "$folder/thumbor.conf" --log-level error &
thumbor=$!
trap 'kill "$thumbor" 2>/dev/null || true; wait "$thumbor" 2>/dev/null || true; rm -rf "$folder"' EXIT

for _ in $(seq 100); do
    kill -0 "$thumbor" 2>/dev/null || { echo "test-thumbor: Thumbor has ended before it answered." >&2; exit 1; }
    if "$environment/bin/python" -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1], timeout=5)' \
        "http://127.0.0.1:$port/healthcheck" 2>/dev/null; then
        ready=1
        break
    fi
    sleep 0.1
done
[ "${ready:-}" ] || { echo "test-thumbor: Thumbor doesn't answer on port $port." >&2; exit 1; }

CALOTYPE_THUMBOR_URL="http://127.0.0.1:$port" CALOTYPE_THUMBOR_KEY="$key" "$@"
