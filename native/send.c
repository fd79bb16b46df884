// Sends one buffer to many sockets in one call: what a broadcast costs besides the kernel's own work is the way from
// JavaScript into it, once for each subscriber.
#define NAPI_VERSION 8
#include <errno.h>
#include <node_api.h>
#include <stdint.h>
#include <sys/socket.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static napi_value fail(napi_env env) {
  napi_throw_type_error(env, NULL, "send(fds: Int32Array, count: number, bytes: Uint8Array, results: Int32Array)");
  return NULL;
}

// Of each descriptor in `fds`: how many bytes it took, or the negative errno.
static napi_value send_to_all(napi_env env, napi_callback_info info) {
  napi_value args[4];
  size_t given = 4, fd_count, byte_count, result_count;
  napi_typedarray_type fd_type, byte_type, result_type;
  int32_t *fds, *results;
  uint32_t count;
  uint8_t *bytes;
  if (napi_get_cb_info(env, info, &given, args, NULL, NULL) != napi_ok || given < 4) return fail(env);
  if (napi_get_typedarray_info(env, args[0], &fd_type, &fd_count, (void **)&fds, NULL, NULL) != napi_ok ||
      napi_get_value_uint32(env, args[1], &count) != napi_ok ||
      napi_get_typedarray_info(env, args[2], &byte_type, &byte_count, (void **)&bytes, NULL, NULL) != napi_ok ||
      napi_get_typedarray_info(env, args[3], &result_type, &result_count, (void **)&results, NULL, NULL) != napi_ok)
    return fail(env);
  if (fd_type != napi_int32_array || result_type != napi_int32_array || byte_type != napi_uint8_array ||
      count > fd_count || count > result_count)
    return fail(env);
  for (uint32_t i = 0; i < count; i++) {
    ssize_t sent;
    do sent = send(fds[i], bytes, byte_count, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    results[i] = sent < 0 ? -errno : (int32_t)sent;
  }
  return NULL;
}

static napi_value init(napi_env env, napi_value exports) {
  napi_value send;
  if (napi_create_function(env, "send", NAPI_AUTO_LENGTH, send_to_all, NULL, &send) == napi_ok)
    napi_set_named_property(env, exports, "send", send);
  return exports;
}

NAPI_MODULE(NODE_GYP_MODULE_NAME, init)
