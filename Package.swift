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
var products: [Product] = [
    .library(name: "Calotype", targets: ["Calotype"]),
    .library(name: "CalotypeTesting", targets: ["CalotypeTesting"]),
    .executable(name: "calo", targets: ["CalotypeTool"]),
]

#if os(Linux)
coreDependencies += ["CCodecs", "CCurl", "CSQLite", "CZlib"]
// `calo bench` compares the transport with libcurl itself, and the store with SQLite.
toolDependencies += ["CCurl", "CSQLite"]
testDependencies += ["CCodecs", "CSQLite", "CZlib"]

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
    .systemLibrary(name: "CLibLCMS2", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
    .systemLibrary(name: "CLibGIF", providers: [.apt(["libgif-dev"])]),
    .target(
        name: "CCodecs", dependencies: ["CLibJPEG", "CLibPNG", "CLibWebP", "CLibGIF", "CLibLCMS2"],
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

// Only for `make fuzz`: libFuzzer brings the main function, so that nothing else could be built beside it.
if Context.environment["CALOTYPE_FUZZ"] == "1" {
    targets.append(
        .executableTarget(
            name: "CalotypeFuzz", dependencies: ["Calotype", "CalotypeTesting"], path: "Fuzzing",
            swiftSettings: swiftSettings))
}

// The examples, and apps that see isolation otherwise than this package does.
let clients: [Target] = [
    .target(name: "CalotypeExamples", dependencies: ["CalotypeUI"], path: "Examples", exclude: ["README.md"]),
    .target(
        name: "Swift5Client", dependencies: ["CalotypeUI"], path: "Tests/Clients/Swift5Client",
        swiftSettings: [.swiftLanguageMode(.v5)]),
    .target(
        name: "MainActorClient", dependencies: ["CalotypeUI"], path: "Tests/Clients/MainActorClient",
        swiftSettings: [.defaultIsolation(MainActor.self)]),
]
let clientNames = clients.map { Target.Dependency(stringLiteral: $0.name) }

#if canImport(Darwin)
// Linux has no SwiftUI: see below.
products.append(.library(name: "CalotypeUI", targets: ["CalotypeUI"]))
targets += [.target(name: "CalotypeUI", dependencies: ["Calotype"], swiftSettings: swiftSettings)] + clients
targets.append(
    .testTarget(
        name: "CalotypeAppleTests", dependencies: ["Calotype", "CalotypeUI", "CalotypeTesting"] + clientNames,
        swiftSettings: swiftSettings))
#endif

// Only for `make test-ios`: programs can't be run there, nor started by tests.
if Context.environment["CALOTYPE_SIMULATOR"] == "1" {
    products.removeAll { $0.name == "calo" }
    targets.removeAll { $0.name == "CalotypeTool" }
    for target in targets where target.name == "CalotypeTests" {
        target.dependencies.removeAll { if case .byNameItem("CalotypeTool", _) = $0 { true } else { false } }
        target.exclude += [
            "Tool", "Memory/EvictionTraceTests.swift", "Storage/StoreCrashTests.swift",
            "Storage/StoreFaultTests.swift", "Storage/StoreSharingTests.swift",
        ]
    }
}

// Only for `make view-test`: a module named SwiftUI, and a host that runs views on Linux. Everything that asks
// `canImport(SwiftUI)` would see it, so that it has a scratch path of its own, and what doesn't need it is left out.
if Context.environment["CALOTYPE_VIEW_HOST"] == "1" {
    targets.removeAll { ["CalotypeTool", "CalotypeTests"].contains($0.name) }
    targets += [
        .target(name: "SwiftUI", path: "Support/ViewHost/SwiftUI", swiftSettings: swiftSettings),
        .target(
            name: "ViewHost", dependencies: ["SwiftUI"], path: "Support/ViewHost/Host", swiftSettings: swiftSettings),
        .testTarget(name: "ViewHostTests", dependencies: ["SwiftUI", "ViewHost"], swiftSettings: swiftSettings),
        .target(name: "CalotypeUI", dependencies: ["Calotype", "SwiftUI"], swiftSettings: swiftSettings),
        .testTarget(
            name: "CalotypeUITests", dependencies: ["CalotypeUI", "CalotypeTesting", "ViewHost"] + clientNames,
            swiftSettings: swiftSettings),
    ]
    targets += clients
    products.removeAll { $0.name == "calo" }
}

let package = Package(
    name: "Calotype",
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: products,
    traits: [
        .trait(name: "AVIF", description: "Decodes AVIF on Linux, through libavif."),
        .trait(name: "HEIC", description: "Decodes HEIC on Linux, through libheif."),
        .trait(name: "JPEGXL", description: "Decodes JPEG XL on Linux, through libjxl."),
    ],
    targets: targets,
    swiftLanguageModes: [.v6]
)
