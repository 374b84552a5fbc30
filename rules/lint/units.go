package lint

import (
	"strings"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/prometheus/prometheus/promql/parser"
)

// perSecond is the suffix of a unit after rate.
const perSecond = "/s"

// unitOf works out the unit of a binary operation and notes where unlike things are added
// or compared.
func (c *checker) unitOf(b *parser.BinaryExpr, left, right facts) catalog.Unit {
	l, r := left.unit, right.unit
	switch b.Op {
	case parser.LAND, parser.LUNLESS:
		return l
	case parser.DIV:
		return quotient(l, r)
	case parser.MUL, parser.POW, parser.MOD, parser.ATAN2:
		if r == "" {
			return l
		}
		return unitIf(l == "", r)
	}
	if !alike(l, r) {
		c.problem("%s: %s %s %s mixes units", b, l, b.Op, r)
	}
	switch {
	case b.ReturnBool:
		return catalog.Boolean
	case b.Op == parser.SUB && l == catalog.Timestamp && r == catalog.Timestamp:
		return catalog.Seconds
	case l == "":
		return r
	}
	return l
}

func unitIf(cond bool, u catalog.Unit) catalog.Unit {
	if cond {
		return u
	}
	return ""
}

// alike says whether two values may be added or compared. What is not known is not doubted;
// requests are counts, and so is a sum of booleans.
func alike(l, r catalog.Unit) bool {
	counts := func(u catalog.Unit) catalog.Unit {
		s := strings.Replace(string(u), string(catalog.Requests), string(catalog.Count), 1)
		return catalog.Unit(strings.Replace(s, string(catalog.Boolean), string(catalog.Count), 1))
	}
	return l == "" || r == "" || counts(l) == counts(r)
}

// quotient is the unit of a division: seconds per request stay seconds, like by like is a ratio.
func quotient(l, r catalog.Unit) catalog.Unit {
	l, r = trimRates(l, r)
	switch {
	case r == "":
		return l
	case l == r:
		return catalog.Ratio
	case l != "" && (r == catalog.Count || r == catalog.Requests):
		return l
	}
	return ""
}

func trimRates(l, r catalog.Unit) (catalog.Unit, catalog.Unit) {
	a, aRate := strings.CutSuffix(string(l), perSecond)
	b, bRate := strings.CutSuffix(string(r), perSecond)
	if aRate && bRate {
		return catalog.Unit(a), catalog.Unit(b)
	}
	return l, r
}
