#include "jpeg_bits.h"

#include <string.h>

/// Puts two codes into one step, where the second is to be seen as well. What ends a block is always the last.
static void make_pairs(jpeg_table *table) {
    for (uint32_t bits = 0; bits < PAIR_COUNT; bits++) {
        jpeg_code first = table->look[bits >> (PAIR_BITS - LOOK_BITS)];
        table->pairs[bits] = (jpeg_pair){first.total, first.step};
        if (first.length == 0 || first.step >= END || first.total >= PAIR_BITS) continue;
        uint32_t rest = bits << first.total & (PAIR_COUNT - 1);
        jpeg_code second = table->look[rest >> (PAIR_BITS - LOOK_BITS)];
        // The bits beyond those that are seen are unknown, and here 0.
        if (second.length == 0 || second.length > PAIR_BITS - first.total) continue;
        table->pairs[bits] = (jpeg_pair){(uint8_t)(first.total + second.total), (uint8_t)(first.step + second.step)};
    }
}

bool cc_jpeg_make_table(jpeg_table *table, const JHUFF_TBL *source, bool is_dc) {
    if (!source) return false;
    memset(table->look, 0, sizeof table->look);
    table->is_dc = is_dc;
    uint32_t code = 0;
    int count = 0;
    for (int length = 1; length <= 16; length++) {
        table->offsets[length] = count - (int32_t)code;
        for (int index = 0; index < source->bits[length]; index++, count++, code++) {
            if (count == 256 || code >> length) return false;
            uint8_t value = source->huffval[count];
            // 8 bits a sample make differences of at most 11 bits, and other coefficients of at most 10.
            if (is_dc ? value > 11 : (value & 15) > 10) return false;
            table->values[count] = value;
            if (length > LOOK_BITS) continue;
            uint32_t first = code << (LOOK_BITS - length), next = (code + 1) << (LOOK_BITS - length);
            for (uint32_t look = first; look < next; look++) table->look[look] = jpeg_code_of(value, length, is_dc);
        }
        table->limits[length] = code << (16 - length);
        code <<= 1;
    }
    if (!is_dc) make_pairs(table);
    return true;
}

void cc_jpeg_refill_slowly(jpeg_bits *source) {
    while (source->count >= 0 && source->count < 56 && source->next < source->end) {
        uint8_t byte = *source->next;
        if (byte == 0xFF) {
            if (source->end - source->next < 2 || source->next[1] != 0) return;
            source->next++;
        }
        source->next++;
        source->bits |= (uint64_t)byte << (56 - source->count);
        source->count += 8;
    }
    if (source->next <= source->safe) return;
    const uint8_t *safe = memchr(source->next, 0xFF, (size_t)(source->end - source->next));
    source->safe = safe ? safe : source->end;
}
