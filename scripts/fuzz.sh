#!/usr/bin/env bash
# Fuzzes one target: a format (jpeg, png, gif, webp, avif, heic, jxl) or a parser (profile, header, fields,
# head, url, thumbhash).
#
#   scripts/fuzz.sh TARGET SECONDS
#
# It starts from the fixtures, and from the files of CORPUS, a folder of images, if there is one. What it finds stays in
# .build/fuzz-corpus/TARGET; an input that breaks something, in .build/fuzz-crashes. Repeat one by
# CALOTYPE_FUZZ_TARGET=TARGET .build/fuzz/release/CalotypeFuzz FILE.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$1
seconds=$2
corpus=${CORPUS:-../shared/corpus}
fuzzer=.build/fuzz/release/CalotypeFuzz
inputs=.build/fuzz-corpus/$target
crashes=.build/fuzz-crashes
mkdir -p "$inputs" "$crashes"

seeds() {
    case "$target" in
    jpeg) patterns='*.jpg *.mpo' ;;
    png) patterns='*.png *.apng' ;;
    gif) patterns='*.gif' ;;
    webp) patterns='*.webp' ;;
    avif) patterns='*.avif' ;;
    heic) patterns='*.heic *.heif *.hif' ;;
    jxl) patterns='*.jxl' ;;
    header) patterns='*.*' ;;
    *) patterns='' ;;
    esac
    for folder in Tests/CalotypeTests/Fixtures/Images "$corpus"; do
        [ -d "$folder" ] || continue
        for pattern in $patterns; do
            # Large ones teach nothing that small ones don't, and take a second for each try.
            find "$folder" -name "$pattern" -size -160k -exec cp -n {} "$inputs/" \;
        done
    done
    case "$target" in
    fields)
        printf '%s\n' 'Cache-Control: max-age=60, stale-if-error=5, private="a,b"' 'Range: bytes=0-9' \
            'Date: Sun, 06 Nov 1994 08:49:37 GMT' 'If-None-Match: W/"a", "b"' 'Expires: Sunday, 06-Nov-94 08:49:37 GMT' \
            'Accept-Language: de;q=0.5, en' 'Vary: Accept-Language, *' 'If-Range: "x"' 'ETag: W/"x"' \
            'Accept: image/*' 'Retry-After: 120' 'Cache-Control: max-stale=1' 'Content-Range: bytes 1-2/3' >"$inputs/all"
        ;;
    url)
        printf 'HTTPS://User@Example.com:443/a%%20b/../c?X-Amz-Signature=1&X-Amz-Date=2&q=%%C3%%A9#part' >"$inputs/signed"
        printf 'data:image/png;base64,iVBORw0KGgo=' >"$inputs/data"
        ;;
    esac
}
seeds

# Leaks are looked for at the end. The longest input is short enough for thousands of executions a second.
CALOTYPE_FUZZ_TARGET="$target" ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
    "$fuzzer" "$inputs" -max_total_time="$seconds" -max_len=200000 -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$crashes/$target-" 2>&1 |
    tee ".build/fuzz-$target.log" | grep -E "==ERROR|^SUMMARY|Fatal error|Assertion|Test unit|stat::number_of|^Done" || true
if ! grep -q "^Done" ".build/fuzz-$target.log"; then
    echo "fuzz: $target broke; the whole output is in .build/fuzz-$target.log" >&2
    exit 1
fi
