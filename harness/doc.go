// Package harness runs a scenario on an engine and gives its verdicts: the
// public face for Go tests and for the command. It never decides what a proxy
// does; the engines do.
//
//	sc, err := harness.Load("scenarios/my-incident.yaml")
//	...
//	for _, s := range sc.Scenarios {
//		r, err := harness.Run(ctx, s, harness.Sim)
//		if err != nil || !r.OK() { ... }
//	}
package harness
