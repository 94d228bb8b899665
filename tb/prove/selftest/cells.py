# SPDX-License-Identifier: Apache-2.0
"""A random combinational module that reaches every word-level cell of Yosys's front end."""

BINARY = ['+', '-', '*', '&', '|', '^', '~^', '==', '!=', '<', '<=', '>', '>=', '<<', '>>', '<<<', '>>>', '&&', '||']
UNARY = ['~', '-', '+', '!', '&', '|', '^', '~&', '~|', '~^']


def operand(rng, signed):
    name, width = rng.choice([('a', 64), ('b', 64), ('c', 32)])
    w = rng.choice([1, 2, 3, 5, 8, 13, 16, 31, 32])
    low = rng.randrange(width - w + 1)
    text = f'{name}[{low + w - 1}:{low}]'
    return f'$signed({text})' if signed else text


def assignment(rng):
    signed_a, signed_b = rng.random() < 0.5, rng.random() < 0.5
    kind = rng.randrange(10)
    if kind < 5:
        op = rng.choice(BINARY)
        if op in ('<<', '>>', '<<<', '>>>'):
            low = rng.randrange(20)
            return f'{operand(rng, signed_a)} {op} c[{low + rng.randrange(1, 7)}:{low}]'
        return f'{operand(rng, signed_a)} {op} {operand(rng, signed_b)}'
    if kind < 7:
        return f'{rng.choice(UNARY)}{operand(rng, signed_a)}'
    if kind == 7:
        sign = signed_a and signed_b
        x, y = operand(rng, sign), operand(rng, sign)
        return f'{x} {rng.choice("/%")} ({y} | 1)' if not sign else f'{x} {rng.choice("/%")} ({y} | 2\'sd1)'
    if kind == 8:
        return f'c[{rng.randrange(32)}] ? {operand(rng, signed_a)} : {operand(rng, signed_b)}'
    return f'{{{operand(rng, False)}, {{3{{{operand(rng, False)}}}}}}}'


FIXED = '''
  // tables: dynamic reads and writes, in packed vectors and in arrays
  logic [7:0]  table_d [4];
  logic [15:0] packed_d;
  assign dyn0 = a[c[4:0] +: 4];
  assign dyn1 = table_d[b[1:0]];
  assign dyn2 = packed_d;
  assign dyn3 = a[{c[2:0], 3'b0} +: 8];
  always_comb begin
    for (int i = 0; i < 4; i++) table_d[i] = a[i*8 +: 8];
    table_d[c[1:0]] = b[15:8];
    packed_d = a[15:0];
    packed_d[b[3:0]] = c[0];
    packed_d[{c[9:8], 2'b0} +: 4] = b[7:4];
  end
  // choices: case, casez, priority
  always_comb begin
    case (a[2:0])
      3'd0: sel0 = b[7:0];
      3'd1, 3'd5: sel0 = c[7:0];
      3'd6: sel0 = 8'h5a;
      default: sel0 = a[15:8];
    endcase
    casez (b[3:0])
      4'b1???: sel1 = a[7:0];
      4'b01??: sel1 = b[15:8];
      4'b0?1?: sel1 = c[7:0];
      default: sel1 = 8'h00;
    endcase
    sel2 = 8'hff;
    for (int i = 7; i >= 0; i--) if (a[i]) sel2 = 8'(i);
  end
'''


def random_module(rng):
    """The text of a module `cells`, and its outputs as (name, width)."""
    outputs = [(f'y{k}', rng.choice([1, 4, 8, 17, 33])) for k in range(80)]
    fixed = [('dyn0', 4), ('dyn1', 8), ('dyn2', 16), ('dyn3', 8), ('sel0', 8), ('sel1', 8), ('sel2', 8)]
    ports = ',\n'.join(f'  output logic [{w - 1}:0] {n}' for n, w in outputs + fixed)
    body = '\n'.join(f'  assign {n} = {assignment(rng)};' for n, _ in outputs)
    head = '  input wire logic clk_i,\n  input wire logic [63:0] a,\n  input wire logic [63:0] b,\n  input wire logic [31:0] c,'
    return f'module cells (\n{head}\n{ports}\n);\n{body}\n{FIXED}endmodule\n', outputs + fixed
