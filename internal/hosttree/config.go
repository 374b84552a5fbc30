package hosttree

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// config makes the 256 bytes of a device's configuration space from words, so that a tree
// stays readable:
//
//	!CONFIG downstream routing egress target=2.5
//	!CONFIG root 32 64 128        completer of so many bits
//	!CONFIG endpoint reqen        requests are enabled
//	!CONFIG short                 the 64 bytes that everybody may read
//	!CONFIG ones                  nobody answers
func config(words []string) ([]byte, error) {
	b := make([]byte, 256)
	binary.LittleEndian.PutUint16(b[0x06:], 1<<4) // there is a list of capabilities
	b[0x34] = 0x50
	b[0x50], b[0x51] = 0x01, 0x70 // power management, then
	const express = 0x70
	b[express] = 0x10
	flags, can, control, target := uint16(2), uint16(0), uint16(0), uint16(0)
	for _, w := range words {
		switch key, value, _ := strings.Cut(w, "="); key {
		case "short":
			return b[:64], nil
		case "ones":
			for i := range b {
				b[i] = 0xff
			}
			return b, nil
		case "endpoint":
		case "legacy":
			flags |= 1 << 4
		case "root":
			flags |= 4 << 4
		case "upstream":
			flags |= 5 << 4
		case "downstream":
			flags |= 6 << 4
		case "topci":
			flags |= 7 << 4
		case "integrated":
			flags |= 9 << 4
		case "routing":
			can |= 1 << 6
		case "32":
			can |= 1 << 7
		case "64":
			can |= 1 << 8
		case "128":
			can |= 1 << 9
		case "reqen":
			control |= 1 << 6
		case "egress":
			control |= 1 << 7
		case "target":
			speeds := map[string]uint16{"2.5": 1, "5": 2, "8": 3, "16": 4, "32": 5, "64": 6}
			if target = speeds[value]; target == 0 {
				return nil, fmt.Errorf("target %s is no speed", strconv.Quote(value))
			}
		default:
			return nil, fmt.Errorf("%q is no word for a configuration space", w)
		}
	}
	binary.LittleEndian.PutUint16(b[express+0x02:], flags)
	binary.LittleEndian.PutUint16(b[express+0x24:], can)
	binary.LittleEndian.PutUint16(b[express+0x28:], control)
	binary.LittleEndian.PutUint16(b[express+0x30:], target)
	return b, nil
}
