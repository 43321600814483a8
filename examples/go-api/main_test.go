package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"latchkey.dev/guard"
	"latchkey.dev/guard/latchkeytest"
)

func TestAKeyForOneSystemReadsThatSystemAlone(t *testing.T) {
	fake := latchkeytest.NewFake(t)
	fake.Grants("good", latchkey.Principal{Permissions: []string{"systems/sys-1:read"}})
	handler := routes(fake.Guard(t))
	for path, status := range map[string]int{"/systems/sys-1": 200, "/systems/sys-2": 403, "/systems": 403} {
		request := httptest.NewRequest("GET", path, nil)
		request.Header.Set("Authorization", "Bearer good")
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != status {
			t.Errorf("%s: %d %s", path, recorder.Code, recorder.Body)
		}
		if status == 200 && !strings.Contains(recorder.Body.String(), "Billing") {
			t.Errorf("%s: %s", path, recorder.Body)
		}
	}
}
