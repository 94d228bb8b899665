/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/input_kind.h"

static const struct input_kind fifo = {.policy = {"fifo", "arrival order"}};
INPUT_KIND_REGISTER(fifo, .plain = true);
