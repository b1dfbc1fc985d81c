#pragma once

// What the two halves of the JPEG reader share: jpeg_read.c decodes, jpeg_source.c feeds it. Private to this target.

#include "buffer.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

// States, in order: opened -> header -> (consuming ->) rows. Of bytes that are still arriving, a file with several scans
// goes back from rows to consuming after each pass. A failed object only answers `failure` again.
typedef enum { STATE_OPENED, STATE_HEADER, STATE_CONSUMING, STATE_ROWS } jpeg_state;

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
    /// A scan that is worth showing has ended, and the next one's header hasn't come.
    bool has_unshown;
    /// The scans that have ended hold all frequencies that the scale reads.
    bool is_covered;
    jpeg_state state;
    /// What the first harmful warning or the error means.
    cc_status failure;
    char message[JMSG_LENGTH_MAX];
};

static inline cc_jpeg *jpeg_owner(j_common_ptr info) { return info->client_data; }

static inline cc_status jpeg_fail(cc_jpeg *jpeg, cc_status status, const char *message) {
    jpeg->failure = status;
    snprintf(jpeg->message, sizeof jpeg->message, "%s", message);
    return status;
}

/// Makes the library read from `bytes`, or from what arrives.
void cc_jpeg_install_source(cc_jpeg *jpeg);
