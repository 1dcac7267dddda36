// Writes an access log as web servers of 1995 did: `generate LINES HOSTS`. The same words give the same log everywhere.
// Few hosts ask often and most a few times: the one of rank k asks in proportion to 1/k (Zipf's law).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// SplitMix64 (Steele, Lea and Flood 2014).
static std::uint64_t state = 1995;
static std::uint64_t draw() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

int main(int argc, char **argv) {
    const long lines = argc > 1 ? std::atol(argv[1]) : 0, hosts = argc > 2 ? std::atol(argv[2]) : 0;
    if (lines < 1 || hosts < 1)
        return 2;
    std::vector<double> below(hosts);
    double sum = 0;
    for (long rank = 0; rank < hosts; rank++)
        below[rank] = sum += 1.0 / (rank + 1);
    const char *nets[] = {"aol.com", "nasa.gov", "prodigy.com", "netcom.com", "compuserve.com", "uni-kl.de", "ac.uk", "edu"};
    const char *pages[] = {"/", "/history/apollo/", "/shuttle/countdown/", "/images/launch-logo.gif", "/cgi-bin/imagemap"};
    for (long at = 0; at < lines; at++) {
        const double place = (draw() >> 11) * 0x1p-53 * sum;
        const long host = std::lower_bound(below.begin(), below.end(), place) - below.begin();
        const long second = at * 3;
        // One after the other: in which order a call's own words are worked out is the compiler's choice.
        const char *page = pages[draw() % 5];
        const long bytes = static_cast<long>(draw() % 40000);
        std::printf("piweba%ld.%s - - [%02ld/Jul/1995:%02ld:%02ld:%02ld -0400] \"GET %s HTTP/1.0\" 200 %ld\n", host,
                    nets[host % 8], second / 86400 % 31 + 1, second / 3600 % 24, second / 60 % 60, second % 60,
                    page, bytes);
    }
    return 0;
}
