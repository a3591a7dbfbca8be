irdl.dialect @d {
  irdl.type @t0
  irdl.type @t {
    %0 = irdl.any
    irdl.parameters(elem: %0, b: %0) {foo = 1 : i32}
  }
  irdl.attribute @a attributes {x = 3 : i32} {
    %0 = irdl.base "!builtin.integer"
    %1 = irdl.base "#builtin.integer" {q = 1 : i8}
    %2 = irdl.base @d::@t
    %3 = irdl.base @d::@a
    irdl.parameters(elem: %0)
  }
  irdl.operation @empty
  irdl.operation @op {
    %0 = irdl.any {a}
    %1 = irdl.parametric @d::@t<%0, %0> {a}
    %2 = irdl.is "foo" 
    %3 = irdl.is f32
    %4 = irdl.is 3 : i32 {a}
    %5 = irdl.any_of(%3, %4) {a}
    %6 = irdl.all_of(%3, %4) {a}
    %c = irdl.c_pred "hello" {a}
    %r0 = irdl.region
    %r1 = irdl.region()
    %r2 = irdl.region(%0, %1) {a}
    %r3 = irdl.region with size 3 {a}
    %r4 = irdl.region(%0) with size 3
    %r5 = irdl.region()  with size 3
    irdl.operands(a: %0, b: optional %1, c: variadic %2, d: single %3) {a}
    irdl.results(x: %0)
    irdl.attributes {"at0" = %0, "at" = %1} {a}
    irdl.regions(ra: %r0, rb: %r1)
  }
  irdl.operation @op2 {
    irdl.operands()
    irdl.results()
    irdl.regions()
  }
  irdl.operation @op3 {
    %0 = irdl.any
    %1 = irdl.parametric @d::@t<>
    irdl.attributes {"a" = %0}
  }
}
irdl.dialect @e
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.operands(a: %0, a: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.operands(Aa: %0, single: single %0, optional: %0)
    irdl.results("a b": %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.operands(%0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.operands(a: many %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.operands(a: %0)
    irdl.operands(b: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.attributes {"a" = %0, "a" = %0}
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.attributes {"a b" = %0}
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.attributes {a = %0}
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.attributes {3 = %0}
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    irdl.attributes {"a" %0}
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    %r = irdl.region with size 0
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %0 = irdl.any
    %r = irdl.region with size -1
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.region
    irdl.operands(a: %r)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.any
    irdl.regions(a: %r)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    "irdl.operands"() <{names=["a"], variadicity=#irdl<variadicity_array[]>}> : () -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.any
    "irdl.operands"(%r) <{names=["a"], variadicity=#irdl<variadicity_array[]>}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.any
    "irdl.operands"(%r) <{names=["a"]}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.any
    "irdl.operands"(%r) : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.any
    "irdl.operands"(%r) <{names=[3], variadicity=#irdl<variadicity_array[single]>}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.any
    "irdl.operands"(%r) <{names="a", variadicity=#irdl<variadicity_array[single]>}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.any
    "irdl.operands"(%r) <{names=["a"], variadicity=[single]}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.any
    "irdl.operands"(%r) <{names=["a"], variadicity=3 : i32}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @op {
    %r = irdl.any
    "irdl.operands"(%r) {names=["a"], variadicity=3 : i32} : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.type @t {
    %r = irdl.any
    irdl.parameters(a: %r, a: %r)
  }
}
// -----
irdl.dialect @d {
  irdl.type @t {
    %r = irdl.any
    irdl.parameters(a: %r)
    irdl.parameters(b: %r)
  }
}
// -----
irdl.dialect @d {
  irdl.type @t {
    %r = irdl.any
    irdl.operands(b: %r)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %r = irdl.any
    irdl.parameters(b: %r)
  }
}
// -----
irdl.type @t {
}
// -----
irdl.operation @t {
}
// -----
%0 = irdl.any
// -----
irdl.dialect @"d d"
// -----
irdl.dialect @_d9
// -----
irdl.dialect @Dd
// -----
irdl.dialect @d.e
// -----
irdl.dialect @d {
  irdl.type @T
  irdl.operation @Op
}
// -----
irdl.dialect @d {
  irdl.type @"a b"
}
// -----
irdl.dialect @d {
  irdl.type @a.b
  irdl.type @a_b9
}
// -----
irdl.dialect @d {
  irdl.attribute @"a b"
}
// -----
irdl.dialect @d {
  irdl.operation @"a b"
}
// -----
irdl.dialect @d {
  irdl.operation @""
}
// -----
irdl.dialect @d {
  irdl.type @t
  irdl.type @t
}
// -----
irdl.dialect @d {
  irdl.type @t {
  ^bb0(%x : i32):
  }
}
// -----
irdl.dialect @d {
  irdl.type @t {
    cf.br ^x
  ^x:
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = "irdl.any"() : () -> i32
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = "irdl.any_of"() : () -> i32
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = irdl.any_of()
    %1 = irdl.all_of()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = irdl.base
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = irdl.base "foo"
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = irdl.base ""
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = irdl.base @foo
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = irdl.base @d::@t
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = irdl.base @d::@u
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = irdl.parametric @d::@u<>
  }
}
// -----
irdl.dialect @d {
  irdl.operation @t {
    %0 = irdl.parametric @d::@t<>
  }
}
// -----
irdl.dialect @d {
  irdl.type @t
  irdl.operation @o {
    %0 = irdl.parametric @t<>
  }
}
// -----
irdl.dialect @d {
  irdl.type @t
  irdl.operation @o {
    %0 = irdl.base @d::@t "!builtin.integer"
  }
}
// -----
irdl.dialect @d {
  irdl.type @t
  irdl.operation @o {
    %0 = irdl.is
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.operands(a: %0)
    irdl.results(a: %0)
    irdl.attributes {"a" = %0}
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.operands(b: %0)
    irdl.results(a: %0)
    irdl.attributes {"b" = %0}
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.results(a: %0)
    irdl.attributes {"a" = %0}
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    %r = irdl.region
    irdl.results(a: %0)
    irdl.regions(a: %r)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    %r = irdl.region
    irdl.attributes {"a" = %0}
    irdl.regions(a: %r)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %r = irdl.region
    irdl.regions(a: %r, a: %r)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %r = irdl.region
    irdl.regions(1a: %r)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    irdl.operands
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    irdl.attributes
  }
}
// -----
"foo.bar"() {x = #irdl<variadicity single>, y = #irdl.variadicity<optional>} : () -> ()
// -----
"foo.bar"() {x = #irdl<variadicity<single>>, y = #irdl.variadicity_array[single]} : () -> ()
// -----
"foo.bar"() {y = #irdl.variadicity_array[single]} : () -> ()
// -----
"foo.bar"() {x = #irdl<variadicity_array[single, variadic]>, t = !irdl.region, u = !irdl<attribute>} : () -> ()
// -----
"foo.bar"() {x = #irdl<variadicity_array[single, foo]>} : () -> ()
// -----
"foo.bar"() {x = #irdl<foo>} : () -> ()
// -----
"foo.bar"() {x = !irdl.foo} : () -> ()
// -----
"foo.bar"() {x = #irdl<variadicity foo>} : () -> ()
// -----
"irdl.foo"() : () -> ()
// -----
irdl.foo
// -----
irdl.dialect @d {
  irdl.operation @o {
    "irdl.region"() : () -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = "irdl.region"() {numberOfBlocks = 3 : i64} : () -> !irdl.region
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %a = irdl.any
    %0 = "irdl.region"(%a) : (!irdl.attribute) -> !irdl.region
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.region with size 3 : i64
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.region with 3
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.parametric "x"<>
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.parametric @x
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.c_pred
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.c_pred "x" : i32
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = "irdl.any"() ({}) : () -> !irdl.attribute
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = "irdl.is"() : () -> !irdl.attribute
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    %1 = "irdl.is"(%0) {expected = i32} : (!irdl.attribute) -> !irdl.attribute
  }
}
// -----
irdl.dialect @d {
  "irdl.operation"() {sym_name = "o"} : () -> ()
}
// -----
irdl.dialect @d {
  "irdl.operation"() ({}) {sym_name = "o"} : () -> ()
}
// -----
irdl.dialect @d {
  "irdl.operation"() ({
    ^bb0:}) : () -> ()
}
// -----
"irdl.dialect"() ({
    ^bb0(%a : i32):
  irdl.operation @o
    }) {sym_name = "foo"} : () -> ()
// -----
irdl.dialect @o__d
// -----
irdl.dialect @d {
  irdl.operation @__o__
  irdl.type @__o__
}
// -----
irdl.dialect @d {
  irdl.operation @a__b
}
// -----
irdl.dialect @d {
  irdl.operation @_x
}
// -----
irdl.dialect @d {
  irdl.operation @a.b
  irdl.operation @a.B
}
// -----
irdl.dialect @d {
  irdl.operation @a.b
  irdl.operation @o {
    %0 = irdl.any
    irdl.operands(in: %0)
    irdl.results(out_: %0, b9: %0, a__b: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.operands(_in: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.operands(a.b: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.operands(a$b: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.operands(Ab: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    "irdl.operands"(%0) <{names=["a b"], variadicity=#irdl<variadicity_array[ single]>}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    "irdl.operands"(%0) <{names=[""], variadicity=#irdl<variadicity_array[ single]>}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    "irdl.attributes"(%0) <{attributeValueNames=[]}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.region
    "irdl.regions"(%0) <{names=[]}> : (!irdl.region) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    "irdl.results"(%0) <{names=[], variadicity=#irdl<variadicity_array[ single]>}> : (!irdl.attribute) -> ()
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.results(c: optional single %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.results(c %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.results(c: %0,)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.results(c: %0 x: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.type @o {
    %0 = irdl.any
    irdl.parameters(__c: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.type @o {
    %0 = irdl.any
    irdl.parameters()
  }
  func.func private @x()
}
// -----
irdl.dialect @d {
  irdl.type @o {
    "u.x"() : () -> ()
  }
  irdl.operation @o3 {
    %1 = irdl.base "!builtin.integer" {b}
    %2 = irdl.base {a}
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    irdl.results(c: %0#0)
    irdl.attributes { }
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    irdl.attributes {a = 3 : i32}
  }
}
// -----
irdl.dialect @d {
  %x = "u.x"() : () -> i32
  irdl.operation @o {
    %0 = irdl.any_of(%x)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o attributes {sym_visibility = "private"}
  irdl.operation @p attributes {sym_visibility = "privat"}
}
