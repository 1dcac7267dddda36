/* Writes argv[2] KiB into the file argv[1] and waits until they are on the disk. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char block[1024];
	int file = argc > 2 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	if (file < 0) {
		perror(argc > 2 ? argv[1] : "usage: sync FILE KIB");
		return 2;
	}
	for (long i = atol(argv[2]); i > 0; i--)
		if (write(file, block, sizeof block) != (ssize_t)sizeof block) {
			perror(argv[1]);
			return 1;
		}
	if (fsync(file) != 0 || close(file) != 0) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
