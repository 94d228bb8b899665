// SPDX-License-Identifier: Apache-2.0
// The parameters of a program's one block, from its arguments.  They are read from /proc/self/cmdline, since variables
// that are initialised before main() depend on them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "engine.hpp"

namespace cosim
{
Given &given()
{
    static Given chosen;
    return chosen;
}

void refuse(const std::string &text)
{
    fprintf(stderr, "cosim: %s\n", text.c_str());
    exit(2);
}

namespace
{
// The value of an argument; empty: it is not given.
std::string argument(const std::string &key)
{
    std::ifstream file("/proc/self/cmdline");
    for (std::string word; std::getline(file, word, '\0');)
        if (word == key && std::getline(file, word, '\0')) return word;
    return "";
}

void from_rtl(const std::string &path, const char *block, const Sizes &sizes, void *cfg)
{
    error err{};
    const rtl_set *const s = rtl_open(path.c_str(), block, &err);
    if (!s) refuse(err.text);
    if (s->ops.cfg_size != sizes.cfg || s->ops.in_size != sizes.in || s->ops.out_size != sizes.out ||
        s->twin_size != sizes.twin)
        refuse(path + ": found other ports or registers than this program has, expected both of one build");
    given() = {s->set, s};
    std::memcpy(cfg, s->cfg, sizes.cfg);
}

// "Entries=4 Slots=2": parameters that it does not name have their defaults.
void from_file(const std::string &path, const std::vector<param_desc> &params, void *cfg)
{
    std::ifstream file(path);
    if (!file) refuse("--set: cannot read \"" + path + "\"");
    given() = {path.substr(path.rfind('/') + 1), nullptr};
    const auto set = [&](const param_desc &p, uint32_t value) {
        std::memcpy(static_cast<char *>(cfg) + p.offset, &value, sizeof value);
    };
    for (const param_desc &p : params) set(p, p.def);
    for (std::string word; file >> word;) {
        const size_t eq = word.find('=');
        const auto named = [&](const param_desc &p) { return word.substr(0, eq) == p.name; };
        const auto p = std::find_if(params.begin(), params.end(), named);
        const uint64_t value = eq == std::string::npos ? 0 : strtoull(word.c_str() + eq + 1, nullptr, 10);
        if (p == params.end() || value < p->min || value > p->max)
            refuse(path + ": found \"" + word + "\", expected a parameter in its range");
        set(*p, uint32_t(value));
    }
}
} // namespace

void read_parameters(const char *block, uint32_t (*list)(param_desc *), const Sizes &sizes, void *cfg)
{
    std::vector<param_desc> params(list(nullptr));
    list(params.data());
    const std::string rtl = argument("--rtl"), set = argument("--set");
    if (rtl.empty() == set.empty())
        refuse(std::string(block) + ": found " + (rtl.empty() ? "neither" : "both") +
               ", expected --rtl FILE.so (make rtl) or --set FILE");
    if (rtl.empty())
        from_file(set, params, cfg);
    else
        from_rtl(rtl, block, sizes, cfg);
}
} // namespace cosim
