// What examples/go-api answers, by the same server without a guard.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"
)

var systems = map[string]string{"sys-1": "Billing", "sys-2": "Search"}

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/systems", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"owner": "owner-0", "systems": systems})
	})
	server := http.Server{Addr: os.Getenv("LISTEN"), Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}
