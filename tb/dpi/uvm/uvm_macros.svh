// SPDX-License-Identifier: Apache-2.0
`define uvm_object_utils(T)
`define uvm_component_utils(T)
`define uvm_fatal(ID, TEXT) $fatal(1, "%s: %s", ID, TEXT);
