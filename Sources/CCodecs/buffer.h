#pragma once

#include "CCodecs.h"

/// Bytes that grow as an encoder writes. Private to this target.
typedef struct {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
} cc_buffer;

/// Makes room for `extra` more bytes; false if there is no memory. What is there already stays.
bool cc_buffer_reserve(cc_buffer *buffer, size_t extra);
