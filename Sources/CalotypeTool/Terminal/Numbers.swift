extension BinaryInteger {
    /// "1,234,567", in every locale.
    var grouped: String {
        let digits = String(magnitude)
        var result = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { result += "," }
            result.append(digit)
        }
        return result
    }
}

extension Duration {
    /// Milliseconds and a tenth: "12.3".
    var milliseconds: String {
        let tenths = Int64((millisecondCount * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    var millisecondCount: Double {
        Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15
    }
}
