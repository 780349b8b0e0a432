package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/nolive/nolive/proxy/nginxconf"
)

// pidPath is where the configuration wants the process's number, "" for nowhere.
// Unlike nginx this proxy was built with no path of its own.
func (c *configuration) pidPath() string {
	d := c.Tree.Main("pid")
	if d == nil || d.Arg(0) == "off" {
		return ""
	}
	return c.full(d.Arg(0))
}

// writePID writes the process's number (ngx_create_pidfile).
func writePID(path string) error {
	if path == "" {
		return nil
	}
	if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644); err != nil {
		return refuse("open() \"%s\" failed%s", path, numbered(err))
	}
	return nil
}

func removePID(path string) {
	if path != "" {
		_ = os.Remove(path)
	}
}

// commands are the words of -s (ngx_os_signal_process).
var commands = map[string]syscall.Signal{
	"stop": syscall.SIGTERM, "quit": syscall.SIGQUIT, "reopen": syscall.SIGUSR1, "reload": syscall.SIGHUP,
}

// signal sends a command to the process that runs with this configuration.
func (c *configuration) signal(command string) error {
	path := c.pidPath()
	if path == "" {
		return refuse("there is no \"pid\" in %s, so nothing says which process to tell", c.place.file)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return &refusal{nginxconf.Error, []string{fmt.Sprintf("open() \"%s\" failed%s", path, numbered(err))}}
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid <= 0 {
		return &refusal{nginxconf.Error, []string{fmt.Sprintf("invalid PID number \"%s\" in \"%s\"", strings.TrimSpace(string(text)), path)}}
	}
	s := commands[command]
	if err := syscall.Kill(pid, s); err != nil {
		return &refusal{nginxconf.Alert, []string{fmt.Sprintf("kill(%d, %d) failed%s", pid, int(s), numbered(err))}}
	}
	return nil
}
