// What the pipeline's work takes without a pipeline: each file comes by libcurl's easy interface, over one connection that
// is kept, and is decoded by libjpeg at the smallest of its fast scales that isn't below the width.
//
//   pipeline-peer URL COUNT WIDTH      prints the CPU microseconds, user and system, of one
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <curl/curl.h>
#include <jpeglib.h>

typedef struct {
    unsigned char *bytes;
    size_t count, capacity;
} body;

static void fail(const char *reason) {
    fprintf(stderr, "pipeline-peer: %s\n", reason);
    exit(1);
}

static size_t append(char *bytes, size_t size, size_t count, void *context) {
    body *body = context;
    size_t added = size * count;
    if (body->count + added > body->capacity) {
        body->capacity = 2 * (body->count + added);
        body->bytes = realloc(body->bytes, body->capacity);
        if (!body->bytes) fail("no memory");
    }
    memcpy(body->bytes + body->count, bytes, added);
    body->count += added;
    return added;
}

static void on_error(j_common_ptr info) {
    (void)info;
    fail("libjpeg refuses the file");
}

static void decode(const body *input, int width) {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    errors.error_exit = on_error;
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, input->bytes, input->count);
    jpeg_read_header(&info, TRUE);
    info.scale_num = 1;
    info.scale_denom = 8;
    while (info.scale_denom > 1 && (int)(info.image_width / info.scale_denom) < width) info.scale_denom /= 2;
    info.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&info);
    size_t row_byte_count = (size_t)info.output_width * 4;
    unsigned char *pixels = malloc(row_byte_count * info.output_height);
    if (!pixels) fail("no memory");
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = pixels + row_byte_count * info.output_scanline;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    free(pixels);
}

static double cpu_microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int argc, char **argv) {
    if (argc != 4) fail("takes URL COUNT WIDTH");
    int count = atoi(argv[2]), width = atoi(argv[3]);
    if (count < 1 || width < 1) fail("takes URL COUNT WIDTH");
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURL *easy = curl_easy_init();
    if (!easy) fail("there is no libcurl");
    body body = {0};
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
    double start = cpu_microseconds();
    for (int number = 0; number < count; number++) {
        char url[1024];
        snprintf(url, sizeof url, "%s?%d", argv[1], number);
        curl_easy_setopt(easy, CURLOPT_URL, url);
        body.count = 0;
        if (curl_easy_perform(easy) != CURLE_OK) fail("the file doesn't come");
        decode(&body, width);
    }
    printf("%.3f\n", (cpu_microseconds() - start) / count);
    curl_easy_cleanup(easy);
    free(body.bytes);
    return 0;
}
