#if canImport(os)
import Calotype

// The documentation's snippet for Instruments: see UIKitSnippets.swift.

func drawIntervals(_ configuration: inout ImagePipeline.Configuration) {
    configuration.onEvent = PipelineSignposts().record
}
#endif
