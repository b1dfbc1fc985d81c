// Nothing without the trait, so that nothing of the library is needed.
#ifdef CALOTYPE_AVIF
#include "CCodecsAVIF.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <avif/avif.h>

// States, in order: opened -> header -> frame -> rows; from the last two back to frame. A failed object only answers
// `failure` again.
typedef enum { STATE_OPENED, STATE_HEADER, STATE_FRAME, STATE_ROWS } state;

struct cc_avif {
    const uint8_t *bytes;
    size_t count;
    avifDecoder *decoder;
    cc_planes planes;
    uint32_t row_count;
    float *scratch;
    state state;
    cc_status failure;
    char message[AVIF_DIAGNOSTICS_ERROR_BUFFER_SIZE];
};

cc_avif *cc_avif_open(const uint8_t *bytes, size_t count) {
    cc_avif *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->bytes = bytes;
    self->count = count;
    return self;
}

void cc_avif_close(cc_avif *self) {
    if (!self) return;
    if (self->decoder) avifDecoderDestroy(self->decoder);
    free(self->scratch);
    free(self);
}

const char *cc_avif_message(const cc_avif *self) { return self->message; }

static cc_status fail(cc_avif *self, cc_status status, const char *message) {
    self->failure = status;
    snprintf(self->message, sizeof self->message, "%s", message);
    return status;
}

static cc_status answer(cc_avif *self, avifResult result) {
    const char *detail = self->decoder->diag.error;
    const char *message = detail[0] ? detail : avifResultToString(result);
    switch (result) {
    case AVIF_RESULT_OK:
        return CC_OK;
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_WAITING_ON_IO:
    case AVIF_RESULT_IO_ERROR:
        return fail(self, CC_INCOMPLETE, message);
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_NOT_IMPLEMENTED:
        return fail(self, CC_UNSUPPORTED, message);
    case AVIF_RESULT_NO_CODEC_AVAILABLE:
        return fail(self, CC_UNSUPPORTED, "libavif without dav1d");
    case AVIF_RESULT_OUT_OF_MEMORY:
        return fail(self, CC_NO_MEMORY, message);
    default:
        return fail(self, CC_CORRUPT, message);
    }
}

cc_status cc_avif_read_header(cc_avif *self, uint32_t pixel_limit, uint32_t frame_limit, cc_avif_info *info) {
    if (self->failure) return self->failure;
    if (self->state != STATE_OPENED) return CC_MISUSE;
    avifDecoder *decoder = self->decoder = avifDecoderCreate();
    if (!decoder) return fail(self, CC_NO_MEMORY, "");
    // Three times as fast as aom, and the one with a limit of its own on what a frame may claim.
    decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
    decoder->maxThreads = 1;
    decoder->ignoreExif = AVIF_TRUE;
    decoder->ignoreXMP = AVIF_TRUE;
    // Older writers leave out properties that nothing here needs.
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    if (pixel_limit < 1) pixel_limit = 1;
    decoder->imageSizeLimit = pixel_limit < AVIF_DEFAULT_IMAGE_SIZE_LIMIT ? pixel_limit : AVIF_DEFAULT_IMAGE_SIZE_LIMIT;
    // 0 would be no limit.
    decoder->imageCountLimit = frame_limit > 0 ? frame_limit : 1;
    if (avifDecoderSetIOMemory(decoder, self->bytes, self->count) != AVIF_RESULT_OK) return fail(self, CC_NO_MEMORY, "");
    if (answer(self, avifDecoderParse(decoder))) return self->failure;
    const avifImage *image = decoder->image;
    memset(info, 0, sizeof *info);
    info->width = image->width;
    info->height = image->height;
    info->has_alpha = decoder->alphaPresent;
    info->frame_count = decoder->imageCount > 0 ? (uint32_t)decoder->imageCount : 0;
    if (info->frame_count == 0) return fail(self, CC_CORRUPT, "no image");
    if (info->frame_count > frame_limit) return fail(self, CC_LIMIT, "more frames than the limit");
    if (image->transformFlags & AVIF_TRANSFORM_CLAP) {
        const avifCleanApertureBox *box = &image->clap;
        const uint32_t aperture[8] = {box->widthN,    box->widthD,    box->heightN,  box->heightD,
                                      box->horizOffN, box->horizOffD, box->vertOffN, box->vertOffD};
        info->has_aperture = true;
        memcpy(info->aperture, aperture, sizeof aperture);
    }
    if (image->transformFlags & AVIF_TRANSFORM_IROT) info->turn_count = image->irot.angle & 3;
    info->mirror_axis = image->transformFlags & AVIF_TRANSFORM_IMIR ? image->imir.mode & 1 : -1;
    if (image->icc.size > 0) {
        info->profile = image->icc.data;
        info->profile_byte_count = image->icc.size;
    }
    info->primaries = image->colorPrimaries;
    info->transfer = image->transferCharacteristics;
    self->state = STATE_HEADER;
    return CC_OK;
}

double cc_avif_frame_duration(cc_avif *self, uint32_t index) {
    avifImageTiming timing;
    if (self->failure || self->state < STATE_HEADER) return 0;
    if (avifDecoderNthImageTiming(self->decoder, index, &timing) != AVIF_RESULT_OK) return 0;
    return timing.duration;
}

cc_status cc_avif_decode(cc_avif *self, uint32_t index) {
    if (self->failure) return self->failure;
    if (self->state < STATE_HEADER) return CC_MISUSE;
    if (answer(self, avifDecoderNthImage(self->decoder, index))) return self->failure;
    self->state = STATE_FRAME;
    return CC_OK;
}

cc_status cc_avif_start_rows(
    cc_avif *self, uint32_t left, uint32_t top, uint32_t width, uint32_t height, const uint8_t *byte_table) {
    if (self->failure) return self->failure;
    if (self->state < STATE_FRAME) return CC_MISUSE;
    const avifImage *image = self->decoder->image;
    // The frame itself may be of another size than the file's structure claims.
    if (width < 1 || height < 1 || left > image->width || width > image->width - left || top > image->height
        || height > image->height - top)
        return fail(self, CC_CORRUPT, "a frame of another size than the file claims");
    if (!image->yuvPlanes[AVIF_CHAN_Y]) return fail(self, CC_CORRUPT, "no pixels");
    if (!cc_planes_supports_matrix(image->matrixCoefficients, image->colorPrimaries))
        return fail(self, CC_UNSUPPORTED, "an unusual color matrix");
    avifPixelFormatInfo format;
    avifGetPixelFormatInfo(image->yuvFormat, &format);
    if (image->matrixCoefficients == 0 && !format.monochrome && image->yuvFormat != AVIF_PIXEL_FORMAT_YUV444)
        return fail(self, CC_CORRUPT, "subsampled RGB");
    cc_planes *planes = &self->planes;
    memset(planes, 0, sizeof *planes);
    for (int plane = 0; plane < (format.monochrome ? 1 : 3); plane++) {
        planes->planes[plane] = image->yuvPlanes[plane];
        planes->strides[plane] = image->yuvRowBytes[plane];
    }
    planes->alpha = image->alphaPlane;
    planes->alpha_stride = image->alphaRowBytes;
    planes->width = image->width;
    planes->height = image->height;
    planes->depth = planes->alpha_depth = (int)image->depth;
    planes->halves_columns = format.chromaShiftX > 0;
    planes->halves_rows = format.chromaShiftY > 0;
    planes->is_full_range = image->yuvRange == AVIF_RANGE_FULL;
    planes->is_premultiplied = image->alphaPremultiplied;
    planes->matrix = image->matrixCoefficients;
    planes->primaries = image->colorPrimaries;
    planes->byte_table = byte_table;
    planes->left = left;
    planes->top = top;
    planes->cropped_width = width;
    self->row_count = height;
    free(self->scratch);
    self->scratch = malloc(cc_planes_scratch_count(planes->width) * sizeof(float));
    if (!self->scratch) return fail(self, CC_NO_MEMORY, "");
    self->state = STATE_ROWS;
    return CC_OK;
}

cc_status cc_avif_read_rows(cc_avif *self, uint32_t first, uint32_t count, uint8_t *rows, size_t stride) {
    if (self->failure) return self->failure;
    if (self->state != STATE_ROWS || first > self->row_count || count > self->row_count - first) return CC_MISUSE;
    cc_planes_read_rows(&self->planes, first, count, self->scratch, rows, stride);
    return CC_OK;
}
#endif
