import CalotypeTesting

/// CalotypeTesting's generator, for test files that don't import that module as well.
struct SeededGenerator: RandomNumberGenerator {
    private var generator: CalotypeTesting.SeededGenerator

    init(seed: UInt64) {
        generator = .init(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }
    mutating func byte() -> UInt8 { generator.byte() }
}
