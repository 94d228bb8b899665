// SPDX-License-Identifier: Apache-2.0
// dl_mshr beside its C twin behind DPI-C, in one SystemVerilog bench: random inputs, all outputs compared in every cycle.
// Written for `verilator --binary`; the only delay is the clock's, outside of any loop with a variable bound.
module dl_mshr_dpi_tb;
  import "DPI-C" function chandle dl_mshr_dpi_new(input int sets, input int slots, input int addr_w, input int info_w, input int reserved);
  import "DPI-C" function void dl_mshr_dpi_eval(input chandle h, input int unsigned inputs, input longint unsigned req_addr,
                                                input int unsigned req_info, input longint unsigned fill_addr,
                                                output longint unsigned out [15]);
  import "DPI-C" function void dl_mshr_dpi_clock(input chandle h, input int unsigned reset);

  localparam int Sets = 8, Slots = 2, AddrW = 8, InfoW = 8, Reserved = 4;

  logic clk = 1'b0, rst_n = 1'b0;
  logic req_valid, req_ready, req_write, rsp_valid, fill_valid, fill_ready, drain_valid, drain_ready, drain_write, drain_data, drain_last;
  logic [AddrW-1:0] req_addr, fill_addr, drain_addr;
  logic [InfoW-1:0] req_info, drain_info;
  logic [2:0] rsp_result, rsp_set;
  logic [3:0] free, free_reserved;
  logic [4:0] used_slots;
  logic [1:0] error;

  mt_dl_mshr #(.Sets(Sets), .Slots(Slots), .AddrW(AddrW), .InfoW(InfoW), .Reserved(Reserved)) u_rtl (
    .clk_i(clk), .rst_ni(rst_n),
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_addr_i(req_addr), .req_info_i(req_info), .req_write_i(req_write), .req_data_i(1'b0),
    .rsp_valid_o(rsp_valid), .rsp_result_o(rsp_result), .rsp_set_o(rsp_set),
    .fill_valid_i(fill_valid), .fill_ready_o(fill_ready), .fill_addr_i(fill_addr),
    .drain_valid_o(drain_valid), .drain_ready_i(drain_ready), .drain_addr_o(drain_addr), .drain_info_o(drain_info),
    .drain_write_o(drain_write), .drain_data_o(drain_data), .drain_last_o(drain_last),
    .free_o(free), .free_reserved_o(free_reserved), .used_slots_o(used_slots), .error_o(error)
  );

  chandle twin;
  int seed, cycles, cycle = 0, taken = 0;
  longint unsigned rtl_out [15], twin_out [15];
  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("cycles=%d", cycles)) cycles = 100000;
    void'($urandom(seed));
    twin = dl_mshr_dpi_new(Sets, Slots, AddrW, InfoW, Reserved);
  end

  always #1 clk = ~clk;

  // Inputs change with the falling edge; the rising edge finds everything settled.
  always @(negedge clk) begin
    rst_n       = cycle % 4096 > 1;
    req_valid   = $urandom_range(3) != 0;
    req_write   = $urandom_range(1) != 0;
    req_addr    = AddrW'($urandom_range(15));
    req_info    = InfoW'($urandom());
    fill_valid  = $urandom_range(7) == 0;
    fill_addr   = AddrW'($urandom_range(15));
    drain_ready = $urandom_range(1) != 0;
  end

  always @(posedge clk) begin
    dl_mshr_dpi_eval(twin, {28'd0, drain_ready, fill_valid, req_write, req_valid}, 64'(req_addr), 32'(req_info), 64'(fill_addr), twin_out);
    rtl_out[0] = 64'(req_ready);    rtl_out[1] = 64'(rsp_valid);   rtl_out[2] = 64'(rsp_result);   rtl_out[3] = 64'(rsp_set);
    rtl_out[4] = 64'(fill_ready);   rtl_out[5] = 64'(drain_valid); rtl_out[6] = 64'(drain_addr);   rtl_out[7] = 64'(drain_info);
    rtl_out[8] = 64'(drain_write);  rtl_out[9] = 64'(drain_data);  rtl_out[10] = 64'(drain_last);  rtl_out[11] = 64'(free);
    rtl_out[12] = 64'(free_reserved); rtl_out[13] = 64'(used_slots); rtl_out[14] = 64'(error);
    for (int i = 0; i < 15; i++)
      if (cycle > 0 && rtl_out[i] !== twin_out[i]) begin
        $display("FAIL tb dl_mshr/dpi  seed=%0d cycle=%0d  output %0d of dl_mshr_ports.h: rtl=0x%0h model=0x%0h", seed, cycle, i, rtl_out[i], twin_out[i]);
        $display("  rerun  make tb BLOCK=dl_mshr SET=dpi SEED=%0d CYCLES=%0d", seed, cycles);
        $finish;
      end
    if (drain_valid && drain_ready) taken++;
    dl_mshr_dpi_clock(twin, 32'(!rst_n));
    cycle++;
    if (cycle >= cycles) begin
      $display("PASS tb dl_mshr/dpi        seed=%0d %0d cycles  random, %0d slots came out", seed, cycles, taken);
      $finish;
    end
  end
endmodule
