module kubectl-win/test/containerd/matcher

go 1.26.0

require (
	github.com/opencontainers/image-spec v1.1.1
	kubectl-win/platforms/rc1 v0.0.0
	kubectl-win/platforms/rc2 v0.0.0
	kubectl-win/platforms/rc3 v0.0.0
	kubectl-win/platforms/rc4 v0.0.0
	kubectl-win/platforms/rc5 v0.0.0
)

require (
	github.com/containerd/log v0.1.0 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/sirupsen/logrus v1.9.3 // indirect
	golang.org/x/sys v0.26.0 // indirect
)

// One module cannot be required in several versions, so each release candidate has a name of its own here.
replace (
	kubectl-win/platforms/rc1 => github.com/containerd/platforms v1.0.0-rc.1
	kubectl-win/platforms/rc2 => github.com/containerd/platforms v1.0.0-rc.2
	kubectl-win/platforms/rc3 => github.com/containerd/platforms v1.0.0-rc.3
	kubectl-win/platforms/rc4 => github.com/containerd/platforms v1.0.0-rc.4
	kubectl-win/platforms/rc5 => github.com/containerd/platforms v1.0.0-rc.5
)
