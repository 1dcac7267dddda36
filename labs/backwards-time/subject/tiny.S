/* The smallest program: it ends with status 7. */
        .globl _start
_start:
#if defined(__x86_64__)
        mov     $60, %eax
        mov     $7, %edi
        syscall
#elif defined(__aarch64__)
        mov     x8, #93
        mov     x0, #7
        svc     #0
#else
#error "not written for this architecture"
#endif
        .section .note.GNU-stack, "", %progbits
