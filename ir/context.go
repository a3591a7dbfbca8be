package ir

// This file holds the Context: what makes types and attributes unique, and which dialects are registered.

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Context owns the registered dialects and uniques types, attributes, locations and operation names. It is safe for
// concurrent use. Values of two contexts must not be mixed.
type Context struct {
	// AllowUnregisteredDialects says that operations, types and attributes of unknown dialects are accepted. It is
	// set before anything is parsed.
	AllowUnregisteredDialects bool

	seed   maphash.Seed
	shards [shardCount]shard
	nextID atomic.Uint32

	mu       sync.RWMutex
	dialects map[string]*Dialect
	names    map[string]*OperationName

	blobs     blobTable
	resources resourceTable
	common
}

// common holds the types and attributes that nearly every operation asks for, made once.
type common struct {
	none     *NoneType
	index    *IndexType
	integers [3][129]atomic.Pointer[IntegerType]
	floats   [floatKindCount]*FloatType
	unit     *UnitAttr
	boolean  [2]*IntegerAttr
	unknown  *UnknownLoc
	empty    *DictionaryAttr
}

// NewContext returns a context that knows the builtin types and attributes and no dialect.
func NewContext() *Context {
	c := &Context{
		seed:     maphash.MakeSeed(),
		dialects: map[string]*Dialect{},
		names:    map[string]*OperationName{},
	}
	c.none = &NoneType{TypeBase: c.newTypeBase()}
	c.index = &IndexType{TypeBase: c.newTypeBase()}
	for kind := range c.floats {
		c.floats[kind] = &FloatType{TypeBase: c.newTypeBase(), Kind: FloatKind(kind)}
	}
	c.unit = &UnitAttr{AttributeBase: c.newAttributeBase()}
	i1 := c.IntegerType(1, Signless)
	for value := range c.boolean {
		c.boolean[value] = &IntegerAttr{AttributeBase: c.newAttributeBase(), Type: i1, value: int64(value)}
	}
	c.unknown = &UnknownLoc{LocationBase: LocationBase{c.newAttributeBase()}}
	c.empty = &DictionaryAttr{AttributeBase: c.newAttributeBase()}
	return c
}

// MaxID returns the greatest ID given so far.
func (c *Context) MaxID() uint32 { return c.nextID.Load() }

// base is what every uniqued object carries.
type base struct {
	context *Context
	id      uint32
	depth   uint32 // see [base.Depth]
}

// Context returns the context that owns the object.
func (b *base) Context() *Context { return b.context }

// ID is a small number that is unique in the context, for keys and tables. Its order means nothing: where types are
// made in parallel it differs from run to run.
func (b *base) ID() uint32 { return b.id }

// TypeBase is embedded by every implementation of [Type].
type TypeBase struct{ base }

func (*TypeBase) isType() {}

// AttributeBase is embedded by every implementation of [Attribute].
type AttributeBase struct{ base }

func (*AttributeBase) isAttribute() {}

// LocationBase is embedded by every implementation of [Location].
type LocationBase struct{ AttributeBase }

func (*LocationBase) isLocation() {}

func (c *Context) newTypeBase() TypeBase {
	return TypeBase{base{context: c, id: c.nextID.Add(1)}}
}

func (c *Context) newAttributeBase() AttributeBase {
	return AttributeBase{base{context: c, id: c.nextID.Add(1)}}
}

// Key collects what tells two objects of one kind apart. It is built on the stack and copied only for a new object.
type Key []byte

// NewKey starts a key. Kind must be unique to the Go type that is made from it: builtin kinds are below 256,
// dialects use their Go type's full name with [Key.Text].
func newKey(buf []byte, kind keyKind) Key { return append(Key(buf[:0]), byte(kind)) }

// Uint appends a number.
func (k Key) Uint(v uint64) Key {
	return append(k, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
}

// Bool appends a truth value.
func (k Key) Bool(v bool) Key {
	if v {
		return append(k, 1)
	}
	return append(k, 0)
}

func (k Key) id(v uint32) Key { return append(k, byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }

// Type appends a type; nil is allowed.
func (k Key) Type(t Type) Key {
	if t == nil {
		return k.id(0)
	}
	return k.id(t.ID())
}

// Attribute appends an attribute; nil is allowed.
func (k Key) Attribute(a Attribute) Key {
	if a == nil {
		return k.id(0)
	}
	return k.id(a.ID())
}

// Text appends a string with its length, so that neighbours can't run together.
func (k Key) Text(s string) Key { return append(k.id(uint32(len(s))), s...) }

type keyKind byte

const (
	keyExtension keyKind = iota
	keyInteger
	keyComplex
	keyTuple
	keyFunction
	keyVector
	keyRankedTensor
	keyUnrankedTensor
	keyMemRef
	keyUnrankedMemRef
	keyOpaqueType
	keyIntegerAttr
	keyWideIntegerAttr
	keyFloatAttr
	keyString
	keyArray
	keyDictionary
	keyTypeAttr
	keySymbolRef
	keyDense
	keyDenseString
	keyDenseArray
	keySparse
	keyDenseResource
	keyAffineMap
	keyIntegerSet
	keyAffineExpr
	keyAffineMapAttr
	keyIntegerSetAttr
	keyStrided
	keyOpaqueAttr
	keyFileLoc
	keyNameLoc
	keyCallSiteLoc
	keyFusedLoc
	keyOpaqueLoc
)

// InternType uniques a dialect's own type: kind is the Go type's name with its package, key adds what tells two values
// of it apart, build gets the base that the new value embeds.
func InternType[T Type](c *Context, kind string, key func(Key) Key, build func(TypeBase) T) T {
	var buf [128]byte
	return intern(c, key(newKey(buf[:], keyExtension).Text(kind)), func() T { return build(c.newTypeBase()) })
}

// InternAttribute uniques a dialect's own attribute, like [InternType].
func InternAttribute[T Attribute](c *Context, kind string, key func(Key) Key, build func(AttributeBase) T) T {
	var buf [256]byte
	return intern(c, key(newKey(buf[:], keyExtension).Text(kind)), func() T { return build(c.newAttributeBase()) })
}

// RegisterDialect makes a dialect known. Registering the same dialect again does nothing.
func (c *Context) RegisterDialect(d *Dialect) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dialects[d.Namespace] == nil {
		c.dialects[d.Namespace] = d
	}
}

// Dialect returns the registered dialect of that namespace, or nil.
func (c *Context) Dialect(namespace string) *Dialect {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.dialects[namespace]
}

// Dialects returns the registered dialects by name.
func (c *Context) Dialects() []*Dialect {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := make([]*Dialect, 0, len(c.dialects))
	for _, d := range c.dialects {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *Dialect) int { return strings.Compare(a.Namespace, b.Namespace) })
	return all
}

// OperationName is a uniqued operation name, with its definition where a dialect registers it.
type OperationName struct {
	name       string
	namespace  string
	dialect    *Dialect
	definition *OpDefinition
	filled     atomic.Pointer[filledAttributes]
	mlir       bool // MLIR itself defines it, and this context does not
}

// filledAttributes are the attributes that an operation of a name was made of last, without and with the defaults.
type filledAttributes struct{ given, full *DictionaryAttr }

// withDefaults adds the defaults that the definition demands. A model repeats the same attributes from layer to layer.
func (n *OperationName) withDefaults(given *DictionaryAttr) *DictionaryAttr {
	last := n.filled.Load()
	if last != nil && last.given == given {
		return last.full
	}
	full := n.definition.FillDefaults(given)
	n.filled.Store(&filledAttributes{given, full})
	return full
}

// String returns the full name, "top.MatMul".
func (n *OperationName) String() string { return n.name }

// Namespace returns the part before the first dot, or "" where there is none.
func (n *OperationName) Namespace() string { return n.namespace }

// Dialect returns the registered dialect of the name's namespace, or nil.
func (n *OperationName) Dialect() *Dialect { return n.dialect }

// Definition returns what the dialect says of the operation, or nil for an unregistered one.
func (n *OperationName) Definition() *OpDefinition { return n.definition }

// OperationName uniques a name. The dialects it may belong to have to be registered before.
func (c *Context) OperationName(name string) *OperationName {
	c.mu.RLock()
	found := c.names[name]
	c.mu.RUnlock()
	if found != nil {
		return found
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.names[name]; found != nil {
		return found
	}
	made := &OperationName{name: strings.Clone(name)}
	if namespace, _, ok := strings.Cut(made.name, "."); ok {
		made.namespace = namespace
		made.dialect = c.dialects[namespace]
		if made.dialect != nil && made.dialect.Operation != nil {
			made.definition = made.dialect.Operation(made.name)
		}
		made.mlir = made.definition == nil && IsMLIRDialect(namespace)
	}
	c.names[made.name] = made
	return made
}
