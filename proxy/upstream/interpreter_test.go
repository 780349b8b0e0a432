package upstream_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/proxy/upstream"
)

// interpreter holds what the commands of one file work on.
type interpreter struct {
	cfg      upstream.Config
	group    *upstream.Group
	cache    *upstream.Cache
	policy   upstream.Policy
	backends map[string]*behaviour
	// readTimeout and connectTimeout are the vectors' 1 s unless a policy says more.
	readTimeout, connectTimeout time.Duration
	conns                       map[upstream.ConnID]*conn
	lastConn                    upstream.ConnID
	now                         time.Duration
	events                      []event.Event // of the last run
}

// table is all there is; the first word of a paragraph names the command.
var table = map[string]func(in *interpreter, args []string, lines []string) (string, error){
	// upstream begins anew with the servers of the lines, in nginx's words, as the
	// nginx version that its argument names; without one, as the newest stable.
	"upstream": (*interpreter).upstream,
	// policy sets the location's directives of the lines; what isn't given is default.
	"policy": (*interpreter).setPolicy,
	// backends says what each peer does, attempt by attempt; the last one stays.
	"backends": (*interpreter).setBackends,
	// run sends the requests of the lines, each line on its own clock, and prints
	// one line a request: when sent, status, attempts, and how long it took.
	"run": (*interpreter).run,
	// count prints how many attempts of the last run each peer got and answered.
	"count": (*interpreter).count,
	// events prints the last run's events with the error log.
	"events": (*interpreter).printEvents,
	// marks prints the peers that are out at the given time, or now.
	"marks": (*interpreter).marks,
	// state prints every peer's counters at the given time, or now.
	"state": (*interpreter).state,
	// idle prints how many connections are kept.
	"idle": (*interpreter).idle,
}

func (in *interpreter) command(input string) (string, error) {
	lines := strings.Split(strings.TrimSuffix(input, "\n"), "\n")
	words := strings.Fields(lines[0])
	if len(words) == 0 || table[words[0]] == nil {
		return "", fmt.Errorf("unknown command %q", lines[0])
	}
	return table[words[0]](in, words[1:], lines[1:])
}

// directive splits "name a b;" into its words.
func directive(line string) ([]string, error) {
	text, ok := strings.CutSuffix(strings.TrimSpace(line), ";")
	if words := strings.Fields(text); ok && len(words) > 0 {
		return words, nil
	}
	return nil, fmt.Errorf("%q is no directive", line)
}

func (in *interpreter) upstream(args, lines []string) (string, error) {
	*in = interpreter{
		cfg: upstream.Config{Name: "u"}, backends: map[string]*behaviour{},
		readTimeout: time.Second, connectTimeout: time.Second, conns: map[upstream.ConnID]*conn{},
	}
	if len(args) > 0 {
		var err error
		if in.cfg.Version, err = upstream.ParseVersion(args[0]); err != nil {
			return "", err
		}
	}
	for _, line := range lines {
		w, err := directive(line)
		if err != nil {
			return "", err
		}
		switch w[0] {
		case "server":
			s, err := parseServer(w[1:])
			if err != nil {
				return "", err
			}
			in.cfg.Servers = append(in.cfg.Servers, s)
		case "least_conn", "ip_hash", "hash", "random":
			in.cfg.Method = methods[strings.Join(w, " ")]
			if in.cfg.Method == upstream.RoundRobin {
				err = fmt.Errorf("unknown method %q", line)
			}
		case "keepalive":
			in.cfg.Keepalive.Connections, err = strconv.Atoi(w[1])
			in.cfg.Keepalive.Local = len(w) > 2 && w[2] == "local"
		case "keepalive_requests":
			in.cfg.Keepalive.Requests, err = strconv.Atoi(w[1])
		case "keepalive_timeout":
			in.cfg.Keepalive.Timeout, err = time.ParseDuration(w[1])
		default:
			err = fmt.Errorf("unknown directive %q", w[0])
		}
		if err != nil {
			return "", err
		}
	}
	in.group = upstream.NewGroup(in.cfg, upstream.NewLogger(event.SinkFunc(func(e event.Event) { in.events = append(in.events, e) })))
	in.cache = upstream.NewCache(in.cfg)
	return fmt.Sprintf("%d servers\n", len(in.cfg.Servers)), nil
}

// methods are the vectors' ways to ask for one; what $key is a run says.
var methods = map[string]upstream.Method{
	"least_conn": upstream.LeastConn, "ip_hash": upstream.IPHash, "hash $key": upstream.Hash,
	"hash $key consistent": upstream.ConsistentHash, "random": upstream.Random, "random two": upstream.RandomTwo,
}

// parseServer reads the parameters of a server line. The vectors' servers have
// fail_timeout=5 unless they say otherwise.
func parseServer(w []string) (upstream.Server, error) {
	s := upstream.NewServer(w[0])
	s.FailTimeout = 5 * time.Second
	for _, p := range w[1:] {
		name, value, _ := strings.Cut(p, "=")
		n, err := strconv.Atoi(strings.TrimSuffix(value, "s"))
		switch name {
		case "weight":
			s.Weight = n
		case "max_fails":
			s.MaxFails = n
		case "max_conns":
			s.MaxConns = n
		case "fail_timeout":
			s.FailTimeout = time.Duration(n) * time.Second
		case "backup":
			s.Backup, err = true, nil
		case "down":
			s.Down, err = true, nil
		default:
			err = fmt.Errorf("invalid parameter %q", p)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

func (in *interpreter) setPolicy(_, lines []string) (string, error) {
	in.policy, in.readTimeout, in.connectTimeout = upstream.Policy{}, time.Second, time.Second
	for _, line := range lines {
		w, err := directive(line)
		if err != nil {
			return "", err
		}
		switch w[0] {
		case "proxy_next_upstream":
			for _, name := range w[1:] {
				f, ferr := upstream.ParseFlag(name)
				in.policy.Next |= f
				err = ferr
			}
		case "proxy_next_upstream_tries":
			in.policy.Tries, err = strconv.Atoi(w[1])
		case "proxy_next_upstream_timeout":
			in.policy.Timeout, err = time.ParseDuration(w[1])
		case "proxy_read_timeout":
			in.readTimeout, err = time.ParseDuration(w[1])
		case "proxy_connect_timeout":
			in.connectTimeout, err = time.ParseDuration(w[1])
		case "proxy_request_buffering":
			in.policy.Unbuffered = w[1] == "off"
		default:
			err = fmt.Errorf("unknown directive %q", w[0])
		}
		if err != nil {
			return "", err
		}
	}
	if in.policy.Next == 0 {
		return "next: default\n", nil
	}
	return "next: " + in.policy.Next.String() + "\n", nil
}

func (in *interpreter) marks(args, _ []string) (string, error) {
	states, err := in.stateAt(args)
	var out []string
	for _, p := range states {
		if p.Out {
			out = append(out, p.Name)
		}
	}
	if len(out) == 0 {
		out = []string{"none"}
	}
	return strings.Join(out, " ") + "\n", err
}

func (in *interpreter) state(args, _ []string) (string, error) {
	states, err := in.stateAt(args)
	var b strings.Builder
	for _, p := range states {
		fmt.Fprintf(&b, "%s cw=%d ew=%d fails=%d accessed=%d checked=%d conns=%d", p.Name, p.Current, p.Effective, p.Fails, p.Accessed, p.Checked, p.Conns)
		if p.Out {
			b.WriteString(" out")
		}
		b.WriteByte('\n')
	}
	return b.String(), err
}

func (in *interpreter) stateAt(args []string) ([]upstream.PeerState, error) {
	at, err := in.now, error(nil)
	if len(args) > 0 {
		at, err = time.ParseDuration(args[0])
	}
	return in.group.State(at), err
}

func (in *interpreter) count(_, _ []string) (string, error) {
	var b strings.Builder
	for _, s := range in.cfg.Servers {
		got, answered := 0, 0
		for _, e := range in.events {
			if e.Peer == s.Name && e.Kind == event.AttemptEnded {
				got++
				if e.Outcome == event.Passed {
					answered++
				}
			}
		}
		fmt.Fprintf(&b, "%s got %d, answered %d\n", s.Name, got, answered)
	}
	return b.String(), nil
}

func (in *interpreter) idle(_, _ []string) (string, error) {
	return fmt.Sprintf("%d\n", in.cache.Len()), nil
}

func (in *interpreter) printEvents(_, _ []string) (string, error) {
	var b strings.Builder
	for _, e := range in.events {
		fmt.Fprintf(&b, "%v %v %v", e.At, e.Kind, e.Request)
		if e.Peer != "" {
			fmt.Fprintf(&b, " try=%d peer=%s", e.Try, e.Peer)
		}
		if e.Outcome != 0 {
			fmt.Fprintf(&b, " outcome=%v status=%d", e.Outcome, e.Status)
		}
		if e.Cached {
			b.WriteString(" cached")
		}
		if e.Detail != "" {
			fmt.Fprintf(&b, " %q", e.Detail)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}
