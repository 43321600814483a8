// Command go-api is an inventory of systems behind Latchkey API keys. It does not check keys itself; the guard does.
package main

import (
	"cmp"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	"latchkey.dev/guard"
)

var systems = map[string]string{"sys-1": "Billing", "sys-2": "Search"}

func main() {
	guard, err := latchkey.New(
		latchkey.WithTarget(cmp.Or(os.Getenv("LATCHKEY_TARGET"), "http://127.0.0.1:3080")),
		latchkey.WithServiceToken(os.Getenv("LATCHKEY_SERVICE_TOKEN")),
		latchkey.WithLeases(),
	)
	if err != nil {
		log.Fatal(err)
	}
	server := http.Server{
		Addr:              cmp.Or(os.Getenv("LISTEN"), "127.0.0.1:4010"),
		Handler:           routes(guard),
		ReadHeaderTimeout: 5 * time.Second,
	}
	log.Print("listening on ", server.Addr)
	log.Fatal(server.ListenAndServe())
}

func routes(guard *latchkey.Guard) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/systems", guard.Protect("systems:read", latchkey.ForWrites("systems:write"))(http.HandlerFunc(list)))
	mux.Handle("/systems/{id}", guard.Protect("systems/{id}:read")(http.HandlerFunc(find)))
	return mux
}

func list(w http.ResponseWriter, r *http.Request) {
	principal, _ := latchkey.PrincipalFromContext(r.Context())
	answer(w, http.StatusOK, map[string]any{"owner": principal.OwnerID, "systems": systems})
}

func find(w http.ResponseWriter, r *http.Request) {
	name, isKnown := systems[r.PathValue("id")]
	if !isKnown {
		answer(w, http.StatusNotFound, map[string]any{"message": "no such system"})
		return
	}
	answer(w, http.StatusOK, map[string]any{"id": r.PathValue("id"), "name": name})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // The client has gone.
}
