//go:build e2e

package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
)

// said is what the command printed, and its exit status.
type said struct {
	text   string
	status int
}

// run runs the command with more environment than ours.
func run(ctx context.Context, env []string, args ...string) said {
	GinkgoHelper()
	cmd := command(ctx, env, args...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		Expect(err).NotTo(HaveOccurred())
	}
	ran(args, string(out))
	return said{string(out), cmd.ProcessState.ExitCode()}
}

// ran notes for a failed spec what a command of it printed, with the lanes of its
// runs, and leaves it in a file: nginx's own files go with the command.
func ran(args []string, out string) {
	line := "nolive " + strings.Join(args, " ")
	AddReportEntry(line, ReportEntryVisibilityFailureOrVerbose, out)
	spec := CurrentSpecReport().LeafNodeText
	DeferCleanup(func() {
		if !CurrentSpecReport().Failed() {
			return
		}
		file := kit.Folder("docker", spec+".txt")
		Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		Expect(err).NotTo(HaveOccurred())
		defer f.Close()
		fmt.Fprintf(f, "$ %s\n%s\n", line, out)
		AddReportEntry("what the command said", file)
	})
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
