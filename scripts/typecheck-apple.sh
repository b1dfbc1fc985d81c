#!/bin/sh
# Type-checks Calotype as if Apple's modules were there: see Support/AppleShims/README.md.
#
# Modules that only Linux has for the same purpose (the codecs) are out of sight, so that the Apple files take their place.
set -eu
cd "$(dirname "$0")/.."
SWIFTC=${SWIFTC:-swiftc}
modules=.build/apple-shims
mkdir -p "$modules"

flags="-swift-version 6 -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature NonisolatedNonsendingByDefault -I $modules"
# In the order of their imports.
for module in Darwin CoreGraphics ImageIO UniformTypeIdentifiers Network UIKit; do
    # shellcheck disable=SC2086
    "$SWIFTC" -emit-module -parse-as-library -module-name "$module" -emit-module-path "$modules/$module.swiftmodule" \
        $flags "Support/AppleShims/$module.swift"
done

# A `+Linux` file is the other half of a pair, under `#if os(Linux)`, which is true here: it is left out.
# Darwin's Dispatch has what its shim adds, without an import of Darwin: it is imported everywhere.
# shellcheck disable=SC2046,SC2086
"$SWIFTC" -typecheck -parse-as-library -wmo -warnings-as-errors -module-name Calotype -package-name calotype $flags \
    -Xfrontend -import-module -Xfrontend Darwin \
    $(for shim in CCurl CSQLite CZlib; do printf -- '-Xcc -fmodule-map-file=Sources/%s/module.modulemap ' $shim; done) \
    $(find Sources/Calotype -name '*.swift' ! -name '*+Linux.swift')
