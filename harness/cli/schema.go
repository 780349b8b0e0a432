package cli

import "github.com/nolive/nolive/scenarios"

// schemaCommand is `nolive schema`.
type schemaCommand struct{}

// Run prints the JSON Schema of scenario files.
func (c *schemaCommand) Run(io Streams) error {
	_, err := io.Out.Write(scenarios.Schema())
	return err
}
