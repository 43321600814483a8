//go:build unix

package latchkey

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestAConnectionThatDoesNotOpenIsGivenUp(t *testing.T) {
	// Its queue has one place, and nobody accepts: the system drops what comes after that.
	listener, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	must(t, err)
	t.Cleanup(func() { _ = syscall.Close(listener) })
	must(t, syscall.Bind(listener, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	must(t, syscall.Listen(listener, 0))
	name, err := syscall.Getsockname(listener)
	must(t, err)
	address := fmt.Sprint("127.0.0.1:", name.(*syscall.SockaddrInet4).Port)
	for isFull := false; !isFull; {
		connection, err := net.DialTimeout("tcp", address, 200*time.Millisecond)
		if isFull = err != nil; !isFull {
			t.Cleanup(func() { _ = connection.Close() })
		}
	}
	guard := newGuard(t, WithTarget("http://"+address), WithDeadline(20*time.Millisecond))
	for range 5 {
		if decision := ask(guard, context.Background()); decision.Status != 503 {
			t.Error(decision)
		}
	}
	isOpening := func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "dialConn")
	}
	// The system itself gives up after two minutes.
	for ends := time.Now().Add(20 * time.Second); isOpening(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(ends) {
			t.Fatal("the guard still opens a connection that no request waits for")
		}
	}
}
