import Foundation

/// What a writer does by and by, between changes, and how far it has got:
///
///     erasing    after a removal that leaves nothing: free pages go, and the log is emptied
///     shrinking  when a quarter of the index is free pages: some are given back, step by step
///     sweeping   in a new index, or after a writer that died: files that no row names go, folder by folder
///
/// - Isolation: The writer's queue.
struct StoreTidying {
    /// Whether what has been removed may still stand in free pages, in the log, or in an index that was set aside.
    var isErasurePending = false
    var isShrinking = false
    /// The writers that are gone, and the folders of bodies that are still to be swept; `nil` when there is nothing to do.
    var sweep: (writers: [String], folders: [String])?
}

extension StoreWriter {
    /// Looks for what is to be done after a transaction. Erasing is done at once.
    func tidyUp(_ index: StoreIndex) {
        do {
            if tidying.isErasurePending {
                home.removeDamagedIndex()
                tidying.isErasurePending = try !index.erase()
                if tidying.isErasurePending { retryErasure() }
            } else if !tidying.isShrinking, try index.hasManyFreePages() {
                tidying.isShrinking = true
                takeSteps { $0.shrinkStep() }
            }
        } catch {
            home.report("tidy up", error)
            if tidying.isErasurePending { retryErasure() }
        }
    }

    /// Somebody reads for long: another process, say, that has been halted.
    private func retryErasure() {
        home.report("erase", StoreError.erasureDelayed)
        queue.asyncAfter(deadline: .now() + .seconds(5)) { [weak self] in
            guard let self, tidying.isErasurePending, let index else { return }
            tidyUp(index)
        }
    }

    /// Sweeps if there may be something: an index that is empty may have been made in place of a damaged one.
    func planSweep(isEmpty: Bool) {
        let writers = staging.abandoned()
        guard !writers.isEmpty || isEmpty else { return }
        tidying.sweep = (writers, FileCalls.names(in: home.bodiesPath))
        takeSteps { $0.sweepStep() }
    }

    /// Takes one step after another, as long as there is more to do. Changes that came meanwhile go first.
    private func takeSteps(_ step: @escaping @Sendable (StoreWriter) -> Bool) {
        queue.async { [weak self] in
            guard let self, step(self) else { return }
            takeSteps(step)
        }
    }

    /// Sweeps one folder of bodies; after the last one, what writers that are gone have left.
    ///
    /// - Returns: Whether more is to be done.
    private func sweepStep() -> Bool {
        guard let (writers, folders) = tidying.sweep, let index else { return false }
        guard let folder = folders.last else {
            for writer in writers { staging.remove(writer) }
            tidying.sweep = nil
            return false
        }
        do {
            try index.begin()
            try index.sweep(folder)
            try index.commit()
            tidying.sweep = (writers, folders.dropLast())
            return true
        } catch {
            index.rollBack()
            home.report("sweep", error)
            tidying.sweep = nil
            return false
        }
    }

    /// - Returns: Whether more is to be done.
    private func shrinkStep() -> Bool {
        guard tidying.isShrinking, let index else { return false }
        do {
            tidying.isShrinking = try index.returnFreePages()
        } catch {
            home.report("tidy up", error)
            tidying.isShrinking = false
        }
        return tidying.isShrinking
    }

    /// Returns once nothing is left to be swept up, nor free pages to be given back.
    func finishTidying() async {
        await withOpenIndex { writer in
            while writer.sweepStep() {}
            while writer.shrinkStep() {}
        }
    }

    /// Sweeps, whatever it looks like.
    func sweep() async {
        await withOpenIndex { writer in
            writer.tidying.sweep = (writer.staging.abandoned(), FileCalls.names(in: writer.home.bodiesPath))
            while writer.sweepStep() {}
        }
    }

    /// Runs `work` on the queue, and returns once it is done. An index that can't be opened has nothing to tidy up: that is
    /// reported.
    private func withOpenIndex(_ work: @escaping @Sendable (StoreWriter) -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                do {
                    _ = try self.ready()
                    work(self)
                } catch {
                    self.home.report("tidy up", error)
                }
                continuation.resume()
            }
        }
    }
}

extension StoreIndex {
    // MARK: Space

    /// Whether free pages have become so many that the file should shrink.
    fileprivate func hasManyFreePages() throws -> Bool {
        guard removalCount >= 256 else { return false }
        removalCount = 0
        let free = try database.number("PRAGMA freelist_count")
        return try free > 1_024 && free > database.number("PRAGMA page_count") / 4
    }

    /// Gives some free pages back to the file system. Not within a transaction.
    ///
    /// - Returns: Whether there are more to give back: an eighth is left for what comes next.
    fileprivate func returnFreePages() throws -> Bool {
        let spare = try database.number("PRAGMA freelist_count") - database.number("PRAGMA page_count") / 8
        guard spare > 0 else { return false }
        // Each that isn't at the end of the file has to be exchanged for one that is: some 10 us.
        try database.execute("PRAGMA incremental_vacuum(\(min(spare, 512)))")
        return true
    }

    /// Leaves nothing of what has been removed, neither in free pages nor in the log. Not within a transaction.
    ///
    /// - Returns: Whether it is done; if not, somebody still reads the log.
    fileprivate func erase() throws -> Bool {
        try database.execute("PRAGMA incremental_vacuum")
        let checkpoint = try SQLiteStatement(database, "PRAGMA wal_checkpoint(TRUNCATE)")
        return try checkpoint.step() && checkpoint.number(0) == 0
    }

    // MARK: Sweeping

    /// Removes the files of a folder of bodies that no row names. Within a transaction: nobody places a body meanwhile.
    ///
    /// - Returns: How many there were. One that can't be removed is reported.
    @discardableResult
    func sweep(_ folder: String) throws -> Int {
        let orphans = try orphans(in: folder)
        for file in orphans { removeFile(file) }
        return orphans.count
    }

    private func orphans(in folder: String) throws -> [String] {
        let files = FileCalls.names(in: "\(home.bodiesPath)/\(folder)").map { "\(folder)/\($0)" }
        guard !files.isEmpty else { return [] }
        let rows = try database.statement(.filesInFolder)
        rows.bind(1, "\(folder)/")
        rows.bind(2, "\(folder)0")
        var named: Set<String> = []
        while try rows.step() { named.insert(rows.text(0)) }
        return files.filter { !named.contains($0) }
    }
}
