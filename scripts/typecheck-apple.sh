#!/bin/sh
# Type-checks Calotype and CalotypeUI as if Apple's modules were there: see Support/AppleShims/README.md.
#
# Modules that only Linux has for the same purpose (the codecs) are out of sight, so that the Apple files take their place.
# It is done twice: for platforms with UIKit, and for those with AppKit.
set -eu
cd "$(dirname "$0")/.."
SWIFTC=${SWIFTC:-swiftc}
features="-swift-version 6 -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature NonisolatedNonsendingByDefault -enable-upcoming-feature MemberImportVisibility"
# The C modules that Calotype imports on Linux as well.
maps=$(for module in CCurl CSQLite CZlib; do printf -- '-Xcc -fmodule-map-file=Sources/%s/module.modulemap ' $module; done)
for kit in UIKit AppKit; do
    modules=.build/apple-shims/$kit
    # What an earlier run left would be importable, too.
    rm -rf "$modules"
    mkdir -p "$modules"
    flags="$features -I $modules"

    # In the order of their imports.
    for module in Darwin ObjectiveC CoreGraphics CryptoKit QuartzCore Accessibility ImageIO UniformTypeIdentifiers Network os \
        $kit; do
        # shellcheck disable=SC2086
        "$SWIFTC" -emit-module -parse-as-library -module-name "$module" \
            -emit-module-path "$modules/$module.swiftmodule" $flags "Support/AppleShims/$module.swift"
    done

    # A `+Linux` file is the other half of a pair, under `#if os(Linux)`, which is true here: it is left out.
    # Darwin's Dispatch has what its shim adds, without an import of Darwin: it is imported everywhere.
    # shellcheck disable=SC2046,SC2086
    "$SWIFTC" -emit-module -emit-module-path "$modules/Calotype.swiftmodule" -parse-as-library -wmo -warnings-as-errors \
        -module-name Calotype -package-name calotype $flags -Xfrontend -import-module -Xfrontend Darwin \
        $maps \
        $(find Sources/Calotype -name '*.swift' ! -name '*+Linux.swift')

    # The view host's SwiftUI stands for Apple's, with what that declares of the platform's images. It is of another package
    # here: what the host alone has mustn't be used.
    # shellcheck disable=SC2046,SC2086
    "$SWIFTC" -emit-module -emit-module-path "$modules/SwiftUI.swiftmodule" -parse-as-library -wmo \
        -module-name SwiftUI -package-name apple $flags \
        $(find Support/ViewHost/SwiftUI -name '*.swift') "Support/AppleShims/SwiftUI/$kit.swift"
    # shellcheck disable=SC2046,SC2086
    "$SWIFTC" -emit-module -emit-module-path "$modules/CalotypeUI.swiftmodule" -parse-as-library -wmo -warnings-as-errors \
        -module-name CalotypeUI -package-name calotype $flags $maps \
        $(find Sources/CalotypeUI -name '*.swift')

    # What those need that run on a Mac, in windows: emit MODULE FOLDER [OPTION ...]
    emit() {
        module=$1
        folder=$2
        shift 2
        # shellcheck disable=SC2046,SC2086
        "$SWIFTC" -emit-module -emit-module-path "$modules/$module.swiftmodule" -parse-as-library -wmo -warnings-as-errors \
            -module-name "$module" -package-name calotype -I "$modules" $maps "$@" $(find "$folder/" -name '*.swift')
    }
    # shellcheck disable=SC2086
    emit CalotypeTesting Sources/CalotypeTesting $features
    emit CalotypeExamples Examples -swift-version 6 -enable-testing
    emit Swift5Client Tests/Clients/Swift5Client -swift-version 5
    emit MainActorClient Tests/Clients/MainActorClient -swift-version 6 -default-isolation MainActor
    # shellcheck disable=SC2046,SC2086
    "$SWIFTC" -typecheck -parse-as-library -wmo -warnings-as-errors -module-name CalotypeAppleTests -package-name calotype \
        $flags $maps $(find Tests/CalotypeAppleTests -name '*.swift')

    # The documentation's snippets for these platforms, as an app's code, which sees what is public alone.
    # shellcheck disable=SC2046,SC2086
    "$SWIFTC" -typecheck -parse-as-library -wmo -warnings-as-errors -module-name AppleSnippets -swift-version 6 -I "$modules" \
        $maps \
        $(find Tests/AppleSnippets -name '*.swift')
done
