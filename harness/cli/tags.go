package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nolive/nolive/harness/scenario"
)

// tagFlag is the flag by which scenarios are selected.
type tagFlag struct {
	Tag []string `help:"Only scenarios that have one of these tags."`
}

// among are the files with one of the tags, or all of them without any. A variant's
// tags, where it has its own, count for its file.
func (t *tagFlag) among(files []*scenario.File) ([]*scenario.File, error) {
	if len(t.Tag) == 0 {
		return files, nil
	}
	var out []*scenario.File
	var known []string
	for _, f := range files {
		tags := tagsOf(f)
		known = append(known, tags...)
		if slices.ContainsFunc(t.Tag, func(tag string) bool { return slices.Contains(tags, tag) }) {
			out = append(out, f)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, tag := range t.Tag {
		if !slices.Contains(known, tag) && len(known) == 0 {
			return nil, badInput{fmt.Errorf("--tag: no scenario has any tags, got %q", tag)}
		} else if !slices.Contains(known, tag) {
			return nil, badInput{fmt.Errorf("--tag: want %s, got %q", enumerate(known, "or"), tag)}
		}
	}
	return out, nil
}

// tagsOf are the tags of a file's scenarios, each once.
func tagsOf(f *scenario.File) []string {
	var out []string
	for _, s := range f.Scenarios {
		for _, tag := range s.Tags {
			if !slices.Contains(out, tag) {
				out = append(out, tag)
			}
		}
	}
	return out
}

// bracketed is " [a, b]", "" for no tags.
func bracketed(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return " [" + strings.Join(tags, ", ") + "]"
}
