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
// Pixels are RGBA, 8 bits a channel, rows from the top, unless a function says otherwise.

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
    /// The bytes that have arrived end here; nothing is wrong.
    CC_WAITING,
} cc_status;

// MARK: JPEG

typedef struct cc_jpeg cc_jpeg;

/// What rows hold.
typedef enum {
    /// RGB, or opaque RGBA.
    CC_JPEG_COLOR,
    /// The same, in which the colours are equal.
    CC_JPEG_GRAY,
    /// Cyan, magenta, yellow, black: 0 is no ink, 255 all of it, however the file holds them.
    CC_JPEG_INKS,
} cc_jpeg_model;

typedef struct {
    uint32_t width;
    uint32_t height;
    cc_jpeg_model model;
    /// Scans hold some frequencies, or some bits of them, each.
    bool is_progressive;
    /// The file comes in several scans (progressive, or a scan for each component): libjpeg keeps all coefficients, and
    /// `cc_jpeg_consume` has to read them before the first row.
    bool has_multiple_scans;
    /// What those coefficients take.
    uint64_t coefficient_byte_count;
    /// How coarsely the first component's low frequencies are quantized, 1 the finest; 0 if it isn't known.
    uint16_t quantizer_step;
} cc_jpeg_info;

typedef struct {
    size_t start;
    size_t end;
} cc_range;

typedef struct {
    /// All scans have been read; of a file that is still arriving, all that show more of the image.
    bool is_done;
    /// Of a file that is still arriving: a scan has ended that shows more of the image than those before. Never unset.
    bool has_more_to_show;
} cc_jpeg_progress;

/// Begins to decode a whole file. The bytes must stay valid until `cc_jpeg_close`. NULL if there is no memory.
cc_jpeg *cc_jpeg_open(const uint8_t *bytes, size_t count);
/// Begins to decode bytes that `cc_jpeg_append` brings. Functions that need more of them answer CC_WAITING, and are
/// called again after that. NULL if there is no memory.
cc_jpeg *cc_jpeg_open_growing(void);
/// Copies the next bytes; what has been read is let go. Takes as much memory as there are unread bytes, and up to twice.
cc_status cc_jpeg_append(cc_jpeg *jpeg, const uint8_t *bytes, size_t count);
/// Reads up to the first scan.
cc_status cc_jpeg_read_header(cc_jpeg *jpeg, cc_jpeg_info *info);
/// Leaves out scans of a whole file, each from its SOS marker up to the marker that follows its data: in order, after
/// what has been read. To be called between `cc_jpeg_read_header` and `cc_jpeg_start`. The ranges are copied.
cc_status cc_jpeg_skip(cc_jpeg *jpeg, const cc_range *ranges, size_t count);
/// Chooses a scale of 1/1, 1/2, 1/4 or 1/8 (`denominator`), and tells the size that rows will have: each side divided
/// and rounded up. Rows of colors and grays are RGBA, or RGB if not `alpha`. Takes at most `memory_limit` bytes for
/// coefficients, else CC_LIMIT before any is taken.
cc_status cc_jpeg_start(
    cc_jpeg *jpeg, int denominator, bool alpha, size_t memory_limit, uint32_t *width, uint32_t *height);
/// Reads at most `steps` rows of blocks of a file with several scans.
cc_status cc_jpeg_consume(cc_jpeg *jpeg, int steps, int scan_limit, cc_jpeg_progress *progress);
/// Begins a pass of rows over the scans that have arrived, once there is more to show. All rows have to be read, and then
/// `cc_jpeg_finish_pass` called, before more is consumed.
cc_status cc_jpeg_start_pass(cc_jpeg *jpeg);
cc_status cc_jpeg_finish_pass(cc_jpeg *jpeg);
/// Decodes up to `capacity` rows, each `stride` bytes after the one before; sets how many it decoded, CC_WAITING or not. With
/// CC_OK there may be none of them, though some are left: it is to be called again.
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
    /// What the rows are: 4 for RGBA, 3 for RGB, which is opaque.
    uint32_t channel_count;
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
/// Reads up to the pixels. Rows of an image without transparency are RGB, or RGBA too if `always_alpha`.
cc_status cc_png_read_header(cc_png *png, bool always_alpha, cc_png_info *info);
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
/// Instead: prepares to decode a lossy frame without alpha at its own size into planes: `height` rows of luma, and rows of
/// half as many samples (rounded up) of blue's and red's difference from it, half as many rows. ITU-R BT.601, luma from 16
/// to 235; each pair of differences belongs to the middle of four pixels. The planes stay valid until `cc_webp_close`.
cc_status cc_webp_start_planes(
    cc_webp *webp, uint8_t *luma, size_t luma_stride, uint8_t *blue, uint8_t *red, size_t chroma_stride);
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

// MARK: Color

/// Little CMS, from the colors of a profile to those of a screen. Once opened it never changes: any number of threads may
/// convert by one at the same time.
typedef struct cc_color cc_color;

/// What a pixel's bytes are: a gray and three that are left alone; red, green, blue and one that is left alone; or four
/// inks, of which 255 is all.
typedef enum { CC_GRAY, CC_RGB, CC_CMYK } cc_color_model;
typedef enum { CC_SRGB, CC_DISPLAY_P3 } cc_color_space;

/// Makes a conversion, by perceptual intent with black point compensation. NULL if the profile is damaged, of another
/// model, or not one of pixels, if its table takes more than 16 MiB, or if there is no memory. The bytes are not needed any
/// more then. Takes milliseconds.
cc_color *cc_color_open(const uint8_t *profile, size_t count, cc_color_model model, cc_color_space target);
/// Converts pixels of 4 bytes to red, green, blue and a byte that stays as it is, in place.
void cc_color_convert(const cc_color *color, uint8_t *pixels, size_t count);
void cc_color_close(cc_color *color);

/// What most profiles of screens and cameras are: a curve from the samples of each channel to light, and a matrix from
/// there to the CIE's X, Y and Z, relative to D50.
typedef struct {
    float light[3][256];
    /// X, Y and Z of red, green and blue.
    double colorants[3][3];
} cc_matrix_profile;

/// Reads a profile of red, green and blue that is no more than curves and a matrix. False if it has a table, is damaged or
/// none of pixels, or if its black isn't black; `cc_color_open` knows about those.
bool cc_matrix_profile_read(const uint8_t *profile, size_t count, cc_matrix_profile *result);

// MARK: Encoding

typedef struct {
    /// Made by malloc; the caller frees it.
    uint8_t *bytes;
    size_t count;
    /// What went wrong, or "".
    char message[200];
} cc_encoded;

/// Encodes premultiplied RGBA as PNG with straight alpha, or as RGB if `opaque`. The file says which space it is in.
cc_status cc_png_encode(
    const uint8_t *rows, size_t stride, uint32_t width, uint32_t height, bool opaque, cc_color_space space,
    cc_encoded *result);
/// Encodes premultiplied RGBA, composed over white, as baseline JPEG of that quality (1 to 100). A space other than sRGB
/// gets a profile.
cc_status cc_jpeg_encode(
    const uint8_t *rows, size_t stride, uint32_t width, uint32_t height, int quality, cc_color_space space,
    cc_encoded *result);

#ifdef __cplusplus
}
#endif
