package process

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func startOurs(t *testing.T, conf, _ string) func() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NOLIVE_TEST_CONF="+conf)
	return startProcess(t, cmd)
}

func startProcess(t *testing.T, cmd *exec.Cmd) func() {
	t.Helper()
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	t.Cleanup(func() {
		if !ended {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		if t.Failed() && out.Len() > 0 {
			t.Logf("%s: %s", cmd.Path, out.String())
		}
	})
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		ended = true
	}
}
