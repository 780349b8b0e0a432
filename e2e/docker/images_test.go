//go:build e2e

package docker

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/nolive/nolive/e2e/kit"
)

// docker runs the docker command and returns its output.
func docker(args ...string) string {
	GinkgoHelper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "docker %s: %s (the suites need a Docker engine that runs and the image of make image)", strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}

// derived makes an image of our own one for the present spec: without the files
// that drop names, with the wrapper in front of nginx if that is to do something.
func derived(drop func(path string) bool, behaviour string) string {
	GinkgoHelper()
	from := docker("create", kit.Image)
	defer docker("rm", from)
	export := exec.Command("docker", "export", from)
	text, err := export.Output()
	Expect(err).NotTo(HaveOccurred())
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for r := tar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		Expect(err).NotTo(HaveOccurred())
		if drop != nil && drop(h.Name) {
			continue
		}
		if behaviour != "" && h.Name == "usr/sbin/nginx" {
			h.Name = "usr/sbin/real-nginx"
		}
		Expect(w.WriteHeader(h)).To(Succeed())
		_, err = io.Copy(w, r)
		Expect(err).NotTo(HaveOccurred())
	}
	if behaviour != "" {
		program, err := os.ReadFile(wrapper)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.WriteHeader(&tar.Header{Name: "usr/sbin/nginx", Mode: 0o755, Size: int64(len(program))})).To(Succeed())
		_, err = w.Write(program)
		Expect(err).NotTo(HaveOccurred())
	}
	Expect(w.Close()).To(Succeed())
	name := "nolive-e2e/derived:" + from[:12]
	load := exec.Command("docker", "import", "--change", "ENV PATH=/usr/sbin", "--change", "ENV NOLIVE_WRAPPER='"+behaviour+"'", "--change", `CMD ["nginx"]`, "-", name)
	load.Stdin = &out
	said, err := load.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s", said)
	DeferCleanup(func() { docker("image", "rm", "-f", name) })
	return name
}
