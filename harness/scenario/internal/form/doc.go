// Package form is the written form of a scenario: one struct per mapping of the
// YAML file, from which the JSON Schema is generated too. It never says what a
// value means beyond its own text.
package form
