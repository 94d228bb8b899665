// SPDX-License-Identifier: Apache-2.0
// mshr in lockstep: Gu20, section 3.2.
#include "blocks/miss_traffic.hpp"
#include "scenarios.cpp"

struct Stimulus : MissTraffic {
    Stimulus() : MissTraffic(cfg.Entries)
    {
    }
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const single = cfg.Slots > 1 ? nullptr : "an entry has one slot only";
        const bool v = out.rsp_valid_o, primary = v && out.rsp_result_o == MSHR_PRIMARY;
        const bool taken = out.drain_valid_o && in.drain_ready_i, last = taken && out.drain_last_o;
        const bool fill = in.fill_valid_i && out.fill_ready_o, known = fill && same_line(m, in.fill_addr_i);
        cover("PRIMARY", primary);
        cover("PRIMARY takes the last free entry", primary && m.n_free_q == 1 && !last);
        cover("PRIMARY takes the entry that is being freed", primary && m.n_free_q == 0);
        cover("PRIMARY for the line whose last slot leaves", primary && last && in.req_addr_i == out.drain_addr_o);
        cover("SECONDARY", v && out.rsp_result_o == MSHR_SECONDARY, single);
        cover("RF_ENTRY", v && out.rsp_result_o == MSHR_RF_ENTRY);
        cover("RF_MERGE", v && out.rsp_result_o == MSHR_RF_MERGE);
        cover("RF_MERGE while entries are free", v && out.rsp_result_o == MSHR_RF_MERGE && m.n_free_q);
        cover("RF_DRAIN, the line drains", v && out.rsp_result_o == MSHR_RF_DRAIN && !fill);
        cover("RF_DRAIN, the line's fill is taken",
              v && out.rsp_result_o == MSHR_RF_DRAIN && known && in.req_addr_i == in.fill_addr_i);
        cover("everything is free", m.used_slots_q == 0);
        cover("every slot is occupied", m.used_slots_q == cfg.Entries * cfg.Slots);
        cover("a slot waits to be taken", out.drain_valid_o && !in.drain_ready_i);
        cover("an entry drains more than one slot", taken && !out.drain_last_o, single);
        cover("a write comes out", taken && out.drain_write_o);
        cover("a read comes out", taken && !out.drain_write_o);
        cover("write data comes out", taken && out.drain_data_o[0],
              cfg.DataW ? nullptr : "there is no write data buffer");
        cover("a fill waits for the drain", in.fill_valid_i && !out.fill_ready_o);
        cover("a fill is taken with the last slot of another line", known && last);
        cover("a fill for the line whose last slot leaves", fill && last && in.fill_addr_i == out.drain_addr_o);
        cover("a fill for an unknown line", fill && !known);
        cover("the error is raised", out.error_o == MSHR_ERROR_FILL);
        cover("request, fill and last slot in one cycle", v && known && last);
    }

    static bool same_line(const Twin &m, uint64_t line)
    {
        bool any = false;
        for (uint32_t i = 0; i < cfg.Entries; i++) any |= m.live_q[i] && m.addr_q[i] == line;
        return any;
    }
};

COSIM_MAIN
