// What examples/go-api answers, without a guard.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
)

var systems = map[string]string{"sys-1": "Billing", "sys-2": "Search"}

func main() {
	http.HandleFunc("/systems", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"owner": "owner-0", "systems": systems})
	})
	log.Fatal(http.ListenAndServe(os.Getenv("LISTEN"), nil))
}
