#include "buffer.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// States, in order: opened -> header -> (consuming ->) rows. Of bytes that are still arriving, a file with several scans
// goes back from rows to consuming after each pass. A failed object only answers `failure` again.
typedef enum { STATE_OPENED, STATE_HEADER, STATE_CONSUMING, STATE_ROWS } state;

struct cc_jpeg {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf escape;
    const uint8_t *bytes;
    size_t count;
    /// Bytes are still arriving: `arrived` holds those that haven't been read, and some that have.
    bool is_growing;
    cc_buffer arrived;
    /// How many bytes were dropped from the beginning of `arrived`, and how many of those to come are to be skipped.
    size_t dropped_count;
    size_t owed_count;
    /// The parts that are left out, in order, and how many of them are behind.
    cc_range *skips;
    size_t skip_count;
    size_t skipped_count;
    /// The library asked for bytes after the last one.
    bool ended;
    bool created;
    /// The scans that have ended hold all frequencies that the scale reads.
    bool is_covered;
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

/// Names the kind of file that isn't decoded, instead of the library's words.
///
/// - Source: ISO/IEC 10918-1, table B.1: the codes of frame headers.
static void describe_kind(j_common_ptr info) {
    char *message = owner(info)->message;
    const int *parameters = info->err->msg_parm.i;
    const char *kind = NULL;
    switch (info->err->msg_code) {
    case JERR_BAD_PRECISION:
        snprintf(message, JMSG_LENGTH_MAX, "%d-bit", parameters[0]);
        return;
    case JERR_SOF_UNSUPPORTED:
        // C3 and CB are lossless; the others that end up here are frames of a hierarchy.
        kind = parameters[0] == 0xC3 || parameters[0] == 0xCB ? "lossless" : "hierarchical";
        break;
    case JERR_UNKNOWN_MARKER:
        kind = "hierarchical";
        break;
    case JERR_ARITH_NOTIMPL:
        kind = "arithmetic-coded";
        break;
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
        kind = "unusually sampled";
        break;
    case JERR_CONVERSION_NOTIMPL:
        snprintf(message, JMSG_LENGTH_MAX, "%d-component", ((j_decompress_ptr)info)->num_components);
        return;
    }
    if (kind) snprintf(message, JMSG_LENGTH_MAX, "%s", kind);
}

static void on_error(j_common_ptr info) {
    cc_jpeg *jpeg = owner(info);
    info->err->format_message(info, jpeg->message);
    // DHP, which begins a hierarchy, is no marker that the library knows.
    bool is_hierarchy = info->err->msg_code == JERR_UNKNOWN_MARKER && info->err->msg_parm.i[0] == 0xDE;
    if (is_hierarchy || status_of_error(info->err->msg_code) == CC_UNSUPPORTED) {
        describe_kind(info);
        jpeg->failure = CC_UNSUPPORTED;
        longjmp(jpeg->escape, 1);
    }
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

/// Goes on after the part that is left out here. Of a whole file, feeds an end-of-image marker after the last byte, as the
/// library's own memory source does; of one that is still arriving, suspends the library.
static boolean source_fill(j_decompress_ptr info) {
    static const JOCTET end[2] = {0xFF, JPEG_EOI};
    cc_jpeg *jpeg = owner((j_common_ptr)info);
    if (jpeg->is_growing) return FALSE;
    while (jpeg->skipped_count < jpeg->skip_count) {
        size_t start = jpeg->skips[jpeg->skipped_count++].end;
        size_t next = jpeg->skipped_count < jpeg->skip_count ? jpeg->skips[jpeg->skipped_count].start : jpeg->count;
        if (next == start) continue;
        info->src->next_input_byte = jpeg->bytes + start;
        info->src->bytes_in_buffer = next - start;
        return TRUE;
    }
    jpeg->ended = true;
    info->src->next_input_byte = end;
    info->src->bytes_in_buffer = 2;
    return TRUE;
}

static void source_skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    size_t rest = (size_t)count;
    while (rest > info->src->bytes_in_buffer) {
        rest -= info->src->bytes_in_buffer;
        info->src->next_input_byte += info->src->bytes_in_buffer;
        info->src->bytes_in_buffer = 0;
        cc_jpeg *jpeg = owner((j_common_ptr)info);
        if (jpeg->is_growing) {
            jpeg->owed_count += rest;
            return;
        }
        source_fill(info);
        if (jpeg->ended) return;
    }
    info->src->next_input_byte += rest;
    info->src->bytes_in_buffer -= rest;
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

static cc_status fail(cc_jpeg *jpeg, cc_status status, const char *message) {
    jpeg->failure = status;
    snprintf(jpeg->message, sizeof jpeg->message, "%s", message);
    return status;
}

static cc_jpeg *open_source(const uint8_t *bytes, size_t count, bool is_growing) {
    cc_jpeg *jpeg = calloc(1, sizeof *jpeg);
    if (!jpeg) return NULL;
    jpeg->bytes = bytes;
    jpeg->count = count;
    jpeg->is_growing = is_growing;
    if (create(jpeg)) return jpeg;
    cc_jpeg_close(jpeg);
    return NULL;
}

cc_jpeg *cc_jpeg_open(const uint8_t *bytes, size_t count) { return open_source(bytes, count, false); }

cc_jpeg *cc_jpeg_open_growing(void) { return open_source(NULL, 0, true); }

void cc_jpeg_close(cc_jpeg *jpeg) {
    if (!jpeg) return;
    // jpeg_destroy_decompress only frees, and reports no errors.
    if (jpeg->created) jpeg_destroy_decompress(&jpeg->info);
    free(jpeg->arrived.bytes);
    free(jpeg->skips);
    free(jpeg);
}

cc_status cc_jpeg_append(cc_jpeg *jpeg, const uint8_t *bytes, size_t count) {
    if (jpeg->failure) return jpeg->failure;
    if (!jpeg->is_growing) return CC_MISUSE;
    struct jpeg_source_mgr *source = &jpeg->source;
    size_t owed = jpeg->owed_count < count ? jpeg->owed_count : count;
    jpeg->owed_count -= owed;
    bytes += owed;
    count -= owed;
    jpeg->dropped_count += owed;
    cc_buffer *arrived = &jpeg->arrived;
    size_t unread = source->bytes_in_buffer;
    size_t read = arrived->count - unread;
    // Bytes are moved no more often than as many have been read, so that appending stays linear.
    if (read > 0 && read >= unread) {
        memmove(arrived->bytes, arrived->bytes + read, unread);
        arrived->count = unread;
        jpeg->dropped_count += read;
        read = 0;
    }
    if (!cc_buffer_reserve(arrived, count)) return fail(jpeg, CC_NO_MEMORY, "");
    if (count > 0) memcpy(arrived->bytes + arrived->count, bytes, count);
    arrived->count += count;
    source->next_input_byte = arrived->bytes + read;
    source->bytes_in_buffer = arrived->count - read;
    return CC_OK;
}

cc_status cc_jpeg_skip(cc_jpeg *jpeg, const cc_range *ranges, size_t count) {
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_HEADER || jpeg->is_growing || jpeg->skip_count > 0) return CC_MISUSE;
    size_t position = cc_jpeg_offset(jpeg);
    for (size_t index = 0; index < count; index++) {
        if (ranges[index].start < position || ranges[index].end < ranges[index].start) return CC_MISUSE;
        position = ranges[index].end;
    }
    if (position > jpeg->count) return CC_MISUSE;
    if (count == 0) return CC_OK;
    jpeg->skips = malloc(count * sizeof *ranges);
    if (!jpeg->skips) return fail(jpeg, CC_NO_MEMORY, "");
    memcpy(jpeg->skips, ranges, count * sizeof *ranges);
    jpeg->skip_count = count;
    jpeg->source.bytes_in_buffer = ranges[0].start - cc_jpeg_offset(jpeg);
    // What is missing of the other coefficients is no damage: the library shan't guess at it.
    jpeg->info.do_block_smoothing = FALSE;
    return CC_OK;
}

const char *cc_jpeg_message(const cc_jpeg *jpeg) { return jpeg->message; }

long cc_jpeg_warning_count(const cc_jpeg *jpeg) { return jpeg->errors.num_warnings; }

size_t cc_jpeg_offset(const cc_jpeg *jpeg) {
    if (jpeg->is_growing) return jpeg->dropped_count + jpeg->arrived.count - jpeg->source.bytes_in_buffer;
    return jpeg->ended ? jpeg->count : (size_t)(jpeg->source.next_input_byte - jpeg->bytes);
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

/// The mean of the five lowest luma frequencies' steps in the first component's table; 0 if it has none yet.
static uint16_t quantizer_step(const struct jpeg_decompress_struct *info) {
    const JQUANT_TBL *table = info->quant_tbl_ptrs[info->comp_info[0].quant_tbl_no & 3];
    if (!table) return 0;
    // The table is in rows, not in the zigzag's order.
    unsigned sum = table->quantval[1] + table->quantval[8] + table->quantval[16] + table->quantval[9]
        + table->quantval[2];
    return (uint16_t)((sum + 4) / 5);
}

static bool has_inks(const struct jpeg_decompress_struct *info) {
    return info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
}

cc_status cc_jpeg_read_header(cc_jpeg *jpeg, cc_jpeg_info *result) {
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_OPENED) return CC_MISUSE;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    struct jpeg_decompress_struct *info = &jpeg->info;
    if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED) return CC_WAITING;
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->ended) return fail(jpeg, CC_INCOMPLETE, "the file ends in its header");
    result->width = info->image_width;
    result->height = info->image_height;
    result->model = has_inks(info)                        ? CC_JPEG_INKS
        : info->jpeg_color_space == JCS_GRAYSCALE ? CC_JPEG_GRAY
                                                          : CC_JPEG_COLOR;
    result->is_progressive = info->progressive_mode;
    result->has_multiple_scans = jpeg_has_multiple_scans(info);
    result->coefficient_byte_count = block_count(info) * sizeof(JBLOCK);
    result->quantizer_step = quantizer_step(info);
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
    if (!jpeg->is_growing && !info->arith_code && (uint64_t)jpeg->count * 8 < blocks)
        return fail(jpeg, CC_INCOMPLETE, "the file is too short for the size that it claims");
    if (buffered && blocks * sizeof(JBLOCK) > memory_limit)
        return fail(jpeg, CC_LIMIT, "the coefficients of its scans take too much memory");
    if (setjmp(jpeg->escape)) return jpeg->failure;
    info->mem->max_memory_to_use = memory_limit > 0x7FFFFFFF ? 0x7FFFFFFF : (long)memory_limit;
    info->scale_num = 1;
    info->scale_denom = (unsigned int)denominator;
    info->buffered_image = buffered;
    info->out_color_space = has_inks(info) ? JCS_CMYK : JCS_EXT_RGBA;
    // With one scan, or in buffered-image mode, this reads no bytes, and so never suspends.
    if (!jpeg_start_decompress(info)) return fail(jpeg, CC_MISUSE, "the library waits for bytes before the first row");
    *width = info->output_width;
    *height = info->output_height;
    jpeg->state = buffered ? STATE_CONSUMING : STATE_ROWS;
    return jpeg->failure;
}

/// Whether a pass shows more of the image than the ones before it, at this scale: the first of some frequencies that the
/// scale reads. Refinements are hardly seen.
static bool is_worth_showing(const struct jpeg_decompress_struct *info) {
    if (!info->progressive_mode) return true;
    return info->Ah == 0 && (info->Ss == 0 || info->scale_denom < 8);
}

/// Whether all frequencies have come that this scale reads, so that only refinements can follow.
static bool has_all_frequencies(const struct jpeg_decompress_struct *info) {
    if (!info->progressive_mode || !info->coef_bits) return false;
    int count = info->scale_denom < 8 ? DCTSIZE2 : 1;
    for (int component = 0; component < info->num_components; component++)
        for (int index = 0; index < count; index++)
            if (info->coef_bits[component][index] < 0) return false;
    return true;
}

cc_status cc_jpeg_consume(cc_jpeg *jpeg, int steps, int scan_limit, cc_jpeg_progress *progress) {
    progress->is_done = jpeg->state == STATE_ROWS;
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state == STATE_ROWS) return CC_OK;
    if (jpeg->state != STATE_CONSUMING) return CC_MISUSE;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    struct jpeg_decompress_struct *info = &jpeg->info;
    for (int step = 0; step < steps; step++) {
        int result = jpeg_consume_input(info);
        if (jpeg->failure) return jpeg->failure;
        if (result == JPEG_SUSPENDED) return CC_WAITING;
        // The end-of-image marker that `source_fill` feeds would pass for the file's own. A scan may be missing then.
        if (jpeg->ended) return fail(jpeg, CC_INCOMPLETE, "the file ends before its last scan");
        if (info->input_scan_number > scan_limit) {
            fail(jpeg, CC_LIMIT, "");
            snprintf(jpeg->message, sizeof jpeg->message, "more than %d scans", scan_limit);
            return CC_LIMIT;
        }
        if (result == JPEG_SCAN_COMPLETED) {
            if (is_worth_showing(info)) progress->shown_scan_count++;
            // Looked at now, as the next scan's header changes it. But until that has come, the pass can't be shown.
            jpeg->is_covered = has_all_frequencies(info);
        }
        if (jpeg->is_growing && (result == JPEG_REACHED_EOI || (result == JPEG_REACHED_SOS && jpeg->is_covered))) {
            progress->is_done = true;
            return CC_OK;
        }
        if (result == JPEG_REACHED_EOI) {
            progress->is_done = true;
            jpeg_start_output(info, info->input_scan_number);
            jpeg->state = STATE_ROWS;
            return jpeg->failure;
        }
    }
    return CC_OK;
}

cc_status cc_jpeg_start_pass(cc_jpeg *jpeg, bool *started) {
    *started = false;
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_CONSUMING || !jpeg->is_growing) return CC_MISUSE;
    struct jpeg_decompress_struct *info = &jpeg->info;
    // A pass over a scan that is still being read would wait for its end.
    int scan = jpeg_input_complete(info) ? info->input_scan_number : info->input_scan_number - 1;
    if (scan < 1) return CC_OK;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    jpeg_start_output(info, scan);
    jpeg->state = STATE_ROWS;
    *started = true;
    return jpeg->failure;
}

cc_status cc_jpeg_finish_pass(cc_jpeg *jpeg) {
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_ROWS || !jpeg->is_growing || !jpeg->info.buffered_image) return CC_MISUSE;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    // Reads nothing, as the next scan has begun.
    jpeg_finish_output(&jpeg->info);
    jpeg->state = STATE_CONSUMING;
    return jpeg->failure;
}

/// Turns a row of CMYK the way that 255 is all of an ink. Adobe's files hold the paper that shows instead.
static void invert_inks(uint8_t *row, uint32_t width) {
    for (size_t index = 0; index < (size_t)width * 4; index++) row[index] = 255 - row[index];
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
        if (got == 0) return CC_WAITING;
        // Huffman decoding warns when it lacks bits; arithmetic decoding goes on with zeros.
        if (jpeg->ended && info->arith_code) return fail(jpeg, CC_INCOMPLETE, "the file ends before its pixels do");
        if (info->out_color_space == JCS_CMYK && info->saw_Adobe_marker)
            for (uint32_t index = 0; index < got; index++) invert_inks(pointers[index], info->output_width);
        *count += got;
    }
    return CC_OK;
}
