// SPDX-License-Identifier: Apache-2.0
// Registers of a block or of one of its parts, RTL beside twin.  Included once for each (block.hpp) with STATE_TWIN,
// the block's stem; STATE_LIST, the stem in capitals; STATE_CFG, its parameters; STATE_SIGNAL(x), the name of its
// register x in the Verilated root.  Defines its own namespace.  Uses templates, because only there `if constexpr` may
// name a signal that does not exist.  A combinational block has neither registers nor tables.
#define STATE_NAMESPACE COSIM_CAT(state_of_, STATE_TWIN)
namespace STATE_NAMESPACE
{
COSIM_DESC(STATE_TWIN, STATE_LIST)
COSIM_CONST struct COSIM_CAT(STATE_TWIN, _cfg) part = STATE_CFG;
COSIM_CONST struct COSIM_CAT(STATE_TWIN, _cfg) *p = &part; // the lists' widths are expressions over p

#ifdef COSIM_RTL
template <class Root> inline bool differ([[maybe_unused]] const Root &root, [[maybe_unused]] const struct STATE_TWIN &m)
{
    uint64_t any = 0;
    COSIM_CAT(STATE_LIST, _REG)(COSIM_REG_DIFFER) COSIM_CAT(STATE_LIST, _MEM)(COSIM_MEM_DIFFER) return any != 0;
}
template <class Root> inline void load([[maybe_unused]] struct STATE_TWIN &m, [[maybe_unused]] const Root &root)
{
    COSIM_CAT(STATE_LIST, _REG)(COSIM_REG_GET) COSIM_CAT(STATE_LIST, _MEM)(COSIM_MEM_GET)
}
#endif
inline void list(std::vector<port_desc> &all, const char *prefix, size_t offset)
{
    cosim::list_registers(all, COSIM_CAT(STATE_TWIN, _state_desc), p, prefix, offset);
}
} // namespace STATE_NAMESPACE
#undef STATE_NAMESPACE
#undef STATE_TWIN
#undef STATE_LIST
#undef STATE_CFG
#undef STATE_SIGNAL
