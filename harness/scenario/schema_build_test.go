package scenario

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/nolive/nolive/backends/fault"
	"github.com/nolive/nolive/harness/check"
	"github.com/nolive/nolive/harness/scenario/internal/form"
)

const modulePath = "github.com/nolive/nolive"

// schemaBuilder makes the JSON Schema of a scenario file from the form's types
// and the tables of faults and checks.
type schemaBuilder struct {
	t       *testing.T
	reflect *jsonschema.Reflector
	defs    jsonschema.Definitions
}

// buildSchema returns the schema's text.
func buildSchema(t *testing.T) []byte {
	t.Helper()
	b := &schemaBuilder{t: t, defs: jsonschema.Definitions{}}
	b.reflect = &jsonschema.Reflector{
		Anonymous: true, ExpandedStruct: true, FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true,
		Mapper: b.scalar,
	}
	for _, dir := range []string{"internal/form", "../check", "../../backends/fault"} {
		if err := b.reflect.AddGoComments(modulePath+"/harness/scenario", dir, jsonschema.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	b.reflect.LookupComment = b.comment
	b.faults()
	b.checks()
	s := b.reflect.Reflect(form.File{})
	for name, d := range s.Definitions {
		b.defs[name] = d
	}
	s.Definitions = b.defs
	s.Title = "nolive scenario"
	s.Description = "One incident: the proxy under test, what its backends do, who sends what, and what must hold."
	b.loads()
	http, _ := b.defs["Client"].Properties.Get("http")
	*http = jsonschema.Schema{Enum: []any{"1.0", "1.1", 1, 1.1}, Description: http.Description}
	b.backend()
	b.latency()
	b.variants(s)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	// json.Marshal escapes these for HTML, which this isn't.
	text = []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text)))
	return append(text, '\n')
}

// comment is a Go comment as a description: in one line, and beginning with
// the key, where Go's begins with the field's name.
func (b *schemaBuilder) comment(t reflect.Type, field string) string {
	key := t.PkgPath() + "." + t.Name()
	if field != "" {
		key += "." + field
	}
	text := strings.Join(strings.Fields(b.reflect.CommentMap[key]), " ")
	if field != "" {
		f, _ := t.FieldByName(field)
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		text = regexp.MustCompile(`^`+field+`\b`).ReplaceAllLiteralString(text, name)
	}
	if field == "" {
		text = strings.TrimPrefix(text, t.Name()+" is ")
	}
	return text
}

// add reflects a struct into the definitions under a name of its own.
func (b *schemaBuilder) add(name string, t reflect.Type) *jsonschema.Schema {
	s := b.reflect.ReflectFromType(t)
	for n, d := range s.Definitions {
		b.defs[n] = d
	}
	s.Definitions, s.Version = nil, ""
	b.defs[name] = s
	return s
}

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

func oneKey(description string) *jsonschema.Schema {
	one := uint64(1)
	return &jsonschema.Schema{
		Type: "object", Description: description, Properties: jsonschema.NewProperties(),
		AdditionalProperties: jsonschema.FalseSchema, MinProperties: &one, MaxProperties: &one,
	}
}

// backend lets a backend be a list of rules too.
func (b *schemaBuilder) backend() {
	long := b.defs["Backend"]
	long.Properties.Delete("listen") // of nolive backend
	description := long.Description
	one := uint64(1)
	long.Description, long.MinProperties = "", &one
	b.defs["Backend"] = &jsonschema.Schema{Description: description, AnyOf: []*jsonschema.Schema{ref("Rules"), long}}
}

// latency lets one be a duration or a range of them too.
func (b *schemaBuilder) latency() {
	long := b.defs["Latency"]
	description := long.Description
	long.Description = ""
	waits(long)
	b.defs["Latency"] = &jsonschema.Schema{Description: description, AnyOf: []*jsonschema.Schema{ref("Interval"), long}}
}

// faults adds what may stand under do:.
func (b *schemaBuilder) faults() {
	one := uint64(1)
	short := &jsonschema.Schema{Description: "A fault without particulars."}
	long := oneKey("A fault with its particulars.")
	for _, k := range fault.Kinds() {
		name := "do_" + k.Name
		s := b.add(name, reflect.TypeOf(k.New()).Elem())
		s.Description = k.About
		value := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{ref(name)}}
		if _, err := k.New().Fault(); err == nil {
			short.Enum = append(short.Enum, k.Name)
			value.AnyOf = append(value.AnyOf, &jsonschema.Schema{Type: "null"})
		} else if key, _, ok := strings.Cut(err.Error(), ":"); ok {
			if _, known := s.Properties.Get(key); known {
				s.Required = append(s.Required, key)
			}
		}
		if _, ok := k.New().(fault.Scalar); ok {
			value.AnyOf = append(value.AnyOf, b.shortForm(k.Name))
		}
		b.limits(k.Name, s)
		value.Description = k.About
		long.Properties.Set(k.Name, value)
	}
	b.defs["Fault"] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{short, long}}
	b.defs["Do"] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		ref("Fault"),
		{Type: "array", Items: ref("Fault"), MinItems: &one, Description: "Steps, done one after the other."},
	}}
}

// checks adds what may stand in an entry of expect. A key is required when its
// tag lacks omitempty; the unit of a span is the one that Validate accepts.
func (b *schemaBuilder) checks() {
	entry := oneKey("One expectation.")
	for _, k := range check.Kinds() {
		name := "expect_" + k.Name
		t := reflect.TypeOf(k.New()).Elem()
		s := b.add(name, t)
		s.Description = k.About
		for i := range t.NumField() {
			f := t.Field(i)
			key, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if !strings.Contains(opts, "omitempty") {
				s.Required = append(s.Required, key)
			}
			if f.Type == reflect.TypeFor[check.Span]() {
				p, _ := s.Properties.Get(key)
				*p = jsonschema.Schema{Ref: "#/$defs/" + b.unit(k, i, key), Description: p.Description}
			}
		}
		entry.Properties.Set(k.Name, ref(name))
	}
	b.defs["Expectation"] = entry
}

// unit finds the unit of a kind's span by trying: the one with the fewest
// complaints.
func (b *schemaBuilder) unit(k check.Kind, field int, key string) string {
	names := []string{check.Count: "CountSpan", check.Percent: "PercentSpan", check.Seconds: "SecondsSpan"}
	complaints := make([]int, len(names))
	for u := range names {
		def := k.New()
		reflect.ValueOf(def).Elem().Field(field).Set(reflect.ValueOf(check.Span{Hi: 1, Unit: check.Unit(u), Set: true}))
		for _, p := range def.Validate() {
			if p.Field == key {
				complaints[u]++
			}
		}
	}
	least := slices.Min(complaints)
	best := slices.Index(complaints, least)
	if slices.Contains(complaints[best+1:], least) {
		b.t.Fatalf("%s: %s takes several units", k.Name, key)
	}
	return names[best]
}

// loads says that a traffic has one of the three forms.
func (b *schemaBuilder) loads() {
	form := func(without []string, required ...string) *jsonschema.Schema {
		s := &jsonschema.Schema{Required: required, Properties: jsonschema.NewProperties()}
		for _, key := range without {
			s.Properties.Set(key, jsonschema.FalseSchema)
		}
		return s
	}
	closed := []string{"at", "rate", "arrivals"}
	b.defs["Traffic"].AnyOf = []*jsonschema.Schema{
		form([]string{"rate", "for", "arrivals", "times", "users", "pause", "start"}, "at"),
		form([]string{"at", "times", "users", "pause"}, "rate", "for"),
		form(closed, "times"),
		form(closed, "for"),
	}
}

// variants makes the schema of a variant from that of a scenario: nothing is
// required, and null drops what is inherited.
func (b *schemaBuilder) variants(s *jsonschema.Schema) {
	null := &jsonschema.Schema{Type: "null"}
	nullable := func(s *jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{s, null}, Description: s.Description}
	}
	loose := func(s *jsonschema.Schema, skip ...string) *jsonschema.Schema {
		out := *s
		out.Required, out.Properties = nil, jsonschema.NewProperties()
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			if !slices.Contains(skip, p.Key) {
				out.Properties.Set(p.Key, nullable(p.Value))
			}
		}
		return &out
	}
	set := func(of *jsonschema.Schema, key string, to *jsonschema.Schema) {
		was, _ := of.Properties.Get(key)
		to.Description = was.Description
		of.Properties.Set(key, to)
	}
	one := uint64(1)
	v := loose(b.defs["Scenario"])
	v.MinProperties = &one
	v.Description = "What differs from the scenario; the rest is inherited."
	t := loose(b.defs["Traffic"])
	t.AnyOf = nil
	t.Description = "What differs in a traffic, or all of a new one."
	headers := &jsonschema.Schema{Type: "object", AdditionalProperties: nullable(ref("HeaderValue"))}
	set(t, "headers", nullable(headers))
	set(t, "client", nullable(ref("VariantClient")))
	b.defs["VariantClient"] = loose(b.defs["Client"])
	b.defs["VariantTraffic"] = t
	set(v, "traffic", nullable(&jsonschema.Schema{Type: "object", AdditionalProperties: nullable(ref("VariantTraffic"))}))
	set(v, "backends", nullable(&jsonschema.Schema{Type: "object", AdditionalProperties: nullable(ref("Backend"))}))
	b.defs["Variant"] = v
	set(s, "variants", &jsonschema.Schema{Type: "object", AdditionalProperties: ref("Variant"),
		PropertyNames: &jsonschema.Schema{Pattern: scenarioName.String()}})
	delete(b.defs, "Scenario")
}
