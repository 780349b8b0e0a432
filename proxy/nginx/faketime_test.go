package nginx

import (
	"errors"
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
	_, err := findFaketime(30, places)
	var e *FaketimeError
	if !errors.As(err, &e) || err.Error() != "speed 30 needs libfaketime: run at --speed 1 or install it (Debian: faketime)" {
		t.Errorf("%T: %v", err, err)
	}

	lib := filepath.Join(dir, "arch", "libfaketime.so.1")
	if err := os.MkdirAll(filepath.Dir(lib), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lib, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := findFaketime(30, places); got != lib || err != nil {
		t.Errorf("%q, %v", got, err)
	}

	t.Setenv("NOLIVE_FAKETIME", "/elsewhere/lib.so")
	if _, err := findFaketime(2.5, places); !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "speed 2.5 needs") || !strings.Contains(err.Error(), "NOLIVE_FAKETIME: stat /elsewhere/lib.so") {
		t.Errorf("%T: %v", err, err)
	}
	t.Setenv("NOLIVE_FAKETIME", lib)
	if got, err := findFaketime(30, nil); got != lib || err != nil {
		t.Errorf("%q, %v", got, err)
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
