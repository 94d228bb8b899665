// SPDX-License-Identifier: Apache-2.0
// milg written by other means: the pins and the function of mt_milg, other registers in another encoding.
//
// Free places instead of instructions in flight; requests counted down; the limit as its
// distance from "none"; one error bit for each kind.  milg.relation says how the twin's registers follow from these.
module milg #(
  parameter int InflightW = 7,
  parameter int RfW       = 12,
  parameter int ReqW      = 10,
  parameter int Relax     = 1
) (
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,
  input  wire logic                 issue_valid_i,
  input  wire logic                 retire_valid_i,
  input  wire logic [2:0]           retire_count_i,
  input  wire logic                 req_valid_i,
  input  wire logic                 fail_valid_i,
  input  wire logic                 start_valid_i,
  input  wire logic [InflightW-1:0] static_limit_i,
  output logic                      issue_ok_o,
  output logic [InflightW-1:0]      limit_o,
  output logic [InflightW-1:0]      inflight_o,
  output logic                      update_o,
  output logic [InflightW-1:0]      new_limit_o,
  output logic [1:0]                error_o
);
  localparam int W = InflightW + 3;
  localparam logic [InflightW-1:0] Full = {InflightW{1'b1}};

  logic [InflightW-1:0] places;     // free places
  logic [InflightW-1:0] least;      // the fewest of them in this interval
  logic [InflightW-1:0] below;      // how far the limit is below its largest value
  logic [ReqW-1:0]      to_go;      // requests until the interval's last
  logic [RfW-1:0]       failures;
  logic                 bad_retire, bad_issue;

  // Instructions retire, then one issues.
  logic [W-1:0]         back, after;
  logic                 too_many, none_left, takes;
  logic [InflightW-1:0] freed, next_places, next_least;
  assign back        = retire_valid_i ? W'(retire_count_i) : '0;
  assign after       = W'(places) + back;
  assign too_many    = after > W'(Full);
  assign freed       = too_many ? places : InflightW'(after);
  assign none_left   = issue_valid_i && freed == '0;
  assign takes       = issue_valid_i && freed != '0;
  assign next_places = takes ? freed - InflightW'(1) : freed;
  assign next_least  = (next_places < least) ? next_places : least;

  logic           over;
  logic [RfW-1:0] total;
  assign over  = req_valid_i && to_go == '0 && !start_valid_i;
  assign total = (fail_valid_i && failures != {RfW{1'b1}}) ? failures + RfW'(1) : failures;

  // The limit by comparisons instead of a divider: the largest number whose product with the failures is not above the maximum.
  // More in flight than the limit counts as the limit.
  logic [InflightW-1:0] most, limit, part, chosen, fresh;
  logic [RfW-1:0]       each;
  assign most  = Full - ((next_least < below) ? below : next_least);
  assign limit = Full - below;
  assign each  = RfW'(total >> ReqW);
  always @* begin
    part = '0;
    for (int i = InflightW - 1; i >= 0; i--)
      if ((RfW + InflightW)'(part | InflightW'(1 << i)) * (RfW + InflightW)'(each) <= (RfW + InflightW)'(most)) part = part | InflightW'(1 << i);
  end
  always @* begin
    if (each != '0) chosen = part;
    else if (Relax == 0) chosen = Full;
    else if (Relax == 2) chosen = limit;
    else if (limit > most || most == Full) chosen = (limit > most) ? limit : most;
    else chosen = most + InflightW'(1);
  end
  assign fresh = (chosen == '0) ? InflightW'(1) : chosen;

  assign limit_o     = (static_limit_i == '0) ? limit : static_limit_i;
  assign inflight_o  = Full - places;
  assign issue_ok_o  = inflight_o < limit_o;
  assign update_o    = over;
  assign new_limit_o = over ? fresh : '0;
  assign error_o     = {bad_issue, bad_retire};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      places     <= Full;
      least      <= Full;
      below      <= '0;
      to_go      <= {ReqW{1'b1}};
      failures   <= '0;
      bad_retire <= 1'b0;
      bad_issue  <= 1'b0;
    end else begin
      places   <= next_places;
      least    <= (over || start_valid_i) ? next_places : next_least;
      failures <= (over || start_valid_i) ? '0 : total;
      if (over || start_valid_i) to_go <= {ReqW{1'b1}};
      else if (req_valid_i) to_go <= to_go - ReqW'(1);
      if (start_valid_i) below <= '0;
      else if (over) below <= Full - fresh;
      if (!bad_retire && !bad_issue) begin
        bad_retire <= too_many;
        bad_issue  <= none_left && !too_many;
      end
    end
  end
endmodule
