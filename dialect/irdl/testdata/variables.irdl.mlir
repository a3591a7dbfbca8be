irdl.dialect @d {
  irdl.type @t0
  irdl.type @t1 {
    %0 = irdl.any
    irdl.parameters(elem: %0)
  }
  irdl.attribute @a0
  irdl.operation @bt {
    %0 = irdl.base "!builtin.integer"
    irdl.attributes {"a" = %0}
  }
  irdl.operation @bd {
    %0 = irdl.base @d::@t0
    irdl.attributes {"a" = %0}
  }
  irdl.operation @bp {
    %1 = irdl.any
    %0 = irdl.parametric @d::@t1<%1>
    irdl.attributes {"a" = %0}
  }
  irdl.operation @bp2 {
    %1 = irdl.any
    %0 = irdl.parametric @d::@t1<%1, %1>
    irdl.attributes {"a" = %0}
  }
  irdl.operation @ba {
    %0 = irdl.base "#builtin.integer"
    irdl.operands(a: %0)
  }
  irdl.operation @ba2 {
    %0 = irdl.base @d::@a0
    irdl.operands(a: %0)
  }
  irdl.operation @two {
    %0 = irdl.is f32
    %1 = irdl.is f64
    %2 = irdl.any_of(%0, %1)
    %3 = irdl.any_of(%2, %1)
    irdl.operands(l: %2, r: %3)
  }
  irdl.operation @reg {
    %v0 = irdl.is i32
    %r2 = irdl.region(%v0, %v0)
    irdl.regions(c: %r2)
  }
  irdl.operation @term {
    %r2 = irdl.region
    irdl.regions(c: %r2)
  }
}
