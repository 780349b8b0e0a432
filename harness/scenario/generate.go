package scenario

//go:generate go test . -run TestSchemaIsUpToDate -update
