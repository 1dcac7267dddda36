/* Creates and awaits so many processes in one way, from a process that holds so many MiB.
 *
 * usage: spawn fork-only|fork|vfork|posix_spawn|clone3 COUNT MIB
 *
 * All but the first become ./tiny, which ends with 7: whatever else a child ends with is an error. Prints the median time, in
 * microseconds by a clock that only goes forward, after which the creating call was over as the parent sees it. */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *nothing[] = { 0 }, *tiny[] = { "./tiny", 0 };

static void become_tiny(void)
{
    execve(tiny[0], tiny, nothing);
    _exit(127);
}

static pid_t by_fork_only(void)
{
    pid_t child = fork();
    if (child == 0) _exit(7);
    return child;
}

static pid_t by_fork(void)
{
    pid_t child = fork();
    if (child == 0) become_tiny();
    return child;
}

static pid_t by_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) become_tiny();
    return child;
}

static pid_t by_posix_spawn(void)
{
    pid_t child;
    return posix_spawn(&child, tiny[0], 0, 0, tiny, nothing) ? -1 : child;
}

/* Without CLONE_VM: the child has a copy of the memory, as after fork(2), and its own stack. */
static pid_t by_clone3(void)
{
#ifndef SYS_clone3
    return -1;
#else
    struct clone_args args = { .exit_signal = SIGCHLD };
    pid_t child = syscall(SYS_clone3, &args, sizeof args);
    if (child == 0) become_tiny();
    return child;
#endif
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; pid_t (*create)(void); } ways[] = {
        { "fork-only", by_fork_only }, { "fork", by_fork }, { "vfork", by_vfork },
        { "posix_spawn", by_posix_spawn }, { "clone3", by_clone3 },
    };
    size_t way = 0, all = sizeof ways / sizeof *ways;
    while (argc == 4 && way < all && strcmp(argv[1], ways[way].name)) way++;
    if (argc != 4 || way == all) { fprintf(stderr, "usage: spawn WAY COUNT MIB\n"); return 2; }
    size_t bytes = strtoul(argv[3], 0, 10) << 20;
    char *held = malloc(bytes + 1);
    if (!held) return 1;
    memset(held, 1, bytes + 1);
    long count = atol(argv[2]);
    double *took = calloc(count > 0 ? count : 1, sizeof *took);
    if (!took) return 1;
    for (long i = 0; i < count; i++) {
        int status;
        double begin = microseconds();
        pid_t child = ways[way].create();
        took[i] = microseconds() - begin;
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
            fprintf(stderr, "%s failed\n", argv[1]);
            return 1;
        }
    }
    qsort(took, count > 0 ? count : 0, sizeof *took, by_size);
    printf("us %.3f\n", count > 0 ? took[count / 2] : 0);
    return held[bytes / 2] == 1 ? 0 : 1;
}
