package nginxconf

// Tree is a parsed configuration: its directives, in order, over the files' bytes.
type Tree struct{}
