#include "CCodecs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

// States, in order: opened -> header -> frame -> rows -> decoded. A failed object only answers `failure` again.
typedef enum { STATE_OPENED, STATE_HEADER, STATE_FRAME, STATE_ROWS, STATE_DECODED } state;

struct cc_webp {
    const uint8_t *bytes;
    size_t count;
    WebPDemuxer *demuxer;
    /// The file has all that its header announces.
    bool is_whole;
    /// What the demuxer found.
    WebPIterator found;
    /// The frame's chunks: ALPH, if any, and VP8 or VP8L.
    WebPData data;
    uint32_t frame_width, frame_height;
    /// All bytes of the frame are there.
    bool is_frame_whole;
    bool is_lossless;
    bool has_alpha_plane;
    /// The decoder refers to it.
    WebPDecoderConfig config;
    WebPIDecoder *decoder;
    /// How many of the frame's bytes the decoder has been given.
    size_t given;
    state state;
    cc_status failure;
    char message[100];
};

cc_webp *cc_webp_open(const uint8_t *bytes, size_t count) {
    cc_webp *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->bytes = bytes;
    self->count = count;
    return self;
}

void cc_webp_close(cc_webp *self) {
    if (!self) return;
    WebPIDelete(self->decoder);
    WebPDemuxReleaseIterator(&self->found);
    WebPDemuxDelete(self->demuxer);
    free(self);
}

const char *cc_webp_message(const cc_webp *self) { return self->message; }

size_t cc_webp_offset(const cc_webp *self) {
    return self->given ? (size_t)(self->data.bytes - self->bytes) + self->given : 0;
}

static cc_status fail(cc_webp *self, cc_status status, const char *message) {
    self->failure = status;
    snprintf(self->message, sizeof self->message, "%s", message);
    return status;
}

static uint32_t little(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/// Whether the file is shorter than RIFF's length says.
static bool announces_more(const cc_webp *self) { return self->count < 8 || little(self->bytes + 4) > self->count - 8; }

/// More chunks beside the frames than any writer makes.
enum { CHUNK_LIMIT = 1000 };

/// The demuxer takes memory for each frame and each other chunk: they are counted before it sees the file.
static cc_status check_chunk_counts(cc_webp *self, int frame_limit) {
    int frames = 0, others = 0;
    size_t offset = 12;
    while (offset + 8 <= self->count) {
        const uint8_t *chunk = self->bytes + offset;
        bool is_frame = memcmp(chunk, "ANMF", 4) == 0;
        if (is_frame ? ++frames > frame_limit : ++others > CHUNK_LIMIT) {
            fail(self, CC_LIMIT, "");
            snprintf(
                self->message, sizeof self->message, "more than %d %s", is_frame ? frame_limit : CHUNK_LIMIT,
                is_frame ? "frames" : "chunks");
            return CC_LIMIT;
        }
        uint64_t size = little(chunk + 4);
        size += size & 1;
        if (size > self->count - offset - 8) return CC_OK;
        offset += 8 + (size_t)size;
    }
    return CC_OK;
}

cc_status cc_webp_read_header(cc_webp *self, int frame_limit, cc_webp_info *info) {
    if (self->failure) return self->failure;
    if (self->state != STATE_OPENED) return CC_MISUSE;
    if (check_chunk_counts(self, frame_limit)) return self->failure;
    WebPData data = {self->bytes, self->count};
    WebPDemuxState progress = WEBP_DEMUX_PARSE_ERROR;
    self->demuxer = WebPDemuxPartial(&data, &progress);
    if (progress == WEBP_DEMUX_PARSING_HEADER)
        return announces_more(self) ? fail(self, CC_INCOMPLETE, "the file ends in its header")
                                    : fail(self, CC_CORRUPT, "no frame");
    if (progress == WEBP_DEMUX_PARSE_ERROR) return fail(self, CC_CORRUPT, "chunks that don't fit together");
    if (!self->demuxer) return fail(self, CC_NO_MEMORY, "");
    self->is_whole = progress == WEBP_DEMUX_DONE;
    info->width = WebPDemuxGetI(self->demuxer, WEBP_FF_CANVAS_WIDTH);
    info->height = WebPDemuxGetI(self->demuxer, WEBP_FF_CANVAS_HEIGHT);
    info->frame_count = WebPDemuxGetI(self->demuxer, WEBP_FF_FRAME_COUNT);
    info->loop_count = WebPDemuxGetI(self->demuxer, WEBP_FF_LOOP_COUNT);
    self->state = STATE_HEADER;
    return CC_OK;
}

/// Whether so many bytes can't make up the frame, whatever size its header claims. A macroblock of 16 x 16 pixels has a
/// prediction mode for luma and one for chroma, whose probabilities are fixed: 3 bits at the least. Lossless frames have
/// no such bound: one color takes no bits at all.
static bool is_too_short(const cc_webp *self) {
    if (self->is_lossless) return false;
    uint64_t blocks = (uint64_t)((self->frame_width + 15) / 16) * (uint64_t)((self->frame_height + 15) / 16);
    return (uint64_t)self->data.size * 8 < blocks * 2;
}

/// The frame that `data` holds, which claims that size; `missing` is what bytes that lack mean.
static cc_status begin_frame(cc_webp *self, uint32_t width, uint32_t height, cc_status missing, cc_frame *frame) {
    WebPBitstreamFeatures features;
    VP8StatusCode status = WebPGetFeatures(self->data.bytes, self->data.size, &features);
    if (status == VP8_STATUS_NOT_ENOUGH_DATA) return fail(self, CC_INCOMPLETE, "the file ends in its frame's header");
    if (status != VP8_STATUS_OK) return fail(self, CC_CORRUPT, "damaged frame header");
    if (features.width <= 0 || features.height <= 0 || (uint32_t)features.width != width
        || (uint32_t)features.height != height)
        return fail(self, missing, "a frame without a size");
    self->frame_width = width;
    self->frame_height = height;
    self->is_lossless = features.format == 2;
    self->has_alpha_plane = !self->is_lossless && features.has_alpha;
    if (is_too_short(self)) return fail(self, CC_INCOMPLETE, "the file is too short for the size that it claims");
    frame->width = width;
    frame->height = height;
    // In a lossless frame the flag is a hint alone.
    frame->has_alpha = self->is_lossless || features.has_alpha;
    self->state = STATE_FRAME;
    return CC_OK;
}

cc_status cc_webp_read_frame(cc_webp *self, cc_frame *frame, bool *is_lossless) {
    if (self->failure) return self->failure;
    if (self->state != STATE_HEADER) return CC_MISUSE;
    cc_status missing = self->is_whole ? CC_CORRUPT : CC_INCOMPLETE;
    if (!WebPDemuxGetFrame(self->demuxer, 1, &self->found)) return fail(self, missing, "no frame");
    if (self->found.width <= 0 || self->found.height <= 0) return fail(self, missing, "a frame without a size");
    self->data = self->found.fragment;
    self->is_frame_whole = self->found.complete;
    if (begin_frame(self, (uint32_t)self->found.width, (uint32_t)self->found.height, missing, frame))
        return self->failure;
    frame->left = (uint32_t)self->found.x_offset;
    frame->top = (uint32_t)self->found.y_offset;
    *is_lossless = self->is_lossless;
    return CC_OK;
}

cc_status cc_webp_begin_frame(cc_webp *self, size_t offset, size_t length, cc_frame *frame) {
    if (self->failure) return self->failure;
    if (self->state != STATE_OPENED || offset > self->count || length > self->count - offset) return CC_MISUSE;
    self->data = (WebPData){self->bytes + offset, length};
    self->is_whole = self->is_frame_whole = true;
    return begin_frame(self, frame->width, frame->height, CC_CORRUPT, frame);
}

cc_status cc_webp_start(
    cc_webp *self, uint32_t width, uint32_t height, uint8_t *rows, size_t stride, size_t memory_limit) {
    if (self->failure) return self->failure;
    if (self->state != STATE_FRAME) return CC_MISUSE;
    uint32_t full_width = self->frame_width, full_height = self->frame_height;
    if (!width || !height || width > full_width || height > full_height || stride < (size_t)width * 4) return CC_MISUSE;
    // The library keeps all pixels of a lossless frame, and the alpha plane of others with the pixels that it is decoded
    // from, which are lossless and take 4 bytes each in the worst case.
    uint64_t pixels = (uint64_t)full_width * full_height;
    if (pixels * (self->is_lossless ? 4 : self->has_alpha_plane ? 5 : 0) > memory_limit)
        return fail(self, CC_LIMIT, "its pixels take too much memory");
    if (!WebPInitDecoderConfig(&self->config)) return fail(self, CC_UNSUPPORTED, "another version of libwebp");
    self->config.options.use_scaling = width != full_width || height != full_height;
    self->config.options.scaled_width = (int)width;
    self->config.options.scaled_height = (int)height;
    WebPDecBuffer *output = &self->config.output;
    output->colorspace = MODE_RGBA;
    output->width = (int)width;
    output->height = (int)height;
    output->is_external_memory = 1;
    output->u.RGBA.rgba = rows;
    output->u.RGBA.stride = (int)stride;
    output->u.RGBA.size = stride * height;
    self->decoder = WebPIDecode(NULL, 0, &self->config);
    if (!self->decoder) return fail(self, CC_NO_MEMORY, "");
    self->state = STATE_ROWS;
    return CC_OK;
}

cc_status cc_webp_start_planes(
    cc_webp *self, uint8_t *luma, size_t luma_stride, uint8_t *blue, uint8_t *red, size_t chroma_stride) {
    if (self->failure) return self->failure;
    uint32_t width = self->frame_width, height = self->frame_height;
    if (self->state != STATE_FRAME || self->is_lossless || self->has_alpha_plane || luma_stride < width
        || chroma_stride < (width + 1) / 2)
        return CC_MISUSE;
    if (!WebPInitDecoderConfig(&self->config)) return fail(self, CC_UNSUPPORTED, "another version of libwebp");
    WebPDecBuffer *output = &self->config.output;
    output->colorspace = MODE_YUV;
    output->width = (int)width;
    output->height = (int)height;
    output->is_external_memory = 1;
    WebPYUVABuffer *planes = &output->u.YUVA;
    planes->y = luma;
    planes->u = blue;
    planes->v = red;
    planes->y_stride = (int)luma_stride;
    planes->u_stride = planes->v_stride = (int)chroma_stride;
    planes->y_size = luma_stride * height;
    planes->u_size = planes->v_size = chroma_stride * ((height + 1) / 2);
    self->decoder = WebPIDecode(NULL, 0, &self->config);
    if (!self->decoder) return fail(self, CC_NO_MEMORY, "");
    self->state = STATE_ROWS;
    return CC_OK;
}

cc_status cc_webp_decode(cc_webp *self, size_t byte_count, uint32_t *row_count, bool *done) {
    *row_count = 0;
    *done = false;
    if (self->failure) return self->failure;
    if (self->state != STATE_ROWS) return CC_MISUSE;
    const WebPData *data = &self->data;
    size_t left = data->size - self->given;
    self->given += byte_count < left ? byte_count : left;
    VP8StatusCode status = WebPIUpdate(self->decoder, data->bytes, self->given);
    int rows = 0;
    const uint8_t *pixels = self->config.output.colorspace == MODE_YUV
        ? WebPIDecGetYUVA(self->decoder, &rows, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
        : WebPIDecGetRGB(self->decoder, &rows, NULL, NULL, NULL);
    if (pixels && rows > 0) *row_count = (uint32_t)rows;
    // Whatever the library stumbles over at the end of a frame that is cut off, the cause is that bytes are missing.
    cc_status missing = self->is_frame_whole ? CC_CORRUPT : CC_INCOMPLETE;
    bool ended = self->given == data->size;
    switch (status) {
    case VP8_STATUS_OK:
        *row_count = (uint32_t)self->config.output.height;
        *done = true;
        self->state = STATE_DECODED;
        return CC_OK;
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return ended ? fail(self, missing, "the frame ends before its pixels do") : CC_OK;
    case VP8_STATUS_OUT_OF_MEMORY:
        return fail(self, CC_NO_MEMORY, "");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return fail(self, CC_UNSUPPORTED, "a feature that libwebp doesn't know");
    default:
        return fail(self, ended ? missing : CC_CORRUPT, "damaged pixels");
    }
}

cc_status cc_webp_finish(cc_webp *self) {
    if (self->failure) return self->failure;
    if (self->state != STATE_DECODED) return CC_MISUSE;
    return self->is_whole ? CC_OK : fail(self, CC_INCOMPLETE, "the file ends too early");
}
