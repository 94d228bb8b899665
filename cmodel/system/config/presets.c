/* SPDX-License-Identifier: Apache-2.0 */
/* The presets linked into the program (presets.mk). */
#include <stdio.h>
#include <string.h>

#include "system/config/options.h"

extern const struct preset __start_memtwin_presets[], __stop_memtwin_presets[];

const struct preset *preset_get(uint32_t i)
{
    return &__start_memtwin_presets[i];
}

uint32_t preset_count(void)
{
    return (uint32_t)(__stop_memtwin_presets - __start_memtwin_presets);
}

void preset_summary(const struct preset *p, char text[static 128])
{
    const char *start = p->text + strspn(p->text, ";# ");
    snprintf(text, 128, "%.*s", (int)strcspn(start, "\n"), start);
}

bool preset_is_machine(const struct preset *p)
{
    return strstr(p->text, "\npreset = ") != NULL;
}
