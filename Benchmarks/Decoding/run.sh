#!/usr/bin/env bash
# Builds the peers, and measures: Benchmarks/Decoding/run.sh [CASE ...] [--quality fast]
#
# Expects .build/release/calo, and what scripts/setup.sh bench installs. Keeps everything it makes in .build/bench-decode.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/.build/bench-decode
mkdir -p "$work"

if [ "$here/peers.c" -nt "$work/peers" ]; then
    # shellcheck disable=SC2046
    cc -O2 -Wall -Wextra -Werror -std=gnu11 "$here/peers.c" -o "$work/peers" \
        $(pkg-config --cflags --libs vips libjpeg libpng libwebp libavif libheif libjxl)
fi

python=$work/venv/bin/python
if ! "$python" -c 'import numpy, PIL' 2>/dev/null; then
    echo "bench-decode: installing Pillow and numpy into $work/venv"
    python3 -m venv "$work/venv"
    "$python" -m pip install --quiet --disable-pip-version-check 'pillow>=11.3' numpy
fi

exec env OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 "$python" "$here/bench.py" "$root/.build/release/calo" "$work/peers" "$work" "$@"
