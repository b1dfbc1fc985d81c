import CalotypeTesting
import Testing

@testable import Calotype

@Suite("Short lists")
struct ShortListTests {
    @Test("a short list does what an array does, through any sequence of changes", arguments: 0..<20)
    func likeAnArray(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var list = ShortList<Int>()
        var array: [Int] = []
        for step in 0..<300 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                list.append(step)
                array.append(step)
            case 5 where !array.isEmpty, 6 where !array.isEmpty:
                #expect(list.removeLast() == array.removeLast())
            case 7 where !array.isEmpty:
                let index = Int.random(in: 0..<array.count, using: &generator)
                (list[index], array[index]) = (step, step)
            case 8:
                let divisor = Int.random(in: 2..<6, using: &generator)
                list.removeAll { $0 % divisor == 0 }
                array.removeAll { $0 % divisor == 0 }
            case 9 where step % 7 == 0:
                #expect(list.takeAll().elementsEqual(array))
                array = []
            default: break
            }
            #expect(list.count == array.count && list.isEmpty == array.isEmpty)
            #expect(list.elementsEqual(array))
            #expect(list.reversed().elementsEqual(array.reversed()))
        }
    }
}
