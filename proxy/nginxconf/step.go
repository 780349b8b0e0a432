package nginxconf

// Step is what happens next to a request. Pass is nil where nginx answers itself.
type Step struct {
	// Pass is how the request is passed on, with its Upstream; URI the target as
	// the backend gets it.
	Pass *Pass
	URI  string
	// Answer is nginx's own answer.
	Answer Answer
}

// Answer is one of nginx's own answers.
type Answer struct {
	Status int
	// Silent is true where the connection is closed without an answer; Status is
	// what nginx logs.
	Silent bool
	// Page is the status of nginx's built-in page that is the body; 0 is Text.
	Page int
	Text string
	// Nobody is true for the 404 where the configuration says of no one that they
	// answer: nginx looks for a file.
	Nobody bool
	// ContentType is that of Text.
	ContentType string
	// Location is the header of a redirect; one that begins with "/" is made
	// absolute by Way.Absolute.
	Location string
	// Redirect is true for a return that has the header also when it is empty.
	Redirect bool
}
