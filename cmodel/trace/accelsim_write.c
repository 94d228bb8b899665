/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "trace/accelsim.h"
#include "trace/check.h"
#include "trace/serial.h"
#include "trace/tracez.h"

/* Address spaces of the header.  No exported access is generic, so no address is looked up in them. */
#define SHARED_BASE "0x00007f0000000000"
#define LOCAL_BASE "0x00007f0002000000"

struct accelsim_writer {
    struct source *source;
    const char *folder;
    const struct accelsim_form *form;
    FILE *to; /* the current kernel's text; in a .tracez: its lines */
    struct tracez_writer tracez;
    struct kernel_info kernel;
    struct launches launches; /* `list` NULL: the source has none */
    uint32_t lanes;           /* of the current warp */
    struct serial serial;
};

/* Opcodes that Volta's table in Accel-Sim knows, and that the reader maps back. */
static const char *const opcodes[INST_OPS] = {[INST_SP] = "FADD",
                                              [INST_SFU] = "MUFU.RCP",
                                              [INST_LOAD] = "LDG.E",
                                              [INST_STORE] = "STG.E",
                                              [INST_SHARED_LOAD] = "LDS",
                                              [INST_EXIT] = "EXIT",
                                              [INST_SHARED_STORE] = "STS",
                                              [INST_BARRIER] = "BAR.SYNC",
                                              [INST_ATOMIC] = "ATOMG.E.ADD",
                                              [INST_LOAD_L2] = "LDG.E",
                                              [INST_COPY] = "LDGSTS.E",
                                              [INST_COPY_L2] = "LDGSTS.E.BYPASS",
                                              [INST_COMMIT] = "LDGDEPBAR",
                                              [INST_WAIT] = "DEPBAR.LE",
                                              [INST_ARRIVE] = "ARRIVES.LDGSTSBAR.64",
                                              [INST_AWAIT] = "SYNCS.PHASECHK.TRANS64.TRYWAIT",
                                              [INST_INT] = "IADD3",
                                              [INST_DP] = "DADD",
                                              [INST_TENSOR] = "HMMA.16816.F32",
                                              [INST_CONST_LOAD] = "LDC"};

static const char *opcode_of(const struct inst *inst)
{
    return inst->op == INST_ATOMIC && inst->dst == INST_NO_REG ? "RED.E.ADD" : opcodes[inst->op];
}

static const char *size_modifier(uint8_t bytes)
{
    switch (bytes) {
    case 1:
        return ".U8";
    case 2:
        return ".U16";
    case 8:
        return ".64";
    case 16:
        return ".128";
    case 32:
        return ".256";
    default:
        return "";
    }
}

static void print_header(const struct accelsim_writer *w)
{
    const struct kernel_info *k = &w->kernel;
    const uint32_t *g = k->grid, *b = k->block;
    fprintf(w->to, "-kernel name = %s\n-kernel id = %" PRIu32 "\n", k->name, w->serial.number + 1);
    fprintf(w->to, "-grid dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", g[0], g[1], g[2]);
    fprintf(w->to, "-block dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")\n", b[0], b[1], b[2]);
    fprintf(w->to, "-shmem = %" PRIu32 "\n-nregs = %" PRIu32 "\n", k->shared_bytes, k->regs_per_thread);
    fprintf(w->to, "-binary version = %d\n", w->form->version < 6 ? 70 : 90);
    fprintf(w->to, "-cuda stream id = %" PRIu64 "\n", k->stream);
    fputs("-shmem base_addr = " SHARED_BASE "\n-local mem base_addr = " LOCAL_BASE "\n-nvbit version = 1.5.5\n", w->to);
    fprintf(w->to, "-accelsim tracer version = %" PRIu32 "\n-enable lineinfo = 0\n\n", w->form->version);
    fprintf(w->to,
            "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [addresses]%s\n\n",
            w->form->version < 4   ? ""
            : w->form->version < 6 ? " immediate"
                                   : " immediate1 immediate2 NoVal");
}

static void print_block(void *context, uint32_t block)
{
    struct accelsim_writer *w = context;
    const uint32_t *g = w->kernel.grid, at[3] = {block % g[0], block / g[0] % g[1], block / g[0] / g[1]};
    if (w->form->tracez) {
        tracez_write_block(&w->tracez, at, kernel_warps(&w->kernel));
        return;
    }
    fprintf(w->to, "#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", at[0], at[1], at[2]);
    if (w->form->version >= 6)
        fprintf(w->to, "cluster id = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\ncluster cta = 0,0,0\ncluster rank = 0\n",
                at[0], at[1], at[2]);
}

static void print_warp(void *context, uint32_t warp, uint64_t insts)
{
    struct accelsim_writer *w = context;
    w->lanes = kernel_lanes(&w->kernel, warp);
    if (w->form->tracez)
        tracez_write_warp(&w->tracez, insts);
    else
        fprintf(w->to, "\nwarp = %" PRIu32 "\ninsts = %" PRIu64 "\n", warp, insts);
}

static void print_registers(FILE *to, const uint8_t *regs, int n)
{
    int used = 0;
    for (int i = 0; i < n; i++) used += regs[i] != INST_NO_REG;
    fprintf(to, " %d", used);
    for (int i = 0; i < n; i++)
        if (regs[i] != INST_NO_REG) fprintf(to, " R%u", regs[i]);
}

/* The addresses of the active lanes in order. */
static uint32_t gather(const struct inst *inst, uint64_t at[WARP_SIZE])
{
    uint32_t n = 0;
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1) at[n++] = inst->addr[__builtin_ctz(rest)];
    return n;
}

static bool neighbours(uint32_t mask)
{
    const uint32_t run = mask >> __builtin_ctz(mask);
    return !(run & (run + 1));
}

/* Mode 1, base and stride, for neighbouring lanes with one stride; else mode 2, base and differences. */
static void print_addresses(FILE *to, const struct inst *inst)
{
    uint64_t at[WARP_SIZE] = {0};
    const uint32_t n = gather(inst, at);
    const uint64_t stride = n > 1 ? at[1] - at[0] : 0;
    bool even = neighbours(inst->mask);
    for (uint32_t i = 2; i < n; i++) even &= at[i] - at[i - 1] == stride;
    fprintf(to, " %u %d 0x%" PRIx64, inst->size, even ? 1 : 2, at[0]);
    if (even) fprintf(to, " %" PRId64, (int64_t)stride);
    for (uint32_t i = 1; !even && i < n; i++) fprintf(to, " %" PRId64, (int64_t)(at[i] - at[i - 1]));
}

static void print_end(const struct accelsim_writer *w, const struct inst *inst)
{
    const bool wait = inst->op == INST_WAIT;
    if (wait || w->form->version >= 4) fprintf(w->to, " %u", wait ? inst->count - 1u : 0);
    fputs(w->form->version >= 6 ? " 0 NoVal \n" : " \n", w->to);
}

static void print_once(const struct accelsim_writer *w, const struct inst *inst)
{
    const bool memory = inst_is_memory(inst->op);
    /* A barrier and an exit are the whole warp's: their mask may be 0. */
    const bool whole = !inst->mask && (inst->op == INST_BARRIER || inst->op == INST_EXIT);
    fprintf(w->to, "%04" PRIx32 " %08" PRIx32, inst->pc, whole ? w->lanes : inst->mask);
    print_registers(w->to, &inst->dst, 1);
    fprintf(w->to, " %s%s%s", opcode_of(inst), memory ? size_modifier(inst->size) : "",
            inst->op == INST_LOAD_L2 ? ".STRONG.GPU" : "");
    print_registers(w->to, inst->src, INST_MAX_SRC);
    if (memory)
        print_addresses(w->to, inst);
    else if (inst_has_mbarrier(inst->op))
        fprintf(w->to, " 8 1 0x%x 0", inst->size * 8u);
    else
        fputs(" 0", w->to);
    print_end(w, inst);
}

static void print_inst(void *context, uint32_t warp, const struct inst *inst)
{
    struct accelsim_writer *w = context;
    (void)warp;
    for (uint16_t i = 0; i < inst_length(inst); i++) {
        print_once(w, inst);
        if (w->form->tracez) tracez_write_line(&w->tracez);
    }
}

static bool print_blocks(struct accelsim_writer *w, const struct trace_progress *progress, struct error *err)
{
    const struct serial_visitor visitor = {print_block, print_warp, print_inst, w};
    for (uint32_t b = 0; b < kernel_blocks(&w->kernel); b++) {
        if (!serial_block(&w->serial, b, &visitor, err)) return false;
        if (!w->form->tracez) fputs("\n#END_TB\n\n", w->to);
        progress_step(progress, &w->kernel, b + 1);
    }
    return true;
}

static bool print_tracez(struct accelsim_writer *w, struct output *out, const struct trace_progress *progress,
                         struct error *err)
{
    w->to = out->file;
    print_header(w);
    bool done = tracez_write_begin(&w->tracez, out->file) || error_set(err, "%s: out of memory", out->path);
    w->to = w->tracez.lines;
    done = done && print_blocks(w, progress, err);
    const char *fault = done ? tracez_write_end(&w->tracez) : NULL;
    tracez_write_free(&w->tracez);
    return fault ? error_set(err, "%s: %s", out->path, fault) : done;
}

static bool print_text(struct accelsim_writer *w, struct output *out, const struct trace_progress *progress,
                       struct error *err)
{
    const bool packs = w->form->pack != PACK_NONE;
    w->to = packs ? pack_open(out->file, w->form->pack) : out->file;
    if (!w->to) return error_set(err, "%s: out of memory", out->path);
    print_header(w);
    const bool done = print_blocks(w, progress, err), failed = packs && ferror(w->to);
    if (packs && (fclose(w->to) != 0 || failed) && done) return output_error(out, err);
    return done;
}

typedef bool printer(struct accelsim_writer *w, struct output *out, const struct trace_progress *progress,
                     struct error *err);

static bool write_file(struct accelsim_writer *w, const char *name, printer *print,
                       const struct trace_progress *progress, struct error *err)
{
    struct output out;
    char *path = NULL;
    if (asprintf(&path, "%s/%s", w->folder, name) < 0) return error_set(err, "%s: out of memory", w->folder);
    bool done = output_open(&out, path, err);
    if (done) {
        done = print(w, &out, progress, err) && output_commit(&out, err);
        output_abandon(&out);
    }
    free(path);
    return done;
}

static void kernel_file(const struct accelsim_form *form, uint32_t number, char name[40])
{
    snprintf(name, 40, "kernel-%" PRIu32 ".trace%s%s", number + 1, form->tracez ? "z" : "g", pack_suffix[form->pack]);
}

static bool copied(const struct launches *l, uint32_t kernel)
{
    return kernel < l->count && l->list[kernel].copies != l->list[kernel - 1].copies;
}

/* Stands for all copies between two kernels, for which later kernels wait. */
static void print_copy(const struct accelsim_writer *w, FILE *to)
{
    fprintf(to, "MemcpyDtoH,0x%016" PRIx64 ",0\n", w->source->allocation_count ? w->source->allocations[0].addr : 0);
}

static bool print_list(struct accelsim_writer *w, struct output *out, const struct trace_progress *progress,
                       struct error *err)
{
    char name[40];
    (void)progress;
    (void)err;
    for (uint32_t i = 0; i < w->source->allocation_count; i++) {
        const struct allocation *a = &w->source->allocations[i];
        fprintf(out->file, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", a->addr, a->bytes);
    }
    for (uint32_t i = 0; i < w->serial.number; i++) {
        if (i && copied(&w->launches, i)) print_copy(w, out->file);
        kernel_file(w->form, i, name);
        fprintf(out->file, "%s\n", name);
    }
    return true;
}

static bool write_all(struct accelsim_writer *w, const struct trace_progress *progress, struct error *err)
{
    enum source_status status;
    char name[40];
    while ((status = w->source->ops->next_kernel(w->source, &w->kernel, err)) == SOURCE_OK) {
        kernel_file(w->form, w->serial.number, name);
        if (!write_file(w, name, w->form->tracez ? print_tracez : print_text, progress, err)) return false;
        w->serial.number++;
    }
    return status == SOURCE_END && progress_accept(progress, w->source, err) &&
           write_file(w, "kernelslist.g", print_list, progress, err);
}

bool accelsim_write(struct source *source, const char *path, const struct accelsim_form *form,
                    const struct trace_progress *progress, struct error *err)
{
    struct output_folder folder;
    if (!output_folder_open(&folder, path, err)) return false;
    struct accelsim_writer w = {.source = source, .folder = folder.temporary, .form = form};
    const bool done = (!source->launches || source->launches(source, &w.launches, err)) &&
                      serial_begin(&w.serial, source, &w.kernel, err) && write_all(&w, progress, err) &&
                      output_folder_commit(&folder, err);
    serial_end(&w.serial);
    free(w.launches.list);
    output_folder_abandon(&folder);
    return done;
}
