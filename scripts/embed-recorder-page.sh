#!/bin/sh
# Makes Swift of the recorder's page: the package has no resources. A test sees whether both agree.
set -eu
cd "$(dirname "$0")/.."
page=Support/RecorderPage
swift=Sources/Calotype/Diagnostics/Recorder/RecorderPage+Source.swift

for file in html css js; do
    if grep -q '"""###' "$page/page.$file"; then
        echo "page.$file holds what ends a literal." >&2
        exit 1
    fi
done
{
    echo '// swift-format-ignore-file'
    echo '// Made of Support/RecorderPage by scripts/embed-recorder-page.sh: change those files, and run it.'
    echo
    echo 'extension RecorderPage {'
    for file in html css js; do
        printf '    package static let %s = ###"""\n' "$file"
        cat "$page/page.$file"
        echo '"""###'
    done
    echo '}'
} >"$swift"
