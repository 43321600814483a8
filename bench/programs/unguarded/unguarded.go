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
		answer(w, http.StatusOK, map[string]any{"owner": "owner-0", "systems": systems})
	})
	mux.HandleFunc("/systems/{id}", func(w http.ResponseWriter, r *http.Request) {
		name, isKnown := systems[r.PathValue("id")]
		if !isKnown {
			answer(w, http.StatusNotFound, map[string]any{"message": "no such system"})
			return
		}
		answer(w, http.StatusOK, map[string]any{"id": r.PathValue("id"), "name": name})
	})
	server := http.Server{Addr: os.Getenv("LISTEN"), Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
