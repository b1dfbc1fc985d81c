#include "jpeg.h"

#include <stdlib.h>
#include <string.h>

static void source_begin(j_decompress_ptr info) { (void)info; }

/// Goes on after the part that is left out here. Of a whole file, feeds an end-of-image marker after the last byte, as the
/// library's own memory source does; of one that is still arriving, suspends the library.
static boolean source_fill(j_decompress_ptr info) {
    static const JOCTET end[2] = {0xFF, JPEG_EOI};
    cc_jpeg *jpeg = jpeg_owner((j_common_ptr)info);
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
        cc_jpeg *jpeg = jpeg_owner((j_common_ptr)info);
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

void cc_jpeg_install_source(cc_jpeg *jpeg) {
    jpeg->source.init_source = source_begin;
    jpeg->source.fill_input_buffer = source_fill;
    jpeg->source.skip_input_data = source_skip;
    jpeg->source.resync_to_restart = jpeg_resync_to_restart;
    jpeg->source.term_source = source_end;
    jpeg->source.next_input_byte = jpeg->bytes;
    jpeg->source.bytes_in_buffer = jpeg->count;
    jpeg->info.src = &jpeg->source;
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
    if (!cc_buffer_reserve(arrived, count)) return jpeg_fail(jpeg, CC_NO_MEMORY, "");
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
    if (!jpeg->skips) return jpeg_fail(jpeg, CC_NO_MEMORY, "");
    memcpy(jpeg->skips, ranges, count * sizeof *ranges);
    jpeg->skip_count = count;
    jpeg->source.bytes_in_buffer = ranges[0].start - cc_jpeg_offset(jpeg);
    // What is missing of the other coefficients is no damage: the library shan't guess at it.
    jpeg->info.do_block_smoothing = FALSE;
    return CC_OK;
}

size_t cc_jpeg_offset(const cc_jpeg *jpeg) {
    if (jpeg->is_growing) return jpeg->dropped_count + jpeg->arrived.count - jpeg->source.bytes_in_buffer;
    return jpeg->ended ? jpeg->count : (size_t)(jpeg->source.next_input_byte - jpeg->bytes);
}
