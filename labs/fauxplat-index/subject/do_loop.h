/* The published loop of the index, see do_loop.c. */
#ifndef DO_LOOP_H
#define DO_LOOP_H

/* The sum of all results in integers, which wrap around, and of all results in doubles. */
struct answer {
    long integers;
    double doubles;
};

struct answer do_loop(void);

#endif
