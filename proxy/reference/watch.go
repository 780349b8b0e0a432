package reference

// stirred is told when something happened on a connection that nobody reads:
// the peer sent FIN or RST, or, once asked for, data. It runs with the watcher's
// lock held, so of the watcher it may call change alone. It returns true when the
// watcher is to forget the connection.
type stirred interface {
	stir(arrived arrived) (forget bool)
}

// arrived says what a connection was stirred by.
type arrived uint8

const (
	hangup   arrived = iota
	incoming         // data, on a connection watched for it
)
