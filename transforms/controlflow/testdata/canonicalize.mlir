func.func @single(%a: i32) { cf.br ^b(%a : i32)
^b(%x: i32): "t.use"(%x) : (i32) -> ()
  return }
// -----
func.func @chain(%a: i32) -> i32 { cf.br ^b(%a : i32)
^b(%x: i32): cf.br ^c(%x : i32)
^c(%y: i32): %z = "t.f"(%y) : (i32) -> i32
  cf.br ^d(%z : i32)
^d(%w: i32): return %w : i32 }
// -----
func.func @unreachable() { return
^a: "t.x"() : () -> ()
  cf.br ^b
^b: cf.br ^a }
// -----
func.func @unreachableUse(%a: i32) -> i32 { cf.br ^c(%a : i32)
^dead: %0 = "t.x"() : () -> i32
  cf.br ^c(%0 : i32)
^c(%x: i32): return %x : i32 }
// -----
func.func @pass(%c: i1, %a: i32) -> i32 { cf.cond_br %c, ^a, ^b
^a: cf.br ^e(%a : i32)
^b: %0 = "t.x"() : () -> i32
  cf.br ^e(%0 : i32)
^e(%r: i32): return %r : i32 }
// -----
func.func @passArguments(%c: i1, %a: i32, %b: i32) -> i32 { cf.cond_br %c, ^a(%a, %b : i32, i32), ^b
^a(%x: i32, %y: i32): cf.br ^e(%y, %x : i32, i32)
^b: %0 = "t.x"() : () -> i32
  cf.br ^e(%0, %0 : i32, i32)
^e(%r: i32, %s: i32): "t.use"(%s) : (i32) -> ()
  return %r : i32 }
// -----
func.func @passBoth(%c: i1, %a: i32, %b: i32) -> i32 { cf.cond_br %c, ^a, ^b
^a: cf.br ^e(%a : i32)
^b: cf.br ^f(%b : i32)
^e(%r: i32): "t.x"() : () -> ()
 return %r : i32
^f(%s: i32): "t.y"() : () -> ()
 return %s : i32 }
// -----
func.func @same(%c: i1) { cf.cond_br %c, ^a, ^a
^a: "t.x"() : () -> ()
  return }
// -----
func.func @sameValues(%c: i1, %a: i32) -> i32 { cf.cond_br %c, ^a(%a : i32), ^a(%a : i32)
^a(%x: i32): return %x : i32 }
// -----
func.func @sameAfterPass(%c: i1) { cf.cond_br %c, ^a, ^b
^a: cf.br ^e
^b: cf.br ^e
^e: return }
// -----
func.func @condition(%c: i1) { cf.cond_br %c, ^a, ^b
^a: "t.x"() : () -> ()
  cf.cond_br %c, ^d, ^e
^b: "t.y"() : () -> ()
  cf.cond_br %c, ^d, ^e
^d: "t.d"() : () -> ()
  return
^e: "t.e"() : () -> ()
  return }
// -----
func.func @weights(%c: i1, %a: i32) -> i32 { cf.cond_br %c weights([90, 10]), ^a, ^b
^a: cf.br ^e(%a : i32)
^b: %0 = "t.x"() : () -> i32
  cf.br ^e(%0 : i32)
^e(%r: i32): return %r : i32 }
// -----
func.func @weightsStay(%c: i1, %a: i32) { cf.cond_br %c weights([90, 10]), ^a, ^b {u = 1 : i32}
^a: "t.a"() : () -> ()
  return
^b: "t.b"() : () -> ()
  return }
// -----
func.func @infinite() { cf.br ^a
^a: cf.br ^a }
// -----
func.func @infiniteTwo() { cf.br ^a
^a: cf.br ^b
^b: cf.br ^a }
// -----
func.func @infiniteThree(%c: i1) { cf.cond_br %c, ^a, ^d
^a: cf.br ^b
^b: cf.br ^c
^c: cf.br ^a
^d: return }
// -----
func.func @infiniteSelf(%c: i1) { cf.cond_br %c, ^a, ^b
^a: cf.br ^a
^b: return }
// -----
func.func @infiniteBehind(%c: i1) { cf.cond_br %c, ^p, ^b
^p: cf.br ^a
^a: cf.br ^a
^b: return }
// -----
func.func @infiniteBehindTwo(%c: i1) { cf.cond_br %c, ^p, ^b
^p: cf.br ^q
^q: cf.br ^a
^a: cf.br ^z
^z: cf.br ^a
^b: return }
// -----
func.func @loop(%c: i1, %a: i32) -> i32 { cf.br ^h(%a : i32)
^h(%x: i32): %y = "t.f"(%x) : (i32) -> i32
  %d = "t.g"(%y) : (i32) -> i1
  cf.cond_br %d, ^h(%y : i32), ^e(%y : i32)
^e(%z: i32): return %z : i32 }
// -----
func.func @deadLoopArgument(%c: i1, %a: i32, %b: i32) -> i32 { cf.br ^h(%a, %b : i32, i32)
^h(%x: i32, %u: i32): %y = "t.f"(%x) : (i32) -> i32
  %d = "t.g"(%y) : (i32) -> i1
  %v = builtin.unrealized_conversion_cast %u : i32 to i64
  %w = builtin.unrealized_conversion_cast %v : i64 to i32
  cf.cond_br %d, ^h(%y, %w : i32, i32), ^e(%y : i32)
^e(%z: i32): return %z : i32 }
// -----
func.func @deadCircle(%c: i1, %a: i32, %b: i32) { cf.br ^h(%a, %b : i32, i32)
^h(%x: i32, %u: i32): %d = "t.g"() : () -> i1
  %v = builtin.unrealized_conversion_cast %u, %x : i32, i32 to i32
  cf.cond_br %d, ^h(%v, %x : i32, i32), ^e
^e: return }
// -----
func.func @deadArgument(%c: i1, %a: i32) { cf.cond_br %c, ^a(%a : i32), ^b(%a, %a : i32, i32)
^a(%x: i32): "t.a"() : () -> ()
  return
^b(%y: i32, %z: i32): "t.b"(%z) : (i32) -> ()
  return }
// -----
func.func @unregisteredTerminator(%c: i1, %a: i32) { "t.br"(%a)[^a, ^b] : (i32) -> ()
^a: "t.a"() : () -> ()
  return
^b: cf.br ^d
^d: "t.b"() : () -> ()
  return }
// -----
func.func @unregisteredArgument(%a: i32) { "t.br"(%a)[^a, ^b] : (i32) -> ()
^a(%x: i32): "t.a"() : () -> ()
  return
^b(%y: i32): "t.b"(%y) : (i32) -> ()
  return }
// -----
%0 = "t.dead"() : () -> i32
%1 = "t.deadToo"(%0) : (i32) -> i32
// -----
func.func @casts(%a: i32) -> i32 { %0 = builtin.unrealized_conversion_cast %a : i32 to i64
  %1 = builtin.unrealized_conversion_cast %0 : i64 to i32
  return %1 : i32 }
// -----
func.func @castChain(%a: i32) -> i32 { %0 = builtin.unrealized_conversion_cast %a : i32 to i64
  %1 = builtin.unrealized_conversion_cast %0 : i64 to f32
  %2 = builtin.unrealized_conversion_cast %1 : f32 to i64
  %3 = builtin.unrealized_conversion_cast %2 : i64 to i32
  return %3 : i32 }
// -----
func.func @castSame(%a: i32) -> i32 { %0 = builtin.unrealized_conversion_cast %a : i32 to i32
  return %0 : i32 }
// -----
func.func @castSwap(%a: i32, %b: i64) -> (i32, i64) { %0:2 = builtin.unrealized_conversion_cast %a, %b : i32, i64 to f32, f64
  %1:2 = builtin.unrealized_conversion_cast %0#1, %0#0 : f64, f32 to i32, i64
  %2:2 = builtin.unrealized_conversion_cast %0#0, %0#1 : f32, f64 to i32, i64
  return %2#0, %1#1 : i32, i64 }
// -----
func.func @castNone() -> i32 { %0 = builtin.unrealized_conversion_cast to i32
  %1 = builtin.unrealized_conversion_cast to i64
  return %0 : i32 }
// -----
func.func private @g(%a: i32) -> i32
func.func @indirect(%a: i32) -> i32 { %f = constant @g : (i32) -> i32
  %0 = call_indirect %f(%a) : (i32) -> i32
  return %0 : i32 }
// -----
func.func private @g(%a: i32) -> (i32, i64)
func.func @indirectTwo(%a: i32) -> i64 { %f = constant @g : (i32) -> (i32, i64)
  "t.use"(%f) : ((i32) -> (i32, i64)) -> ()
  %0:2 = call_indirect %f(%a) {u = 1 : i32} : (i32) -> (i32, i64)
  return %0#1 : i64 }
// -----
func.func private @g()
func.func private @h()
func.func @constants() { "t.x"() : () -> ()
  %f = constant @g : () -> ()
  "t.use"(%f) : (() -> ()) -> ()
  %h = constant @h : () -> ()
  %i = constant @g : () -> ()
  "t.use"(%h, %i) : (() -> (), () -> ()) -> ()
  return }
// -----
func.func private @g()
func.func private @h()
func.func @constantsNested(%c: i1) { "t.x"() : () -> ()
  cf.cond_br %c, ^a, ^b
^a: %h = constant @h : () -> ()
  "t.first"(%h) : (() -> ()) -> ()
  return
^b: %i = constant @g : () -> ()
  "t.use"(%i) : (() -> ()) -> ()
  return }
// -----
func.func private @g()
func.func @constantDead() { %f = constant @g : () -> ()
  return }
// -----
func.func private @g()
func.func @constantThroughBlock(%c: i1) { %f = constant @g : () -> ()
  cf.br ^a(%f : () -> ())
^a(%x: () -> ()): call_indirect %x() : () -> ()
  return }
// -----
func.func @nested(%c: i1) { "t.region"() ({
  cf.br ^a
^a: "t.x"() : () -> ()
  cf.br ^b
^b: "t.y"() : () -> ()
^dead: "t.z"() : () -> ()
  }) : () -> ()
  return }
// -----
func.func @nestedLoop(%c: i1) { "t.region"() ({
  cf.br ^a(%c : i1)
^a(%x: i1): "t.x"() : () -> ()
  cf.cond_br %x, ^a(%x : i1), ^b
^b: "t.y"() : () -> ()
  }) : () -> ()
  return }
// -----
func.func @alike(%c: i1) { cf.cond_br %c, ^a, ^b
^a: "t.x"() : () -> ()
  return
^b: "t.x"() : () -> ()
  return }
// -----
func.func @alikeValues(%c: i1, %d: i1, %a: i32, %b: i32) -> i32 { cf.cond_br %c, ^a, ^o
^o: "t.o"() : () -> ()
  cf.cond_br %d, ^b, ^p
^p: return %a : i32
^a: %0 = "t.x"(%a, %a) : (i32, i32) -> i32
  return %0 : i32
^b: %1 = "t.x"(%b, %b) : (i32, i32) -> i32
  return %1 : i32 }
// -----
func.func @alikeReturns(%c: i1, %d: i1, %a: i32, %b: i32) -> i32 { cf.cond_br %c, ^a, ^o
^o: "t.o"() : () -> ()
  cf.cond_br %d, ^b, ^p
^p: "t.p"() : () -> ()
  return %a : i32
^a: return %a : i32
^b: return %b : i32 }
// -----
func.func @alikeArguments(%c: i1, %d: i1, %a: i32, %b: i32) -> i32 { cf.cond_br %c, ^a(%a : i32), ^o
^o: "t.o"() : () -> ()
  cf.cond_br %d, ^b(%b : i32), ^p
^p: "t.p"() : () -> ()
  return %a : i32
^a(%x: i32): %0 = "t.x"(%x, %b) : (i32, i32) -> i32
  return %0 : i32
^b(%y: i32): %1 = "t.x"(%y, %b) : (i32, i32) -> i32
  return %1 : i32 }
// -----
func.func @alikeNotAttributes(%c: i1) { cf.cond_br %c, ^a, ^b
^a: "t.x"() {u = 1 : i32} : () -> ()
  return
^b: "t.x"() {u = 2 : i32} : () -> ()
  return }
// -----
func.func @alikeRegions(%c: i1) { cf.cond_br %c, ^a, ^b
^a: "t.x"() ({ "t.y"() : () -> () }) : () -> ()
  return
^b: "t.x"() ({ "t.y"() : () -> () }) : () -> ()
  return }
// -----
func.func @alikeOrder(%c: i1, %a: i32) -> i32 { cf.cond_br %c, ^a, ^b
^a: %0 = "t.x"() : () -> i32
  %1 = "t.x"() : () -> i32
  return %0 : i32
^b: %2 = "t.x"() : () -> i32
  %3 = "t.x"() : () -> i32
  return %3 : i32 }
// -----
func.func @alikeUsedOutside(%c: i1, %a: i32) -> i32 { cf.cond_br %c, ^a, ^b
^a: %0 = "t.x"() : () -> i32
  cf.br ^d(%0 : i32)
^b: %1 = "t.x"() : () -> i32
  cf.br ^d(%1 : i32)
^d(%r: i32): return %r : i32 }
// -----
func.func @alikeThree(%c: i1, %d: i1, %a: i32, %b: i32) -> i32 { cf.cond_br %c, ^a, ^e
^e: "t.e"() : () -> ()
  cf.cond_br %d, ^b, ^f
^a: %0 = "t.x"(%a, %b) : (i32, i32) -> i32
  return %0 : i32
^b: %1 = "t.x"(%b, %a) : (i32, i32) -> i32
  return %1 : i32
^f: %2 = "t.x"(%b, %b) : (i32, i32) -> i32
  return %2 : i32 }
// -----
func.func @alikeUnregisteredBranch(%a: i32, %b: i32) -> i32 { "t.br"()[^a, ^b] : () -> ()
^a: %0 = "t.x"(%a) : (i32) -> i32
  return %0 : i32
^b: %1 = "t.x"(%b) : (i32) -> i32
  return %1 : i32 }
// -----
func.func @commonArgument(%c: i1, %a: i32) -> i32 { cf.cond_br %c, ^a, ^b
^a: "t.a"() : () -> ()
  cf.br ^d(%a : i32)
^b: "t.b"() : () -> ()
  cf.br ^d(%a : i32)
^d(%x: i32): return %x : i32 }
// -----
func.func @onlyDefault(%f: i32) { cf.switch %f : i32, [default: ^a]
^a: "t.a"() : () -> ()
  return }
// -----
func.func @likeDefault(%f: i32, %a: i32) -> i32 { cf.switch %f : i32, [default: ^a(%a : i32), 1: ^a(%a : i32), 2: ^b, 3: ^a(%f : i32)]
^a(%x: i32): "t.a"() : () -> ()
  return %x : i32
^b: "t.b"() : () -> ()
  return %f : i32 }
// -----
func.func @allLikeDefault(%f: i32) { cf.switch %f : i32, [default: ^a, 1: ^a, 2: ^a]
^a: "t.a"() : () -> ()
  return }
// -----
func.func @passSwitch(%f: i32, %a: i32) -> i32 { cf.switch %f : i32, [default: ^a, 1: ^b(%a : i32), 2: ^d]
^a: cf.br ^e(%f : i32)
^b(%x: i32): cf.br ^e(%x : i32)
^d: "t.d"() : () -> ()
  return %a : i32
^e(%r: i32): "t.e"() : () -> ()
  return %r : i32 }
// -----
func.func @sameFlag(%f: i32) { cf.switch %f : i32, [default: ^a, 42: ^b]
^a: "t.a"() : () -> ()
  cf.switch %f : i32, [default: ^d, 42: ^e, 43: ^g]
^b: "t.b"() : () -> ()
  cf.switch %f : i32, [default: ^d, 42: ^e, 43: ^g]
^d: "t.d"() : () -> ()
  return
^e: "t.e"() : () -> ()
  return
^g: "t.g"() : () -> ()
  return }
// -----
func.func @sameFlagOther(%f: i32) { cf.switch %f : i32, [default: ^a, 42: ^b]
^a: "t.a"() : () -> ()
  cf.switch %f : i32, [default: ^d, 42: ^e]
^b: "t.b"() : () -> ()
  cf.switch %f : i32, [default: ^d, 41: ^e]
^d: "t.d"() : () -> ()
  return
^e: "t.e"() : () -> ()
  return }
// -----
func.func @switchDeadArgument(%f: i32, %a: i32) { cf.switch %f : i32, [default: ^a(%a : i32), -1: ^b(%f, %a : i32, i32), 7: ^b(%a, %f : i32, i32)]
^a(%x: i32): "t.a"() : () -> ()
  return
^b(%y: i32, %z: i32): "t.b"(%z) : (i32) -> ()
  return }
// -----
func.func @switchWide(%f: i64) { cf.switch %f : i64, [default: ^a, 4294967296: ^b, 1: ^a]
^a: "t.a"() : () -> ()
  return
^b: "t.b"() : () -> ()
  return }
// -----
func.func @assert(%c: i1) { cf.assert %c, "m"
  return }
// -----
func.func @deepTwo(%c: i1, %d: i1, %a: i32) -> i32 { cf.cond_br %c, ^a, ^b
^a: cf.cond_br %d, ^x, ^y
^b: cf.br ^y
^x: cf.br ^z(%a : i32)
^y: %0 = "t.y"() : () -> i32
  cf.br ^z(%0 : i32)
^z(%r: i32): return %r : i32 }
// -----
func.func @diamonds(%c: i1, %d: i1) { cf.cond_br %c, ^a, ^b
^a: cf.br ^m
^b: cf.br ^m
^m: cf.cond_br %d, ^x, ^y
^x: cf.br ^n
^y: cf.br ^n
^n: "t.n"() : () -> ()
  return }
// -----
func.func @loopPass(%c: i1) { cf.br ^h
^h: %d = "t.g"() : () -> i1
  cf.cond_br %d, ^latch, ^e
^latch: cf.br ^h
^e: return }
// -----
func.func @toEntryLike(%a: i32) -> i32 { cf.br ^b
^b: %0 = "t.f"(%a) : (i32) -> i32
  cf.br ^d
^d: return %0 : i32 }
// -----
module { module @inner { func.func @f() { cf.br ^a
^a: return } }
module {} }
// -----
%0 = builtin.unrealized_conversion_cast %1 : i32 to i64
%1 = builtin.unrealized_conversion_cast %0 : i64 to i32
// -----
"t.graph"() ({
  %0 = "t.a"(%1) : (i32) -> i32
  %1 = "t.b"(%0) : (i32) -> i32
  %2 = builtin.unrealized_conversion_cast %3, %0 : i32, i32 to i32
  %3 = builtin.unrealized_conversion_cast %2, %2 : i32, i32 to i32
}) : () -> ()
// -----
func.func @callStays(%a: i32) { %0 = call @callee(%a) : (i32) -> i32
  return }
func.func private @callee(%a: i32) -> i32 { return %a : i32 }
// -----
func.func @select(%c: i1, %a: i32, %b: i32) -> i32 { cf.cond_br %c, ^x(%a, %a : i32, i32), ^x(%b, %a : i32, i32)
^x(%y: i32, %z: i32): "t.use"(%z) : (i32) -> ()
  return %y : i32 }
// -----
func.func @noSelect(%c: i1, %d: i1, %a: i32, %b: i32) -> i32 { cf.cond_br %d, ^p, ^x(%a : i32)
^p: "t.p"() : () -> ()
  cf.cond_br %c, ^x(%a : i32), ^x(%b : i32)
^x(%y: i32): return %y : i32 }
// -----
func.func @selectOfSame(%c: i1, %a: i32, %b: i32, %d: i32) -> (i32, i32) {
  %0 = arith.select %c, %a, %b : i32
  %1 = arith.select %c, %0, %d : i32
  %2 = arith.select %c, %d, %0 : i32
  return %1, %2 : i32, i32 }
// -----
func.func @truth(%c: i1) -> i1 { cf.cond_br %c, ^x, ^z
^x: "t.a"(%c, %c) : (i1, i1) -> ()
  return %c : i1
^z: "t.b"(%c) : (i1) -> ()
  "t.r"() ({ "t.c"(%c) : (i1) -> () }) : () -> ()
  return %c : i1 }
// -----
func.func @noTruth(%c: i1, %d: i1) { cf.cond_br %d, ^p, ^x
^p: "t.p"() : () -> ()
  cf.cond_br %c, ^x, ^y
^x: "t.a"(%c) : (i1) -> ()
  return
^y: "t.b"(%c) : (i1) -> ()
  return }
// -----
func.func @constants() -> (i32, i32, i1) { %t = arith.constant true
  %0 = arith.constant 5 : i32
  cf.cond_br %t, ^x(%0 : i32), ^x(%0 : i32)
^x(%a: i32): %1 = arith.constant 5 : i32
  cf.assert %t, "never"
  %2 = arith.select %t, %a, %1 : i32
  return %1, %2, %t : i32, i32, i1 }
// -----
func.func @goesRound(%c: i1) { cf.cond_br %c, ^a, ^b
^a: cf.br ^b
^b: "t.b"() : () -> ()
  cf.br ^a }
// -----
func.func @deadCycle() { cf.br ^a
^a: "t.graph"() ({
    %0 = builtin.unrealized_conversion_cast %1 : i32 to i64
    %1 = builtin.unrealized_conversion_cast %0 : i64 to i32
  }) : () -> ()
  return }
