// Package client talks to the admin API of the command `nolive backend`: it
// changes what running backends do and reads their logs. It never starts one.
package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Client is an admin API. Make one with New; it is safe for concurrent use.
type Client struct{ base string }

// New returns a client of the API at an address as the command prints it,
// "http://127.0.0.1:9100", or without the scheme.
func New(address string) *Client {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	return &Client{strings.TrimRight(address, "/")}
}

// List returns all backends, in the order in which they were given.
func (c *Client) List(ctx context.Context) ([]Backend, error) {
	list, err := call[List](ctx, c, "GET", "/backends", "")
	return list.Backends, err
}

// Get returns one backend.
func (c *Client) Get(ctx context.Context, name string) (Backend, error) {
	return call[Backend](ctx, c, "GET", path(name), "")
}

// Replace puts other rules in force, all at once, and returns the backend as it
// is then. rules is YAML, as in a scenario: a list of rules, or one. After ttl, 0
// for never, what was in force before comes back by itself. Rules that can't be
// meant are a *RefusedError, and nothing has changed.
func (c *Client) Replace(ctx context.Context, name, rules string, ttl time.Duration) (Backend, error) {
	p := path(name) + "/rules"
	if ttl != 0 {
		p += "?ttl=" + url.QueryEscape(ttl.String())
	}
	return call[Backend](ctx, c, "PUT", p, rules)
}

// Reset puts the rules in force that the backend was started with, begun anew.
func (c *Client) Reset(ctx context.Context, name string) (Backend, error) {
	return call[Backend](ctx, c, "DELETE", path(name)+"/rules", "")
}

// Log yields the backend's log from entry number from on, 1 being the first, and
// goes on as it grows, until ctx ends, the backend does, or the loop is left. An
// error is the last thing that it yields.
func (c *Client) Log(ctx context.Context, name string, from int) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		res, err := c.do(ctx, "GET", path(name)+"/log?follow=true&from="+strconv.Itoa(max(from, 1)), "")
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e Entry
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				yield(Entry{}, fmt.Errorf("log of %s: %w", name, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil && ctx.Err() == nil {
			yield(Entry{}, fmt.Errorf("log of %s: %w", name, err))
		}
	}
}

func path(name string) string { return "/backends/" + url.PathEscape(name) }

// call makes one call and decodes its answer, if it is a good one.
func call[T any](ctx context.Context, c *Client, method, path, body string) (out T, err error) {
	res, err := c.do(ctx, method, path, body)
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return out, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return out, nil
}

// do makes one call; an answer that isn't 2xx is an error.
func (c *Client) do(ctx context.Context, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	refused := &RefusedError{Status: res.StatusCode}
	if json.Unmarshal(text, refused) != nil || refused.Message == "" {
		refused.Message = strings.TrimSpace(string(text))
	}
	return nil, refused
}
