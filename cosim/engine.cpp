// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <algorithm>
#include <cstdio>

namespace cosim
{
void Tape::clear()
{
    reset_.clear();
    bytes_.clear();
}

void Tape::push(bool reset, const void *in)
{
    const auto *from = static_cast<const unsigned char *>(in);
    reset_.push_back(reset);
    bytes_.insert(bytes_.end(), from, from + size_);
}

void Tape::erase(size_t from, size_t count)
{
    reset_.erase(reset_.begin() + long(from), reset_.begin() + long(from + count));
    bytes_.erase(bytes_.begin() + long(from * size_), bytes_.begin() + long((from + count) * size_));
}

size_t Cover::possible() const
{
    return size_t(std::count_if(points_.begin(), points_.end(), [](const Point &p) { return !p.impossible; }));
}

size_t Cover::reached() const
{
    return size_t(
        std::count_if(points_.begin(), points_.end(), [](const Point &p) { return !p.impossible && p.hits; }));
}

bool Cover::contradicted() const
{
    return std::any_of(points_.begin(), points_.end(), [](const Point &p) { return p.impossible && p.hits; });
}

std::string Cover::table(bool all) const
{
    std::string text;
    for (const Point &p : points_) {
        const bool wrong = p.impossible ? p.hits > 0 : p.hits == 0;
        if (!all && !wrong) continue;
        char line[512];
        snprintf(line, sizeof line, "    %c %12llu  %-52s%s%s\n", wrong ? '!' : ' ', (unsigned long long)p.hits,
                 p.name.c_str(), p.impossible ? "  impossible: " : "", p.impossible ? p.impossible : "");
        text += line;
    }
    return text;
}

std::string Driven::still(const vec_block &block) const
{
    std::string text;
    for (uint32_t i = 0; i < block.in_count; i++) {
        const port_desc &port = block.in[i];
        std::string bits;
        for (uint32_t k = port.width; k-- > 0;)
            if (!(zero_[port.offset + k / 8] & one_[port.offset + k / 8] & (1u << k % 8)))
                bits += (bits.empty() ? "" : ", ") + std::to_string(k);
        if (!bits.empty())
            text += std::string("    ! ") + port.name + ": no random cycle drives bits " + bits + " both ways\n";
    }
    return text;
}

bool Cover::append(const std::string &path, const std::string &block) const
{
    FILE *const file = fopen(path.c_str(), "a");
    if (!file) return false;
    for (const Point &p : points_)
        if (!p.impossible)
            fprintf(file, "C '\1f\2cosim/blocks/%s/bench.cpp\1page\2v_user/%s\1o\2%s' %llu\n", block.c_str(),
                    block.c_str(), p.name.c_str(), (unsigned long long)p.hits);
    return fclose(file) == 0;
}

static std::string hex(const port_desc &port, const void *value, uint32_t element = 0)
{
    char text[300];
    vec_hex(&port, value, element, text);
    return text;
}

// Name of a value in the enum at the start of the port's text; else "".
static std::string code_of(const port_desc &port, uint64_t value)
{
    for (const code_desc &c : codes_of(port))
        if (c.value == value) return c.name;
    return "";
}

// A result code or state as its name, any other value in hex.
static std::string cell(const port_desc &port, const void *value, uint32_t element = 0)
{
    const std::string digits = hex(port, value, element);
    const std::string name = digits.size() <= 8 ? code_of(port, std::stoull(digits, nullptr, 16)) : "";
    return name.empty() ? digits : name;
}

static std::string shown(const port_desc &port, const void *value, uint32_t element = 0)
{
    const std::string text = cell(port, value, element);
    return text == hex(port, value, element) ? "0x" + text : text;
}

std::string differences(const std::vector<port_desc> &ports, const void *rtl, const void *model, size_t *count,
                        size_t *total)
{
    constexpr size_t kShown = 20;
    std::string text;
    *count = *total = 0;
    for (const port_desc &port : ports)
        for (uint32_t i = 0; i < port.depth; i++, ++*total) {
            const std::string r = shown(port, rtl, i), m = shown(port, model, i);
            if (r == m || ++*count > kShown) continue;
            const std::string name =
                port.depth > 1 ? std::string(port.name) + "[" + std::to_string(i) + "]" : port.name;
            text += "  " + name + std::string(name.size() < 16 ? 16 - name.size() : 0, ' ') + " rtl=" + r +
                    "  model=" + m + "\n";
        }
    if (*count > kShown) text += "  and " + std::to_string(*count - kShown) + " more\n";
    return text;
}

namespace
{
// A column of the table: right-aligned under its name; wide values are cut in the middle.
struct Column {
    std::string name;
    std::vector<std::string> cells;

    void add(std::string text)
    {
        if (text.size() > 20) text = text.substr(0, 9) + ".." + text.substr(text.size() - 9);
        cells.push_back(text);
    }
    size_t width() const
    {
        size_t n = name.size();
        for (const std::string &c : cells) n = std::max(n, c.size());
        return n;
    }
    std::string at(const std::string &text) const
    {
        return std::string(width() - text.size() + 1, ' ') + text;
    }
};

void add_columns(std::vector<Column> &columns, const std::vector<port_desc> &ports, const std::vector<Row> &rows,
                 bool out)
{
    for (const port_desc &port : ports) {
        const auto at = [&](const Row &row) { return out ? row.out : row.in; };
        if (std::all_of(rows.begin(), rows.end(), [&](const Row &row) { return hex(port, at(row)) == "0"; })) continue;
        Column c;
        c.name = port.name;
        for (const Row &row : rows) c.add(cell(port, at(row)));
        columns.push_back(c);
    }
}

// Two columns for each value that differs: the RTL's and the model's.  Before the bad cycle the outputs of both are
// equal; registers of earlier cycles are not kept.
std::vector<Column> both_sides(const Both &both, const std::vector<Row> &rows)
{
    constexpr size_t kMost = 6; // values; differences() lists more of them
    std::vector<Column> columns;
    for (const port_desc &port : both.ports)
        for (uint32_t i = 0; i < port.depth && columns.size() < 2 * kMost; i++) {
            if (hex(port, both.rtl, i) == hex(port, both.model, i)) continue;
            const std::string element = port.depth > 1 ? "[" + std::to_string(i) + "]" : "";
            for (const bool rtl : {true, false}) {
                Column c;
                c.name = port.name + element + (rtl ? " rtl" : " model");
                for (const Row &row : rows)
                    c.add(row.bad        ? cell(port, rtl ? both.rtl : both.model, i)
                          : both.outputs ? cell(port, row.out, i)
                                         : ".");
                columns.push_back(c);
            }
        }
    return columns;
}
} // namespace

std::string table(const std::vector<port_desc> &in, const std::vector<port_desc> &out, const std::vector<Row> &rows,
                  const Both *both)
{
    std::vector<Column> left(1), right;
    const std::vector<Column> middle = both ? both_sides(*both, rows) : std::vector<Column>();
    left[0].name = "cycle";
    for (const Row &row : rows)
        left[0].add(std::string(row.bad ? "> " : "") + std::to_string(row.cycle) + (row.reset ? " reset" : ""));
    add_columns(left, in, rows, false);
    add_columns(right, out, rows, true);
    std::string text =
        "  last " + std::to_string(rows.size()) + " cycles: inputs |" + (both ? " both sides of what differs |" : "") +
        " outputs of the model, in hex or as names; ports that stay 0 are left out; > is the first bad cycle\n";
    for (size_t r = 0; r <= rows.size(); r++) {
        text += "   ";
        for (const Column &c : left) text += c.at(r ? c.cells[r - 1] : c.name);
        if (both) text += " |";
        for (const Column &c : middle) text += c.at(r ? c.cells[r - 1] : c.name);
        text += " |";
        for (const Column &c : right) text += c.at(r ? c.cells[r - 1] : c.name);
        text += "\n";
    }
    return text;
}

namespace
{
class Shrinker
{
  public:
    Shrinker(Bench &bench, Tape tape, const Options &o) : bench_(bench), best_(std::move(tape)), o_(o)
    {
    }

    Tape result()
    {
        if (fails(best_)) cut_tail();
        for (size_t chunk = std::max<size_t>(best_.length() / 2, 1);; chunk = std::max<size_t>(chunk / 2, 1)) {
            const bool dropped = drop(chunk);
            if (chunk == 1 && (!dropped || !left_)) break;
        }
        zero_inputs();
        return best_;
    }

  private:
    static constexpr size_t kTries = 20000;
    static constexpr uint64_t kCycles = 40'000'000; // limit over all replays: well under a minute
    Bench &bench_;
    Tape best_;
    Options o_;
    uint64_t failed_at_ = 0, spent_ = 0;
    size_t left_ = kTries;

    bool fails(const Tape &tape)
    {
        if (!left_ || spent_ > kCycles) return left_ = 0, false;
        left_--;
        Options o = o_;
        const Failure f = bench_.replay(tape, o);
        spent_ += f.failed ? f.cycle : tape.length();
        if (f.failed) failed_at_ = f.cycle;
        return f.failed;
    }
    // Cycle c of a replay is c - 1 on the tape, because every replay starts with a reset.
    void cut_tail()
    {
        if (failed_at_ < best_.length()) best_.erase(failed_at_, best_.length() - failed_at_);
    }
    bool drop(size_t chunk)
    {
        bool dropped = false;
        for (size_t at = 0; at < best_.length() && left_;) {
            Tape candidate = best_;
            candidate.erase(at, std::min(chunk, best_.length() - at));
            if (fails(candidate)) {
                best_ = candidate;
                cut_tail();
                dropped = true;
            } else {
                at += chunk;
            }
        }
        return dropped;
    }
    void zero_inputs()
    {
        const vec_block b = bench_.block();
        static const size_t sizes[] = {sizeof(bool), 1, 2, 4, 8, 128};
        for (size_t i = 0; i < best_.length(); i++)
            for (uint32_t k = 0; k < b.in_count; k++) {
                if (hex(b.in[k], best_.in(i)) == "0") continue;
                Tape candidate = best_;
                std::memset(static_cast<char *>(candidate.in(i)) + b.in[k].offset, 0, sizes[b.in[k].kind]);
                if (fails(candidate)) best_ = candidate;
            }
    }
};
} // namespace

Tape shrink(Bench &bench, Tape tape, const Options &o)
{
    return Shrinker(bench, std::move(tape), o).result();
}
} // namespace cosim
