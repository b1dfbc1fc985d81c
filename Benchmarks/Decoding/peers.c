// The C peers of `make bench-decode`: what libvips makes, and what each format's own library takes at least.
//
//   peers vips WIDTH FILE      vips_thumbnail_buffer to that width
//   peers floor WIDTH FILE     the library's own decode alone, scaled as far as it goes without falling below the width
//   peers encode SOURCE RESULT SOURCE in the format that RESULT's name says, through libvips
//   peers full FILE RESULT     all pixels of FILE, raw, through libvips
//
// The first two answer lines on standard input, so that whoever measures can let candidates take turns:
//
//   memory       the bytes by which the process's peak lies above what was resident before one decode
//   time COUNT   the CPU milliseconds of one decode, the mean of that many
//   write FILE   the pixels, raw: "WIDTH HEIGHT CHANNELS\n" and the bytes (libvips alone)
//
// Something that fails ends the process with 1 and a reason on standard error.
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <avif/avif.h>
#include <jpeglib.h>
#include <jxl/decode.h>
#include <libheif/heif.h>
#include <png.h>
#include <vips/vips.h>
#include <webp/decode.h>

static void fail(const char *reason) {
    fprintf(stderr, "peers: %s\n", reason);
    exit(1);
}

static void require(bool holds, const char *reason) {
    if (!holds) fail(reason);
}

static void *allocate(size_t count) {
    void *memory = malloc(count);
    require(memory, "no memory");
    return memory;
}

// MARK: Input and output

typedef struct {
    uint8_t *bytes;
    size_t count;
} file;

static file read_file(const char *path) {
    FILE *stream = fopen(path, "rb");
    require(stream, "the file can't be opened");
    require(fseek(stream, 0, SEEK_END) == 0, "the file has no length");
    file result = {.count = (size_t)ftell(stream)};
    rewind(stream);
    result.bytes = allocate(result.count);
    require(fread(result.bytes, 1, result.count, stream) == result.count, "the file can't be read");
    fclose(stream);
    return result;
}

static void write_raw(const char *path, int width, int height, int channels, const uint8_t *pixels) {
    FILE *stream = fopen(path, "wb");
    require(stream, "the result can't be opened");
    fprintf(stream, "%d %d %d\n", width, height, channels);
    size_t count = (size_t)width * (size_t)height * (size_t)channels;
    require(fwrite(pixels, 1, count, stream) == count && fclose(stream) == 0, "the result can't be written");
}

// MARK: libvips

static void vips_require(int status) {
    if (status) fail(vips_error_buffer());
}

static void vips_begin(void) {
    vips_require(vips_init("peers"));
    vips_concurrency_set(1);
    vips_cache_set_max(0);
}

static void vips_thumbnail_once(file input, int width, const char *result) {
    VipsImage *image = NULL;
    vips_require(vips_thumbnail_buffer(
        input.bytes, input.count, &image, width, "height", VIPS_MAX_COORD, "size", VIPS_SIZE_DOWN, NULL));
    size_t count = 0;
    uint8_t *pixels = vips_image_write_to_memory(image, &count);
    require(pixels, "libvips made no pixels");
    if (result) write_raw(result, image->Xsize, image->Ysize, image->Bands, pixels);
    g_free(pixels);
    g_object_unref(image);
}

static void vips_write_full(const char *path, const char *result) {
    VipsImage *image = vips_image_new_from_file(path, NULL);
    require(image, "libvips can't read the file");
    size_t count = 0;
    uint8_t *pixels = vips_image_write_to_memory(image, &count);
    require(pixels && image->BandFmt == VIPS_FORMAT_UCHAR, "libvips made no bytes");
    write_raw(result, image->Xsize, image->Ysize, image->Bands, pixels);
    g_free(pixels);
    g_object_unref(image);
}

static void vips_encode(const char *source, const char *result) {
    VipsImage *image = vips_image_new_from_file(source, NULL);
    require(image, "libvips can't read the source");
    const char *suffix = strrchr(result, '.');
    // The quickest settings: what is measured is the decoder.
    int status = suffix && strcmp(suffix, ".heic") == 0
        ? vips_heifsave(image, result, "Q", 70, "effort", 0, "compression", VIPS_FOREIGN_HEIF_COMPRESSION_HEVC, NULL)
        : vips_jxlsave(image, result, "Q", 88, "effort", 3, NULL);
    vips_require(status);
    g_object_unref(image);
}

// MARK: Floors

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf escape;
} jpeg_errors;

static void on_jpeg_error(j_common_ptr info) { longjmp(((jpeg_errors *)info->err)->escape, 1); }

static void floor_jpeg(file input, int width) {
    struct jpeg_decompress_struct info;
    jpeg_errors errors;
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = on_jpeg_error;
    if (setjmp(errors.escape)) fail("libjpeg refuses the file");
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, input.bytes, input.count);
    jpeg_read_header(&info, TRUE);
    info.scale_num = 1;
    info.scale_denom = 8;
    while (info.scale_denom > 1 && (int)(info.image_width / info.scale_denom) < width) info.scale_denom /= 2;
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    JSAMPROW row = allocate((size_t)info.output_width * 3);
    while (info.output_scanline < info.output_height) jpeg_read_scanlines(&info, &row, 1);
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    free(row);
}

typedef struct {
    file input;
    size_t offset;
} png_source;

static void read_png(png_structp png, png_bytep bytes, size_t count) {
    png_source *source = png_get_io_ptr(png);
    if (count > source->input.count - source->offset) png_error(png, "too short");
    memcpy(bytes, source->input.bytes + source->offset, count);
    source->offset += count;
}

static void floor_png(file input) {
    png_source source = {input, 0};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    require(png, "no memory");
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png))) fail("libpng refuses the file");
    png_set_read_fn(png, &source, read_png);
    png_read_info(png, info);
    require(png_get_interlace_type(png, info) == PNG_INTERLACE_NONE, "an interlaced file has no row by row floor");
    png_bytep row = allocate(png_get_rowbytes(png, info));
    for (uint32_t y = 0; y < png_get_image_height(png, info); y++) png_read_row(png, row, NULL);
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    free(row);
}

static void floor_webp(file input, int width) {
    WebPDecoderConfig config;
    require(WebPInitDecoderConfig(&config), "libwebp is of another version");
    require(WebPGetFeatures(input.bytes, input.count, &config.input) == VP8_STATUS_OK, "libwebp refuses the file");
    config.options.use_scaling = 1;
    config.options.scaled_width = width;
    config.options.scaled_height = (config.input.height * width + config.input.width / 2) / config.input.width;
    config.output.colorspace = MODE_RGB;
    require(WebPDecode(input.bytes, input.count, &config) == VP8_STATUS_OK, "libwebp refuses the file");
    WebPFreeDecBuffer(&config.output);
}

/// The planes alone: converting them isn't the library's to do.
static void floor_avif(file input) {
    avifDecoder *decoder = avifDecoderCreate();
    require(decoder, "no memory");
    decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
    decoder->maxThreads = 1;
    require(
        avifDecoderSetIOMemory(decoder, input.bytes, input.count) == AVIF_RESULT_OK
            && avifDecoderParse(decoder) == AVIF_RESULT_OK && avifDecoderNextImage(decoder) == AVIF_RESULT_OK,
        "libavif refuses the file");
    avifDecoderDestroy(decoder);
}

static void heif_require(struct heif_error error) {
    if (error.code != heif_error_Ok) fail(error.message);
}

static void floor_heic(file input) {
    struct heif_context *context = heif_context_alloc();
    heif_context_set_max_decoding_threads(context, 0);
    heif_require(heif_context_read_from_memory_without_copy(context, input.bytes, input.count, NULL));
    struct heif_image_handle *handle = NULL;
    heif_require(heif_context_get_primary_image_handle(context, &handle));
    struct heif_image *image = NULL;
    heif_require(heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGB, NULL));
    heif_image_release(image);
    heif_image_handle_release(handle);
    heif_context_free(context);
}

static void floor_jxl(file input) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    require(decoder, "no memory");
    JxlPixelFormat format = {3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    uint8_t *pixels = NULL;
    JxlDecoderSubscribeEvents(decoder, JXL_DEC_FULL_IMAGE);
    JxlDecoderSetInput(decoder, input.bytes, input.count);
    JxlDecoderCloseInput(decoder);
    for (;;) {
        JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
        if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
            size_t count = 0;
            JxlDecoderImageOutBufferSize(decoder, &format, &count);
            pixels = allocate(count);
            JxlDecoderSetImageOutBuffer(decoder, &format, pixels, count);
        } else if (status == JXL_DEC_FULL_IMAGE || status == JXL_DEC_SUCCESS) {
            break;
        } else {
            fail("libjxl refuses the file");
        }
    }
    free(pixels);
    JxlDecoderDestroy(decoder);
}

static bool has(file input, size_t offset, const char *text) {
    size_t count = strlen(text);
    return input.count >= offset + count && memcmp(input.bytes + offset, text, count) == 0;
}

static void floor_once(file input, int width) {
    if (has(input, 0, "\xFF\xD8")) {
        floor_jpeg(input, width);
    } else if (has(input, 1, "PNG")) {
        floor_png(input);
    } else if (has(input, 8, "WEBP")) {
        floor_webp(input, width);
    } else if (has(input, 4, "ftypavif")) {
        floor_avif(input);
    } else if (has(input, 4, "ftyp")) {
        floor_heic(input);
    } else {
        floor_jxl(input);
    }
}

// MARK: Measuring

static double cpu_milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/// A line of the process's status, in bytes.
static long status_bytes(const char *name) {
    FILE *stream = fopen("/proc/self/status", "r");
    require(stream, "this system doesn't tell a process's memory");
    char line[256];
    long kilobytes = 0;
    while (fgets(line, sizeof line, stream))
        if (strncmp(line, name, strlen(name)) == 0) kilobytes = strtol(line + strlen(name), NULL, 10);
    fclose(stream);
    return kilobytes * 1024;
}

static void decode(bool vips, file input, int width, const char *result) {
    if (vips) {
        vips_thumbnail_once(input, width, result);
    } else {
        floor_once(input, width);
    }
}

int main(int count, char **arguments) {
    if (count != 4) fail("usage: peers vips|floor WIDTH FILE, encode SOURCE RESULT, or full FILE RESULT");
    bool vips = strcmp(arguments[1], "floor") != 0;
    if (vips) vips_begin();
    if (strcmp(arguments[1], "encode") == 0) {
        vips_encode(arguments[2], arguments[3]);
        return 0;
    }
    if (strcmp(arguments[1], "full") == 0) {
        vips_write_full(arguments[2], arguments[3]);
        return 0;
    }
    int width = atoi(arguments[2]);
    require(width > 0, "no width");
    file input = read_file(arguments[3]);
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (strcmp(line, "memory") == 0) {
            status_bytes("VmRSS:"); // so that the code that reads the number is in memory
            long before = status_bytes("VmRSS:");
            decode(vips, input, width, NULL);
            printf("%ld\n", status_bytes("VmHWM:") - before);
        } else if (strncmp(line, "time ", 5) == 0) {
            int repeats = atoi(line + 5);
            double start = cpu_milliseconds();
            for (int index = 0; index < repeats; index++) decode(vips, input, width, NULL);
            printf("%f\n", (cpu_milliseconds() - start) / repeats);
        } else if (strncmp(line, "write ", 6) == 0 && vips) {
            decode(vips, input, width, line + 6);
            printf("written\n");
        } else {
            fail("a line that asks for nothing known");
        }
        fflush(stdout);
    }
    return 0;
}
