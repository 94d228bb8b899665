/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/input_kind.h"

static const struct input_kind fifo = {.policy = {"fifo", "requests enter the slice in the order of their arrival"}};
INPUT_KIND_REGISTER(fifo);
