/* Which kind of character it is. */
static char seen[16];

int kind_of(unsigned c) {
    seen[c & 15] = 1;
    return 1 + (c >= 'A') + (c >= 'a');
}
