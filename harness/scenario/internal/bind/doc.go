// Package bind fills Go structs from YAML nodes and reports every mistake with
// its position, in one go. It knows nothing of scenarios and never reads a file.
package bind
