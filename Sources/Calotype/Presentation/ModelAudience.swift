import Synchronization

/// What has been taken out of the caches.
enum Removal: Sendable {
    /// A resource that has been invalidated.
    case resource(ResourceID)
    /// A partition: whoever it belonged to may not see it any more.
    case partition(Partition)
    /// Everything there was.
    case everything

    /// Whether it is about what a model shows.
    func concerns(_ subject: RemoteImageModel.Subject) -> Bool {
        switch self {
        case .resource(let resource): subject.resource == resource
        case .partition(let partition): subject.partition == partition
        case .everything: true
        }
    }
}

/// The models that show images of a pipeline, and so have to hear of removals.
///
/// - Isolation: Any thread.
/// - Ownership: Holds no model.
final class ModelAudience: Sendable {
    private struct Member: Sendable {
        weak let model: RemoteImageModel?
    }

    private let members = Mutex<[ObjectIdentifier: Member]>([:])

    func add(_ model: RemoteImageModel) {
        members.withLock { $0[ObjectIdentifier(model)] = Member(model: model) }
    }

    func remove(_ id: ObjectIdentifier) {
        members.withLock { $0[id] = nil }
    }

    /// Returns once every model has heard of it. Doesn't wait for the main actor if there are none.
    func tell(_ removal: Removal) async {
        let models = members.withLock { $0.values.compactMap(\.model) }
        guard !models.isEmpty else { return }
        await MainActor.run {
            for model in models { model.pipelineHasRemoved(removal) }
        }
    }
}
