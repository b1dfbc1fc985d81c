#pragma once

// Huffman codes of JPEG, and the bits that follow them, taken from the file's bytes. Private to this target.
//
// Source: ITU-T T.81, annexes C and F.

#include "jpeg.h"

enum { LOOK_BITS = 11, LOOK_COUNT = 1 << LOOK_BITS, PAIR_BITS = 12, PAIR_COUNT = 1 << PAIR_BITS };

/// A Huffman code, with the bits that follow it.
typedef struct {
    /// Of the code alone, of what follows it, and of both, in bits. A length of 0: there is no such code among the short ones.
    uint8_t length, extra, total;
    /// How many coefficients are passed over, that of the value included; END where the block ends.
    uint8_t step;
} jpeg_code;

enum { END = 128 };

/// One code, or two, with the bits that follow them: the bits in all, and how many coefficients are passed over. 0 bits: the
/// first code isn't a short one.
typedef struct {
    uint8_t total, step;
} jpeg_pair;

typedef struct {
    jpeg_code look[LOOK_COUNT];
    jpeg_pair pairs[PAIR_COUNT];
    /// Of each length, the first code that is longer than all of that length, in 16 bits, and where its values begin.
    uint32_t limits[17];
    int32_t offsets[17];
    uint8_t values[256];
    bool is_dc;
} jpeg_table;

typedef struct {
    /// No byte before `safe` is 0xFF, which a stuffed zero or a marker follows.
    const uint8_t *next, *safe, *end;
    /// Bits from the highest; `count` of them are there, and 0 follows. Negative once more have been taken than there were.
    uint64_t bits;
    int count;
} jpeg_bits;

/// Takes a file's table. False if it isn't one of a usual baseline file.
bool cc_jpeg_make_table(jpeg_table *table, const JHUFF_TBL *source, bool is_dc);

/// Brings bits byte by byte, up to a marker.
void cc_jpeg_refill_slowly(jpeg_bits *source);

static inline jpeg_code jpeg_code_of(uint8_t value, int length, bool is_dc) {
    int run = is_dc ? 0 : value >> 4, extra = is_dc ? value : value & 15;
    bool ends = !is_dc && extra == 0 && run < 15;
    return (jpeg_code){
        (uint8_t)length, (uint8_t)extra, (uint8_t)(length + extra), (uint8_t)(ends ? END : run + 1)};
}

/// Brings at least 56 bits, unless a marker or the end comes before.
static inline void jpeg_refill(jpeg_bits *source) {
    if (source->safe - source->next < 8) {
        cc_jpeg_refill_slowly(source);
        return;
    }
    uint64_t word = 0;
    for (int index = 0; index < 8; index++) word = word << 8 | source->next[index];
    // Bits of a byte that doesn't fit come again the next time, and are the same then.
    source->bits |= word >> source->count;
    source->next += (63 - source->count) >> 3;
    source->count |= 56;
}

static inline void jpeg_drop(jpeg_bits *source, int count) {
    source->bits <<= count;
    source->count -= count;
}

/// The code that comes next. A length of 0: there is none.
static inline jpeg_code jpeg_look(const jpeg_bits *source, const jpeg_table *table) {
    jpeg_code code = table->look[source->bits >> (64 - LOOK_BITS)];
    if (code.length > 0) return code;
    uint32_t bits = (uint32_t)(source->bits >> 48);
    for (int length = LOOK_BITS + 1; length <= 16; length++) {
        if (bits >= table->limits[length]) continue;
        int32_t index = table->offsets[length] + (int32_t)(bits >> (16 - length));
        return index >= 0 && index < 256 ? jpeg_code_of(table->values[index], length, table->is_dc) : code;
    }
    return code;
}

/// A value of that many bits, 1 to 11, at the head of `bits`.
static inline int jpeg_value_of(uint64_t bits, int count) {
    int value = (int)(bits >> (64 - count));
    return value >> (count - 1) ? value : value - (1 << count) + 1;
}
