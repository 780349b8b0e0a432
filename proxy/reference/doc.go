// Package reference is the bundled Go proxy: real sockets around
// proxy/upstream, for tests on machines that have no nginx. It never decides
// anything about peers, failures or retries itself, and it is no product.
//
// # What is nginx's here
//
// Everything that failover can see is done as nginx 1.22 does it, down to what
// counts as a header: the scanners are our own, because what nginx takes for an
// invalid header, a header that is too big or an HTTP/0.9 answer is part of the
// model, and a lenient or a stricter library would turn one outcome into
// another. Headers are forwarded byte for byte and in order; names that nginx
// ignores are left out.
//
//   - A request body is read whole before a backend is asked, or passed on as it
//     comes with proxy_request_buffering off.
//   - A response is held back in pages of 4 KiB, as proxy_buffers does, so that
//     a reset or a time-out loses what a client of nginx would lose too; with
//     proxy_buffering off it is passed on as it comes.
//   - An attempt ends when its response is read to the end, before the last
//     bytes go to the client: who has the answer finds the connection in the
//     cache and the peer's slot free.
//   - A client that leaves, or closes its sending half, is noticed at once.
//
// # What is not
//
// A slow client slows its backend down: nginx would write the response to a
// temporary file. Of a backend's X-Accel headers X-Accel-Limit-Rate means nothing here, and
// X-Accel-Expires and X-Accel-Charset are about directives that only a real nginx has.
//
// # As a server
//
// With Sockets it serves real addresses, and with a Journal it keeps account of
// every request for nginx's logs (proxy/process). Nothing else changes: a scenario
// and a server take the same way through the same code.
//
// # Costs
//
// One goroutine a client connection; a second one while a request that doesn't
// fit the socket's buffer is being sent. Time-outs are deadlines on sockets.
// Nothing is held in memory for a waiting request but its own bytes and a
// stack. At most maxClients connections are served at once; more wait in the
// kernel's queue.
package reference
