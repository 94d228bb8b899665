// SPDX-License-Identifier: Apache-2.0
// Codes of the MSHR files, mshr and dl_mshr: what rsp_result_o and error_o say.  The list of the C twins is MSHR_RESULT and
// MSHR_ERROR of cmodel/blocks/mshr_file.h.
//
// Included in the module, since Verilator, Yosys and Icarus find a package only if its file stands before the modules that use
// it, and find a header by its name.
localparam logic [2:0] Primary   = 3'd0;
localparam logic [2:0] Secondary = 3'd1;
localparam logic [2:0] RfEntry   = 3'd2;
localparam logic [2:0] RfMerge   = 3'd3;
localparam logic [2:0] RfDrain   = 3'd4;
localparam logic [1:0] ErrorFill = 2'd1;
