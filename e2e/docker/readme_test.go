//go:build e2e

package docker

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
)

// The README's example as it stands there: scenario, command and output. The two
// versions that it names can't be had without a registry; their stand-ins are the
// image of make image and the same one with what 1.29.7 does by default.
var _ = It("The README's upgrade shows what it says", func(ctx SpecContext) {
	text, err := os.ReadFile("../../README.md")
	Expect(err).NotTo(HaveOccurred())
	_, text2, found := strings.Cut(string(text), "\n## Before an nginx upgrade\n")
	Expect(found).To(BeTrue())
	_, rest, _ := strings.Cut(text2, "```yaml\n")
	src, rest, _ := strings.Cut(rest, "```\n")
	_, rest, _ = strings.Cut(rest, "\n    nolive ")
	line, rest, _ := strings.Cut(rest, "\n")
	_, rest, _ = strings.Cut(rest, "```\n")
	output, _, found := strings.Cut(rest, "```\n")
	Expect(found).To(BeTrue(), "no scenario, no command or no output")

	args := strings.Fields(line)
	before, after, found := strings.Cut(args[len(args)-1], ",")
	Expect(found).To(BeTrue(), line)
	stands := strings.NewReplacer(before, kit.Image, after, derived(nil, "keeps connections"))
	for i := range args {
		args[i] = stands.Replace(args[i])
	}
	file := filepath.Join(GinkgoT().TempDir(), args[1])
	Expect(os.WriteFile(file, []byte(src), 0o644)).To(Succeed())
	args[1] = file

	got := run(ctx, nil, args...)
	Expect(got.status).To(Equal(1), got.text)
	var told []string
	for _, l := range strings.Split(got.text, "\n") {
		// The events behind a line are left out, and what the model says of the stand-in,
		// which it takes for what its version says.
		if !strings.HasPrefix(l, "    ") && !strings.Contains(l, "own instants") {
			told = append(told, l)
		}
	}
	// That 1.22 has kept a connection only a configuration tells that says so.
	want := strings.ReplaceAll(stands.Replace(output), " cached", "")
	Expect(strings.TrimSpace(strings.Join(told, "\n"))).To(Equal(strings.TrimSpace(want)))
}, SpecTimeout(2*time.Minute))
