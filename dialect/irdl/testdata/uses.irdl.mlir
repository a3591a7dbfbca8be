irdl.dialect @d {
  irdl.type @t0
  irdl.type @t1 {
    %0 = irdl.any
    irdl.parameters(elem: %0)
  }
  irdl.type @tf {
    %0 = irdl.is f32
    %1 = irdl.is f64
    %2 = irdl.any_of(%0, %1)
    irdl.parameters(elem: %2, other: %2)
  }
  irdl.attribute @a0
  irdl.attribute @a1 {
    %0 = irdl.base "#builtin.string"
    irdl.parameters(elem: %0)
  }
  irdl.operation @noop
  irdl.operation @norm {
    %0 = irdl.any
    %1 = irdl.parametric @d::@t1<%0>
    irdl.operands(in: %1)
    irdl.results(out: %0)
  }
  irdl.operation @mul {
    %0 = irdl.is f32
    %1 = irdl.is f64
    %2 = irdl.any_of(%0, %1)
    irdl.operands(l: %2, r: %2)
    irdl.results(out: %2)
  }
  irdl.operation @var {
    %0 = irdl.is i32
    %1 = irdl.any
    irdl.operands(l: %0, r: variadic %1)
    irdl.results(o: optional %0)
  }
  irdl.operation @var2 {
    %0 = irdl.is i32
    irdl.operands(l: optional %0, r: variadic %0, s: %0)
  }
  irdl.operation @res2 {
    %0 = irdl.is i32
    irdl.results(l: optional %0, r: variadic %0, s: %0)
  }
  irdl.operation @opt {
    %0 = irdl.is i32
    irdl.operands(l: optional %0)
  }
  irdl.operation @optsingle {
    %0 = irdl.is i32
    irdl.operands(l: optional %0, m: %0, n: %0)
  }
  irdl.operation @att {
    %0 = irdl.is i32
    %1 = irdl.base "#builtin.integer"
    %2 = irdl.base @d::@a1
    %3 = irdl.any
    irdl.attributes {"b" = %0, "i" = %1, "a" = %2, "z" = %3}
    irdl.results(r: %3)
  }
  irdl.operation @bases {
    %0 = irdl.base "!builtin.integer"
    %1 = irdl.base @d::@t1
    irdl.operands(a: %0, b: %1)
  }
  irdl.operation @allof {
    %0 = irdl.is i32
    %1 = irdl.is i64
    %2 = irdl.all_of(%0, %1)
    irdl.operands(a: %2)
  }
  irdl.operation @par {
    %0 = irdl.is i32
    %1 = irdl.parametric @d::@a1<%0>
    %2 = irdl.parametric @d::@tf<%0>
    irdl.attributes {"a" = %1}
    irdl.operands(a: optional %2)
  }
  irdl.operation @reg {
    %r0 = irdl.region
    %r1 = irdl.region()
    %v0 = irdl.is i32
    %v1 = irdl.is i64
    %r2 = irdl.region(%v0, %v1)
    %r3 = irdl.region with size 2
    irdl.regions(a: %r0, b: %r1, c: %r2, d: %r3)
  }
  irdl.operation @reg1 {
    %v0 = irdl.any
    %r0 = irdl.region(%v0, %v0)
    irdl.regions(ra: %r0)
    irdl.operands(a: %v0)
  }
}
