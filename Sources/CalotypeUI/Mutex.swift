#if CALOTYPE_THREAD_SANITIZER
import Calotype

typealias Mutex = SanitizedMutex
#endif
