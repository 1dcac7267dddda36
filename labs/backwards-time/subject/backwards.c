/* The time of a process creation in microseconds, by a wall-clock call, as it was published. wait() is declared nowhere, so a
 * compiler of the old language takes any arguments, and none; the kernel then takes what the register of the argument
 * happens to hold for the place of the child's status. Here that is the address of `start`. -DARGUMENT=0 gives it one. */
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef ARGUMENT
#define ARGUMENT
#endif

/* It once printed the start. It leaves its argument where the next call looks for its own. */
static void started(struct timeval *at)
{
    (void)at;
}

int main(void)
{
    struct timeval start, end;
    int us;

    gettimeofday(&start, 0);
    if (fork() == 0)
        _exit(0);
    started(&start);
    wait(ARGUMENT);
    gettimeofday(&end, 0);
    us = (int)((end.tv_sec - start.tv_sec) * 1000000 + end.tv_usec - start.tv_usec);
    printf("%d\n", us);
    return 0;
}
