package family

// arena hands out values from blocks that are used again for each family, so that a page of
// ten thousand series costs the memory of its largest family. A value is valid until reset.
type arena[T any] struct {
	blocks [][]T
	at     int // block in use
	used   int // of it
}

const blockSize = 1024

// take returns n values in a row, with whatever was in them before.
func (a *arena[T]) take(n int) []T {
	if n > blockSize {
		return make([]T, n)
	}
	if len(a.blocks) > 0 && a.used+n > blockSize {
		a.at, a.used = a.at+1, 0
	}
	if a.at >= len(a.blocks) {
		a.blocks = append(a.blocks, make([]T, blockSize))
	}
	from := a.used
	a.used += n
	return a.blocks[a.at][from:a.used:a.used]
}

// one returns a single value.
func (a *arena[T]) one() *T { return &a.take(1)[0] }

// mostBlocks is how many blocks are kept for the next family.
const mostBlocks = 32

// reset makes all values free.
func (a *arena[T]) reset() {
	if len(a.blocks) > mostBlocks {
		clear(a.blocks[mostBlocks:])
		a.blocks = a.blocks[:mostBlocks]
	}
	a.at, a.used = 0, 0
}
