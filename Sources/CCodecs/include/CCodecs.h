#pragma once

// C around the system's codec libraries, small and bounded, for the decoders and encoders in Sources/Calotype/Decoding.
//
// libjpeg and libpng report errors by longjmp, which must never cross a Swift frame. So each codec lives in one heap
// object with its error handler and its jmp_buf, and every function here that can reach the library does setjmp and
// returns a code. libwebp and giflib return codes by themselves. None of the libraries ever calls Swift.
//
// Nothing here blocks or keeps global state; an object is used by one thread at a time. Work is done in steps, so that the
// caller can look at its clock and its cancellation in between.
//
// Pixels are RGBA, 8 bits a channel, rows from the top.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CCodecsPlanes.h"

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
    /// Its samples are of gray, which the rows repeat in red, green and blue.
    bool is_gray;
    /// How often all rows must be read, into the same memory: 1, or 7 if interlaced.
    int pass_count;
} cc_png_info;

/// Begins to decode. The bytes must stay valid until `cc_png_close`. NULL if there is no memory.
cc_png *cc_png_open(const uint8_t *bytes, size_t count);
/// Begins to decode a frame of an animation, whose pixels are in the fdAT chunks from `offset` on, up to the next fcTL or
/// IEND. `head` is what a file of this frame alone would begin with: the signature, IHDR, PLTE, tRNS; at most 1,200 bytes,
/// which are copied. The chunks' checksums aren't looked at. NULL if there is no memory, or for impossible values.
cc_png *cc_png_open_frame(
    const uint8_t *bytes, size_t count, const uint8_t *head, size_t head_count, size_t offset);
/// Reads up to the pixels.
cc_status cc_png_read_header(cc_png *png, cc_png_info *info);
/// Decodes `count` rows of this pass, each `stride` bytes after the one before. `as_blocks` spreads each pixel of an
/// interlaced file over those that come in later passes, so that every pass shows the whole image.
cc_status cc_png_read_rows(cc_png *png, uint8_t *rows, size_t stride, uint32_t count, bool as_blocks);
/// Reads to the end of the file, which checks what follows the last row.
cc_status cc_png_finish(cc_png *png);
/// What went wrong, or the first warning, or "". Valid until the next call.
const char *cc_png_message(const cc_png *png);
/// How many bytes have been read.
size_t cc_png_offset(const cc_png *png);
void cc_png_close(cc_png *png);

// MARK: Frames

/// A frame of a file that can hold several: what it covers of the canvas.
typedef struct {
    /// Within the canvas; both sides are at least 1.
    uint32_t left, top, width, height;
    /// Some pixels may be transparent.
    bool has_alpha;
} cc_frame;

// MARK: WebP

typedef struct cc_webp cc_webp;

typedef struct {
    /// The canvas.
    uint32_t width;
    uint32_t height;
    uint32_t frame_count;
    /// How often an animation plays; 0 is for ever.
    uint32_t loop_count;
} cc_webp_info;

/// Begins to decode. The bytes must stay valid until `cc_webp_close`. NULL if there is no memory.
cc_webp *cc_webp_open(const uint8_t *bytes, size_t count);
/// Reads the file's structure; CC_LIMIT before memory is taken for more than `frame_limit` frames, or for 1,000 chunks
/// beside them.
cc_status cc_webp_read_header(cc_webp *webp, int frame_limit, cc_webp_info *info);
/// Finds the first frame. `is_lossless` tells how its colors are coded; alpha is straight.
cc_status cc_webp_read_frame(cc_webp *webp, cc_frame *frame, bool *is_lossless);
/// Instead of both: takes the frame whose chunks are the `length` bytes at `offset`, and which has the width and height
/// that `frame` claims; sets `has_alpha`.
cc_status cc_webp_begin_frame(cc_webp *webp, size_t offset, size_t length, cc_frame *frame);
/// Prepares to decode the frame at that size, at most its own, into `rows`, which hold `height` rows of `stride` bytes and
/// must stay valid until `cc_webp_close`. Where the size is smaller, the library averages boxes: of lossless frames with
/// their alpha counted in, of others colors and alpha apart. Takes at most `memory_limit` bytes, else CC_LIMIT.
cc_status cc_webp_start(
    cc_webp *webp, uint32_t width, uint32_t height, uint8_t *rows, size_t stride, size_t memory_limit);
/// Decodes the next `byte_count` bytes; sets how many rows, from the top, are there by now, and `done` with the last. They
/// are also there if the answer is CC_INCOMPLETE. What is there may be changed: the library doesn't read it again.
cc_status cc_webp_decode(cc_webp *webp, size_t byte_count, uint32_t *row_count, bool *done);
/// CC_INCOMPLETE if the file lacks something after the frame.
cc_status cc_webp_finish(cc_webp *webp);
/// What went wrong, or "". Valid until the next call.
const char *cc_webp_message(const cc_webp *webp);
/// How many bytes have been read.
size_t cc_webp_offset(const cc_webp *webp);
void cc_webp_close(cc_webp *webp);

// MARK: GIF

typedef struct cc_gif cc_gif;

typedef struct {
    /// The canvas.
    uint32_t width;
    uint32_t height;
} cc_gif_info;

/// Begins to decode. The bytes must stay valid until `cc_gif_close`. NULL if there is no memory.
cc_gif *cc_gif_open(const uint8_t *bytes, size_t count);
/// Reads the size of the canvas.
cc_status cc_gif_read_header(cc_gif *gif, cc_gif_info *info);
/// Reads a frame's descriptor, whose first byte is at `offset`, and its table. What of the frame lies outside the canvas is
/// left out. `transparent_index` is -1 for none.
cc_status cc_gif_read_frame(cc_gif *gif, size_t offset, int transparent_index, cc_frame *frame);
/// Decodes at most `steps` rows of an interlaced frame, whose indices are kept (a byte for each pixel on the canvas); sets
/// `done` when rows can be read.
cc_status cc_gif_consume(cc_gif *gif, int steps, bool *done);
/// Gives up to `capacity` rows of the frame, each `stride` bytes after the one before; sets how many. Premultiplied:
/// transparent pixels are all 0.
cc_status cc_gif_read_rows(cc_gif *gif, uint8_t *rows, size_t stride, uint32_t capacity, uint32_t *count);
/// What went wrong, or "". Valid until the next call.
const char *cc_gif_message(const cc_gif *gif);
/// How many bytes have been read.
size_t cc_gif_offset(const cc_gif *gif);
void cc_gif_close(cc_gif *gif);

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
