#include "CCodecs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

// States, in order: opened -> header -> consuming -> rows. A failed object only answers `failure` again.
typedef enum { STATE_OPENED, STATE_HEADER, STATE_CONSUMING, STATE_ROWS } state;

struct cc_gif {
    GifFileType *file;
    const uint8_t *bytes;
    size_t count;
    size_t offset;
    /// The library asked for bytes after the last one.
    bool ended;
    /// What is seen of the frame.
    uint32_t width, height;
    /// RGBA of each index; what no color table has is transparent.
    uint8_t palette[256][4];
    /// The indices of one row of the whole frame.
    uint8_t *row;
    /// An interlaced frame's indices, `width` to a row.
    uint8_t *plane;
    /// Rows decoded so far, in the order of the file.
    uint32_t decoded_count;
    /// Rows given so far.
    uint32_t given_count;
    state state;
    cc_status failure;
    char message[100];
};

static int on_read(GifFileType *file, GifByteType *target, int count) {
    cc_gif *self = file->UserData;
    size_t left = self->count - self->offset;
    size_t wanted = count > 0 ? (size_t)count : 0;
    if (wanted > left) {
        self->ended = true;
        wanted = left;
    }
    if (wanted) memcpy(target, self->bytes + self->offset, wanted);
    self->offset += wanted;
    return (int)wanted;
}

cc_gif *cc_gif_open(const uint8_t *bytes, size_t count) {
    cc_gif *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->bytes = bytes;
    self->count = count;
    return self;
}

void cc_gif_close(cc_gif *self) {
    if (!self) return;
    int code;
    // It only frees: there is no file to close.
    if (self->file) DGifCloseFile(self->file, &code);
    free(self->row);
    free(self->plane);
    free(self);
}

const char *cc_gif_message(const cc_gif *self) { return self->message; }

size_t cc_gif_offset(const cc_gif *self) { return self->offset; }

static cc_status fail(cc_gif *self, cc_status status, const char *message) {
    self->failure = status;
    snprintf(self->message, sizeof self->message, "%s", message);
    return status;
}

/// The status for what the library's last call, which failed, found.
static cc_status library_failure(cc_gif *self, int code) {
    if (code == D_GIF_ERR_NOT_ENOUGH_MEM) return fail(self, CC_NO_MEMORY, "");
    const char *text = GifErrorString(code);
    // Whatever the library stumbles over after the last byte, the cause is that bytes are missing.
    return fail(self, self->ended ? CC_INCOMPLETE : CC_CORRUPT, text ? text : "damaged pixels");
}

cc_status cc_gif_read_header(cc_gif *self, cc_gif_info *info) {
    if (self->failure) return self->failure;
    if (self->state != STATE_OPENED) return CC_MISUSE;
    int code = 0;
    self->file = DGifOpen(self, on_read, &code);
    if (!self->file) return library_failure(self, code);
    info->width = (uint32_t)self->file->SWidth;
    info->height = (uint32_t)self->file->SHeight;
    self->state = STATE_HEADER;
    return CC_OK;
}

static void fill_palette(cc_gif *self, const ColorMapObject *colors, int transparent_index) {
    for (int index = 0; index < colors->ColorCount && index < 256; index++) {
        if (index == transparent_index) continue;
        self->palette[index][0] = colors->Colors[index].Red;
        self->palette[index][1] = colors->Colors[index].Green;
        self->palette[index][2] = colors->Colors[index].Blue;
        self->palette[index][3] = 255;
    }
}

/// The frame whose descriptor has just been read.
static cc_status begin_frame(cc_gif *self, int transparent_index, cc_frame *frame) {
    const GifFileType *file = self->file;
    const GifImageDesc *image = &file->Image;
    if (image->Width <= 0 || image->Height <= 0) return fail(self, CC_CORRUPT, "a frame without a size");
    if (image->Left >= file->SWidth || image->Top >= file->SHeight)
        return fail(self, CC_CORRUPT, "a frame outside the canvas");
    // A code has at most 12 bits and stands for at most 4,096 pixels, 2,731 to a byte: fewer bytes can't make up the
    // frame, whatever size its descriptor claims.
    if ((uint64_t)image->Width * (uint64_t)image->Height / 2731 > self->count - self->offset)
        return fail(self, CC_INCOMPLETE, "the file is too short for the size that it claims");
    const ColorMapObject *colors = image->ColorMap ? image->ColorMap : file->SColorMap;
    if (!colors) return fail(self, CC_CORRUPT, "no color table");
    fill_palette(self, colors, transparent_index);
    int right = file->SWidth - image->Left, bottom = file->SHeight - image->Top;
    frame->left = (uint32_t)image->Left;
    frame->top = (uint32_t)image->Top;
    frame->width = self->width = (uint32_t)(image->Width < right ? image->Width : right);
    frame->height = self->height = (uint32_t)(image->Height < bottom ? image->Height : bottom);
    // Pixels may name colors that a short table doesn't have.
    frame->has_alpha = transparent_index >= 0 || colors->ColorCount < 256;
    self->row = malloc((size_t)image->Width);
    if (image->Interlace) self->plane = malloc((size_t)self->width * self->height);
    if (!self->row || (image->Interlace && !self->plane)) return fail(self, CC_NO_MEMORY, "");
    self->state = STATE_CONSUMING;
    return CC_OK;
}

cc_status cc_gif_read_frame(cc_gif *self, size_t offset, int transparent_index, cc_frame *frame) {
    if (self->failure) return self->failure;
    if (self->state != STATE_HEADER || offset > self->count) return CC_MISUSE;
    // Between blocks the library has read nothing ahead.
    self->offset = offset;
    GifRecordType record;
    if (DGifGetRecordType(self->file, &record) == GIF_ERROR) return library_failure(self, self->file->Error);
    if (record != IMAGE_DESC_RECORD_TYPE) return fail(self, CC_CORRUPT, "no frame");
    if (DGifGetImageDesc(self->file) == GIF_ERROR) return library_failure(self, self->file->Error);
    return begin_frame(self, transparent_index, frame);
}

/// The place of the `index`th row in the file. GIF89a, appendix E: every eighth row, those between, and so on.
static uint32_t interlaced_row(uint32_t index, uint32_t height) {
    static const struct { uint32_t first, step; } passes[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
    for (int pass = 0; pass < 4; pass++) {
        uint32_t first = passes[pass].first, step = passes[pass].step;
        uint32_t count = height > first ? (height - first + step - 1) / step : 0;
        if (index < count) return first + index * step;
        index -= count;
    }
    return height;
}

cc_status cc_gif_consume(cc_gif *self, int steps, bool *done) {
    *done = self->state == STATE_ROWS;
    if (self->failure) return self->failure;
    if (self->state == STATE_ROWS) return CC_OK;
    if (self->state != STATE_CONSUMING) return CC_MISUSE;
    GifFileType *file = self->file;
    uint32_t height = (uint32_t)file->Image.Height;
    while (self->plane && self->decoded_count < height) {
        if (steps-- <= 0) return CC_OK;
        if (DGifGetLine(file, self->row, file->Image.Width) == GIF_ERROR) return library_failure(self, file->Error);
        uint32_t y = interlaced_row(self->decoded_count++, height);
        if (y < self->height) memcpy(self->plane + (size_t)y * self->width, self->row, self->width);
    }
    self->state = STATE_ROWS;
    *done = true;
    return CC_OK;
}

cc_status cc_gif_read_rows(cc_gif *self, uint8_t *rows, size_t stride, uint32_t capacity, uint32_t *count) {
    *count = 0;
    if (self->failure) return self->failure;
    if (self->state != STATE_ROWS) return CC_MISUSE;
    GifFileType *file = self->file;
    for (; *count < capacity && self->given_count < self->height; self->given_count++, *count += 1) {
        const uint8_t *indices = self->row;
        if (self->plane)
            indices = self->plane + (size_t)self->given_count * self->width;
        else if (DGifGetLine(file, self->row, file->Image.Width) == GIF_ERROR)
            return library_failure(self, file->Error);
        uint8_t *pixel = rows + *count * stride;
        for (uint32_t x = 0; x < self->width; x++, pixel += 4) memcpy(pixel, self->palette[indices[x]], 4);
    }
    return CC_OK;
}
