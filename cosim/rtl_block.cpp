// SPDX-License-Identifier: Apache-2.0
// The face "rtl" of one block: compiled with COSIM_BLOCK and COSIM_LIST, it picks among the parameter sets linked in.
#include <cstring>
#include <string>

#include "rtl_face.hpp"

#define COSIM_TEXT_(a) #a
#define COSIM_TEXT(a) COSIM_TEXT_(a)
#define COSIM_CAT_(a, b) a##b
#define COSIM_CAT(a, b) COSIM_CAT_(a, b)
#define COSIM_DESC(b, B) BLOCK_DESC(b, B)

extern "C" {
#include COSIM_TEXT(COSIM_BLOCK.h)
}
COSIM_DESC(COSIM_BLOCK, COSIM_LIST)

extern "C" const RtlSet *const __start_memtwin_rtl_sets[], *const __stop_memtwin_rtl_sets[];

namespace
{
using Cfg = struct COSIM_CAT(COSIM_BLOCK, _cfg);
constexpr const char *kName = COSIM_TEXT(COSIM_BLOCK);

std::string text(const void *cfg)
{
    param_desc d[sizeof(Cfg) / sizeof(uint32_t)];
    const uint32_t count = COSIM_CAT(COSIM_BLOCK, _params)(d);
    std::string all;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value;
        std::memcpy(&value, static_cast<const char *>(cfg) + d[i].offset, sizeof value);
        all.append(i ? " " : "").append(d[i].name).append("=").append(std::to_string(value));
    }
    return all;
}

void *create(const void *cfg, struct error *err)
{
    std::string sets;
    for (const RtlSet *const *s = __start_memtwin_rtl_sets; s < __stop_memtwin_rtl_sets; s++) {
        if (std::strcmp((*s)->block, kName)) continue;
        if (!std::memcmp((*s)->cfg, cfg, sizeof(Cfg))) return (*s)->create();
        sets.append("; ").append((*s)->set).append(": ").append(text((*s)->cfg));
    }
    error_set(err,
              "%s: no RTL with %s is linked in, expected one of the sets that rtl/%s/%s.toml names under [machine]%s",
              kName, text(cfg).c_str(), kName, kName, sets.c_str());
    return nullptr;
}
RtlFace *face(void *block)
{
    return static_cast<RtlFace *>(block);
}
uint32_t in_desc(const void *cfg, struct port_desc *d)
{
    return COSIM_CAT(COSIM_BLOCK, _in_desc)(static_cast<const Cfg *>(cfg), d);
}
uint32_t out_desc(const void *cfg, struct port_desc *d)
{
    return COSIM_CAT(COSIM_BLOCK, _out_desc)(static_cast<const Cfg *>(cfg), d);
}
void skip(void *block, uint64_t cycles)
{
    const struct COSIM_CAT(COSIM_BLOCK, _in) nothing = {};
    for (uint64_t i = 0; i < cycles; i++) face(block)->tick(&nothing);
}

const struct block_ops ops = {
    .name = kName,
    .face = "rtl",
    .create = create,
    .destroy = [](void *b) { delete face(b); },
    .reset = [](void *b) { face(b)->reset(); },
    .eval = [](void *b, const void *in, void *out) { face(b)->eval(in, out); },
    .tick = [](void *b, const void *in) { face(b)->tick(in); },
    .step =
        [](void *b, const void *in, void *out) {
            face(b)->eval(in, out);
            face(b)->tick(in);
        },
    .idle = [](const void *) { return false; }, // not visible from outside
    .skip = skip,
    .params = COSIM_CAT(COSIM_BLOCK, _params),
    .in_desc = in_desc,
    .out_desc = out_desc,
    .cfg_size = sizeof(Cfg),
    .in_size = sizeof(struct COSIM_CAT(COSIM_BLOCK, _in)),
    .out_size = sizeof(struct COSIM_CAT(COSIM_BLOCK, _out)),
};
BLOCK_REGISTER(ops);
} // namespace
