#include "buffer.h"

#include <stdlib.h>

bool cc_buffer_reserve(cc_buffer *buffer, size_t extra) {
    if (extra <= buffer->capacity - buffer->count) return true;
    if (extra > SIZE_MAX / 4 || buffer->capacity > SIZE_MAX / 4) return false;
    size_t capacity = buffer->capacity * 2 + extra;
    uint8_t *bytes = realloc(buffer->bytes, capacity);
    if (!bytes) return false;
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}
