// SPDX-License-Identifier: Apache-2.0
// Headers from outside this tree that every Verilated class and every bench includes.  Reading them takes longer than
// compiling most of these classes, so rules.py precompiles this file.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "verilated.h"
#if VM_SC
#include "verilated_sc.h"
#endif
#if VM_COVERAGE
#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif
