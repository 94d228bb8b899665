// SPDX-License-Identifier: Apache-2.0
// Dynamic Allocation Unit of one slot set: the state machine of figure 3.8 (Gu20, section 3.4.5).
//
// Combinational: next state and decoded state.  The state register is in dl_mshr, where all states are read as state_q.
module mt_dl_mshr_dau (
  input  wire logic [3:0] state_i,       // state of the set, S0 to S10
  input  wire logic       req_h_i,       // ReqH: take a slot as a head set
  input  wire logic       req_a_i,       // ReqA: take a slot as an attached set
  input  wire logic       fills_i,       // the slot taken is the last one of the set
  input  wire logic       n_free_set_i,  // nFreeSet > 0
  input  wire logic       ret_i,         // RET: the data of this head's line has arrived
  input  wire logic       s_free_ext_i,  // S_free_EXT: the set in front of this one has been freed
  input  wire logic       released_i,    // the last occupied slot of this set drains
  output logic [3:0]      state_o,       // next state
  output logic            h_o,           // H: head of a super-entry that waits for its data
  output logic            l_o,           // L: another set is linked behind this one
  output logic            s_free_o,      // S_free: no slot is occupied
  output logic            s_full_o       // S_full: all slots are occupied
);
  localparam logic [3:0] S0 = 4'd0;    // free
  localparam logic [3:0] S1 = 4'd1;    // head, with room
  localparam logic [3:0] S2 = 4'd2;    // head, full
  localparam logic [3:0] S3 = 4'd3;    // head, linked
  localparam logic [3:0] S4 = 4'd4;    // head, full, and a merge was refused (RF)
  localparam logic [3:0] S5 = 4'd5;    // head, releasing its slots
  localparam logic [3:0] S6 = 4'd6;    // attached, with room
  localparam logic [3:0] S7 = 4'd7;    // attached, full
  localparam logic [3:0] S8 = 4'd8;    // attached, linked
  localparam logic [3:0] S9 = 4'd9;    // attached, full, and a merge was refused (RF)
  localparam logic [3:0] S10 = 4'd10;  // attached, releasing its slots

  logic head, attached;
  assign head = (state_i == S1) | (state_i == S2) | (state_i == S3) | (state_i == S4);
  assign attached = (state_i == S6) | (state_i == S7) | (state_i == S8) | (state_i == S9);

  assign h_o      = head;
  assign l_o      = (state_i == S3) | (state_i == S8);
  assign s_free_o = (state_i == S0);
  assign s_full_o = (head & (state_i != S1)) | (attached & (state_i != S6));

  // A request precedes the fill of the same cycle: RET overrides the transition of ReqH.
  always_comb begin
    state_o = state_i;
    case (state_i)
      S0:
      if (ret_i) state_o = S5;
      else if (req_h_i) state_o = fills_i ? S2 : S1;
      else if (req_a_i) state_o = fills_i ? S7 : S6;
      S1:
      if (ret_i) state_o = S5;
      else if (req_h_i) state_o = fills_i ? S2 : S1;
      S2, S4:
      if (ret_i) state_o = S5;
      else if (req_h_i) state_o = n_free_set_i ? S3 : S4;
      S3: if (ret_i) state_o = S5;
      S6:
      if (s_free_ext_i) state_o = S10;
      else if (req_a_i) state_o = fills_i ? S7 : S6;
      S7, S9:
      if (s_free_ext_i) state_o = S10;
      else if (req_a_i) state_o = n_free_set_i ? S8 : S9;
      S8: if (s_free_ext_i) state_o = S10;
      S5, S10: if (released_i) state_o = S0;
      default: state_o = state_i;
    endcase
  end
endmodule
