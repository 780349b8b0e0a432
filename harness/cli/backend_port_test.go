package cli_test

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"github.com/nolive/nolive/harness/cli"
)

// A port that somebody else has is named, with the flag that picks another.
func TestPortOfAnother(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	at := taken.Addr().String()
	for flag, args := range map[string][]string{
		"--listen": {"backend", "--listen", at},
		"--admin":  {"backend", "--admin", at},
	} {
		var out, errs bytes.Buffer
		status := cli.Main(t.Context(), args, cli.Streams{Out: &out, Err: &errs})
		if said := errs.String(); status != cli.NoRun || !strings.Contains(said, at) || !strings.Contains(said, "choose another port ("+flag+",") {
			t.Errorf("%v: status %d, %q", args, status, said)
		}
	}
}
