#pragma once

// C around the system's codec libraries, small and bounded, for the decoders and encoders in Sources/Calotype/Decoding.
//
// libjpeg and libpng report errors by longjmp, which must never cross a Swift frame. So each codec lives in one heap
// object with its error handler and its jmp_buf, every function here that can reach the library does setjmp and returns
// a code, and the libraries never call Swift. Nothing here blocks or keeps global state; an object is used by one
// thread at a time. Work is done in steps, so that the caller can look at its clock and its cancellation in between.
//
// Pixels are RGBA, 8 bits a channel, rows from the top.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CC_OK = 0,
    /// The bytes end before the image does.
    CC_INCOMPLETE,
    /// The bytes break the format's rules; the message says which.
    CC_CORRUPT,
    /// Valid, but a kind of file that isn't decoded; the message says which.
    CC_UNSUPPORTED,
    /// A limit that was given is exceeded; the message says which.
    CC_LIMIT,
    /// The system has no memory left.
    CC_NO_MEMORY,
    /// The functions were called out of order or with impossible values.
    CC_MISUSE,
} cc_status;

// MARK: JPEG

typedef struct cc_jpeg cc_jpeg;

typedef struct {
    uint32_t width;
    uint32_t height;
    /// The file comes in several scans (progressive, or a scan for each component): libjpeg keeps all coefficients, and
    /// `cc_jpeg_consume` has to read them before the first row.
    bool has_multiple_scans;
    /// What those coefficients take.
    uint64_t coefficient_byte_count;
} cc_jpeg_info;

/// Begins to decode. The bytes must stay valid until `cc_jpeg_close`. NULL if there is no memory.
cc_jpeg *cc_jpeg_open(const uint8_t *bytes, size_t count);
/// Reads up to the first scan.
cc_status cc_jpeg_read_header(cc_jpeg *jpeg, cc_jpeg_info *info);
/// Chooses a scale of 1/1, 1/2, 1/4 or 1/8 (`denominator`), and tells the size that rows will have: each side divided
/// and rounded up. Takes at most `memory_limit` bytes for coefficients, else CC_LIMIT before any is taken.
cc_status cc_jpeg_start(cc_jpeg *jpeg, int denominator, size_t memory_limit, uint32_t *width, uint32_t *height);
/// Reads at most `steps` rows of blocks of a file with several scans; sets `done` when the file has been read.
cc_status cc_jpeg_consume(cc_jpeg *jpeg, int steps, int scan_limit, bool *done);
/// Decodes up to `capacity` rows, opaque, each `stride` bytes after the one before; sets how many it decoded.
cc_status cc_jpeg_read_rows(cc_jpeg *jpeg, uint8_t *rows, size_t stride, uint32_t capacity, uint32_t *count);
/// What went wrong, or the first warning, or "". Valid until the next call.
const char *cc_jpeg_message(const cc_jpeg *jpeg);
/// How many warnings the library gave, harmless ones included.
long cc_jpeg_warning_count(const cc_jpeg *jpeg);
/// How many bytes have been read.
size_t cc_jpeg_offset(const cc_jpeg *jpeg);
void cc_jpeg_close(cc_jpeg *jpeg);

// MARK: PNG

typedef struct cc_png cc_png;

typedef struct {
    uint32_t width;
    uint32_t height;
    /// Some pixels may be transparent. Alpha is straight in the rows.
    bool has_alpha;
    /// How often all rows must be read, into the same memory: 1, or 7 if interlaced.
    int pass_count;
} cc_png_info;

/// Begins to decode. The bytes must stay valid until `cc_png_close`. NULL if there is no memory.
cc_png *cc_png_open(const uint8_t *bytes, size_t count);
/// Reads up to the pixels.
cc_status cc_png_read_header(cc_png *png, cc_png_info *info);
/// Decodes `count` rows of this pass, each `stride` bytes after the one before.
cc_status cc_png_read_rows(cc_png *png, uint8_t *rows, size_t stride, uint32_t count);
/// Reads to the end of the file, which checks what follows the last row.
cc_status cc_png_finish(cc_png *png);
/// What went wrong, or the first warning, or "". Valid until the next call.
const char *cc_png_message(const cc_png *png);
/// How many bytes have been read.
size_t cc_png_offset(const cc_png *png);
void cc_png_close(cc_png *png);

// MARK: Encoding

typedef struct {
    /// Made by malloc; the caller frees it.
    uint8_t *bytes;
    size_t count;
    /// What went wrong, or "".
    char message[200];
} cc_encoded;

/// Encodes premultiplied RGBA as PNG with straight alpha, or as RGB if `opaque`.
cc_status cc_png_encode(
    const uint8_t *rows, size_t stride, uint32_t width, uint32_t height, bool opaque, cc_encoded *result);
/// Encodes premultiplied RGBA, composed over white, as baseline JPEG of that quality (1 to 100).
cc_status cc_jpeg_encode(
    const uint8_t *rows, size_t stride, uint32_t width, uint32_t height, int quality, cc_encoded *result);

#ifdef __cplusplus
}
#endif
