irdl.dialect @d {
  irdl.operation @attribute {
    %0 = irdl.c_pred "$_self"
    %1 = irdl.any
    irdl.attributes {"a" = %0, "b" = %1}
  }
  irdl.operation @one {
    %0 = irdl.c_pred "$_self"
    %1 = irdl.is f32
    %2 = irdl.any_of(%0, %1)
    irdl.attributes {"a" = %2}
  }
  irdl.operation @no_one {
    %0 = irdl.c_pred "$_self"
    %1 = irdl.any_of(%0)
    irdl.attributes {"a" = %1}
  }
  irdl.operation @both {
    %0 = irdl.c_pred "$_self"
    %1 = irdl.is f32
    %2 = irdl.all_of(%0, %1)
    irdl.attributes {"a" = %2}
  }
  irdl.operation @all {
    %0 = irdl.c_pred "$_self"
    %1 = irdl.all_of(%0)
    irdl.attributes {"a" = %1}
  }
  irdl.operation @operand {
    %0 = irdl.c_pred "$_self"
    irdl.operands(a: %0)
    irdl.results(b: optional %0)
  }
}
