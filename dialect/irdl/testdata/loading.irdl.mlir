irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.base "!foo.bar"
    irdl.operands(a: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.base "#foo.bar"
    irdl.operands(a: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.any
    %1 = irdl.is i32
    %2 = irdl.any_of(%0, %1)
    irdl.operands(a: %2)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.base "!builtin.integer"
    %1 = irdl.is i32
    %2 = irdl.any_of(%0, %1)
    irdl.operands(a: %2)
  }
}
// -----
irdl.dialect @d {
  irdl.type @t {
    %0 = irdl.any
    irdl.parameters(e: %0)
  }
  irdl.operation @o {
    %0 = irdl.is i32
    %4 = irdl.is i64
    %1 = irdl.parametric @d::@t<%0>
    %2 = irdl.parametric @d::@t<%4>
    %3 = irdl.any_of(%1, %2)
    irdl.operands(a: %3)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o
}
irdl.dialect @d {
  irdl.operation @p
}
// -----
irdl.dialect @d {
  irdl.operation @o
}
module {
irdl.dialect @d {
  irdl.operation @p
}
irdl.dialect @e {
  irdl.operation @p
}
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.is !d.t
    irdl.operands(a: %0)
  }
}
// -----
irdl.dialect @d {
// -----
module {
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.is i32
    %1 = irdl.is i32
    %2 = irdl.any_of(%0, %1)
    irdl.operands(a: %2)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %2 = irdl.any_of(%0, %1)
    %0 = irdl.is i32
    %1 = irdl.is i32
    irdl.operands(a: %2)
  }
}
// -----
irdl.dialect @d {
  irdl.type @t {
    %0 = irdl.parametric @d::@t<%1>
    %1 = irdl.any
    irdl.parameters(e: %0)
  }
  irdl.operation @o
}
// -----
irdl.dialect @d {
  irdl.type @t {
    %0 = irdl.any
    irdl.parameters(e: %0)
  }
  irdl.operation @o {
    %0 = irdl.parametric @d::@t<>
    irdl.operands(a: %0)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.is f32
    %1 = irdl.is i32
    %3 = irdl.any
    %4 = irdl.all_of(%3, %0)
    %2 = irdl.any_of(%4, %1)
    irdl.operands(a: %2)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %1 = irdl.is i32
    %4 = irdl.base "#builtin.integer"
    %5 = irdl.base "!builtin.integer"
    %2 = irdl.any_of(%4, %1, %5)
    irdl.operands(a: %2)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.base "!builtin.integer"
    %1 = irdl.base "!builtin.integer"
    %2 = irdl.any_of(%0, %1)
    irdl.operands(a: %2)
  }
}
// -----
irdl.dialect @d {
  irdl.type @t {
    %0 = irdl.any
    irdl.parameters(e: %0)
  }
  irdl.operation @o {
    %3 = irdl.any
    %0 = irdl.base @d::@t
    %1 = irdl.parametric @d::@t<%3>
    %2 = irdl.any_of(%0, %1)
    irdl.operands(a: %2)
  }
}
// -----
irdl.dialect @d {
  irdl.operation @o {
    %0 = irdl.base "!builtin.integer"
    %1 = irdl.base "!builtin.integer"
    %3 = irdl.any_of(%0)
    %4 = irdl.any_of(%1)
    %2 = irdl.any_of(%3, %4)
    irdl.operands(a: %2)
  }
}
