// SPDX-License-Identifier: Apache-2.0
// Factor table for the least common multiple of the kernels' ratios: the 18 prime powers that divide a number of 1 to 32.
//
// Combinational ROM.  A step in which a ratio is divided multiplies the quotas of the other kernels by the prime.
module mt_qbmi_step #(
  parameter int Kernels = 2                    // kernels that share the SM
) (
  input  wire logic [4:0]           step_i,    // number of the prime power, 0 to 17
  input  wire logic [Kernels*5-1:0] number_i,  // per kernel: its ratio less 1
  output logic [4:0]                prime_o,   // the prime of this step; 0 beyond the last
  output logic [Kernels-1:0]        divides_o  // per kernel: the prime power divides its ratio
);
  logic [31:0] divides;

  always_comb begin
    case (step_i)
      5'd0:    begin prime_o = 5'd2;  divides = 32'haaaaaaaa; end  // 2
      5'd1:    begin prime_o = 5'd2;  divides = 32'h88888888; end  // 4
      5'd2:    begin prime_o = 5'd2;  divides = 32'h80808080; end  // 8
      5'd3:    begin prime_o = 5'd2;  divides = 32'h80008000; end  // 16
      5'd4:    begin prime_o = 5'd2;  divides = 32'h80000000; end  // 32
      5'd5:    begin prime_o = 5'd3;  divides = 32'h24924924; end  // 3
      5'd6:    begin prime_o = 5'd3;  divides = 32'h04020100; end  // 9
      5'd7:    begin prime_o = 5'd3;  divides = 32'h04000000; end  // 27
      5'd8:    begin prime_o = 5'd5;  divides = 32'h21084210; end  // 5
      5'd9:    begin prime_o = 5'd5;  divides = 32'h01000000; end  // 25
      5'd10:   begin prime_o = 5'd7;  divides = 32'h08102040; end
      5'd11:   begin prime_o = 5'd11; divides = 32'h00200400; end
      5'd12:   begin prime_o = 5'd13; divides = 32'h02001000; end
      5'd13:   begin prime_o = 5'd17; divides = 32'h00010000; end
      5'd14:   begin prime_o = 5'd19; divides = 32'h00040000; end
      5'd15:   begin prime_o = 5'd23; divides = 32'h00400000; end
      5'd16:   begin prime_o = 5'd29; divides = 32'h10000000; end
      5'd17:   begin prime_o = 5'd31; divides = 32'h40000000; end
      default: begin prime_o = 5'd0;  divides = 32'h00000000; end
    endcase
  end

  generate
    for (genvar i = 0; i < Kernels; i++) begin : g_kernel
      assign divides_o[i] = divides[number_i[i*5 +: 5]];
    end
  endgenerate
endmodule
