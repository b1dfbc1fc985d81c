// swift-tools-version: 6.2
import PackageDescription

// Calotype uses Swift's own modules and the C libraries that the system maintains. On Apple platforms that is
// nothing beyond the SDK; the targets under `#if os(Linux)` bring in the codecs, libcurl, SQLite and zlib there.

let swiftSettings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

var coreDependencies: [Target.Dependency] = []
var toolDependencies: [Target.Dependency] = ["Calotype", "CalotypeTesting"]
var testDependencies: [Target.Dependency] = ["Calotype", "CalotypeTesting", "CalotypeTool"]
var targets: [Target] = []

#if os(Linux)
coreDependencies += ["CCodecs", "CCurl", "CSQLite", "CZlib"]
// `calo bench` compares the transport with libcurl itself, and the store with SQLite.
toolDependencies += ["CCurl", "CSQLite"]
testDependencies += ["CCodecs", "CSQLite"]

// Each format of `traits` below: its C target, which is nothing without the trait, and the system's library. The files
// that libavif and libjxl have for pkg-config hold flags that SwiftPM refuses, with a warning: they are linked by name.
for (trait, module, library, pkgConfig) in [
    ("AVIF", "CLibAVIF", "avif", nil), ("HEIC", "CLibHEIF", "heif", "libheif"), ("JPEGXL", "CLibJXL", "jxl", nil),
] {
    coreDependencies.append(.target(name: "CCodecs\(trait)", condition: .when(traits: [trait])))
    targets += [
        .systemLibrary(name: module, pkgConfig: pkgConfig, providers: [.apt(["lib\(library)-dev"])]),
        .target(
            name: "CCodecs\(trait)",
            dependencies: ["CCodecs", .target(name: module, condition: .when(traits: [trait]))],
            cSettings: [.define("CALOTYPE_\(trait)", .when(traits: [trait]))],
            linkerSettings: [.linkedLibrary(library, .when(traits: [trait]))]),
    ]
}
targets += [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CLibJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"])]),
    .systemLibrary(name: "CLibPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(name: "CLibWebP", pkgConfig: "libwebpdemux", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CLibGIF", providers: [.apt(["libgif-dev"])]),
    .target(
        name: "CCodecs", dependencies: ["CLibJPEG", "CLibPNG", "CLibWebP", "CLibGIF"],
        // giflib itself has no file for pkg-config (Debian adds one), which would say this.
        linkerSettings: [.linkedLibrary("gif")]),
]
#endif

targets += [
    .target(name: "Calotype", dependencies: coreDependencies, swiftSettings: swiftSettings),
    .target(name: "CalotypeTesting", dependencies: ["Calotype"], swiftSettings: swiftSettings),
    .executableTarget(
        name: "CalotypeTool",
        dependencies: toolDependencies,
        resources: [.copy("Photos")],
        swiftSettings: swiftSettings),
    .testTarget(
        name: "CalotypeTests",
        dependencies: testDependencies,
        resources: [.copy("Fixtures")],
        swiftSettings: swiftSettings),
]

let package = Package(
    name: "Calotype",
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Calotype", targets: ["Calotype"]),
        .library(name: "CalotypeTesting", targets: ["CalotypeTesting"]),
        .executable(name: "calo", targets: ["CalotypeTool"]),
    ],
    traits: [
        .trait(name: "AVIF", description: "Decodes AVIF on Linux, through libavif."),
        .trait(name: "HEIC", description: "Decodes HEIC on Linux, through libheif."),
        .trait(name: "JPEGXL", description: "Decodes JPEG XL on Linux, through libjxl."),
    ],
    targets: targets,
    swiftLanguageModes: [.v6]
)
