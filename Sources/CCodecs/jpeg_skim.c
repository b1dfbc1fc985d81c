#include "jpeg_bits.h"

#include <stdlib.h>
#include <string.h>

// A decode at 1/8 needs the means of blocks alone: the first of 64 coefficients, and of chroma at half the resolution the
// means of quarters. libjpeg takes each coefficient out of the bits nevertheless, which is five sixths of its time. Here
// codes are passed over together with the bits that follow them, by one look into a table.
//
// It reads what nearly all photographs are: baseline, in one scan, gray or YCbCr at 4:4:4 or 4:2:0. Whatever looks unusual
// in the data (a code that there isn't, a marker, missing bytes) ends it, and the caller lets libjpeg decode from the
// scan's beginning: what is damage, and what isn't, is the library's to say.
//
// Source: ITU-T T.81, annex F; JFIF 1.02 for the colors.

typedef struct {
    /// How many blocks an MCU has along a side.
    int side;
    const jpeg_table *dc, *ac;
    int predictor;
    int quantizer;
    uint8_t *samples;
    size_t stride;
} skim_component;

struct cc_skim {
    jpeg_bits source;
    uint32_t width, height;
    uint32_t mcu_columns, next_mcu_row;
    uint32_t restart_interval, until_restart, restart_number;
    int component_count;
    skim_component components[3];
    jpeg_table tables[2][NUM_HUFF_TBLS];
    /// Of each coefficient in the order of the file: its part in the means of quarters, for either chroma, and which of four
    /// sums it is for; the fifth is for what has no part.
    float weights[2][DCTSIZE2];
    uint8_t sums[DCTSIZE2];
    /// The rows of an MCU row, converted; how many there are, and how many have been given.
    uint8_t *planes;
    uint32_t row_count, given_count, given_total;
    /// Something was unusual: there are no more rows.
    bool is_stopped;
};

// MARK: Blocks

/// Reads the first coefficient of a block. False if something is unusual.
static inline bool read_first(jpeg_bits *source, skim_component *component) {
    jpeg_refill(source);
    jpeg_code code = jpeg_look(source, component->dc);
    if (code.length == 0) return false;
    jpeg_drop(source, code.length);
    if (code.extra > 0) component->predictor += jpeg_value_of(source->bits, code.extra);
    jpeg_drop(source, code.extra);
    return component->predictor >= -32768 && component->predictor <= 32767;
}

/// Passes over the coefficients from `index` on, code by code. False if something is unusual.
static bool pass_rest_slowly(jpeg_bits *source, const jpeg_table *table, int index) {
    while (index < DCTSIZE2) {
        jpeg_refill(source);
        jpeg_code code = jpeg_look(source, table);
        if (code.length == 0) return false;
        jpeg_drop(source, code.total);
        index += code.step;
    }
    return (index == DCTSIZE2 || index >= END) && source->count >= 0;
}

/// Passes over the other coefficients. False if something is unusual.
static inline bool pass_rest(jpeg_bits *own, const jpeg_table *table) {
    jpeg_bits source = *own;
    int index = 1;
    for (;;) {
        jpeg_refill(&source);
        // Two steps are at most 44 bits.
        for (int half = 0; half < 2; half++) {
            jpeg_pair pair = table->pairs[source.bits >> (64 - PAIR_BITS)];
            int next = index + pair.step;
            // Beyond the block's end, the second code may be the next block's.
            bool is_sure = pair.total > 0 && (next < DCTSIZE2 || (next >= END && next < END + DCTSIZE2));
            if (!is_sure) {
                *own = source;
                return pass_rest_slowly(own, table, index);
            }
            jpeg_drop(&source, pair.total);
            index = next;
            if (index >= END) {
                *own = source;
                return source.count >= 0;
            }
        }
    }
}

/// Reads the other coefficients, and adds them to the sums.
static inline bool add_rest(cc_skim *self, const jpeg_table *table, const float *weights, float *sums) {
    jpeg_bits *source = &self->source;
    int index = 0;
    for (;;) {
        jpeg_refill(source);
        jpeg_code code = jpeg_look(source, table);
        if (code.length == 0) return false;
        jpeg_drop(source, code.length);
        index += code.step;
        if (index >= DCTSIZE2) return index >= END && source->count >= 0;
        if (code.extra > 0)
            sums[self->sums[index]] += weights[index] * (float)jpeg_value_of(source->bits, code.extra);
        jpeg_drop(source, code.extra);
        if (index == DCTSIZE2 - 1) return source->count >= 0;
    }
}

static inline uint8_t clamped(int value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

static inline uint8_t sample_of(float value) { return clamped((int)(value + 128.5f + 1024) - 1024); }

/// The mean of the block that comes next.
static inline bool read_mean(cc_skim *self, skim_component *component, uint8_t *target) {
    if (!read_first(&self->source, component) || !pass_rest(&self->source, component->ac)) return false;
    *target = clamped(((component->predictor * component->quantizer + 4) >> 3) + 128);
    return true;
}

/// The means of the four quarters of the block that comes next.
static inline bool read_quarters(cc_skim *self, skim_component *component, const float *weights, uint8_t *target) {
    // Of the whole, to the right, down, and across.
    float sums[5] = {0};
    if (!read_first(&self->source, component)) return false;
    sums[0] = (float)(component->predictor * component->quantizer) / 8;
    if (!add_rest(self, component->ac, weights, sums)) return false;
    target[0] = sample_of(sums[0] + sums[1] + sums[2] + sums[3]);
    target[1] = sample_of(sums[0] - sums[1] + sums[2] - sums[3]);
    target[component->stride] = sample_of(sums[0] + sums[1] - sums[2] - sums[3]);
    target[component->stride + 1] = sample_of(sums[0] - sums[1] - sums[2] + sums[3]);
    return true;
}

/// Passes over a restart marker, where one has to be.
static bool restart(cc_skim *self) {
    jpeg_bits *source = &self->source;
    // Fewer than 8 bits are left, of the last byte: what has been read beyond it would be that of a marker.
    if (source->count < 0 || source->count > 7 || source->end - source->next < 2) return false;
    if (source->next[0] != 0xFF || source->next[1] != 0xD0 + self->restart_number) return false;
    source->next += 2;
    source->safe = source->next;
    source->bits = 0;
    source->count = 0;
    self->restart_number = (self->restart_number + 1) & 7;
    self->until_restart = self->restart_interval;
    for (int index = 0; index < self->component_count; index++) self->components[index].predictor = 0;
    return true;
}

static bool read_mcu(cc_skim *self, uint32_t column) {
    bool halves = self->components[0].side == 2;
    for (int index = 0; index < self->component_count; index++) {
        skim_component *component = &self->components[index];
        if (halves && index > 0) {
            if (!read_quarters(self, component, self->weights[index - 1], component->samples + column * 2)) return false;
            continue;
        }
        size_t side = (size_t)component->side;
        for (size_t y = 0; y < side; y++)
            for (size_t x = 0; x < side; x++)
                if (!read_mean(self, component, component->samples + y * component->stride + column * side + x)) return false;
    }
    return true;
}

static bool read_mcu_row(cc_skim *self) {
    for (uint32_t column = 0; column < self->mcu_columns; column++) {
        if (self->restart_interval > 0) {
            if (self->until_restart == 0 && !restart(self)) return false;
            self->until_restart--;
        }
        if (!read_mcu(self, column)) return false;
    }
    uint32_t rows = (uint32_t)self->components[0].side;
    uint32_t left = self->height - self->next_mcu_row * rows;
    self->next_mcu_row++;
    self->row_count = left < rows ? left : rows;
    self->given_count = 0;
    return true;
}

// MARK: Rows

static void convert(const cc_skim *self, uint32_t row, uint8_t *target) {
    const uint8_t *luma = self->components[0].samples + row * self->components[0].stride;
    if (self->component_count == 1) {
        for (uint32_t x = 0; x < self->width; x++) memset(target + x * 3, luma[x], 3);
        return;
    }
    const uint8_t *blue = self->components[1].samples + row * self->components[1].stride;
    const uint8_t *red = self->components[2].samples + row * self->components[2].stride;
    for (uint32_t x = 0; x < self->width; x++) {
        // In 65536ths, rounded.
        int y = (luma[x] << 16) + (1 << 15), cb = blue[x] - 128, cr = red[x] - 128;
        target[x * 3] = clamped((y + 91881 * cr) >> 16);
        target[x * 3 + 1] = clamped((y - 22554 * cb - 46802 * cr) >> 16);
        target[x * 3 + 2] = clamped((y + 116130 * cb) >> 16);
    }
}

uint32_t cc_skim_read_rows(cc_skim *self, uint8_t *rows, size_t stride, uint32_t capacity) {
    uint32_t count = 0;
    while (count < capacity && self->given_total < self->height) {
        if (self->given_count == self->row_count) self->is_stopped = self->is_stopped || !read_mcu_row(self);
        if (self->is_stopped) return count;
        convert(self, self->given_count, rows + count * stride);
        self->given_count++;
        self->given_total++;
        count++;
    }
    return count;
}

uint32_t cc_skim_row_count(const cc_skim *self) { return self->given_total; }

// MARK: Beginning

/// The part of each coefficient in the means of a block's quarters. Along an axis, those of even frequencies cancel out
/// over half a block; those of odd ones have opposite signs in its halves.
static void make_weights(cc_skim *self, const JQUANT_TBL *const tables[2]) {
    // Half the mean of cos((2x + 1) u pi / 16) for x from 0 to 3, and of the constant that there is instead for u = 0.
    static const float parts[DCTSIZE] = {0.35355339f, 0.32036443f, 0, -0.11249703f, 0, 0.07516811f, 0, -0.06372445f};
    int u = 0, v = 0;
    for (int index = 0; index < DCTSIZE2; index++) {
        bool counts = (u == 0 || u % 2 == 1) && (v == 0 || v % 2 == 1);
        self->sums[index] = counts ? (uint8_t)((u > 0) + (v > 0) * 2) : 4;
        for (int table = 0; table < 2; table++)
            self->weights[table][index] = counts ? parts[u] * parts[v] * tables[table]->quantval[v * DCTSIZE + u] : 0;
        // The zigzag: up to the right along even diagonals, down to the left along odd ones.
        if ((u + v) % 2 == 0) {
            if (u == DCTSIZE - 1) v++;
            else if (v == 0) u++;
            else u++, v--;
        } else {
            if (v == DCTSIZE - 1) u++;
            else if (u == 0) v++;
            else u--, v++;
        }
    }
}

static bool is_usual(const struct jpeg_decompress_struct *info) {
    if (info->progressive_mode || info->arith_code || info->data_precision != 8) return false;
    if (info->Ss != 0 || info->Se != DCTSIZE2 - 1 || info->Ah != 0 || info->Al != 0) return false;
    if (info->comps_in_scan != info->num_components) return false;
    for (int index = 0; index < info->num_components; index++) {
        const jpeg_component_info *component = &info->comp_info[index];
        if (info->cur_comp_info[index] != component || component->quant_tbl_no < 0
            || component->quant_tbl_no >= NUM_QUANT_TBLS || !info->quant_tbl_ptrs[component->quant_tbl_no])
            return false;
        if (component->dc_tbl_no < 0 || component->dc_tbl_no >= NUM_HUFF_TBLS || component->ac_tbl_no < 0
            || component->ac_tbl_no >= NUM_HUFF_TBLS)
            return false;
    }
    if (info->num_components == 1) return info->jpeg_color_space == JCS_GRAYSCALE;
    if (info->num_components != 3 || info->jpeg_color_space != JCS_YCbCr) return false;
    const jpeg_component_info *luma = &info->comp_info[0];
    if (luma->h_samp_factor != luma->v_samp_factor || luma->h_samp_factor > 2) return false;
    for (int index = 1; index < 3; index++)
        if (info->comp_info[index].h_samp_factor != 1 || info->comp_info[index].v_samp_factor != 1) return false;
    return true;
}

static bool prepare(cc_skim *self, const cc_jpeg *jpeg) {
    const struct jpeg_decompress_struct *info = &jpeg->info;
    int side = info->num_components == 1 ? 1 : info->comp_info[0].h_samp_factor;
    uint32_t mcu_side = (uint32_t)side * DCTSIZE;
    self->source.next = self->source.safe = info->src->next_input_byte;
    self->source.end = self->source.next + info->src->bytes_in_buffer;
    self->width = (info->image_width + DCTSIZE - 1) / DCTSIZE;
    self->height = (info->image_height + DCTSIZE - 1) / DCTSIZE;
    self->mcu_columns = (info->image_width + mcu_side - 1) / mcu_side;
    self->restart_interval = self->until_restart = info->restart_interval;
    self->component_count = info->num_components;
    size_t stride = (size_t)self->mcu_columns * (size_t)side, plane = stride * (size_t)side;
    self->planes = calloc((size_t)self->component_count, plane);
    if (!self->planes) return false;
    const JQUANT_TBL *chroma[2] = {0};
    for (int index = 0; index < self->component_count; index++) {
        const jpeg_component_info *source = &info->comp_info[index];
        skim_component *component = &self->components[index];
        jpeg_table *dc = &self->tables[0][source->dc_tbl_no], *ac = &self->tables[1][source->ac_tbl_no];
        if (!cc_jpeg_make_table(dc, info->dc_huff_tbl_ptrs[source->dc_tbl_no], true)) return false;
        if (!cc_jpeg_make_table(ac, info->ac_huff_tbl_ptrs[source->ac_tbl_no], false)) return false;
        component->dc = dc;
        component->ac = ac;
        component->side = index == 0 ? side : 1;
        component->quantizer = info->quant_tbl_ptrs[source->quant_tbl_no]->quantval[0];
        component->samples = self->planes + (size_t)index * plane;
        component->stride = stride;
        if (index > 0) chroma[index - 1] = info->quant_tbl_ptrs[source->quant_tbl_no];
    }
    if (side == 2) make_weights(self, chroma);
    return true;
}

cc_skim *cc_skim_open(const cc_jpeg *jpeg) {
    if (!is_usual(&jpeg->info)) return NULL;
    cc_skim *self = calloc(1, sizeof *self);
    if (self && prepare(self, jpeg)) return self;
    cc_skim_close(self);
    return NULL;
}

void cc_skim_close(cc_skim *self) {
    if (!self) return;
    free(self->planes);
    free(self);
}
