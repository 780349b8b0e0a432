// Package match lets Gomega assert what a scenario would expect:
//
//	Expect(result).To(match.Hold(check.Marked{Backend: "app1", Times: check.Exactly(4)}))
//
// It only asks the result for its verdict and never judges anything itself.
package match
