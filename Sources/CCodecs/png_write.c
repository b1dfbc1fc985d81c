#include "buffer.h"
#include "profile.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

// On the heap as the readers are, so that nothing that setjmp brings back lives in a register.
typedef struct {
    png_structp png;
    png_infop info;
    jmp_buf escape;
    cc_buffer buffer;
    uint8_t *row;
    uint8_t *profile;
    cc_encoded *result;
} writer;

static void on_error(png_structp png, png_const_charp message) {
    writer *self = png_get_error_ptr(png);
    snprintf(self->result->message, sizeof self->result->message, "%s", message);
    longjmp(self->escape, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void on_write(png_structp png, png_bytep bytes, size_t count) {
    writer *self = png_get_io_ptr(png);
    if (!cc_buffer_reserve(&self->buffer, count)) png_error(png, "out of memory");
    memcpy(self->buffer.bytes + self->buffer.count, bytes, count);
    self->buffer.count += count;
}

static void on_flush(png_structp png) { (void)png; }

/// PNG keeps straight alpha (PNG specification, 6.2): divides each colour by its alpha.
static void unpremultiply(const uint8_t *source, uint8_t *target, uint32_t width) {
    for (uint32_t x = 0; x < width; x++, source += 4, target += 4) {
        unsigned alpha = source[3];
        for (int channel = 0; channel < 3; channel++) {
            unsigned value = alpha ? (source[channel] * 255u + alpha / 2) / alpha : 0;
            target[channel] = (uint8_t)(value > 255 ? 255 : value);
        }
        target[3] = (uint8_t)alpha;
    }
}

/// Says what the colors mean: by sRGB's own chunk, or by a profile. False if there is no memory.
static bool set_color_space(writer *self, cc_color_space space) {
    if (space == CC_SRGB) {
        png_set_sRGB(self->png, self->info, PNG_sRGB_INTENT_PERCEPTUAL);
        return true;
    }
    size_t count = 0;
    self->profile = cc_profile_create(space, &count);
    if (!self->profile) return false;
    png_set_iCCP(
        self->png, self->info, "Display P3", PNG_COMPRESSION_TYPE_BASE, self->profile, (png_uint_32)count);
    return true;
}

static cc_status encode(
    writer *self, const uint8_t *rows, size_t stride, uint32_t width, uint32_t height, bool opaque,
    cc_color_space space) {
    self->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
    if (!self->png || setjmp(self->escape)) return CC_NO_MEMORY;
    self->info = png_create_info_struct(self->png);
    if (!self->info) return CC_NO_MEMORY;
    png_set_write_fn(self->png, self, on_write, on_flush);
    png_set_IHDR(
        self->png, self->info, width, height, 8, opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA,
        PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (!set_color_space(self, space)) return CC_NO_MEMORY;
    png_write_info(self->png, self->info);
    if (opaque) png_set_filler(self->png, 0, PNG_FILLER_AFTER); // drops the fourth byte
    for (uint32_t y = 0; y < height; y++) {
        unpremultiply(rows + y * stride, self->row, width);
        png_write_row(self->png, self->row);
    }
    png_write_end(self->png, NULL);
    return CC_OK;
}

cc_status cc_png_encode(
    const uint8_t *rows, size_t stride, uint32_t width, uint32_t height, bool opaque, cc_color_space space,
    cc_encoded *result) {
    memset(result, 0, sizeof *result);
    writer *self = calloc(1, sizeof *self);
    if (!self) return CC_NO_MEMORY;
    self->result = result;
    self->row = malloc((size_t)width * 4);
    cc_status status = self->row ? encode(self, rows, stride, width, height, opaque, space) : CC_NO_MEMORY;
    if (self->png) png_destroy_write_struct(&self->png, &self->info);
    if (status == CC_OK) {
        result->bytes = self->buffer.bytes;
        result->count = self->buffer.count;
    } else {
        free(self->buffer.bytes);
    }
    free(self->profile);
    free(self->row);
    free(self);
    return status;
}
