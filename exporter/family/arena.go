package family

// arena hands out values from blocks that are used again, so that a page of ten thousand
// series costs no memory of its own. A value is valid until reset.
type arena[T any] struct {
	blocks [][]T
	at     int // block in use
	used   int // of it
}

const blockSize = 2048

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

// reset makes all values free and keeps at most keep blocks.
func (a *arena[T]) reset(keep int) {
	if len(a.blocks) > keep {
		clear(a.blocks[keep:])
		a.blocks = a.blocks[:keep]
	}
	a.at, a.used = 0, 0
}
