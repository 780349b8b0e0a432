//go:build e2e

package docker

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// said is what the command printed, and its exit status.
type said struct {
	text   string
	status int
}

// run runs the command with more environment than ours. nginx's files and the events
// go to a folder that stays if the spec fails.
func run(ctx context.Context, env []string, args ...string) said {
	GinkgoHelper()
	dir := ofCommand(args[0])
	more := []string{"--nginx-files", dir}
	if args[0] == "run" {
		more = append(more, "--events", filepath.Join(dir, "events.jsonl"))
	}
	return runIn(ctx, dir, env, args, more...)
}

// bare runs the command as run does, but nginx's files stay where it has them by
// itself, and so go with it.
func bare(ctx context.Context, env []string, args ...string) said {
	GinkgoHelper()
	return runIn(ctx, ofCommand(args[0]), env, args)
}

// ofCommand is a folder for what a command of the present spec leaves.
func ofCommand(name string) string {
	GinkgoHelper()
	dir, err := os.MkdirTemp(runs.Kept("the commands of "+CurrentSpecReport().LeafNodeText), name+"-")
	Expect(err).NotTo(HaveOccurred())
	return dir
}

func runIn(ctx context.Context, dir string, env, args []string, more ...string) said {
	GinkgoHelper()
	cmd := command(ctx, env, append(slices.Clone(args), more...)...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		Expect(err).NotTo(HaveOccurred())
	}
	ran(dir, args, string(out))
	return said{string(out), cmd.ProcessState.ExitCode()}
}

// ran notes for the spec's report what a command of it printed, with the lanes of its
// runs, and writes it beside nginx's files.
func ran(dir string, args []string, out string) {
	GinkgoHelper()
	line := "nolive " + strings.Join(args, " ")
	AddReportEntry(line, ReportEntryVisibilityFailureOrVerbose, out)
	Expect(os.WriteFile(filepath.Join(dir, "report.txt"), []byte("$ "+line+"\n"+out), 0o644)).To(Succeed())
}

func command(ctx context.Context, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, nolive, args...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// ofTMP is an environment with a temporary folder of the spec's own, and that folder.
func ofTMP() ([]string, string) {
	dir := GinkgoT().TempDir()
	return []string{"TMPDIR=" + dir}, dir
}

// containers are those of ours, running or not, whose folder is in dir.
func containers(dir string) []string {
	GinkgoHelper()
	var ids []string
	for _, line := range strings.Split(docker("ps", "-a", "--no-trunc", "--filter", "label=nolive.run", "--format", `{{.ID}} {{.Label "nolive.lock"}}`), "\n") {
		if id, lock, ok := strings.Cut(line, " "); ok && strings.HasPrefix(lock, dir+"/") {
			ids = append(ids, id)
		}
	}
	return ids
}

// left is what lies in a folder.
func left(dir string) []string {
	GinkgoHelper()
	entries, err := os.ReadDir(dir)
	Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
