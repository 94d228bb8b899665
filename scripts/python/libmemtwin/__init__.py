# SPDX-License-Identifier: Apache-2.0
"""memtwin from Python: the twins of its hardware blocks, Verilated RTL beside them, and the machine.

    from libmemtwin import Machine, Mshr, Rtl

    twin = Mshr(Entries=4, Slots=2, AddrW=16, InfoW=8)
    print(twin.step(req_valid_i=1, req_addr_i=1, req_info_i=10).rsp_result_o)
    print(twin.registers['used_slots_q'])

    machine = Machine('preset=dlmshr-002-t3.2', 'sm.count=2')
    machine.run('vecadd:n=4096')
    print(machine.counters()['gpu.ipc'])

make python writes this package and its library into build/python.  Blocks, options and counters are generated from the lists that the C code and
the RTL are made of."""
from libmemtwin.machine import Done, Failure, Machine, MachineState
from libmemtwin.names import COUNTERS, KERNELS, OPTIONS, PRESETS
from libmemtwin.twin import Rtl, Twin, TwinState

__all__ = ['COUNTERS', 'KERNELS', 'OPTIONS', 'PRESETS']
__all__ += ['Done', 'Failure', 'Machine', 'MachineState', 'Rtl', 'Twin', 'TwinState']
