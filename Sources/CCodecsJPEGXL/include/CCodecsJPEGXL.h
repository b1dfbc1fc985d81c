#pragma once

// C around libjxl. Written as CCodecs is: in steps, without global state, one thread at a time.

#include "CCodecs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cc_jxl cc_jxl;

/// What the samples mean.
typedef enum {
    CC_JXL_SRGB,
    CC_JXL_DISPLAY_P3,
    /// ITU-R BT.2100, with the primaries that are told.
    CC_JXL_PQ,
    CC_JXL_HLG,
    /// As the profile says.
    CC_JXL_PROFILE,
} cc_jxl_color;

typedef struct {
    /// The size before it is turned.
    uint32_t width, height;
    /// EXIF's value, 1 to 8.
    int orientation;
    bool has_alpha, is_premultiplied;
    /// Of a row's pixels: RGBA, or RGB where there is no alpha.
    uint32_t channel_count;
    bool is_gray;
    bool is_animated;
    /// 0 means for ever.
    uint32_t loop_count;
    /// Ticks a second.
    double tick_rate;
    cc_jxl_color color;
    /// An ICC profile, where `color` says so. It lives as long as the object.
    const uint8_t *profile;
    size_t profile_byte_count;
    /// x and y of white, red, green and blue, where the curve is PQ or HLG.
    double chromaticities[8];
} cc_jxl_info;

typedef struct {
    /// In ticks.
    uint32_t duration;
    bool is_last;
} cc_jxl_frame;

/// Begins to decode. The bytes must stay valid until `cc_jxl_close`. NULL if there is no memory.
cc_jxl *cc_jxl_open(const uint8_t *bytes, size_t count);
/// Reads up to the first frame; without `reads_pixels`, only to look at frames. A picture coded in the format's own colours
/// is given in Display P3 if `is_wide` and it is wider than sRGB, else in sRGB; larger profiles than the limit count as
/// none.
cc_status cc_jxl_read_header(
    cc_jxl *jxl, bool reads_pixels, bool is_wide, size_t profile_limit, cc_jxl_info *info);
/// Passes over frames, which are decoded as far as later ones are made of them.
cc_status cc_jxl_skip_frames(cc_jxl *jxl, uint32_t count);
/// Finds the next frame. Where pixels are read, the one before it has to have been decoded. CC_MISUSE after the last.
cc_status cc_jxl_next_frame(cc_jxl *jxl, cc_jxl_frame *frame);
/// Prepares for the pixels of the frame. `byte_table`, of 4096 values, must stay valid while rows are decoded; NULL for
/// none.
cc_status cc_jxl_start(cc_jxl *jxl, const uint8_t *byte_table);
/// Decodes the next `byte_count` bytes of the file; sets `done` when the frame is complete.
cc_status cc_jxl_decode(cc_jxl *jxl, size_t byte_count, bool *done);
/// The next row of the frame from the top, alpha as the file has it, or NULL if it isn't complete yet. Valid, and open to
/// changes, until the next call.
uint8_t *cc_jxl_take_row(cc_jxl *jxl);
/// How many bytes have been read.
size_t cc_jxl_offset(const cc_jxl *jxl);
/// What went wrong, or "". Valid until the next call.
const char *cc_jxl_message(const cc_jxl *jxl);
void cc_jxl_close(cc_jxl *jxl);

#ifdef __cplusplus
}
#endif
