package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/backends"
	"github.com/nolive/nolive/backends/client"
	"github.com/nolive/nolive/harness/scenario"
)

// Handler is the admin API of the backends.
func (f *Fleet) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /backends", f.list)
	mux.HandleFunc("GET /backends/{name}", f.one(get))
	mux.HandleFunc("PUT /backends/{name}/rules", f.one(replace))
	mux.HandleFunc("DELETE /backends/{name}/rules", f.one(reset))
	mux.HandleFunc("GET /backends/{name}/log", f.one(log))
	return noBrowsers(mux)
}

// noBrowsers refuses what a page in somebody's browser may send: a name that
// leads here (DNS rebinding), and calls from other pages.
func noBrowsers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if r.Header.Get("Origin") != "" || host != "localhost" && net.ParseIP(host) == nil {
			refuse(w, http.StatusForbidden, errors.New("the admin API is called by its IP address, and not from web pages"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// list answers with all backends.
func (f *Fleet) list(w http.ResponseWriter, r *http.Request) {
	out := client.List{Now: seconds(f.clock.Now()), Backends: []client.Backend{}}
	for _, m := range f.members {
		out.Backends = append(out.Backends, m.shown())
	}
	answer(w, out)
}

// one finds the backend that a call is about.
func (f *Fleet) one(call func(*member, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		m := f.find(name)
		if m == nil {
			var names []string
			for _, m := range f.members {
				names = append(names, m.name)
			}
			err := fmt.Errorf("there is no backend %q", name)
			if meant := scenario.Nearest(name, names); meant != "" {
				err = fmt.Errorf("%w (did you mean %q?)", err, meant)
			}
			refuse(w, http.StatusNotFound, err)
			return
		}
		call(m, w, r)
	}
}

// asks says whether a query has only keys that somebody reads, and refuses it if not.
func asks(w http.ResponseWriter, r *http.Request, keys ...string) bool {
	for key := range r.URL.Query() {
		if !slices.Contains(keys, key) {
			what := "there is none here"
			if len(keys) > 0 {
				what = "there are " + strings.Join(keys, ", ")
			}
			refuse(w, http.StatusBadRequest, fmt.Errorf("unknown parameter %q; %s", key, what))
			return false
		}
	}
	return true
}

func get(m *member, w http.ResponseWriter, r *http.Request) { answer(w, m.shown()) }

// replace puts other rules in force.
func replace(m *member, w http.ResponseWriter, r *http.Request) {
	if !asks(w, r, "ttl") {
		return
	}
	var ttl time.Duration
	if text := r.URL.Query().Get("ttl"); text != "" {
		var err error
		if ttl, err = time.ParseDuration(text); err != nil || ttl <= 0 {
			refuse(w, http.StatusBadRequest, fmt.Errorf("ttl: want a duration such as 30s, got %q", text))
			return
		}
	}
	src, err := io.ReadAll(http.MaxBytesReader(w, r.Body, scenario.MaxSize))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Errorf("rules: %w", err))
		return
	}
	rules, problems := scenario.ParseRules("rules", src, ttl, m.server.Addr())
	if len(problems) > 0 {
		refuse(w, http.StatusUnprocessableEntity, problems)
		return
	}
	if _, err := m.server.Replace(backends.Change{Rules: rules, Text: string(src), TTL: ttl}); err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	answer(w, m.shown())
}

// reset puts the first rules in force again.
func reset(m *member, w http.ResponseWriter, r *http.Request) {
	if _, err := m.server.Reset(); err != nil {
		refuse(w, http.StatusConflict, err)
		return
	}
	answer(w, m.shown())
}

// log tells what happened, and goes on telling if that was asked for.
func log(m *member, w http.ResponseWriter, r *http.Request) {
	if !asks(w, r, "from", "follow") {
		return
	}
	from, follow := 1, false
	var err error
	if text := r.URL.Query().Get("from"); text != "" {
		if from, err = strconv.Atoi(text); err != nil || from < 1 {
			refuse(w, http.StatusBadRequest, fmt.Errorf("from: want a number from 1, got %q", text))
			return
		}
	}
	if text := r.URL.Query().Get("follow"); text != "" {
		if follow, err = strconv.ParseBool(text); err != nil {
			refuse(w, http.StatusBadRequest, fmt.Errorf("follow: want true or false, got %q", text))
			return
		}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	out, flush := encoder(w), http.NewResponseController(w)
	for {
		entries, more := m.log.read(from, 1000)
		for _, e := range entries {
			if out.Encode(e) != nil {
				return
			}
			from = e.N + 1
		}
		if flush.Flush() != nil || len(entries) == 0 && (more == nil || !follow) {
			return
		}
		if more == nil {
			continue
		}
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}

// shown is the backend as the API shows it.
func (m *member) shown() client.Backend {
	x, n := m.server.InForce(), m.server.Counts()
	return client.Backend{
		Name: m.name, Address: m.server.Addr(), Rules: x.Text, Version: x.Version,
		Since: seconds(x.Since), Until: seconds(x.Until),
		Connections: n.Connections, Open: n.Open, Requests: n.Requests,
		Used: append([]int64{}, x.Used...), Unmatched: x.Unmatched,
	}
}

// seconds are a time as the API tells it, to the microsecond.
func seconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e6 }

// encoder writes JSON for people to read.
func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

func answer(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	_ = encoder(w).Encode(what)
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, status int, err error) {
	out := client.RefusedError{Message: err.Error()}
	var problems scenario.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			out.Problems = append(out.Problems, client.Problem{Line: p.Pos.Line, Col: p.Pos.Col, Text: p.Text, Hint: p.Hint})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = encoder(w).Encode(out)
}
