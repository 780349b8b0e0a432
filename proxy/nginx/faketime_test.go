package nginx

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFindFaketime(t *testing.T) {
	t.Setenv("NOLIVE_FAKETIME", "")
	dir := t.TempDir()
	places := []string{filepath.Join(dir, "*", "libfaketime.so.1"), filepath.Join(dir, "libfaketime.so.1")}
	if got, missing := findFaketime(places); got != "" || missing != "" {
		t.Errorf("%q, %q", got, missing)
	}
	if e := (&FaketimeError{Speed: 30}).Error(); e != "speed 30 needs libfaketime: run at --speed 1 or install it (Debian: faketime)" {
		t.Error(e)
	}

	lib := filepath.Join(dir, "arch", "libfaketime.so.1")
	if err := os.MkdirAll(filepath.Dir(lib), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lib, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, missing := findFaketime(places); got != lib || missing != "" {
		t.Errorf("%q, %q", got, missing)
	}

	t.Setenv("NOLIVE_FAKETIME", "/elsewhere/lib.so")
	_, missing := findFaketime(places)
	if e := (&FaketimeError{Speed: 2.5, Reason: missing}).Error(); !strings.HasPrefix(e, "speed 2.5 needs") || !strings.Contains(e, "NOLIVE_FAKETIME: stat /elsewhere/lib.so") {
		t.Error(e)
	}
	t.Setenv("NOLIVE_FAKETIME", lib)
	if got, missing := findFaketime(nil); got != lib || missing != "" {
		t.Errorf("%q, %q", got, missing)
	}
}

func TestEnvironment(t *testing.T) {
	env := []string{"HOME=/h", "NGINX=9;", "TZ=CET", "FAKETIME=-1d", "FAKETIME_SHARED=/a /b", "LD_PRELOAD=/x.so"}
	if got, want := environment(env, 1, ""), []string{"HOME=/h", "LD_PRELOAD=/x.so", "TZ=UTC"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	want := []string{"HOME=/h", "TZ=UTC", "LD_PRELOAD=/lib.so", "FAKETIME=@2030-01-01 00:00:00 x7.5", "FAKETIME_CACHE_DURATION=1000000"}
	if got := environment(env, 7.5, "/lib.so"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
