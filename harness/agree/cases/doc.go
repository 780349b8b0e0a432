// Package cases draws small scenarios at random, for holding the engines against
// each other, and makes them smaller. It runs nothing: a case is text, and the
// same seed is the same case.
package cases
