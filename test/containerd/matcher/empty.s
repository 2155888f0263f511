// Lets main.go declare functions without a body, which go:linkname needs.
