#include "jpeg.h"

#include <stdlib.h>
#include <string.h>

#include <jerror.h>

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
    char *message = jpeg_owner(info)->message;
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
    cc_jpeg *jpeg = jpeg_owner(info);
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
    cc_jpeg *jpeg = jpeg_owner(info);
    bool harmful = is_harmful(info->err->msg_code) && jpeg->failure == CC_OK;
    if (harmful) jpeg->failure = jpeg->ended ? CC_INCOMPLETE : CC_CORRUPT;
    if (harmful || info->err->num_warnings == 0) info->err->format_message(info, jpeg->message);
    info->err->num_warnings++;
}

static void on_output(j_common_ptr info) { (void)info; }

static bool create(cc_jpeg *jpeg) {
    jpeg->info.err = jpeg_std_error(&jpeg->errors);
    jpeg->errors.error_exit = on_error;
    jpeg->errors.emit_message = on_message;
    jpeg->errors.output_message = on_output;
    jpeg->info.client_data = jpeg;
    if (setjmp(jpeg->escape)) return false;
    jpeg_create_decompress(&jpeg->info); // keeps `err` and `client_data`
    jpeg->created = true;
    cc_jpeg_install_source(jpeg);
    return true;
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
    cc_skim_close(jpeg->skim);
    free(jpeg);
}

const char *cc_jpeg_message(const cc_jpeg *jpeg) { return jpeg->message; }

long cc_jpeg_warning_count(const cc_jpeg *jpeg) { return jpeg->errors.num_warnings; }

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
    if (jpeg->ended) return jpeg_fail(jpeg, CC_INCOMPLETE, "the file ends in its header");
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

cc_status cc_jpeg_start(
    cc_jpeg *jpeg, int denominator, bool alpha, size_t memory_limit, uint32_t *width, uint32_t *height) {
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_HEADER) return CC_MISUSE;
    if (denominator != 1 && denominator != 2 && denominator != 4 && denominator != 8) return CC_MISUSE;
    struct jpeg_decompress_struct *info = &jpeg->info;
    bool buffered = jpeg_has_multiple_scans(info);
    uint64_t blocks = block_count(info);
    // A Huffman code has at least one bit, and each block has a DC code: fewer bits can't make up the image, whatever
    // size the header claims.
    if (!jpeg->is_growing && !info->arith_code && (uint64_t)jpeg->count * 8 < blocks)
        return jpeg_fail(jpeg, CC_INCOMPLETE, "the file is too short for the size that it claims");
    if (buffered && blocks * sizeof(JBLOCK) > memory_limit)
        return jpeg_fail(jpeg, CC_LIMIT, "the coefficients of its scans take too much memory");
    if (setjmp(jpeg->escape)) return jpeg->failure;
    info->mem->max_memory_to_use = memory_limit > 0x7FFFFFFF ? 0x7FFFFFFF : (long)memory_limit;
    info->scale_num = 1;
    info->scale_denom = (unsigned int)denominator;
    info->buffered_image = buffered;
    info->out_color_space = has_inks(info) ? JCS_CMYK : alpha ? JCS_EXT_RGBA : JCS_EXT_RGB;
    if (denominator == DCTSIZE && !alpha && !buffered && !jpeg->is_growing) jpeg->skim = cc_skim_open(jpeg);
    if (jpeg->skim) {
        jpeg_calc_output_dimensions(info);
        *width = info->output_width;
        *height = info->output_height;
        jpeg->state = STATE_SKIMMING;
        return jpeg->failure;
    }
    // With one scan, or in buffered-image mode, this reads no bytes, and so never suspends.
    if (!jpeg_start_decompress(info)) return jpeg_fail(jpeg, CC_MISUSE, "bytes are waited for before the first row");
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
    progress->is_done = jpeg->state == STATE_ROWS || jpeg->state == STATE_SKIMMING;
    if (jpeg->failure) return jpeg->failure;
    if (progress->is_done) return CC_OK;
    if (jpeg->state != STATE_CONSUMING) return CC_MISUSE;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    struct jpeg_decompress_struct *info = &jpeg->info;
    for (int step = 0; step < steps; step++) {
        int result = jpeg_consume_input(info);
        if (jpeg->failure) return jpeg->failure;
        if (result == JPEG_SUSPENDED) return CC_WAITING;
        // The end-of-image marker that `source_fill` feeds would pass for the file's own. A scan may be missing then.
        if (jpeg->ended) return jpeg_fail(jpeg, CC_INCOMPLETE, "the file ends before its last scan");
        if (info->input_scan_number > scan_limit) {
            jpeg_fail(jpeg, CC_LIMIT, "");
            snprintf(jpeg->message, sizeof jpeg->message, "more than %d scans", scan_limit);
            return CC_LIMIT;
        }
        if (result == JPEG_SCAN_COMPLETED) {
            // Looked at now, as the next scan's header changes it.
            jpeg->has_unshown = jpeg->has_unshown || is_worth_showing(info);
            jpeg->is_covered = has_all_frequencies(info);
        }
        if (jpeg->is_growing && (result == JPEG_REACHED_SOS || result == JPEG_REACHED_EOI)) {
            // A pass over a scan would wait for the next one's header, which has come now.
            progress->has_more_to_show = progress->has_more_to_show || jpeg->has_unshown;
            jpeg->has_unshown = false;
            progress->is_done = result == JPEG_REACHED_EOI || jpeg->is_covered;
            if (progress->is_done) return CC_OK;
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

cc_status cc_jpeg_start_pass(cc_jpeg *jpeg) {
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_CONSUMING || !jpeg->is_growing) return CC_MISUSE;
    struct jpeg_decompress_struct *info = &jpeg->info;
    int scan = jpeg_input_complete(info) ? info->input_scan_number : info->input_scan_number - 1;
    if (scan < 1) return CC_MISUSE;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    jpeg_start_output(info, scan);
    jpeg->state = STATE_ROWS;
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

/// Lets the library decode, which comes to the row that skimming stopped at.
static void stop_skimming(cc_jpeg *jpeg) {
    jpeg->skimmed_count = cc_skim_row_count(jpeg->skim);
    cc_skim_close(jpeg->skim);
    jpeg->skim = NULL;
    jpeg_start_decompress(&jpeg->info);
    jpeg->state = STATE_ROWS;
}

cc_status cc_jpeg_read_rows(cc_jpeg *jpeg, uint8_t *rows, size_t stride, uint32_t capacity, uint32_t *count) {
    *count = 0;
    if (jpeg->failure) return jpeg->failure;
    if (jpeg->state != STATE_ROWS && jpeg->state != STATE_SKIMMING) return CC_MISUSE;
    if (setjmp(jpeg->escape)) return jpeg->failure;
    struct jpeg_decompress_struct *info = &jpeg->info;
    if (jpeg->state == STATE_SKIMMING) {
        *count = cc_skim_read_rows(jpeg->skim, rows, stride, capacity);
        if (*count == 0 && cc_skim_row_count(jpeg->skim) < info->output_height) stop_skimming(jpeg);
        return jpeg->failure;
    }
    if (jpeg->skimmed_count > 0) {
        // Some at a time, so that the caller can look up.
        for (uint32_t index = 0; index < capacity && jpeg->skimmed_count > 0; index++) {
            if (jpeg_read_scanlines(info, &rows, 1) == 0) return CC_WAITING;
            if (jpeg->failure) return jpeg->failure;
            jpeg->skimmed_count--;
        }
        return CC_OK;
    }
    while (*count < capacity && info->output_scanline < info->output_height) {
        JSAMPROW pointers[8];
        uint32_t wanted = capacity - *count < 8 ? capacity - *count : 8;
        for (uint32_t index = 0; index < wanted; index++) pointers[index] = rows + (*count + index) * stride;
        uint32_t got = jpeg_read_scanlines(info, pointers, wanted);
        if (jpeg->failure) return jpeg->failure;
        if (got == 0) return CC_WAITING;
        // Huffman decoding warns when it lacks bits; arithmetic decoding goes on with zeros.
        if (jpeg->ended && info->arith_code) return jpeg_fail(jpeg, CC_INCOMPLETE, "the file ends before its pixels do");
        if (info->out_color_space == JCS_CMYK && info->saw_Adobe_marker)
            for (uint32_t index = 0; index < got; index++) invert_inks(pointers[index], info->output_width);
        *count += got;
    }
    return CC_OK;
}
