// Counts the distinct hosts of a web server's access log, whose lines begin with the host.
//
// The subject copies its argument, as published: every host is handed on by value, to the test and to what adds it.
// `reader search LOG` keeps the hosts in a vector and looks for each new one from its beginning; `reader set LOG` keeps
// them in a set. Nothing else differs. It prints how many hosts there are.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

class HostCounter {
public:
    virtual ~HostCounter() = default;
    void see(std::string host) {
        if (is_new(host))
            add(host);
    }
    virtual std::size_t count() const = 0;

protected:
    virtual bool is_new(std::string host) const = 0;
    virtual void add(std::string host) = 0;
};

class SearchingCounter : public HostCounter {
public:
    std::size_t count() const override { return hosts.size(); }

protected:
    bool is_new(std::string host) const override {
        return std::find(hosts.begin(), hosts.end(), host) == hosts.end();
    }
    void add(std::string host) override { hosts.push_back(host); }

private:
    std::vector<std::string> hosts;
};

class SetCounter : public HostCounter {
public:
    std::size_t count() const override { return hosts.size(); }

protected:
    bool is_new(std::string host) const override { return hosts.find(host) == hosts.end(); }
    void add(std::string host) override { hosts.insert(host); }

private:
    std::set<std::string> hosts;
};

class LogReader {
public:
    explicit LogReader(HostCounter &counter) : counter(counter) {}
    bool read(const char *path) {
        std::ifstream log(path);
        std::string line;
        while (std::getline(log, line))
            counter.see(line.substr(0, line.find(' ')));
        return log.eof();
    }

private:
    HostCounter &counter;
};

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    SearchingCounter searching;
    SetCounter set;
    const bool searches = std::string(argv[1]) == "search";
    HostCounter &counter = searches ? static_cast<HostCounter &>(searching) : set;
    if (!LogReader(counter).read(argv[2])) {
        std::cerr << "reader: " << argv[2] << " cannot be read\n";
        return 1;
    }
    std::cout << counter.count() << " hosts\n";
    return 0;
}
