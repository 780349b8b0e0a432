// Package process runs the reference proxy as nginx runs: from an nginx.conf, at
// its addresses, into its logs, obeying its signals (main, ngx_init_cycle and
// ngx_master_process_cycle). It never decides what happens to a request; that is
// proxy/reference, the same code that scenarios run on.
//
// It is exact, and not for production: there is one process, whatever
// worker_processes says (the workers are the model's), it stays in the
// foreground, and what it can't do it refuses when it starts.
package process
