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

// binary is an nginx that answered to -V.
type binary struct {
	path string
	// version is "1.22.1"; a fork keeps its name: "openresty/1.25.3.1".
	version string
	number  [3]int
	without map[string]bool // modules it was built without: "http_uwsgi"
}

// versionTimeout is how long a program may take to say what it is.
const versionTimeout = 5 * time.Second

// findBinary looks the program up and asks it what it is.
func findBinary(ctx context.Context, name string) (binary, error) {
	look := name
	if look == "" {
		look = "nginx"
	}
	path, err := exec.LookPath(look)
	if err != nil {
		if name == "" && errors.Is(err, exec.ErrNotFound) {
			return binary{}, &BinaryError{}
		}
		return binary{}, &BinaryError{Binary: look, Err: reason(err)}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, versionTimeout, fmt.Errorf("no answer to -V within %v: is it an nginx?", versionTimeout))
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-V")
	cmd.WaitDelay = time.Second // a child of its own may hold the pipe
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return binary{}, &BinaryError{Binary: path, Err: context.Cause(ctx)}
	case err != nil:
		return binary{}, &BinaryError{Binary: path, Err: fmt.Errorf("%w to -V: is it an nginx?", reason(err))}
	}
	b, ok := parseVersion(string(out))
	if !ok {
		return binary{}, &BinaryError{Binary: path, Err: errors.New("its -V names no version: is it an nginx?")}
	}
	b.path = path
	return b, nil
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
