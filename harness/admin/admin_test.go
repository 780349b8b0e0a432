package admin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/nolive/nolive/backends/client"
	"github.com/nolive/nolive/harness/admin"
	"github.com/nolive/nolive/harness/scenario"
)

// two are a backend with a rule and one without.
func two(t *testing.T) *scenario.Stand {
	t.Helper()
	s, ps := scenario.ParseStand("two.yaml", []byte("backends:\n  app1:\n    listen: 127.0.0.1:0\n    rules: [{do: {status: 404}}]\n  app2:\n    listen: 127.0.0.1:0\n"))
	if ps != nil {
		t.Fatal(ps)
	}
	return s
}

// status asks a backend.
func status(t *testing.T, address string) int {
	t.Helper()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	res, err := c.Get("http://" + address + "/a/b?c")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// poke asks a backend that may be about to end.
func poke(address string) {
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	if res, err := c.Get("http://" + address + "/a/b?c"); err == nil {
		res.Body.Close()
	}
}

func TestClient(t *testing.T) {
	api, fleet := serve(t, two(t))
	ctx, c := t.Context(), client.New(api.URL())
	list, err := c.List(ctx)
	if err != nil || len(list) != 2 || list[0].Name != "app1" || list[0].Address != fleet.Addresses()[0] || list[1].Rules != "" {
		t.Fatalf("got %+v, %v", list, err)
	}
	if got := status(t, list[0].Address); got != 404 {
		t.Errorf("got %d, want 404", got)
	}
	b, err := c.Replace(ctx, "app1", "- when: {request: 2}\n  do: {status: 500}\n- do: {status: 501}", 0)
	if err != nil || b.Version != 2 || b.Requests != 1 || b.Until != 0 {
		t.Errorf("got %+v, %v", b, err)
	}
	for _, want := range []int{501, 500, 501} {
		if got := status(t, b.Address); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	if b, err = c.Get(ctx, "app1"); err != nil || fmt.Sprint(b.Used) != "[1 2]" || b.Requests != 4 {
		t.Errorf("got %+v, %v", b, err)
	}
	if b, err = c.Replace(ctx, "app1", "do: {status: 502}", time.Hour); err != nil || b.Until-b.Since < 3599 {
		t.Errorf("got %+v, %v", b, err)
	}
	if b, err = c.Reset(ctx, b.Address); err != nil || b.Version != 4 || !strings.Contains(b.Rules, "404") {
		t.Errorf("got %+v, %v", b, err)
	}
	if got := status(t, list[1].Address); got != 200 {
		t.Errorf("the other one: got %d, want 200", got)
	}
}

func TestClientIsToldWhatIsWrong(t *testing.T) {
	api, _ := serve(t, two(t))
	ctx, c := t.Context(), client.New(api.URL())
	for _, x := range []struct {
		call   func() error
		status int
		want   string
	}{
		{func() error { _, err := c.Get(ctx, "app"); return err }, 404, `there is no backend "app" (did you mean "app1"?)`},
		{func() error { _, err := c.Replace(ctx, "app1", "- do: hang", -time.Second); return err }, 400, `ttl: want a duration such as 30s, got "-1s"`},
		{func() error { _, err := c.Replace(ctx, "app1", "- do: {status: 503", 0); return err }, 422, "rules:1:"},
		{func() error {
			_, err := c.Replace(ctx, "app1", "- when: {from: 1m}\n  do: hang", time.Minute)
			return err
		}, 422, "rules:1:16: rules: this window never opens: the rules end after 1m, their ttl"},
		{func() error { _, err := c.Replace(ctx, "app1", strings.Repeat(" ", 2<<20), 0); return err }, 413, "rules: "},
	} {
		err := x.call()
		var refused *client.RefusedError
		if !errors.As(err, &refused) || refused.Status != x.status || !strings.HasPrefix(err.Error(), x.want) {
			t.Errorf("got %v, want %d %s", err, x.status, x.want)
		} else if x.status == 422 && (len(refused.Problems) == 0 || refused.Problems[0].Line != 1) {
			t.Errorf("%v: its place is missing: %+v", err, refused.Problems)
		}
	}
	if b, err := c.Get(ctx, "app1"); err != nil || b.Version != 1 {
		t.Errorf("something changed: %+v, %v", b, err)
	}
}

// A misspelt parameter is refused: a fault without its end would stay for ever.
func TestParametersThatNobodyReads(t *testing.T) {
	api, _ := serve(t, two(t))
	for _, x := range []struct{ method, path, want string }{
		{"PUT", "/backends/app1/rules?tll=5s", `unknown parameter \"tll\"; there are ttl`},
		{"GET", "/backends/app1/log?folow=true", `unknown parameter \"folow\"; there are from, follow`},
	} {
		r, err := http.NewRequestWithContext(t.Context(), x.method, api.URL()+x.path, strings.NewReader("- do: hang"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != 400 || !strings.Contains(string(body), x.want) {
			t.Errorf("%s %s: %d %s, want 400 %s", x.method, x.path, answer.StatusCode, body, x.want)
		}
	}
}

// Who follows the log sees it grow, and lets go when the backend ends.
func TestLogGrows(t *testing.T) {
	g := gomega.NewWithT(t)
	before := gleak.Goroutines()
	fleet, err := admin.Start(two(t))
	if err != nil {
		t.Fatal(err)
	}
	at, _ := admin.Address(":0", admin.Refused)
	api, err := fleet.Serve(at)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	go poke(fleet.Addresses()[0])
	n := 0
	for e, err := range client.New(api.URL()).Log(ctx, "app1", 1) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; e.N != n {
			t.Errorf("entry %d is number %d", n, e.N)
		}
		if e.What == "request" && (e.Path != "/a/b?c" || e.Fault != "status" || e.Rule != 1) {
			t.Errorf("got %+v", e)
		}
		if n == 6 {
			go fleet.Close()
		}
		if n == 6 || n%2 == 1 {
			continue
		}
		go poke(fleet.Addresses()[0])
	}
	if n < 6 || ctx.Err() != nil {
		t.Errorf("%d entries, and then %v", n, ctx.Err())
	}
	if err := errors.Join(api.Close(), fleet.Close()); err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
	g.Eventually(gleak.Goroutines, 20*time.Second).ShouldNot(gleak.HaveLeaked(before))
}

func TestOnlyLoopbackUnlessAsked(t *testing.T) {
	for text, want := range map[string]string{
		"9100": "127.0.0.1:9100", ":9100": "127.0.0.1:9100", "127.0.0.2:1": "127.0.0.2:1", "[::1]:1": "[::1]:1",
		"0.0.0.0:9100": "", "10.1.2.3:9100": "", "localhost:9100": "", "70000": "", "": "",
	} {
		got, err := admin.Address(text, admin.Refused)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%q: got %v, %v, want %q", text, got, err, want)
		}
	}
	if got, err := admin.Address("0.0.0.0:9100", admin.Allowed); err != nil || got.String() != "0.0.0.0:9100" {
		t.Errorf("asked for: got %v, %v", got, err)
	}
}

// A page in a browser can't change a backend.
func TestBrowsersAreRefused(t *testing.T) {
	api, _ := serve(t, two(t))
	for name, change := range map[string]func(*http.Request){
		"another page":     func(r *http.Request) { r.Header.Set("Origin", "http://example.com") },
		"a name for it":    func(r *http.Request) { r.Host = "evil.example.com" },
		"nothing, so fine": func(r *http.Request) {},
	} {
		req, _ := http.NewRequest("DELETE", api.URL()+"/backends/app1/rules", nil)
		change(req)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if want := map[bool]int{true: 200, false: 403}[strings.HasSuffix(name, "fine")]; res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", name, res.StatusCode, want)
		}
	}
}
