/* SPDX-License-Identifier: Apache-2.0 */
/* Every warp may issue. */
#include "system/sm/throttle.h"

static const struct throttle none = {.policy = {"none", "no throttling"}};
THROTTLE_REGISTER(none);
