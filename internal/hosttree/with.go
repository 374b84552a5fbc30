package hosttree

// With is the machine with more lines at the end of its tree file: files of its last state that
// are otherwise, or further states.
func (t *Tree) With(lines string) (*Tree, error) {
	return Parse(t.Name, t.text+"\n"+lines)
}
