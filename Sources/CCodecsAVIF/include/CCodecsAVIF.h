#pragma once

// C around libavif, with dav1d. Written as CCodecs is: in steps, without global state, one thread at a time.

#include "CCodecs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cc_avif cc_avif;

typedef struct {
    /// The coded size, before it is cropped and turned.
    uint32_t width, height;
    bool has_alpha;
    /// A clean aperture: width, height and the two offsets of its middle, as numerators and denominators.
    bool has_aperture;
    uint32_t aperture[8];
    /// How often it is turned by 90 degrees counterclockwise, and how it is mirrored then: 0 upside down, 1 left to right,
    /// -1 not at all.
    int turn_count, mirror_axis;
    /// An ICC profile, or NULL. It lives as long as the object.
    const uint8_t *profile;
    size_t profile_byte_count;
    /// Code points of ITU-T H.273; 2 if the file doesn't say.
    int primaries, transfer;
    /// 1 for a still image.
    uint32_t frame_count;
} cc_avif_info;

/// Begins to decode. The bytes must stay valid until `cc_avif_close`. NULL if there is no memory.
cc_avif *cc_avif_open(const uint8_t *bytes, size_t count);
/// Reads the file's structure; refuses frames of more pixels, and more frames, than the limits.
cc_status cc_avif_read_header(cc_avif *avif, uint32_t pixel_limit, uint32_t frame_limit, cc_avif_info *info);
/// How long a frame is shown, in seconds; 0 if the file doesn't say.
double cc_avif_frame_duration(cc_avif *avif, uint32_t index);
/// Decodes that frame, and those before it that it is made of, in one go: dav1d can't be interrupted.
cc_status cc_avif_decode(cc_avif *avif, uint32_t index);
/// Describes the part of the decoded frame that rows are read of. Width and height lie within the coded size. `byte_table`,
/// of 4096 values, must stay valid while rows are read; NULL for none.
cc_status cc_avif_start_rows(
    cc_avif *avif, uint32_t left, uint32_t top, uint32_t width, uint32_t height, const uint8_t *byte_table);
/// Converts `count` rows from `first` of that part, each `stride` bytes after the one before: RGBA, premultiplied.
cc_status cc_avif_read_rows(cc_avif *avif, uint32_t first, uint32_t count, uint8_t *rows, size_t stride);
/// What went wrong, or "". Valid until the next call.
const char *cc_avif_message(const cc_avif *avif);
void cc_avif_close(cc_avif *avif);

#ifdef __cplusplus
}
#endif
