# SPDX-License-Identifier: Apache-2.0
"""Symbolic interpreter for the C of the twins: pycparser's syntax tree in, literals of an and-inverter graph out.

Accepted: C17 with the integer types, structs, arrays, pointers as by-reference parameters, loops that end for every
input, break, continue, early return, switch, calls (inlined).  Anything else is an error with file and line.  An index
out of range, an overflow, a bad shift or a division by zero becomes an obligation: `undefined` holds (place in the
source, cause, literal under which it happens).  A local that is read before it is written is a fresh variable."""
from collections.abc import Callable
from typing import Any, NoReturn

from pycparser import c_ast

from tb.prove.aig import FALSE, TRUE, Aig
from tb.prove.bitvec import BitVec, const
from tb.prove.carith import CError, LoopError, common_type, promote_type
from tb.prove.cmemory import Memory
from tb.prove.cvalues import BOOL, INT, LONG, NAMED, UINT, ULONG, VOID, Array, CType, Cell, Int, Loaded, Object, Place
from tb.prove.cvalues import Pointer, PointerValue, Struct, Text, Value, make, make_object, number, size_of
from tb.prove.solve import satisfiable

MAX_TURNS = 1 << 20  # of one loop
MAX_UNKNOWN = 600  # of one loop that may have ended before
SMALL = 8  # variables over which a loop condition is decided by trying all values


class Frame:
    """A call in progress: its scopes, its result, and the flags of control that has left a statement early."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, Any]] = [{}]
        self.result: Any = None
        self.left = [Cell(FALSE, BOOL)]  # literals: returned; then one or two per enclosing loop or switch
        self.breaks: list[Cell] = []
        self.continues: list[Cell] = []  # which of them a break or continue sets


class Interp(Memory):
    def __init__(self, ast: Any, aig: Aig, builtins: dict[str, Callable[..., Any]] | None = None) -> None:
        self.g, self.v = aig, BitVec(aig)
        self.builtins = builtins or {}
        self.undefined = []
        self.pc = TRUE  # condition under which the current statement runs
        self.logs = []  # per open branch: cell -> value before it
        self.frame = Frame()
        self.globals, self.typedefs, self.structs, self.functions, self.pure = self.unit = ({}, {}, {}, {}, {})
        self.linked: list[tuple[dict[Any, Any], ...]] = []  # other files of the program: each has names of its own
        self.fresh, self.depth = 0, 0
        self.longest = MAX_UNKNOWN
        self.possible = lambda lit: satisfiable(self.g, lit)  # asked where a loop's end does not show
        self.divide = lambda a, b: None  # quotient and remainder, where the caller knows better
        self.dispatch = {name[2:]: getattr(self, name) for name in dir(self) if name.startswith('x_')}
        self.statements = {name[2:]: getattr(self, name) for name in dir(self) if name.startswith('s_')}
        self.all_top_level(ast)

    def all_top_level(self, ast: Any) -> None:
        for item in ast.ext:
            self.top_level(item)

    def link(self, ast: Any) -> None:
        """Another file of the program: its functions can be called from the first one."""
        self.linked.append(({}, {}, {}, {}, {}))
        self.within(self.linked[-1], lambda: self.all_top_level(ast))

    def within(self, unit: tuple[dict[Any, Any], ...], action: Callable[..., Any]) -> Any:
        saved, self.unit = self.unit, unit
        self.globals, self.typedefs, self.structs, self.functions, self.pure = unit
        result = action()
        self.unit = saved
        self.globals, self.typedefs, self.structs, self.functions, self.pure = saved
        return result

    def error(self, node: Any, what: str) -> NoReturn:
        raise CError(f'{getattr(node, "coord", None) or "?"}: {what}')

    # ---- declarations and types
    def top_level(self, item: Any) -> None:
        if isinstance(item, c_ast.FuncDef):
            self.functions[item.decl.name] = item
        elif isinstance(item, c_ast.Typedef):
            self.typedefs[item.name] = self.type_of(item.type)
        elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl):
            pass
        elif isinstance(item, c_ast.Decl) and item.name is None:
            self.type_of(item.type)
        elif isinstance(item, c_ast.Decl):
            if (
                'const' not in item.quals
                and 'const' not in getattr(item.type, 'quals', [])
                and not self.const_array(item.type)
            ):
                self.error(item, f'global variable {item.name} is not const')
            self.declare(item)
            self.globals[item.name] = self.frame.scopes[-1][item.name]
        elif isinstance(item, c_ast.StaticAssert):
            if not self.rvalue(item.cond).number():
                self.error(item, 'static assertion fails')
        else:
            self.error(item, f'{type(item).__name__} at file scope')

    def const_array(self, t: Any) -> Any:
        while isinstance(t, c_ast.ArrayDecl):
            t = t.type
        return 'const' in getattr(t, 'quals', [])

    def type_of(self, t: Any) -> CType:
        if isinstance(t, (c_ast.TypeDecl, c_ast.Typename)):
            return self.type_of(t.type)
        if isinstance(t, c_ast.IdentifierType):
            name = ' '.join(t.names)
            if name == 'void':
                return VOID
            if name in NAMED:
                return NAMED[name]
            if name in self.typedefs:
                return self.typedefs[name]
            self.error(t, f'unknown type {name}')
        if isinstance(t, c_ast.Struct):
            s = self.structs.setdefault(t.name or f'unnamed {id(t)}', Struct(t.name or '(unnamed)'))
            for d in t.decls or []:
                if d.bitsize is not None:
                    self.error(d, 'bit field')
                s.fields[d.name] = self.type_of(d.type)
            return s
        if isinstance(t, c_ast.Enum):
            self.declare_enum(t)
            return UINT
        if isinstance(t, c_ast.ArrayDecl):
            n = self.rvalue(t.dim).number() if t.dim is not None else None
            if n is None:
                self.error(t, 'array size is not a constant')
            return Array(self.type_of(t.type), n)
        if isinstance(t, c_ast.PtrDecl):
            return Pointer(self.type_of(t.type))
        self.error(t, f'type {type(t).__name__}')

    def declare_enum(self, e: Any) -> None:
        at = -1
        for x in e.values.enumerators if e.values else []:
            at = at + 1 if x.value is None else self.rvalue(x.value).number()
            self.globals[x.name] = number(at, INT)

    def unknown(self, t: CType, why: str = 'unset') -> Value | None:
        if isinstance(t, Pointer):
            return None
        self.fresh += 1
        return make(tuple(self.g.var(f'{why}#{self.fresh}[{i}]') for i in range(t.width)), t)

    def declare(self, d: Any) -> None:
        t = d.type
        if isinstance(t, c_ast.ArrayDecl) and t.dim is None and isinstance(d.init, c_ast.InitList):
            ty = Array(self.type_of(t.type), len(d.init.exprs))
        else:
            ty = self.type_of(t)
        scope = self.frame.scopes[-1]
        if d.init is None:
            scope[d.name] = Place(make_object(ty, lambda s: self.unknown(s, f'unset {d.name}')), (), ty)
        elif isinstance(ty, (Struct, Array)):
            scope[d.name] = Place(self.initialised(d.init, ty), (), ty)
        else:
            scope[d.name] = Place(Cell(self.convert(self.rvalue(d.init), ty, d), ty), (), ty)

    def initialised(self, init: Any, ty: CType) -> Object:
        if isinstance(ty, Int):
            return Cell(self.convert(self.rvalue(init), ty, init), ty)
        if not isinstance(init, c_ast.InitList):
            obj = make_object(ty, lambda s: number(0, s))
            self.assign(Place(obj, (), ty), self.rvalue(init))
            return obj
        obj = make_object(ty, lambda s: number(0, s))
        names = list(ty.fields) if isinstance(ty, Struct) else None
        at = 0
        for e in init.exprs:
            if isinstance(e, c_ast.NamedInitializer):
                if len(e.name) != 1:
                    self.error(e, 'nested designator')
                key = e.name[0]
                at = names.index(key.name) if names else self.rvalue(key).number()
                e = e.expr
            if at >= (len(names) if names else ty.count):
                self.error(e, 'too many initialisers')
            part = names[at] if names else at
            inner = ty.fields[part] if names else ty.elem
            obj[part] = self.initialised(e, inner)
            at += 1
        return obj

    # ---- expressions
    def truth(self, e: Any) -> int:
        """The literal that says whether expression e is nonzero."""
        return self.convert(self.rvalue(e), BOOL, e).vector()[0]

    def rvalue(self, e: Any) -> Loaded:
        handler = self.dispatch.get(type(e).__name__)
        if handler is None:
            self.error(e, f'{type(e).__name__} in an expression')
        return handler(e)

    def x_Constant(self, e: Any) -> Value:
        if e.type == 'string':
            return Value(e.value[1:-1], Text())
        if e.type == 'char' and len(e.value) == 3:
            return number(ord(e.value[1]), INT)
        text = e.value.lower().rstrip('ul')
        suffix = e.value.lower()[len(text) :]
        try:
            n = int(text, 8) if len(text) > 1 and text.isdigit() and text[0] == '0' else int(text, 0)
        except ValueError:
            self.error(e, f'constant {e.value}')
        kinds = [INT, UINT, LONG, ULONG]
        if 'u' in suffix:
            kinds = [k for k in kinds if not k.signed]
        elif text.isdigit() and text[0] != '0':
            kinds = [INT, LONG]
        if 'l' in suffix:
            kinds = [k for k in kinds if k.width == 64]
        for k in kinds:
            if n < 1 << (k.width - k.signed):
                return number(n, k)
        self.error(e, f'constant {e.value} fits no type')

    def x_ID(self, e: Any) -> Loaded:
        known = self.globals.get(e.name)
        if isinstance(known, Value) and not any(e.name in s for s in self.frame.scopes):
            return known
        return self.value_at(self.place(e))

    def value_at(self, place: Place) -> Loaded:
        if isinstance(place.type, Array):
            return PointerValue(place, True, Pointer(place.type.elem))
        v = self.load(place)
        if v is None:
            raise CError('a pointer is read before it is set')
        return v

    def x_StructRef(self, e: Any) -> Value:
        return self.value_at(self.place(e))

    x_ArrayRef = x_CompoundLiteral = x_StructRef

    def x_Cast(self, e: Any) -> Value | None:
        ty = self.type_of(e.to_type)
        value = self.rvalue(e.expr)
        if ty is VOID:
            return None
        if isinstance(ty, Pointer):
            self.error(e, 'cast to a pointer')
        return self.convert(value, ty, e)

    def x_TernaryOp(self, e: Any) -> Value:
        c = self.truth(e.cond)
        a, b = self.branch(c, lambda: self.rvalue(e.iftrue), lambda: self.rvalue(e.iffalse), e)
        if a is None or b is None:
            chosen = b if a is None else a
            if isinstance(chosen, Value):
                # the type is that of both ways, also when only one is taken
                return self.convert(chosen, common_type(promote_type(chosen.type), self.static_type(e)), e)
            return chosen
        if isinstance(a, Value) and isinstance(b, Value):
            ty = common_type(promote_type(a.type), promote_type(b.type))
            return self.choose(c, self.convert(a, ty, e), self.convert(b, ty, e), e)
        return self.choose(c, a, b, e)

    def static_type(self, e: Any) -> Int:
        """The type of an expression after promotion, without running it."""
        if isinstance(e, c_ast.TernaryOp):
            return common_type(self.static_type(e.iftrue), self.static_type(e.iffalse))
        if isinstance(e, c_ast.BinaryOp):
            if e.op in ('&&', '||', '==', '!=', '<', '>', '<=', '>='):
                return INT
            left = self.static_type(e.left)
            return left if e.op in ('<<', '>>') else common_type(left, self.static_type(e.right))
        if isinstance(e, c_ast.Constant):
            return self.x_Constant(e).type
        if isinstance(e, c_ast.Cast):
            return promote_type(self.type_of(e.to_type))
        if isinstance(e, c_ast.FuncCall) and e.name.name in self.functions:
            return promote_type(self.type_of(self.functions[e.name.name].decl.type.type))
        if isinstance(e, c_ast.Assignment):
            return promote_type(self.type_at(e.lvalue))
        if isinstance(e, c_ast.UnaryOp) and e.op in ('!', 'sizeof'):
            return INT if e.op == '!' else ULONG
        if isinstance(e, c_ast.UnaryOp) and e.op != '*':
            return self.static_type(e.expr)
        return promote_type(self.type_at(e))

    def type_at(self, e: Any) -> CType:
        """The type of a place, without going there."""
        if isinstance(e, c_ast.ID):
            for s in reversed([self.globals] + self.frame.scopes):
                if e.name in s:
                    return s[e.name].type
        if isinstance(e, c_ast.StructRef):
            base = self.type_at(e.name)
            return (base.to if e.type == '->' else base).fields[e.field.name]
        if isinstance(e, (c_ast.ArrayRef, c_ast.UnaryOp)):
            base = self.type_at(e.name if isinstance(e, c_ast.ArrayRef) else e.expr)
            return base.elem if isinstance(base, Array) else base.to
        self.error(e, f'type of {type(e).__name__}')

    def x_FuncCall(self, e: Any) -> Value | None:
        return self.call(e)[0]

    def x_ExprList(self, e: Any) -> Loaded:
        for x in e.exprs:
            value = self.rvalue(x)
        return value

    def x_Assignment(self, e: Any) -> Loaded:
        place = self.place(e.lvalue)
        if e.op == '=':
            value = self.rvalue(e.rvalue)
        else:
            value = self.binary(e.op[:-1], self.load(place), self.rvalue(e.rvalue), e)
        value = self.convert(value, place.type, e)
        self.assign(place, value)
        return value

    def x_UnaryOp(self, e: Any) -> Loaded:
        op = e.op
        if op == '&':
            p = self.place(e.expr)
            return PointerValue(p, False, Pointer(p.type))
        if op == '*':
            return self.value_at(self.deref(e.expr, e))
        if op == 'sizeof':
            ty = self.type_of(e.expr) if isinstance(e.expr, c_ast.Typename) else self.type_at(e.expr)
            return number(size_of(ty), ULONG)
        if op in ('++', '--', 'p++', 'p--'):
            place = self.place(e.expr)
            old = self.load(place)
            new = self.convert(self.binary('+' if '+' in op else '-', old, number(1), e), place.type, e)
            self.assign(place, new)
            return old if op[0] == 'p' else new
        if op == '!':
            return self.boolean(self.truth(e.expr) ^ 1)
        value = self.rvalue(e.expr)
        ty = promote_type(value.type)
        value = self.convert(value, ty, e)
        if op == '+':
            return value
        if op == '-':
            return self.binary('-', number(0, ty), value, e)
        if op == '~':
            return make(self.v.not_(value.vector()), ty)
        self.error(e, f'operator {op}')

    def x_BinaryOp(self, e: Any) -> Value:
        if e.op in ('&&', '||'):
            a = self.truth(e.left)
            if e.op == '&&':
                r, _ = self.branch(a, lambda: self.truth(e.right), None, e)
                return self.boolean(self.g.and_(a, FALSE if r is None else r))
            _, r = self.branch(a, lambda: None, lambda: self.truth(e.right), e)
            return self.boolean(self.g.or_(a, FALSE if r is None else r))
        return self.binary(e.op, self.rvalue(e.left), self.rvalue(e.right), e)

    # ---- calls
    def call(self, e: Any) -> Any:
        if not isinstance(e.name, c_ast.ID):
            self.error(e, 'call through a pointer')
        name, args = e.name.name, e.args.exprs if e.args else []
        if name in self.builtins:
            return self.builtins[name](*[self.rvalue(a) for a in args]), VOID
        if name == '__builtin_clz':
            return self.leading_zeros(self.rvalue(args[0]), e), INT
        if name == '__builtin_ctzll':
            return self.trailing_zeros(self.convert(self.rvalue(args[0]), ULONG, e), e), INT
        if name in ('memset', 'memcpy'):
            return self.memory_call(name, args, e), VOID
        home = next((u for u in (self.unit, *self.linked) if name in u[3]), None)
        if home is None:
            self.error(e, f'call of {name}, whose body is not known')
        values = [self.rvalue(a) for a in args]
        return self.within(home, lambda: self.call_function(name, values, e))

    def leading_zeros(self, value: Value, e: Any) -> Value:
        n = value.number()
        if not n:
            self.error(e, '__builtin_clz of 0 or of a value that is not known')
        return number(32 - n.bit_length(), INT)

    def trailing_zeros(self, value: Value, e: Any) -> Value:
        bits = value.vector()
        self.forbid(e, '__builtin_ctzll of 0', self.v.nonzero(bits) ^ 1)
        place = const(0, 32)
        for i in reversed(range(64)):
            place = self.v.mux(bits[i], const(i, 32), place)
        return make(place, INT)

    def memory_call(self, name: str, args: list[Any], e: Any) -> Any:
        to, source, size = (self.rvalue(a) for a in args)
        if not isinstance(to, PointerValue) or size.number() != size_of(to.place.type):
            self.error(e, f'{name} that does not cover exactly one object')
        if name == 'memset':
            if source.number() != 0:
                self.error(e, 'memset to something other than 0')
            zero = make_object(to.place.type, lambda s: number(0, s))
            self.assign(to.place, self.snapshot(zero))
        else:
            if not isinstance(source, PointerValue) or size_of(source.place.type) != size.number():
                self.error(e, 'memcpy between objects of different sizes')
            self.assign(to.place, self.load(source.place))

    def call_function(self, name: str, args: list[Loaded], node: Any = None) -> Any:
        f = self.functions[name]
        params = f.decl.type.args.params if f.decl.type.args else []
        if len(params) == 1 and isinstance(params[0], c_ast.Typename):
            params = []  # (void)
        if len(params) != len(args):
            self.error(node, f'{name} takes {len(params)} arguments')
        concrete = all(isinstance(a, Value) and isinstance(a.bits, int) for a in args)
        key = (name, tuple((a.bits, a.type) for a in args)) if concrete else None
        if key in self.pure:  # a function of numbers alone, for the same numbers
            return self.pure[key]
        before = len(self.undefined)
        result = self.run(f, params, args, node)
        if key and len(self.undefined) == before:
            self.pure[key] = result
        return result

    def run(self, f: Any, params: list[Any], args: list[Loaded], node: Any) -> Any:
        ty = self.type_of(f.decl.type.type)
        saved, self.frame = self.frame, Frame()
        self.depth += 1
        if self.depth > 64:
            self.error(node, 'calls nested too deeply: recursion?')
        for p, a in zip(params, args):
            pt = self.type_of_parameter(p)
            obj = self.rebuild(a, pt) if isinstance(pt, Struct) else Cell(self.convert(a, pt, p), pt)
            self.frame.scopes[0][p.name] = Place(obj, (), pt)
        self.frame.result = None if ty is VOID else make_object(ty, lambda s: self.unknown(s, 'no return'))
        self.sequence(f.body.block_items or [])
        result = None if ty is VOID else self.snapshot(self.frame.result)
        self.depth -= 1
        self.frame = saved
        return result, ty

    def type_of_parameter(self, p: Any) -> CType:
        if isinstance(p.type, c_ast.ArrayDecl):  # an array parameter is a pointer
            return Pointer(self.type_of(p.type.type))
        return self.type_of(p.type)

    # ---- statements
    def stopped(self) -> int:
        return self.g.any_([c.value for c in self.frame.left])

    def sequence(self, items: list[Any]) -> None:
        for i, s in enumerate(items):
            self.statement(s)
            gone = self.stopped()
            if gone == TRUE:
                return
            if gone != FALSE:
                rest = items[i + 1 :]
                if rest:
                    self.resume(gone ^ 1, lambda: self.sequence(rest), rest[0])
                return

    def resume(self, cond: int, action: Callable[..., Any], node: Any) -> None:
        """Goes on where control has not left; there, none of the flags is set."""

        def go() -> None:
            for c in self.frame.left:
                self.set(c, FALSE)
            action()

        self.branch(cond, go, None, node)

    def scoped(self, action: Callable[..., Any]) -> None:
        self.frame.scopes.append({})
        action()
        self.frame.scopes.pop()

    def statement(self, s: Any) -> None:
        handler = self.statements.get(type(s).__name__)
        if handler:
            handler(s)
        else:
            self.rvalue(s)

    def s_Compound(self, s: Any) -> None:
        self.scoped(lambda: self.sequence(s.block_items or []))

    def s_Decl(self, s: Any) -> None:
        if 'static' in s.storage and 'const' not in s.quals and not self.const_array(s.type):
            self.error(s, f'static variable {s.name}')
        if s.name is None:
            self.type_of(s.type)
        else:
            self.declare(s)

    def s_DeclList(self, s: Any) -> None:
        for d in s.decls:
            self.s_Decl(d)

    def s_EmptyStatement(self, s: Any) -> None:
        pass

    def s_If(self, s: Any) -> None:
        other = (lambda: self.statement(s.iffalse)) if s.iffalse is not None else None
        self.branch(self.truth(s.cond), lambda: self.statement(s.iftrue), other, s)

    def s_Return(self, s: Any) -> None:
        if s.expr is not None:
            value = self.rvalue(s.expr)
            obj = self.frame.result
            if isinstance(obj, Cell):
                value = self.convert(value, obj.type, s)
            self.assign_path(obj, (), value, TRUE)
        self.set(self.frame.left[0], TRUE)

    def s_Break(self, s: Any) -> None:
        self.set(self.frame.left[self.frame.breaks[-1]], TRUE)

    def s_Continue(self, s: Any) -> None:
        self.set(self.frame.left[self.frame.continues[-1]], TRUE)

    def s_For(self, s: Any) -> None:
        self.scoped(lambda: self.loop(s.init, s.cond, s.next, s.stmt, True, s))

    def s_While(self, s: Any) -> None:
        self.loop(None, s.cond, None, s.stmt, True, s)

    def s_DoWhile(self, s: Any) -> None:
        self.loop(None, s.cond, None, s.stmt, False, s)

    def loop(self, init: Any, cond: Any, step: Any, body: Any, test_first: bool, node: Any) -> None:
        """Unrolled.  Where the condition (or whether a break was taken) is not known, the turns after run under it."""
        if init is not None:
            self.statement(init)
        f = self.frame
        f.breaks.append(len(f.left))
        f.continues.append(len(f.left) + 1)
        f.left += [Cell(FALSE, BOOL), Cell(FALSE, BOOL)]
        self.turns(cond, step, body, test_first, node, 0)
        del f.breaks[-1], f.continues[-1], f.left[-2:]

    def settled(self, lit: int) -> int:
        """TRUE or FALSE if a literal of few variables is that for all their values, though its form does not show it."""
        inputs = self.g.support([lit])
        if len(inputs) > SMALL:
            return lit
        lanes = 1 << len(inputs)
        patterns = {n: sum(1 << k for k in range(lanes) if k >> i & 1) for i, n in enumerate(inputs)}
        value = self.g.simulate([lit], patterns, lanes)[0]
        return FALSE if value == 0 else TRUE if value == (1 << lanes) - 1 else lit

    def turns(self, cond: Any, step: Any, body: Any, test: bool, node: Any, count: int) -> None:
        while True:
            if count > MAX_TURNS:
                self.error(node, 'loop does not end')
            if test and cond is not None:
                c = self.settled(self.truth(cond))
                if self.settled(self.g.and_(self.pc, c)) == FALSE:
                    return
                asked = not count & (count - 1) or count > self.longest  # 0, the powers of two, and the last
                if c != TRUE and asked and not self.possible(self.g.and_(self.pc, c)):
                    return
                if c != TRUE and count > self.longest:
                    raise LoopError(f'{node.coord}: loop whose end does not show in {self.longest} turns')
                if c != TRUE:
                    self.branch(c, lambda: self.turns(cond, step, body, False, node, count), None, node)
                    return
            test, count = True, count + 1
            self.statement(body)
            self.set(self.frame.left[-1], FALSE)  # a continue ends here
            gone = self.stopped()
            if gone == TRUE:
                return
            if gone != FALSE:

                def rest() -> None:
                    if step is not None:
                        self.rvalue(step)
                    self.turns(cond, step, body, True, node, count)

                self.resume(gone ^ 1, rest, node)
                return
            if step is not None:
                self.rvalue(step)

    def s_Switch(self, s: Any) -> None:
        value = self.rvalue(s.cond)
        f = self.frame
        f.breaks.append(len(f.left))
        f.left.append(Cell(FALSE, BOOL))
        running = Cell(FALSE, BOOL)
        cases = s.stmt.block_items or []
        f.scopes.append({})
        for i, c in enumerate(cases):
            if isinstance(c, c_ast.Default):
                if i != len(cases) - 1:
                    self.error(c, 'default is not the last label')
                self.set(running, TRUE)
            elif isinstance(c, c_ast.Case):
                hit = self.binary('==', value, self.rvalue(c.expr), c).vector()[0]
                self.set(running, self.g.or_(running.value, hit))
            else:
                self.error(c, 'a statement of switch before its first label')
            go = self.g.and_(running.value, self.stopped() ^ 1)
            self.resume(go, lambda: self.sequence(c.stmts or []), c)
        del f.scopes[-1], f.breaks[-1], f.left[-1]
