/* SPDX-License-Identifier: Apache-2.0 */
/* Every warp may issue. */
#include "system/sm/throttle.h"

static const struct throttle none = {.policy = {"none", "every warp may issue"}};
THROTTLE_REGISTER(none);
