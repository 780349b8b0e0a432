package event

// RequestHeader is the header by which client, proxy log and backend speak of
// the same request: the client adds it with Request.String as its value.
const RequestHeader = "X-Nolive-Request"
