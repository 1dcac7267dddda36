// Publishes from several threads: c++ -pthread publish.cpp -lfauxplat_table_c && ./a.out /dev/shm/my-table
#include "fauxplat_table.h"

#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const fxt_key keys[] = {
        {0, "loops", nullptr, "loops of one worker", FXT_COUNTER, 0},
        {1, "all_loops", nullptr, "loops of all workers", FXT_COUNTER, 0},
    };
    fxt_options options{};
    options.struct_bytes = sizeof options;
    options.sizes.dense_keys = 2;
    options.sizes.value_bytes = 4;
    options.keys = keys;
    options.key_count = 2;
    std::unique_ptr<fxt_table, decltype(&fxt_close)> table(fxt_create_with(argv[1], &options), &fxt_close);
    if (!table) {
        std::fprintf(stderr, "%s\n", fxt_error());
        return 1;
    }
    std::vector<std::thread> workers;
    for (int64_t worker = 0; worker < 4; worker++) {
        workers.emplace_back([&table, worker] {
            fxt_counter loops;
            // Each worker owns key 0 of an object of its own, and all share key 1 of object 100.
            if (fxt_counter_open(table.get(), worker, 0, &loops) != FXT_OK) return;
            for (int i = 0; i < 10000; i++) {
                fxt_counter_add(&loops, 1);
                fxt_add(table.get(), 100, 1, 1, nullptr);
            }
        });
    }
    for (auto &worker : workers) worker.join();
    int64_t sum = 0, shared = 0;
    for (int64_t worker = 0; worker < 4; worker++) {
        int64_t loops = 0;
        fxt_get(table.get(), worker, 0, &loops);
        sum += loops;
    }
    fxt_get(table.get(), 100, 1, &shared);
    std::printf("owned %lld shared %lld\n", (long long)sum, (long long)shared);
}
