#include "CCodecsPlanes.h"

#include <string.h>

/// What a row is made with. Colours are floats from 0 to 255 until the end.
typedef struct {
    float luma_scale, luma_offset;
    float chroma_scale, chroma_offset;
    /// What the first and the second difference add to red, green and blue.
    float u[3], v[3];
} coefficients;

/// The shares of red and blue in lightness. False if the matrix is none of that kind.
static bool shares(int matrix, int primaries, float *red, float *blue) {
    if (matrix == 12) {
        // Derived from the primaries: those that have a matrix of their own, and SMPTE 432 (Display P3).
        if (primaries == 12) {
            *red = 0.22897f;
            *blue = 0.07929f;
            return true;
        }
        matrix = primaries == 9 ? 9 : primaries == 5 || primaries == 6 ? 6 : 1;
    }
    switch (matrix) {
    case 1: *red = 0.2126f; *blue = 0.0722f; return true;
    // 2 says nothing, which is read as BT.601, as elsewhere.
    case 2: case 5: case 6: *red = 0.299f; *blue = 0.114f; return true;
    case 4: *red = 0.30f; *blue = 0.11f; return true;
    case 7: *red = 0.212f; *blue = 0.087f; return true;
    case 9: *red = 0.2627f; *blue = 0.0593f; return true;
    default: return false;
    }
}

bool cc_planes_supports_matrix(int matrix, int primaries) {
    float red, blue;
    return matrix == 0 || matrix == 8 || shares(matrix, primaries, &red, &blue);
}

static coefficients coefficients_for(const cc_planes *planes) {
    coefficients result;
    memset(&result, 0, sizeof result);
    int depth = planes->depth;
    float unit = (float)(1 << (depth - 8));
    float maximum = (float)((1 << depth) - 1);
    if (planes->is_full_range) {
        result.luma_scale = 255 / maximum;
        result.chroma_scale = 255 / maximum;
    } else {
        result.luma_scale = 255 / (219 * unit);
        result.luma_offset = -16 * unit * result.luma_scale;
        result.chroma_scale = 255 / (224 * unit);
    }
    result.chroma_offset = -128 * unit * result.chroma_scale;
    float red, blue;
    if (planes->matrix == 0) {
        // Three colours: all are coded as lightness is.
        result.chroma_scale = result.luma_scale;
        result.chroma_offset = result.luma_offset;
    } else if (planes->matrix == 8) {
        const float green_shift[3] = {-1, 1, -1}, orange_shift[3] = {1, 0, -1};
        memcpy(result.u, green_shift, sizeof result.u);
        memcpy(result.v, orange_shift, sizeof result.v);
    } else if (shares(planes->matrix, planes->primaries, &red, &blue)) {
        float green = 1 - red - blue;
        result.v[0] = 2 * (1 - red);
        result.u[1] = -2 * (1 - blue) * blue / green;
        result.v[1] = -2 * (1 - red) * red / green;
        result.u[2] = 2 * (1 - blue);
    }
    return result;
}

#define INLINE static inline __attribute__((always_inline))

INLINE float sample(const uint8_t *row, size_t x, bool is_wide) {
    return is_wide ? (float)((const uint16_t *)row)[x] : (float)row[x];
}

INLINE float clamp(float value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

INLINE uint32_t pack(float red, float green, float blue, float alpha) {
    return (uint32_t)(int32_t)(red + 0.5f) | (uint32_t)(int32_t)(green + 0.5f) << 8
        | (uint32_t)(int32_t)(blue + 0.5f) << 16 | (uint32_t)(int32_t)(alpha + 0.5f) << 24;
}

/// One row of differences, as many as there are pixels. `half` holds a row of samples.
INLINE void spread_row(
    const cc_planes *planes, int plane, uint32_t y, float scale, float offset, bool is_wide, float *restrict half,
    float *restrict full) {
    size_t width = planes->width;
    size_t count = planes->halves_columns ? (width + 1) / 2 : width;
    uint32_t row_count = planes->halves_rows ? (planes->height + 1) / 2 : planes->height;
    uint32_t near = planes->halves_rows ? y / 2 : y;
    // A row of samples lies between two rows of pixels, a quarter from either.
    uint32_t far = near;
    if (planes->halves_rows) {
        if (y % 2 == 1 && near + 1 < row_count) far = near + 1;
        if (y % 2 == 0 && near > 0) far = near - 1;
    }
    const uint8_t *near_row = planes->planes[plane] + near * planes->strides[plane];
    const uint8_t *far_row = planes->planes[plane] + far * planes->strides[plane];
    float *restrict line = planes->halves_columns ? half : full;
    if (near == far) {
        for (size_t x = 0; x < count; x++) line[x] = sample(near_row, x, is_wide) * scale + offset;
    } else {
        float large = scale * 0.75f, small = scale * 0.25f;
        for (size_t x = 0; x < count; x++)
            line[x] = sample(near_row, x, is_wide) * large + sample(far_row, x, is_wide) * small + offset;
    }
    if (!planes->halves_columns) return;
    full[0] = half[0];
    for (size_t x = 0; x + 1 < count; x++) {
        full[2 * x + 1] = half[x] * 0.75f + half[x + 1] * 0.25f;
        full[2 * x + 2] = half[x] * 0.25f + half[x + 1] * 0.75f;
    }
    // The last pixel of an even row lies beyond the last sample.
    if (width % 2 == 0) full[width - 1] = half[count - 1];
}

INLINE float in_bytes(const uint8_t *table, float value) {
    return (float)table[(int32_t)(value * (4095.0f / 255) + 0.5f)];
}

INLINE void convert_row(
    const cc_planes *planes, const coefficients *c, uint32_t y, bool is_wide, float *scratch, uint32_t *restrict output) {
    size_t width = planes->width;
    const float *u = scratch;
    const float *v = scratch + width + 1;
    float *half = scratch + 2 * (width + 1);
    bool has_color = planes->planes[1] && planes->planes[2];
    if (has_color) {
        spread_row(planes, 1, y, c->chroma_scale, c->chroma_offset, is_wide, half, scratch);
        spread_row(planes, 2, y, c->chroma_scale, c->chroma_offset, is_wide, half, scratch + width + 1);
    }
    const uint8_t *luma = planes->planes[0] + y * planes->strides[0];
    const uint8_t *alpha = planes->alpha ? planes->alpha + y * planes->alpha_stride : NULL;
    float scale = c->luma_scale, offset = c->luma_offset;
    float alpha_scale = alpha ? 255 / (float)((1 << planes->alpha_depth) - 1) : 0;
    bool is_alpha_wide = planes->alpha_depth > 8;
    float red_u = c->u[0], red_v = c->v[0], green_u = c->u[1], green_v = c->v[1], blue_u = c->u[2], blue_v = c->v[2];

    if (!alpha && !planes->byte_table && has_color && planes->matrix != 0) {
        // Nearly every picture: a loop of its own, without cases.
        for (size_t x = 0; x < width; x++) {
            float value = sample(luma, x, is_wide) * scale + offset;
            output[x] = pack(
                clamp(value + red_u * u[x] + red_v * v[x]), clamp(value + green_u * u[x] + green_v * v[x]),
                clamp(value + blue_u * u[x] + blue_v * v[x]), 255);
        }
        return;
    }
    for (size_t x = 0; x < width; x++) {
        float value = sample(luma, x, is_wide) * scale + offset;
        float red = value, green = value, blue = value;
        if (has_color && planes->matrix == 0) {
            blue = u[x];
            red = v[x];
        } else if (has_color) {
            red += red_u * u[x] + red_v * v[x];
            green += green_u * u[x] + green_v * v[x];
            blue += blue_u * u[x] + blue_v * v[x];
        }
        float opacity = alpha ? sample(alpha, x, is_alpha_wide) * alpha_scale : 255;
        opacity = clamp(opacity);
        if (planes->is_premultiplied && planes->byte_table && opacity > 0) {
            red *= 255 / opacity;
            green *= 255 / opacity;
            blue *= 255 / opacity;
        }
        red = clamp(red);
        green = clamp(green);
        blue = clamp(blue);
        if (planes->byte_table) {
            red = in_bytes(planes->byte_table, red);
            green = in_bytes(planes->byte_table, green);
            blue = in_bytes(planes->byte_table, blue);
        }
        if (alpha && (!planes->is_premultiplied || planes->byte_table)) {
            float factor = opacity * (1.0f / 255);
            red *= factor;
            green *= factor;
            blue *= factor;
        } else if (alpha) {
            // What isn't possible in premultiplied colours.
            red = red < opacity ? red : opacity;
            green = green < opacity ? green : opacity;
            blue = blue < opacity ? blue : opacity;
        }
        output[x] = pack(red, green, blue, opacity);
    }
}

INLINE void convert_rows(
    const cc_planes *planes, uint32_t first, uint32_t count, float *scratch, uint8_t *rows, size_t stride) {
    coefficients c = coefficients_for(planes);
    bool is_cropped = planes->left != 0 || planes->cropped_width != planes->width;
    uint32_t *line = (uint32_t *)(scratch + 3 * ((size_t)planes->width + 1));
    for (uint32_t index = 0; index < count; index++) {
        uint8_t *row = rows + index * stride;
        uint32_t *output = is_cropped ? line : (uint32_t *)row;
        uint32_t y = planes->top + first + index;
        if (planes->depth > 8)
            convert_row(planes, &c, y, true, scratch, output);
        else
            convert_row(planes, &c, y, false, scratch, output);
        if (is_cropped) memcpy(row, line + planes->left, (size_t)planes->cropped_width * 4);
    }
}

#if defined(__x86_64__)
/// The same loops, compiled for wider registers: chosen at run time, as not every processor has them.
__attribute__((target("avx2,fma"))) static void convert_rows_avx2(
    const cc_planes *planes, uint32_t first, uint32_t count, float *scratch, uint8_t *rows, size_t stride) {
    convert_rows(planes, first, count, scratch, rows, stride);
}
#endif

size_t cc_planes_scratch_count(uint32_t width) { return 4 * ((size_t)width + 1); }

void cc_planes_read_rows(
    const cc_planes *planes, uint32_t first, uint32_t count, float *scratch, uint8_t *rows, size_t stride) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        convert_rows_avx2(planes, first, count, scratch, rows, stride);
        return;
    }
#endif
    convert_rows(planes, first, count, scratch, rows, stride);
}
