/* The time of a process creation in microseconds by a wall clock, in the order in which it was published: clock, fork, clock,
 * wait, difference. wait() is declared nowhere, so a compiler of the old language takes any arguments, and none; the kernel
 * then takes what the register of the argument happens to hold for the place of the child's status.
 *
 * -DARGUMENT=0 gives it one. -DHELD makes sure of what the register holds: the address of the end of the time, which the call
 * before it was given, and which a library of today may have overwritten. -DDECLARED includes the header. */
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef DECLARED
#include <sys/wait.h>
#endif

#ifndef ARGUMENT
#define ARGUMENT
#endif

#ifdef HELD
/* Does nothing, and leaves its argument where the next call looks for its own. */
static void held(struct timeval *at)
{
    (void)at;
}
#else
#define held(at)
#endif

int main(void)
{
    struct timeval start, end;

    gettimeofday(&start, 0);
    if (fork() == 0)
        _exit(0);
    gettimeofday(&end, 0);
    held(&end);
    wait(ARGUMENT);
    printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000LL + end.tv_usec - start.tv_usec);
    return 0;
}
