# SPDX-License-Identifier: Apache-2.0
# Setup, hold, clock skew and power of a routed netlist, by OpenSTA with the wires' SPEF.  Settings come from the environment
# (layout/timing.py); times are in the library's unit.  The block's neighbours have a clock of the same latency as its own flip-flops.
set sta_report_default_digits 4
proc run {} {
    foreach l $::env(LIBS) { read_liberty $l }
    read_verilog $::env(NETLIST)
    link_design $::env(TOP)
    set period $::env(PERIOD)
    create_clock -name clk -period $period [get_ports clk_i]
    create_clock -name outside -period $period
    set_clock_latency $::env(LATENCY) [get_clocks outside]
    if {$::env(TREE)} { set_propagated_clock [get_clocks clk] }
    set inputs {}
    foreach p [all_inputs] { if {[get_property $p full_name] ne "clk_i"} { lappend inputs $p } }
    if {[llength $inputs]} {
        set_input_delay 0 -clock outside $inputs
        set_driving_cell -lib_cell $::env(DRIVER) $inputs
    }
    set_driving_cell -lib_cell $::env(DRIVER) [get_ports clk_i]
    set_output_delay 0 -clock outside [all_outputs]
    set_load $::env(LOAD) [all_outputs]
    read_spef $::env(SPEF)
    set_power_activity -global -activity $::env(ACTIVITY) -duty 0.5
    if {[llength $inputs]} { set_power_activity -input -activity $::env(INPUT_ACTIVITY) -duty 0.5 }
    report_checks -path_delay max -fields {cap slew} -digits 4 -format full_clock
    puts "HOLD"
    report_checks -path_delay min -fields {cap slew} -digits 4 -format full_clock
    foreach {name delay} {setup max hold min} {
        set slack $period
        foreach path [find_timing_paths -path_delay $delay] { # the worst of each clock
            set slack [expr {min($slack, [get_property $path slack])}]
        }
        puts [format "RESULT %s %.5f" $name $slack]
    }
    report_power
    if {$::env(TREE)} {
        puts "CLOCK TREE"
        report_power -instances [get_cells CLKBUF1_l*]
    }
    foreach pin $::env(CLOCKED) { puts "ARRIVAL $pin"; report_arrival $pin }
    puts "RESULT done 1"
}
if {[catch run message]} { puts "STA ERROR: $message" }
exit
