package backends

import (
	"os"
	"os/exec"
	"syscall"
)

// broom removes a socket's file, and its folder if that is given, at the latest when
// this process is gone, however it ended: a shell waits for the end of its standard
// input, of which the kernel closes our side. It has a session of its own, so that a
// Ctrl-C on the terminal, or the end of it, doesn't reach it.
type broom struct {
	paths []string
	ours  *os.File
	shell *exec.Cmd
}

// sweeping is what the shell does: read ends with the input. What the program was
// about to rename may be there too.
const sweeping = `trap '' HUP INT TERM; read -r _; rm -f -- "$1" "$1~"; [ -z "$2" ] || rmdir -- "$2"`

func newBroom(file, folder string) (*broom, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	b := &broom{ours: ours, paths: []string{file, file + "~"}}
	if folder != "" {
		b.paths = append(b.paths, folder)
	}
	b.shell = exec.Command("/bin/sh", "-c", sweeping, "nolive-broom", file, folder)
	b.shell.Stdin = theirs
	b.shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := b.shell.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	return b, nil
}

// sweep removes now, and returns when the shell is gone too.
func (b *broom) sweep() {
	b.ours.Close()
	_ = b.shell.Wait() // somebody may have ended it before
	for _, p := range b.paths {
		_ = os.Remove(p)
	}
}
