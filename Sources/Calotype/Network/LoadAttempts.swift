/// What a load has been through so far: its failures, and what has come of a body that broke off.
struct LoadAttempts {
    /// Attempts that have failed.
    var failureCount = 0
    /// Bytes of bodies that have come.
    var receivedByteCount: Int64 = 0
    /// The beginning of a body, to be continued.
    var partial: PartialBody?
    /// Its place in the store. It stays open until the body is complete or given up.
    var deposit: Deposit?
    /// From before the load began: see ``PartialBodies``.
    let epoch: StoreEpoch
}
