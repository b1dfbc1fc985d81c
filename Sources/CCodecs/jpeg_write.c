#include "buffer.h"
#include "profile.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// On the heap as the readers are, so that nothing that setjmp brings back lives in a register.
typedef struct {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    jmp_buf escape;
    bool created;
    cc_buffer buffer;
    uint8_t *row;
    uint8_t *profile;
    cc_status failure;
    cc_encoded *result;
} writer;

static void on_error(j_common_ptr info) {
    writer *self = info->client_data;
    char message[JMSG_LENGTH_MAX];
    info->err->format_message(info, message);
    snprintf(self->result->message, sizeof self->result->message, "%.*s", 199, message);
    self->failure = info->err->msg_code == JERR_OUT_OF_MEMORY ? CC_NO_MEMORY : CC_LIMIT;
    longjmp(self->escape, 1);
}

static void on_message(j_common_ptr info, int level) {
    (void)info;
    (void)level;
}

static void on_output(j_common_ptr info) { (void)info; }

/// Offers the library all the room that there is after `count`.
static void offer(j_compress_ptr info, size_t extra) {
    writer *self = info->client_data;
    if (!cc_buffer_reserve(&self->buffer, extra)) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    self->destination.next_output_byte = self->buffer.bytes + self->buffer.count;
    self->destination.free_in_buffer = self->buffer.capacity - self->buffer.count;
}

static void destination_begin(j_compress_ptr info) { offer(info, 16384); }

/// Called when the room is full to the last byte, whatever `free_in_buffer` says.
static boolean destination_empty(j_compress_ptr info) {
    writer *self = info->client_data;
    self->buffer.count = self->buffer.capacity;
    offer(info, 16384);
    return TRUE;
}

static void destination_end(j_compress_ptr info) {
    writer *self = info->client_data;
    self->buffer.count = self->buffer.capacity - self->destination.free_in_buffer;
}

/// JPEG has no alpha: a premultiplied colour over white gains what its alpha leaves of the white.
static void compose_over_white(const uint8_t *source, uint8_t *target, uint32_t width) {
    for (uint32_t x = 0; x < width; x++, source += 4, target += 4) {
        unsigned white = 255u - source[3];
        for (int channel = 0; channel < 3; channel++) {
            unsigned value = source[channel] + white;
            target[channel] = (uint8_t)(value > 255 ? 255 : value);
        }
        target[3] = 255;
    }
}

static cc_status encode(
    writer *self, const uint8_t *rows, size_t stride, uint32_t width, uint32_t height, int quality,
    cc_color_space space) {
    struct jpeg_compress_struct *info = &self->info;
    info->err = jpeg_std_error(&self->errors);
    self->errors.error_exit = on_error;
    self->errors.emit_message = on_message;
    self->errors.output_message = on_output;
    info->client_data = self;
    if (setjmp(self->escape)) return self->failure;
    jpeg_create_compress(info);
    self->created = true;
    self->destination.init_destination = destination_begin;
    self->destination.empty_output_buffer = destination_empty;
    self->destination.term_destination = destination_end;
    info->dest = &self->destination;
    info->image_width = width;
    info->image_height = height;
    info->input_components = 4;
    info->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, quality, TRUE);
    info->optimize_coding = TRUE;
    jpeg_start_compress(info, TRUE);
    // JFIF's colors are sRGB unless a profile says otherwise.
    if (space != CC_SRGB) {
        size_t count = 0;
        self->profile = cc_profile_create(space, &count);
        if (!self->profile) return CC_NO_MEMORY;
        jpeg_write_icc_profile(info, self->profile, (unsigned int)count);
    }
    while (info->next_scanline < height) {
        compose_over_white(rows + info->next_scanline * stride, self->row, width);
        jpeg_write_scanlines(info, &self->row, 1);
    }
    jpeg_finish_compress(info);
    return CC_OK;
}

cc_status cc_jpeg_encode(
    const uint8_t *rows, size_t stride, uint32_t width, uint32_t height, int quality, cc_color_space space,
    cc_encoded *result) {
    memset(result, 0, sizeof *result);
    writer *self = calloc(1, sizeof *self);
    if (!self) return CC_NO_MEMORY;
    self->result = result;
    self->row = malloc((size_t)width * 4);
    cc_status status = self->row ? encode(self, rows, stride, width, height, quality, space) : CC_NO_MEMORY;
    if (self->created) jpeg_destroy_compress(&self->info);
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
