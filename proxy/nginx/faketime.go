package nginx

import (
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"time"
)

// fakeEpoch is where nginx's clock begins under libfaketime: far from the real
// date, so that a clock that isn't faked is seen at once.
var fakeEpoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// faketimePlaces are where distributions put the library.
var faketimePlaces = []string{
	"/usr/lib/*/faketime/libfaketime.so.1",
	"/usr/lib/faketime/libfaketime.so.1",
	"/usr/lib64/faketime/libfaketime.so.1",
	"/usr/local/lib/faketime/libfaketime.so.1",
}

// findFaketime returns the library's path, or why there is none, "" when it was
// not found. NOLIVE_FAKETIME names it where it lies elsewhere.
func findFaketime(places []string) (path, missing string) {
	if own := os.Getenv("NOLIVE_FAKETIME"); own != "" {
		if _, err := os.Stat(own); err != nil {
			return "", "NOLIVE_FAKETIME: " + err.Error()
		}
		return own, ""
	}
	var found []string
	for _, p := range places {
		m, _ := filepath.Glob(p)
		found = append(found, m...)
	}
	if len(found) == 0 {
		return "", ""
	}
	// A machine may hold it for several architectures.
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i386"}[runtime.GOARCH]
	sort.SliceStable(found, func(i, j int) bool {
		return arch != "" && strings.Contains(found[i], arch) && !strings.Contains(found[j], arch)
	})
	return found[0], ""
}

// environment is what nginx is started with: ours without what would change
// its clock or its sockets.
func environment(env []string, speed float64, faketime string) []string {
	var out []string
	for _, kv := range env {
		k, _, _ := strings.Cut(kv, "=")
		if k == "NGINX" || k == "TZ" || strings.HasPrefix(k, "FAKETIME") || (k == "LD_PRELOAD" && faketime != "") {
			continue
		}
		out = append(out, kv)
	}
	out = append(out, "TZ=UTC")
	if faketime != "" {
		// Without the cache duration libfaketime reads its setting again after
		// 10 s of real time and finds it gone: nginx empties the environment of
		// its workers, whose clock then jumps to the real date.
		out = append(out, "LD_PRELOAD="+faketime,
			"FAKETIME=@"+fakeEpoch.Format("2006-01-02 15:04:05")+" x"+formatSpeed(speed),
			"FAKETIME_CACHE_DURATION=1000000")
	}
	return out
}
