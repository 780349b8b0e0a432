package agree

// Exception is something that engines can't agree on by nature: a race inside
// the kernel, or a draw that only the proxy knows. Cases are drawn so that they
// don't meet it, or are judged without it, and a test holds what can be held.
type Exception struct {
	Name, Why, Held string
}

// Exceptions are all of them.
func Exceptions() []Exception {
	return []Exception{
		{
			"random",
			"nginx draws from the C library's random(), which nobody can seed from outside.",
			"The replay takes every peer that a draw could have given and holds all the rest of the run. " +
				"The share of each peer over 3,000 requests is held by a chi-square test with a false alarm in a million runs.",
		},
		{
			"cut at accept, at once",
			"Whether the FIN or RST is there before nginx looks at its new connection is a race. When it is, nginx reads it " +
				"before it has sent anything, so that even a POST goes on to the next peer (ngx_http_upstream_process_header " +
				"with request_sent 0), and a RST is a failed connect (ngx_http_upstream_test_connect).",
			"The attempt ends as closed, reset or refused, the peer counts a failure, a GET goes on, and a POST goes on or gets 502. " +
				"Cases cut 100 ms or more after the accept.",
		},
		{
			"a connection that ends without a word, in a full cache",
			"nginx stores a connection when its response is whole, after a HEAD when it has the header. A FIN that comes with the response " +
				"is seen before or after that, and only in the second case does the connection push out another one, or serve a request " +
				"at once that another location has to answer.",
			"Cases with such backends, or with HEAD, have room for all connections, and error pages with a group of their own. In a full cache every request is answered, " +
				"nobody is marked, and the connection that ended is never used.",
		},
		{
			"which worker takes a connection",
			"The kernel's choice; the simulator and the reference proxy draw by the connection's number, which is another one when cases run together.",
			"Where workers have counters or connections of their own the replay takes the recorded worker and holds every decision. " +
				"A client's connection stays with its worker.",
		},
		{
			"a kept-alive connection that nobody read from",
			"nginx's logs don't say which connection an attempt used. The backend that reads the request knows; one that " +
				"cuts the connection before doesn't.",
			"Such an attempt is taken to be on the connection that the simulator says, if peer and outcome are the same; " +
				"what follows from it, as the free try, is compared.",
		},
		{
			"when a SYN is sent again",
			"The kernel's schedule, not nginx's: after 1, 2, 3, 4 and 5 s since Linux 6.5, after 1, 3 and 7 s before.",
			"Cases in which SYNs are dropped have a proxy_connect_timeout below a second. A connect that begins while they are dropped stands after a second.",
		},
		{
			"an early answer, at once",
			"A backend that answers without having read the body, and closes, resets the connection. If nginx is still writing the " +
				"body by then, the write fails and the answer isn't read (ngx_http_upstream_send_request). A small body is written " +
				"by then, the more there is the rarer that is; and now and then the reset overtakes the answer.",
			"Early answers of cases come after 100 ms or more. Of 100 that come at once, to 4 KiB and to 1 MiB, each is passed on, or the " +
				"attempt is reset and the client gets the next peer's; of those to 4 KiB more than half are passed on.",
		},
		{
			"an answer right behind the rest of another",
			"nginx is done with a HEAD at an interim response, and what else comes of that answer is the next one's on that connection. " +
				"The backend reads the next request then, and what it answers at once is read with that and lost, or ends the idle connection.",
			"Cases with interim responses and kept-alive connections have no HEAD. Of 60 HEADs 100 ms apart each reaches the backend once, its attempt is passed or aborted, and " +
				"nobody is marked; what comes 100 ms or more behind is a kept case, and a thousand drawn for it agreed.",
		},
		{
			"an interim response without proxy_buffering",
			"nginx below 1.29 takes an interim response for the final one, and what comes behind it for its body, which only the " +
				"connection's end ends. A client that has both has its answer, and may leave before nginx reads that end.",
			"Cases with interim responses are buffered. Of 100 answers each client has the final one, the attempt is passed or aborted, " +
				"and nobody is marked.",
		},
		{
			"a large body on a kept-alive connection",
			"Nagle's algorithm and delayed acknowledgements hold it back for 40 ms, or not.",
			"Cases have bodies up to 10 KiB. Larger ones are answered within a second, on the kept-alive connection.",
		},
	}
}
