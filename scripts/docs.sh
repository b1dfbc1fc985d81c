#!/bin/sh
# Builds the documentation of Calotype, CalotypeUI and CalotypeTesting as one static site in .build/docs, with the docc that
# the toolchain has. `make docs` calls it, after the modules have been built: those of the view host and, for what only Apple's
# platforms have, those of typecheck-apple.sh.
#
# A warning is an error: a link that leads nowhere, say. Before that, every public symbol has to have a comment.
#
#   HOSTING_BASE_PATH    the path below which the site will be, if it isn't its host's root
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
SWIFTC=${SWIFTC:-swiftc}
host=.build/view-host/debug
apple=.build/apple-shims
work=.build/docs-work
site=.build/docs

# Beside the compiler, where it isn't on the PATH itself; Xcode has a place of its own for it.
docc=$(command -v docc || true)
[ -n "$docc" ] || docc=$(dirname "$(readlink -f "$(command -v "$SWIFT")")")/docc
[ -x "$docc" ] || docc=$(xcrun --find docc 2>/dev/null || true)
[ -n "$docc" ] || {
    echo "docs: there is no docc beside $(command -v "$SWIFT"). It is part of the toolchains of swift.org and of Xcode." >&2
    exit 1
}
[ -d "$host/Modules" ] && [ -d "$apple/AppKit" ] || {
    echo "docs: the modules haven't been built. Run make docs." >&2
    exit 1
}

rm -rf "$work" "$site"
mkdir -p "$work/archives"
triple=$("$SWIFT" -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
# The C modules that Calotype imports, so that its own can be read.
maps="-Xcc -ISources/CCodecs/include $(for map in Sources/*/module.modulemap "$host"/CCodecs*.build/module.modulemap; do
    printf -- '-Xcc -fmodule-map-file=%s ' "$map"
done)"

# extract MODULE FOLDER-OF-MODULES PLATFORM: its public symbols, less what the compiler makes and what is inherited.
extract() {
    mkdir -p "$work/symbols/$1/$3"
    # shellcheck disable=SC2086
    "$SWIFT" symbolgraph-extract -module-name "$1" -I "$2" $maps -target "$triple" -minimum-access-level public \
        -skip-synthesized-members -emit-extension-block-symbols -output-dir "$work/symbols/$1/$3"
}
extract Calotype "$host/Modules" Linux
extract CalotypeTesting "$host/Modules" Linux
for kit in UIKit AppKit; do
    extract Calotype "$apple/$kit" "$kit"
    extract CalotypeUI "$apple/$kit" "$kit"
done

"$SWIFTC" -swift-version 6 scripts/check-docs.swift -o "$work/check-docs"
find "$work/symbols" -name '*.symbols.json' -exec "$work/check-docs" {} +

# convert PRODUCT [OPTION ...]
# Parameters whose name says it all aren't described: check-docs looks at those that are.
convert() {
    product=$1
    shift
    "$docc" convert "Sources/$product/$product.docc" --additional-symbol-graph-dir "$work/symbols/$product" \
        --fallback-display-name "$product" --fallback-bundle-identifier "$product" \
        --fallback-default-module-kind Product --output-path "$work/archives/$product.doccarchive" \
        --warnings-as-errors --disable-parameters-and-returns-validation --emit-digest \
        --enable-experimental-external-link-support --transform-for-static-hosting \
        ${HOSTING_BASE_PATH:+--hosting-base-path "$HOSTING_BASE_PATH"} "$@" >"$work/$product.log" 2>&1 || {
        cat "$work/$product.log" >&2
        exit 1
    }
    echo "$product: $(find "$work/archives/$product.doccarchive/documentation" -name index.html | wc -l) pages"
}
convert Calotype
# The others link to its symbols.
convert CalotypeUI --dependency "$work/archives/Calotype.doccarchive"
convert CalotypeTesting --dependency "$work/archives/Calotype.doccarchive"

"$docc" merge "$work"/archives/*.doccarchive --output-path "$site" --synthesized-landing-page-name Calotype
echo "$(find "$site/documentation" -name index.html | wc -l) pages in $site, no warnings"
