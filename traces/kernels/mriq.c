/* SPDX-License-Identifier: Apache-2.0 */
/* mriq: the matrix Q of a reconstruction of magnetic resonance images (Parboil, mri-q).  A thread a voxel adds sines
 * and cosines over all samples, which are in constant memory, 1024 a launch: hardly a memory access.  There they are
 * operands of arithmetic, or with constants=1 a load of 16 bytes an iteration. */
#include <math.h>

#include "program.h"

#define SAMPLES 1024 /* of a launch */
#define BLOCK 256
#define TURN 6.2831853071795864769252867665590058f

struct mriq {
    gf32 phi_r, phi_i, phi_mag, x, y, z, q_r, q_i;
    float *kx, *ky, *kz;
    craw chunk; /* struct sample[SAMPLES]: those of this launch */
    int samples, voxels;
    int first; /* sample of this launch */
};

struct sample {
    float kx, ky, kz, phi_mag;
};

static void phi_mag_kernel(struct warp *w)
{
    const struct mriq *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->samples)) {
        vf32 real = vvar(vload(k->phi_r, i)), imaginary = vvar(vload(k->phi_i, i));
        vstore(k->phi_mag, i, vmad(real, real, vmul(imaginary, imaginary)));
    }
}

/* A word of constant memory, an operand of the instruction that uses it. */
static vf32 constant(const float *at, const vi32 *i, const struct mriq *k)
{
    vf32 v = {.r = i->r};
    for (int l = 0; l < WARP_SIZE; l++) v.lane[l] = i->lane[l] < k->samples ? at[i->lane[l]] : 0;
    return v;
}

static void q_kernel(struct warp *w)
{
    const struct mriq *k = simt_args(w);
    const int end = k->first + SAMPLES < k->samples ? k->first + SAMPLES : k->samples;
    vi32 voxel = vvar(vglobal_x());
    SIMT_IF (vlt(voxel, k->voxels)) {
        vf32 x = vvar(vload(k->x, voxel)), y = vvar(vload(k->y, voxel)), z = vvar(vload(k->z, voxel));
        vf32 real = vvar(vload(k->q_r, voxel)), imaginary = vvar(vload(k->q_i, voxel));
        vi32 i = vvar(k->first);
        SIMT_WHILE (vlt(i, end)) {
            vf32 sum =
                vmad(z, constant(k->kz, &i, k), vmad(y, constant(k->ky, &i, k), vmul(x, constant(k->kx, &i, k))));
            vf32 angle = vvar(vmul(sum, TURN));
            vset(real, vmad(vcos(angle), constant(k->phi_mag.host, &i, k), real));
            vset(imaginary, vmad(vsin(angle), constant(k->phi_mag.host, &i, k), imaginary));
            vset(i, vadd(i, 1));
        }
        vstore(k->q_r, voxel, real);
        vstore(k->q_i, voxel, imaginary);
    }
}

/* A number of a sample that was loaded. */
static vf32 number(const vpart *sample, size_t offset)
{
    vf32 v = {.r = sample->r};
    for (int l = 0; l < WARP_SIZE; l++) memcpy(&v.lane[l], sample->lane[l] + offset, sizeof v.lane[l]);
    return v;
}
#define NUMBER(field) number(&sample, offsetof(struct sample, field))

static void q_constants_kernel(struct warp *w)
{
    const struct mriq *k = simt_args(w);
    const int count = k->samples - k->first < SAMPLES ? k->samples - k->first : SAMPLES;
    vi32 voxel = vvar(vglobal_x());
    SIMT_IF (vlt(voxel, k->voxels)) {
        vf32 x = vvar(vload(k->x, voxel)), y = vvar(vload(k->y, voxel)), z = vvar(vload(k->z, voxel));
        vf32 real = vvar(vload(k->q_r, voxel)), imaginary = vvar(vload(k->q_i, voxel));
        vi32 i = vvar(0);
        SIMT_WHILE (vlt(i, count)) {
            vpart sample = vconstant_part(k->chunk, i, 0, sizeof(struct sample));
            vf32 sum = vmad(z, NUMBER(kz), vmad(y, NUMBER(ky), vmul(x, NUMBER(kx))));
            vf32 angle = vvar(vmul(sum, TURN));
            vset(real, vmad(vcos(angle), NUMBER(phi_mag), real));
            vset(imaginary, vmad(vsin(angle), NUMBER(phi_mag), imaginary));
            vset(i, vadd(i, 1));
        }
        vstore(k->q_r, voxel, real);
        vstore(k->q_i, voxel, imaginary);
    }
}

/* The host's copy to constant memory. */
static void copy_chunk(const struct mriq *k)
{
    struct sample *to = (struct sample *)k->chunk.host;
    for (int i = k->first; i < k->samples && i < k->first + SAMPLES; i++)
        *to++ = (struct sample){k->kx[i], k->ky[i], k->kz[i], k->phi_mag.host[i]};
}

static void launch_q(struct host *h, struct mriq *k, bool constants)
{
    if (constants) copy_chunk(k);
    line_launch(h, "ComputeQ_GPU", constants ? q_constants_kernel : q_kernel, k, k->voxels, BLOCK, constants ? 24 : 20);
}

static void mriq_host(struct host *h, void *state)
{
    struct mriq *k = state;
    k->samples = option(h, "samples");
    k->voxels = option(h, "voxels");
    const bool constants = option(h, "constants");
    const uint64_t samples = (uint64_t)k->samples, voxels = (uint64_t)k->voxels;
    float **const axes[] = {&k->kx, &k->ky, &k->kz};
    k->phi_r = random_f32(h, "phiR_d", samples);
    k->phi_i = random_f32(h, "phiI_d", samples);
    k->phi_mag = device_f32(h, "phiMag_d", samples);
    k->x = random_f32(h, "x_d", voxels);
    k->y = random_f32(h, "y_d", voxels);
    k->z = random_f32(h, "z_d", voxels);
    k->q_r = device_f32(h, "Qr_d", voxels);
    k->q_i = device_f32(h, "Qi_d", voxels);
    if (constants) k->chunk = constant_raw(h, "ck", SAMPLES, sizeof(struct sample));
    for (int i = 0; i < 3; i++) *axes[i] = host_alloc(h, samples * sizeof(float));
    for (uint64_t i = 0; i < samples; i++)
        for (int c = 0; c < 3; c++) (*axes[c])[i] = (float)rng_unit(host_rng(h)) - 0.5f;
    line_launch(h, "ComputePhiMag_GPU", phi_mag_kernel, k, k->samples, 512, 10);
    for (k->first = 0; k->first < k->samples; k->first += SAMPLES) launch_q(h, k, constants);
}

static bool mriq_check(struct host *h, void *state, struct error *err)
{
    const struct mriq *k = state;
    const uint64_t voxels = (uint64_t)k->voxels;
    float *mag = host_alloc(h, (uint64_t)k->samples * sizeof *mag), *r = host_alloc(h, voxels * 4);
    float *im = host_alloc(h, voxels * 4);
    for (int i = 0; i < k->samples; i++)
        mag[i] = k->phi_r.host[i] * k->phi_r.host[i] + k->phi_i.host[i] * k->phi_i.host[i];
    for (int v = 0; v < k->voxels; v++)
        for (int i = 0; i < k->samples; i++) {
            const float across = k->x.host[v] * k->kx[i] + 0, up = k->y.host[v] * k->ky[i] + across;
            const float angle = (k->z.host[v] * k->kz[i] + up) * TURN;
            r[v] += cosf(angle) * mag[i];
            im[v] += sinf(angle) * mag[i];
        }
    return check_f32(k->phi_mag, mag, 0, err) && check_f32(k->q_r, r, 0, err) && check_f32(k->q_i, im, 0, err);
}

static const struct kernel_def mriq = {
    .name = "mriq",
    .summary = "sines and cosines over samples in constant memory",
    .origin = "Parboil mri-q",
    .options = {{"samples", "of the scanner", NULL, 1024, 1, 1 << 20},
                {"voxels", "of the image", NULL, 32768, 1, 1 << 24},
                {"constants", "1: loads samples from constant memory; 0: they are operands", NULL, 0, 0, 1}},
    .added = "constants",
    .suites = "parboil",
    .tables = "Gu20 2.3",
    .small = "samples=20,voxels=40",
    .reduced = "samples=64,voxels=4096",
    .state_bytes = sizeof(struct mriq),
    .host = mriq_host,
    .check = mriq_check,
};
KERNEL_REGISTER(mriq)
