// SPDX-License-Identifier: Apache-2.0
// Headers that every Verilated class and every bench includes, and that are not of this tree.  They take longer to read
// than most of these classes to compile, so that rules.py precompiles them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "verilated.h"
#if VM_SC
#include "verilated_sc.h"
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif
