/* The published loop of the index: 100,000 iterations over long and double mixed. `loop.c` of this lab runs it as published,
 * and the labs smt-share and protect borrow it.
 *
 * As published: the running sum r += i, d = 2r, and of both the circumference and the area of a circle and the surface and
 * the volume of a sphere, once in integers (pi as 314/100) and once in doubles that are made of the same long variables;
 * every result is stored; no optimisation. Compile it with -O0 -fwrapv, so that integers that overflow wrap around.
 * Assumed, because the source does not say it: the order of the eight formulas, pi of the doubles to 15 digits, and the
 * two sums, which make an answer that can be checked. */
#include "do_loop.h"

enum { ITERATIONS = 100000 };

struct answer do_loop(void)
{
    const double pi = 3.14159265358979;
    long r = 0, d, circumference, area, surface, volume;
    double circumference_d, area_d, surface_d, volume_d;
    struct answer sum = { 0, 0 };
    for (long i = 0; i < ITERATIONS; i++) {
        r += i;
        d = 2 * r;
        circumference = d * 314 / 100;
        area = r * r * 314 / 100;
        surface = d * d * 314 / 100;
        volume = d * d * d * 314 / 600;
        circumference_d = d * pi;
        area_d = r * r * pi;
        surface_d = d * d * pi;
        volume_d = d * d * d * pi / 6;
        sum.integers += circumference + area + surface + volume;
        sum.doubles += circumference_d + area_d + surface_d + volume_d;
    }
    return sum;
}
