// Nothing without the trait, so that nothing of the library is needed.
#ifdef CALOTYPE_HEIC
#include "CCodecsHEIC.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libheif/heif.h>

// States, in order: opened -> header -> rows. A failed object only answers `failure` again.
typedef enum { STATE_OPENED, STATE_HEADER, STATE_ROWS } state;

struct cc_heic {
    const uint8_t *bytes;
    size_t count;
    struct heif_context *context;
    struct heif_image_handle *handle;
    struct heif_image *image;
    uint8_t *profile;
    uint32_t width, height;
    cc_planes planes;
    float *scratch;
    state state;
    cc_status failure;
    char message[200];
};

cc_heic *cc_heic_open(const uint8_t *bytes, size_t count) {
    cc_heic *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->bytes = bytes;
    self->count = count;
    return self;
}

void cc_heic_close(cc_heic *self) {
    if (!self) return;
    if (self->image) heif_image_release(self->image);
    if (self->handle) heif_image_handle_release(self->handle);
    if (self->context) heif_context_free(self->context);
    free(self->profile);
    free(self->scratch);
    free(self);
}

const char *cc_heic_message(const cc_heic *self) { return self->message; }

static cc_status fail(cc_heic *self, cc_status status, const char *message) {
    self->failure = status;
    snprintf(self->message, sizeof self->message, "%s", message ? message : "");
    return status;
}

static cc_status answer(cc_heic *self, struct heif_error error) {
    if (error.code == heif_error_Ok) return CC_OK;
    cc_status status = CC_CORRUPT;
    switch (error.subcode) {
    case heif_suberror_End_of_data: status = CC_INCOMPLETE; break;
    case heif_suberror_Security_limit_exceeded: status = CC_LIMIT; break;
    default:
        switch (error.code) {
        case heif_error_Unsupported_filetype:
        case heif_error_Unsupported_feature: status = CC_UNSUPPORTED; break;
        case heif_error_Memory_allocation_error: status = CC_NO_MEMORY; break;
        default: break;
        }
    }
    return fail(self, status, error.message);
}

static void read_color(cc_heic *self, size_t profile_limit, cc_heic_info *info) {
    info->primaries = info->transfer = 2;
    struct heif_color_profile_nclx *nclx = NULL;
    if (heif_image_handle_get_nclx_color_profile(self->handle, &nclx).code == heif_error_Ok && nclx) {
        info->primaries = (int)nclx->color_primaries;
        info->transfer = (int)nclx->transfer_characteristics;
    }
    // It may be there after an error, too.
    heif_nclx_color_profile_free(nclx);
    size_t size = heif_image_handle_get_raw_color_profile_size(self->handle);
    if (size == 0 || size > profile_limit) return;
    self->profile = malloc(size);
    if (!self->profile) return;
    if (heif_image_handle_get_raw_color_profile(self->handle, self->profile).code != heif_error_Ok) return;
    info->profile = self->profile;
    info->profile_byte_count = size;
}

cc_status cc_heic_read_header(cc_heic *self, size_t profile_limit, cc_heic_info *info) {
    if (self->failure) return self->failure;
    if (self->state != STATE_OPENED) return CC_MISUSE;
    memset(info, 0, sizeof *info);
    self->context = heif_context_alloc();
    if (!self->context) return fail(self, CC_NO_MEMORY, "");
    // Tiles in this thread: how many decodes run at once is the caller's matter.
    heif_context_set_max_decoding_threads(self->context, 0);
    if (answer(self, heif_context_read_from_memory_without_copy(self->context, self->bytes, self->count, NULL)))
        return self->failure;
    if (answer(self, heif_context_get_primary_image_handle(self->context, &self->handle))) return self->failure;
    int width = heif_image_handle_get_width(self->handle), height = heif_image_handle_get_height(self->handle);
    if (width < 1 || height < 1) return fail(self, CC_CORRUPT, "an image without a size");
    info->width = (uint32_t)width;
    info->height = (uint32_t)height;
    info->has_alpha = heif_image_handle_has_alpha_channel(self->handle);
    read_color(self, profile_limit, info);
    self->width = info->width;
    self->height = info->height;
    self->state = STATE_HEADER;
    return CC_OK;
}

/// Points `index` to a channel of the decoded image. False if there is none of that size.
static bool take_plane(cc_heic *self, int index, enum heif_channel channel, uint32_t width, uint32_t height) {
    int stride = 0;
    const uint8_t *plane = heif_image_get_plane_readonly(self->image, channel, &stride);
    if (!plane || stride <= 0) return false;
    if (heif_image_get_width(self->image, channel) < (int)width) return false;
    if (heif_image_get_height(self->image, channel) < (int)height) return false;
    if (heif_image_get_bits_per_pixel_range(self->image, channel) != self->planes.depth) return false;
    self->planes.planes[index] = plane;
    self->planes.strides[index] = (size_t)stride;
    return true;
}

static bool take_planes(cc_heic *self) {
    cc_planes *planes = &self->planes;
    uint32_t width = self->width, height = self->height;
    enum heif_colorspace colorspace = heif_image_get_colorspace(self->image);
    enum heif_chroma chroma = heif_image_get_chroma_format(self->image);
    enum heif_channel first = colorspace == heif_colorspace_RGB ? heif_channel_G : heif_channel_Y;
    planes->depth = heif_image_get_bits_per_pixel_range(self->image, first);
    if (planes->depth < 8 || planes->depth > 16) return false;
    if (!take_plane(self, 0, first, width, height)) return false;
    if (colorspace == heif_colorspace_RGB) {
        planes->matrix = 0;
        planes->is_full_range = true;
        return take_plane(self, 1, heif_channel_B, width, height) && take_plane(self, 2, heif_channel_R, width, height);
    }
    if (colorspace == heif_colorspace_monochrome || chroma == heif_chroma_monochrome) return true;
    if (chroma != heif_chroma_420 && chroma != heif_chroma_422 && chroma != heif_chroma_444) return false;
    planes->halves_columns = chroma != heif_chroma_444;
    planes->halves_rows = chroma == heif_chroma_420;
    uint32_t chroma_width = planes->halves_columns ? (width + 1) / 2 : width;
    uint32_t chroma_height = planes->halves_rows ? (height + 1) / 2 : height;
    return take_plane(self, 1, heif_channel_Cb, chroma_width, chroma_height)
        && take_plane(self, 2, heif_channel_Cr, chroma_width, chroma_height);
}

static bool take_alpha(cc_heic *self) {
    int stride = 0;
    const uint8_t *plane = heif_image_get_plane_readonly(self->image, heif_channel_Alpha, &stride);
    if (!plane) return true;
    int depth = heif_image_get_bits_per_pixel_range(self->image, heif_channel_Alpha);
    if (stride <= 0 || depth < 8 || depth > 16) return false;
    if (heif_image_get_width(self->image, heif_channel_Alpha) < (int)self->width) return false;
    if (heif_image_get_height(self->image, heif_channel_Alpha) < (int)self->height) return false;
    self->planes.alpha = plane;
    self->planes.alpha_stride = (size_t)stride;
    self->planes.alpha_depth = depth;
    self->planes.is_premultiplied = heif_image_handle_is_premultiplied_alpha(self->handle)
        || heif_image_is_premultiplied_alpha(self->image);
    return true;
}

cc_status cc_heic_decode(cc_heic *self, const uint8_t *byte_table) {
    if (self->failure) return self->failure;
    if (self->state != STATE_HEADER) return CC_MISUSE;
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (!options) return fail(self, CC_NO_MEMORY, "");
    // Otherwise what is missing is left gray or green.
    if (options->version >= 3) options->strict_decoding = 1;
    // The planes as they are: the library's own conversion takes a picture of 4 bytes a pixel, and half as long again.
    struct heif_error error = heif_decode_image(
        self->handle, &self->image, heif_colorspace_undefined, heif_chroma_undefined, options);
    heif_decoding_options_free(options);
    if (answer(self, error)) return self->failure;
    if (heif_image_get_decoding_warnings(self->image, 0, NULL, 0) > 0) return fail(self, CC_CORRUPT, "damaged pixels");
    int width = heif_image_get_primary_width(self->image), height = heif_image_get_primary_height(self->image);
    if (width != (int)self->width || height != (int)self->height)
        return fail(self, CC_CORRUPT, "an image of another size than the file claims");
    cc_planes *planes = &self->planes;
    planes->width = planes->cropped_width = self->width;
    planes->height = self->height;
    planes->byte_table = byte_table;
    // What the decoder read in the bitstream, or else the file's own word. Without any, HEVC's default is limited range.
    planes->matrix = planes->primaries = 2;
    struct heif_color_profile_nclx *nclx = NULL;
    if (heif_image_get_nclx_color_profile(self->image, &nclx).code == heif_error_Ok && nclx) {
        planes->matrix = (int)nclx->matrix_coefficients;
        planes->primaries = (int)nclx->color_primaries;
        planes->is_full_range = nclx->full_range_flag;
    }
    heif_nclx_color_profile_free(nclx);
    if (!take_planes(self) || !take_alpha(self)) return fail(self, CC_UNSUPPORTED, "an unusual layout of samples");
    if (!cc_planes_supports_matrix(planes->matrix, planes->primaries))
        return fail(self, CC_UNSUPPORTED, "an unusual color matrix");
    self->scratch = malloc(cc_planes_scratch_count(planes->width) * sizeof(float));
    if (!self->scratch) return fail(self, CC_NO_MEMORY, "");
    self->state = STATE_ROWS;
    return CC_OK;
}

cc_status cc_heic_read_rows(cc_heic *self, uint32_t first, uint32_t count, uint8_t *rows, size_t stride) {
    if (self->failure) return self->failure;
    if (self->state != STATE_ROWS || first > self->height || count > self->height - first) return CC_MISUSE;
    cc_planes_read_rows(&self->planes, first, count, self->scratch, rows, stride);
    return CC_OK;
}
#endif
