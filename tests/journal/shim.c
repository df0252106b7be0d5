/* Stands between a process and its files (LD_PRELOAD): records, cuts short, refuses, and turns the wall clock.

   Only files below MB_DIR are touched, and not SQLite's -shm, which no power cut keeps. Calls that change something
   are counted from mb_arm() on. Environment:
     MB_LOG   a file that gets one line for each call
     MB_FLAG  a file; while it exists its number is the errno with which every call that changes a file fails
     MB_STALL a file; while it exists no sync comes to its end
     MB_CLOCK a file; while it exists the wall clock is off by its seconds                                     */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long calls, kill_at, fail_at, fail_count;
static int torn, fail_errno, log_fd = -1;

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

void mb_arm(long kill, int tear, long fail, long count, int error)
{
    calls = 0;
    kill_at = kill;
    torn = tear;
    fail_at = fail;
    fail_count = count;
    fail_errno = error;
}

long mb_calls(void) { return calls; }

/* The part of a path below MB_DIR, "." for that directory itself; NULL: none of our business. */
static const char *below(const char *path)
{
    const char *dir = getenv("MB_DIR");
    size_t n = dir ? strlen(dir) : 0;
    if (!n || strncmp(path, dir, n))
        return NULL;
    if (!path[n])
        return ".";
    if (path[n] != '/' || (strlen(path) > 4 && !strcmp(path + strlen(path) - 4, "-shm")))
        return NULL;
    return path + n + 1;
}

static const char *of_fd(int fd, char *room, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, room, size - 1);
    if (n < 0)
        return NULL;
    room[n] = 0;
    return below(room);
}

static long number_in(const char *variable)
{
    char text[32] = "";
    const char *path = getenv(variable);
    int fd = path ? REAL(open)(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    return n > 0 ? atol(text) : 0;
}

static void record(const char *format, ...)
{
    if (log_fd < 0) {
        const char *path = getenv("MB_LOG");
        if (!path)
            return;
        log_fd = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    va_list args;
    va_start(args, format);
    vdprintf(log_fd, format, args);
    va_end(args);
}

/* Counts one call; 0: do it, -1: errno is set, do not. */
static int step(void)
{
    calls++;
    if (calls == kill_at && !torn)
        raise(SIGKILL);
    if (fail_errno && calls >= fail_at && (fail_count < 0 || calls < fail_at + fail_count)) {
        errno = fail_errno;
        return -1;
    }
    errno = (int)number_in("MB_FLAG");
    return errno ? -1 : 0;
}

static void record_write(const char *name, const char *data, size_t size, off_t at)
{
    if (log_fd < 0 && !getenv("MB_LOG"))
        return;
    char *hex = malloc(2 * size + 1);
    for (size_t i = 0; i < size; i++)
        sprintf(hex + 2 * i, "%02x", (unsigned char)data[i]);
    hex[2 * size] = 0;
    record("write %s %lld %s\n", name, (long long)at, hex);
    free(hex);
}

static ssize_t written(int fd, const void *data, size_t size, off_t at)
{
    char room[512];
    const char *name = of_fd(fd, room, sizeof room);
    if (!name)
        return REAL(pwrite)(fd, data, size, at);
    if (step())
        return -1;
    if (calls == kill_at) { /* torn: the first half only */
        REAL(pwrite)(fd, data, size / 2, at);
        raise(SIGKILL);
    }
    record_write(name, data, size, at);
    return REAL(pwrite)(fd, data, size, at);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return written(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { return written(fd, data, size, at); }

ssize_t write(int fd, const void *data, size_t size)
{
    char room[512];
    const char *name = of_fd(fd, room, sizeof room);
    if (!name)
        return REAL(write)(fd, data, size);
    if (step())
        return -1;
    off_t at = lseek(fd, 0, SEEK_CUR);
    record_write(name, data, size, at);
    return REAL(write)(fd, data, size);
}

static int cut(int fd, off_t size)
{
    char room[512];
    const char *name = of_fd(fd, room, sizeof room);
    if (name) {
        if (step())
            return -1;
        record("truncate %s %lld\n", name, (long long)size);
    }
    return REAL(ftruncate)(fd, size);
}

int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut(fd, size); }

static int synced(int fd, int (*real)(int))
{
    char room[512];
    const char *name = of_fd(fd, room, sizeof room);
    if (name) {
        if (step())
            return -1;
        record("sync %s\n", name);
        const char *stall = getenv("MB_STALL");
        while (stall && !access(stall, F_OK))
            usleep(5000);
    }
    return real(fd);
}

int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

static int opened(const char *path, int flags, mode_t mode)
{
    const char *name = below(path);
    int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
    struct stat there;
    int fresh = name && (flags & O_CREAT) && stat(path, &there);
    if (name && writes) {
        if (fresh ? step() : (errno = (int)number_in("MB_FLAG")))
            return -1;
    }
    int fd = REAL(open)(path, flags, mode);
    if (fresh && fd >= 0)
        record("create %s\n", name);
    else if (name && fd >= 0 && (flags & O_TRUNC))
        record("truncate %s 0\n", name);
    return fd;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return opened(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = va_arg(args, mode_t);
    va_end(args);
    return opened(path, flags, mode);
}

int unlink(const char *path)
{
    const char *name = below(path);
    struct stat there;
    if (name && !stat(path, &there)) {
        if (step())
            return -1;
        record("unlink %s\n", name);
    }
    return REAL(unlink)(path);
}

int link(const char *old, const char *new)
{
    if (below(old) && below(new)) {
        if (step())
            return -1;
        record("link %s %s\n", below(old), below(new));
    }
    return REAL(link)(old, new);
}

int rename(const char *old, const char *new)
{
    if (below(old) && below(new)) {
        if (step())
            return -1;
        record("rename %s %s\n", below(old), below(new));
    }
    return REAL(rename)(old, new);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    int result = REAL(clock_gettime)(clock, t);
    if (clock == CLOCK_REALTIME && !result)
        t->tv_sec += number_in("MB_CLOCK");
    return result;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    int result = REAL(gettimeofday)(t, zone);
    t->tv_sec += number_in("MB_CLOCK");
    return result;
}

time_t time(time_t *where)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (where)
        *where = t.tv_sec;
    return t.tv_sec;
}
