/* A program whose instructions can be counted by hand: 1 + 3 LOOPS + 3, one more if MORE says so, and those that write
   to PAGES places STEP bytes apart. It has LOOPS branches, and only the last one goes another way. The loop is the published
   one: dec, cmp, jne. Assumed: the registers, and the three instructions of the exit. With a STEP of 4096 each place is a
   page fault, with one of 0 the same instructions have a single one. */
        .globl _start
_start:
#if defined(__x86_64__)
        mov     $LOOPS, %ecx            /* 1 */
1:      dec     %ecx
        cmp     $0, %ecx
        jne     1b                      /* 3 in each round */
#ifdef MORE
        nop                             /* 1 */
#endif
#ifdef PAGES
        .set    at, 0
        .rept   PAGES
        movb    $1, touched + at(%rip)  /* 1 for each place */
        .set    at, at + STEP
        .endr
#endif
        mov     $60, %eax               /* exit(0) */
        xor     %edi, %edi
        syscall                         /* 3 */
#elif defined(__aarch64__)
        ldr     w1, =LOOPS              /* 1 */
1:      sub     w1, w1, #1
        cmp     w1, #0
        b.ne    1b                      /* 3 in each round */
#ifdef MORE
        nop                             /* 1 */
#endif
#ifdef PAGES
        ldr     x3, =touched            /* 1 */
        .rept   PAGES
        strb    w1, [x3]
        add     x3, x3, #STEP           /* 2 for each place */
        .endr
#endif
        mov     x8, #93                 /* exit(0) */
        mov     x0, #0
        svc     #0                      /* 3 */
#else
#error "no counted instructions for this architecture"
#endif
#ifdef PAGES
        .bss
        .p2align 12
touched:
        .skip   4096 * (PAGES + 1)
#endif
        .section .note.GNU-stack, "", %progbits
