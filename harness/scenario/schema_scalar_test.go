package scenario

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/invopop/jsonschema"
	orderedmap "github.com/pb33f/ordered-map/v2"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/event"
	"github.com/nolive/nolive/harness/scenario/internal/form"
)

// The patterns of values. They are what the loader accepts of the form; what a
// pattern can't say (an empty range, a year of waiting) only the loader does.
const (
	durationPattern = `([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+`
	countPattern    = `[0-9]+`
	percentNumber   = `(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?)`
	addressPattern  = `127(\.[0-9]{1,3}){3}`
	sizePattern     = `[0-9]+ ?(B|KiB|MiB|GiB)?`
)

// spanPattern is a value, a comparison, a range or a value with a tolerance.
func spanPattern(v string) string {
	return `^\s*((>=|<=|>|<|≥|≤)\s*` + v + `|` + v + `(\s*(\.\.|±|\+/-|\+-)\s*` + v + `)?)\s*$`
}

func text(pattern string, examples ...any) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: pattern, Examples: examples}
}

func anyOf(list ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{AnyOf: list} }

func integer(least, most string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: json.Number(least), Maximum: json.Number(most)}
}

// scalarSchemas are the definitions of values by their Go type.
func scalarSchemas() map[reflect.Type]struct {
	name   string
	schema *jsonschema.Schema
} {
	zero, one := &jsonschema.Schema{Const: 0}, uint64(1)
	var outcomes []any
	for o := event.Passed; o < event.ClientTimeout; o++ {
		outcomes = append(outcomes, o.String())
	}
	type entry = struct {
		name   string
		schema *jsonschema.Schema
	}
	duration := anyOf(text(`^`+durationPattern+`$`, "60s", "250ms", "1h"), zero)
	return map[reflect.Type]entry{
		reflect.TypeFor[time.Duration](): {"Duration", duration},
		reflect.TypeFor[check.Instant](): {"Instant", text(`^\s*` + durationPattern + `\s*$`)},
		reflect.TypeFor[check.Window]():  {"Window", text(`^\s*`+durationPattern+`\s*\.\.\s*(`+durationPattern+`)?\s*$`, "60s..120s")},
		reflect.TypeFor[check.Span]():    {"CountSpan", anyOf(integer("0", ""), text(spanPattern(countPattern), ">= 1", "2..4"))},
		reflect.TypeFor[check.Distinct](): {"Distinct", anyOf(&jsonschema.Schema{Type: "boolean"},
			integer("0", ""), text(spanPattern(countPattern)))},
		reflect.TypeFor[check.Truth](): {"Truth", &jsonschema.Schema{Type: "boolean"}},
		reflect.TypeFor[check.Answer](): {"Answer", anyOf(integer("100", "999"), text(`^[1-9][0-9]{2}$`),
			&jsonschema.Schema{Enum: []any{"1xx", "2xx", "3xx", "4xx", "5xx", "closed", "truncated", "invalid_header", "client_timeout", "client_refused", "unfinished"}})},
		reflect.TypeFor[check.Ended]():    {"Outcome", &jsonschema.Schema{Enum: outcomes}},
		reflect.TypeFor[fault.Size]():     {"Size", anyOf(integer("0", ""), text(`^`+sizePattern+`$`, "10KiB", "2MiB"))},
		reflect.TypeFor[fault.Rate]():     {"ByteRate", anyOf(integer("0", ""), text(`^`+sizePattern+`(/s)?$`, "256KiB/s"))},
		reflect.TypeFor[fault.Part]():     {"Part", anyOf(&jsonschema.Schema{Enum: []any{"all", "head"}}, integer("0", ""), text(`^`+sizePattern+`$`, "10KiB"))},
		reflect.TypeFor[fault.Refusal]():  {"Refusal", anyOf(&jsonschema.Schema{Enum: []any{"close", "reset"}}, integer("200", "599"))},
		reflect.TypeFor[fault.Room]():     {"Room", anyOf(&jsonschema.Schema{Const: "any"}, integer("0", ""))},
		reflect.TypeFor[fault.Portion]():  {"Portion", anyOf(&jsonschema.Schema{Type: "number", Minimum: "0", Maximum: "1"}, text(`^`+percentNumber+` ?%$`, "25%"))},
		reflect.TypeFor[form.Word]():      {"Word", anyOf(&jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "number"})},
		reflect.TypeFor[form.Interval]():  {"Interval", anyOf(text(`^`+durationPattern+`(\s*\.\.\s*`+durationPattern+`)?$`, "5s", "2s..20s"), zero)},
		reflect.TypeFor[form.Rate]():      {"Rate", text(`^[0-9]+(\.[0-9]+)?\s*/\s*[smh]$`, "5/s", "30/m")},
		reflect.TypeFor[form.Request]():   {"Request", text(`^\s*[A-Z]+\s+/[!-~]*\s*$`, "GET /")},
		reflect.TypeFor[form.Speed]():     {"Speed", anyOf(&jsonschema.Schema{Const: "auto"}, &jsonschema.Schema{Type: "number", Minimum: "1", Maximum: "1000"})},
		reflect.TypeFor[form.Range]():     {"Range", anyOf(integer("1", ""), text(`^[0-9]+(\s*\.\.\s*([0-9]+)?)?$`, "1..2"))},
		reflect.TypeFor[form.Share]():     {"Share", text(`^`+percentNumber+`\s*%$`, "10%")},
		reflect.TypeFor[form.Addresses](): {"Addresses", anyOf(addressSchema(), &jsonschema.Schema{Type: "array", Items: addressSchema(), MinItems: &one})},
		reflect.TypeFor[form.Headers]():   {"Headers", headersSchema()},
		reflect.TypeFor[[]fault.Header](): {"Headers", headersSchema()},
		reflect.TypeFor[form.Nginx](): {"Nginx", anyOf(text(`\S`), &jsonschema.Schema{
			Type: "object", Properties: fileProperty(), Required: []string{"file"}, AdditionalProperties: jsonschema.FalseSchema})},
		reflect.TypeFor[form.Do]():          {"Do", nil},
		reflect.TypeFor[form.Expectation](): {"Expectation", nil},
	}
}

func addressSchema() *jsonschema.Schema {
	return text(`^\s*`+addressPattern+`(/[0-9]{1,2}|\s*\.\.\s*`+addressPattern+`)?\s*$`, "127.0.0.7", "127.0.0.0/24", "127.0.1.1..127.0.1.9")
}

func headersSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: ref("HeaderValue"),
		PropertyNames: &jsonschema.Schema{Pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"}}
}

func headerValue() *jsonschema.Schema {
	one := anyOf(&jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "number"}, &jsonschema.Schema{Type: "boolean"})
	return anyOf(one.AnyOf[0], one.AnyOf[1], one.AnyOf[2], &jsonschema.Schema{Type: "array", Items: one})
}

func fileProperty() *orderedmap.OrderedMap[string, *jsonschema.Schema] {
	p := jsonschema.NewProperties()
	p.Set("file", &jsonschema.Schema{Type: "string", Description: "The configuration's file, relative to the scenario's."})
	return p
}

// scalar maps a Go type to a reference to its definition.
func (b *schemaBuilder) scalar(t reflect.Type) *jsonschema.Schema {
	e, ok := scalarSchemas()[t]
	if !ok {
		return nil
	}
	if e.schema != nil {
		b.defs[e.name] = e.schema
	}
	b.defs["HeaderValue"] = headerValue()
	b.defs["PercentSpan"] = text(spanPattern(percentNumber+`\s*%?`), "> 0%", "12%..21%")
	b.defs["SecondsSpan"] = text(spanPattern(durationPattern), "60s ±1s", "60s..62s", "< 5s")
	return ref(e.name)
}

// shortForm is the one value that may stand for a fault's particulars.
func (b *schemaBuilder) shortForm(kind string) *jsonschema.Schema {
	switch kind {
	case "status":
		return integer("200", "599")
	case "wait":
		return text(`^`+durationPattern+`(\s*\.\.\s*`+durationPattern+`)?$`, "2s", "10ms..50ms")
	case "malformed":
		return &jsonschema.Schema{Enum: malformations()}
	case "workers", "connections":
		return integer("1", "65536")
	case "endless", "keepalive", "slow_accept":
		return text(`^` + durationPattern + `$`)
	case "upgrade":
		return &jsonschema.Schema{Enum: []any{"echo", "stall", "cut"}}
	case "close_on_reuse":
		return &jsonschema.Schema{Enum: []any{"fin", "reset", "blackhole"}}
	case "tls":
		return &jsonschema.Schema{Enum: []any{"good", "hang", "close", "reset", "refuse", "plain", "expired", "wrong_name", "untrusted"}}
	case "close", "reset", "hang":
		return &jsonschema.Schema{Enum: cutPlaces}
	}
	b.t.Fatalf("the short form of %s has no schema", kind)
	return nil
}

func malformations() (out []any) {
	for _, name := range fault.Malformations() {
		out = append(out, name)
	}
	return out
}

var cutPlaces = []any{"accept", "request", "header", "after_header", "body"}

// waits says which keys of a latency go together.
func waits(s *jsonschema.Schema) {
	s.Required = nil
	for _, key := range []string{"for", "max", "p99", "one_of", "over"} {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Required: []string{key}})
	}
	s.DependentRequired = map[string][]string{"min": {"max"}, "median": {"p99"}, "p99": {"median"}, "first": {"over"}, "last": {"over"}}
}

// limits adds what the specs check by hand; TestSchemaAgreesWithTheLoader holds it against them.
func (b *schemaBuilder) limits(kind string, s *jsonschema.Schema) {
	set := func(key string, f func(*jsonschema.Schema)) {
		if p, ok := s.Properties.Get(key); ok {
			f(p)
		}
	}
	status := func(p *jsonschema.Schema) { p.Minimum, p.Maximum = "200", "599" }
	set("status", status)
	set("code", status)
	set("interim", func(p *jsonschema.Schema) { p.Minimum, p.Maximum = "100", "199" })
	switch kind {
	case "wait":
		waits(s)
	case "drip":
		set("what", func(p *jsonschema.Schema) { p.Enum = []any{"header", "body", "both"} })
	case "malformed":
		set("what", func(p *jsonschema.Schema) { p.Enum = malformations() })
	case "wait_for":
		set("requests", func(p *jsonschema.Schema) { p.Minimum = "1" })
	case "workers":
		set("count", func(p *jsonschema.Schema) { p.Minimum, p.Maximum = "1", "65536" })
	case "connections":
		set("max", func(p *jsonschema.Schema) { p.Minimum, p.Maximum = "1", "65536" })
	case "keepalive":
		s.Required = nil
		s.AnyOf = []*jsonschema.Schema{{Required: []string{"idle"}}, {Required: []string{"requests"}}}
		s.DependentRequired = map[string][]string{"silent": {"requests"}}
		set("requests", func(p *jsonschema.Schema) { p.Minimum = "1" })
	}
	if kind == "close" || kind == "reset" || kind == "hang" {
		set("at", func(p *jsonschema.Schema) { p.Enum = cutPlaces })
	}
}
