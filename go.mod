module github.com/nolive/nolive

go 1.26
