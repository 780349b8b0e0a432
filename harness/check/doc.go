// Package check holds the assertions: one struct per kind serves `expect:` in a
// scenario, the Gomega matcher, the report's row and the JUnit case. It judges
// what analysis derived and never looks at raw sockets, clocks or engines.
package check
