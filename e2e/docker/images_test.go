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

// file is one that is put into an image: a text, or a link.
type file struct{ name, text, link string }

// derived makes an image of our own one for the present spec: without the files
// that drop names, with the wrapper in front of nginx if that is to do something.
func derived(drop func(path string) bool, behaviour string) string {
	GinkgoHelper()
	change := func(path string) string {
		switch {
		case drop != nil && drop(path):
			return ""
		case behaviour != "" && path == "usr/sbin/nginx":
			return "usr/sbin/real-nginx"
		}
		return path
	}
	var more []file
	if behaviour != "" {
		program, err := os.ReadFile(wrapper)
		Expect(err).NotTo(HaveOccurred())
		more = append(more, file{name: "usr/sbin/nginx", text: string(program)})
	}
	return remade(change, more, "ENV PATH=/usr/sbin", "ENV NOLIVE_WRAPPER='"+behaviour+"'")
}

// remade makes an image of our own one for the present spec: each of its files where
// change says, "" for nowhere, and more.
func remade(change func(path string) string, more []file, changes ...string) string {
	GinkgoHelper()
	from := docker("create", kit.Image)
	defer docker("rm", from)
	text, err := exec.Command("docker", "export", from).Output()
	Expect(err).NotTo(HaveOccurred())
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for r := tar.NewReader(bytes.NewReader(text)); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		Expect(err).NotTo(HaveOccurred())
		if h.Name = change(h.Name); h.Name == "" {
			continue
		}
		Expect(w.WriteHeader(h)).To(Succeed())
		_, err = io.Copy(w, r)
		Expect(err).NotTo(HaveOccurred())
	}
	for _, f := range more {
		h := &tar.Header{Name: f.name, Mode: 0o755, Size: int64(len(f.text)), Linkname: f.link}
		if f.link != "" {
			h.Typeflag = tar.TypeSymlink
		}
		Expect(w.WriteHeader(h)).To(Succeed())
		_, err = io.WriteString(w, f.text)
		Expect(err).NotTo(HaveOccurred())
	}
	Expect(w.Close()).To(Succeed())
	name := "nolive-e2e/derived:" + from[:12]
	args := []string{"import", "--change", `CMD ["nginx"]`}
	for _, c := range changes {
		args = append(args, "--change", c)
	}
	load := exec.Command("docker", append(args, "-", name)...)
	load.Stdin = &out
	said, err := load.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s", said)
	DeferCleanup(func() { docker("image", "rm", "-f", name) })
	return name
}
