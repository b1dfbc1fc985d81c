/// The few letters that the film strip and its phones need, on a grid of 5 by 7.
enum PixelFont {
    static let height = 7
    /// From one letter to the next.
    private static let advance = 6

    /// The columns that a text takes.
    static func width(of text: String) -> Int { max(0, text.count * advance - 1) }

    /// Where the text has a dot. A letter that isn't known is a gap.
    static func dots(of text: String) -> [(x: Int, y: Int)] {
        text.enumerated().flatMap { index, letter in
            (rows[letter] ?? []).enumerated().flatMap { y, bits in
                (0..<5).filter { bits & (0b10000 >> $0) != 0 }.map { (index * advance + $0, y) }
            }
        }
    }

    /// Each letter's rows from the top. The highest of the five bits is on the left.
    private static let rows: [Character: [Int]] = [
        "A": [14, 17, 17, 31, 17, 17, 17], "B": [30, 17, 17, 30, 17, 17, 30], "C": [14, 17, 16, 16, 16, 17, 14],
        "D": [30, 17, 17, 17, 17, 17, 30], "E": [31, 16, 16, 30, 16, 16, 31], "F": [31, 16, 16, 30, 16, 16, 16],
        "G": [14, 17, 16, 23, 17, 17, 15], "H": [17, 17, 17, 31, 17, 17, 17], "I": [14, 4, 4, 4, 4, 4, 14],
        "K": [17, 18, 20, 24, 20, 18, 17], "L": [16, 16, 16, 16, 16, 16, 31], "M": [17, 27, 21, 21, 17, 17, 17],
        "N": [17, 25, 25, 21, 19, 19, 17], "O": [14, 17, 17, 17, 17, 17, 14], "P": [30, 17, 17, 30, 16, 16, 16],
        "R": [30, 17, 17, 30, 20, 18, 17], "S": [15, 16, 16, 14, 1, 1, 30], "T": [31, 4, 4, 4, 4, 4, 4],
        "U": [17, 17, 17, 17, 17, 17, 14], "W": [17, 17, 17, 21, 21, 27, 17], "Y": [17, 17, 10, 4, 4, 4, 4],
        "0": [14, 17, 19, 21, 25, 17, 14], "1": [4, 12, 4, 4, 4, 4, 14], "2": [14, 17, 1, 2, 4, 8, 31],
        "3": [31, 2, 4, 2, 1, 17, 14], "4": [2, 6, 10, 18, 31, 2, 2], "5": [31, 16, 30, 1, 1, 17, 14],
        "6": [6, 8, 16, 30, 17, 17, 14], "7": [31, 1, 2, 4, 8, 8, 8], "8": [14, 17, 17, 14, 17, 17, 14],
        "9": [14, 17, 17, 15, 1, 2, 12], ".": [0, 0, 0, 0, 0, 12, 12], ":": [0, 12, 12, 0, 12, 12, 0],
        "'": [12, 4, 8, 0, 0, 0, 0], "!": [4, 4, 4, 4, 4, 0, 4],
    ]
}
