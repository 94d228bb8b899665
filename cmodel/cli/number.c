/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/number.h"

#include <math.h>

const char *number_text(char text[static NUMBER_TEXT], double value, int decimals)
{
    if (isnan(value))
        snprintf(text, NUMBER_TEXT, "-");
    else
        snprintf(text, NUMBER_TEXT, "%.*f", decimals, value);
    return text;
}

const char *number_percent(char text[static NUMBER_TEXT], double share, int decimals, const char *sign)
{
    if (isnan(share)) return number_text(text, share, decimals);
    snprintf(text, NUMBER_TEXT, "%.*f%s", decimals, 100 * share, sign);
    return text;
}

json_t *number_json(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

json_t *number_of(uint64_t value, bool there)
{
    return there ? json_integer((json_int_t)value) : json_null();
}

void number_csv(FILE *to, double value)
{
    if (!isnan(value)) fprintf(to, "%.*g", NUMBER_DIGITS, value);
}
