// Package report turns results into what people and machines read: text with
// one lane per backend, JSON, JUnit. It computes first and renders second, and
// never judges anything itself.
package report
