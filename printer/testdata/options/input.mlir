"t.a"() <{m = affine_map<(d0) -> (d0*2)>}> {x = dense<[true,false]> : tensor<2xsi1>, y = dense<[true,false]> : tensor<2xui1>, z = -1 : si1, w = dense<[[], []]> : tensor<2x0xi32>} : () -> () loc("foo"(callsite("a" at "b":1:2)))
%z0:2 = "t.b"() ({ ^bb0(%a : i32):
  %5 = "t.z"(%a, %a) : (i32, i32) -> i32
}) : () -> (i32, i32) loc(fused["x y", "z"])
%z7 = "t.q"(%z0#0) : (i32) -> i64
"t.c"(%z0#0, %z0#1) : (i32, i32) -> ()
"t.c"(%z0#0, %z0#1) : (i32, i32) -> ()
"t.u"() : () -> (tuple<i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1,i1>)
func.func @f(%arg0 : i32 loc("arg")) { return }
func.func @k(%a: tensor<2xf32>) {
  %0 = quant.qcast %a {k = 1} : tensor<2xf32> to tensor<2x!quant.uniform<i8:f32, 2.0>>
  %1 = quant.dcast %0 : tensor<2x!quant.uniform<i8:f32, 2.0>> to tensor<2xf32>
  %2 = quant.scast %0 : tensor<2x!quant.uniform<i8:f32, 2.0>> to tensor<2xi8>
  %f = func.constant {d.k} @k : (tensor<2xf32>) -> ()
  func.call_indirect %f(%a) {d.k} : (tensor<2xf32>) -> ()
  func.call @k(%a) {d.k} : (tensor<2xf32>) -> ()
  %c = "t.a"() : () -> i1
  cf.assert %c, "foo" {d.k}
  cf.cond_br %c weights([1, 2]), ^a(%c, %c : i1, i1) , ^b {d.k}
^a(%x : i1, %y : i1):
  cf.br ^b {d.k = 1}
^b:
  return {d.k}
}
func.func @g(%a: tensor<2xf32>) attributes {no_inline} {
   builtin.module {}
  %0 = builtin.unrealized_conversion_cast %a : tensor<2xf32> to i32
  return
}
module { func.func @h() { return } }
"t.a"() ({ module {} }) {big = dense<[1, 2, 3]> : tensor<3xi32>, splat = dense<7> : tensor<9xi8>, r = dense_resource<blob> : tensor<8xi8>,
  strings = dense<["a", "b", "c"]> : tensor<3x!d.s>, sparse = sparse<[[0], [1], [2]], [1, 2, 3]> : tensor<4xi32>} : () -> ()
{-#
  dialect_resources: {
    builtin: {
      blob: "0x010000000102030405060708"
    }
  },
  external_resources: {
    tool: {
      flag: true,
      text: "some longer text in here, thirty characters"
    }
  }
#-}
