/* SPDX-License-Identifier: Apache-2.0 */
/* A ratio with denominator 0 is no number: NaN in the program, "-" in text, null in JSON, empty in CSV. */
#ifndef MEMTWIN_RATIO_H
#define MEMTWIN_RATIO_H
#include <math.h>

static inline double ratio_of(double numerator, double denominator)
{
    return denominator == 0 ? (double)NAN : numerator / denominator;
}
#endif
