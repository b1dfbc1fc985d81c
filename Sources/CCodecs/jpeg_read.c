#include "CCodecs.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// States, in order: opened -> header -> (consuming ->) rows. A failed object only answers `failure` again.
typedef enum { STATE_OPENED, STATE_HEADER, STATE_CONSUMING, STATE_ROWS } state;

struct cc_jpeg {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf escape;
    const uint8_t *bytes;
    size_t count;
    /// The library asked for bytes after the last one.
    bool ended;
    bool created;
    state state;
    /// What the first harmful warning or the error means.
    cc_status failure;
    char message[JMSG_LENGTH_MAX];
};

static cc_jpeg *owner(j_common_ptr info) { return info->client_data; }

static cc_status status_of_error(int code) {
    switch (code) {
    case JERR_OUT_OF_MEMORY:
        return CC_NO_MEMORY;
    case JERR_NO_BACKING_STORE: // how jmemnobs says that the virtual arrays exceed max_memory_to_use
    case JERR_IMAGE_TOO_BIG:
        return CC_LIMIT;
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_ARITH_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
        return CC_UNSUPPORTED;
    case JERR_BAD_STATE:
        return CC_MISUSE;
    default:
        return CC_CORRUPT;
    }
}

static void on_error(j_common_ptr info) {
    cc_jpeg *jpeg = owner(info);
    info->err->format_message(info, jpeg->message);
    jpeg->failure = status_of_error(info->err->msg_code);
    // Whatever the library stumbles over after the last byte, the cause is that bytes are missing.
    if (jpeg->ended && jpeg->failure == CC_CORRUPT) jpeg->failure = CC_INCOMPLETE;
    longjmp(jpeg->escape, 1);
}

/// Whether pixels are wrong after such a warning. The others (bytes before a marker, an unknown Adobe transform) are
/// common in files that every browser shows.
static bool is_harmful(int code) {
    switch (code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_ARITH_BAD_CODE:
        return true;
    default:
        return false;
    }
}

static void on_message(j_common_ptr info, int level) {
    if (level >= 0) return;
    cc_jpeg *jpeg = owner(info);
    bool harmful = is_harmful(info->err->msg_code) && jpeg->failure == CC_OK;
    if (harmful) jpeg->failure = jpeg->ended ? CC_INCOMPLETE : CC_CORRUPT;
    if (harmful || info->err->num_warnings == 0) info->err->format_message(info, jpeg->message);
    info->err->num_warnings++;
}

static void on_output(j_common_ptr info) { (void)info; }

static void source_begin(j_decompress_ptr info) { (void)info; }

/// Feeds an end-of-image marker after the last byte, as the library's own memory source does.
static boolean source_fill(j_decompress_ptr info) {
    static const JOCTET end[2] = {0xFF, JPEG_EOI};
    owner((j_common_ptr)info)->ended = true;
    info->src->next_input_byte = end;
    info->src->bytes_in_buffer = 2;
    return TRUE;
}

static void source_skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    if ((size_t)count > info->src->bytes_in_buffer) {
        source_fill(info);
    } else {
        info->src->next_input_byte += count;
        info->src->bytes_in_buffer -= (size_t)count;
    }
}

static void source_end(j_decompress_ptr info) { (void)info; }

static bool create(cc_jpeg *jpeg) {
    jpeg->info.err = jpeg_std_error(&jpeg->errors);
    jpeg->errors.error_exit = on_error;
    jpeg->errors.emit_message = on_message;
    jpeg->errors.output_message = on_output;
    jpeg->info.client_data = jpeg;
    if (setjmp(jpeg->escape)) return false;
    jpeg_create_decompress(&jpeg->info); // keeps `err` and `client_data`
    jpeg->created = true;
    jpeg->source.init_source = source_begin;
    jpeg->source.fill_input_buffer = source_fill;
    jpeg->source.skip_input_data = source_skip;
    jpeg->source.resync_to_restart = jpeg_resync_to_restart;
    jpeg->source.term_source = source_end;
    jpeg->source.next_input_byte = jpeg->bytes;
    jpeg->source.bytes_in_buffer = jpeg->count;
    jpeg->info.src = &jpeg->source;
    return true;
}

cc_jpeg *cc_jpeg_open(const uint8_t *bytes, size_t count) {
    cc_jpeg *jpeg = calloc(1, sizeof *jpeg);
    if (!jpeg) return NULL;
    jpeg->bytes = bytes;
    jpeg->count = count;
    if (create(jpeg)) return jpeg;
    cc_jpeg_close(jpeg);
    return NULL;
}

void cc_jpeg_close(cc_jpeg *jpeg) {
    if (!jpeg) return;
    // jpeg_destroy_decompress only frees, and reports no errors.
    if (jpeg->created) jpeg_destroy_decompress(&jpeg->info);
    free(jpeg);
}

const char *cc_jpeg_message(const cc_jpeg *jpeg) { return jpeg->message; }

long cc_jpeg_warning_count(const cc_jpeg *jpeg) { return jpeg->errors.num_warnings; }

size_t cc_jpeg_offset(const cc_jpeg *jpeg) {
    return jpeg->ended ? jpeg->count : jpeg->count - jpeg->source.bytes_in_buffer;
}

static cc_status fail(cc_jpeg *jpeg, cc_status status, const char *message) {
    jpeg->failure = status;
    snprintf(jpeg->message, sizeof jpeg->message, "%s", message);
    return status;
}

static uint64_t round_up(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

static uint64_t block_count(const struct jpeg_decompress_struct *info) {
    uint64_t blocks = 0;
    for (int index = 0; index < info->num_components; index++) {
        const jpeg_component_info *component = &info->comp_info[index];
        blocks += round_up(component->width_in_blocks, (uint64_t)component->h_samp_factor)
            * round_up(component->height_in_blocks, (uint64_t)component->v_samp_factor);
    }
    return blocks;
}

cc_status cc_jpeg_read_header(cc_jpeg *jpeg, cc_jpeg_info *result) {
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_OPENED) return CC_MISUSE;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    jpeg_read_header(&jpeg->info, TRUE);
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->ended) return fail(jpeg, CC_INCOMPLETE, "the file ends in its header");
    result->width = jpeg->info.image_width;
    result->height = jpeg->info.image_height;
    result->has_multiple_scans = jpeg_has_multiple_scans(&jpeg->info);
    result->coefficient_byte_count = block_count(&jpeg->info) * sizeof(JBLOCK);
    jpeg->state = STATE_HEADER;
    return CC_OK;
}

cc_status cc_jpeg_start(cc_jpeg *jpeg, int denominator, size_t memory_limit, uint32_t *width, uint32_t *height) {
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_HEADER) return CC_MISUSE;
    if (denominator != 1 && denominator != 2 && denominator != 4 && denominator != 8) return CC_MISUSE;
    struct jpeg_decompress_struct *info = &jpeg->info;
    bool buffered = jpeg_has_multiple_scans(info);
    uint64_t blocks = block_count(info);
    // A Huffman code has at least one bit, and each block has a DC code: fewer bits can't make up the image, whatever
    // size the header claims.
    if (!info->arith_code && (uint64_t)jpeg->count * 8 < blocks)
        return fail(jpeg, CC_INCOMPLETE, "the file is too short for the size that it claims");
    if (buffered && blocks * sizeof(JBLOCK) > memory_limit)
        return fail(jpeg, CC_LIMIT, "the coefficients of its scans take too much memory");
    if (setjmp(jpeg->escape)) return jpeg->failure;
    info->mem->max_memory_to_use = memory_limit > 0x7FFFFFFF ? 0x7FFFFFFF : (long)memory_limit;
    info->scale_num = 1;
    info->scale_denom = (unsigned int)denominator;
    info->buffered_image = buffered;
    bool inks = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
    info->out_color_space = inks ? JCS_CMYK : JCS_EXT_RGBA;
    jpeg_start_decompress(info);
    *width = info->output_width;
    *height = info->output_height;
    jpeg->state = buffered ? STATE_CONSUMING : STATE_ROWS;
    return jpeg->failure;
}

cc_status cc_jpeg_consume(cc_jpeg *jpeg, int steps, int scan_limit, bool *done) {
    *done = jpeg->state == STATE_ROWS;
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state == STATE_ROWS) return CC_OK;
    if (jpeg->state != STATE_CONSUMING) return CC_MISUSE;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    for (int step = 0; step < steps; step++) {
        int progress = jpeg_consume_input(&jpeg->info);
        if (jpeg->failure) return jpeg->failure;
        // The end-of-image marker that `source_fill` feeds would pass for the file's own. A scan may be missing then.
        if (jpeg->ended) return fail(jpeg, CC_INCOMPLETE, "the file ends before its last scan");
        if (jpeg->info.input_scan_number > scan_limit) {
            fail(jpeg, CC_LIMIT, "");
            snprintf(jpeg->message, sizeof jpeg->message, "more than %d scans", scan_limit);
            return CC_LIMIT;
        }
        if (progress == JPEG_REACHED_EOI) {
            jpeg_start_output(&jpeg->info, jpeg->info.input_scan_number);
            jpeg->state = STATE_ROWS;
            *done = true;
            return jpeg->failure;
        }
    }
    return CC_OK;
}

/// Turns a row of CMYK into RGBA, in place. Adobe's files hold inverted inks: 255 is none.
static void convert_inks(uint8_t *row, uint32_t width, bool inverted) {
    for (uint32_t x = 0; x < width; x++, row += 4) {
        unsigned black = inverted ? row[3] : 255u - row[3];
        for (int channel = 0; channel < 3; channel++) {
            unsigned light = inverted ? row[channel] : 255u - row[channel];
            row[channel] = (uint8_t)((light * black + 127) / 255);
        }
        row[3] = 255;
    }
}

cc_status cc_jpeg_read_rows(cc_jpeg *jpeg, uint8_t *rows, size_t stride, uint32_t capacity, uint32_t *count) {
    *count = 0;
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_ROWS) return CC_MISUSE;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    struct jpeg_decompress_struct *info = &jpeg->info;
    while (*count < capacity && info->output_scanline < info->output_height) {
        JSAMPROW pointers[8];
        uint32_t wanted = capacity - *count < 8 ? capacity - *count : 8;
        for (uint32_t index = 0; index < wanted; index++) pointers[index] = rows + (*count + index) * stride;
        uint32_t got = jpeg_read_scanlines(info, pointers, wanted);
        if (jpeg->failure) return jpeg->failure;
        // Huffman decoding warns when it lacks bits; arithmetic decoding goes on with zeros.
        if (jpeg->ended && info->arith_code) return fail(jpeg, CC_INCOMPLETE, "the file ends before its pixels do");
        if (info->out_color_space == JCS_CMYK)
            for (uint32_t index = 0; index < got; index++)
                convert_inks(pointers[index], info->output_width, info->saw_Adobe_marker);
        *count += got;
    }
    return CC_OK;
}
