package backends_test

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/fault"
)

// A backend that answers its first request and then stops in the middle of the
// header, each time.
func ExampleStart() {
	cut := fault.CloseSpec{CutSpec: fault.CutSpec{At: "header"}}
	broken, err := cut.Fault()
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := backends.Start(backends.Options{
		Name:  "app1",
		Rules: fault.Rules{{When: fault.When{Request: fault.Range{From: 2}}, Do: broken}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for range 2 {
		res, err := client.Get("http://" + s.Addr() + "/")
		if err != nil {
			fmt.Println("the client got no answer")
			continue
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		fmt.Printf("%d %s", res.StatusCode, body)
	}
	fmt.Println(s.Counts().Requests, "requests")
	// Output:
	// 200 OK
	// the client got no answer
	// 2 requests
}

// Other rules take over while it serves, and go again by themselves.
func ExampleServer_Replace() {
	s, err := backends.Start(backends.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	down, err := (&fault.StatusSpec{Code: 503}).Fault()
	if err != nil {
		fmt.Println(err)
		return
	}
	ask := func() {
		res, err := http.Get("http://" + s.Addr() + "/")
		if err != nil {
			fmt.Println(err)
			return
		}
		res.Body.Close()
		fmt.Println(res.StatusCode)
	}
	ask()
	if _, err := s.Replace(backends.Change{Rules: fault.Rules{{Do: down}}, TTL: time.Hour}); err != nil {
		fmt.Println(err)
	}
	ask()
	if _, err := s.Reset(); err != nil {
		fmt.Println(err)
	}
	ask()
	// Output:
	// 200
	// 503
	// 200
}
