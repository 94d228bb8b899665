/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/accelsim.h"

const char *const accelsim_loss_name[LOSSES] = {
#define ACCELSIM_LOSS(name, meaning) #name,
    ACCELSIM_LOSSES(ACCELSIM_LOSS)
#undef ACCELSIM_LOSS
};

const char *const accelsim_loss_meaning[LOSSES] = {
#define ACCELSIM_LOSS(name, meaning) meaning,
    ACCELSIM_LOSSES(ACCELSIM_LOSS)
#undef ACCELSIM_LOSS
};
