#pragma once

// What the parts of the JPEG reader share: jpeg_read.c decodes, jpeg_source.c feeds it, jpeg_skim.c decodes to 1/8. Private
// to this target.

#include "buffer.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

// States, in order: opened -> header -> (consuming ->|skimming ->) rows. Of bytes that are still arriving, a file with several scans
// goes back from rows to consuming after each pass. A failed object only answers `failure` again.
typedef enum { STATE_OPENED, STATE_HEADER, STATE_CONSUMING, STATE_SKIMMING, STATE_ROWS } jpeg_state;

/// A decode to 1/8 without the library.
typedef struct cc_skim cc_skim;

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
    cc_skim *skim;
    /// Rows that were skimmed before the library took over, and that it hasn't passed yet.
    uint32_t skimmed_count;
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

/// Begins at the first scan, whose header has been read. NULL if the file isn't of the usual kind, or there is no memory.
cc_skim *cc_skim_open(const cc_jpeg *jpeg);
/// Reads up to `capacity` rows of RGB. Fewer, where rows are left: the library has to take over, from the scan's beginning.
uint32_t cc_skim_read_rows(cc_skim *skim, uint8_t *rows, size_t stride, uint32_t capacity);
/// How many rows have been read.
uint32_t cc_skim_row_count(const cc_skim *skim);
void cc_skim_close(cc_skim *skim);

/// Makes the library read from `bytes`, or from what arrives.
void cc_jpeg_install_source(cc_jpeg *jpeg);
