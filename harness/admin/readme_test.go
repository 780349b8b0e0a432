package admin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nolive/nolive/harness/admin"
	"github.com/nolive/nolive/harness/scenario"
)

// The examples of the page do what it says, in the order of the page: where there
// is a curl by curl, and by the calls that it stands for in any case.
func TestExamplesOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../backends/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func(*testing.T, string) string{"curl": curl, "calls": call} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("curl"); name == "curl" && err != nil {
				t.Skip("no curl here; the same examples run as calls")
			}
			api, stand := serve(t, &scenario.Stand{Backends: []scenario.StandBackend{{Name: "127.0.0.1:9001", Listen: "127.0.0.1:0"}}})
			address := stand.Addresses()[0]
			there := strings.NewReplacer("127.0.0.1:9001/\n", address+"/\n", "127.0.0.1:9100", strings.TrimPrefix(api.URL(), "http://"))
			n := 0
			for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
				for _, example := range strings.Split("\n"+block[1], "\n$ ")[1:] {
					command, want, _ := strings.Cut(example, "\n")
					n++
					got := run(t, strings.TrimSuffix(there.Replace(command+"\n"), "\n"))
					got = strings.ReplaceAll(got, `"address":"`+address, `"address":"127.0.0.1:9001`)
					if !alike(got, want) {
						t.Errorf("$ %s\ngot\n%swant\n%s", command, got, want)
					}
				}
			}
			if n < 10 {
				t.Errorf("%d examples", n)
			}
		})
	}
}

var times = regexp.MustCompile(`"(at|since|until|now|open)":[0-9.]+`)

// alike compares outputs but for times, and connections that are about to close; "..." stands for the rest of
// a line.
func alike(got, want string) bool {
	got, want = times.ReplaceAllString(got, `"$1":T`), times.ReplaceAllString(want, `"$1":T`)
	pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(want)), regexp.QuoteMeta("..."), ".*")
	return regexp.MustCompile("^(?s:" + pattern + ")$").MatchString(strings.TrimSpace(got))
}

// curl runs a command line by the shell.
func curl(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 28) { // --max-time
		t.Fatalf("%s: %v", command, err)
	}
	return string(out)
}

var words = regexp.MustCompile(`'[^']*'|\S+`)

// call makes the call that a command line of curl stands for.
func call(t *testing.T, command string) string {
	t.Helper()
	method, body, url, limit := "GET", "", "", 30*time.Second
	args := words.FindAllString(command, -1)[1:]
	for i := 0; i < len(args); i++ {
		switch arg := strings.Trim(args[i], "'"); arg {
		case "-s", "-sN":
		case "-X":
			i++
			method = args[i]
		case "--data-binary":
			i++
			body = strings.Trim(args[i], "'")
		case "--max-time":
			i++
			fmt.Sscan(args[i], new(int))
			limit = time.Second
		default:
			url = "http://" + arg
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	return string(out)
}

// serve starts backends and their API for the test.
func serve(t *testing.T, stand *scenario.Stand) (*admin.Server, *admin.Fleet) {
	t.Helper()
	fleet, err := admin.Start(stand)
	if err != nil {
		t.Fatal(err)
	}
	at, err := admin.Address("0", admin.Refused)
	if err != nil {
		t.Fatal(err)
	}
	api, err := fleet.Serve(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(api.Close(), fleet.Close()); err != nil {
			t.Error(err)
		}
	})
	return api, fleet
}
