// Package agree holds the engines against each other on many small cases at
// once: all of them share one proxy and one load, and each is judged by itself,
// request by request. It decides nothing that a proxy decides; where the engines
// differ it says so and looks for the smallest case that shows it.
package agree
