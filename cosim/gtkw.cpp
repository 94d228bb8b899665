// SPDX-License-Identifier: Apache-2.0
// Save files of GTKWave: gtkwave FILE.gtkw opens the wave with RTL and twin in pairs.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

#include "engine.hpp"

namespace cosim
{
namespace
{
constexpr uint32_t kDeepest = 32; // tables that are deeper are not in the wave
// Flags of a signal in a save file: right-justified, with binary, hexadecimal or translated values; a comment.
constexpr const char *kBit = "@28", *kHex = "@22", *kNamed = "@2022", *kComment = "@200";

// Files that translate values of an enum for GTKWave, each written once.
class Names
{
  public:
    explicit Names(std::string folder) : folder_(std::move(folder))
    {
    }
    // "" if the port is no enum.
    std::string file(const port_desc &port)
    {
        if (codes_of(port).empty()) return "";
        const std::string path = folder_ + "/" + enum_of(port) + ".names";
        const std::string part = path + "." + std::to_string(getpid());
        std::ofstream out(part);
        for (const code_desc &c : codes_of(port)) {
            char digits[16];
            snprintf(digits, sizeof digits, "%0*x", int(port.width + 3) / 4, c.value);
            out << digits << " " << c.name << "\n";
        }
        out.close();
        std::filesystem::rename(part, path);
        return path;
    }

  private:
    std::string folder_;
};

class Save
{
  public:
    Save(const std::string &path, const std::string &folder, std::set<std::string> there)
        : out_(path), names_(folder), there_(std::move(there))
    {
    }
    void line(const std::string &text)
    {
        out_ << text << "\n";
    }
    void comment(const std::string &text)
    {
        line(kComment);
        line("-" + text);
    }
    // One of these names, which depend on how the RTL declares it: "busy_o", "busy_o[0:0]".
    void signal(const port_desc &port, const std::vector<std::string> &candidates)
    {
        for (const std::string &name : candidates)
            if (there_.count(name)) {
                const std::string names = names_.file(port);
                line(!names.empty() ? kNamed : port.width == 1 ? kBit : kHex);
                if (!names.empty()) line("^1 " + names);
                return line(name);
            }
    }
    void element(const port_desc &port, const std::string &name, uint32_t i)
    {
        const std::string whole = name + (port.depth > 1 ? "[" + std::to_string(i) + "]" : "");
        const std::string range = "[" + std::to_string(port.width - 1) + ":0]";
        signal(port, {whole + range, whole});
    }
    void pairs(const std::vector<port_desc> &ports, const std::string &rtl)
    {
        for (const port_desc &port : ports) {
            if (!port.width || port.depth > kDeepest) continue;
            // Registers of a part are PART.NAME here, and u_PART.NAME in the RTL.  There, a table of bits may be a
            // vector.
            const std::string name = port.name, inside = rtl + (name.find('.') == std::string::npos ? "" : "u_") + name;
            if (port.depth > 1) signal(port, {inside + "[" + std::to_string(port.depth - 1) + ":0]"});
            for (uint32_t i = 0; i < port.depth; i++) {
                element(port, inside, i);
                element(port, "twin." + name, i);
            }
        }
    }

  private:
    std::ofstream out_;
    Names names_;
    std::set<std::string> there_;
};

std::set<std::string> signals_of(const std::string &wave)
{
    std::set<std::string> found;
    const auto each = [](void *to, const char *name) { static_cast<std::set<std::string> *>(to)->insert(name); };
    given().rtl->bench.signals(wave.c_str(), &found, each);
    return found;
}
} // namespace

void write_gtkw(Bench &bench, const std::string &wave, const char *module, uint64_t cycle)
{
    const std::filesystem::path full = std::filesystem::absolute(wave);
    std::filesystem::path path = full;
    Save save(path.replace_extension(".gtkw").string(), full.parent_path().string(), signals_of(wave));
    const vec_block in = bench.block(), out = bench.outputs();
    const port_desc bit = {"", PORT_KIND_BIT, 0, 1, 1, "", nullptr};
    save.line("[dumpfile] \"" + full.string() + "\"");
    save.line("[timestart] " + std::to_string(cycle < 20 ? 0 : 2 * (cycle - 20)));
    save.line("*-4.0 " + std::to_string(2 * cycle));
    for (const char *name : {"twin.mismatch", "TOP.clk_i", "TOP.rst_ni"}) save.signal(bit, {name});
    save.comment("inputs");
    for (uint32_t i = 0; i < in.in_count; i++) save.element(in.in[i], std::string("TOP.") + in.in[i].name, 0);
    save.comment("outputs: RTL, twin");
    save.pairs({out.in, out.in + out.in_count}, "TOP.");
    if (!module) return;
    save.comment("registers: RTL, twin");
    save.pairs(bench.registers(), std::string("TOP.") + module + ".");
}
} // namespace cosim
