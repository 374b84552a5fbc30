package promapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
)

func (s Source) series(r *http.Request) (result, error) {
	if len(r.Form["match[]"]) == 0 {
		return result{}, badData{errors.New("no match[] parameter provided")}
	}
	found := map[string]labels.Labels{}
	sel, err := s.each(r, func(ctx context.Context, q storage.Querier, sel selection, m []*labels.Matcher) error {
		set := q.Select(ctx, false, &storage.SelectHints{Start: sel.start.UnixMilli(), End: sel.end.UnixMilli(), Func: "series"}, m...)
		for set.Next() {
			ls := set.At().Labels()
			found[ls.String()] = ls
		}
		return set.Err()
	})
	if err != nil {
		return result{}, err
	}
	all := make([]labels.Labels, 0, len(found))
	for _, text := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[text])
	}
	all, warnings := cut(all, sel.limit)
	return result{data: all, warnings: warnings}, nil
}

func (s Source) labelNames(r *http.Request) (result, error) {
	return s.texts(r, func(ctx context.Context, q storage.Querier, m []*labels.Matcher) ([]string, error) {
		names, _, err := q.LabelNames(ctx, nil, m...)
		return names, err
	})
}

func (s Source) labelValues(r *http.Request) (result, error) {
	name := r.PathValue("name")
	if !model.UTF8Validation.IsValidLabelName(name) {
		return result{}, badData{fmt.Errorf("invalid label name: %q", name)}
	}
	return s.texts(r, func(ctx context.Context, q storage.Querier, m []*labels.Matcher) ([]string, error) {
		values, _, err := q.LabelValues(ctx, name, nil, m...)
		return values, err
	})
}

// texts answers with texts of all that is selected, sorted, each once.
func (s Source) texts(r *http.Request, get func(context.Context, storage.Querier, []*labels.Matcher) ([]string, error)) (result, error) {
	all := []string{}
	sel, err := s.each(r, func(ctx context.Context, q storage.Querier, _ selection, m []*labels.Matcher) error {
		texts, err := get(ctx, q, m)
		for _, t := range texts {
			all = append(all, string([]byte(t))) // the storage takes its memory back
		}
		return err
	})
	if err != nil {
		return result{}, err
	}
	slices.Sort(all)
	all, warnings := cut(slices.Compact(all), sel.limit)
	return result{data: all, warnings: warnings}, nil
}

// each calls a function with every selector of a question, or once without any.
func (s Source) each(r *http.Request, do func(context.Context, storage.Querier, selection, []*labels.Matcher) error) (selection, error) {
	sel, err := s.selectionOf(r)
	if err != nil {
		return sel, err
	}
	q, err := s.Queryable.Querier(sel.start.UnixMilli(), sel.end.UnixMilli())
	if err != nil {
		return sel, err
	}
	defer q.Close()
	matchers := sel.matchers
	if len(matchers) == 0 {
		matchers = [][]*labels.Matcher{nil}
	}
	for _, m := range matchers {
		if err := do(r.Context(), q, sel, m); err != nil {
			return sel, err
		}
	}
	return sel, nil
}

func (s Source) metadata(r *http.Request) (result, error) {
	limit, err := limitOf(r)
	if err != nil {
		return result{}, err
	}
	all := call(s.Metadata)
	names := slices.Sorted(maps.Keys(all))
	if only := r.Form.Get("metric"); only != "" {
		names = slices.DeleteFunc(names, func(n string) bool { return n != only })
	}
	names, warnings := cut(names, limit)
	out := map[string][]Metadata{}
	for _, n := range names {
		out[n] = []Metadata{all[n]}
	}
	return result{data: out, warnings: warnings}, nil
}
