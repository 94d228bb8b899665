// The kernel with priority: of those that ask, the one with the largest quota; of equals, round robin from the kernel
// behind the one that issued last.  Without Quotas all are equal.
module qbmi_grant #(
  parameter int Kernels = 2,
  parameter int QuotaW  = 10,
  parameter int Quotas  = 1,
  localparam int KernelW = $clog2(Kernels)
) (
  input  wire logic [Kernels-1:0]        asks_i,
  input  wire logic [Kernels*QuotaW-1:0] quota_i,
  input  wire logic [KernelW-1:0]        last_i,
  output logic [Kernels-1:0]             onehot_o
);
  logic [Kernels-1:0] behind;  // the kernel that issued last

  generate
    for (genvar i = 0; i < Kernels; i++) begin : g_kernel
      logic [Kernels-1:0] beats;

      if (i == 0) begin : g_lowest
        assign behind[i] = 1'b0;
      end else begin : g_not_lowest
        assign behind[i] = last_i < KernelW'(i);
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
