/* A child sends messages to its parent over a socket pair until it sends "exit"; prints a JSON document.
 *
 * usage: talk stream|seqpacket PARENT_CPU CHILD_CPU [PAUSE_MS]     twenty conversations of numbers; with a pause one of two
 *        talk long stream|seqpacket                                messages that are longer than the reader's buffer
 *        talk signals                                              HUP, INT, QUIT, ABRT and TERM, sent while they talk
 *
 * The parent takes each read for one message, as the published program did. In a stream a read takes whatever is there: of
 * two messages that arrive together the second stands behind the terminal zero of the first, where nobody looks.
 * SOCK_SEQPACKET keeps the boundaries, see unix(7). */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONVERSATIONS = 20, MESSAGES = 5000, ROOM = 4096, SMALL = 16, LONG = 40 };
static const int SIGNALS[] = { SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGTERM };
enum { KINDS = sizeof SIGNALS / sizeof *SIGNALS };

/* What the parent heard of a conversation. */
struct heard { long messages, sum, reads_of_several; int exits, exits_behind_a_zero; };

static void stop(const char *what) { perror(what); exit(1); }

static void pin(const char *cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(atoi(cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set)) stop("sched_setaffinity");
}

static void dispose(void (*of)(int))
{
    for (int i = 0; i < KINDS; i++) signal(SIGNALS[i], of);
}

static void doze(long ms)
{
    struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&time, 0);
}

static void say(int fd, const char *text)
{
    /* With its terminating zero, as strings travel. EPIPE is a listener that took "exit" out of turn. */
    if (send(fd, text, strlen(text) + 1, MSG_NOSIGNAL) < 0 && errno != EPIPE) stop("send");
}

/* The child's part. */
static void talk(int fd, long messages, long pause_ms)
{
    char text[32];
    for (long i = 1; i <= messages; i++) {
        snprintf(text, sizeof text, "%ld", i);
        say(fd, text);
        if (pause_ms) doze(pause_ms);
    }
    say(fd, "exit");
}

/* The parent's part: takes each read for one message, until it is "exit" or the other side has gone. What stands behind the
 * first terminal zero is looked at to be counted, and not heard. */
static struct heard listen_to(int fd)
{
    struct heard heard = { 0 };
    char text[ROOM + 1];
    ssize_t got;
    while ((got = read(fd, text, ROOM)) > 0) {
        text[got] = 0;
        heard.messages++;
        if (strcmp(text, "exit") == 0) { heard.exits++; break; }
        heard.sum += atol(text);
        size_t length = strlen(text) + 1;
        if (length < (size_t)got) {
            heard.reads_of_several++;
            if (memmem(text + length, got - length, "exit", 5)) heard.exits_behind_a_zero++;
        }
    }
    if (got < 0) stop("read");
    return heard;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static int type_of(const char *word) { return strcmp(word, "stream") ? SOCK_SEQPACKET : SOCK_STREAM; }

static pid_t parted(int type, int ends[2])
{
    if (socketpair(AF_UNIX, type, 0, ends)) stop("socketpair");
    pid_t child = fork();
    if (child < 0) stop("fork");
    close(ends[child ? 1 : 0]);
    return child;
}

static int conversations(int type, const char *parent_cpu, const char *child_cpu, long pause_ms)
{
    int count = pause_ms ? 1 : CONVERSATIONS, lost = 0, behind = 0, wrong = 0;
    long messages = pause_ms ? 2 : MESSAGES, all = 0, several = 0;
    double begin = seconds();
    for (int turn = 0; turn < count; turn++) {
        int ends[2], status;
        pid_t child = parted(type, ends);
        if (child == 0) { pin(child_cpu); talk(ends[1], messages, pause_ms); _exit(0); }
        pin(parent_cpu);
        struct heard heard = listen_to(ends[0]);
        close(ends[0]);
        if (waitpid(child, &status, 0) != child || status) stop("waitpid");
        all += heard.messages;
        several += heard.reads_of_several;
        lost += !heard.exits;
        behind += heard.exits_behind_a_zero;
        wrong += !heard.exits || heard.messages != messages + 1 || heard.sum != messages * (messages + 1) / 2;
    }
    double rate = all / (seconds() - begin);
    printf("{\"conversations\": %d, \"exits_lost\": %d, \"exits_lost_elsewhere\": %d, \"reads_of_several\": %ld, \"wrong\": %d, "
           "\"messages_per_s\": %.1f, \"table\": {\"columns\": [\"exits lost\", \"reads of several messages\", \"messages/s\"], "
           "\"rows\": [[\"%d of %d\", \"%ld\", \"%.0f\"]]}}\n",
           count, lost, lost - behind, several, wrong, rate, lost, count, several, rate);
    return 0;
}

/* One message that is longer than the buffer, and an "exit": how many reads it takes, and whether it arrives whole. */
static int long_message(int type)
{
    int ends[2], status, reads = 0;
    size_t bytes = 0;
    ssize_t got;
    char buffer[SMALL], message[LONG + 1];
    pid_t child = parted(type, ends);
    if (child == 0) {
        memset(message, 'x', LONG);
        message[LONG] = 0;
        say(ends[1], message);
        _exit(0);
    }
    while ((got = read(ends[0], buffer, SMALL)) > 0) { reads++; bytes += got; }
    if (got < 0) stop("read");
    if (waitpid(child, &status, 0) != child || status) stop("waitpid");
    printf("{\"reads\": %d, \"bytes_lost\": %ld}\n", reads, (long)(LONG + 1 - bytes));
    return 0;
}

/* How many of the five end a pair that talks all the while, each sent to the parent and to the child. */
static int ended_by_signals(void (*disposition)(int))
{
    int ended = 0;
    if (prctl(PR_SET_CHILD_SUBREAPER, 1)) stop("prctl");
    for (int i = 0; i < KINDS; i++) {
        int told[2], status;
        if (pipe(told)) stop("pipe");
        pid_t parent = fork();
        if (parent < 0) stop("fork");
        if (parent == 0) {
            int ends[2];
            signal(SIGPIPE, SIG_IGN);
            dispose(disposition);
            pid_t child = parted(SOCK_SEQPACKET, ends);
            if (child == 0) { for (;;) { say(ends[1], "1"); doze(1); } }
            char text[ROOM];
            if (read(ends[0], text, ROOM) <= 0 || write(told[1], &child, sizeof child) != sizeof child) _exit(9);
            /* Both have talked. Two hundred messages after the signal are the sign that it changed nothing. */
            for (int heard = 0; heard < 200; heard++) if (read(ends[0], text, ROOM) <= 0) _exit(8);
            kill(child, SIGKILL);
            waitpid(child, 0, 0);
            _exit(0);
        }
        close(told[1]);
        pid_t child;
        if (read(told[0], &child, sizeof child) != sizeof child) stop("read");
        kill(child, SIGNALS[i]);
        kill(parent, SIGNALS[i]);
        if (waitpid(parent, &status, 0) != parent) stop("waitpid");
        ended += status != 0;
        /* The child of a parent that has ended is ours. */
        if (status != 0) { kill(child, SIGKILL); waitpid(child, 0, 0); }
        close(told[0]);
    }
    return ended;
}

static int signals(void)
{
    int ignored = ended_by_signals(SIG_IGN), not_ignored = ended_by_signals(SIG_DFL);
    printf("{\"sent\": %d, \"ended\": %d, \"ended_where_not_ignored\": %d}\n", KINDS, ignored, not_ignored);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "signals")) return signals();
    if (argc == 3 && !strcmp(argv[1], "long")) return long_message(type_of(argv[2]));
    if (argc == 4 || argc == 5)
        return conversations(type_of(argv[1]), argv[2], argv[3], argc == 5 ? atol(argv[4]) : 0);
    fprintf(stderr, "usage: talk stream|seqpacket CPU CPU [PAUSE_MS] | long stream|seqpacket | signals\n");
    return 2;
}
