#!/usr/bin/env bash
# Runs the package's tests in an iOS simulator: the newest iPhone that there is, or DEVICE, by its name.
#
# `calo` and its tests are left out (CALOTYPE_SIMULATOR): no programs are run there.
set -euo pipefail
cd "$(dirname "$0")/.."

device=$(xcrun simctl list devices available --json | python3 -c '
import json, sys
runtimes = json.load(sys.stdin)["devices"]
version = lambda runtime: [int(part) for part in runtime.rsplit(".iOS-", 1)[1].split("-")]
for runtime in sorted((name for name in runtimes if ".iOS-" in name), key=version, reverse=True):
    for device in runtimes[runtime]:
        if device["name"] == sys.argv[1] or not sys.argv[1] and device["name"].startswith("iPhone"):
            sys.exit(print(device["udid"]))
sys.exit("test-ios: there is no such simulator; see xcrun simctl list devices")
' "${DEVICE:-}")

CALOTYPE_SIMULATOR=1 xcodebuild test -scheme Calotype-Package -destination "id=$device" \
    -derivedDataPath .build/ios -skipPackagePluginValidation -quiet
