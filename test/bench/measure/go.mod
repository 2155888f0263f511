module github.com/kubectl-win/measure

go 1.26.0
