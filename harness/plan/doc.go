// Package plan turns a scenario and a seed into the instants of a run: every
// arrival, every start and pause of a user, every change of a backend's door.
// It never sends anything; the same seed gives the same plan, byte for byte.
package plan
