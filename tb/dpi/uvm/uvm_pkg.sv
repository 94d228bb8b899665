// SPDX-License-Identifier: Apache-2.0
// The names of UVM that the generated predictor uses, without their bodies: dpi-selftest compiles it against them.  It is not UVM.
package uvm_pkg;
  virtual class uvm_void;
  endclass

  class uvm_object extends uvm_void;
    function new(string name = "");
    endfunction
  endclass

  class uvm_phase extends uvm_object;
    function new(string name = "");
      super.new(name);
    endfunction
  endclass

  class uvm_component extends uvm_object;
    function new(string name, uvm_component parent);
      super.new(name);
    endfunction
    virtual function void start_of_simulation_phase(uvm_phase phase);
    endfunction
    virtual function void final_phase(uvm_phase phase);
    endfunction
  endclass

  class uvm_sequence_item extends uvm_object;
    function new(string name = "");
      super.new(name);
    endfunction
  endclass

  class uvm_analysis_port #(type T = int) extends uvm_component;
    function new(string name, uvm_component parent);
      super.new(name, parent);
    endfunction
    function void write(T t);
    endfunction
  endclass

  virtual class uvm_subscriber #(type T = int) extends uvm_component;
    function new(string name, uvm_component parent);
      super.new(name, parent);
    endfunction
    pure virtual function void write(T t);
  endclass
endpackage
