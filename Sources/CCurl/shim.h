#ifndef CALOTYPE_CCURL_SHIM_H
#define CALOTYPE_CCURL_SHIM_H

#include <curl/curl.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift can't call. There is one function
   here for each type of argument. */

typedef size_t (*calotype_data_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*calotype_prereq_function)(void *context, char *peer, char *local, int peer_port, int local_port);

static inline CURLcode calotype_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode calotype_easy_set_size(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}

/* libcurl copies the string, CURLOPT_POSTFIELDS aside. */
static inline CURLcode calotype_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode calotype_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode calotype_easy_set_fields(CURL *easy, struct curl_slist *lines) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines);
}

static inline CURLcode calotype_easy_set_data_function(CURL *easy, CURLoption option, calotype_data_function function) {
    return curl_easy_setopt(easy, option, function);
}

static inline CURLcode calotype_easy_set_prereq_function(CURL *easy, calotype_prereq_function function) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

static inline int calotype_close_on_exec(void *context, curl_socket_t descriptor, curlsocktype purpose) {
    (void)context;
    (void)purpose;
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

/* libcurl 7.88 opens its sockets without FD_CLOEXEC: a child process would hold connections open. */
static inline CURLcode calotype_easy_close_on_exec(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, calotype_close_on_exec);
}

static inline long calotype_easy_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline int64_t calotype_easy_get_size(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? (int64_t)value : 0;
}

static inline void *calotype_easy_get_context(CURL *easy) {
    char *value = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

static inline CURLMcode calotype_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLcode calotype_message_result(const CURLMsg *message) { return message->data.result; }

static inline int calotype_event_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void calotype_event_signal(int descriptor) {
    uint64_t one = 1;
    /* It fails only when the counter is full, and then the event is signalled anyway. */
    (void)!write(descriptor, &one, sizeof one);
}

static inline void calotype_event_clear(int descriptor) {
    uint64_t value;
    (void)!read(descriptor, &value, sizeof value);
}

#endif
