#!/usr/bin/env bash
# Installs the system packages that Calotype needs and that aren't there yet: on Debian and Ubuntu, by name.
#
#   scripts/setup.sh                 what builds, tests and the demo need
#   scripts/setup.sh bench           also what the benchmarks compare with and count with
#   scripts/setup.sh recorder        also the browser that the recorder's page is tested in
#   scripts/setup.sh bench-decode    also what those of decoding compare with: libvips and more, some 400 MB
#
# Does nothing, quickly, where nothing is missing. Asks nothing.
set -euo pipefail

packages=(
    libcurl4-openssl-dev libsqlite3-dev zlib1g-dev libjpeg62-turbo-dev libpng-dev libwebp-dev libgif-dev liblcms2-dev
    pkg-config
    # For scripts/api.py.
    python3
    # The formats that are traits of the package: make builds them in.
    libavif-dev libheif-dev libjxl-dev
)

case "${1:-}" in
"") ;;
bench) packages+=(nginx-light valgrind) ;;
recorder)
    packages+=(chromium)
    # Any node will do; it need not be the system's.
    command -v node >/dev/null || packages+=(nodejs)
    ;;
bench-decode) packages+=(libvips-dev python3-venv) ;;
*)
    echo "usage: scripts/setup.sh [bench|bench-decode|recorder]" >&2
    exit 2
    ;;
esac

# On Apple platforms everything comes with the SDK.
[ "$(uname -s)" = Linux ] || exit 0

if ! command -v swift >/dev/null; then
    echo "setup: there is no swift on the PATH. Install Swift 6.2 or later first (swift.org/install)." >&2
    exit 1
fi

is_installed() {
    case "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" in
    installed) return 0 ;;
    *) return 1 ;;
    esac
}

if ! command -v dpkg-query >/dev/null; then
    # Another distribution: say what is needed where it shows that something is missing.
    advice="Install the development packages of libcurl, SQLite, zlib, libjpeg, libpng, libwebp, giflib, lcms2, libavif, libheif
and libjxl with the system's package manager (on Debian: ${packages[*]})."
    for module in libcurl sqlite3 zlib libjpeg libpng libwebp libwebpdemux lcms2 libavif libheif libjxl; do
        if ! pkg-config --exists "$module" 2>/dev/null; then
            echo "setup: pkg-config doesn't know $module. $advice" >&2
            exit 1
        fi
    done
    # giflib itself has no file for pkg-config: what counts is that the compiler finds its header.
    if ! echo '#include <gif_lib.h>' | "$(command -v clang || command -v cc)" -x c -E - >/dev/null 2>&1; then
        echo "setup: the compiler doesn't find gif_lib.h. $advice" >&2
        exit 1
    fi
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    is_installed "$package" && continue
    # Ubuntu calls its libjpeg-turbo otherwise.
    [ "$package" = libjpeg62-turbo-dev ] && is_installed libjpeg-turbo8-dev && continue
    missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: these packages are missing, and installing them takes root or sudo: ${missing[*]}" >&2
        echo "Have somebody run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
}

echo "setup: installing ${missing[*]}"

# Where apt's lists are old or absent, they don't know the packages. Updating them takes a while: only if need be.
if ! apt install --yes --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
    apt update
    # Ubuntu's name for the same library.
    for index in "${!missing[@]}"; do
        if [ "${missing[$index]}" = libjpeg62-turbo-dev ] && ! apt-cache show libjpeg62-turbo-dev >/dev/null 2>&1; then
            missing[index]=libjpeg-turbo8-dev
        fi
    done
    apt install --yes --no-install-recommends "${missing[@]}"
fi
