/* Regions that end with their block, also when it is left by an exception. */
#include <fauxplat_region.h>
#include <stdexcept>
#include <thread>

static fauxplat_region parse = FAUXPLAT_REGION("parse");

static void fails(int at)
{
	fauxplat_inside here(parse);
	if (at % 2)
		throw std::runtime_error("odd");
}

static void three()
{
	for (int i = 0; i < 3; i++)
		try {
			fails(i);
		} catch (const std::runtime_error &) {
		}
}

int main()
{
	std::thread other(three);
	three();
	other.join();
}
