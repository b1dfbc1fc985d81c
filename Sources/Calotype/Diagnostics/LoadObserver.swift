/// Whoever listens to a pipeline. There is none where nobody does: then nothing costs more than a look.
///
/// - Isolation: Any thread. Called with no lock held, since what listens is the app's.
final class LoadObserver: Sendable {
    /// Is told of every step. Nothing is made for it where it is `nil`: a recorder wants what has ended alone.
    let onEvent: (@Sendable (ImageEvent) -> Void)?
    private let recorder: PipelineRecorder?

    init?(_ onEvent: (@Sendable (ImageEvent) -> Void)?, _ recorder: PipelineRecorder?) {
        if onEvent == nil, recorder == nil { return nil }
        self.onEvent = onEvent
        self.recorder = recorder
    }

    /// A load has ended well.
    func loaded(_ report: LoadReport) {
        recorder?.record(report)
        onEvent?(.loaded(report))
    }

    /// A load has failed.
    func failed(_ load: ImageLoad, _ error: ImageError) {
        recorder?.recordEnd(of: load, error)
        onEvent?(.failed(load.label, error))
    }

    /// A load has been cancelled.
    func cancelled(_ load: ImageLoad) {
        recorder?.recordEnd(of: load, nil)
        onEvent?(.cancelled(load.label))
    }

    /// Something has happened that no report tells: what recorders keep as a remark. Steps go to ``onEvent`` alone.
    func note(_ event: ImageEvent) {
        recorder?.record(event)
        onEvent?(event)
    }
}
