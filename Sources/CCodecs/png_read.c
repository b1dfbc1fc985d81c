#include "CCodecs.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

// States, in order: opened -> rows -> finished. A failed object only answers `failure` again.
typedef enum { STATE_OPENED, STATE_ROWS, STATE_FINISHED } state;

enum { HEAD_LIMIT = 1200 };

struct cc_png {
    png_structp png;
    png_infop info;
    jmp_buf escape;
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    /// The library asked for bytes after the last one.
    bool ended;
    /// The pixels come from fdAT chunks, the first of which is at `offset`.
    bool is_frame;
    /// What the library is to read before anything else: a frame's first chunks, the head of a chunk, or its checksum.
    uint8_t pending[HEAD_LIMIT];
    size_t pending_count, pending_given;
    /// How many bytes of this fdAT chunk's data are left.
    size_t data_left;
    /// What comes after that data and what is pending.
    enum { NEXT_CHUNK, NEXT_CHECKSUM, NEXT_NOTHING } next;
    state state;
    cc_status failure;
    char message[200];
};

static void on_error(png_structp png, png_const_charp message) {
    cc_png *self = png_get_error_ptr(png);
    snprintf(self->message, sizeof self->message, "%s", message);
    self->failure = self->ended ? CC_INCOMPLETE : CC_CORRUPT;
    longjmp(self->escape, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    cc_png *self = png_get_error_ptr(png);
    if (!self->message[0]) snprintf(self->message, sizeof self->message, "%s", message);
}

static void on_read(png_structp png, png_bytep target, size_t count) {
    cc_png *self = png_get_io_ptr(png);
    if (count > self->count - self->offset) {
        self->ended = true;
        png_error(png, "the file ends too early");
    }
    memcpy(target, self->bytes + self->offset, count);
    self->offset += count;
}

static uint32_t big(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put_pending(cc_png *self, const void *bytes, size_t count) {
    memcpy(self->pending, bytes, count);
    self->pending_count = count;
    self->pending_given = 0;
}

/// Makes the frame's next fdAT chunk look like IDAT; after the last one comes IEND.
static void begin_chunk(cc_png *self, png_structp png) {
    for (;;) {
        size_t left = self->count - self->offset;
        const uint8_t *chunk = self->bytes + self->offset;
        if (left < 12 || big(chunk) > left - 12) {
            self->ended = true;
            png_error(png, "the file ends too early");
        }
        size_t length = big(chunk);
        if (memcmp(chunk + 4, "fdAT", 4) == 0) {
            if (length < 4) png_error(png, "a frame's chunk without a sequence number");
            uint8_t head[8] = {0, 0, 0, 0, 'I', 'D', 'A', 'T'};
            for (int index = 0; index < 4; index++) head[index] = (uint8_t)((length - 4) >> (24 - index * 8));
            put_pending(self, head, sizeof head);
            self->data_left = length - 4;
            self->offset += 12;
            self->next = NEXT_CHECKSUM;
            return;
        }
        if (memcmp(chunk + 4, "fcTL", 4) == 0 || memcmp(chunk + 4, "IEND", 4) == 0) {
            put_pending(self, "\0\0\0\0IEND\xAE\x42\x60\x82", 12);
            self->next = NEXT_NOTHING;
            return;
        }
        self->offset += length + 12;
    }
}

/// Gives a frame of an animation as if it were a file.
static void on_read_frame(png_structp png, png_bytep target, size_t count) {
    cc_png *self = png_get_io_ptr(png);
    while (count > 0) {
        size_t part;
        if (self->pending_given < self->pending_count) {
            part = self->pending_count - self->pending_given;
            if (part > count) part = count;
            memcpy(target, self->pending + self->pending_given, part);
            self->pending_given += part;
        } else if (self->data_left > 0) {
            part = self->data_left < count ? self->data_left : count;
            memcpy(target, self->bytes + self->offset, part);
            self->offset += part;
            self->data_left -= part;
        } else if (self->next == NEXT_CHECKSUM) {
            // The caller has checked it; the library, which sees another name, is told not to.
            put_pending(self, "\0\0\0", 4);
            self->offset += 4;
            self->next = NEXT_CHUNK;
            continue;
        } else if (self->next == NEXT_CHUNK) {
            begin_chunk(self, png);
            continue;
        } else {
            png_error(png, "a frame that ends before its pixels do");
        }
        target += part;
        count -= part;
    }
}

/// Ancillary chunks that aren't used. They are skipped unread: compressed text and profiles can be bombs, and an error
/// in one of them would be no reason to refuse the pixels. tRNS isn't here; eXIf is read by ImageHeader.
static const png_byte skipped_chunks[] =
    "bKGD\0cHRM\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0zTXt\0eXIf";

static bool create(cc_png *self) {
    self->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
    if (!self->png || setjmp(self->escape)) return false;
    self->info = png_create_info_struct(self->png);
    if (!self->info) return false;
    png_set_read_fn(self->png, self, self->is_frame ? on_read_frame : on_read);
    if (self->is_frame) png_set_crc_action(self->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
    png_set_keep_unknown_chunks(
        self->png, PNG_HANDLE_CHUNK_NEVER, skipped_chunks, (int)(sizeof skipped_chunks / 5));
    // The caller has checked the sides already; these bound what the library takes by itself.
    png_set_user_limits(self->png, 0x7FFFFFFF, 0x7FFFFFFF);
    // The checksum of all inflated bytes says nothing that those of the chunks don't: they cover each byte that is inflated,
    // and are looked at, here or, of a frame's chunks, by the caller. Adler-32 is what takes longest after the inflation.
    png_set_option(self->png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
    png_set_chunk_malloc_max(self->png, 1 << 20);
    png_set_chunk_cache_max(self->png, 16);
    return true;
}

static cc_png *open_or_close(cc_png *self, const uint8_t *bytes, size_t count) {
    self->bytes = bytes;
    self->count = count;
    if (create(self)) return self;
    cc_png_close(self);
    return NULL;
}

cc_png *cc_png_open(const uint8_t *bytes, size_t count) {
    cc_png *self = calloc(1, sizeof *self);
    return self ? open_or_close(self, bytes, count) : NULL;
}

cc_png *cc_png_open_frame(
    const uint8_t *bytes, size_t count, const uint8_t *head, size_t head_count, size_t offset) {
    if (head_count > HEAD_LIMIT || offset > count) return NULL;
    cc_png *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->is_frame = true;
    self->offset = offset;
    put_pending(self, head, head_count);
    return open_or_close(self, bytes, count);
}

void cc_png_close(cc_png *self) {
    if (!self) return;
    // png_destroy_read_struct only frees, and reports no errors.
    if (self->png) png_destroy_read_struct(&self->png, &self->info, NULL);
    free(self);
}

const char *cc_png_message(const cc_png *self) { return self->message; }

size_t cc_png_offset(const cc_png *self) { return self->offset; }

cc_status cc_png_read_header(cc_png *self, bool always_alpha, cc_png_info *result) {
    if (self->failure) return self->failure;
    if (self->state != STATE_OPENED) return CC_MISUSE;
    if (setjmp(self->escape)) return self->failure;
    png_read_info(self->png, self->info);
    uint64_t raw = (uint64_t)png_get_rowbytes(self->png, self->info) * png_get_image_height(self->png, self->info);
    // DEFLATE makes at most 1,032 bytes of one: fewer can't make up the image, whatever size the header claims.
    if (raw / 1032 > self->count) {
        self->ended = true;
        png_error(self->png, "the file is too short for the size that it claims");
    }
    bool has_alpha = png_get_color_type(self->png, self->info) & PNG_COLOR_MASK_ALPHA
        || png_get_valid(self->png, self->info, PNG_INFO_tRNS);
    png_set_expand(self->png); // palettes and low depths to 8 bits, tRNS to alpha
    png_set_scale_16(self->png);
    png_set_gray_to_rgb(self->png);
    if (!has_alpha && always_alpha) png_set_add_alpha(self->png, 0xFF, PNG_FILLER_AFTER);
    result->pass_count = png_set_interlace_handling(self->png);
    result->width = png_get_image_width(self->png, self->info);
    result->height = png_get_image_height(self->png, self->info);
    result->has_alpha = has_alpha;
    result->channel_count = has_alpha || always_alpha ? 4 : 3;
    result->is_gray = !(png_get_color_type(self->png, self->info) & PNG_COLOR_MASK_COLOR);
    png_read_update_info(self->png, self->info);
    if (png_get_rowbytes(self->png, self->info) != (size_t)result->width * result->channel_count)
        png_error(self->png, "rows of another layout than RGBA or RGB");
    self->state = STATE_ROWS;
    return CC_OK;
}

cc_status cc_png_read_rows(cc_png *self, uint8_t *rows, size_t stride, uint32_t count, bool as_blocks) {
    if (self->failure) return self->failure;
    if (self->state != STATE_ROWS) return CC_MISUSE;
    if (setjmp(self->escape)) return self->failure;
    for (uint32_t index = 0; index < count; index++) {
        uint8_t *row = rows + index * stride;
        png_read_row(self->png, as_blocks ? NULL : row, as_blocks ? row : NULL);
    }
    return CC_OK;
}

cc_status cc_png_finish(cc_png *self) {
    if (self->failure) return self->failure;
    if (self->state != STATE_ROWS) return CC_MISUSE;
    if (setjmp(self->escape)) return self->failure;
    png_read_end(self->png, NULL);
    self->state = STATE_FINISHED;
    return CC_OK;
}
