// The same as guard-program.mjs, with the Go guard.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	latchkey "latchkey.dev/guard"
)

type decided struct {
	StartedAt   float64  `json:"startedAt"`
	EndedAt     float64  `json:"endedAt"`
	IsFromLease bool     `json:"isFromLease"`
	Status      int      `json:"status"`
	Permission  string   `json:"permission"`
	KeyID       string   `json:"keyId,omitempty"`
	Granted     []string `json:"granted,omitempty"`
	Version     string   `json:"version,omitempty"`
}

// now reads CLOCK_MONOTONIC, the one clock for all processes of the machine.
func now() float64 {
	var at syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&at)), 0); errno != 0 {
		panic(errno)
	}
	return float64(at.Sec)*1e3 + float64(at.Nsec)/1e6
}

func main() {
	var options struct {
		Target      string
		Leases      bool
		PaceMs      int
		Permissions []string
	}
	if err := json.Unmarshal([]byte(os.Args[1]), &options); err != nil {
		panic(err)
	}
	var sources sync.Map
	given := []latchkey.Option{
		latchkey.WithTarget(options.Target), latchkey.WithServiceToken("dev-validator-token"),
		latchkey.OnDecision(func(event latchkey.Event) { sources.Store(event.RequestID, event.Source) }),
	}
	if options.Leases {
		given = append(given, latchkey.WithLeases())
	}
	guard, err := latchkey.New(given...)
	if err != nil {
		panic(err)
	}

	var lock sync.Mutex
	var decisions []decided
	keys := map[string]bool{}
	isWatched := func(key string) bool { lock.Lock(); defer lock.Unlock(); return keys[key] }
	var count atomic.Int64
	watch := func(key string) {
		for isWatched(key) {
			number := count.Add(1)
			id, permission := strconv.FormatInt(number, 10), options.Permissions[int(number)%len(options.Permissions)]
			one := decided{Permission: permission, StartedAt: now()}
			decision := guard.Check(context.Background(), latchkey.Question{
				Credential: latchkey.Credential{Authorization: "Bearer " + key}, Operation: latchkey.Read,
				Permission: permission, RequestID: id,
			})
			one.EndedAt, one.Status = now(), decision.Status
			source, _ := sources.LoadAndDelete(id)
			one.IsFromLease = source == "lease"
			if principal := decision.Principal; principal != nil {
				one.KeyID, one.Granted, one.Version = principal.KeyID, principal.Permissions, principal.Attributes["version"]
			}
			lock.Lock()
			decisions = append(decisions, one)
			lock.Unlock()
			time.Sleep(time.Duration(options.PaceMs) * time.Millisecond)
		}
	}

	var writing sync.Mutex
	write := func(message any) {
		line, err := json.Marshal(message)
		if err != nil {
			panic(err)
		}
		writing.Lock()
		defer writing.Unlock()
		fmt.Println(string(line))
	}
	go func() {
		for range time.Tick(50 * time.Millisecond) {
			lock.Lock()
			made := decisions
			decisions = nil
			lock.Unlock()
			if len(made) > 0 {
				write(map[string]any{"decisions": made})
			}
		}
	}()
	write(map[string]bool{"ready": true})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var message struct{ Keys []string }
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil {
			panic(err)
		}
		wanted := map[string]bool{}
		var added []string
		lock.Lock()
		for _, key := range message.Keys {
			if wanted[key] = true; !keys[key] {
				added = append(added, key)
			}
		}
		keys = wanted
		lock.Unlock()
		for _, key := range added {
			go watch(key)
		}
	}
}
