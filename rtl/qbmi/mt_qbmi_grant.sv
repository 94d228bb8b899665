// SPDX-License-Identifier: Apache-2.0
// Arbiter of qbmi: grants the requesting kernel with the largest quota (Dai17, section 4.3.2).
//
// Ties: round robin, starting behind the kernel that issued last.  With Quotas = 0 all kernels tie.  Combinational, an
// all-pairs compare.
module mt_qbmi_grant #(
  parameter int Kernels = 2,                       // kernels that share the SM
  parameter int QuotaW  = 10,                      // bits of a quota
  parameter int Quotas  = 1,                       // 1: compare quotas; 0: plain round robin
  localparam int KernelW = $clog2(Kernels)
) (
  input  wire logic [Kernels-1:0]        asks_i,   // per kernel: it requests the load-store unit
  input  wire logic [Kernels*QuotaW-1:0] quota_i,  // per kernel: its quota
  input  wire logic [KernelW-1:0]        last_i,   // kernel that issued last
  output logic [Kernels-1:0]             onehot_o  // one-hot grant; 0 without a request
);
  logic [Kernels-1:0] behind;  // per kernel: its number is above that of the kernel that issued last

  generate
    for (genvar i = 0; i < Kernels; i++) begin : g_kernel
      logic [Kernels-1:0] beats;

      if (i == 0) begin : g_lowest
        assign behind[i] = 1'b0;
      end else begin : g_not_lowest
        assign behind[i] = last_i < i;
      end

      for (genvar j = 0; j < Kernels; j++) begin : g_other
        logic first, larger, equal;
        assign first    = (behind[i] == behind[j]) ? i < j : behind[i];
        assign larger   = (Quotas != 0) && quota_i[i*QuotaW +: QuotaW] > quota_i[j*QuotaW +: QuotaW];
        assign equal    = (Quotas == 0) || quota_i[i*QuotaW +: QuotaW] == quota_i[j*QuotaW +: QuotaW];
        assign beats[j] = (i == j) | ~asks_i[j] | larger | (equal & first);
      end
      assign onehot_o[i] = asks_i[i] & (&beats);
    end
  endgenerate
endmodule
