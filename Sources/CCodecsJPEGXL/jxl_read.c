// Nothing without the trait, so that nothing of the library is needed.
#ifdef CALOTYPE_JPEGXL
#include "CCodecsJPEGXL.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jxl/decode.h>

// States, in order: opened -> header -> frame -> rows -> header, for the next frame. A failed object only answers `failure`
// again.
typedef enum { STATE_OPENED, STATE_HEADER, STATE_FRAME, STATE_ROWS } state;

/// Rows come in pieces: groups of 256 by 256 pixels, in an order of the file's own, most often from the top. They wait in
/// bands until all above them is complete; a band is there from its first piece until its last row has been taken.
enum { BAND_HEIGHT = 32 };

struct cc_jxl {
    const uint8_t *bytes;
    size_t count;
    /// How many of the bytes the decoder has been given, and how many of those it is done with.
    size_t given, consumed;
    JxlDecoder *decoder;
    uint32_t width, height;
    /// Of a row's pixels: 4, or 3 where all are opaque.
    uint32_t channel_count;
    uint8_t *profile;
    uint8_t **bands;
    uint32_t band_count;
    /// How many pixels of each row are there.
    uint32_t *filled;
    uint32_t next_row;
    /// The band whose last row has been given out.
    uint8_t *spent;
    const uint8_t *byte_table;
    bool is_premultiplied;
    bool reads_pixels;
    bool is_out_of_memory;
    state state;
    cc_status failure;
    char message[100];
};

static void free_rows(cc_jxl *self) {
    for (uint32_t band = 0; band < self->band_count; band++) free(self->bands[band]);
    free(self->bands);
    free(self->filled);
    free(self->spent);
    self->bands = NULL;
    self->filled = NULL;
    self->spent = NULL;
    self->band_count = 0;
}

cc_jxl *cc_jxl_open(const uint8_t *bytes, size_t count) {
    cc_jxl *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->bytes = bytes;
    self->count = count;
    return self;
}

void cc_jxl_close(cc_jxl *self) {
    if (!self) return;
    if (self->decoder) JxlDecoderDestroy(self->decoder);
    free_rows(self);
    free(self->profile);
    free(self);
}

const char *cc_jxl_message(const cc_jxl *self) { return self->message; }

size_t cc_jxl_offset(const cc_jxl *self) { return self->consumed; }

static cc_status fail(cc_jxl *self, cc_status status, const char *message) {
    self->failure = status;
    snprintf(self->message, sizeof self->message, "%s", message);
    return status;
}

/// Gives the decoder `byte_count` more bytes than it has, and lets it work. What it answers is an event, or that it needs
/// more where there are none.
static JxlDecoderStatus process(cc_jxl *self, size_t byte_count) {
    size_t left = self->count - self->given;
    self->given += byte_count < left ? byte_count : left;
    if (JxlDecoderSetInput(self->decoder, self->bytes + self->consumed, self->given - self->consumed) != JXL_DEC_SUCCESS)
        return JXL_DEC_ERROR;
    JxlDecoderStatus status = JxlDecoderProcessInput(self->decoder);
    self->consumed = self->given - JxlDecoderReleaseInput(self->decoder);
    return status;
}

static cc_status answer_error(cc_jxl *self) {
    if (self->is_out_of_memory) return fail(self, CC_NO_MEMORY, "");
    return fail(self, CC_CORRUPT, "damaged codestream");
}

/// D65 and the primaries, in the order of `chromaticities`.
static void set_chromaticities(const JxlColorEncoding *encoding, double *values) {
    const double points[4][2] = {
        {encoding->white_point_xy[0], encoding->white_point_xy[1]},
        {encoding->primaries_red_xy[0], encoding->primaries_red_xy[1]},
        {encoding->primaries_green_xy[0], encoding->primaries_green_xy[1]},
        {encoding->primaries_blue_xy[0], encoding->primaries_blue_xy[1]},
    };
    memcpy(values, points, sizeof points);
}

static cc_status read_color(
    cc_jxl *self, const JxlBasicInfo *basic, bool is_wide, size_t profile_limit, cc_jxl_info *info) {
    JxlColorEncoding encoding;
    bool is_gray = basic->num_color_channels == 1;
    bool has_encoding = JxlDecoderGetColorAsEncodedProfile(
        self->decoder, NULL, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &encoding) == JXL_DEC_SUCCESS;
    bool is_hdr = has_encoding
        && (encoding.transfer_function == JXL_TRANSFER_FUNCTION_PQ
            || encoding.transfer_function == JXL_TRANSFER_FUNCTION_HLG);
    if (!basic->uses_original_profile && !is_hdr) {
        // Coded in the format's own colours: the library makes what is wanted of them.
        bool is_narrow = is_gray || (has_encoding && encoding.primaries == JXL_PRIMARIES_SRGB);
        bool makes_wide = is_wide && !is_narrow;
        JxlColorEncoding wanted = {
            .color_space = is_gray ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB,
            .white_point = JXL_WHITE_POINT_D65,
            .primaries = makes_wide ? JXL_PRIMARIES_P3 : JXL_PRIMARIES_SRGB,
            .transfer_function = JXL_TRANSFER_FUNCTION_SRGB,
            .rendering_intent = JXL_RENDERING_INTENT_RELATIVE,
        };
        if (JxlDecoderSetPreferredColorProfile(self->decoder, &wanted) == JXL_DEC_SUCCESS) {
            info->color = makes_wide ? CC_JXL_DISPLAY_P3 : CC_JXL_SRGB;
            return CC_OK;
        }
    }
    has_encoding = JxlDecoderGetColorAsEncodedProfile(
        self->decoder, NULL, JXL_COLOR_PROFILE_TARGET_DATA, &encoding) == JXL_DEC_SUCCESS;
    if (has_encoding) {
        if (encoding.transfer_function == JXL_TRANSFER_FUNCTION_PQ
            || encoding.transfer_function == JXL_TRANSFER_FUNCTION_HLG) {
            info->color = encoding.transfer_function == JXL_TRANSFER_FUNCTION_PQ ? CC_JXL_PQ : CC_JXL_HLG;
            if (encoding.color_space == JXL_COLOR_SPACE_RGB) set_chromaticities(&encoding, info->chromaticities);
            return CC_OK;
        }
        bool is_usual = encoding.white_point == JXL_WHITE_POINT_D65
            && (encoding.transfer_function == JXL_TRANSFER_FUNCTION_SRGB
                || encoding.transfer_function == JXL_TRANSFER_FUNCTION_709);
        if (is_usual && (is_gray || encoding.primaries == JXL_PRIMARIES_SRGB)) {
            info->color = CC_JXL_SRGB;
            return CC_OK;
        }
        if (is_usual && encoding.primaries == JXL_PRIMARIES_P3) {
            info->color = CC_JXL_DISPLAY_P3;
            return CC_OK;
        }
    }
    size_t size = 0;
    if (JxlDecoderGetICCProfileSize(self->decoder, NULL, JXL_COLOR_PROFILE_TARGET_DATA, &size) != JXL_DEC_SUCCESS
        || size == 0 || size > profile_limit)
        return CC_OK;
    self->profile = malloc(size);
    if (!self->profile) return fail(self, CC_NO_MEMORY, "");
    if (JxlDecoderGetColorAsICCProfile(self->decoder, NULL, JXL_COLOR_PROFILE_TARGET_DATA, self->profile, size)
        != JXL_DEC_SUCCESS)
        return CC_OK;
    info->color = CC_JXL_PROFILE;
    info->profile = self->profile;
    info->profile_byte_count = size;
    return CC_OK;
}

cc_status cc_jxl_read_header(
    cc_jxl *self, bool reads_pixels, bool is_wide, size_t profile_limit, cc_jxl_info *info) {
    if (self->failure) return self->failure;
    if (self->state != STATE_OPENED) return CC_MISUSE;
    memset(info, 0, sizeof *info);
    // Without a parallel runner: in this thread. (One that ends the work early, once nobody waits, ends the process: the
    // library checks by assertions that some of its runs succeed.)
    self->decoder = JxlDecoderCreate(NULL);
    if (!self->decoder) return fail(self, CC_NO_MEMORY, "");
    // Without the last of these, frames are passed over.
    int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME | (reads_pixels ? JXL_DEC_FULL_IMAGE : 0);
    self->reads_pixels = reads_pixels;
    if (JxlDecoderSubscribeEvents(self->decoder, events) != JXL_DEC_SUCCESS
        || JxlDecoderSetKeepOrientation(self->decoder, JXL_TRUE) != JXL_DEC_SUCCESS)
        return fail(self, CC_MISUSE, "");
    JxlBasicInfo basic;
    bool has_info = false;
    for (;;) {
        JxlDecoderStatus status = process(self, 4096);
        if (status == JXL_DEC_NEED_MORE_INPUT) {
            if (self->given == self->count) return fail(self, CC_INCOMPLETE, "the file ends in its header");
        } else if (status == JXL_DEC_BASIC_INFO) {
            if (JxlDecoderGetBasicInfo(self->decoder, &basic) != JXL_DEC_SUCCESS) return answer_error(self);
            has_info = true;
        } else if (status == JXL_DEC_COLOR_ENCODING && has_info) {
            break;
        } else {
            return answer_error(self);
        }
    }
    info->width = self->width = basic.xsize;
    info->height = self->height = basic.ysize;
    info->orientation = (int)basic.orientation;
    info->has_alpha = basic.alpha_bits > 0;
    info->channel_count = self->channel_count = info->has_alpha ? 4 : 3;
    info->is_premultiplied = self->is_premultiplied = info->has_alpha && basic.alpha_premultiplied;
    info->is_gray = basic.num_color_channels == 1;
    info->is_animated = basic.have_animation;
    if (basic.have_animation) {
        info->loop_count = basic.animation.num_loops;
        info->tick_rate = basic.animation.tps_denominator > 0
            ? (double)basic.animation.tps_numerator / basic.animation.tps_denominator : 0;
    }
    if (read_color(self, &basic, is_wide, profile_limit, info)) return self->failure;
    self->state = STATE_HEADER;
    return CC_OK;
}

cc_status cc_jxl_skip_frames(cc_jxl *self, uint32_t count) {
    if (self->failure) return self->failure;
    if (self->state != STATE_HEADER) return CC_MISUSE;
    JxlDecoderSkipFrames(self->decoder, count);
    return CC_OK;
}

cc_status cc_jxl_next_frame(cc_jxl *self, cc_jxl_frame *frame) {
    if (self->failure) return self->failure;
    if (self->state != STATE_HEADER && (self->state != STATE_FRAME || self->reads_pixels)) return CC_MISUSE;
    for (;;) {
        JxlDecoderStatus status = process(self, 1 << 16);
        if (status == JXL_DEC_FRAME) break;
        if (status == JXL_DEC_NEED_MORE_INPUT) {
            if (self->given == self->count) return fail(self, CC_INCOMPLETE, "the file ends before its frames do");
        } else if (status == JXL_DEC_SUCCESS) {
            return CC_MISUSE;
        } else {
            return answer_error(self);
        }
    }
    JxlFrameHeader header;
    if (JxlDecoderGetFrameHeader(self->decoder, &header) != JXL_DEC_SUCCESS) return answer_error(self);
    frame->duration = header.duration;
    frame->is_last = header.is_last;
    self->state = STATE_FRAME;
    return CC_OK;
}

/// 0 to 1; what is no number becomes 0.
static float limited(float value) {
    value = value > 0 ? value : 0;
    return value < 1 ? value : 1;
}

/// Samples to bytes, to the nearest.
static void make_bytes(const float *source, uint8_t *target, size_t count) {
    for (size_t index = 0; index < count; index++) target[index] = (uint8_t)(int)(limited(source[index]) * 255 + 0.5f);
}

/// Samples to bytes through the table, which is for colours that aren't premultiplied.
static void make_table_bytes(const cc_jxl *self, const float *source, uint8_t *target, size_t pixel_count) {
    uint32_t channel_count = self->channel_count;
    for (size_t pixel = 0; pixel < pixel_count; pixel++, source += channel_count, target += channel_count) {
        float alpha = channel_count == 4 ? limited(source[3]) : 1;
        for (int channel = 0; channel < 3; channel++) {
            float value = limited(source[channel]);
            if (self->is_premultiplied) value = alpha > 0 ? fminf(value / alpha, 1) : 0;
            float result = self->byte_table[(int)(value * 4095 + 0.5f)];
            if (self->is_premultiplied) result *= alpha;
            target[channel] = (uint8_t)(result + 0.5f);
        }
        if (channel_count == 4) target[3] = (uint8_t)(alpha * 255 + 0.5f);
    }
}

/// Writes a piece of a row to its band.
static void take_pixels(void *context, size_t x, size_t y, size_t count, const void *pixels) {
    cc_jxl *self = context;
    if (y >= self->height || x >= self->width || count > self->width - x) return;
    uint8_t **band = &self->bands[y / BAND_HEIGHT];
    size_t stride = (size_t)self->width * self->channel_count;
    if (!*band) *band = calloc(BAND_HEIGHT, stride);
    if (!*band) {
        self->is_out_of_memory = true;
        return;
    }
    uint8_t *target = *band + y % BAND_HEIGHT * stride + x * self->channel_count;
    self->filled[y] += (uint32_t)count;
    if (self->byte_table) {
        make_table_bytes(self, pixels, target, count);
    } else {
        make_bytes(pixels, target, count * self->channel_count);
    }
}

cc_status cc_jxl_start(cc_jxl *self, const uint8_t *byte_table) {
    if (self->failure) return self->failure;
    if (self->state != STATE_FRAME || !self->reads_pixels) return CC_MISUSE;
    free_rows(self);
    self->byte_table = byte_table;
    self->next_row = 0;
    uint32_t band_count = (self->height + BAND_HEIGHT - 1) / BAND_HEIGHT;
    self->bands = calloc(band_count, sizeof *self->bands);
    self->filled = calloc(self->height, sizeof *self->filled);
    if (!self->bands || !self->filled) return fail(self, CC_NO_MEMORY, "");
    self->band_count = band_count;
    // Asked for bytes, the library makes a picture of floats first, and then bytes of that: 12 bytes a pixel, and a third
    // longer. Floats come as groups are done.
    JxlPixelFormat format = {self->channel_count, JXL_TYPE_FLOAT, JXL_NATIVE_ENDIAN, 0};
    if (JxlDecoderSetImageOutCallback(self->decoder, &format, take_pixels, self) != JXL_DEC_SUCCESS)
        return fail(self, CC_UNSUPPORTED, "an unusual layout of samples");
    self->state = STATE_ROWS;
    return CC_OK;
}

cc_status cc_jxl_decode(cc_jxl *self, size_t byte_count, bool *done) {
    *done = false;
    if (self->failure) return self->failure;
    if (self->state != STATE_ROWS) return CC_MISUSE;
    JxlDecoderStatus status = process(self, byte_count);
    if (self->is_out_of_memory) return fail(self, CC_NO_MEMORY, "");
    switch (status) {
    case JXL_DEC_FULL_IMAGE:
        *done = true;
        self->state = STATE_HEADER;
        return CC_OK;
    case JXL_DEC_NEED_MORE_INPUT:
        return self->given == self->count ? fail(self, CC_INCOMPLETE, "the file ends before its pixels do") : CC_OK;
    default:
        return answer_error(self);
    }
}

uint8_t *cc_jxl_take_row(cc_jxl *self) {
    free(self->spent);
    self->spent = NULL;
    uint32_t y = self->next_row;
    if (!self->filled || y >= self->height || self->filled[y] < self->width) return NULL;
    uint32_t band = y / BAND_HEIGHT;
    uint8_t *row = self->bands[band] + (size_t)(y % BAND_HEIGHT) * self->width * self->channel_count;
    self->next_row++;
    if (self->next_row % BAND_HEIGHT == 0 || self->next_row == self->height) {
        self->spent = self->bands[band];
        self->bands[band] = NULL;
    }
    return row;
}

#endif
