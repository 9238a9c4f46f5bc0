/* A library to be loaded before all others: of the calls that change files below one folder, the Nth fails, once.

   It is made by benchmarks/faults.py, which also says which call fails and how: `fault_arm` begins to count. Calls of
   Python and of SQLite are counted alike, those that open files for reading too. Each is a line of the log. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORT (-1) /* instead of an error: half of a write, and no space for the next one */

static char folder[PATH_MAX];
static size_t folder_length;
static atomic_long counted;
static atomic_int full_handle = -1;
static long failing;
static int how, log_handle = -1;

void fault_arm(const char *below, long number, int error, const char *log)
{
    snprintf(folder, sizeof folder, "%s/", below);
    folder_length = strlen(folder);
    log_handle = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    how = error;
    failing = number;
    atomic_store(&counted, 0);
}

/* Is it this call's turn to fail? */
static int fails(const char *name, const char *path, int opens)
{
    if (!folder_length || !path || strncmp(path, folder, folder_length))
        return 0;
    long number = atomic_fetch_add(&counted, 1) + 1;
    char line[PATH_MAX + 100];
    const char *mark = number == failing ? " !" : "";
    int length = snprintf(line, sizeof line, "%ld %s %s%s\n", number, name, path + folder_length, mark);
    if (log_handle >= 0)
        syscall(SYS_write, log_handle, line, length);
    if (number != failing)
        return 0;
    errno = how == SHORT ? ENOSPC : how == EMFILE && !opens ? EIO : how;
    return 1;
}

static int fails_by_handle(const char *name, int handle)
{
    char link[64], path[PATH_MAX];
    if (!folder_length)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = 0;
    return fails(name, path, 0);
}

#define REAL(type, name, ...)                                     \
    static type (*real)(__VA_ARGS__);                             \
    if (!real)                                                    \
    real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define OPEN(function)                                            \
    int function(const char *path, int flags, ...)                \
    {                                                             \
        va_list list;                                             \
        va_start(list, flags);                                    \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list);                                             \
        REAL(int, #function, const char *, int, ...);             \
        return fails("open", path, 1) ? -1 : real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(function)                                          \
    int function(int where, const char *path, int flags, ...)     \
    {                                                             \
        va_list list;                                             \
        va_start(list, flags);                                    \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list);                                             \
        REAL(int, #function, int, const char *, int, ...);        \
        return fails("open", path, 1) ? -1 : real(where, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

DIR *opendir(const char *path)
{
    REAL(DIR *, "opendir", const char *);
    return fails("opendir", path, 1) ? NULL : real(path);
}

/* What becomes of a write: 0 goes on, 1 fails, 2 writes half. */
static int write_fails(const char *name, int handle, size_t count)
{
    if (handle == atomic_load(&full_handle)) {
        atomic_store(&full_handle, -1);
        errno = ENOSPC;
        return 1;
    }
    if (!fails_by_handle(name, handle))
        return 0;
    if (how != SHORT)
        return 1;
    atomic_store(&full_handle, handle);
    errno = ENOSPC;
    return count > 1 ? 2 : 1;
}

ssize_t write(int handle, const void *data, size_t count)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    int fate = write_fails("write", handle, count);
    return fate == 1 ? -1 : real(handle, data, fate == 2 ? count / 2 : count);
}

#define PWRITE(function, offset_type)                             \
    ssize_t function(int handle, const void *data, size_t count, offset_type offset) \
    {                                                             \
        REAL(ssize_t, #function, int, const void *, size_t, offset_type); \
        int fate = write_fails("write", handle, count);           \
        return fate == 1 ? -1 : real(handle, data, fate == 2 ? count / 2 : count, offset); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define BY_HANDLE(function, told)                                 \
    int function(int handle)                                      \
    {                                                             \
        REAL(int, #function, int);                                \
        return fails_by_handle(told, handle) ? -1 : real(handle); \
    }
BY_HANDLE(fsync, "fsync")
BY_HANDLE(fdatasync, "fsync")

#define TRUNCATE(function, size_type)                             \
    int function(int handle, size_type size)                      \
    {                                                             \
        REAL(int, #function, int, size_type);                     \
        return fails_by_handle("truncate", handle) ? -1 : real(handle, size); \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int unlink(const char *path)
{
    REAL(int, "unlink", const char *);
    return fails("unlink", path, 0) ? -1 : real(path);
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    return fails("rename", from, 0) ? -1 : real(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", const char *, mode_t);
    return fails("mkdir", path, 0) ? -1 : real(path, mode);
}
