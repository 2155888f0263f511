package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"sync"
	"time"
)

// podWatch ends what runs in a pod with the pod. A real kubelet stops the
// containers, and with the last handle of a HostProcess container's job object
// all of its processes end, by code 1:
// internal/jobcontainers/jobcontainer.go of https://github.com/microsoft/hcsshim
// at 7c9ff7f48 (2026-08-20), read 2026-11-30. A pod that is only being deleted is
// one whose kubelet has not answered yet.
type podWatch struct {
	client *http.Client
	server string
	lock   sync.Mutex
	stops  map[string][]context.CancelCauseFunc
}

var errPodGone = errors.New("the pod has ended")

func newPodWatch(server, caFile, certFile, keyFile string) (*podWatch, error) {
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, Certificates: []tls.Certificate{pair}}}
	return &podWatch{client: &http.Client{Transport: transport}, server: server, stops: map[string][]context.CancelCauseFunc{}}, nil
}

// contextOf ends with the pod. A nil podWatch watches nothing.
func (w *podWatch) contextOf(parent context.Context, namespace, pod string) (context.Context, context.CancelCauseFunc) {
	ctx, stop := context.WithCancelCause(parent)
	if w != nil {
		w.lock.Lock()
		defer w.lock.Unlock()
		w.stops[namespace+"/"+pod] = append(w.stops[namespace+"/"+pod], stop)
	}
	return ctx, stop
}

func (w *podWatch) run(ctx context.Context) {
	for ctx.Err() == nil {
		w.follow(ctx)
		// The API server may be on its way up, or down.
		time.Sleep(200 * time.Millisecond)
	}
}

func (w *podWatch) follow(ctx context.Context) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.server+"/api/v1/pods?watch=true", nil)
	if err != nil {
		return
	}
	answer, err := w.client.Do(req)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	for decoder := json.NewDecoder(answer.Body); ; {
		var event struct {
			Type   string
			Object struct {
				Metadata struct{ Namespace, Name string }
				Status   struct{ Phase string }
			}
		}
		if decoder.Decode(&event) != nil {
			return
		}
		pod := event.Object
		if event.Type == "DELETED" || pod.Status.Phase == "Succeeded" || pod.Status.Phase == "Failed" {
			w.end(pod.Metadata.Namespace + "/" + pod.Metadata.Name)
		}
	}
}

func (w *podWatch) end(key string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for _, stop := range w.stops[key] {
		stop(errPodGone)
	}
	delete(w.stops, key)
}
