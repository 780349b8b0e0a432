package bind

import "go.yaml.in/yaml/v4"

// Merge returns base with over laid on top: mappings merge key by key, at every
// depth; anything else replaces what was there; null drops the key. A key that
// is null in over but absent in base is left in, so that binding reports it.
// Neither argument is changed, and nodes keep their positions.
func Merge(base, over *yaml.Node) *yaml.Node {
	if base.Kind != yaml.MappingNode || over.Kind != yaml.MappingNode {
		return over
	}
	out := *base
	out.Content = append([]*yaml.Node(nil), base.Content...)
	at := map[string]int{}
	for i := 0; i+1 < len(out.Content); i += 2 {
		if _, twice := at[out.Content[i].Value]; !twice {
			at[out.Content[i].Value] = i
		}
	}
	for i := 0; i+1 < len(over.Content); i += 2 {
		k, v := over.Content[i], over.Content[i+1]
		j, known := at[k.Value]
		switch {
		case !known:
			at[k.Value] = len(out.Content)
			out.Content = append(out.Content, k, v)
		case isNull(v):
			out.Content[j] = nil
		default:
			out.Content[j], out.Content[j+1] = k, Merge(out.Content[j+1], v)
		}
	}
	kept := out.Content[:0:0]
	for i := 0; i+1 < len(out.Content); i += 2 {
		if out.Content[i] != nil {
			kept = append(kept, out.Content[i], out.Content[i+1])
		}
	}
	out.Content = kept
	return &out
}

// Get returns the key and value nodes of a mapping's key, nil when it has none.
func Get(n *yaml.Node, key string) (k, v *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// Without returns a mapping without one of its keys.
func Without(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return n
	}
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			out.Content = append(out.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &out
}
