import Foundation

/// What libFuzzer calls with each input. The target is named in `CALOTYPE_FUZZ_TARGET`: one executable serves all.
///
/// libFuzzer reports crashes, hangs, leaks and memory that grows beyond its limit; targets add what must hold besides, by
/// `precondition`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTarget.chosen.run(bytes.map { Data(bytes: $0, count: count) } ?? Data())
    return 0
}

/// The package manager renames an executable's `main` so, and then looks for it; libFuzzer's own can't be renamed.
@_cdecl("CalotypeFuzz_main")
public func fuzzMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    _ = FuzzTarget.chosen
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments, fuzzOneInput)
}

/// - Source: libFuzzer's documentation, "Using libFuzzer as a library".
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ oneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
