package nginx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// binary is what an nginx answers to -V.
type binary struct {
	// version is "1.22.1"; a fork keeps its name: "openresty/1.25.3.1".
	version string
	number  [3]int
	without map[string]bool // modules it was built without: "http_uwsgi"
	stream  stream
	modules string // the folder of its dynamic modules
}

// versionTimeout is how long a program may take to say what it is.
const versionTimeout = 5 * time.Second

// ask looks a program up and asks it what it is.
func ask(ctx context.Context, name string) (path, output string, err error) {
	look := name
	if look == "" {
		look = "nginx"
	}
	if path, err = exec.LookPath(look); err != nil {
		if name == "" && errors.Is(err, exec.ErrNotFound) {
			return "", "", &BinaryError{}
		}
		return "", "", &BinaryError{Binary: look, Err: reason(err)}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, versionTimeout, fmt.Errorf("no answer to -V within %v: is it an nginx?", versionTimeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-V")
	cmd.WaitDelay = time.Second // a child of its own may hold the pipe
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", "", &BinaryError{Binary: path, Err: context.Cause(ctx)}
	case err != nil:
		return "", "", &BinaryError{Binary: path, Err: fmt.Errorf("%w to -V: is it an nginx?", reason(err))}
	}
	return path, string(out), nil
}

// look asks a host what its nginx is.
func look(ctx context.Context, h Host) (Found, binary, error) {
	f, err := h.Look(ctx)
	if err != nil {
		return f, binary{}, err
	}
	b, ok := parseVersion(f.Output)
	if !ok {
		return f, b, &BinaryError{Binary: f.Program, Err: errors.New("its -V names no version: is it an nginx?")}
	}
	return f, b, nil
}

// reason is the innermost part of an error: "permission denied".
func reason(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err
}

func parseVersion(out string) (binary, bool) {
	_, v, ok := strings.Cut(out, "nginx version: ")
	if !ok {
		return binary{}, false
	}
	v, _, _ = strings.Cut(v, "\n")
	v, _, _ = strings.Cut(strings.TrimSpace(v), " ")
	b := binary{version: strings.TrimPrefix(v, "nginx/"), without: map[string]bool{}}
	for i, s := range strings.SplitN(v[strings.IndexByte(v, '/')+1:], ".", 4) {
		if i < 3 {
			b.number[i], _ = strconv.Atoi(s)
		}
	}
	for _, f := range strings.Fields(out) {
		if m, ok := strings.CutPrefix(f, "--without-"); ok {
			b.without[strings.TrimSuffix(m, "_module")] = true
		}
	}
	b.parseModules(out)
	return b, b.version != ""
}

// atLeast compares versions.
func (b binary) atLeast(major, minor, patch int) bool {
	want := [3]int{major, minor, patch}
	for i, n := range b.number {
		if n != want[i] {
			return n > want[i]
		}
	}
	return true
}
