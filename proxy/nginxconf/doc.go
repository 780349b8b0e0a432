// Package nginxconf is nginx's configuration language: a lossless parser with
// byte spans, an interpreter of what matters for failover, and a rewriter that
// replaces addresses by span and leaves every other byte alone. It never opens
// a socket, and reads files only through the fs.FS it is given.
//
// Parse makes a Tree, Interpret says what the tree means as a Config, whose
// Route finds who answers a request, and Render makes the text for a real nginx
// from the tree. What nginx accepts is accepted and what it refuses is refused
// with its own words; nginx -t is the judge (the tests with the tag e2e).
package nginxconf
