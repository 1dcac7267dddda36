/* A program that marks regions, well and badly; which way is its argument.
 *
 *     cc -O2 -I ../include -pthread -o marked marked.c
 *     fauxplat run --region parse --region sort -e page-faults ./marked plain
 */
#include <fauxplat_region.h>
#include <stdio.h>
#include <sys/wait.h>

static struct fauxplat_region parse = FAUXPLAT_REGION("parse"), sort = FAUXPLAT_REGION("sort");

static void work(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		;
}

static void recursive(int depth)
{
	fauxplat_begin(&parse);
	work(1000);
	if (depth > 1)
		recursive(depth - 1);
	fauxplat_end(&parse);
}

/* Five calls of one region, in each of which there are two of another. */
static void plain(void)
{
	for (int i = 0; i < 5; i++) {
		fauxplat_begin(&parse);
		for (int j = 0; j < 2; j++) {
			fauxplat_begin(&sort);
			work(20000);
			fauxplat_end(&sort);
		}
		fauxplat_end(&parse);
	}
}

static void *hundred(void *nothing)
{
	for (int i = 0; i < 100; i++)
		recursive(2);
	return nothing;
}

static void threads(void)
{
	pthread_t all[4];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&all[i], NULL, hundred, NULL))
			abort();
	for (int i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
}

/* The child has no region open, and marks its own; what the parent has open goes on. */
static void forked(void)
{
	fauxplat_begin(&parse);
	pid_t child = fork();
	if (child == 0) {
		fauxplat_end(&parse);
		recursive(1);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	fauxplat_end(&parse);
}

/* Ends in another order than it began, which is well, and once too often. */
static void crossed(void)
{
	fauxplat_begin(&parse);
	fauxplat_begin(&sort);
	fauxplat_end(&parse);
	fauxplat_end(&sort);
	fauxplat_end(&sort);
}

/* One inside the other, more than there is room for. */
static void deep(void)
{
	static struct fauxplat_region many[20];
	static char names[20][8];
	for (int i = 0; i < 20; i++) {
		snprintf(names[i], sizeof names[i], "r%d", i);
		many[i].name = names[i];
		fauxplat_begin(&many[i]);
	}
	for (int i = 20; i-- > 0;)
		fauxplat_end(&many[i]);
}

static void scribble(void)
{
	plain();
	if (fauxplat_page)
		memset(fauxplat_page + FAUXPLAT_HEADER + FAUXPLAT_CALLS, 0xff, 8 * sizeof(uint64_t));
}

static void cost(long marks)
{
	uint64_t begun = fauxplat_now();
	for (long i = 0; i < marks / 2; i++) {
		fauxplat_begin(&parse);
		fauxplat_end(&parse);
	}
	printf("%.2f ns per mark\n", (double)(fauxplat_now() - begun) / (double)marks);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "plain";
	if (!strcmp(way, "plain"))
		plain();
	else if (!strcmp(way, "recursive"))
		recursive(10);
	else if (!strcmp(way, "threads"))
		threads();
	else if (!strcmp(way, "forked"))
		forked();
	else if (!strcmp(way, "crossed"))
		crossed();
	else if (!strcmp(way, "unended"))
		plain(), fauxplat_begin(&parse);
	else if (!strcmp(way, "deep"))
		deep();
	else if (!strcmp(way, "scribble"))
		scribble();
	else if (!strcmp(way, "cost"))
		cost(argc > 2 ? atol(argv[2]) : 1000000);
	else if (strcmp(way, "none"))
		return 2;
	return 0;
}
