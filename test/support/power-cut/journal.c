/* Journals every change to the files below POWER_CUT_FOLDER, and every sync of one, so that a test can build what a power
   cut at any moment would have left of them: journal.ts reads it. Loaded by LD_PRELOAD. A record is written after the call
   that it is about, at once: records of several processes follow each other. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { CREATE = 1, WRITE, TRUNCATE, SYNC, RENAME, UNLINK };

struct header {
  uint32_t kind;
  uint32_t path_length;
  uint64_t offset;
  uint64_t length;
};

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *folder;
static size_t folder_length;
static int forgets_syncs;
static int journal = -1;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("POWER_CUT_JOURNAL");
  if (!path || !getenv("POWER_CUT_FOLDER")) return;
  /* PostgreSQL overwrites its environment. */
  folder = strdup(getenv("POWER_CUT_FOLDER"));
  folder_length = strlen(folder);
  forgets_syncs = getenv("POWER_CUT_FORGETS_SYNCS") != NULL;
  journal = REAL(open)(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

static int is_below(const char *path) {
  return journal >= 0 && strncmp(path, folder, folder_length) == 0 && path[folder_length] == '/';
}

static void record(enum kind kind, const char *path, uint64_t offset, const struct iovec *data, int count) {
  const char *name = path + folder_length + 1;
  struct iovec parts[64];
  struct header header = {kind, strlen(name), offset, 0};
  for (int i = 0; i < count; i++) header.length += data[i].iov_len;
  parts[0] = (struct iovec){&header, sizeof header};
  parts[1] = (struct iovec){(void *)name, header.path_length};
  memcpy(parts + 2, data, count * sizeof *data);
  ssize_t total = sizeof header + header.path_length + header.length;
  if (REAL(writev)(journal, parts, count + 2) != total) abort();
}

/* Whether the descriptor is of a file below the folder. */
static int path_of(int fd, char path[PATH_MAX]) {
  char link[64];
  if (journal < 0 || fd == journal) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_below(path) && !strstr(path, " (deleted)");
}

static void wrote(int fd, int64_t offset, const struct iovec *data, int count, ssize_t length) {
  char path[PATH_MAX];
  if (length <= 0 || !path_of(fd, path)) return;
  struct iovec parts[62];
  int used = 0;
  if (count > 62) abort();
  for (ssize_t left = length; left > 0; left -= parts[used++].iov_len) {
    parts[used] = data[used];
    if ((ssize_t)parts[used].iov_len > left) parts[used].iov_len = left;
  }
  if (offset < 0) offset = lseek(fd, 0, SEEK_CUR) - length;
  record(WRITE, path, offset, parts, used);
}

static void resized(int fd) {
  char path[PATH_MAX];
  struct stat now;
  if (path_of(fd, path) && fstat(fd, &now) == 0) record(TRUNCATE, path, now.st_size, NULL, 0);
}

static void synced(int fd) {
  char path[PATH_MAX];
  if (path_of(fd, path) && !forgets_syncs) record(SYNC, path, 0, NULL, 0);
}

ssize_t write(int fd, const void *data, size_t size) {
  ssize_t done = REAL(write)(fd, data, size);
  struct iovec part = {(void *)data, size};
  wrote(fd, -1, &part, 1, done);
  return done;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t done = REAL(writev)(fd, parts, count);
  wrote(fd, -1, parts, count, done);
  return done;
}

#define PWRITE(name, type)                                                \
  ssize_t name(int fd, const void *data, size_t size, type offset) {      \
    ssize_t done = REAL(name)(fd, data, size, offset);                    \
    struct iovec part = {(void *)data, size};                             \
    wrote(fd, offset, &part, 1, done);                                    \
    return done;                                                          \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, type)                                               \
  ssize_t name(int fd, const struct iovec *parts, int count, type offset) { \
    ssize_t done = REAL(name)(fd, parts, count, offset);                  \
    wrote(fd, offset, parts, count, done);                                \
    return done;                                                          \
  }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

#define RESIZE(name, type)                                                \
  int name(int fd, type size) {                                           \
    int failed = REAL(name)(fd, size);                                    \
    if (!failed) resized(fd);                                             \
    return failed;                                                        \
  }
RESIZE(ftruncate, off_t)
RESIZE(ftruncate64, off64_t)

#define ALLOCATE(name, type)                                              \
  int name(int fd, type offset, type size) {                              \
    int failed = REAL(name)(fd, offset, size);                            \
    if (!failed) resized(fd);                                             \
    return failed;                                                        \
  }
ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

int fallocate(int fd, int mode, off_t offset, off_t size) {
  int failed = REAL(fallocate)(fd, mode, offset, size);
  if (!failed) resized(fd);
  return failed;
}

/* As slow as a disk: what is answered before its sync is then found. */
#define SYNC_CALL(name)                                                   \
  int name(int fd) {                                                      \
    usleep(2000);                                                         \
    int failed = REAL(name)(fd);                                          \
    if (!failed) synced(fd);                                              \
    return failed;                                                        \
  }
SYNC_CALL(fsync)
SYNC_CALL(fdatasync)

/* A new file, or one that is emptied. */
static int opened(int fd, int flags) {
  char path[PATH_MAX];
  if (fd >= 0 && (flags & (O_CREAT | O_TRUNC)) && path_of(fd, path)) {
    record(CREATE, path, 0, NULL, 0);
    if (flags & O_TRUNC) resized(fd);
  }
  return fd;
}

#define OPEN(name)                                                        \
  int name(const char *path, int flags, ...) {                            \
    va_list more;                                                         \
    va_start(more, flags);                                                \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                         \
    return opened(REAL(name)(path, flags, mode), flags);                  \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                      \
  int name(int at, const char *path, int flags, ...) {                    \
    va_list more;                                                         \
    va_start(more, flags);                                                \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                         \
    return opened(REAL(name)(at, path, flags, mode), flags);              \
  }
OPENAT(openat)
OPENAT(openat64)

/* PostgreSQL names files of its folder from within it. */
static const char *absolute(const char *path, char buffer[PATH_MAX]) {
  if (path[0] == '/') return path;
  if (!getcwd(buffer, PATH_MAX)) return path;
  size_t length = strlen(buffer);
  snprintf(buffer + length, PATH_MAX - length, "/%s", path);
  return buffer;
}

int rename(const char *from, const char *to) {
  int failed = REAL(rename)(from, to);
  char a[PATH_MAX], b[PATH_MAX];
  const char *old = absolute(from, a), *new = absolute(to, b);
  if (!failed && is_below(old) && is_below(new)) {
    struct iovec name = {(void *)(new + folder_length + 1), strlen(new) - folder_length - 1};
    record(RENAME, old, 0, &name, 1);
  }
  return failed;
}

int unlink(const char *path) {
  int failed = REAL(unlink)(path);
  char buffer[PATH_MAX];
  const char *gone = absolute(path, buffer);
  if (!failed && is_below(gone)) record(UNLINK, gone, 0, NULL, 0);
  return failed;
}
