/* SPDX-License-Identifier: Apache-2.0 */
/* No throttling. */
#include "system/sm/throttle.h"

static const struct throttle none = {.policy = {"none", "no throttling"}};
THROTTLE_REGISTER(none, .plain = true);
