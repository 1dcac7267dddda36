/* Two processes on stated CPUs talk over a socket pair until one says "exit"; prints a JSON document.
 *
 * usage: talk stream|seqpacket CPU CPU
 *
 * In a stream a read takes whatever is there, so of two messages that arrive together the second is lost on a reader that
 * takes each read for one message, as the published program did. SOCK_SEQPACKET keeps the boundaries, see unix(7). */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONVERSATIONS = 20, MESSAGES = 5000, ROOM = 4096 };

struct heard { long messages, numbers, exits; };

static void stop(const char *what) { perror(what); exit(1); }

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set)) stop("sched_setaffinity");
}

static void ignore_signals(void)
{
    int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGTERM };
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
}

/* Takes each read for one message, until it is "exit" or the other side has gone. */
static void listen_to(int fd, struct heard *heard)
{
    char text[ROOM + 1];
    ssize_t got;
    while ((got = read(fd, text, ROOM)) > 0) {
        text[got] = 0;
        heard->messages++;
        if (strcmp(text, "exit") == 0) { heard->exits++; return; }
        heard->numbers += atol(text);
    }
    if (got < 0) stop("read");
}

static void say(int fd, const char *text)
{
    /* With its terminating zero, as strings travel. EPIPE is a listener that took "exit" out of turn. */
    if (send(fd, text, strlen(text) + 1, MSG_NOSIGNAL) < 0 && errno != EPIPE) stop("send");
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 4) { fprintf(stderr, "usage: talk stream|seqpacket CPU CPU\n"); return 2; }
    int type = strcmp(argv[1], "stream") ? SOCK_SEQPACKET : SOCK_STREAM;
    struct heard *heard = mmap(0, sizeof *heard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (heard == MAP_FAILED) stop("mmap");
    ignore_signals();
    int lost = 0, wrong = 0;
    long messages = 0;
    double begin = seconds();
    for (int turn = 0; turn < CONVERSATIONS; turn++) {
        int ends[2];
        memset(heard, 0, sizeof *heard);
        if (socketpair(AF_UNIX, type, 0, ends)) stop("socketpair");
        pid_t child = fork();
        if (child < 0) stop("fork");
        if (child == 0) { close(ends[0]); pin(atoi(argv[3])); listen_to(ends[1], heard); _exit(0); }
        close(ends[1]);
        pin(atoi(argv[2]));
        char text[32];
        long sum = 0;
        for (long i = 1; i <= MESSAGES; i++) { snprintf(text, sizeof text, "%ld", i); say(ends[0], text); sum += i; }
        say(ends[0], "exit");
        close(ends[0]);
        int status;
        if (waitpid(child, &status, 0) != child || status) stop("waitpid");
        messages += heard->messages;
        lost += !heard->exits;
        wrong += heard->messages != MESSAGES + 1 || heard->numbers != sum;
    }
    printf("{\"messages_per_s\": %.1f, \"exits_lost\": %d, \"wrong\": %d}\n", messages / (seconds() - begin), lost, wrong);
    return 0;
}
