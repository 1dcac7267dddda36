/* A program whose instructions can be counted by hand: 1 + 3 LOOPS + 3, and one more if MORE says so. It has LOOPS
   branches, and only the last one goes another way. */
        .globl _start
_start:
#if defined(__x86_64__)
        mov     $LOOPS, %ecx            /* 1 */
1:      add     $1, %rax
        sub     $1, %ecx
        jnz     1b                      /* 3 in each round */
#ifdef MORE
        nop                             /* 1 */
#endif
        mov     $60, %eax               /* exit(0) */
        xor     %edi, %edi
        syscall                         /* 3 */
#elif defined(__aarch64__)
        ldr     w1, =LOOPS              /* 1 */
1:      add     x2, x2, #1
        subs    w1, w1, #1
        b.ne    1b                      /* 3 in each round */
#ifdef MORE
        nop                             /* 1 */
#endif
        mov     x8, #93                 /* exit(0) */
        mov     x0, #0
        svc     #0                      /* 3 */
#else
#error "no counted instructions for this architecture"
#endif
        .section .note.GNU-stack, "", %progbits
