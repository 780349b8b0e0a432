// Package sim runs a plan in virtual time: the upstream model decides and the
// fault scripts are evaluated, so an hour takes milliseconds. It opens no socket
// and reads no clock; the network between its parts takes no time at all.
package sim
