package nginxconf

import "testing"

func TestInterpret(t *testing.T) {
	golden(t, "interpret", func(t *testing.T, in string) string {
		tree, ps := Parse("x.conf", []byte(in), nil)
		cfg, more := Interpret(tree)
		if ps = append(ps, more...); len(ps) > 0 {
			return lines(ps)
		}
		return dumpConfig(cfg)
	})
}
