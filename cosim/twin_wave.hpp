// SPDX-License-Identifier: Apache-2.0
// The twin's outputs and registers in the RTL's wave, in a scope `twin`: same file, same names, same times; values of
// enums with their names.  `mismatch` is 1 while the sides differ.  Declares and dumps values like Verilator's
// generated code.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "values.hpp"
#include "verilated_fst_c.h"

namespace cosim
{
class TwinWave
{
  public:
    // Adds the listed fields of the struct at `base`; `base` must not move.
    void add(const std::vector<port_desc> &ports, const void *base)
    {
        for (const port_desc &d : ports)
            for (uint32_t i = 0; d.width && d.depth <= kDeepest && i < d.depth; i++)
                values_.push_back({d, i, static_cast<const char *>(base) + d.offset + i * kSize[d.kind], 0});
    }
    void add_mismatch(const bool *value)
    {
        values_.push_back(
            {{"mismatch", PORT_KIND_BIT, 0, 1, 1, "", nullptr}, 0, reinterpret_cast<const char *>(value), 0});
    }
    void attach(VerilatedFst &trace)
    {
        trace.addInitCb(declare, this);
        trace.addFullCb(full, this);
        trace.addChgCb(change, this);
    }

  private:
    static constexpr uint32_t kDeepest = 32; // Verilator omits tables of this depth, too
    static constexpr size_t kSize[] = {sizeof(bool), 1, 2, 4, 8, 128};
    struct Value {
        port_desc port;
        uint32_t element;
        const char *at;
        uint32_t code; // index among the 32-bit words of the trace
    };
    std::vector<Value> values_;

    // The number of the port's enum in the wave, which is declared once; -1: it is none.
    static int declared(VerilatedFst *trace, std::map<std::string, int> &enums, const port_desc &port)
    {
        constexpr int kFirst = 100000; // above those of the RTL
        const std::vector<code_desc> codes = codes_of(port);
        const auto known = enums.find(enum_of(port));
        if (codes.empty() || known != enums.end()) return codes.empty() ? -1 : known->second;
        std::vector<std::string> bits;
        std::vector<const char *> names, values;
        for (const code_desc &c : codes) {
            std::string text;
            for (uint32_t i = port.width; i-- > 0;) text += char('0' + (c.value >> i & 1));
            bits.push_back(text);
            names.push_back(c.name);
        }
        for (const std::string &text : bits) values.push_back(text.c_str());
        const int number = kFirst + int(enums.size());
        trace->declDTypeEnum(number, enum_of(port).c_str(), uint32_t(codes.size()), port.width, names.data(),
                             values.data());
        return enums[enum_of(port)] = number;
    }
    static void declare(void *self, VerilatedFst *trace, uint32_t code)
    {
        std::map<std::string, int> enums;
        trace->pushNamePrefix("twin ");
        for (Value &v : static_cast<TwinWave *>(self)->values_) {
            const int width = int(v.port.width);
            const bool table = v.port.depth > 1;
            v.code = code;
            const int of_enum = declared(trace, enums, v.port);
            const auto as = [&](auto function) {
                (trace->*function)(code, v.port.name, of_enum, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, table, int(v.element),
                                   width - 1, 0);
            };
            if (width == 1)
                trace->declBit(code, v.port.name, of_enum, FST_VD_IMPLICIT, FST_VT_VCD_WIRE, table, int(v.element));
            else
                as(width <= 32   ? &VerilatedFst::declBus
                   : width <= 64 ? &VerilatedFst::declQuad
                                 : &VerilatedFst::declArray);
            code += uint32_t(width + 31) / 32;
        }
        trace->popNamePrefix();
    }
    static uint64_t number(const Value &v)
    {
        uint64_t value = 0;
        std::memcpy(&value, v.at, std::min<size_t>(kSize[v.port.kind], sizeof value));
        return value;
    }
    static void full(void *self, VerilatedFst::Buffer *trace)
    {
        for (const Value &v : static_cast<TwinWave *>(self)->values_) {
            uint32_t *const old = trace->oldp(v.code);
            if (v.port.width == 1)
                trace->fullBit(old, CData(number(v)));
            else if (v.port.width <= 32)
                trace->fullIData(old, IData(number(v)), int(v.port.width));
            else if (v.port.width <= 64)
                trace->fullQData(old, number(v), int(v.port.width));
            else
                trace->fullWData(old, reinterpret_cast<const EData *>(v.at), int(v.port.width));
        }
    }
    static void change(void *self, VerilatedFst::Buffer *trace)
    {
        for (const Value &v : static_cast<TwinWave *>(self)->values_) {
            uint32_t *const old = trace->oldp(v.code);
            if (v.port.width == 1)
                trace->chgBit(old, CData(number(v)));
            else if (v.port.width <= 32)
                trace->chgIData(old, IData(number(v)), int(v.port.width));
            else if (v.port.width <= 64)
                trace->chgQData(old, number(v), int(v.port.width));
            else
                trace->chgWData(old, reinterpret_cast<const EData *>(v.at), int(v.port.width));
        }
    }
};
} // namespace cosim
