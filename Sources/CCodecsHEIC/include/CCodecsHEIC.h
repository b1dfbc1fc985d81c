#pragma once

// C around libheif, with libde265. Written as CCodecs is: in steps, without global state, one thread at a time. (The
// library's own registry of decoders is global, and its `heif_deinit` would take it from others who use it: never called.)

#include "CCodecs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cc_heic cc_heic;

typedef struct {
    /// The upright size, cropped.
    uint32_t width, height;
    bool has_alpha;
    /// An ICC profile, or NULL. It lives as long as the object.
    const uint8_t *profile;
    size_t profile_byte_count;
    /// Code points of ITU-T H.273; 2 if the file doesn't say.
    int primaries, transfer;
} cc_heic_info;

/// Begins to decode. The bytes must stay valid until `cc_heic_close`. NULL if there is no memory.
cc_heic *cc_heic_open(const uint8_t *bytes, size_t count);
/// Reads the file's structure and finds the primary image. A larger profile than the limit counts as none.
cc_status cc_heic_read_header(cc_heic *heic, size_t profile_limit, cc_heic_info *info);
/// Decodes the primary image in one go, cropped and turned: neither library can be interrupted. `byte_table`, of 4096
/// values, must stay valid while rows are read; NULL for none.
cc_status cc_heic_decode(cc_heic *heic, const uint8_t *byte_table);
/// Converts `count` rows from `first`, each `stride` bytes after the one before: RGBA, premultiplied.
cc_status cc_heic_read_rows(cc_heic *heic, uint32_t first, uint32_t count, uint8_t *rows, size_t stride);
/// What went wrong, or "". Valid until the next call.
const char *cc_heic_message(const cc_heic *heic);
void cc_heic_close(cc_heic *heic);

#ifdef __cplusplus
}
#endif
