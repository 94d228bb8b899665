# SPDX-License-Identifier: Apache-2.0
# Minimum period, critical path and power of a netlist, by OpenSTA.  Settings come from the environment (synth.py); times are in the
# library's unit.  OpenSTA ends with status 0 whatever happens: what counts is the line RESULT at the end.
proc run {} {
    foreach l $::env(LIBS) { read_liberty $l }
    read_verilog $::env(NETLIST)
    link_design $::env(TOP)
    set period $::env(PERIOD)
    create_clock -name clk -period $period [get_ports clk_i]
    set inputs {}
    foreach p [all_inputs] { if {[get_property $p full_name] ne "clk_i"} { lappend inputs $p } }
    if {[llength $inputs]} {
        set_input_delay 0 -clock clk $inputs
        set_driving_cell -lib_cell $::env(DRIVER) $inputs
    }
    set_output_delay 0 -clock clk [all_outputs]
    set_load $::env(LOAD) [all_outputs]
    set_power_activity -global -activity $::env(ACTIVITY) -duty $::env(DUTY)
    if {[llength $inputs]} { set_power_activity -input -activity $::env(INPUT_ACTIVITY) -duty $::env(INPUT_DUTY) }
    report_checks -path_delay max -fields {cap slew} -digits 4 -format full_clock
    set path [lindex [find_timing_paths -path_delay max] 0]
    set slack [expr {$path eq "" ? $period : [get_property $path slack]}]
    report_power
    puts [format "RESULT min_period %.5f" [expr {$period - $slack}]]
}
if {[catch run message]} { puts "STA ERROR: $message" }
exit
