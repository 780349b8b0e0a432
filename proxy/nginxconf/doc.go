// Package nginxconf is nginx's configuration language: a lossless parser with
// byte spans, an interpreter of what matters for failover, and a rewriter that
// replaces addresses by span and leaves every other byte alone. It never opens
// a socket, and reads files only through the fs.FS it is given.
package nginxconf
