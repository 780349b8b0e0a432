// Command wrapper stands in for nginx in images that misbehave: it does what
// NOLIVE_WRAPPER says and else runs the real one, which lies beside it. As
// "ryuk" it stands in for the reaper of testcontainers instead.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
)

const real = "/usr/sbin/real-nginx"

func main() {
	args := os.Args[1:]
	if os.Getenv("NOLIVE_WRAPPER") == "ryuk" {
		ryuk()
	}
	// The container's own first process, and nginx's answers, are always real.
	ours := slices.ContainsFunc(args, func(a string) bool { return strings.HasSuffix(a, "nolive.conf") })
	if ours && !slices.Contains(args, "-s") {
		switch os.Getenv("NOLIVE_WRAPPER") {
		case "exits":
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(3)
		case "taken":
			taken()
		case "taken once":
			if f, err := os.OpenFile("/tmp/taken", os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				f.Close()
				taken()
			}
		case "keeps connections": // as nginx 1.29.7 does by default
			rewrite(args, "http {", `http { proxy_http_version 1.1; proxy_set_header Connection "";`)
			rewrite(args, "upstream app {", "upstream app { keepalive 32;")
		case "no retry":
			rewrite(args, "http {", "http { proxy_next_upstream off;")
		}
	}
	if os.Getenv("NOLIVE_WRAPPER") == "never runs" && !slices.Contains(args, "-V") {
		fmt.Fprintln(os.Stderr, "no luck at all")
		os.Exit(4)
	}
	err := syscall.Exec(real, append([]string{"nginx"}, args...), os.Environ())
	fmt.Fprintln(os.Stderr, real, err)
	os.Exit(1)
}

// ryuk takes every client's filters and says so, and when the client is gone: Ryuk
// would remove what the filters find soon after.
func ryuk() {
	l, err := net.Listen("tcp", ":8080")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("Started")
	for {
		c, err := l.Accept()
		if err != nil {
			os.Exit(1)
		}
		go func() {
			told := false // who only looks whether somebody listens says nothing
			for s := bufio.NewScanner(c); s.Scan(); told = true {
				fmt.Println("filter", s.Text())
				fmt.Fprintln(c, "ACK")
			}
			if told {
				fmt.Println("gone")
			}
		}()
	}
}

func taken() {
	fmt.Fprintln(os.Stderr, "nginx: [emerg] bind() to 127.0.0.1:80 failed (98: Address already in use)")
	os.Exit(1)
}

// rewrite changes the configuration that nginx is about to read.
func rewrite(args []string, was, now string) {
	for _, a := range args {
		if !strings.HasSuffix(a, "nolive.conf") {
			continue
		}
		text, err := os.ReadFile(a)
		if err == nil {
			err = os.WriteFile(a, []byte(strings.Replace(string(text), was, now, 1)), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
