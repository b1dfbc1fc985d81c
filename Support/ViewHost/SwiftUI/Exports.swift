// As with Apple's module, `import SwiftUI` alone gives Foundation's and Observation's names.
@_exported public import Foundation
@_exported public import Observation

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
