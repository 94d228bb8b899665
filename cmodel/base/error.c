#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(struct error *err, const char *format, ...)
{
    if (!err || err->text[0]) return false;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}
