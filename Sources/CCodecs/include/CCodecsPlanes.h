#pragma once

// Rows of RGBA from the planes that video codecs decode to. No library behind it: AVIF and HEIC share it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Planes of samples: 8 bits in a byte, more in 16 bits of this machine's order.
typedef struct {
    /// Lightness, and two differences of colour, which are NULL in monochrome. With the matrix 0: green, blue and red.
    const uint8_t *planes[3];
    /// NULL where all is opaque. Full range.
    const uint8_t *alpha;
    size_t strides[3];
    size_t alpha_stride;
    uint32_t width, height;
    /// Bits of a sample, 8 to 16.
    int depth, alpha_depth;
    /// Whether there is one sample of colour for two columns, for two rows.
    bool halves_columns, halves_rows;
    bool is_full_range;
    bool is_premultiplied;
    /// Code points of ITU-T H.273. The primaries matter where the matrix is derived from them.
    int matrix, primaries;
    /// The bytes of colours: 4096 for the range of samples in equal steps. NULL rounds them.
    const uint8_t *byte_table;
    /// The part of each row that is given.
    uint32_t left, top, cropped_width;
} cc_planes;

/// Whether there are coefficients for the matrix.
bool cc_planes_supports_matrix(int matrix, int primaries);
/// How many floats `cc_planes_read_rows` needs to work on.
size_t cc_planes_scratch_count(uint32_t width);
/// Converts `count` rows from `first`, counted from `top`, to premultiplied RGBA, rounded to the nearest; colours between
/// samples by linear interpolation.
void cc_planes_read_rows(
    const cc_planes *planes, uint32_t first, uint32_t count, float *scratch, uint8_t *rows, size_t stride);

#ifdef __cplusplus
}
#endif
